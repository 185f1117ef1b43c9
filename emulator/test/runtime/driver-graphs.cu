// Graphs of the driver API: nodes of all basic kinds, a captured stream, and an
// executable graph that is changed.
// BUILD: -lcuda
// ONLY: nvcc clang
// EXPECT: nodes 5, roots 1, edges 4, type 0
// EXPECT: first 10 11 12 13, host 1
// EXPECT: second 40 41 42 43, host 2
// EXPECT: params 1 4 1, copy of 16 bytes
// EXPECT: captured 3 nodes: 70 71 72 73
// EXPECT: child and extra: 50 51 52 53
// EXPECT: by union: 9 9
// EXPECT: another kind: CUDA_ERROR_NOT_SUPPORTED
// EXPECT: stranger's node: CUDA_ERROR_INVALID_VALUE
// EXPECT-ERR: cuGraphAddNode with a node of this type is not supported
#include "driver-common.h"

static void count(void *data) { ++*static_cast<int *>(data); }

static CUcontext context;
static CUfunction fill;
static CUdeviceptr memory;
static CUstream stream;
static unsigned base = 10, host[4];
static int called;
static void *params[] = {&memory, &base};
static CUgraph graph, captured, outer;
static CUgraphNode nodes[5];
static CUDA_KERNEL_NODE_PARAMS kernel;
static CUgraphExec executable;

static void start() {
  context = enterPrimary();
  CUmodule module;
  fill = loadFill(module);
  CHECK(cuMemAlloc(&memory, 64));
}

static void addNodes() {
  CHECK(cuGraphCreate(&graph, 0));
  CHECK(cuGraphAddEmptyNode(&nodes[0], graph, nullptr, 0));
  CUDA_MEMSET_NODE_PARAMS clear{};
  clear.dst = memory;
  clear.elementSize = 4;
  clear.width = 16;
  clear.height = 1;
  CHECK(cuGraphAddMemsetNode(&nodes[1], graph, &nodes[0], 1, &clear, context));
  kernel.func = fill;
  kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
  kernel.blockDimX = 4;
  kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.kernelParams = params;
  CHECK(cuGraphAddKernelNode(&nodes[2], graph, &nodes[1], 1, &kernel));
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = memory;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = host;
  copy.WidthInBytes = sizeof(host);
  copy.Height = copy.Depth = 1;
  CHECK(cuGraphAddMemcpyNode(&nodes[3], graph, &nodes[2], 1, &copy, context));
  CUDA_HOST_NODE_PARAMS function{count, &called};
  CHECK(cuGraphAddHostNode(&nodes[4], graph, &nodes[3], 1, &function));
}

static void countNodes() {
  size_t all = 0, roots = 0, edges = 0;
  CUgraphNodeType type;
  CHECK(cuGraphGetNodes(graph, nullptr, &all));
  CHECK(cuGraphGetRootNodes(graph, nullptr, &roots));
#if CUDA_VERSION >= 13000
  CHECK(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
#else
  CHECK(cuGraphGetEdges(graph, nullptr, nullptr, &edges));
#endif
  CHECK(cuGraphNodeGetType(nodes[2], &type));
  printf("nodes %zu, roots %zu, edges %zu, type %d\n", all, roots, edges, type);
}

static void runAndChange() {
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuGraphInstantiate(&executable, graph, 0));
  base = 99; // Copied when the node was made.
  CHECK(cuGraphLaunch(executable, stream));
  CHECK(cuStreamSynchronize(stream));
  printf("first %u %u %u %u, host %d\n", host[0], host[1], host[2], host[3],
         called);
  base = 40;
  CHECK(cuGraphExecKernelNodeSetParams(executable, nodes[2], &kernel));
  CHECK(cuGraphLaunch(executable, stream));
  printf("second %u %u %u %u, host %d\n", host[0], host[1], host[2], host[3],
         called);
  CUDA_KERNEL_NODE_PARAMS read{};
  CUDA_MEMCPY3D readCopy{};
  CHECK(cuGraphKernelNodeGetParams(nodes[2], &read));
  CHECK(cuGraphMemcpyNodeGetParams(nodes[3], &readCopy));
  printf("params %d %u %d, copy of %zu bytes\n", read.func == fill,
         read.blockDimX, readCopy.srcDevice == memory, readCopy.WidthInBytes);
}

static void capture() {
  size_t all = 0;
  base = 70;
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CHECK(cuMemsetD32Async(memory, 0, 4, stream));
  CHECK(cuLaunchKernel(fill, 1, 1, 1, 4, 1, 1, 0, stream, params, nullptr));
  CHECK(cuMemcpyDtoHAsync(host, memory, sizeof(host), stream));
  CHECK(cuStreamEndCapture(stream, &captured));
  CHECK(cuGraphGetNodes(captured, nullptr, &all));
  CUgraphExec ofCapture;
  CHECK(cuGraphInstantiate(&ofCapture, captured, 0));
  CHECK(cuGraphLaunch(ofCapture, stream));
  printf("captured %zu nodes: %u %u %u %u\n", all, host[0], host[1], host[2],
         host[3]);
}

static void nest() {
  // A kernel whose parameters come packed, after a whole graph.
  CUgraphNode child, last;
  struct {
    CUdeviceptr p;
    unsigned base;
  } packed = {memory, 50};
  size_t size = sizeof(packed);
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed,
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CHECK(cuGraphCreate(&outer, 0));
  CHECK(cuGraphAddChildGraphNode(&child, outer, nullptr, 0, captured));
  kernel.kernelParams = nullptr;
  kernel.extra = extra;
  CHECK(cuGraphAddKernelNode(&last, outer, &child, 1, &kernel));
  CUgraphExec ofOuter;
  CHECK(cuGraphInstantiate(&ofOuter, outer, 0));
  CHECK(cuGraphLaunch(ofOuter, stream));
  CHECK(cuMemcpyDtoH(host, memory, sizeof(host)));
  printf("child and extra: %u %u %u %u\n", host[0], host[1], host[2], host[3]);
}

#if CUDA_VERSION >= 13000
#define ADD(node, graph, params) cuGraphAddNode(node, graph, 0, 0, 0, params)
#else
#define ADD(node, graph, params) cuGraphAddNode(node, graph, 0, 0, params)
#endif
static void addByUnion() {
  CUgraphNode last, stranger;
  CUgraph byUnion;
  CUgraphNodeParams any{};
  CHECK(cuGraphCreate(&byUnion, 0));
  any.type = CU_GRAPH_NODE_TYPE_MEMSET;
  any.memset.dst = memory;
  any.memset.value = 9;
  any.memset.elementSize = 4;
  any.memset.width = 2;
  any.memset.height = 1;
  any.memset.ctx = context;
  CHECK(ADD(&last, byUnion, &any));
  CUgraphExec ofUnion;
  CHECK(cuGraphInstantiate(&ofUnion, byUnion, 0));
  CHECK(cuGraphLaunch(ofUnion, stream));
  CHECK(cuMemcpyDtoH(host, memory, sizeof(host)));
  printf("by union: %u %u\n", host[0], host[1]);
  any.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
  printf("another kind: %s\n", name(ADD(&last, byUnion, &any)));
  printf("stranger's node: %s\n",
         name(cuGraphAddEmptyNode(&stranger, outer, &nodes[0], 1)));
}

int main() {
  start();
  addNodes();
  countNodes();
  runAndChange();
  capture();
  nest();
  addByUnion();
  CHECK(cuGraphExecDestroy(executable));
  CHECK(cuGraphDestroy(graph));
}
