// What CUDA 13 took away or gave another form: libcudart.so.12 has the forms
// and the records of CUDA 12, and writes nothing behind a record.
//
// TOOLKIT: 12
// ONLY: clang nvcc
// RUN-OPTIONS: --sm-count=4
// EXPECT: version 12 12
// EXPECT: properties 9.0 4 multiprocessors, clock 1 memory 1 overlap 1
// EXPECT: texture 1 ratio 1 optin 1 pointers 1 behind 7 0
// EXPECT: advice 0 0 0 cudaErrorInvalidValue
// EXPECT: readMostly 1 preferred 0 prefetched -1
// EXPECT: pointer 2 0 behind 7
// EXPECT: descriptions 2 1 behind 7 7
// EXPECT: graph 3 2 1 1 1 1 1 1
// EXPECT: capture 1 1 1 0 1
// EXPECT: threads 0 0 0
// EXPECT: batch 0 5 cudaErrorInvalidValue 1
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void add(int *p) { *p += 1; }

template <typename Record> struct Guarded {
  Record record;
  int behind = 7;
};

static int attribute(cudaDeviceAttr which) {
  int value = -1;
  cudaDeviceGetAttribute(&value, which, 0);
  return value;
}

static void properties() {
  int runtime = 0, driver = 0;
  cudaRuntimeGetVersion(&runtime);
  cudaDriverGetVersion(&driver);
  printf("version %d %d\n", runtime / 1000, driver / 1000);
  Guarded<cudaDeviceProp> p;
  memset(&p.record, 0x55, sizeof p.record);
  cudaGetDeviceProperties(&p.record, 0);
  const cudaDeviceProp &d = p.record;
  printf("properties %d.%d %d multiprocessors, clock %d memory %d overlap %d\n",
         d.major, d.minor, d.multiProcessorCount,
         d.clockRate == attribute(cudaDevAttrClockRate),
         d.memoryClockRate == attribute(cudaDevAttrMemoryClockRate),
         d.deviceOverlap);
  printf("texture %d ratio %d optin %d pointers %d behind %d %d\n",
         d.maxTexture1DLinear == attribute(cudaDevAttrMaxTexture1DLinearWidth),
         d.singleToDoublePrecisionPerfRatio ==
             attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio),
         (int)d.sharedMemPerBlockOptin ==
                 attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) &&
             d.maxThreadsPerMultiProcessor ==
                 attribute(cudaDevAttrMaxThreadsPerMultiProcessor) &&
             d.memoryBusWidth == attribute(cudaDevAttrGlobalMemoryBusWidth) &&
             d.concurrentManagedAccess ==
                 attribute(cudaDevAttrConcurrentManagedAccess),
         d.clusterLaunch == attribute(cudaDevAttrClusterLaunch), p.behind,
         d.reserved[62]);
}

static void memory() {
  int *p;
  cudaMallocManaged(&p, 4096);
  cudaError_t most = cudaMemAdvise(p, 4096, cudaMemAdviseSetReadMostly, 0);
  cudaError_t place =
      cudaMemAdvise(p, 4096, cudaMemAdviseSetPreferredLocation, 0);
  cudaError_t prefetch = cudaMemPrefetchAsync(p, 4096, cudaCpuDeviceId, 0);
  cudaError_t wrong = cudaMemPrefetchAsync(p, 4096, 99, 0);
  printf("advice %d %d %d %s\n", most, place, prefetch,
         cudaGetErrorName(wrong));
  int readMostly = 0, preferred = 9, last = 9;
  cudaMemRangeGetAttribute(&readMostly, 4, cudaMemRangeAttributeReadMostly, p,
                           4096);
  cudaMemRangeGetAttribute(&preferred, 4,
                           cudaMemRangeAttributePreferredLocation, p, 4096);
  cudaMemRangeGetAttribute(&last, 4, cudaMemRangeAttributeLastPrefetchLocation,
                           p, 4096);
  printf("readMostly %d preferred %d prefetched %d\n", readMostly, preferred,
         last);
  int *device;
  cudaMalloc(&device, 4096);
  Guarded<cudaPointerAttributes> a;
  cudaPointerGetAttributes(&a.record, device);
  printf("pointer %d %d behind %d\n", a.record.type, a.record.device, a.behind);

  Guarded<cudaResourceDesc> r, back;
  memset(&r.record, 0, sizeof r.record);
  r.record.resType = cudaResourceTypeLinear;
  r.record.res.linear.devPtr = device;
  r.record.res.linear.desc = cudaCreateChannelDesc<int>();
  r.record.res.linear.sizeInBytes = 4096;
  cudaTextureDesc t = {};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &r.record, &t, nullptr);
  cudaGetTextureObjectResourceDesc(&back.record, texture);
  printf("descriptions %d %d behind %d %d\n", back.record.resType,
         back.record.res.linear.devPtr == device, r.behind, back.behind);
}

static void graphs() {
  int *p;
  cudaMalloc(&p, 4);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t a, b, c;
  cudaGraphAddEmptyNode(&a, graph, nullptr, 0);
  cudaGraphAddEmptyNode(&b, graph, nullptr, 0);
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeEmpty;
  cudaError_t added = cudaGraphAddNode(&c, graph, &b, 1, &params);
  cudaGraphAddDependencies(graph, &a, &b, 1);
  size_t nodes = 0, edges = 0, dependencies = 0, dependents = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  cudaGraphGetEdges(graph, nullptr, nullptr, &edges);
  cudaGraphNodeGetDependencies(c, nullptr, &dependencies);
  cudaGraphNodeGetDependentNodes(a, nullptr, &dependents);
  cudaGraphRemoveDependencies(graph, &a, &b, 1);
  size_t left = 0, leftOfLater = 0;
  cudaGraphGetEdges(graph, nullptr, nullptr, &left);
  cudaGraphGetEdges_v2(graph, nullptr, nullptr, nullptr, &leftOfLater);
  cudaError_t again = cudaGraphAddDependencies_v2(graph, &a, &b, nullptr, 1);
  printf("graph %zu %zu %zu %zu %zu %zu %d %d\n", nodes, edges, dependencies,
         dependents, left, leftOfLater, added == cudaSuccess,
         again == cudaSuccess);

  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  add<<<1, 1, 0, stream>>>(p);
  cudaStreamCaptureStatus status;
  unsigned long long id = 0;
  cudaGraph_t captured = nullptr;
  const cudaGraphNode_t *tail;
  size_t count = 0;
  cudaError_t first =
      cudaStreamGetCaptureInfo(stream, &status, &id, &captured, &tail, &count);
  const cudaGraphEdgeData *data;
  size_t countOfLater = 0;
  cudaStreamGetCaptureInfo_v3(stream, &status, &id, &captured, &tail, &data,
                              &countOfLater);
  cudaGraphNode_t node = tail[0];
  cudaError_t updated = cudaStreamUpdateCaptureDependencies(
      stream, &node, 1, cudaStreamSetCaptureDependencies);
  cudaStreamEndCapture(stream, &captured);
  printf("capture %d %zu %zu %d %d\n", status == cudaStreamCaptureStatusActive,
         count, countOfLater, updated, first == cudaSuccess && id != 0);
}

static void threads() {
  size_t limit = 0;
  cudaError_t got = cudaThreadGetLimit(&limit, cudaLimitStackSize);
  cudaError_t synchronized = cudaThreadSynchronize();
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin);
  cudaEventRecord(end);
  float elapsed = -1;
  cudaError_t timed = cudaEventElapsedTime_v2(&elapsed, begin, end);
  printf("threads %d %d %d\n", got, synchronized, timed);
}

static void batch() {
  int *device, host = 5, back = 0;
  cudaMalloc(&device, 4);
  void *to[] = {device, &back}, *from[] = {&host, device};
  size_t sizes[] = {4, 4}, index = 0, failed = 9;
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  cudaError_t good = cudaMemcpyBatchAsync(to, from, sizes, 2, &attributes,
                                          &index, 1, &failed, 0);
  to[1] = nullptr;
  cudaError_t bad = cudaMemcpyBatchAsync(to, from, sizes, 2, &attributes,
                                         &index, 1, &failed, 0);
  printf("batch %d %d %s %zu\n", good, back, cudaGetErrorName(bad), failed);
}

int main() {
  properties();
  memory();
  graphs();
  threads();
  batch();
}
