// --poison: what is new holds 0x7ffc in each two bytes, whoever gave it out,
// but variables are zero.
// RUN-OPTIONS: --poison
// ONLY: nvcc clang
// EXPECT: malloc 7ffc7ffc, as numbers nan nan 2147254268
// EXPECT: again 7ffc7ffc
// EXPECT: odd fc7ffc
// EXPECT: pitch 7ffc7ffc
// EXPECT: 3D 7ffc7ffc
// EXPECT: managed 7ffc7ffc
// EXPECT: host 7ffc7ffc
// EXPECT: host alloc 7ffc7ffc
// EXPECT: async 7ffc7ffc
// EXPECT: pool 7ffc7ffc
// EXPECT: array 7ffc7ffc
// EXPECT: 3D array 7ffc7ffc
// EXPECT: driver 7ffc7ffc
// EXPECT: mapped 7ffc7ffc
// EXPECT: graph 7ffc7ffc 7ffc7ffc
// EXPECT: heap 7ffc7ffc, shared 7ffc7ffc 7ffc7ffc
// EXPECT: variables 0 0
// BUILD: -lcuda
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

__device__ unsigned variable;
__managed__ unsigned managedVariable;

__global__ void inDevice(unsigned *seen) {
  extern __shared__ unsigned dynamic[];
  __shared__ unsigned fixed[4];
  auto *heap = static_cast<unsigned *>(malloc(16));
  seen[0] = heap[2];
  seen[1] = static_cast<volatile unsigned *>(fixed)[threadIdx.x];
  seen[2] = static_cast<volatile unsigned *>(dynamic)[threadIdx.x];
  free(heap);
}
__global__ void look(const unsigned *from, unsigned *to) { *to = *from; }
__global__ void set(unsigned *p) { *p = 5; }

static unsigned wordOf(const void *p) {
  unsigned word = 0;
  cudaMemcpy(&word, p, sizeof(word), cudaMemcpyDefault);
  return word;
}

static void show(const char *name, const void *p) {
  printf("%s %x\n", name, wordOf(p));
}

static void linear() {
  void *p = nullptr;
  float asFloat;
  double asDouble;
  cudaMalloc(&p, 64);
  cudaMemcpy(&asFloat, p, sizeof(asFloat), cudaMemcpyDefault);
  cudaMemcpy(&asDouble, p, sizeof(asDouble), cudaMemcpyDefault);
  printf("malloc %x, as numbers %f %f %d\n", wordOf(p), asFloat, asDouble,
         static_cast<int>(wordOf(p)));
  cudaMemset(p, 0, 64);
  cudaFree(p);
  cudaMalloc(&p, 64);
  show("again", p);
  unsigned odd = 0;
  cudaMalloc(&p, 3);
  cudaMemcpy(&odd, p, 3, cudaMemcpyDefault);
  printf("odd %x\n", odd);
  size_t pitch;
  cudaMallocPitch(&p, &pitch, 100, 3);
  show("pitch", static_cast<char *>(p) + 2 * pitch);
  cudaPitchedPtr box;
  cudaMalloc3D(&box, {100, 2, 2});
  show("3D", box.ptr);
  cudaMallocManaged(&p, 64);
  show("managed", p);
  cudaMallocHost(&p, 64);
  show("host", p);
  cudaHostAlloc(&p, 64, cudaHostAllocMapped);
  show("host alloc", p);
}

static void pools() {
  void *p = nullptr;
  cudaMallocAsync(&p, 64, nullptr);
  show("async", p);
  cudaMemPool_t pool;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPoolCreate(&pool, &properties);
  cudaMallocFromPoolAsync(&p, 64, pool, nullptr);
  show("pool", p);
}

static void arrays() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  unsigned word;
  cudaMallocArray(&array, &format, 8, 8);
  cudaMemcpy2DFromArray(&word, 4, array, 0, 7, 4, 1, cudaMemcpyDeviceToHost);
  printf("array %x\n", word);
  cudaMalloc3DArray(&array, &format, {8, 8, 8});
  cudaMemcpy2DFromArray(&word, 4, array, 0, 7, 4, 1, cudaMemcpyDeviceToHost);
  printf("3D array %x\n", word);
}

static void driver() {
  CUdeviceptr p = 0;
  cuMemAlloc(&p, 64);
  show("driver", reinterpret_cast<void *>(p));
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  size_t bytes = 0;
  CUmemGenericAllocationHandle memory;
  cuMemGetAllocationGranularity(&bytes, &properties,
                                CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  cuMemCreate(&memory, bytes, &properties, 0);
  cuMemAddressReserve(&p, bytes, 0, 0, 0);
  cuMemMap(p, bytes, 0, memory, 0);
  CUmemAccessDesc access{properties.location,
                         CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  cuMemSetAccess(p, bytes, &access, 1);
  show("mapped", reinterpret_cast<void *>(p));
}

/// Each launch of a graph has memory anew.
static void graphs() {
  unsigned *p, *seen, first, second;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaMalloc(&seen, sizeof(*seen));
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&p, 64, stream);
  look<<<1, 1, 0, stream>>>(p, seen);
  set<<<1, 1, 0, stream>>>(p);
  cudaFreeAsync(p, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  first = wordOf(seen);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  second = wordOf(seen);
  printf("graph %x %x\n", first, second);
}

int main() {
  linear();
  pools();
  arrays();
  driver();
  graphs();
  unsigned *seen, words[3];
  cudaMalloc(&seen, sizeof(words));
  inDevice<<<1, 1, 16>>>(seen);
  cudaMemcpy(words, seen, sizeof(words), cudaMemcpyDeviceToHost);
  printf("heap %x, shared %x %x\n", words[0], words[1], words[2]);
  unsigned value;
  cudaMemcpyFromSymbol(&value, variable, sizeof(value));
  printf("variables %x %x\n", value, managedVariable);
}
