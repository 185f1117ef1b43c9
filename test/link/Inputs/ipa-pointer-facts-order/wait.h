__device__ void awaitOrdered(int *flag, int v);
__device__ void postOrdered(int *flag, int v);
__device__ void awaitFenced(int *flag, int v);
__device__ void postFenced(int *flag, int v);
__device__ void awaitPolled(volatile int *flag, int v);
__device__ void postPolled(volatile int *flag, int v);
__device__ void awaitChained(int *flag, int v);
__device__ void count(int *counter);
