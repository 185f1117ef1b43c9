// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what the kernels of a program do, by way of CUPTI's range profiler:
// preloaded, it makes each launch a range, which CUPTI runs as often as the
// counters need, with memory as it was.
//
//     GPULTO_COUNTERS=FILE LD_PRELOAD=gpu-check-counters.so app
//
// Output: lines `sum LAUNCHES WARP-INSTRUCTIONS SECTORS`, to be added up; or
// `error TEXT`, after which the program goes on without being counted. Sectors
// are those of 32 bytes of global memory that loads, stores, atomics and
// reductions ask the first cache for. CUPTI is loaded when the first kernel is
// launched, since most machines have none. Launches of graphs and by kernels
// are not counted.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <dlfcn.h>
#include <pthread.h>

namespace {

constexpr size_t kBatch = 256; // launches before results are read
constexpr int kMetrics = 5;
const char *metrics[kMetrics] = {
    "smsp__inst_executed.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
};

/// Bytes that CUPTI fills.
struct Image {
  uint8_t *bytes = nullptr;
  size_t size = 0;
  void resize(size_t newSize) {
    free(bytes);
    bytes = static_cast<uint8_t *>(calloc(newSize, 1));
    size = bytes ? newSize : 0;
  }
};

/// What there is one of in a process that is counted.
struct Session {
  FILE *output = nullptr;
  void *cupti = nullptr;
  CUpti_Profiler_Host_Object *host = nullptr;
  CUpti_RangeProfiler_Object *profiler = nullptr;
  Image config, data;
  size_t launches = 0; // since results were read
  bool isTried = false, isCounting = false;
};

Session session;
pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
thread_local int depth; // calls by the runtime itself are not ours

bool fail(const char *what, const char *why) {
  if (session.output)
    fprintf(session.output, "error %s: %s\n", what, why);
  session.isCounting = false;
  return false;
}

/// Calls a function of CUPTI with parameters that say their own size.
template <class Parameters>
bool call(const char *name, Parameters &parameters, size_t size) {
  parameters.structSize = size;
  auto function = reinterpret_cast<CUptiResult (*)(Parameters *)>(
      dlsym(session.cupti, name));
  if (!function)
    return fail(name, "this CUPTI has no such function");
  CUptiResult result = function(&parameters);
  if (result == CUPTI_SUCCESS)
    return true;
  const char *text = nullptr;
  auto describe = reinterpret_cast<CUptiResult (*)(CUptiResult, const char **)>(
      dlsym(session.cupti, "cuptiGetResultString"));
  if (describe)
    describe(result, &text);
  return fail(name, text ? text : "failed");
}

#define CALL(name, type, parameters)                                           \
  call(#name, parameters, CUpti_##type##_Params_STRUCT_SIZE)

/// Chooses the counters for the chip: fills session.config.
bool makeConfig(size_t device, CUcontext context) {
  CUpti_Device_GetChipName_Params chip = {};
  chip.deviceIndex = device;
  CUpti_Profiler_GetCounterAvailability_Params available = {};
  available.ctx = context;
  Image availability;
  if (!CALL(cuptiDeviceGetChipName, Device_GetChipName, chip) ||
      !CALL(cuptiProfilerGetCounterAvailability,
            Profiler_GetCounterAvailability, available))
    return false;
  availability.resize(available.counterAvailabilityImageSize);
  available.pCounterAvailabilityImage = availability.bytes;
  CUpti_Profiler_Host_Initialize_Params host = {};
  host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  host.pChipName = chip.pChipName;
  host.pCounterAvailabilityImage = availability.bytes;
  if (!CALL(cuptiProfilerGetCounterAvailability,
            Profiler_GetCounterAvailability, available) ||
      !CALL(cuptiProfilerHostInitialize, Profiler_Host_Initialize, host))
    return false;
  session.host = host.pHostObject;
  CUpti_Profiler_Host_ConfigAddMetrics_Params add = {};
  add.pHostObject = session.host;
  add.ppMetricNames = metrics;
  add.numMetrics = kMetrics;
  CUpti_Profiler_Host_GetConfigImageSize_Params size = {};
  size.pHostObject = session.host;
  if (!CALL(cuptiProfilerHostConfigAddMetrics, Profiler_Host_ConfigAddMetrics,
            add) ||
      !CALL(cuptiProfilerHostGetConfigImageSize,
            Profiler_Host_GetConfigImageSize, size))
    return false;
  session.config.resize(size.configImageSize);
  CUpti_Profiler_Host_GetConfigImage_Params image = {};
  image.pHostObject = session.host;
  image.configImageSize = session.config.size;
  image.pConfigImage = session.config.bytes;
  return CALL(cuptiProfilerHostGetConfigImage, Profiler_Host_GetConfigImage,
              image);
}

/// Makes room for the results of a batch, and starts to count.
bool startBatch() {
  CUpti_RangeProfiler_GetCounterDataSize_Params size = {};
  size.pRangeProfilerObject = session.profiler;
  size.pMetricNames = metrics;
  size.numMetrics = kMetrics;
  size.maxNumOfRanges = kBatch;
  size.maxNumRangeTreeNodes = kBatch;
  if (!CALL(cuptiRangeProfilerGetCounterDataSize,
            RangeProfiler_GetCounterDataSize, size))
    return false;
  session.data.resize(size.counterDataSize);
  CUpti_RangeProfiler_CounterDataImage_Initialize_Params image = {};
  image.pRangeProfilerObject = session.profiler;
  image.counterDataSize = session.data.size;
  image.pCounterData = session.data.bytes;
  CUpti_RangeProfiler_SetConfig_Params config = {};
  config.pRangeProfilerObject = session.profiler;
  config.configSize = session.config.size;
  config.pConfig = session.config.bytes;
  config.counterDataImageSize = session.data.size;
  config.pCounterDataImage = session.data.bytes;
  config.range = CUPTI_AutoRange;
  config.replayMode = CUPTI_KernelReplay;
  config.maxRangesPerPass = kBatch;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  CUpti_RangeProfiler_Start_Params start = {};
  start.pRangeProfilerObject = session.profiler;
  session.launches = 0;
  return CALL(cuptiRangeProfilerCounterDataImageInitialize,
              RangeProfiler_CounterDataImage_Initialize, image) &&
         CALL(cuptiRangeProfilerSetConfig, RangeProfiler_SetConfig, config) &&
         CALL(cuptiRangeProfilerStart, RangeProfiler_Start, start);
}

/// Stops counting, and writes the sums of the batch.
bool finishBatch() {
  CUpti_RangeProfiler_Stop_Params stop = {};
  stop.pRangeProfilerObject = session.profiler;
  CUpti_RangeProfiler_DecodeData_Params decode = {};
  decode.pRangeProfilerObject = session.profiler;
  CUpti_RangeProfiler_GetCounterDataInfo_Params info = {};
  info.pCounterDataImage = session.data.bytes;
  info.counterDataImageSize = session.data.size;
  if (!CALL(cuptiRangeProfilerStop, RangeProfiler_Stop, stop) ||
      !CALL(cuptiRangeProfilerDecodeData, RangeProfiler_DecodeData, decode) ||
      !CALL(cuptiRangeProfilerGetCounterDataInfo,
            RangeProfiler_GetCounterDataInfo, info))
    return false;
  if (decode.numOfRangeDropped)
    return fail("cuptiRangeProfilerDecodeData", "launches were dropped");
  double instructions = 0, sectors = 0;
  for (size_t range = 0; range < info.numTotalRanges; ++range) {
    double found[kMetrics] = {};
    CUpti_Profiler_Host_EvaluateToGpuValues_Params values = {};
    values.pHostObject = session.host;
    values.pCounterDataImage = session.data.bytes;
    values.counterDataImageSize = session.data.size;
    values.rangeIndex = range;
    values.ppMetricNames = metrics;
    values.numMetrics = kMetrics;
    values.pMetricValues = found;
    if (!CALL(cuptiProfilerHostEvaluateToGpuValues,
              Profiler_Host_EvaluateToGpuValues, values))
      return false;
    instructions += found[0];
    for (int i = 1; i < kMetrics; ++i)
      sectors += found[i];
  }
  fprintf(session.output, "sum %zu %.0f %.0f\n", info.numTotalRanges,
          instructions, sectors);
  return true;
}

void finish() {
  pthread_mutex_lock(&lock);
  ++depth;
  if (session.isCounting && session.launches)
    finishBatch();
  if (session.output)
    fclose(session.output);
  session.output = nullptr;
  session.isCounting = false;
  --depth;
  pthread_mutex_unlock(&lock);
}

/// The context of the calling thread, made by the runtime if need be.
CUcontext currentContext() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  auto current = driver ? reinterpret_cast<int (*)(CUcontext *)>(
                              dlsym(driver, "cuCtxGetCurrent"))
                        : nullptr;
  auto freeNothing =
      reinterpret_cast<cudaError_t (*)(void *)>(dlsym(RTLD_NEXT, "cudaFree"));
  CUcontext context = nullptr;
  if (current && freeNothing && freeNothing(nullptr) == cudaSuccess)
    current(&context);
  return context;
}

/// Begins to count, at the first launch.
bool begin() {
  const char *path = getenv("GPULTO_COUNTERS");
  if (!path || !(session.output = fopen(path, "w")))
    return false;
  setvbuf(session.output, nullptr, _IOLBF, 0);
  atexit(finish);
  session.cupti = dlopen("libcupti.so.13", RTLD_NOW);
  if (!session.cupti)
    return fail("CUPTI", dlerror());
  CUpti_Profiler_Initialize_Params initialize = {};
  if (!CALL(cuptiProfilerInitialize, Profiler_Initialize, initialize))
    return false;
  CUcontext context = currentContext();
  auto ask = reinterpret_cast<cudaError_t (*)(int *)>(
      dlsym(RTLD_NEXT, "cudaGetDevice"));
  int device = 0;
  if (!context || !ask || ask(&device) != cudaSuccess)
    return fail("CUPTI", "there is no context");
  CUpti_RangeProfiler_Enable_Params enable = {};
  enable.ctx = context;
  if (!makeConfig(device, context) ||
      !CALL(cuptiRangeProfilerEnable, RangeProfiler_Enable, enable))
    return false;
  session.profiler = enable.pRangeProfilerObject;
  session.isCounting = true;
  return startBatch();
}

/// Calls the runtime's function, as one launch of a batch.
template <class Function, class... Arguments>
cudaError_t launch(const char *name, Function, Arguments... arguments) {
  auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
  if (!real)
    abort();
  if (depth)
    return real(arguments...);
  pthread_mutex_lock(&lock);
  ++depth;
  if (!session.isTried) {
    session.isTried = true;
    begin();
  }
  cudaError_t status = real(arguments...);
  if (session.isCounting && ++session.launches == kBatch && finishBatch())
    startBatch();
  --depth;
  pthread_mutex_unlock(&lock);
  return status;
}

} // namespace

#define LAUNCH(name)                                                           \
  extern "C" cudaError_t name(const void *function, dim3 grid, dim3 block,     \
                              void **arguments, size_t shared,                 \
                              cudaStream_t stream) {                           \
    return launch(#name, &name, function, grid, block, arguments, shared,      \
                  stream);                                                     \
  }
#define LAUNCH_EXTENDED(name)                                                  \
  extern "C" cudaError_t name(const cudaLaunchConfig_t *config,                \
                              const void *function, void **arguments) {        \
    return launch(#name, &name, config, function, arguments);                  \
  }

LAUNCH(cudaLaunchKernel)
LAUNCH(cudaLaunchKernel_ptsz)
LAUNCH(__cudaLaunchKernel)
LAUNCH(__cudaLaunchKernel_ptsz)
LAUNCH(cudaLaunchCooperativeKernel)
LAUNCH(cudaLaunchCooperativeKernel_ptsz)
LAUNCH_EXTENDED(cudaLaunchKernelExC)
LAUNCH_EXTENDED(cudaLaunchKernelExC_ptsz)
