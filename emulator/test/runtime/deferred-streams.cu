// --deferred: what orders streams and what does not. Each line says what a
// pinned word holds after a wait for one stream alone.
// RUN-OPTIONS: --deferred --poison
// ONLY: nvcc clang
// EXPECT: blocking then legacy 12
// EXPECT: legacy then blocking 12
// EXPECT: non-blocking then legacy 2
// EXPECT: legacy then non-blocking 2
// EXPECT: two streams 2, then 21
// EXPECT: event 12
// EXPECT: event of an earlier record 2, then 21
// EXPECT: event that is recorded anew 1
// EXPECT: event destroyed 12
// EXPECT: event of an empty stream 0 0
// EXPECT: event query 600 0, value 0 1
// EXPECT: elapsed 600 0 ok
// EXPECT: host functions 1 callback 2 value 12, called 0 then 2
// EXPECT: per-thread stream 12
// EXPECT: freed in order 7
// EXPECT: graph 0, then 12
// EXPECT: changed graph 12, then 1212
// EXPECT: graph records 12
// EXPECT: capture 0, then 12
// EXPECT: last no error
#include <cstdio>
#include <cuda_runtime.h>

/// Appends a digit: the order shows in the number.
__global__ void append(int *p, int digit) { *p = *p * 10 + digit; }
__global__ void copy(int *to, const int *from) { *to = *from; }

static int *word;
static cudaStream_t a, b, free1, free2; // The last two do not block.
static cudaEvent_t event;

static void reset() {
  cudaDeviceSynchronize();
  *word = 0;
}

static void on(cudaStream_t stream, int digit) {
  append<<<1, 1, 0, stream>>>(word, digit);
}

static int after(cudaStream_t stream) {
  cudaStreamSynchronize(stream);
  return *word;
}

static int afterAll() {
  cudaDeviceSynchronize();
  return *word;
}

static void legacy() {
  reset();
  on(a, 1), on(nullptr, 2);
  printf("blocking then legacy %d\n", after(nullptr));
  reset();
  on(nullptr, 1), on(a, 2);
  printf("legacy then blocking %d\n", after(a));
  reset();
  on(free1, 1), on(nullptr, 2);
  printf("non-blocking then legacy %d\n", after(nullptr));
  reset();
  on(nullptr, 1), on(free1, 2);
  printf("legacy then non-blocking %d\n", after(free1));
  reset();
  on(a, 1), on(b, 2);
  int first = after(b);
  printf("two streams %d, then %d\n", first, afterAll());
}

static void events() {
  reset();
  on(free1, 1);
  cudaEventRecord(event, free1);
  cudaStreamWaitEvent(free2, event);
  on(free2, 2);
  printf("event %d\n", after(free2));
  reset();
  cudaEventRecord(event, free1);
  on(free1, 1);
  cudaStreamWaitEvent(free2, event);
  on(free2, 2);
  int first = after(free2);
  printf("event of an earlier record %d, then %d\n", first, afterAll());
  reset();
  on(free1, 1);
  cudaEventRecord(event, free1);
  on(free1, 2);
  cudaStreamWaitEvent(free2, event);
  cudaEventRecord(event, free1);
  printf("event that is recorded anew %d\n", after(free2));
  reset();
  cudaEvent_t brief;
  cudaEventCreate(&brief);
  on(free1, 1);
  cudaEventRecord(brief, free1);
  cudaStreamWaitEvent(free2, brief);
  cudaEventDestroy(brief);
  on(free2, 2);
  printf("event destroyed %d\n", after(free2));
  cudaEvent_t never;
  cudaEventCreate(&never);
  printf("event of an empty stream %d %d\n", cudaEventQuery(never),
         cudaEventSynchronize(never));
}

static void queries() {
  cudaEvent_t begin;
  cudaEventCreate(&begin);
  reset();
  cudaEventRecord(begin, a);
  on(a, 1);
  cudaEventRecord(event, a);
  int first = cudaEventQuery(event), seen = *word;
  int second = cudaEventQuery(event);
  printf("event query %d %d, value %d %d\n", first, second, seen, *word);
  cudaEventRecord(begin, a);
  on(a, 1);
  cudaEventRecord(event, a);
  float ms = -1;
  first = cudaEventElapsedTime(&ms, begin, event);
  cudaEventSynchronize(event);
  second = cudaEventElapsedTime(&ms, begin, event);
  printf("elapsed %d %d %s\n", first, second, ms >= 0 ? "ok" : "wrong");
}

static int called, order[2];
static void CUDART_CB hostFunction(void *data) {
  order[called++] = *static_cast<int *>(data);
}
static void CUDART_CB callback(cudaStream_t, cudaError_t, void *data) {
  order[called++] = *static_cast<int *>(data);
}

static void hostFunctions() {
  int one = 1, two = 2;
  reset();
  on(a, 1);
  cudaLaunchHostFunc(a, hostFunction, &one);
  cudaStreamAddCallback(a, callback, &two, 0);
  on(a, 2);
  int before = called, value = after(a);
  printf("host functions %d callback %d value %d, called %d then %d\n",
         order[0], order[1], value, before, called);
}

static void defaults() {
  reset();
  on(cudaStreamPerThread, 1);
  on(nullptr, 2);
  printf("per-thread stream %d\n", after(nullptr));
  int *p, seven = 7;
  reset();
  cudaMallocAsync(&p, sizeof(int), a);
  cudaMemcpyAsync(p, &seven, sizeof(int), cudaMemcpyHostToDevice, a);
  copy<<<1, 1, 0, a>>>(word, p);
  cudaFreeAsync(p, a);
  printf("freed in order %d\n", after(a));
}

/// The graph that appends 1 and 2, or, with `records`, 1 and a record of
/// `event`.
static cudaGraph_t makeGraph(bool records) {
  cudaGraph_t graph;
  cudaGraphNode_t first, second;
  int digit = 1;
  void *args[] = {&word, &digit};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void *>(append);
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = args;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params);
  digit = 2;
  if (records)
    cudaGraphAddEventRecordNode(&second, graph, &first, 1, event);
  else
    cudaGraphAddKernelNode(&second, graph, &first, 1, &params);
  return graph;
}

static void graphs() {
  cudaGraph_t graph = makeGraph(false);
  cudaGraphExec_t executable;
  cudaGraphNode_t nodes[2];
  size_t count = 2;
  reset();
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, free1);
  int before = *word;
  printf("graph %d, then %d\n", before, after(free1));
  // What is launched stays as it was; launches of one graph follow each other.
  reset();
  cudaGraphLaunch(executable, free1);
  cudaGraphGetNodes(graph, nodes, &count);
  cudaGraphNodeSetEnabled(executable, nodes[0], 0);
  cudaGraphNodeSetEnabled(executable, nodes[1], 0);
  cudaGraphLaunch(executable, free2);
  int first = after(free2);
  cudaGraphNodeSetEnabled(executable, nodes[0], 1);
  cudaGraphNodeSetEnabled(executable, nodes[1], 1);
  cudaGraphLaunch(executable, free2);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  printf("changed graph %d, then %d\n", first, after(free2));
  reset();
  graph = makeGraph(true);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, free1);
  cudaStreamWaitEvent(free2, event);
  on(free2, 2);
  printf("graph records %d\n", after(free2));
}

static void captures() {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  reset();
  cudaStreamBeginCapture(free1, cudaStreamCaptureModeGlobal);
  on(free1, 1);
  cudaEventRecord(event, free1);
  cudaStreamWaitEvent(free2, event);
  on(free2, 2);
  cudaEventRecord(event, free2);
  cudaStreamWaitEvent(free1, event);
  cudaStreamEndCapture(free1, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  int before = afterAll();
  cudaGraphLaunch(executable, free1);
  printf("capture %d, then %d\n", before, after(free1));
}

int main() {
  cudaMallocHost(&word, sizeof(int));
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaStreamCreateWithFlags(&free1, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&free2, cudaStreamNonBlocking);
  cudaEventCreate(&event);
  legacy();
  events();
  queries();
  hostFunctions();
  defaults();
  graphs();
  captures();
  printf("last %s\n", cudaGetErrorString(cudaGetLastError()));
}
