__device__ int deepest(int);
__device__ int deep(int x) { return deepest(x); }
__global__ void neverLaunched(int *p) { *p = deep(*p); }
