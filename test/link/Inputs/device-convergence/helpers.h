#include <cstdio>
#include <cstdlib>
__device__ unsigned active();
__device__ unsigned vote(bool yes);
__device__ void meet();
__device__ int shuffled(int x, int lane);
__device__ long long now();
__device__ void leaveIf(bool yes);
__device__ int peek(volatile int *p);
