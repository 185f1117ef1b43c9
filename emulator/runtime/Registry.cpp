//===- Registry.cpp - Device code the program has registered --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Registry.h"

#include "emulator/runtime/HostImage.h"
#include "emulator/runtime/Runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace gpulto::emu {
namespace {

std::string readWholeFile(const std::string &path, std::string &text) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return "cannot open " + path;
  char buffer[65536];
  size_t count;
  while ((count = std::fread(buffer, 1, sizeof(buffer), file)) > 0)
    text.append(buffer, count);
  bool failed = std::ferror(file) != 0;
  std::fclose(file);
  return failed ? "cannot read " + path : "";
}

/// Gathers the PTX sources of a fat binary that the device runs.
cudaError_t collectSources(const Settings &settings, CodeModule &module,
                           std::vector<PtxSource> &sources) {
  DeviceImages images;
  std::string error = readWrapper(module.wrapper, images, module.origin);
  if (!error.empty()) {
    complain(module.origin + ": " + error);
    return cudaErrorInvalidKernelImage;
  }
  std::vector<size_t> chosen = selectImages(images, settings.arch);
  if (chosen.empty()) {
    complain(module.origin + ": " + explainNoImage(images, settings.arch));
    return cudaErrorNoKernelImageForDevice;
  }
  for (size_t index : chosen)
    sources.push_back({module.origin + ": image " + std::to_string(index + 1) +
                           " of " + std::to_string(images.images.size()),
                       std::move(images.images[index].text)});
  return cudaSuccess;
}

} // namespace

CodeModule *Registry::add(std::unique_ptr<CodeModule> module) {
  modules.push_back(std::move(module));
  return modules.back().get();
}

CodeModule *Registry::addFatBinary(const void *wrapper) {
  auto module = std::make_unique<CodeModule>();
  module->wrapper = wrapper;
  return add(std::move(module));
}

CodeModule *Registry::addLibrary(std::string origin,
                                 std::vector<PtxSource> sources) {
  auto module = std::make_unique<CodeModule>();
  module->origin = std::move(origin);
  module->sources = std::move(sources);
  return add(std::move(module));
}

bool Registry::isModule(const void *handle) const {
  return std::any_of(modules.begin(), modules.end(), [&](const auto &module) {
    return module.get() == handle;
  });
}

void Registry::remove(CodeModule *module) {
  if (!isModule(module))
    return;
  std::erase_if(stubs,
                [&](const auto &item) { return item.second->owner == module; });
  std::erase_if(variables,
                [&](const auto &item) { return item.second.owner == module; });
  for (const auto &[name, entry] : module->kernels)
    kernelHandles.erase(entry.get());
  std::erase_if(modules,
                [&](const auto &item) { return item.get() == module; });
}

void Registry::addKernel(CodeModule *module, const void *stub, std::string name,
                         bool refuseDoubleStub) {
  std::unique_ptr<KernelEntry> &entry = module->kernels[name];
  if (!entry) {
    entry = std::make_unique<KernelEntry>();
    entry->owner = module;
    entry->name = name;
    entry->stub = stub;
    kernelHandles.insert(entry.get());
  } else if (refuseDoubleStub && entry->stub != stub) {
    complain("two host stubs are registered for " + name +
             " in one fat binary, which --refuse-double-stub forbids");
    std::fflush(nullptr);
    _exit(EXIT_FAILURE);
  }
  stubs.emplace(stub, entry.get());
}

void Registry::addVariable(CodeModule *module, const void *shadow,
                           std::string name, uint64_t sizeBytes,
                           bool isExtern) {
  VariableEntry entry{module, std::move(name), sizeBytes};
  // A declaration never replaces a definition.
  if (isExtern)
    variables.emplace(shadow, std::move(entry));
  else
    variables.insert_or_assign(shadow, std::move(entry));
}

void Registry::addManaged(CodeModule *module, void **hostPointer,
                          std::string name) {
  module->managed.push_back({hostPointer, std::move(name)});
}

cudaError_t Registry::loadNow(Runtime &runtime, CodeModule &module) {
  std::vector<PtxSource> sources = module.sources;
  const std::string &replacement = runtime.settings.deviceCode;
  if (module.wrapper && !replacement.empty()) {
    // A whole link's PTX serves all fat binaries of the program, and each
    // device variable must exist once: one module for all.
    if (substitute) {
      module.module = substitute;
      return cudaSuccess;
    }
    PtxSource source{replacement, ""};
    if (std::string error = readWholeFile(replacement, source.text);
        !error.empty()) {
      complain(error);
      return cudaErrorFileNotFound;
    }
    sources.push_back(std::move(source));
  } else if (module.wrapper) {
    if (cudaError_t error = collectSources(runtime.settings, module, sources))
      return error;
  }
  if (runtime.settings.verbose)
    for (const PtxSource &source : sources)
      complain("loading " + source.name);
  Status status;
  module.module = runtime.device()->loadModule(std::move(sources), status);
  if (!module.module) {
    complain(status.text);
    return toCudaError(status.kind);
  }
  if (module.wrapper && !replacement.empty())
    substitute = module.module;
  return cudaSuccess;
}

cudaError_t Registry::load(Runtime &runtime, CodeModule &module) {
  if (module.state == CodeModule::State::Loaded)
    return cudaSuccess;
  if (module.state == CodeModule::State::Failed)
    return module.error;
  module.error = loadNow(runtime, module);
  if (module.error != cudaSuccess) {
    module.state = CodeModule::State::Failed;
    return module.error;
  }
  module.state = CodeModule::State::Loaded;
  for (const auto &[name, entry] : module.kernels)
    entry->kernel = module.module->findKernel(name);
  for (const ManagedEntry &managed : module.managed)
    if (const VariableInfo *info = module.module->findVariable(managed.name))
      *managed.hostPointer = reinterpret_cast<void *>(info->address);
  return cudaSuccess;
}

void Registry::loadManaged(Runtime &runtime) {
  for (const auto &module : modules)
    if (!module->managed.empty())
      (void)load(runtime, *module);
}

void Registry::unloadAll() {
  for (const auto &module : modules) {
    module->state = CodeModule::State::Registered;
    module->module.reset();
    for (const auto &[name, entry] : module->kernels) {
      entry->kernel = nullptr;
      entry->maxDynamicSharedBytes = -1;
    }
  }
  substitute.reset();
}

KernelEntry *Registry::findEntry(const void *function) const {
  if (auto found = stubs.find(function); found != stubs.end())
    return found->second;
  if (kernelHandles.count(function))
    return const_cast<KernelEntry *>(
        static_cast<const KernelEntry *>(function));
  return nullptr;
}

cudaError_t Registry::findKernel(Runtime &runtime, const void *function,
                                 KernelEntry *&entry) {
  entry = findEntry(function);
  if (!entry)
    return cudaErrorInvalidDeviceFunction;
  if (cudaError_t error = load(runtime, *entry->owner))
    return error;
  if (entry->kernel)
    return cudaSuccess;
  complain(entry->owner->origin + ": no kernel " + entry->name +
           " in the loaded PTX");
  return cudaErrorInvalidDeviceFunction;
}

cudaError_t Registry::findKernelByName(Runtime &runtime, CodeModule &module,
                                       const std::string &name,
                                       KernelEntry *&entry) {
  if (cudaError_t error = load(runtime, module))
    return error;
  const Kernel *kernel = module.module->findKernel(name);
  if (!kernel)
    return cudaErrorSymbolNotFound;
  std::unique_ptr<KernelEntry> &slot = module.kernels[name];
  if (!slot) {
    slot = std::make_unique<KernelEntry>();
    slot->owner = &module;
    slot->name = name;
    kernelHandles.insert(slot.get());
  }
  slot->kernel = kernel;
  entry = slot.get();
  return cudaSuccess;
}

cudaError_t Registry::findVariable(Runtime &runtime, const void *shadow,
                                   VariableInfo &info) {
  auto found = variables.find(shadow);
  if (found == variables.end())
    return cudaErrorInvalidSymbol;
  const VariableEntry &entry = found->second;
  if (cudaError_t error = load(runtime, *entry.owner))
    return error;
  const VariableInfo *variable = entry.owner->module->findVariable(entry.name);
  if (!variable) {
    complain(entry.owner->origin + ": no variable " + entry.name +
             " in the loaded PTX");
    return cudaErrorInvalidSymbol;
  }
  info = *variable;
  // The host's size has the last word: PTX may pad.
  if (entry.sizeBytes && entry.sizeBytes < info.sizeBytes)
    info.sizeBytes = entry.sizeBytes;
  return cudaSuccess;
}

} // namespace gpulto::emu
