#include "wait.h"
#define AWAIT(condition)                                                       \
  while (condition)                                                            \
    ;
__device__ __noinline__ void awaitOrdered(int *flag, int v) {
  AWAIT(__atomic_fetch_add(flag, 0, __ATOMIC_ACQ_REL) != v)
}
__device__ __noinline__ void postOrdered(int *flag, int v) {
  __atomic_exchange_n(flag, v, __ATOMIC_ACQ_REL);
}
__device__ __noinline__ void awaitFenced(int *flag, int v) {
  AWAIT(__atomic_fetch_add(flag, 0, __ATOMIC_RELAXED) != v)
  __threadfence();
}
__device__ __noinline__ void postFenced(int *flag, int v) {
  __threadfence();
  __atomic_exchange_n(flag, v, __ATOMIC_RELAXED);
}
__device__ __noinline__ void awaitPolled(volatile int *flag, int v) {
  AWAIT(*flag != v)
}
__device__ __noinline__ void postPolled(volatile int *flag, int v) {
  *flag = v;
}
__device__ __noinline__ void awaitChained(int *flag, int v) {
  awaitOrdered(flag, v);
}
__device__ __noinline__ void count(int *counter) {
  __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}
