// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded into a program, writes to the file that GPULTO_COPIES names how
// many copies and fills it makes, of how many bytes, how long the host is in
// them and in waits, and how long it takes from the first of all calls that
// give the device work to the end of the last: {"copies": 3, "bytes": 4096,
// "in-copies": seconds, "in-waits": seconds, "span": seconds}.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
  unsigned x, y, z;
} Dim;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long long copies, bytes;
static double inCopies, inWaits, first, last;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *original(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) {
    fprintf(stderr, "copies.c: no %s\n", name);
    abort();
  }
  return found;
}

/// Accounts for a call that began at \p begin, in \p *sum if it is a copy's or a
/// wait's.
static void account(double begin, double *sum, int isCopy, size_t size) {
  double end = now();
  pthread_mutex_lock(&lock);
  if (first == 0)
    first = begin;
  last = end;
  if (sum != NULL)
    *sum += end - begin;
  if (isCopy) {
    ++copies;
    bytes += size;
  }
  pthread_mutex_unlock(&lock);
}

#define CALL(NAME, PARAMETERS, ARGUMENTS, SUM, IS_COPY, SIZE)                  \
  int NAME PARAMETERS {                                                        \
    static int(*call) PARAMETERS;                                              \
    if (call == NULL)                                                          \
      call = (int(*) PARAMETERS)original(#NAME);                               \
    double begin = now();                                                      \
    int result = call ARGUMENTS;                                               \
    account(begin, SUM, IS_COPY, SIZE);                                        \
    return result;                                                             \
  }

CALL(cudaMemcpy, (void *to, const void *from, size_t size, int kind),
     (to, from, size, kind), &inCopies, 1, size)
CALL(cudaMemcpyAsync,
     (void *to, const void *from, size_t size, int kind, void *stream),
     (to, from, size, kind, stream), &inCopies, 1, size)
CALL(cudaMemcpyToSymbol,
     (const void *to, const void *from, size_t size, size_t at, int kind),
     (to, from, size, at, kind), &inCopies, 1, size)
CALL(cudaMemcpyFromSymbol,
     (void *to, const void *from, size_t size, size_t at, int kind),
     (to, from, size, at, kind), &inCopies, 1, size)
CALL(cudaMemset, (void *to, int value, size_t size), (to, value, size),
     &inCopies, 1, size)
CALL(cudaMemsetAsync, (void *to, int value, size_t size, void *stream),
     (to, value, size, stream), &inCopies, 1, size)
CALL(cudaDeviceSynchronize, (void), (), &inWaits, 0, 0)
CALL(cudaStreamSynchronize, (void *stream), (stream), &inWaits, 0, 0)
CALL(cudaLaunchKernel,
     (const void *kernel, Dim grid, Dim block, void **arguments, size_t shared,
      void *stream),
     (kernel, grid, block, arguments, shared, stream), NULL, 0, 0)

__attribute__((destructor)) static void finish(void) {
  const char *name = getenv("GPULTO_COPIES");
  FILE *file = name != NULL ? fopen(name, "w") : NULL;
  if (file == NULL)
    return;
  fprintf(file,
          "{\"copies\": %llu, \"bytes\": %llu, \"in-copies\": %.9f, "
          "\"in-waits\": %.9f, \"span\": %.9f}\n",
          copies, bytes, inCopies, inWaits, last - first);
  fclose(file);
}
