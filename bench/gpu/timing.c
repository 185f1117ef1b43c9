//===- timing.c - Times the kernels of a program --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The program is not changed for it: preloaded, this takes over the launches of
// the CUDA runtime.
//
//   export GPULTO_TIMING='output=t.txt;repetitions=20'
//   LD_PRELOAD=gpu-check-timing.so app
//
// A program's kernels change their own input, so neither the launches of one
// run, nor launches that are simply repeated, do the same work. So a timed
// launch is done like this:
//
//  1. Wait for the device; copy all memory that a kernel may write: allocations
//     of every kind, and registered variables that are not constant
//     (saveMemory).
//  2. For each repetition: copy it back; fill `fill` bytes, so that every
//     repetition finds the same, cold, second-level cache, and the launch waits
//     behind device work, not for the host; event, launch, event (timeOnce).
//  3. Go on. Memory is as after one launch.
//
// All launches are numbered in the order of their calls. Timed are the first,
// second, fourth, eighth ... of each kernel; or those with the numbers in the
// file `launches`, one a line, so that several builds of one program, whose
// kernels have other names, time the same work. Launches of whole graphs count
// as launches of a kernel `graph`; captured launches do not count.
//
// Output: a line for each timed launch,
//
//   launch NUMBER KERNEL GRID(3) BLOCK(3) SHARED us us us ...
//
// then `launches N`, and `note TEXT` for what could not be done. Times are in
// microseconds. A line that is missing at the end means that the program was
// killed.
//
// Limits. Not restored, so repetitions may change what the program does
// afterwards: the heap of malloc in kernels, printf's buffer, variables that
// nobody registered, memory of the driver API and of graphs. Who uses this
// compares the program's output with that of a run without, and takes
// `repetitions=1` if it differs: then nothing is saved or restored. Programs
// with surfaces or more memory than fits twice are not repeated. Work of
// several streams is timed one after the other, and a kernel that waits for the
// host or another stream waits forever. Not thread-safe as far as the numbers
// of launches are concerned: those of a program whose threads launch are in no
// fixed order.
//
//===----------------------------------------------------------------------===//
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMaxRepetitions = 1000 };

/* What a kernel may write. A variable's address is asked for when it is needed.
 */
struct Range {
  void *pointer;
  size_t sizeBytes;
  bool isVariable;
};

/* Which kernel a stub or a handle stands for, and how often it was launched. */
struct Kernel {
  const void *handle;
  const char *name;
  unsigned long launches;
};

/* Growing arrays; elements are found from the end, where the newest are. */
static struct Range *ranges;
static size_t rangeCount, rangeSpace;
static struct Kernel *kernels;
static size_t kernelCount, kernelSpace;

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static _Thread_local int depth; /* calls by the runtime itself are not ours */

static FILE *output;
static unsigned long launchNumber;
static unsigned long *wanted; /* sorted as in the file; NULL: by kernel */
static size_t wantedCount;
static int repetitions = 20;
static size_t fillBytes;
static double secondsLeft = 10, secondsOfLaunch = 1;
static bool hasSurfaces, isReady, isActive;

static void *scratch; /* what is filled, and the copy of the memory */
static char *backup;
static size_t backupBytes;

//===----------------------------------------------------------------------===//
// The runtime
//===----------------------------------------------------------------------===//

static void *next(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) {
    fprintf(stderr, "gpu-check-timing: the runtime has no %s\n", name);
    abort();
  }
  return found;
}

#define REAL(name) ((__typeof__(&name))next(#name))

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static void note(const char *text, unsigned long number) {
  if (output)
    fprintf(output, "note launch %lu: %s\n", number, text);
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static void readLaunches(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) {
    fprintf(stderr, "gpu-check-timing: cannot open %s\n", path);
    exit(2);
  }
  size_t space = 64;
  wanted = malloc(space * sizeof *wanted);
  unsigned long number;
  while (wanted && fscanf(file, "%lu", &number) == 1) {
    if (wantedCount == space)
      wanted = realloc(wanted, (space *= 2) * sizeof *wanted);
    if (wanted)
      wanted[wantedCount++] = number;
  }
  fclose(file);
}

static void readOption(char *option) {
  char *value = strchr(option, '=');
  if (!value)
    return;
  *value++ = 0;
  if (!strcmp(option, "output"))
    output = fopen(value, "w");
  else if (!strcmp(option, "launches"))
    readLaunches(value);
  else if (!strcmp(option, "repetitions"))
    repetitions = atoi(value);
  else if (!strcmp(option, "fill"))
    fillBytes = strtoull(value, NULL, 10);
  else if (!strcmp(option, "seconds"))
    secondsLeft = atof(value);
}

static void finish(void) {
  if (!output)
    return;
  fprintf(output, "launches %lu\n", launchNumber);
  fclose(output);
  output = NULL;
}

/* Reads the options; nothing is timed without an output. */
static void prepare(void) {
  if (isReady)
    return;
  isReady = true;
  const char *text = getenv("GPULTO_TIMING");
  char *copy = text ? strdup(text) : NULL, *rest = copy;
  for (char *option; rest && (option = strsep(&rest, ";"));)
    readOption(option);
  free(copy);
  if (!output)
    return;
  if (repetitions > kMaxRepetitions)
    repetitions = kMaxRepetitions;
  secondsOfLaunch = secondsLeft / 4;
  setvbuf(output, NULL, _IOLBF, 0);
  isActive = true;
  atexit(finish);
}

//===----------------------------------------------------------------------===//
// Memory that kernels may write
//===----------------------------------------------------------------------===//

static void *grown(void *array, size_t count, size_t *space, size_t size) {
  if (count < *space)
    return array;
  *space = *space ? 2 * *space : 64;
  array = realloc(array, *space * size);
  if (!array)
    abort();
  return array;
}

static void addRange(void *pointer, size_t sizeBytes, bool isVariable) {
  if (!pointer || !sizeBytes)
    return;
  pthread_mutex_lock(&lock);
  ranges = grown(ranges, rangeCount, &rangeSpace, sizeof *ranges);
  ranges[rangeCount++] = (struct Range){pointer, sizeBytes, isVariable};
  pthread_mutex_unlock(&lock);
}

static void removeRange(const void *pointer) {
  pthread_mutex_lock(&lock);
  for (size_t i = rangeCount; i-- > 0;)
    if (!ranges[i].isVariable && ranges[i].pointer == pointer) {
      ranges[i] = ranges[--rangeCount];
      break;
    }
  pthread_mutex_unlock(&lock);
}

/* Where the device has the memory of a range; NULL: nowhere. */
static void *addressOf(const struct Range *range) {
  if (!range->isVariable)
    return range->pointer;
  void *address = NULL;
  if (REAL(cudaGetSymbolAddress)(&address, range->pointer) != cudaSuccess) {
    REAL(cudaGetLastError)();
    return NULL;
  }
  return address;
}

/* Copies all ranges to the backup, or back. */
static bool copyMemory(bool isBack, cudaStream_t stream) {
  size_t offset = 0;
  for (size_t i = 0; i < rangeCount; ++i) {
    void *address = addressOf(&ranges[i]);
    if (!address)
      continue;
    void *to = isBack ? address : backup + offset;
    const void *from = isBack ? backup + offset : address;
    if (REAL(cudaMemcpyAsync)(to, from, ranges[i].sizeBytes, cudaMemcpyDefault,
                              stream) != cudaSuccess)
      return false;
    offset += (ranges[i].sizeBytes + 511) & ~(size_t)511;
  }
  return true;
}

/* Copies all memory aside. Returns why not, or NULL. */
static const char *saveMemory(void) {
  if (hasSurfaces)
    return "not repeated: surfaces may be written";
  size_t needed = 0;
  for (size_t i = 0; i < rangeCount; ++i)
    needed += (ranges[i].sizeBytes + 511) & ~(size_t)511;
  if (needed > backupBytes) {
    REAL(cudaFree)(backup);
    backup = NULL;
    backupBytes = 0;
    if (REAL(cudaMalloc)((void **)&backup, needed) != cudaSuccess) {
      REAL(cudaGetLastError)();
      return "not repeated: the device has no room for a copy of the memory";
    }
    backupBytes = needed;
  }
  if (fillBytes && !scratch &&
      REAL(cudaMalloc)(&scratch, fillBytes) != cudaSuccess) {
    REAL(cudaGetLastError)();
    fillBytes = 0;
  }
  if (!copyMemory(false, NULL)) {
    REAL(cudaGetLastError)();
    return "not repeated: the memory could not be copied";
  }
  return REAL(cudaDeviceSynchronize)() == cudaSuccess ? NULL
                                                      : "an error before it";
}

//===----------------------------------------------------------------------===//
// Which launches
//===----------------------------------------------------------------------===//

static struct Kernel *findKernel(const void *handle) {
  for (size_t i = kernelCount; i-- > 0;)
    if (kernels[i].handle == handle)
      return &kernels[i];
  return NULL;
}

static void addKernel(const void *handle, const char *name) {
  pthread_mutex_lock(&lock);
  struct Kernel *known = findKernel(handle);
  if (known)
    known->name = name;
  else {
    kernels = grown(kernels, kernelCount, &kernelSpace, sizeof *kernels);
    kernels[kernelCount++] = (struct Kernel){handle, name, 0};
  }
  pthread_mutex_unlock(&lock);
}

/* Counts the launch, and says whether it is timed. */
static bool isTimed(struct Kernel *kernel) {
  unsigned long number = ++launchNumber;
  unsigned long ofKernel = ++kernel->launches;
  if (secondsLeft <= 0)
    return false;
  if (!wanted)
    return (ofKernel & (ofKernel - 1)) == 0;
  for (size_t i = 0; i < wantedCount; ++i)
    if (wanted[i] == number)
      return true;
  return false;
}

static bool isCaptured(cudaStream_t stream) {
  enum cudaStreamCaptureStatus status;
  if (REAL(cudaStreamIsCapturing)(stream, &status) != cudaSuccess) {
    REAL(cudaGetLastError)(); /* the legacy stream while another one captures */
    return true;
  }
  return status != cudaStreamCaptureStatusNone;
}

//===----------------------------------------------------------------------===//
// One launch
//===----------------------------------------------------------------------===//

/* A launch that can be done again. */
struct Launch {
  cudaError_t (*again)(const struct Launch *launch);
  const void *handle; /* or the graph */
  dim3 grid, block;
  void **arguments;
  size_t sharedBytes;
  cudaStream_t stream;
  const cudaLaunchConfig_t *config;
  void *function; /* of the runtime */
};

static cudaError_t launchAgain(const struct Launch *launch) {
  return ((__typeof__(&cudaLaunchKernel))launch->function)(
      launch->handle, launch->grid, launch->block, launch->arguments,
      launch->sharedBytes, launch->stream);
}

static cudaError_t launchExtendedAgain(const struct Launch *launch) {
  return ((__typeof__(&cudaLaunchKernelExC))launch->function)(
      launch->config, launch->handle, launch->arguments);
}

static cudaError_t launchGraphAgain(const struct Launch *launch) {
  return ((__typeof__(&cudaGraphLaunch))launch->function)(
      (cudaGraphExec_t)launch->handle, launch->stream);
}

/* Launches between two events; returns microseconds, or less than 0. */
static double timeOnce(const struct Launch *launch, bool isRestored,
                       cudaEvent_t *events, cudaError_t *status) {
  if (isRestored && !copyMemory(true, launch->stream)) {
    note("the memory could not be copied back", launchNumber);
    return -1;
  }
  if (fillBytes && scratch)
    REAL(cudaMemsetAsync)(scratch, 0, fillBytes, launch->stream);
  REAL(cudaEventRecord)(events[0], launch->stream);
  *status = launch->again(launch);
  REAL(cudaEventRecord)(events[1], launch->stream);
  float milliseconds = -1;
  if (*status != cudaSuccess ||
      REAL(cudaEventSynchronize)(events[1]) != cudaSuccess ||
      REAL(cudaEventElapsedTime)(&milliseconds, events[0], events[1]) !=
          cudaSuccess)
    return -1;
  return milliseconds * 1e3;
}

static void writeLaunch(const struct Launch *launch, const char *name,
                        const double *times, int count) {
  fprintf(output, "launch %lu %s %u %u %u %u %u %u %zu", launchNumber, name,
          launch->grid.x, launch->grid.y, launch->grid.z, launch->block.x,
          launch->block.y, launch->block.z, launch->sharedBytes);
  for (int i = 0; i < count; ++i)
    fprintf(output, " %.3f", times[i]);
  fputc('\n', output);
}

/* Times a launch, and leaves everything as after one. */
static cudaError_t timeLaunch(const struct Launch *launch, const char *name) {
  double start = now();
  if (REAL(cudaDeviceSynchronize)() != cudaSuccess)
    return launch->again(launch);
  int count = repetitions;
  const char *why = count > 1 ? saveMemory() : NULL;
  if (why) {
    note(why, launchNumber);
    count = 1;
  }
  cudaEvent_t events[2];
  if (REAL(cudaEventCreate)(&events[0]) != cudaSuccess ||
      REAL(cudaEventCreate)(&events[1]) != cudaSuccess)
    return launch->again(launch);
  double times[kMaxRepetitions];
  cudaError_t status = cudaSuccess;
  int done = 0;
  while (done < count) {
    times[done] = timeOnce(launch, done > 0, events, &status);
    if (times[done] < 0)
      break;
    if (++done < count && now() - start > secondsOfLaunch) {
      note("took too long to be repeated as often", launchNumber);
      break;
    }
  }
  REAL(cudaEventDestroy)(events[0]);
  REAL(cudaEventDestroy)(events[1]);
  if (done < count && status != cudaSuccess)
    note("could not be launched", launchNumber);
  writeLaunch(launch, name, times, done);
  secondsLeft -= now() - start;
  return status;
}

static cudaError_t launchOnce(struct Launch *launch, const char *symbol) {
  launch->function = next(symbol);
  if (depth)
    return launch->again(launch);
  pthread_mutex_lock(&lock);
  prepare();
  ++depth;
  cudaError_t status;
  struct Kernel *kernel = NULL;
  if (isActive && !isCaptured(launch->stream)) {
    const void *key = launch->again == launchGraphAgain ? NULL : launch->handle;
    if (!findKernel(key)) {
      const char *name = key ? NULL : "graph";
      if (key && REAL(cudaFuncGetName)(&name, key) != cudaSuccess)
        REAL(cudaGetLastError)();
      addKernel(key, name ? name : "unknown");
    }
    kernel = findKernel(key);
  }
  if (kernel && isTimed(kernel))
    status = timeLaunch(launch, kernel->name);
  else
    status = launch->again(launch);
  --depth;
  pthread_mutex_unlock(&lock);
  return status;
}

//===----------------------------------------------------------------------===//
// What is taken over
//===----------------------------------------------------------------------===//

#define LAUNCH(name)                                                           \
  cudaError_t name(const void *function, dim3 grid, dim3 block,                \
                   void **arguments, size_t sharedBytes,                       \
                   cudaStream_t stream) {                                      \
    struct Launch launch = {launchAgain, function, grid, block, arguments,     \
                            sharedBytes, stream,   NULL, NULL};                \
    return launchOnce(&launch, #name);                                         \
  }
#define LAUNCH_EXTENDED(name)                                                  \
  cudaError_t name(const cudaLaunchConfig_t *config, const void *function,     \
                   void **arguments) {                                         \
    struct Launch launch = {                                                   \
        launchExtendedAgain, function,  config->gridDim,                       \
        config->blockDim,    arguments, config->dynamicSmemBytes,              \
        config->stream,      config,    NULL};                                 \
    return launchOnce(&launch, #name);                                         \
  }
#define LAUNCH_GRAPH(name)                                                     \
  cudaError_t name(cudaGraphExec_t graph, cudaStream_t stream) {               \
    struct Launch launch = {                                                   \
        .again = launchGraphAgain, .handle = graph, .stream = stream};         \
    return launchOnce(&launch, #name);                                         \
  }

LAUNCH(cudaLaunchKernel)
LAUNCH(cudaLaunchKernel_ptsz)
LAUNCH(__cudaLaunchKernel)
LAUNCH(__cudaLaunchKernel_ptsz)
LAUNCH(cudaLaunchCooperativeKernel)
LAUNCH(cudaLaunchCooperativeKernel_ptsz)
LAUNCH_EXTENDED(cudaLaunchKernelExC)
LAUNCH_EXTENDED(cudaLaunchKernelExC_ptsz)
LAUNCH_GRAPH(cudaGraphLaunch)
LAUNCH_GRAPH(cudaGraphLaunch_ptsz)

/* Allocations: the runtime's function, and what it has made if it succeeds. */
#define ALLOCATION(name, parameters, call, pointer, size)                      \
  cudaError_t name parameters {                                                \
    cudaError_t(*real) parameters = (cudaError_t(*) parameters)next(#name);    \
    cudaError_t status = real call;                                            \
    if (status == cudaSuccess && !depth)                                       \
      addRange(pointer, size, false);                                          \
    return status;                                                             \
  }
#define RELEASE(name, parameters, call, pointer)                               \
  cudaError_t name parameters {                                                \
    cudaError_t(*real) parameters = (cudaError_t(*) parameters)next(#name);    \
    if (!depth)                                                                \
      removeRange(pointer);                                                    \
    return real call;                                                          \
  }

ALLOCATION(cudaMalloc, (void **p, size_t n), (p, n), *p, n)
ALLOCATION(cudaMallocManaged, (void **p, size_t n, unsigned f), (p, n, f), *p,
           n)
ALLOCATION(cudaMallocHost, (void **p, size_t n), (p, n), *p, n)
ALLOCATION(cudaHostAlloc, (void **p, size_t n, unsigned f), (p, n, f), *p, n)
ALLOCATION(cudaHostRegister, (void *p, size_t n, unsigned f), (p, n, f), p, n)
ALLOCATION(cudaMallocPitch, (void **p, size_t *pitch, size_t w, size_t h),
           (p, pitch, w, h), *p, *pitch *h)
ALLOCATION(cudaMalloc3D, (struct cudaPitchedPtr * p, struct cudaExtent e),
           (p, e), p->ptr, p->pitch *e.height *e.depth)
ALLOCATION(cudaMallocAsync, (void **p, size_t n, cudaStream_t s), (p, n, s), *p,
           n)
ALLOCATION(cudaMallocAsync_ptsz, (void **p, size_t n, cudaStream_t s),
           (p, n, s), *p, n)
ALLOCATION(cudaMallocFromPoolAsync,
           (void **p, size_t n, cudaMemPool_t m, cudaStream_t s), (p, n, m, s),
           *p, n)
ALLOCATION(cudaMallocFromPoolAsync_ptsz,
           (void **p, size_t n, cudaMemPool_t m, cudaStream_t s), (p, n, m, s),
           *p, n)
RELEASE(cudaFree, (void *p), (p), p)
RELEASE(cudaFreeHost, (void *p), (p), p)
RELEASE(cudaHostUnregister, (void *p), (p), p)
RELEASE(cudaFreeAsync, (void *p, cudaStream_t s), (p, s), p)
RELEASE(cudaFreeAsync_ptsz, (void *p, cudaStream_t s), (p, s), p)

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface,
                                    const struct cudaResourceDesc *resource) {
  hasSurfaces = true;
  return REAL(cudaCreateSurfaceObject)(surface, resource);
}

/* All that was on the device is gone. */
cudaError_t cudaDeviceReset(void) {
  pthread_mutex_lock(&lock);
  size_t kept = 0;
  for (size_t i = 0; i < rangeCount; ++i)
    if (ranges[i].isVariable)
      ranges[kept++] = ranges[i];
  rangeCount = kept;
  scratch = NULL;
  backup = NULL;
  backupBytes = 0;
  pthread_mutex_unlock(&lock);
  return REAL(cudaDeviceReset)();
}

/* Registration, by start-up code. The runtime's headers do not declare it. */

void __cudaRegisterFunction(void **binary, const char *stub, char *function,
                            const char *name, int threads, void *thread,
                            void *block, void *blockSize, void *gridSize,
                            int *warpSize) {
  __typeof__(&__cudaRegisterFunction) real = next("__cudaRegisterFunction");
  addKernel(stub, name);
  real(binary, stub, function, name, threads, thread, block, blockSize,
       gridSize, warpSize);
}

void __cudaRegisterVar(void **binary, char *variable, char *address,
                       const char *name, int isExternal, size_t sizeBytes,
                       int isConstant, int isGlobal) {
  __typeof__(&__cudaRegisterVar) real = next("__cudaRegisterVar");
  if (!isConstant)
    addRange(variable, sizeBytes, true);
  real(binary, variable, address, name, isExternal, sizeBytes, isConstant,
       isGlobal);
}

void __cudaRegisterManagedVar(void **binary, void **variable, char *address,
                              const char *name, int isExternal,
                              size_t sizeBytes, int isConstant, int isGlobal) {
  __typeof__(&__cudaRegisterManagedVar) real = next("__cudaRegisterManagedVar");
  addRange(variable, sizeBytes, true);
  real(binary, variable, address, name, isExternal, sizeBytes, isConstant,
       isGlobal);
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub) {
  __typeof__(&__cudaGetKernel) real = next("__cudaGetKernel");
  cudaError_t status = real(kernel, stub);
  const struct Kernel *known = findKernel(stub);
  if (status == cudaSuccess && known)
    addKernel(*kernel, known->name);
  return status;
}
