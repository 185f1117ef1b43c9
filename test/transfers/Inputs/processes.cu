// Other processes store to what was copied, and read it.
#include "cases.h"
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

CASE(childReads, 1, 0) { // only a child process reads
  DEVICE(d);
  set<<<1, n>>>(d, 3);
  int *h = (int *)malloc(size);
  COPY_OUT(h, d);
  HAZARD(fflush(stdout); pid_t child = fork();
         if (!child) { print(__func__, h); fflush(stdout); _exit(0); }
         waitpid(child, nullptr, 0);)
  free(h);
}
// CHECK: childReads: 3 3 3 3

CASE(childStores, 4, 3) { // a child process stores to memory that it shares
  HAZARD(int *h = (int *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                              -1, 0);)
  OTHERWISE(int *h = (int *)malloc(size);)
  fill(h, 1);
  DEVICE(d); ZEROS(e);
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  HAZARD(fflush(stdout); pid_t child = fork();
         if (!child) { h[1] = 9; _exit(0); }
         waitpid(child, nullptr, 0);)
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  show(__func__, e);
}
// CHECK: childStores: 2 11 34 128
// MAYGO: childStores: 2 4 34 128

int main(int argc, char **) {
  one = argc;
  childReads();
  childStores();
}
