// Contexts of the driver API on two devices: the stack, what a context owns,
// libraries and kernels of all contexts, pools, and what belongs elsewhere.
// BUILD: -lcuda
// ONLY: nvcc clang
// RUN-OPTIONS: --devices=2
// EXPECT: stack 1 1 1, device 1, then 0
// EXPECT: empty CUDA_ERROR_INVALID_CONTEXT
// EXPECT: runtime follows 1
// EXPECT: owned 8192, left 4096, stream CUDA_ERROR_INVALID_HANDLE
// EXPECT: module's variable 1, of another context 7
// EXPECT: function on another device CUDA_ERROR_INVALID_HANDLE
// EXPECT: kernel on both 3 4 13 14
// EXPECT: threads 1024, parameters 2, library's 1, name fill
// EXPECT: occupancy 16, best 1
// EXPECT: cooperative 20, too large CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
// EXPECT: pool 64 used, then 0
// EXPECT: heap 1048576, priorities 0 -5
// EXPECT: file 30
// EXPECT: beside the primary one 31, left 0
// EXPECT: destroyed twice CUDA_ERROR_CONTEXT_IS_DESTROYED
// EXPECT: primary CUDA_ERROR_INVALID_CONTEXT
// EXPECT: released CUDA_ERROR_CONTEXT_IS_DESTROYED
#include "driver-common.h"

#include <cstdlib>
#include <cuda_runtime.h>
#include <string>
#include <unistd.h>

static CUcontext makeContext(CUdevice device) {
  CUcontext context = nullptr;
#if CUDA_VERSION >= 13000
  CHECK(cuCtxCreate(&context, nullptr, 0, device));
#else
  CHECK(cuCtxCreate(&context, 0, device));
#endif
  return context;
}

static size_t used() {
  size_t freeBytes = 0, total = 0;
  CHECK(cuMemGetInfo(&freeBytes, &total));
  return total - freeBytes;
}

static unsigned read(CUdeviceptr address) {
  unsigned value = 0;
  CHECK(cuMemcpyDtoH(&value, address, sizeof(value)));
  return value;
}

static CUcontext first, second, third;
static CUdeviceptr memory;
static CUmodule module;
static CUfunction fill;
static unsigned base;
static void *params[] = {&memory, &base};

static void stackContexts() {
  CHECK(cuInit(0));
  first = makeContext(0), second = makeContext(1);
  CUcontext popped, current;
  CUdevice device = -1, below = -1;
  CHECK(cuCtxGetDevice(&device));
  CHECK(cuCtxGetCurrent(&current));
  bool isSecond = current == second;
  CHECK(cuCtxPopCurrent(&popped));
  CHECK(cuCtxGetDevice(&below));
  CHECK(cuCtxGetCurrent(&current));
  printf("stack %d %d %d, device %d, then %d\n", isSecond, popped == second,
         current == first, device, below);
  CHECK(cuCtxPopCurrent(&popped));
  printf("empty %s\n", name(cuCtxPopCurrent(&popped)));
  CHECK(cuCtxSetCurrent(second));
  cudaGetDevice(&device);
  printf("runtime follows %d\n", device);
  CHECK(cuCtxSetCurrent(first));
}

static void destroyOwner() {
  // What was made in a context goes with it.
  size_t before = used();
  CUdeviceptr more;
  CUstream stream;
  CHECK(cuMemAlloc(&memory, 4096));
  third = makeContext(0);
  CHECK(cuMemAlloc(&more, 4096));
  CHECK(cuStreamCreate(&stream, 0));
  size_t both = used() - before;
  CHECK(cuCtxDestroy(third));
  printf("owned %zu, left %zu, stream %s\n", both, used() - before,
         name(cuStreamQuery(stream)));
}

static void useModules() {
  CUmodule other;
  CUdeviceptr variable, theirs;
  CHECK(cuModuleLoadData(&module, kPtx));
  CHECK(cuModuleLoadData(&other, kPtx));
  CHECK(cuModuleGetGlobal(&variable, nullptr, module, "offset"));
  CHECK(cuModuleGetGlobal(&theirs, nullptr, other, "offset"));
  CHECK(cuMemsetD32(variable, 1, 1));
  printf("module's variable %u, of another context %u\n", read(variable),
         read(theirs));
  CHECK(cuModuleGetFunction(&fill, module, "fill"));
  CHECK(cuModuleUnload(other));
  base = 3;
  CHECK(cuCtxPushCurrent(second));
  printf("function on another device %s\n",
         name(cuLaunchKernel(fill, 1, 1, 1, 2, 1, 1, 0, nullptr, params,
                             nullptr)));
  CHECK(cuCtxPopCurrent(nullptr));
}

static void useLibrary() {
  // A kernel of a library is one of every context.
  CUlibrary library, found;
  CUkernel kernel;
  CUdeviceptr more;
  CHECK(cuLibraryLoadData(&library, kPtx, nullptr, nullptr, 0, nullptr, nullptr,
                          0));
  CHECK(cuLibraryGetKernel(&kernel, library, "fill"));
  CHECK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 2, 1, 1, 0, nullptr, params,
                       nullptr));
  CHECK(cuCtxPushCurrent(second));
  CHECK(cuMemAlloc(&more, 4096));
  base = 13;
  void *onSecond[] = {&more, &base};
  CHECK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 2, 1, 1, 0, nullptr,
                       onSecond, nullptr));
  CHECK(cuMemcpyPeer(memory + 8, first, more, second, 8));
  CHECK(cuCtxPopCurrent(nullptr));
  printf("kernel on both %u %u %u %u\n", read(memory), read(memory + 4),
         read(memory + 8), read(memory + 12));
  int threads = 0;
  size_t offset = 0, size = 0;
  const char *text = nullptr;
  CHECK(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                             kernel, 1));
  CHECK(cuKernelGetParamInfo(kernel, 1, &offset, &size));
  CHECK(cuKernelGetLibrary(&found, kernel));
  CHECK(cuKernelGetName(&text, kernel));
  printf("threads %d, parameters %d, library's %d, name %s\n", threads,
         cuKernelGetParamInfo(kernel, 2, &offset, &size) ==
                 CUDA_ERROR_INVALID_VALUE
             ? 2
             : 0,
         found == library, text);
}

static void launchCooperative() {
  int blocks = 0, grid = 0, block = 0;
  CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 128, 0));
  CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, fill, nullptr, 0, 0));
  printf("occupancy %d, best %d\n", blocks, grid > 0 && block == 1024);
  base = 20;
  CHECK(cuLaunchCooperativeKernel(fill, 1, 1, 1, 2, 1, 1, 0, nullptr, params));
  printf("cooperative %u, too large %s\n", read(memory),
         name(cuLaunchCooperativeKernel(fill, 100000, 1, 1, 1024, 1, 1, 0,
                                        nullptr, params)));
}

static void usePool() {
  CUdeviceptr more;
  CUmemoryPool pool;
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  cuuint64_t inUse = 0, after = 0;
  CHECK(cuMemPoolCreate(&pool, &properties));
  CHECK(cuMemAllocFromPoolAsync(&more, 64, pool, nullptr));
  CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &inUse));
  CHECK(cuMemFreeAsync(more, nullptr));
  CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &after));
  printf("pool %d used, then %d\n", (int)inUse, (int)after);
}

static void setLimits() {
  size_t heap = 0;
  int least = 9, greatest = 9;
  CHECK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20));
  CHECK(cuCtxGetLimit(&heap, CU_LIMIT_MALLOC_HEAP_SIZE));
  CHECK(cuCtxGetStreamPriorityRange(&least, &greatest));
  printf("heap %zu, priorities %d %d\n", heap, least, greatest);
}

static void loadFile() {
  char path[] = "/tmp/gpulto-driver-XXXXXX";
  int file = mkstemp(path);
  if (write(file, kPtx, sizeof(kPtx) - 1) < 0)
    printf("no file\n");
  close(file);
  CUmodule other;
  CHECK(cuModuleLoad(&other, path));
  unlink(path);
  CHECK(cuModuleGetFunction(&fill, other, "fill"));
  base = 30;
  CHECK(cuLaunchKernel(fill, 1, 1, 1, 2, 1, 1, 0, nullptr, params, nullptr));
  printf("file %u\n", read(memory));
}

static void usePrimary() {
  // The end of the primary one leaves what another has on the device.
  CUcontext current;
  CUdeviceptr more;
  CHECK(cuDevicePrimaryCtxRetain(&current, 0));
  CHECK(cuCtxPushCurrent(current));
  size_t before = used();
  CHECK(cuMemAlloc(&more, 4096));
  CHECK(cuDevicePrimaryCtxRelease(0));
  CHECK(cuCtxPopCurrent(nullptr));
  CHECK(cuMemsetD32(memory, 31, 1));
  printf("beside the primary one %u, left %zu\n", read(memory),
         used() - before);
  printf("destroyed twice %s\n", name(cuCtxDestroy(third)));
  CHECK(cuDevicePrimaryCtxRetain(&current, 1));
  CHECK(cuCtxSetCurrent(current));
  printf("primary %s\n", name(cuCtxDestroy(current)));
  CHECK(cuDevicePrimaryCtxRelease(1));
  printf("released %s\n", name(cuMemAlloc(&more, 64)));
}

int main() {
  stackContexts();
  destroyOwner();
  useModules();
  useLibrary();
  launchCooperative();
  usePool();
  setLimits();
  loadFile();
  usePrimary();
}
