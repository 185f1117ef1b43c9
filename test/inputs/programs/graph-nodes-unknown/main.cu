#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t status = call;                                                 \
    if (status != cudaSuccess) {                                               \
      printf("%s: %s\n", #call, cudaGetErrorString(status));                  \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)
#define KERNEL(name) __global__ void name(int *o, int n) { o[threadIdx.x] = n + blockDim.x * 100 + gridDim.x * 1000 + 0 * #name[0]; }
KERNEL(heap)
KERNEL(given)
KERNEL(copied)
__attribute__((noinline)) void change(cudaKernelNodeParams *params, int **arguments) {
  if (getenv("NEVER_SET"))
    params->kernelParams = (void **)arguments;
}
static int run(cudaGraph_t graph, int *p) {
  cudaGraphExec_t exec;
  int result = 0;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(&result, p, 4, cudaMemcpyDeviceToHost));
  return result;
}
static cudaGraph_t fresh() {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  return graph;
}
int main() {
  int *p;
  cudaGraphNode_t added;
  CHECK(cudaMalloc(&p, 64));
  {
    int m = 9;
    void *arguments[] = {&p, &m};
    auto *params = (cudaKernelNodeParams *)calloc(1, sizeof(cudaKernelNodeParams));
    params->func = (void *)heap;
    params->gridDim = 1;
    params->blockDim = 4;
    params->kernelParams = arguments;
    cudaGraph_t graph = fresh();
    CHECK(cudaGraphAddKernelNode(&added, graph, nullptr, 0, params));
    printf("heap %d", run(graph, p));
  }
  {
    int m = 10, other = 11;
    int *more[] = {(int *)&p, &other};
    void *arguments[] = {&p, &m};
    cudaKernelNodeParams params = {};
    params.func = (void *)given;
    params.gridDim = 1;
    params.blockDim = 4;
    params.kernelParams = arguments;
    change(&params, more);
    cudaGraph_t graph = fresh();
    CHECK(cudaGraphAddKernelNode(&added, graph, nullptr, 0, &params));
    printf(" given %d", run(graph, p));
  }
  {
    int m = 11;
    void *arguments[] = {&p, &m};
    cudaKernelNodeParams params = {};
    params.func = (void *)copied;
    params.gridDim = 1;
    params.blockDim = 4;
    params.kernelParams = arguments;
    static cudaKernelNodeParams kept;
    kept = params;
    cudaGraph_t graph = fresh();
    CHECK(cudaGraphAddKernelNode(&added, graph, nullptr, 0, &params));
    printf(" copied %d\n", run(graph, p));
  }
}
