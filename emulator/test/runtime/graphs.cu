// Stream capture with fork and join, replay, node updates, child graphs.
// EXPECT: untouched 0 0
// EXPECT: nodes 5
// EXPECT: first 11 22
// EXPECT: second 22 44
// EXPECT: updated 25
// EXPECT: host 1
// EXPECT: child 35
// EXPECT: forbidden operation not permitted when stream is capturing
// EXPECT: end operation failed due to a previous error during capture
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(int *p, int amount) { *p += amount; }

static void CUDART_CB count(void *data) { ++*static_cast<int *>(data); }

static int *p, host[2];
static cudaStream_t a;

static void captureAndReplay() {
  cudaStream_t b;
  cudaEvent_t fork, join;
  cudaStreamCreate(&b);
  cudaEventCreate(&fork);
  cudaEventCreate(&join);

  cudaGraph_t graph;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  add<<<1, 1, 0, a>>>(p, 1);
  cudaEventRecord(fork, a);
  cudaStreamWaitEvent(b, fork, 0);
  add<<<1, 1, 0, b>>>(p + 1, 22);
  add<<<1, 1, 0, a>>>(p, 10);
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join, 0);
  cudaMemcpyAsync(host, p, sizeof(host), cudaMemcpyDeviceToHost, a);
  cudaMemcpyAsync(host, p, sizeof(host), cudaMemcpyDeviceToHost, a);
  cudaStreamDestroy(b);
  cudaStreamEndCapture(a, &graph);
  printf("untouched %d %d\n", host[0], host[1]);
  size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  printf("nodes %zu\n", nodes);
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  cudaGraphLaunch(executable, a);
  cudaStreamSynchronize(a);
  printf("first %d %d\n", host[0], host[1]);
  cudaGraphLaunch(executable, a);
  cudaStreamSynchronize(a);
  printf("second %d %d\n", host[0], host[1]);
}

static void updateAndNest() {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t kernel, call;
  cudaGraphCreate(&graph, 0);
  int amount = 1, calls = 0;
  void *args[] = {&p, &amount};
  cudaKernelNodeParams params = {};
  params.func = (void *)add;
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = args;
  cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &params);
  cudaHostNodeParams hostParams = {count, &calls};
  cudaGraphAddHostNode(&call, graph, &kernel, 1, &hostParams);
  cudaGraphInstantiate(&executable, graph, 0);
  amount = 3;
  cudaGraphExecKernelNodeSetParams(executable, kernel, &params);
  cudaGraphLaunch(executable, a);
  cudaMemcpy(host, p, sizeof(int), cudaMemcpyDeviceToHost);
  printf("updated %d\n", host[0]);
  printf("host %d\n", calls);

  cudaGraph_t parent;
  cudaGraphNode_t child;
  amount = 10;
  cudaGraphKernelNodeSetParams(kernel, &params);
  cudaGraphCreate(&parent, 0);
  cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, graph);
  cudaGraphInstantiate(&executable, parent, 0);
  cudaGraphLaunch(executable, a);
  cudaMemcpy(host, p, sizeof(int), cudaMemcpyDeviceToHost);
  printf("child %d\n", host[0]);
}

int main() {
  cudaMalloc(&p, 2 * sizeof(int));
  cudaMemset(p, 0, 2 * sizeof(int));
  cudaStreamCreate(&a);
  captureAndReplay();
  updateAndNest();
  cudaGraph_t graph;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);
  printf("forbidden %s\n", cudaGetErrorString(cudaStreamSynchronize(a)));
  printf("end %s\n", cudaGetErrorString(cudaStreamEndCapture(a, &graph)));
}
