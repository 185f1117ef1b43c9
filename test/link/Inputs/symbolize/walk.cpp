#include "shared.h"
#include <cstdio>
#include <execinfo.h>
#include <unistd.h>
extern bool raw;
int walk(int n) {
  void *frames[32];
  int count = backtrace(frames, 32);
  if (raw)
    for (int i = 0; i < count; ++i)
      fprintf(stderr, "%p\n", frames[i]);
  else
    backtrace_symbols_fd(frames, count, 2);
  return n;
}
