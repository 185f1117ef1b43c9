/*===- launcher.c - Starts the program of all tools as one of them ---------===
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *===----------------------------------------------------------------------===
 *
 * A wheel holds no links, and a copy of the whole program for each name would
 * be 100 MB. So each name is this: it starts the program whose path from here
 * is GPULTO_PROGRAM, with the words that it got. The first, the name that the
 * user called, stays as it is; with GPULTO_OWN_NAME it becomes the path of this
 * file.
 *
 * It must start where that program does not: on a system whose C library is too
 * old, it says so. So it refers to nothing that is newer than glibc 2.2.5, not
 * even what C programs start with.
 */
#include <gnu/libc-version.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* What gpulto-toolchain needs; scripts/package checks it. */
enum { kGlibcMajor = 2, kGlibcMinor = 34 };

static void say(const char *text) {
  ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written;
}

static void fail(const char *what, const char *file) {
  say("gpulto: error: ");
  say(file);
  say(what);
  _exit(127);
}

/* Reads a number; moves *text behind it. */
static int number(const char **text) {
  int result = 0;
  for (; **text >= '0' && **text <= '9'; ++*text)
    result = result * 10 + (**text - '0');
  return result;
}

static void checkLibrary(void) {
  const char *version = gnu_get_libc_version();
  const char *rest = version;
  int major = number(&rest);
  rest += *rest == '.';
  if (major > kGlibcMajor || number(&rest) >= kGlibcMinor)
    return;
  say("gpulto: error: it needs glibc 2.34 or newer, and this system has ");
  say(version);
  say("\n");
  _exit(127);
}

/* Adds `text` to `path`, which has room for PATH_MAX bytes. */
static void append(char *path, const char *text) {
  size_t used = strlen(path);
  if (used + strlen(text) >= PATH_MAX)
    fail(": its path is too long\n", path);
  memcpy(path + used, text, strlen(text) + 1);
}

/* `stack`: as the kernel laid it, the number of words before them. */
__attribute__((noreturn, used)) void launch(long *stack) {
  char **words = (char **)(stack + 1);
  char **environment = words + *stack + 1;
  char own[PATH_MAX] = {0}, program[PATH_MAX] = {0};
  checkLibrary();
  if (readlink("/proc/self/exe", own, sizeof own - 1) < 0)
    fail(": cannot be read; is /proc mounted?\n", "/proc/self/exe");
  append(program, own);
  strrchr(program, '/')[1] = '\0';
  append(program, GPULTO_PROGRAM);
#ifdef GPULTO_OWN_NAME
  words[0] = own;
#endif
  execve(program, words, environment);
  fail(": cannot be started; the installation of gpulto is incomplete\n",
       program);
  __builtin_unreachable();
}

/* The stack is aligned as calls of functions expect it. */
__asm__(".globl _start\n"
        "_start:\n"
        "  xor %ebp, %ebp\n"
        "  mov %rsp, %rdi\n"
        "  and $-16, %rsp\n"
        "  call launch\n");
