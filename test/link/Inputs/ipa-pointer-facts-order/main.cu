#include "wait.h"
#include <cstdio>
__device__ int data, flag;
// The other block stores 2 between the two halves of this one's turn.
#define TURNS(name, wait, post, data, flag)                                    \
  __global__ void name(int *d, int *f, int *out) {                             \
    if (blockIdx.x == 0) {                                                     \
      *(data) = 1;                                                             \
      post(flag, 1);                                                           \
      wait(flag, 2);                                                           \
      out[0] = *(data);                                                        \
    } else {                                                                   \
      wait(flag, 1);                                                           \
      *(data) = 2;                                                             \
      post(flag, 2);                                                           \
    }                                                                          \
  }
TURNS(ordered, awaitOrdered, postOrdered, d, f)
TURNS(fenced, awaitFenced, postFenced, d, f)
TURNS(polled, awaitPolled, postPolled, d, f)
TURNS(chained, awaitChained, postOrdered, d, f)
TURNS(variable, awaitOrdered, postOrdered, &data, &flag)
__global__ void counted(int *d, int *f, int *out) {
  if (blockIdx.x == 0) {
    *d = 1;
    count(f);
    out[0] = *d;
  }
}
#define RUN(name)                                                              \
  {                                                                            \
    int *d, *f, *out, result = 0;                                              \
    cudaMalloc(&d, 4);                                                         \
    cudaMalloc(&f, 4);                                                         \
    cudaMalloc(&out, 4);                                                       \
    cudaMemset(f, 0, 4);                                                       \
    name<<<2, 1>>>(d, f, out);                                                 \
    cudaMemcpy(&result, out, 4, cudaMemcpyDeviceToHost);                       \
    printf(#name " %d\n", result);                                             \
  }
int main() {
  RUN(ordered)
  RUN(fenced)
  RUN(polled)
  RUN(chained)
  RUN(variable)
  RUN(counted)
}
