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
KERNEL(node)
KERNEL(mixed)
KERNEL(reused)
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
  int *p, n = 5;
  cudaGraphNode_t added;
  CHECK(cudaMalloc(&p, 64));
  {
    void *arguments[] = {&p, &n};
    cudaKernelNodeParams params = {};
    params.func = (void *)node;
    params.gridDim = 1;
    params.blockDim = 4;
    params.kernelParams = arguments;
    cudaGraph_t graph = fresh();
    CHECK(cudaGraphAddKernelNode(&added, graph, nullptr, 0, &params));
    n = 9; // the node has the old number
    printf("node %d", run(graph, p));
    printf(" %d\n", run(graph, p));
  }
  {
    int m = 6;
    void *arguments[] = {&p, &m};
    cudaKernelNodeParams params = {};
    params.func = (void *)mixed;
    params.gridDim = dim3(1);
    params.blockDim = dim3(4);
    params.kernelParams = arguments;
    cudaGraph_t graph = fresh();
    CHECK(cudaGraphAddKernelNode(&added, graph, nullptr, 0, &params));
    printf("mixed %d", run(graph, p));
    mixed<<<1, 8>>>(p, 5);
    int result;
    CHECK(cudaMemcpy(&result, p, 4, cudaMemcpyDeviceToHost));
    printf(" %d\n", result - 999);
  }
  {
    int seven = 7;
    void *arguments[] = {&p, &seven};
    cudaKernelNodeParams params = {};
    params.func = (void *)reused;
    params.gridDim = 1;
    params.blockDim = 4;
    params.kernelParams = arguments;
    cudaGraph_t graph = fresh();
    CHECK(cudaGraphAddKernelNode(&added, graph, nullptr, 0, &params));
    printf("reused %d", run(graph, p));
    params.gridDim = 1;
    params.blockDim = 8;
    params.sharedMemBytes = 16;
    CHECK(cudaGraphAddKernelNode(&added, graph, &added, 1, &params));
    printf(" %d\n", run(graph, p) - 399);
  }
}
