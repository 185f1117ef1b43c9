#define KERNELS(X) X(free) X(set) X(asked) X(stored) X(graph)
#define DECLARE(name) __global__ void name(float *out, int n);
KERNELS(DECLARE)
__global__ void labeled(float *out, int n);
__global__ void little(float *out, int n);
extern "C" __global__ void taken(float *out, int n);
extern "C" __global__ void taken$cp1(float *out);
