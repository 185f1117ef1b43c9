// --deferred by the driver API: its forms wait for as much as the runtime's.
// RUN-OPTIONS: --deferred
// ONLY: nvcc clang
// BUILD: -lcuda
// EXPECT: HtoD 1, then 2
// EXPECT: DtoH 2
// EXPECT: DtoHAsync 1, then 2
// EXPECT: DtoD 1, then 2
// EXPECT: memset 1, then 3
// EXPECT: memset of pinned 3
// EXPECT: 2D 2
// EXPECT: events 600 0, value 0 5
// EXPECT: context's wait 6
// EXPECT: context's end 7
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void set(int *p, int value) { *p = value; }

static CUdeviceptr addressOf(int *p) {
  return reinterpret_cast<CUdeviceptr>(p);
}

static int *device, *other, *pinned, pageable;
static CUstream stream, aside;

static void put(int *p, int value) { set<<<1, 1, 0, stream>>>(p, value); }

static int look() {
  static int *window;
  if (!window)
    cudaMallocHost(&window, sizeof(int));
  cuMemcpyDtoHAsync(window, addressOf(device), sizeof(int), aside);
  cuStreamSynchronize(aside);
  return *window;
}

template <typename Body> static void row(const char *name, Body body) {
  put(device, 1);
  put(other, 2);
  cuCtxSynchronize();
  pageable = 2;
  body();
  int before = look();
  cuCtxSynchronize();
  printf("%s %d, then %d\n", name, before, look());
}

static void copies() {
  constexpr size_t n = sizeof(int);
  row("HtoD", [] {
    cuMemcpyHtoD(addressOf(device), &pageable, n);
    pageable = 9;
  });
  put(device, 2);
  cuMemcpyDtoH(&pageable, addressOf(device), n);
  printf("DtoH %d\n", pageable);
  *pinned = 1;
  cuMemcpyDtoHAsync(pinned, addressOf(device), n, stream);
  int before = *pinned;
  cuStreamSynchronize(stream);
  printf("DtoHAsync %d, then %d\n", before, *pinned);
  row("DtoD", [] { cuMemcpyDtoD(addressOf(device), addressOf(other), n); });
  row("memset", [] { cuMemsetD32(addressOf(device), 3, 1); });
  cuMemsetD32(addressOf(pinned), 3, 1);
  printf("memset of pinned %d\n", *pinned);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = addressOf(other);
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = &pageable;
  copy.WidthInBytes = n;
  copy.Height = 1;
  cuMemcpy2D(&copy);
  printf("2D %d\n", pageable);
}

int main() {
  cuInit(0);
  cudaMalloc(&device, sizeof(int));
  cudaMalloc(&other, sizeof(int));
  cudaMallocHost(&pinned, sizeof(int));
  cuStreamCreate(&stream, CU_STREAM_DEFAULT);
  cuStreamCreate(&aside, CU_STREAM_NON_BLOCKING);
  copies();
  CUevent event;
  cuEventCreate(&event, CU_EVENT_DEFAULT);
  *pinned = 0;
  put(pinned, 5);
  cuEventRecord(event, stream);
  int first = cuEventQuery(event), seen = *pinned;
  int second = cuEventQuery(event);
  printf("events %d %d, value %d %d\n", first, second, seen, *pinned);
  put(pinned, 6);
  cuCtxSynchronize();
  printf("context's wait %d\n", *pinned);
  CUdevice ordinal;
  cuCtxGetDevice(&ordinal);
  static int registered = 0;
  cuMemHostRegister(&registered, sizeof(int), 0);
  set<<<1, 1, 0, stream>>>(&registered, 7);
  cuDevicePrimaryCtxReset(ordinal);
  printf("context's end %d\n", registered);
}
