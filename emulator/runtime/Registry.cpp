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

bool isSameVariable(const VariableEntry &a, const VariableEntry &b) {
  return a.name == b.name &&
         (a.isExtern || b.isExtern || a.sizeBytes == b.sizeBytes);
}

std::string describe(const VariableEntry &entry) {
  return entry.name + " (" + std::to_string(entry.sizeBytes) + " bytes)";
}

} // namespace

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

cudaError_t checkCode(Module &module) {
  Status status = module.decodeAll();
  if (status.kind != ErrorKind::InvalidPtx)
    return cudaSuccess;
  complain(status.text);
  return toCudaError(status.kind);
}

cudaError_t Registry::loadCode(Runtime &runtime, const char *origin,
                               const void *code, const Context *context,
                               CodeModule *&module) {
  DeviceImages images;
  if (std::string error = readCode(code, images); !error.empty()) {
    complain(std::string(origin) + ": " + error);
    return cudaErrorInvalidKernelImage;
  }
  unsigned arch = runtime.settings.arch;
  std::vector<PtxSource> sources;
  for (size_t index : selectImages(images, arch))
    sources.push_back({origin, std::move(images.images[index].text)});
  if (sources.empty()) {
    complain(std::string(origin) + ": " + explainNoImage(images, arch));
    return cudaErrorNoKernelImageForDevice;
  }
  module = addLibrary(origin, std::move(sources));
  module->context = context;
  unsigned device = threadState().device;
  cudaError_t error = load(runtime, *module, device);
  if (error == cudaSuccess)
    error = checkCode(*module->on[device].module);
  if (error != cudaSuccess)
    remove(module);
  return error;
}

void Registry::removeOf(const Context &context) {
  std::vector<CodeModule *> meant;
  for (const auto &module : modules)
    if (module->context == &context)
      meant.push_back(module.get());
  for (CodeModule *module : meant)
    remove(module);
}

void Registry::remove(CodeModule *module) {
  if (!isModule(module))
    return;
  for (auto &[stub, bound] : stubs)
    std::erase_if(bound, [&](const KernelEntry *entry) {
      return entry->owner == module;
    });
  for (auto &[shadow, bound] : variables)
    std::erase_if(bound, [&](const VariableEntry &entry) {
      return entry.owner == module;
    });
  std::erase_if(stubs, [](const auto &item) { return item.second.empty(); });
  std::erase_if(variables,
                [](const auto &item) { return item.second.empty(); });
  for (const auto &[name, entry] : module->kernels) {
    kernelHandles.erase(entry.get());
    entry->owner = nullptr;
    entry->on = {};
  }
  std::erase_if(modules,
                [&](const auto &item) { return item.get() == module; });
}

std::shared_ptr<KernelEntry> Registry::makeKernel(CodeModule &module,
                                                  std::string name) {
  auto entry = std::make_shared<KernelEntry>();
  entry->owner = &module;
  entry->name = std::move(name);
  kernelHandles.insert(entry.get());
  return entry;
}

void Registry::addKernel(CodeModule *module, const void *stub,
                         const std::string &name, bool refuseDoubleStub) {
  std::shared_ptr<KernelEntry> &entry = module->kernels[name];
  if (!entry) {
    entry = makeKernel(*module, name);
    entry->stub = stub;
  } else if (refuseDoubleStub && entry->stub != stub) {
    complain("two host stubs are registered for " + name +
             " in one fat binary, which --refuse-double-stub forbids");
    std::fflush(nullptr);
    _exit(EXIT_FAILURE);
  }
  std::vector<KernelEntry *> &bound = stubs[stub];
  if (!bound.empty() && bound.front()->name != name)
    complain("one host stub is registered for the kernels " +
             bound.front()->name + " and " + name + "; launches of it fail");
  bound.push_back(entry.get());
}

void Registry::addVariable(CodeModule *module, const void *shadow,
                           std::string name, uint64_t sizeBytes,
                           bool isExtern) {
  VariableEntry entry{module, std::move(name), sizeBytes, isExtern};
  std::vector<VariableEntry> &bound = variables[shadow];
  for (const VariableEntry &other : bound)
    if (!isSameVariable(other, entry))
      complain("one host variable is registered for the device variables " +
               describe(other) + " and " + describe(entry) +
               "; copies of it fail");
  auto place = std::find_if(bound.begin(), bound.end(), [&](const auto &other) {
    return other.isExtern && !isExtern;
  });
  bound.insert(place, std::move(entry));
}

void Registry::addManaged(CodeModule *module, void **hostPointer,
                          std::string name) {
  module->managed.push_back({hostPointer, std::move(name)});
}

/// The managed variables that the module has on another device; null: there is
/// none yet.
static std::shared_ptr<const ManagedVariables>
managedElsewhere(const CodeModule &module) {
  for (const CodeModule::OnDevice &other : module.on)
    if (other.module)
      return other.module->managedVariables();
  return nullptr;
}

cudaError_t Registry::loadNow(Runtime &runtime, CodeModule &module,
                              unsigned device) {
  CodeModule::OnDevice &here = module.on[device];
  std::shared_ptr<Module> &substitute = substitutes[device];
  std::vector<PtxSource> sources = module.sources;
  const std::string &replacement = runtime.settings.deviceCode;
  if (module.wrapper && !replacement.empty()) {
    // A whole link's PTX serves all fat binaries of the program, and each
    // device variable must exist once: one module for all.
    if (substitute) {
      here.module = substitute;
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
  here.module = runtime.devices[device].device->loadModule(
      std::move(sources), status, managedElsewhere(module));
  if (!here.module) {
    complain(status.text);
    return toCudaError(status.kind);
  }
  if (module.wrapper && !replacement.empty())
    substitute = here.module;
  return cudaSuccess;
}

cudaError_t Registry::load(Runtime &runtime, CodeModule &module,
                           unsigned device) {
  CodeModule::OnDevice &here = module.on[device];
  if (here.state == CodeModule::State::Loaded)
    return cudaSuccess;
  if (here.state == CodeModule::State::Failed)
    return here.error;
  here.error = loadNow(runtime, module, device);
  if (here.error != cudaSuccess) {
    here.state = CodeModule::State::Failed;
    return here.error;
  }
  here.state = CodeModule::State::Loaded;
  for (const auto &[name, entry] : module.kernels)
    entry->on[device].kernel = here.module->findKernel(name);
  for (const ManagedEntry &managed : module.managed)
    if (const VariableInfo *info = here.module->findVariable(managed.name))
      *managed.hostPointer = reinterpret_cast<void *>(info->address);
  return cudaSuccess;
}

void Registry::unload(unsigned device) {
  for (const auto &module : modules) {
    module->on[device] = {};
    for (const auto &[name, entry] : module->kernels)
      entry->on[device] = {};
  }
  substitutes[device].reset();
}

KernelEntry *Registry::findEntry(const void *function) const {
  if (auto found = stubs.find(function); found != stubs.end()) {
    KernelEntry *first = found->second.front();
    bool isClear = std::all_of(
        found->second.begin(), found->second.end(),
        [&](const KernelEntry *entry) { return entry->name == first->name; });
    return isClear ? first : nullptr;
  }
  if (kernelHandles.count(function))
    return const_cast<KernelEntry *>(
        static_cast<const KernelEntry *>(function));
  return nullptr;
}

cudaError_t Registry::findKernel(Runtime &runtime, const void *function,
                                 unsigned device, KernelEntry *&entry) {
  entry = findEntry(function);
  if (!entry)
    return cudaErrorInvalidDeviceFunction;
  if (cudaError_t error = load(runtime, *entry->owner, device))
    return error;
  if (entry->on[device].kernel)
    return cudaSuccess;
  complain(entry->owner->origin + ": no kernel " + entry->name +
           " in the loaded PTX");
  return cudaErrorInvalidDeviceFunction;
}

cudaError_t Registry::findKernelByName(Runtime &runtime, CodeModule &module,
                                       const std::string &name,
                                       KernelEntry *&entry) {
  unsigned device = threadState().device;
  if (cudaError_t error = load(runtime, module, device))
    return error;
  const Kernel *kernel = module.on[device].module->findKernel(name);
  if (!kernel)
    return cudaErrorSymbolNotFound;
  std::shared_ptr<KernelEntry> &slot = module.kernels[name];
  if (!slot)
    slot = makeKernel(module, name);
  slot->on[device].kernel = kernel;
  entry = slot.get();
  return cudaSuccess;
}

cudaError_t Registry::findKernels(Runtime &runtime, CodeModule &module,
                                  Module &code, unsigned most,
                                  std::vector<KernelEntry *> &found) {
  for (const std::string &name : code.kernelNames()) {
    if (found.size() == most)
      break;
    KernelEntry *entry = nullptr;
    if (cudaError_t error = findKernelByName(runtime, module, name, entry))
      return error;
    found.push_back(entry);
  }
  return cudaSuccess;
}

cudaError_t Registry::findVariable(Runtime &runtime, const void *shadow,
                                   VariableInfo &info) {
  auto found = variables.find(shadow);
  if (found == variables.end())
    return cudaErrorInvalidSymbol;
  const VariableEntry &entry = found->second.front();
  for (const VariableEntry &other : found->second)
    if (!isSameVariable(entry, other))
      return cudaErrorInvalidSymbol;
  unsigned device = threadState().device;
  if (cudaError_t error = load(runtime, *entry.owner, device))
    return error;
  const VariableInfo *variable =
      entry.owner->on[device].module->findVariable(entry.name);
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
