#define KERNEL(name) __global__ void name(int *p, int n) { p[threadIdx.x] = n; }
KERNEL(legacy)
KERNEL(passed)
KERNEL(stored)
KERNEL(exC)
KERNEL(cooperative)
__global__ void given(int *p, int n, int v) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    p[i] = v;
}
#define EXPORT __attribute__((visibility("default")))
extern "C" EXPORT void enqueue(int *p, int n, cudaStream_t stream) {
  given<<<1, 32, 0, stream>>>(p, n, 7);
}
static __attribute__((noinline)) void run(int *p, cudaStream_t stream) {
  passed<<<1, 32, 0, stream>>>(p, 3);
}
extern "C" EXPORT void work(int *p) {
  legacy<<<1, 32>>>(p, 64);
  run(p, 0);
}
static cudaStream_t kept;
extern "C" EXPORT void keep(cudaStream_t stream) { kept = stream; }
extern "C" EXPORT void useStored(int *p) { stored<<<1, 32, 0, kept>>>(p, 5); }
extern "C" EXPORT void useOthers(int *p) {
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 32;
  config.stream = kept;
  int four = 4;
  void *arguments[] = {&p, &four};
  cudaLaunchKernelExC(&config, (const void *)exC, arguments);
  int six = 6;
  void *more[] = {&p, &six};
  cudaLaunchCooperativeKernel((const void *)cooperative, dim3(1), dim3(32), more, 0, kept);
}
