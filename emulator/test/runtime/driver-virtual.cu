// Virtual memory management of the driver API: a buffer that grows in place,
// memory at two addresses, access, and what is refused.
// BUILD: -lcuda
// ONLY: nvcc clang
// RUN-OPTIONS: --memory=64 --devices=2
// EXPECT: granularity 2097152
// EXPECT: kernel over both parts 10 11
// EXPECT: copy over both parts 7 7
// EXPECT: second address 7, used 4 MiB
// EXPECT: access 3 0, after the change 0
// EXPECT: mapped twice CUDA_ERROR_INVALID_VALUE
// EXPECT: outside CUDA_ERROR_INVALID_VALUE
// EXPECT: beyond the memory CUDA_ERROR_INVALID_VALUE
// EXPECT: size CUDA_ERROR_INVALID_VALUE
// EXPECT: too much CUDA_ERROR_OUT_OF_MEMORY
// EXPECT: addresses in use CUDA_ERROR_INVALID_VALUE
// EXPECT: released, used 4 MiB, kept 7
// EXPECT: retained 1
// EXPECT: unmapped, used 0 MiB
// EXPECT: unmapped memory CUDA_ERROR_INVALID_VALUE
// EXPECT: without access CUDA_ERROR_ILLEGAL_ADDRESS
// EXPECT-ERR: to which device 0 has no access
#include "driver-common.h"

static size_t usedMiB() {
  size_t freeBytes = 0, total = 0;
  CHECK(cuMemGetInfo(&freeBytes, &total));
  return (total - freeBytes) >> 20;
}

static CUfunction fill;
static size_t before, part;
static CUmemAllocationProp properties;
static CUmemAccessDesc access;
static CUdeviceptr buffer, other;
static CUmemGenericAllocationHandle first, second;
static unsigned values[2];

static void launchFill(CUdeviceptr at) {
  unsigned base = 10;
  void *params[] = {&at, &base};
  CHECK(cuLaunchKernel(fill, 1, 1, 1, 2, 1, 1, 0, nullptr, params, nullptr));
}

static void mapTwoParts() {
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CHECK(cuMemGetAllocationGranularity(&part, &properties,
                                      CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  printf("granularity %zu\n", part);
  CHECK(cuMemAddressReserve(&buffer, 8 * part, 0, 0, 0));
  CHECK(cuMemAddressReserve(&other, part, 0, 0, 0));
  CHECK(cuMemCreate(&first, part, &properties, 0));
  CHECK(cuMemCreate(&second, part, &properties, 0));
  CHECK(cuMemMap(buffer, part, 0, first, 0));
  CHECK(cuMemMap(buffer + part, part, 0, second, 0));
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CHECK(cuMemSetAccess(buffer, 2 * part, &access, 1));
}

static void useBothParts() {
  CUdeviceptr border = buffer + part - 4;
  launchFill(border);
  CHECK(cuMemcpyDtoH(values, border, sizeof(values)));
  printf("kernel over both parts %u %u\n", values[0], values[1]);
  CHECK(cuMemsetD32(border, 7, 2));
  CHECK(cuMemcpyDtoH(values, border, sizeof(values)));
  printf("copy over both parts %u %u\n", values[0], values[1]);

  CHECK(cuMemMap(other, part, 0, second, 0));
  CHECK(cuMemSetAccess(other, part, &access, 1));
  CHECK(cuMemcpyDtoH(values, other, 4));
  printf("second address %u, used %zu MiB\n", values[0], usedMiB() - before);
}

static void changeAccess() {
  unsigned long long mine = 9, theirs = 9;
  CUmemLocation device1{};
  device1.type = CU_MEM_LOCATION_TYPE_DEVICE;
  device1.id = 1;
  CHECK(cuMemGetAccess(&mine, &access.location, buffer + 4));
  CHECK(cuMemGetAccess(&theirs, &device1, buffer));
  printf("access %llu %llu", mine, theirs);
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  CHECK(cuMemSetAccess(buffer, part, &access, 1));
  CHECK(cuMemGetAccess(&mine, &access.location, buffer));
  printf(", after the change %llu\n", mine);
}

static void askForTooMuch() {
  printf("mapped twice %s\n", name(cuMemMap(buffer, part, 0, second, 0)));
  printf("outside %s\n", name(cuMemMap(buffer + 8 * part, part, 0, second, 0)));
  printf("beyond the memory %s\n",
         name(cuMemMap(buffer + 2 * part, 2 * part, 0, second, 0)));
  CUmemGenericAllocationHandle none;
  printf("size %s\n", name(cuMemCreate(&none, 4096, &properties, 0)));
  printf("too much %s\n", name(cuMemCreate(&none, 64 << 20, &properties, 0)));
  printf("addresses in use %s\n", name(cuMemAddressFree(buffer, 8 * part)));
}

static void release() {
  CUmemGenericAllocationHandle none;
  CHECK(cuMemRelease(first));
  CHECK(cuMemRelease(second));
  CHECK(cuMemcpyDtoH(values, other, 4));
  printf("released, used %zu MiB, kept %u\n", usedMiB() - before, values[0]);
  CHECK(cuMemRetainAllocationHandle(&none, (void *)(other + 8)));
  printf("retained %d\n", none == second);
  CHECK(cuMemRelease(none));
  CHECK(cuMemUnmap(buffer, 2 * part));
  CHECK(cuMemUnmap(other, part));
  printf("unmapped, used %zu MiB\n", usedMiB() - before);
  printf("unmapped memory %s\n", name(cuMemcpyDtoH(values, buffer, 4)));
}

int main() {
  enterPrimary();
  CUmodule module;
  fill = loadFill(module);
  before = usedMiB();
  mapTwoParts();
  useBothParts();
  changeAccess();
  askForTooMuch();
  release();

  CHECK(cuMemCreate(&first, part, &properties, 0));
  CHECK(cuMemMap(buffer, part, 0, first, 0));
  launchFill(buffer);
  printf("without access %s\n", name(cuCtxSynchronize()));
  CHECK(cuMemUnmap(buffer, part));
  CHECK(cuMemAddressFree(buffer, 8 * part));
}
