__device__ int helper(int x);
__global__ void userKernel(int *out) { *out = helper(4); }
