//===- DriverLink.cpp - Driver API: options of loading, linking -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Driver.h"
#include "emulator/runtime/HostImage.h"
#include "emulator/runtime/JitOptions.h"

#include <algorithm>
#include <cstring>

namespace gpulto::emu {

CUresult JitOptions::check() const {
  if (count && (!options || !values))
    return CUDA_ERROR_INVALID_VALUE;
  if (find(CU_JIT_GLOBAL_SYMBOL_NAMES))
    return driverNotSupported("CU_JIT_GLOBAL_SYMBOL_NAMES");
  return CUDA_SUCCESS;
}

void **JitOptions::find(CUjit_option option) const {
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == option)
      return values + i;
  return nullptr;
}

/// Fills a log of the program with \p text, cut to its size, and puts how much
/// that is where the size was.
static void fillLog(const JitOptions &options, CUjit_option buffer,
                    CUjit_option size, const std::string &text) {
  void **slot = options.find(buffer), **room = options.find(size);
  if (!slot || !*slot || !room)
    return;
  // The value is the number itself, in the low half of the pointer.
  auto bytes = static_cast<unsigned>(reinterpret_cast<uintptr_t>(*room));
  if (!bytes)
    return;
  size_t used = std::min<size_t>(text.size(), bytes - 1);
  std::memcpy(*slot, text.data(), used);
  static_cast<char *>(*slot)[used] = 0;
  *room = reinterpret_cast<void *>(used);
}

JitLog::JitLog(const JitOptions &options) : options(options) {
  isUsed = options.find(CU_JIT_ERROR_LOG_BUFFER) &&
           options.find(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  if (isUsed)
    threadState().log = &text;
}

JitLog::~JitLog() {
  if (isUsed)
    threadState().log = nullptr;
  fillLog(options, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
          text);
  fillLog(options, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
          "");
  if (void **time = options.find(CU_JIT_WALL_TIME))
    *time = nullptr;
}

} // namespace gpulto::emu

using namespace gpulto::emu;

namespace {

/// The object behind CUlinkState.
struct LinkState {
  /// Those of cuLinkCreate: the program keeps the arrays and the logs until the
  /// state is destroyed.
  JitOptions options;
  std::vector<PtxSource> sources;
  /// What cuLinkComplete returned.
  std::string image;
};

/// All link states of the process; guarded by the runtime's mutex.
std::map<const void *, std::unique_ptr<LinkState>> &linkStates() {
  static auto *all = new std::map<const void *, std::unique_ptr<LinkState>>;
  return *all;
}

template <typename Body> CUresult withLink(CUlinkState handle, Body body) {
  return inContext([&] {
    return enter([&](Runtime &runtime) -> cudaError_t {
      auto found = linkStates().find(handle);
      if (found == linkStates().end())
        return cudaErrorInvalidResourceHandle;
      return body(runtime, *found->second);
    });
  });
}

/// Adds what is for the device in \p code; only PTX can be linked.
cudaError_t addCode(Runtime &runtime, LinkState &state, const char *name,
                    const void *code) {
  DeviceImages images;
  if (std::string error = readCode(code, images); !error.empty()) {
    complain(std::string(name) + ": " + error);
    return cudaErrorInvalidKernelImage;
  }
  std::vector<PtxSource> added;
  for (size_t index : selectImages(images, runtime.settings.arch))
    added.push_back({name, std::move(images.images[index].text)});
  if (added.empty()) {
    complain(std::string(name) + ": " +
             explainNoImage(images, runtime.settings.arch));
    return cudaErrorNoKernelImageForDevice;
  }
  // Other inputs may define what this one needs; the rest is wrong already.
  Status status;
  std::unique_ptr<Module> alone = runtime.device()->loadModule(added, status);
  if (!alone && status.kind != ErrorKind::UnresolvedSymbol) {
    complain(status.text);
    return toCudaError(status.kind);
  }
  if (alone)
    if (cudaError_t error = checkCode(*alone))
      return error;
  for (PtxSource &source : added)
    state.sources.push_back(std::move(source));
  return cudaSuccess;
}

} // namespace

extern "C" {

CUresult cuLinkCreate(unsigned count, CUjit_option *options, void **values,
                      CUlinkState *result) {
  JitOptions jit{options, values, count};
  if (CUresult error = jit.check())
    return error;
  return inContext([&] {
    return enter([&](Runtime &) {
      if (!result)
        return cudaErrorInvalidValue;
      auto state = std::make_unique<LinkState>();
      state->options = jit;
      *result = reinterpret_cast<CUlinkState>(state.get());
      const void *key = state.get();
      linkStates()[key] = std::move(state);
      return cudaSuccess;
    });
  });
}

CUresult cuLinkAddData(CUlinkState handle, CUjitInputType type, void *data,
                       size_t size, const char *name, unsigned, CUjit_option *,
                       void **) {
  return withLink(handle, [&](Runtime &runtime, LinkState &state) {
    if (!data || !size || type >= CU_JIT_NUM_INPUT_TYPES)
      return cudaErrorInvalidValue;
    // A text need not end in zero.
    std::string copy(static_cast<const char *>(data), size);
    JitLog log(state.options);
    return addCode(runtime, state, name ? name : "input of cuLinkAddData",
                   copy.c_str());
  });
}

CUresult cuLinkAddFile(CUlinkState handle, CUjitInputType type,
                       const char *path, unsigned count, CUjit_option *options,
                       void **values) {
  std::string text;
  if (!path)
    return CUDA_ERROR_INVALID_VALUE;
  if (!readWholeFile(path, text).empty())
    return CUDA_ERROR_FILE_NOT_FOUND;
  return cuLinkAddData(handle, type, text.data(), text.size(), path, count,
                       options, values);
}

CUresult cuLinkComplete(CUlinkState handle, void **image, size_t *size) {
  return withLink(handle, [&](Runtime &runtime, LinkState &state) {
    if (!image)
      return cudaErrorInvalidValue;
    JitLog log(state.options);
    Status status;
    std::unique_ptr<Module> linked =
        runtime.device()->loadModule(state.sources, status);
    if (!linked) {
      complain(status.text);
      return toCudaError(status.kind);
    }
    if (cudaError_t error = checkCode(*linked))
      return error;
    std::vector<std::string> texts;
    for (const PtxSource &source : state.sources)
      texts.push_back(source.text);
    state.image = writeLinkedImage(texts);
    *image = state.image.data();
    if (size)
      *size = state.image.size();
    return cudaSuccess;
  });
}

CUresult cuLinkDestroy(CUlinkState handle) {
  return withLink(handle, [&](Runtime &, LinkState &) {
    linkStates().erase(handle);
    return cudaSuccess;
  });
}

#undef cuLinkCreate
#undef cuLinkAddData
#undef cuLinkAddFile
GPULTO_EMU_OLDER(cuLinkCreate, cuLinkCreate_v2);
GPULTO_EMU_OLDER(cuLinkAddData, cuLinkAddData_v2);
GPULTO_EMU_OLDER(cuLinkAddFile, cuLinkAddFile_v2);

} // extern "C"
