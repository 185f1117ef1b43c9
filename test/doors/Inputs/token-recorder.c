/* Preloaded into the clients of a jobserver under test (jobserver.py): writes
 * down which process read or wrote which token, and when. A token that is read
 * is noted after it was read, one that is written before, so that the record
 * never shows a token in two hands that was in one.
 *
 *   TOKEN_RECORD=FILE   where records go, in the order in which things happened
 *   TOKEN_INODE=N       the inode of the jobserver's pipe
 *   TOKEN_CLIENT=NAME   noted with each record, its first character
 *
 * Only what a signal handler may call is called.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct record {
  uint64_t nanoseconds;
  uint32_t process;
  char what; /* 'r' or 'w' */
  char token;
  char client;
  char unused;
};

static const char *recordPath;
static char client = '-';
static ino_t inode;

__attribute__((constructor)) static void readEnvironment(void) {
  const char *number = getenv("TOKEN_INODE");
  const char *name = getenv("TOKEN_CLIENT");
  recordPath = getenv("TOKEN_RECORD");
  inode = number ? strtoull(number, 0, 10) : 0;
  if (name)
    client = *name;
}

static int isJobserver(int fd) {
  struct stat status;
  return recordPath && fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) &&
         status.st_ino == inode;
}

static void note(char what, char token) {
  int error = errno;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  struct record record = {now.tv_sec * 1000000000ull + now.tv_nsec,
                          syscall(SYS_getpid),
                          what,
                          token,
                          client,
                          0};
  int file = open(recordPath, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0 ||
      syscall(SYS_write, file, &record, sizeof(record)) != sizeof(record))
    _exit(99); /* a record with holes proves nothing */
  close(file);
  errno = error;
}

ssize_t read(int fd, void *buffer, size_t size) {
  ssize_t result = syscall(SYS_read, fd, buffer, size);
  if (result == 1 && isJobserver(fd))
    note('r', *(const char *)buffer);
  return result;
}

ssize_t write(int fd, const void *buffer, size_t size) {
  if (size == 1 && isJobserver(fd))
    note('w', *(const char *)buffer);
  return syscall(SYS_write, fd, buffer, size);
}
