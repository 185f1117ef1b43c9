//===- DeviceRuntime.cpp - Errors, queries and memory in device code ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuda_device_runtime_api.h of CUDA 13.0. Programs call these functions as
// __cudaCDP2Name (nvcc, clang 22) or cudaName.
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/DeviceCalls.h"
#include "emulator/machine/DeviceImpl.h"

#include <algorithm>
#include <cstring>

namespace gpulto::emu {

External runtimeFunction(std::string_view name) {
  struct Entry {
    std::string_view name;
    External external;
  };
  static constexpr Entry kNames[] = {
      {"GetParameterBuffer", External::GetParameterBuffer},
      {"GetParameterBufferV2", External::GetParameterBufferV2},
      {"LaunchDevice", External::LaunchDevice},
      {"LaunchDeviceV2", External::LaunchDeviceV2},
      {"MemcpyAsync", External::MemcpyAsync},
      {"Memcpy2DAsync", External::Memcpy2DAsync},
      {"MemsetAsync", External::MemsetAsync},
      {"Memset2DAsync", External::Memset2DAsync},
      {"StreamCreateWithFlags", External::StreamCreate},
      {"StreamDestroy", External::StreamDestroy},
      {"StreamWaitEvent", External::StreamWaitEvent},
      {"EventCreateWithFlags", External::EventCreate},
      {"EventRecord", External::EventRecord},
      {"EventRecordWithFlags", External::EventRecord},
      {"EventDestroy", External::EventDestroy},
      {"GetLastError", External::GetLastError},
      {"PeekAtLastError", External::PeekAtLastError},
      {"GetErrorString", External::GetErrorString},
      {"GetErrorName", External::GetErrorName},
      {"GetDevice", External::GetDevice},
      {"GetDeviceCount", External::GetDeviceCount},
      {"DeviceGetAttribute", External::DeviceGetAttribute},
      {"DeviceGetLimit", External::DeviceGetLimit},
      {"DeviceGetCacheConfig", External::DeviceGetZero},
      {"DeviceGetSharedMemConfig", External::DeviceGetZero},
      {"RuntimeGetVersion", External::RuntimeGetVersion},
      {"FuncGetAttributes", External::FuncGetAttributes},
      {"Malloc", External::RuntimeMalloc},
      {"Free", External::RuntimeFree},
      {"OccupancyMaxActiveBlocksPerMultiprocessor", External::Occupancy},
      {"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
       External::Occupancy}};
  for (std::string_view prefix : {"__cudaCDP2", "cuda"})
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      break;
    }
  if (name.ends_with("_ptsz"))
    name.remove_suffix(5);
  for (const Entry &e : kNames)
    if (e.name == name)
      return e.external;
  return External::None;
}

// DeviceCall.
// -----------------------------------------------------------------

void DeviceCallsDelete::operator()(DeviceCalls *calls) const { delete calls; }

DeviceImpl &DeviceCall::device() const { return *w.block->launch->device; }

DeviceCalls &DeviceCall::state() const {
  if (!w.block->calls)
    w.block->calls.reset(new DeviceCalls);
  return *w.block->calls;
}

uint8_t *DeviceCall::argumentBytes(size_t k, size_t &sizeBytes) const {
  if (k >= site.arguments.size())
    return nullptr;
  sizeBytes = std::min<size_t>(sizeBytes, site.arguments[k].sizeBytes);
  return w.local.get() + size_t(lane) * w.localStride + w.frame->localBase +
         site.arguments[k].callerOffset;
}

void DeviceCall::setResultBytes(const void *value, size_t sizeBytes) const {
  if (!site.results.empty())
    memcpy(w.local.get() + size_t(lane) * w.localStride + w.frame->localBase +
               site.results[0].callerOffset,
           value, std::min<size_t>(sizeBytes, site.results[0].sizeBytes));
}

void DeviceCall::finish(DeviceError error) const {
  if (error != DeviceError::Success)
    state().lastErrors[w.index * kLanes + lane] = error;
  setResult(static_cast<int>(error));
}

bool DeviceCall::storeBytes(uint64_t address, const void *value,
                            size_t sizeBytes) const {
  const Launch &launch = *w.block->launch;
  uint8_t *to = nullptr;
  uint64_t local = address - launch.localWindow;
  uint64_t shared = address - launch.sharedWindow;
  CachedRange range;
  if (local + sizeBytes <= w.localBytes)
    to = w.local.get() + size_t(lane) * w.localStride + local;
  else if (shared + sizeBytes <= launch.sharedBytes)
    to = w.block->shared + shared;
  else if (findRange(w, address, range) && !isReadOnly(range.kind) &&
           address + sizeBytes <= range.end)
    to = reinterpret_cast<uint8_t *>(address);
  if (!to) {
    raiseAddressFault(w, insn, lane, address, static_cast<unsigned>(sizeBytes),
                      true);
    return false;
  }
  memcpy(to, value, sizeBytes);
  return true;
}

const KernelImpl *DeviceCall::kernel(uint64_t handle) const {
  FunctionEntry *entry = device().functionOf(handle);
  if (!entry || !entry->fn.isEntry)
    return nullptr;
  return static_cast<const KernelImpl *>(
      entry->module->findKernel(entry->fn.name));
}

// The functions.
// --------------------------------------------------------------

namespace {

/// cudaFuncAttributes.
struct FunctionAttributes {
  uint64_t sharedBytes = 0, constBytes = 0, localBytes = 0;
  int32_t maxThreadsPerBlock = 0, registers = 0, ptxVersion = 0;
  int32_t binaryVersion = 0, cacheModeCa = 0, maxDynamicSharedBytes = 0;
  int32_t sharedCarveout = -1, clusterMustBeSet = 0;
  int32_t clusterDim[3] = {}, clusterPolicy = 0, nonPortableCluster = 0;
  int32_t reserved[16] = {};
};

/// Stores \p value where argument \p k says.
template <class T> bool answer(const DeviceCall &call, size_t k, T value) {
  if (!call.store(call.argument<uint64_t>(k), value))
    return false;
  call.finish(DeviceError::Success);
  return true;
}

bool fail(const DeviceCall &call, DeviceError error) {
  call.finish(error);
  return true;
}

bool lastError(const DeviceCall &call, bool clears) {
  std::map<uint32_t, DeviceError> &errors = call.state().lastErrors;
  auto found = errors.find(call.w.index * kLanes + call.lane);
  DeviceError error = DeviceError::Success;
  if (found != errors.end()) {
    error = found->second;
    if (clears)
      errors.erase(found);
  }
  call.setResult(static_cast<int>(error));
  return true;
}

bool errorText(const DeviceCall &call, bool isName) {
  const HostRuntime &host = call.device().options.host;
  int error = call.argument<int>(0);
  const auto &text = isName ? host.errorName : host.errorString;
  call.setResult(call.device().textAddress(
      text ? text(error) : "error " + std::to_string(error)));
  return true;
}

bool attribute(const DeviceCall &call) {
  const HostRuntime &host = call.device().options.host;
  int value = 0;
  if (call.argument<int>(2) < 0 ||
      call.argument<unsigned>(2) >= call.device().memory.devices())
    return fail(call, DeviceError::InvalidDevice);
  if (!host.attribute ||
      !host.attribute(call.argument<unsigned>(2), call.argument<int>(1), value))
    return fail(call, DeviceError::InvalidValue);
  return answer(call, 0, value);
}

bool limit(const DeviceCall &call) {
  enum { kStackSize = 0, kMallocHeapSize = 2 };
  const DeviceLimits &limits = call.device().limits();
  switch (call.argument<int>(1)) {
  case kStackSize:
    return answer(call, 0, limits.stackBytes);
  case kMallocHeapSize:
    return answer(call, 0, limits.heapBytes);
  default:
    return fail(call, DeviceError::UnsupportedLimit);
  }
}

bool functionAttributes(const DeviceCall &call) {
  const KernelImpl *kernel = call.kernel(call.argument<uint64_t>(1));
  if (!kernel)
    return fail(call, DeviceError::InvalidDeviceFunction);
  const DeviceLimits &limits = call.device().limits();
  const KernelInfo &info = kernel->info();
  FunctionAttributes a;
  a.sharedBytes = info.staticSharedBytes;
  a.constBytes = info.constBytes;
  a.localBytes = info.localBytes;
  a.maxThreadsPerBlock = static_cast<int32_t>(info.maxThreadsPerBlock);
  a.registers = static_cast<int32_t>(info.registers);
  a.ptxVersion = static_cast<int32_t>(info.targetSm);
  a.binaryVersion =
      static_cast<int32_t>(limits.computeMajor * 10 + limits.computeMinor);
  a.maxDynamicSharedBytes = static_cast<int32_t>(std::max<int64_t>(
      0, int64_t(limits.sharedPerBlockBytes) - int64_t(a.sharedBytes)));
  a.clusterMustBeSet = info.needsCluster || info.reqCluster[0];
  for (unsigned k = 0; k < 3; ++k)
    a.clusterDim[k] = static_cast<int32_t>(info.reqCluster[k]);
  return answer(call, 0, a);
}

bool occupancy(const DeviceCall &call) {
  const KernelImpl *kernel = call.kernel(call.argument<uint64_t>(1));
  if (!kernel)
    return fail(call, DeviceError::InvalidDeviceFunction);
  int threads = call.argument<int>(2);
  if (threads <= 0)
    return fail(call, DeviceError::InvalidValue);
  return answer(call, 0,
                call.device().maxBlocksPerSm(*kernel,
                                             static_cast<uint32_t>(threads),
                                             call.argument<uint64_t>(3)));
}

/// Memory of the heap that malloc takes from, too.
bool runtimeMalloc(const DeviceCall &call) {
  uint64_t size = std::max<uint64_t>(call.argument<uint64_t>(1), 1);
  uint64_t address = call.device().allocateHeap(size, 256);
  if (!address)
    return fail(call, DeviceError::MemoryAllocation);
  return answer(call, 0, address);
}

bool runtimeFree(const DeviceCall &call) {
  uint64_t address = call.argument<uint64_t>(0);
  bool ok = !address ||
            call.device().memory.release(address, AllocationKind::DeviceHeap);
  return fail(call, ok ? DeviceError::Success : DeviceError::InvalidValue);
}

} // namespace

bool callRuntime(const DeviceCall &call) {
  bool handled = false;
  if (bool ok = callLaunch(call, handled); handled)
    return ok;
  switch (call.site.external) {
  case External::GetLastError:
  case External::PeekAtLastError:
    return lastError(call, call.site.external == External::GetLastError);
  case External::GetErrorString:
  case External::GetErrorName:
    return errorText(call, call.site.external == External::GetErrorName);
  case External::GetDevice:
    return answer(call, 0, call.device().ordinal());
  case External::GetDeviceCount:
    return answer(call, 0, call.device().memory.devices());
  case External::DeviceGetAttribute:
    return attribute(call);
  case External::DeviceGetLimit:
    return limit(call);
  case External::DeviceGetZero:
    return answer(call, 0, 0);
  case External::RuntimeGetVersion:
    return answer(call, 0, call.device().options.host.version);
  case External::FuncGetAttributes:
    return functionAttributes(call);
  case External::Occupancy:
    return occupancy(call);
  case External::RuntimeMalloc:
    return runtimeMalloc(call);
  case External::RuntimeFree:
    return runtimeFree(call);
  default:
    return true;
  }
}

} // namespace gpulto::emu
