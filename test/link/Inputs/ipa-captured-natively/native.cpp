#include <cstdio>
#include <cuda_runtime.h>
extern "C" void enqueue(int *p, int n, cudaStream_t stream);
extern "C" void work(int *p);
extern "C" void keep(cudaStream_t stream);
extern "C" void useStored(int *p);
extern "C" void useOthers(int *p);
static bool isChanged = true;
// Captures what `launch` does and runs it, with other arguments if isChanged;
// prints the result.
template <class F> static void change(const char *name, int *p, cudaStream_t s, int n, int v, F launch) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
  cudaKernelNodeParams params;
  size_t one = 1;
  int h[64];
  cudaMemset(p, 0, 256);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  launch();
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphGetNodes(graph, &node, &one);
  cudaGraphKernelNodeGetParams(node, &params);
  void *args[] = {params.kernelParams[0], &n, &v};
  params.kernelParams = args;
  if (isChanged)
    cudaGraphExecKernelNodeSetParams(exec, node, &params);
  cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);
  cudaMemcpy(h, p, 256, cudaMemcpyDeviceToHost);
  printf("%s %d %d\n", name, h[0], h[63]);
}
int main(int argc, char **) {
  isChanged = argc == 1;
  int *p;
  cudaStream_t s;
  cudaMalloc(&p, 256);
  cudaStreamCreate(&s);
  work(p);
  change("given", p, s, 40, 9, [&] { enqueue(p, 64, s); });
  keep(s);
  change("stored", p, s, 11, 0, [&] { useStored(p); });
  useOthers(p);
}
