#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <dlfcn.h>
#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t status = call;                                                 \
    if (status != cudaSuccess) {                                               \
      printf("%s: %s\n", #call, cudaGetErrorString(status));                  \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)
__global__ void scale(float *out, const float *in, int n) {
  int i = threadIdx.x;
  if (i < n)
    out[i] = 2 * in[i];
}
__global__ void fill(float *p) { p[threadIdx.x] = threadIdx.x; }
static __attribute__((noinline)) void run(float *p, cudaStream_t stream) { fill<<<1, 4, 0, stream>>>(p); }
typedef cudaError_t (*Fill)(void *, int, size_t, cudaStream_t);
static volatile Fill chosen;
int main(int argc, char **argv) {
  const float four[] = {1, 2, 3, 4};
  float *in, *out, *other, host[4];
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
#if defined(MANAGED)
  CHECK(cudaMallocManaged(&in, 16));
#elif defined(POOL)
  CHECK(cudaMallocAsync((void **)&in, 16, 0));
#elif defined(PINNED)
  float *pinned;
  CHECK(cudaHostAlloc(&pinned, 16, cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&in, pinned, 0));
#else
  CHECK(cudaMalloc(&in, 16));
#endif
#ifdef MIXED
  if (argc > 1)
    CHECK(cudaMallocManaged(&in, 16));
#endif
  CHECK(cudaMalloc(&out, 16));
  CHECK(cudaMalloc(&other, 16));
  CHECK(cudaMemcpy(in, four, 16, cudaMemcpyHostToDevice));
#if defined(SECOND_STREAM)
  fill<<<1, 4, 0, stream>>>(other);
#elif defined(THREAD_STREAM)
  fill<<<1, 4, 0, cudaStreamPerThread>>>(other);
#elif defined(ASYNC_COPY)
  CHECK(cudaMemcpyAsync(other, four, 16, cudaMemcpyHostToDevice, stream));
#elif defined(PASSED_STREAM)
  run(other, stream);
#elif defined(PEER)
  CHECK(cudaMemcpyPeer(other, 0, in, 0, 16));
#elif defined(DEVICES)
  CHECK(cudaSetDevice(argc - 1));
#elif defined(GRAPH)
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
  cudaMemsetParams set = {};
  set.dst = other;
  set.elementSize = 4;
  set.width = 4;
  set.height = 1;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &set));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
#elif defined(CAPTURE)
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  fill<<<1, 4, 0, stream>>>(other);
  CHECK(cudaStreamEndCapture(stream, &graph));
#elif defined(UNKNOWN_LAUNCH)
  void *volatile handle = (void *)scale;
  int n = 4;
  void *arguments[] = {&out, &in, &n};
  CHECK(cudaLaunchKernel(handle, dim3(1), dim3(4), arguments, 0, 0));
  cudaFunction_t function; // the driver may launch it
  if (argc > 5)
    CHECK(cudaGetFuncBySymbol(&function, handle));
#elif defined(ATTRIBUTES)
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 4;
  CHECK(cudaLaunchKernelEx(&config, fill, other));
#elif defined(ADDRESS)
  chosen = cudaMemsetAsync;
  CHECK(chosen(other, 0, 16, stream));
#elif defined(LOOKUP)
  if (!dlsym(RTLD_DEFAULT, "cudaMemcpyAsync"))
    printf("no cudaMemcpyAsync\n");
#endif
  run(other, 0);
  scale<<<1, 4>>>(out, in, 4);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host, out, 16, cudaMemcpyDeviceToHost));
  printf("%g %g %g %g\n", host[0], host[1], host[2], host[3]);
}
