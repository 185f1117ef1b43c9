// What goes wrong in the driver API: code that does not parse, with the log of
// it and without, names and handles that are not there, memory that is not
// there, faults, and what is not supported.
// BUILD: -lcuda
// ONLY: nvcc clang
// RUN-OPTIONS: --memory=64
// EXPECT: bad PTX CUDA_ERROR_INVALID_PTX, its line 1, ends in 0 1
// EXPECT: a short log CUDA_ERROR_INVALID_PTX 'code'
// EXPECT: without a log CUDA_ERROR_INVALID_PTX
// EXPECT: not code CUDA_ERROR_INVALID_IMAGE
// EXPECT: no file CUDA_ERROR_FILE_NOT_FOUND
// EXPECT: out of memory CUDA_ERROR_OUT_OF_MEMORY
// EXPECT: 0 bytes CUDA_ERROR_INVALID_VALUE
// EXPECT: no device CUDA_ERROR_INVALID_DEVICE
// EXPECT: no function CUDA_ERROR_NOT_FOUND
// EXPECT: no variable CUDA_ERROR_NOT_FOUND
// EXPECT: stray function CUDA_ERROR_INVALID_HANDLE
// EXPECT: stray stream CUDA_ERROR_INVALID_HANDLE
// EXPECT: too many threads CUDA_ERROR_INVALID_VALUE
// EXPECT: packed too short CUDA_ERROR_INVALID_VALUE
// EXPECT: two threads: CUDA_ERROR_CONTEXT_IS_DESTROYED
// EXPECT: linked 7, unresolved CUDA_ERROR_INVALID_PTX
// EXPECT: missing CUDA_ERROR_NOT_SUPPORTED CUDA_ERROR_NOT_SUPPORTED
// EXPECT: in words: operation not supported
// EXPECT: unknown code CUDA_ERROR_INVALID_VALUE
// EXPECT: fault CUDA_ERROR_ILLEGAL_ADDRESS CUDA_ERROR_ILLEGAL_ADDRESS
// EXPECT: in a new context CUDA_SUCCESS
// EXPECT-ERR: code of cuModuleLoadData:[0-9]+
// EXPECT-ERR: cuIpcGetMemHandle is not supported
// EXPECT-ERR: null pointer
// REFUSE-ERR: code of cuModuleLoadDataEx
#include "driver-common.h"

#include <cstring>
#include <string>
#include <thread>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
static const char kBad[] =
    HEAD ".visible .entry k()\n{\n  mov.u32 %undeclared, 0;\n  ret;\n}\n";
static const char kWrite[] = HEAD R"(
.extern .func (.param .b32 r) value();
.visible .entry write(.param .u64 p)
{
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  .param .b32 r;
  ld.param.u64 %rd1, [p];
  call.uni (r), value, ();
  ld.param.b32 %r1, [r];
  st.global.u32 [%rd1], %r1;
  ret;
}
)";
static const char kValue[] = HEAD R"(
.visible .func (.param .b32 r) value()
{
  st.param.b32 [r], 7;
  ret;
}
)";

static CUcontext makeContext() {
  CUcontext context = nullptr;
#if CUDA_VERSION >= 13000
  CHECK(cuCtxCreate(&context, nullptr, 0, 0));
#else
  CHECK(cuCtxCreate(&context, 0, 0));
#endif
  return context;
}

static CUresult loadLogged(char *log, size_t size, size_t &used) {
  CUmodule module;
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)size};
  CUresult result = cuModuleLoadDataEx(&module, kBad, 2, options, values);
  used = (size_t)values[1];
  return result;
}

static void loadBadCode() {
  char log[1024] = "untouched", little[5];
  size_t used = 0;
  CUresult result = loadLogged(log, sizeof(log), used);
  printf("bad PTX %s, its line %d, ends in 0 %d\n", name(result),
         strstr(log, ":6") != nullptr, used == strlen(log));
  result = loadLogged(little, sizeof(little), used);
  printf("a short log %s '%s'\n", name(result), little);
  CUmodule module = nullptr;
  printf("without a log %s\n", name(cuModuleLoadData(&module, kBad)));
  static const unsigned char wrong[64] = {0x50, 0xed, 0x55, 0xba};
  printf("not code %s\n", name(cuModuleLoadFatBinary(&module, wrong)));
  printf("no file %s\n", name(cuModuleLoad(&module, "no/such/file")));
}

static CUdeviceptr memory;
static void *params[] = {&memory};

static CUresult launch(CUfunction function, unsigned threads = 1,
                       CUstream stream = nullptr, void **extra = nullptr) {
  return cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, stream,
                        extra ? nullptr : params, extra);
}

static void allocateBadly() {
  CUresult result = cuMemAlloc(&memory, size_t(65) << 20);
  printf("out of memory %s\n0 bytes %s\n", name(result),
         name(cuMemAlloc(&memory, 0)));
  CUdevice device;
  printf("no device %s\n", name(cuDeviceGet(&device, 1)));
  CHECK(cuMemAlloc(&memory, 64));
}

/// Returns 'write' of linked code.
static CUfunction linkWrite() {
  CUlinkState link;
  void *image;
  size_t bytes;
  CHECK(cuLinkCreate(0, nullptr, nullptr, &link));
  CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)kWrite, sizeof(kWrite),
                      "write", 0, nullptr, nullptr));
  CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)kValue, sizeof(kValue),
                      "value", 0, nullptr, nullptr));
  CHECK(cuLinkComplete(link, &image, &bytes));
  std::string kept(static_cast<char *>(image), bytes);
  CHECK(cuLinkDestroy(link));
  CUmodule module;
  CHECK(cuModuleLoadData(&module, kept.data()));
  CUfunction write, none;
  CHECK(cuModuleGetFunction(&write, module, "write"));
  CUresult result = cuModuleGetFunction(&none, module, "none");
  printf("no function %s\nno variable %s\n", name(result),
         name(cuModuleGetGlobal(&memory, nullptr, module, "none")));
  return write;
}

static void launchBadly(CUfunction write) {
  printf("stray function %s\n", name(launch((CUfunction)params)));
  printf("stray stream %s\n", name(launch(write, 1, (CUstream)params)));
  printf("too many threads %s\n", name(launch(write, 2048)));
  size_t size = 4;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &memory,
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  printf("packed too short %s\n", name(launch(write, 1, nullptr, extra)));
}

int main() {
  CHECK(cuInit(0));
  CUcontext context = makeContext();
  loadBadCode();
  allocateBadly();
  CUfunction write = linkWrite();
  launchBadly(write);

  // Another thread destroys the context that is current here.
  CUcontext other = makeContext();
  std::thread([&] { CHECK(cuCtxDestroy(other)); }).join();
  CUdeviceptr more = 0;
  printf("two threads: %s\n", name(cuMemAlloc(&more, 64)));
  CHECK(cuCtxPopCurrent(nullptr));

  unsigned value = 0;
  CHECK(launch(write));
  CHECK(cuMemcpyDtoH(&value, memory, sizeof(value)));
  CUlinkState link;
  void *image;
  size_t bytes;
  CHECK(cuLinkCreate(0, nullptr, nullptr, &link));
  CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)kWrite, sizeof(kWrite),
                      "write", 0, nullptr, nullptr));
  printf("linked %u, unresolved %s\n", value,
         name(cuLinkComplete(link, &image, &bytes)));

  CUipcMemHandle handle;
  CUresult result = cuIpcGetMemHandle(&handle, memory);
  printf("missing %s %s\n", name(result),
         name(cuIpcGetMemHandle(&handle, memory)));
  const char *text = nullptr;
  CHECK(cuGetErrorString(result, &text));
  printf("in words: %s\n", text);
  printf("unknown code %s\n", name(cuGetErrorName((CUresult)12345, &text)));

  // A fault that starts at null.
  memory = 0;
  CHECK(launch(write));
  result = cuCtxSynchronize();
  printf("fault %s %s\n", name(result), name(cuMemAlloc(&more, 64)));
  CHECK(cuCtxDestroy(context));
  makeContext();
  printf("in a new context %s\n", name(cuMemAlloc(&more, 64)));
}
