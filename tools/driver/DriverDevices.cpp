//===- DriverDevices.cpp - The GPUs of this machine -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Queries the runtime, not the driver below it, since the emulator replaces the
// runtime.
//
//===----------------------------------------------------------------------===//
#include "tools/driver/DriverDevices.h"

#include "support/CudaVersion.h"
#include "support/Error.h"

#include "llvm/Support/DynamicLibrary.h"

#include <set>

using namespace llvm;

namespace gpulto::driver {

namespace {

/// The functions of the runtime that are called.
struct Runtime {
  int (*countDevices)(int *count);
  int (*readAttribute)(int *value, int attribute, int device);
  const char *(*describe)(int status);
};

} // namespace

// cudaDevAttrComputeCapabilityMajor, ...Minor.
constexpr int kMajorAttribute = 75;
constexpr int kMinorAttribute = 76;

static Error noDevice(const Twine &why) {
  return makeError("no GPU was found for 'native' (" + why +
                   "); name the architecture, for example sm_90");
}

/// Loads the runtime of \p toolkit's release.
static Expected<Runtime> loadRuntime(const CudaToolkit &toolkit) {
  std::optional<VersionTuple> version = cudaVersion(toolkit.root);
  if (!version)
    return noDevice("there is no CUDA toolkit to ask");
  std::string name = "libcudart.so." + std::to_string(version->getMajor());
  std::string message;
  sys::DynamicLibrary library;
  for (const std::string &path :
       {name, toolkit.root + "/lib64/" + name, toolkit.root + "/lib/" + name}) {
    library = sys::DynamicLibrary::getPermanentLibrary(path.c_str(), &message);
    if (library.isValid())
      break;
  }
  if (!library.isValid())
    return noDevice(message);
  Runtime runtime;
  auto find = [&](auto &function, const char *symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        library.getAddressOfSymbol(symbol));
    return function != nullptr;
  };
  if (!find(runtime.countDevices, "cudaGetDeviceCount") ||
      !find(runtime.readAttribute, "cudaDeviceGetAttribute") ||
      !find(runtime.describe, "cudaGetErrorString"))
    return noDevice(name + " is no CUDA runtime");
  return runtime;
}

Expected<std::vector<std::string>>
nativeArchitectures(const CudaToolkit &toolkit) {
  Expected<Runtime> runtime = loadRuntime(toolkit);
  if (!runtime)
    return runtime.takeError();
  int count = 0;
  if (int status = runtime->countDevices(&count))
    return noDevice(runtime->describe(status));
  std::set<unsigned> numbers;
  for (int device = 0; device < count; ++device) {
    int major = 0, minor = 0;
    int status = runtime->readAttribute(&major, kMajorAttribute, device);
    if (!status)
      status = runtime->readAttribute(&minor, kMinorAttribute, device);
    if (status)
      return noDevice(runtime->describe(status));
    numbers.insert(major * 10 + minor);
  }
  if (numbers.empty())
    return noDevice("the CUDA runtime counts none");
  std::vector<std::string> names;
  for (unsigned number : numbers)
    names.push_back("sm_" + std::to_string(number));
  return names;
}

} // namespace gpulto::driver
