#include "kernels.h"
int main() {
  int *p = allocate(64);
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t exec;
  int n = 5;
  void *arguments[] = {&p, &n};
  cudaKernelNodeParams node_params = {(void *)escapes, dim3(1), dim3(4), 0, arguments, nullptr};
  node_params.func = (void *)escapes;
  node_params.gridDim = dim3(1);
  node_params.blockDim = dim3(4);
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &node_params));
  CHECK(cudaGraphKernelNodeSetParams(node, &node_params));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, 0));
  show("escapes", p, 4);
  escapes<<<1, 4>>>(p, 6);
  wide<<<1, 64>>>(p);
  show("wide", p, 4);
  narrow<<<1, 128>>>(p);
  show("narrow", p, 4);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(4);
  CHECK(cudaLaunchKernelEx(&config, extended, p, 7));
  show("extended", p, 4);
  n = 8;
  CHECK(cudaLaunchCooperativeKernel((void *)cooperative, dim3(1), dim3(4), arguments, 0, 0));
  show("cooperative", p, 4);
}
