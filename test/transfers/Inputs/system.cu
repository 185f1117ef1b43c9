// The system and C's library store to what was copied, and read it: system calls, files that
// are mapped, buffers of streams.
#include "cases.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

const int numbers[] = {9, 8};
#define MADE_BY_KERNEL(d) ZEROS(d); increase<<<1, n>>>(d)

CASE(readCall, 4) { // read
  FIRST;
  HAZARD(int ends[2]; if (pipe(ends) || write(ends[1], numbers, 4) != 4) abort();
         if (read(ends[0], h + 1, 4) != 4) abort();)
  AGAIN;
}
// CHECK: readCall: 2 11 34 128
// MAYGO: readCall: 2 4 34 128

CASE(vectors, 4) { // readv, which finds the pointer in memory
  FIRST;
  HAZARD(int ends[2]; if (pipe(ends) || write(ends[1], numbers, 8) != 8) abort();
         int other; iovec parts[] = {{&other, 4}, {h + 1, 4}};
         if (readv(ends[0], parts, 2) != 8) abort();)
  AGAIN;
}
// CHECK: vectors: 2 10 34 128
// MAYGO: vectors: 2 4 34 128

CASE(received, 4) { // recvmsg, the same for sockets
  FIRST;
  HAZARD(int ends[2]; if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) abort();
         if (send(ends[1], numbers, 4, 0) != 4) abort();
         iovec part = {h + 1, 4}; msghdr message = {}; message.msg_iov = &part;
         message.msg_iovlen = 1; if (recvmsg(ends[0], &message, 0) != 4) abort();)
  AGAIN;
}
// CHECK: received: 2 11 34 128
// MAYGO: received: 2 4 34 128

CASE(files, 4) { // fread
  FIRST;
  HAZARD(FILE *f = tmpfile(); fwrite(numbers, 4, 1, f); rewind(f);
         if (fread(h + 1, 4, 1, f) != 1) abort(); fclose(f);)
  AGAIN;
}
// CHECK: files: 2 11 34 128
// MAYGO: files: 2 4 34 128

CASE(scanned, 4) { // sscanf
  FIRST;
  HAZARD(if (sscanf("9", "%d", h + 1) != 1) abort();)
  AGAIN;
}
// CHECK: scanned: 2 11 34 128
// MAYGO: scanned: 2 4 34 128

CASE(written, 2) { // write reads the target of the copy
  MADE_BY_KERNEL(d);
  int *h = (int *)malloc(size), back[n];
  COPY_OUT(h, d);
  HAZARD(int ends[2]; if (pipe(ends) || write(ends[1], h, size) != size) abort();
         if (read(ends[0], back, size) != size) abort(); print(__func__, back);)
  free(h);
}
// CHECK: written: 1 1 1 1

CASE(asBuffer, 4) { // the buffer of a stream of C's library
  FIRST;
  FILE *f = tmpfile();
  HAZARD(setvbuf(f, (char *)h, _IOFBF, size);)
  fputs("1234", f);
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  show(__func__, e);
  fclose(f);
  free(h);
}
// CHECK: asBuffer: 875770418 4 34 128
// MAYGO: asBuffer: 2 4 34 128

int *mapped(int file) {
  return (int *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}
CASE(mappedTwice, 4) { // a store through another mapping of the same file
  int file = memfd_create("numbers", 0);
  if (ftruncate(file, 4096)) abort();
  HAZARD(int *h = mapped(file), *other = mapped(file);)
  OTHERWISE(int *h = (int *)malloc(size);)
  fill(h, 1);
  DEVICE(d); ZEROS(e);
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  HAZARD(other[1] = 9;)
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  show(__func__, e);
}
// CHECK: mappedTwice: 2 11 34 128
// MAYGO: mappedTwice: 2 4 34 128

CASE(intoFile, 3) { // a copy to a mapped file, which is unmapped and read
  MADE_BY_KERNEL(d);
  int file = memfd_create("numbers", 0), back[n];
  if (ftruncate(file, 4096)) abort();
  HAZARD(int *h = mapped(file);)
  OTHERWISE(int *h = (int *)malloc(4096);)
  COPY_OUT(h, d);
  HAZARD(munmap(h, 4096); h = mapped(file);)
  increase<<<1, n>>>(d);
  COPY_OUT(h + n, d);
  HAZARD(msync(h, 4096, MS_SYNC);
         if (pread(file, back, size, 0) != size) abort(); print(__func__, back);
         if (pread(file, back, size, size) != size) abort(); print(__func__, back);)
  OTHERWISE(free(h);)
}
// CHECK: intoFile: 1 1 1 1
// CHECK: intoFile: 2 2 2 2

CASE(readByMapping, 2) { // another mapping reads what was copied to the first one
  ZEROS(d);
  set<<<1, 2>>>(d, 4);
  int file = memfd_create("numbers", 0);
  if (ftruncate(file, 4096)) abort();
  HAZARD(int *h = mapped(file), *other = mapped(file);)
  OTHERWISE(int *h = (int *)malloc(4096);)
  COPY_OUT(h, d);
  HAZARD(munmap(h, 4096); print(__func__, other);)
  OTHERWISE(free(h);)
}
// CHECK: readByMapping: 4 4 0 0

int main(int argc, char **) {
  one = argc;
  readCall();
  vectors();
  received();
  files();
  scanned();
  written();
  asBuffer();
  mappedTwice();
  intoFile();
  readByMapping();
}
