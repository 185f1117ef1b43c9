//===- DriverEntry.cpp - Driver API: start, errors, entry points ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Driver.h"

#include <dlfcn.h>
#include <filesystem>
#include <string>

using namespace gpulto::emu;

namespace {

/// A name that the library exports: what it is a form of, and the release that
/// brought it.
struct Symbol {
  const char *name;
  int version;
};

constexpr Symbol kSymbols[] = {
#define GPULTO_CU_SYMBOL(name, version) {#name, version},
#include "DriverSymbols.def"
};

constexpr std::string_view kPerThread[] = {"_ptsz", "_ptds"};

/// Takes "_ptsz" or "_ptds" from the end of a name. False when it has neither.
bool stripPerThread(std::string_view &name) {
  for (std::string_view suffix : kPerThread)
    if (name.size() > suffix.size() &&
        name.substr(name.size() - suffix.size()) == suffix) {
      name.remove_suffix(suffix.size());
      return true;
    }
  return false;
}

/// True when \p name is \p base or \p base with "_v2" or the like.
bool isFormOf(std::string_view name, std::string_view base) {
  if (name.substr(0, base.size()) != base)
    return false;
  std::string_view rest = name.substr(base.size());
  return rest.empty() || (rest.size() == 3 && rest.substr(0, 2) == "_v" &&
                          rest[2] >= '2' && rest[2] <= '9');
}

/// The newest form of \p base that release \p version has; null when there is
/// none. \p isKnown tells whether a later release has one.
const char *findSymbol(std::string_view base, int version, bool perThread,
                       bool &isKnown) {
  const Symbol *best = nullptr;
  for (const Symbol &symbol : kSymbols) {
    std::string_view name = symbol.name;
    if (stripPerThread(name) != perThread || !isFormOf(name, base))
      continue;
    isKnown = true;
    if (symbol.version <= version && (!best || symbol.version > best->version))
      best = &symbol;
  }
  return best ? best->name : nullptr;
}

/// Returns the path of the library or program that holds \p code; empty if none
/// does.
std::string libraryOf(const void *code) {
  Dl_info info{};
  dladdr(code, &info);
  return info.dli_fname ? info.dli_fname : "";
}

std::string ownPath() { return libraryOf(reinterpret_cast<void *>(&cuInit)); }

/// This library, so that its own functions are found whatever else is loaded.
void *ownLibrary() {
  static void *library = dlopen(ownPath().c_str(), RTLD_NOW | RTLD_NOLOAD);
  return library;
}

} // namespace

CUresult gpulto::emu::toResult(cudaError_t error) {
  switch (error) {
  case cudaErrorInvalidConfiguration:
  case cudaErrorInvalidPitchValue:
  case cudaErrorInvalidHostPointer:
  case cudaErrorInvalidDevicePointer:
  case cudaErrorInvalidChannelDescriptor:
  case cudaErrorInvalidFilterSetting:
  case cudaErrorInvalidMemcpyDirection:
  case cudaErrorMissingConfiguration:
    return CUDA_ERROR_INVALID_VALUE;
  case cudaErrorInvalidSymbol:
    return CUDA_ERROR_NOT_FOUND;
  case cudaErrorInvalidDeviceFunction:
    return CUDA_ERROR_INVALID_HANDLE;
  default:
    return static_cast<CUresult>(error);
  }
}

CUresult gpulto::emu::driverNotSupported(const char *what) {
  complainNotSupported(what);
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult gpulto::emu::checkInitialized() {
  return Runtime::get().isDriverInitialized() ? CUDA_SUCCESS
                                              : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult gpulto::emu::checkContext() {
  if (CUresult result = checkInitialized())
    return result;
  const Context *context = currentContext();
  if (!context)
    return CUDA_ERROR_INVALID_CONTEXT;
  return context->isAlive ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/// Returns why the code at \p caller gets no table, and what to do.
static std::string whyNoExportTable(const void *caller) {
  constexpr std::string_view kRuntime = "libcudart", kVersion = ".so.";
  constexpr size_t kMajorDigits = 2;
  std::filesystem::path asking = libraryOf(caller);
  std::string name = asking.filename().string(),
              why = "cuGetExportTable is not supported: ";
  if (size_t at = name.find(kVersion);
      name.starts_with(kRuntime) && at != std::string::npos) {
    std::filesystem::path own = ownPath();
    return why + asking.string() +
           " is NVIDIA's runtime under another name, as auditwheel makes it, "
           "where the emulator's own is not found; run with LD_PRELOAD=" +
           (own.parent_path() / kRuntime).string() +
           name.substr(at, kVersion.size() + kMajorDigits);
  }
  return why + "the static CUDA runtime, linked into the program or one of its "
               "libraries, asks the driver for tables that the emulator does "
               "not have; link with -lcudart (clang), -cudart shared (nvcc) or "
               "CMAKE_CUDA_RUNTIME_LIBRARY=Shared (CMake)";
}

extern "C" {

CUresult cuInit(unsigned flags) {
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  return locked([](Runtime &runtime) {
    runtime.initializeDriver();
    return CUDA_SUCCESS;
  });
}

CUresult cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

// Errors ---------------------------------------------------------------------

CUresult cuGetErrorName(CUresult error, const char **text) {
  if (!text)
    return CUDA_ERROR_INVALID_VALUE;
  switch (error) {
#define GPULTO_CU_ERROR(code)                                                  \
  case code:                                                                   \
    *text = #code;                                                             \
    return CUDA_SUCCESS;
#include "emulator/runtime/DriverErrors.def"
  }
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  const char *name = nullptr;
  if (!text || cuGetErrorName(error, &name)) {
    if (text)
      *text = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
  }
  // The two codes that the runtime does not have.
  if (error == CUDA_ERROR_CONTEXT_ALREADY_CURRENT)
    *text = "context already current";
  else if (error == CUDA_ERROR_KEY_ROTATION)
    *text = "key rotation";
  else
    *text = errorMessage(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}

// Entry points ---------------------------------------------------------------

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version,
                             cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
  constexpr cuuint64_t kKnownFlags =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM |
      CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (!symbol || !function || (flags & ~kKnownFlags) || flags == kKnownFlags)
    return CUDA_ERROR_INVALID_VALUE;
  bool isKnown = false;
  const char *name = nullptr;
  if (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
    name = findSymbol(symbol, version, true, isKnown);
  if (!name)
    name = findSymbol(symbol, version, false, isKnown);
  *function = name ? dlsym(ownLibrary(), name) : nullptr;
  if (status)
    *status = name      ? CU_GET_PROC_ADDRESS_SUCCESS
              : isKnown ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                        : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return name ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

#undef cuGetProcAddress
CUresult cuGetProcAddress(const char *symbol, void **function, int version,
                          cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

/// The tables are private to NVIDIA's libraries. A caller is the static runtime
/// in a program, or a copy of the shared one under another name.
CUresult cuGetExportTable(const void **table, const CUuuid *) {
  if (table)
    *table = nullptr;
  static std::atomic<bool> isTold{false};
  if (!isTold.exchange(true))
    complain(whyNoExportTable(__builtin_return_address(0)));
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuProfilerStart(void) { return checkContext(); }
CUresult cuProfilerStop(void) { return checkContext(); }

} // extern "C"
