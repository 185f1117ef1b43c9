// The driver API: loads PTX, launches it in the three forms, copies and fills,
// with a context of its own and with the primary one.
// BUILD: -lcuda
// ONLY: nvcc clang
// EXPECT: before cuInit: CUDA_ERROR_NOT_INITIALIZED
// EXPECT: without a context: CUDA_ERROR_INVALID_CONTEXT
// EXPECT: attributes missing 0
// EXPECT: devices 1, warp 32, sm_90
// EXPECT: current 1, device 0
// EXPECT: kernelParams 10 11 12 13
// EXPECT: extra 20 21 22 23
// EXPECT: launchEx 30 31 32 33
// EXPECT: global 4 bytes, 7
// EXPECT: fill 0102 0102 00010203
// EXPECT: rows 5 6 0 0 7 8
// EXPECT: range 4096, type 2
// EXPECT: host function 1
// EXPECT: stream's context 1, elapsed 1
// EXPECT: after destroying: CUDA_ERROR_INVALID_CONTEXT
// EXPECT: primary active 1
// EXPECT: unknown function: CUDA_ERROR_NOT_FOUND
// EXPECT: destroyed function: CUDA_ERROR_INVALID_HANDLE
// EXPECT: parameters 2
// EXPECT: entry points 1 1 1
#include "driver-common.h"

static void show(const char *what, CUdeviceptr memory) {
  unsigned values[4];
  CHECK(cuMemcpyDtoH(values, memory, sizeof(values)));
  printf("%s %u %u %u %u\n", what, values[0], values[1], values[2], values[3]);
  CHECK(cuMemsetD32(memory, 0, 4));
}

static CUdevice device = -1;
static CUcontext context;
static CUdeviceptr memory;
static CUmodule module;
static CUfunction fill;
static CUstream stream;
static unsigned base;
static void *params[] = {&memory, &base};

static void start() {
  printf("before cuInit: %s\n", name(cuDeviceGet(&device, 0)));
  CHECK(cuInit(0));
  printf("without a context: %s\n", name(cuMemAlloc(&memory, 16)));
  int count = 0, warp = 0, major = 0, minor = 0;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDeviceGetCount(&count));
  CHECK(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
  CHECK(cuDeviceGetAttribute(
      &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  CHECK(cuDeviceGetAttribute(
      &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  // Up to the last one of CUDA 12.0 every number has a value.
  int value0 = 0, missing = 0;
  for (int i = 1; i <= CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS; ++i)
    missing += cuDeviceGetAttribute(&value0, (CUdevice_attribute)i, device) !=
               CUDA_SUCCESS;
  printf("attributes missing %d\n", missing);
  printf("devices %d, warp %d, sm_%d%d\n", count, warp, major, minor);
}

static void enterContext() {
  CUcontext current = nullptr;
#if CUDA_VERSION >= 13000
  CHECK(cuCtxCreate(&context, nullptr, 0, device));
#else
  CHECK(cuCtxCreate(&context, 0, device));
#endif
  CHECK(cuCtxGetCurrent(&current));
  CUdevice ofContext = -1;
  CHECK(cuCtxGetDevice(&ofContext));
  printf("current %d, device %d\n", current == context, ofContext);
}

static void launch() {
  CHECK(cuModuleLoadData(&module, kPtx));
  CHECK(cuModuleGetFunction(&fill, module, "fill"));
  CHECK(cuMemAlloc(&memory, 4096));
  base = 10;
  CHECK(cuLaunchKernel(fill, 1, 1, 1, 4, 1, 1, 0, nullptr, params, nullptr));
  show("kernelParams", memory);
  struct {
    CUdeviceptr p;
    unsigned base;
  } packed = {memory, 20};
  size_t size = sizeof(packed);
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed,
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CHECK(cuLaunchKernel(fill, 1, 1, 1, 4, 1, 1, 0, nullptr, nullptr, extra));
  show("extra", memory);
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 4;
  config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  base = 30;
  CHECK(cuLaunchKernelEx(&config, fill, params, nullptr));
  CHECK(cuStreamSynchronize(stream));
  show("launchEx", memory);
}

static void setAndCopy() {
  CUdeviceptr global = 0;
  size_t bytes = 0;
  unsigned value = 0;
  CHECK(cuModuleGetGlobal(&global, &bytes, module, "offset"));
  CHECK(cuMemcpyDtoH(&value, global, sizeof(value)));
  printf("global %zu bytes, %u\n", bytes, value);

  unsigned short shorts[2];
  unsigned word = 0;
  CHECK(cuMemsetD16(memory, 0x0102, 2));
  CHECK(cuMemcpyDtoH(shorts, memory, sizeof(shorts)));
  CHECK(cuMemsetD2D32(memory, 512, 0x00010203, 1, 2));
  CHECK(cuMemcpyDtoH(&word, memory + 512, sizeof(word)));
  printf("fill %04x %04x %08x\n", shorts[0], shorts[1], word);

  int source[2][2] = {{5, 6}, {7, 8}}, rows[6] = {};
  CHECK(cuMemsetD8(memory, 0, 4096));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = source;
  copy.srcPitch = 8;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = memory;
  copy.dstPitch = 16;
  copy.WidthInBytes = 8;
  copy.Height = 2;
  CHECK(cuMemcpy2D(&copy));
  CHECK(cuMemcpyDtoH(rows, memory, sizeof(rows)));
  printf("rows %d %d %d %d %d %d\n", rows[0], rows[1], rows[2], rows[3],
         rows[4], rows[5]);
}

static void askForRange() {
  CUdeviceptr start = 0;
  size_t bytes = 0;
  unsigned type = 0;
  CHECK(cuMemGetAddressRange(&start, &bytes, memory + 100));
  CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
  printf("range %zu, type %u\n", start == memory ? bytes : 0, type);
}

static void useStream() {
  int called = 0;
  CHECK(cuLaunchHostFunc(
      stream, [](void *data) { *static_cast<int *>(data) = 1; }, &called));
  printf("host function %d\n", called);
  CUcontext current = nullptr;
  CUevent begin, end;
  float milliseconds = -1;
  CHECK(cuEventCreate(&begin, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
  CHECK(cuEventRecord(begin, stream));
  CHECK(cuEventRecord(end, stream));
  CHECK(cuEventElapsedTime(&milliseconds, begin, end));
  CHECK(cuStreamGetCtx(stream, &current));
  printf("stream's context %d, elapsed %d\n", current == context,
         milliseconds >= 0);
}

static void usePrimary() {
  CHECK(cuCtxDestroy(context));
  printf("after destroying: %s\n", name(cuMemFree(memory)));
  unsigned flags = 0;
  int isActive = 0;
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuDevicePrimaryCtxGetState(device, &flags, &isActive));
  printf("primary active %d\n", isActive);
  CHECK(cuModuleLoadData(&module, kPtx));
  CUfunction none = nullptr;
  printf("unknown function: %s\n",
         name(cuModuleGetFunction(&none, module, "none")));
  printf("destroyed function: %s\n",
         name(cuLaunchKernel(fill, 1, 1, 1, 4, 1, 1, 0, nullptr, params,
                             nullptr)));
}

static void findEntryPoints() {
  // In no header of 13.0, found by name.
  size_t number = 0;
  void *counter = nullptr;
  CHECK(cuGetProcAddress("cuFuncGetParamCount", &counter, 13050,
                         CU_GET_PROC_ADDRESS_DEFAULT, nullptr));
  CUfunction again = nullptr;
  CHECK(cuModuleGetFunction(&again, module, "fill"));
  CHECK(((CUresult (*)(CUfunction, size_t *))counter)(again, &number));
  printf("parameters %zu\n", number);
  // cuMemAlloc has had a form with another parameter before CUDA 3.2.
  void *newer = nullptr, *older = nullptr, *perThread = nullptr;
  CUdriverProcAddressQueryResult status;
  CHECK(cuGetProcAddress("cuMemAlloc", &newer, 12000,
                         CU_GET_PROC_ADDRESS_DEFAULT, &status));
  CHECK(cuGetProcAddress("cuMemAlloc", &older, 3000,
                         CU_GET_PROC_ADDRESS_DEFAULT, &status));
  CHECK(cuGetProcAddress("cuMemcpyHtoDAsync", &perThread, 12000,
                         CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                         &status));
  bool isMissing =
      cuGetProcAddress("cuNothing", &older, 12000, CU_GET_PROC_ADDRESS_DEFAULT,
                       &status) == CUDA_ERROR_NOT_FOUND &&
      status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND && !older;
  printf("entry points %d %d %d\n", newer == (void *)&cuMemAlloc,
         perThread && perThread != (void *)&cuMemcpyHtoDAsync, isMissing);
}

int main() {
  start();
  enterContext();
  launch();
  setAndCopy();
  askForRange();
  useStream();
  usePrimary();
  findEntryPoints();
  CHECK(cuDevicePrimaryCtxRelease(device));
}
