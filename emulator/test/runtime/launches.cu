// The forms of launch, functions by symbol and by name, modules from memory,
// memory of graphs.
// EXPECT: chevrons 11
// EXPECT: cudaLaunchKernel 12
// EXPECT: cudaLaunchKernelExC 13, cooperative 1
// EXPECT: null kernel invalid device function
// EXPECT: library 42 of 1
// EXPECT: library for another device cudaErrorNoKernelImageForDevice
// EXPECT: library has no such kernel: named symbol not found
// EXPECT: bad library a PTX JIT compilation failed
// EXPECT: graph memory 1 256 256
// EXPECT: graph result 5, again 5
// EXPECT: trimmed 0 256, reset 0
// EXPECT: attributes invalid argument invalid argument invalid device ordinal
// EXPECT-ERR: broken
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

struct Big {
  int values[40];
};

__global__ void store(int *p, Big big, int amount) {
  *p = big.values[39] + amount;
}

__global__ void storeIfGrid(int *p, int *isGrid, int amount) {
  auto grid = cooperative_groups::this_grid();
  grid.sync();
  *isGrid = grid.is_valid();
  *p = amount;
}

static const char kLibrary[] = R"(
.version 8.5
.target sm_90
.address_size 64
.visible .entry fortyTwo(.param .u64 p) {
  .reg .b64 %p; ld.param.u64 %p, [p]; st.global.u32 [%p], 42; ret;
}
)";

static int read(const int *p) {
  int host = -1;
  cudaMemcpy(&host, p, sizeof(host), cudaMemcpyDeviceToHost);
  return host;
}
static const char *text(cudaError_t error) { return cudaGetErrorString(error); }

static void launches(int *p) {
  Big big = {};
  big.values[39] = 10;
  int amount = 1;
  store<<<1, 1>>>(p, big, amount);
  printf("chevrons %d\n", read(p));
  amount = 2;
  void *args[] = {&p, &big, &amount};
  cudaLaunchKernel(store, dim3(1), dim3(1), args);
  printf("cudaLaunchKernel %d\n", read(p));
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, storeIfGrid, p, p + 1, 13);
  printf("cudaLaunchKernelExC %d, cooperative %d\n", read(p), read(p + 1));
  printf("null kernel %s\n",
         text(cudaLaunchKernel((const void *)nullptr, dim3(1), dim3(1), args)));
  cudaGetLastError();
}

static void libraries(int *p) {
  cudaLibrary_t library;
  cudaKernel_t kernel;
  unsigned count = 0;
  cudaLibraryLoadData(&library, kLibrary, nullptr, nullptr, 0, nullptr, nullptr,
                      0);
  cudaLibraryGetKernelCount(&count, library);
  cudaLibraryGetKernel(&kernel, library, "fortyTwo");
  void *args[] = {&p};
  cudaLaunchKernel(kernel, dim3(1), dim3(1), args, 0, nullptr);
  printf("library %d of %u\n", read(p), count);
  cudaLibrary_t newer;
  printf("library for another device %s\n",
         cudaGetErrorName(cudaLibraryLoadData(&newer,
                                              ".version 8.6\n.target sm_100a\n"
                                              ".address_size 64\n",
                                              nullptr, nullptr, 0, nullptr,
                                              nullptr, 0)));
  printf("library has no such kernel: %s\n",
         text(cudaLibraryGetKernel(&kernel, library, "none")));
  cudaLibraryUnload(library);
  printf("bad library %s\n",
         text(cudaLibraryLoadData(&library,
                                  ".version 8.5\n.target sm_90\n"
                                  ".address_size 64\nbroken\n",
                                  nullptr, nullptr, 0, nullptr, nullptr, 0)));
  cudaGetLastError();
}

static uint64_t graphBytes(cudaGraphMemAttributeType attribute) {
  uint64_t value = ~0ull;
  cudaDeviceGetGraphMemAttribute(0, attribute, &value);
  return value;
}

static void graphMemory(int *p) {
  cudaGraph_t graph;
  cudaGraphNode_t allocate, kernel;
  cudaGraphCreate(&graph, 0);
  cudaMemAllocNodeParams memory = {};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location = {cudaMemLocationTypeDevice, {0}};
  memory.bytesize = 256;
  cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &memory);
  Big big = {};
  int amount = 5, *own = static_cast<int *>(memory.dptr);
  void *args[] = {&own, &big, &amount};
  cudaKernelNodeParams params = {};
  params.func = (void *)store;
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = args;
  cudaGraphAddKernelNode(&kernel, graph, &allocate, 1, &params);
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, 0);
  printf("graph memory %d %llu %llu\n", own != nullptr,
         (unsigned long long)graphBytes(cudaGraphMemAttrUsedMemCurrent),
         (unsigned long long)graphBytes(cudaGraphMemAttrReservedMemHigh));
  int first = read(own);
  cudaMemset(own, 0, 4);
  cudaFree(own); // Back to the graph.
  cudaGraphLaunch(executable, 0);
  printf("graph result %d, again %d\n", first, read(own));
  cudaFree(own);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaDeviceGraphMemTrim(0);
  uint64_t zero = 0;
  unsigned long long high = graphBytes(cudaGraphMemAttrUsedMemHigh);
  cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero);
  printf("trimmed %llu %llu, reset %llu\n",
         (unsigned long long)graphBytes(cudaGraphMemAttrReservedMemCurrent),
         high, (unsigned long long)graphBytes(cudaGraphMemAttrUsedMemHigh));
  printf("attributes %s %s %s\n",
         text(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent,
                                             &zero)),
         text(cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)77,
                                             &zero)),
         text(cudaDeviceGetGraphMemAttribute(3, cudaGraphMemAttrUsedMemHigh,
                                             &zero)));
}

int main() {
  int *p;
  cudaMalloc(&p, 2 * sizeof(int));
  launches(p);
  libraries(p);
  graphMemory(p);
}
