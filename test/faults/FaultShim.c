/*===- FaultShim.c - Makes one system call of a process tree fail ----------===*\
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Preloaded (LD_PRELOAD) into a link and all it starts. Counts the calls of the
 * functions below, over all processes together, and makes the one whose number
 * stands in GPULTO_FAULT_AT fail with an error that such a call can give. Which
 * one that was is written to the counter file, GPULTO_FAULT_COUNTER:
 *
 *   8 bytes  calls so far
 *   rest     name, errno and argument of the call that failed, as text
 *
 * With GPULTO_FAULT_SIGNAL the call does not fail, but the leader of the session
 * (the linker) gets that signal before it.
 *
 * Not counted: writing to stderr (the message itself), memory without a file.
 *===----------------------------------------------------------------------===*/
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kCounterBytes = 4096 };
static _Atomic uint64_t *counter;
static uint64_t failAt;
static int signalNumber;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("GPULTO_FAULT_COUNTER");
  const char *at = getenv("GPULTO_FAULT_AT");
  if (!path || !at)
    return;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return;
  void *map = (void *)syscall(SYS_mmap, NULL, kCounterBytes,
                              PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  syscall(SYS_close, fd);
  if (map == MAP_FAILED)
    return;
  failAt = strtoull(at, NULL, 10);
  const char *number = getenv("GPULTO_FAULT_SIGNAL");
  signalNumber = number ? (int)strtol(number, NULL, 10) : 0;
  counter = map;
}

/* Counts a call; returns 0 or the error that it is to give. */
static int fault(const char *name, int error, const char *argument) {
  if (!counter || ++*counter != failAt)
    return 0;
  char program[64] = "";
  int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/comm", O_RDONLY);
  if (fd >= 0) {
    long size = syscall(SYS_read, fd, program, sizeof(program) - 1);
    program[size > 0 ? size - 1 : 0] = 0;
    syscall(SYS_close, fd);
  }
  snprintf((char *)(counter + 1), kCounterBytes - 8, "%s %s(%s)",
           program, name, argument);
  if (signalNumber)
    kill(getsid(0), signalNumber);
  return signalNumber ? 0 : error;
}

static const char *descriptor(int fd) {
  static _Thread_local char text[512];
  char link[64];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  long size = syscall(SYS_readlinkat, AT_FDCWD, link, text, sizeof(text) - 1);
  text[size > 0 ? size : 0] = 0;
  return text;
}

/* WRAP(result on failure, type, name, parameters, arguments, error, what) */
#define WRAP(FAILED, TYPE, NAME, PARAMETERS, ARGUMENTS, ERROR, WHAT)           \
  TYPE NAME PARAMETERS {                                                       \
    static TYPE(*real) PARAMETERS;                                             \
    if (!real)                                                                 \
      *(void **)&real = dlsym(RTLD_NEXT, #NAME);                               \
    int error = counter ? fault(#NAME, ERROR, WHAT) : 0;                       \
    if (error) {                                                               \
      errno = error;                                                           \
      return FAILED;                                                           \
    }                                                                          \
    return real ARGUMENTS;                                                     \
  }

/* Opening: no descriptor is left, or no room for a new file. */
#define WRAP_OPEN(NAME, PARAMETERS, LAST, ARGUMENTS, PATH)                     \
  int NAME PARAMETERS {                                                        \
    static int(*real) PARAMETERS;                                              \
    if (!real)                                                                 \
      *(void **)&real = dlsym(RTLD_NEXT, #NAME);                               \
    va_list rest;                                                              \
    va_start(rest, LAST);                                                      \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;  \
    va_end(rest);                                                              \
    int error = fault(#NAME, flags & O_CREAT ? ENOSPC : EMFILE, PATH);         \
    if (error) {                                                               \
      errno = error;                                                           \
      return -1;                                                               \
    }                                                                          \
    return real ARGUMENTS;                                                     \
  }
WRAP_OPEN(open, (const char *path, int flags, ...), flags, (path, flags, mode),
          path)
WRAP_OPEN(open64, (const char *path, int flags, ...), flags,
          (path, flags, mode), path)
WRAP_OPEN(openat, (int at, const char *path, int flags, ...), flags,
          (at, path, flags, mode), path)
WRAP_OPEN(openat64, (int at, const char *path, int flags, ...), flags,
          (at, path, flags, mode), path)
WRAP(NULL, FILE *, fopen, (const char *path, const char *mode), (path, mode),
     EMFILE, path)
WRAP(NULL, FILE *, fopen64, (const char *path, const char *mode), (path, mode),
     EMFILE, path)
WRAP(NULL, DIR *, opendir, (const char *path), (path), EMFILE, path)
WRAP(-1, int, mkstemp, (char *path), (path), ENOSPC, path)
WRAP(-1, int, mkostemp, (char *path, int flags), (path, flags), ENOSPC, path)
WRAP(-1, int, mkostemp64, (char *path, int flags), (path, flags), ENOSPC, path)
WRAP(NULL, char *, mkdtemp, (char *path), (path), ENOSPC, path)
WRAP(-1, int, mkdir, (const char *path, mode_t mode), (path, mode), ENOSPC,
     path)

/* Contents. */
WRAP(-1, ssize_t, read, (int fd, void *to, size_t size), (fd, to, size), EIO,
     descriptor(fd))
WRAP(-1, ssize_t, pread, (int fd, void *to, size_t size, off_t at),
     (fd, to, size, at), EIO, descriptor(fd))
WRAP(-1, ssize_t, pread64, (int fd, void *to, size_t size, off64_t at),
     (fd, to, size, at), EIO, descriptor(fd))
WRAP(-1, ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at),
     (fd, from, size, at), ENOSPC, descriptor(fd))
WRAP(-1, ssize_t, pwrite64, (int fd, const void *from, size_t size, off64_t at),
     (fd, from, size, at), ENOSPC, descriptor(fd))
WRAP(0, size_t, fread, (void *to, size_t size, size_t count, FILE *file),
     (to, size, count, file), EIO, descriptor(fileno(file)))
WRAP(-1, off_t, lseek, (int fd, off_t at, int from), (fd, at, from), EIO,
     descriptor(fd))
WRAP(-1, off64_t, lseek64, (int fd, off64_t at, int from), (fd, at, from), EIO,
     descriptor(fd))
WRAP(-1, int, ftruncate, (int fd, off_t size), (fd, size), ENOSPC,
     descriptor(fd))
WRAP(-1, int, ftruncate64, (int fd, off64_t size), (fd, size), ENOSPC,
     descriptor(fd))
WRAP(ENOSPC, int, posix_fallocate, (int fd, off_t at, off_t size),
     (fd, at, size), ENOSPC, descriptor(fd))
WRAP(ENOSPC, int, posix_fallocate64, (int fd, off64_t at, off64_t size),
     (fd, at, size), ENOSPC, descriptor(fd))

ssize_t write(int fd, const void *from, size_t size) {
  int error = fd == STDERR_FILENO ? 0 : fault("write", ENOSPC, descriptor(fd));
  if (error) {
    errno = error;
    return -1;
  }
  return syscall(SYS_write, fd, from, size);
}

#define WRAP_MMAP(NAME, OFFSET)                                                \
  void *NAME(void *at, size_t size, int access, int flags, int fd,             \
             OFFSET from) {                                                    \
    int error =                                                                \
        flags & MAP_ANONYMOUS ? 0 : fault(#NAME, ENOMEM, descriptor(fd));      \
    if (error) {                                                               \
      errno = error;                                                           \
      return MAP_FAILED;                                                       \
    }                                                                          \
    return (void *)syscall(SYS_mmap, at, size, access, flags, fd, from);       \
  }
WRAP_MMAP(mmap, off_t)
WRAP_MMAP(mmap64, off64_t)

/* The descriptor is gone after an error of close, too. */
int close(int fd) {
  int error = fault("close", EIO, counter ? descriptor(fd) : "");
  int result = (int)syscall(SYS_close, fd);
  if (!error)
    return result;
  errno = error;
  return -1;
}

/* Names. */
WRAP(-1, int, rename, (const char *from, const char *to), (from, to), EIO, to)
WRAP(-1, int, unlink, (const char *path), (path), EIO, path)
WRAP(-1, int, unlinkat, (int at, const char *path, int flags),
     (at, path, flags), EIO, path)
WRAP(-1, int, rmdir, (const char *path), (path), EIO, path)
WRAP(-1, int, link, (const char *from, const char *to), (from, to), EIO, to)
WRAP(-1, int, chmod, (const char *path, mode_t mode), (path, mode), EPERM, path)
WRAP(-1, int, fchmod, (int fd, mode_t mode), (fd, mode), EPERM, descriptor(fd))
WRAP(-1, int, chdir, (const char *path), (path), EIO, path)
WRAP(NULL, char *, getcwd, (char *to, size_t size), (to, size), ENOENT, "")
WRAP(NULL, char *, realpath, (const char *path, char *to), (path, to), EIO,
     path)
WRAP(-1, ssize_t, readlink, (const char *path, char *to, size_t size),
     (path, to, size), EIO, path)
WRAP(-1, int, access, (const char *path, int mode), (path, mode), EIO, path)
WRAP(-1, int, stat, (const char *path, struct stat *to), (path, to), EIO, path)
WRAP(-1, int, stat64, (const char *path, struct stat64 *to), (path, to), EIO,
     path)
WRAP(-1, int, lstat, (const char *path, struct stat *to), (path, to), EIO, path)
WRAP(-1, int, lstat64, (const char *path, struct stat64 *to), (path, to), EIO,
     path)
WRAP(-1, int, fstat, (int fd, struct stat *to), (fd, to), EIO, descriptor(fd))
WRAP(-1, int, fstat64, (int fd, struct stat64 *to), (fd, to), EIO,
     descriptor(fd))
WRAP(-1, int, statfs, (const char *path, struct statfs *to), (path, to), EIO,
     path)
WRAP(-1, int, fstatfs, (int fd, struct statfs *to), (fd, to), EIO,
     descriptor(fd))

/* Processes. */
WRAP(-1, pid_t, fork, (void), (), EAGAIN, "")
WRAP(-1, int, execv, (const char *path, char *const *argv), (path, argv),
     ENOMEM, path)
WRAP(-1, int, execve,
     (const char *path, char *const *argv, char *const *environment),
     (path, argv, environment), ENOMEM, path)
WRAP(EAGAIN, int, posix_spawn,
     (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const *argv,
      char *const *environment),
     (pid, path, actions, attributes, argv, environment), EAGAIN, path)
WRAP(-1, int, pipe, (int ends[2]), (ends), EMFILE, "")
WRAP(-1, int, pipe2, (int ends[2], int flags), (ends, flags), EMFILE, "")
WRAP(-1, int, dup, (int fd), (fd), EMFILE, descriptor(fd))
WRAP(-1, int, dup2, (int from, int to), (from, to), EMFILE, descriptor(from))
WRAP(-1, pid_t, wait, (int *status), (status), EINTR, "")
WRAP(-1, pid_t, waitpid, (pid_t pid, int *status, int options),
     (pid, status, options), EINTR, "")
WRAP(-1, pid_t, wait4,
     (pid_t pid, int *status, int options, struct rusage *usage),
     (pid, status, options, usage), EINTR, "")
WRAP(-1, int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options),
     (type, id, info, options), EINTR, "")
WRAP(-1, int, poll, (struct pollfd * what, nfds_t count, int timeout),
     (what, count, timeout), EINTR, "")
