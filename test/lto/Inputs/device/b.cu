// One of two files whose kernels share device variables; see ltrans-device.test.
extern __device__ int counter;
extern __device__ float sums[64];
extern __device__ float helper(float);
extern __shared__ double sharedToo[];
static __device__ __noinline__ float apply(float x) { return x - 1; }
template <typename T> __device__ __noinline__ T generic(T x) {
  static __device__ int count;
  atomicAdd(&count, 1);
  return x + 1;
}
__global__ void third(float *p) {
  __shared__ float tile[32];
  tile[threadIdx.x & 31] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = apply(tile[(threadIdx.x + 1) & 31]) + generic(1.f);
  atomicAdd(&counter, 1);
  printf("%d\n", counter);
  sums[1] += helper(2);
  p[1] = sharedToo[3];
}
