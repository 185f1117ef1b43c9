// One of two files whose kernels share device variables; see ltrans-device.test.
__device__ int counter = 3;
__constant__ float table[16];
__device__ float sums[64];
static __device__ int calls;
typedef float (*Operation)(float);
static __device__ __noinline__ float apply(float x) { return x + 1; }
static __device__ __noinline__ float applyTwice(float x) { return x * 2; }
__device__ Operation operations[2] = {apply, applyTwice};
__device__ int *pointers[2] = {&counter, nullptr};
extern __shared__ float shared[];
__device__ __noinline__ float helper(float x) {
  sums[threadIdx.x] += x;
  calls++;
  if (x > 100)
    printf("large %f\n", x);
  return sinf(x) + table[(int)x & 15];
}
__global__ void first(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  shared[threadIdx.x] = p[i];
  __syncthreads();
  if (i < n)
    p[i] = helper(shared[n & 31]) + counter;
}
__global__ void __launch_bounds__(128) second(float *p) {
  p[threadIdx.x] = operations[blockIdx.x & 1](p[threadIdx.x]) + *pointers[0];
  calls++;
}
