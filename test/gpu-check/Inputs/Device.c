// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What gpu-check asks of a machine with a GPU, for one without: the driver,
// NVML and CUPTI in one library, under all their names. Kernels run on the
// emulator.
//
//   FAKE_GPUS=N FAKE_CAPABILITY=NN FAKE_DRIVER=NNNNN FAKE_CUPTI=fails
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int setting(const char *name, int usual) {
  const char *text = getenv(name);
  return text ? atoi(text) : usual;
}

// The driver.
int cuInit(unsigned flags) {
  (void)flags;
  return setting("FAKE_GPUS", 1) ? 0 : 100;
}
int cuDeviceGetCount(int *count) {
  *count = setting("FAKE_GPUS", 1);
  return 0;
}
int cuDeviceGet(int *device, int number) {
  *device = number;
  return 0;
}
int cuDeviceGetName(char *name, int size, int device) {
  (void)device;
  strncpy(name, "Fake GPU", size);
  return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  (void)device;
  *bytes = (size_t)1 << 32;
  return 0;
}
int cuDriverGetVersion(int *version) {
  *version = setting("FAKE_DRIVER", 13000);
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  int capability = setting("FAKE_CAPABILITY", 90);
  *value = attribute == 75   ? capability / 10
           : attribute == 76 ? capability % 10
           : attribute == 20 ? 0 // any number of processes
                             : 1000;
  return 0;
}
int cuCtxGetCurrent(void **context) {
  static int something;
  *context = &something;
  return 0;
}

// NVML.
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned number, void **device) {
  (void)number;
  *device = NULL;
  return 0;
}
int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *mhz) {
  (void)device;
  *mhz = 1000 * kind;
  return 0;
}

// CUPTI: each launch has 7 warp instructions and 2 sectors of each kind.
// Parameters begin with their size and something private.
struct Words {
  size_t words[16];
};
enum { kPrivileges = 35 }; // CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
int cuptiGetResultString(int result, const char **text) {
  *text = result == kPrivileges ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "?";
  return 0;
}
#define SUCCEEDS(name)                                                         \
  int name(void *parameters) {                                                 \
    (void)parameters;                                                          \
    return 0;                                                                  \
  }
SUCCEEDS(cuptiDeviceGetChipName)
SUCCEEDS(cuptiProfilerHostInitialize)
SUCCEEDS(cuptiProfilerHostConfigAddMetrics)
SUCCEEDS(cuptiProfilerHostGetConfigImage)
SUCCEEDS(cuptiRangeProfilerEnable)
SUCCEEDS(cuptiRangeProfilerCounterDataImageInitialize)
SUCCEEDS(cuptiRangeProfilerSetConfig)
SUCCEEDS(cuptiRangeProfilerStart)
SUCCEEDS(cuptiRangeProfilerStop)
SUCCEEDS(cuptiRangeProfilerDecodeData)
int cuptiProfilerInitialize(void *parameters) {
  (void)parameters;
  return getenv("FAKE_CUPTI") ? kPrivileges : 0;
}
int cuptiProfilerGetCounterAvailability(struct Words *parameters) {
  parameters->words[3] = 16; // bytes
  return 0;
}
int cuptiProfilerHostGetConfigImageSize(struct Words *parameters) {
  parameters->words[3] = 16;
  return 0;
}
int cuptiRangeProfilerGetCounterDataSize(struct Words *parameters) {
  parameters->words[7] = 16;
  return 0;
}
int cuptiRangeProfilerGetCounterDataInfo(struct Words *parameters) {
  parameters->words[4] = 3; // ranges
  return 0;
}
int cuptiProfilerHostEvaluateToGpuValues(struct Words *parameters) {
  double *values = (double *)(uintptr_t)parameters->words[8];
  for (size_t i = 0; i < parameters->words[7]; ++i)
    values[i] = i ? 2 : 7;
  return 0;
}
