//===- Registry.h - Device code the program has registered -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fat binaries, the host addresses that stand for kernels and variables, and
/// the modules they are loaded into at first use.
///
/// A constructor of the program (or of a shared library) registers a fat
/// binary and its symbols. Nothing is parsed then: a program may carry code
/// that it never runs, and the device's settings are not known to be final.
///
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_REGISTRY_H
#define GPULTO_EMULATOR_RUNTIME_REGISTRY_H

#include "emulator/Device.h"

#include <cuda_runtime_api.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gpulto::emu {

class Runtime;
struct CodeModule;

/// A kernel of a registered or loaded module; `cudaKernel_t`, `cudaFunction_t`
/// and host stubs all lead here.
struct KernelEntry {
  CodeModule *owner = nullptr;
  std::string name;
  /// Null until the owner is loaded.
  const Kernel *kernel = nullptr;
  /// First host stub registered for it; null for kernels found by name.
  const void *stub = nullptr;
  /// cudaFuncAttributeMaxDynamicSharedMemorySize; -1: not set.
  int64_t maxDynamicSharedBytes = -1;
  int sharedCarveout = -1;
  bool clusterSizeMustBeSet = false;
};

/// A variable of a registered module, by the address of its host shadow.
struct VariableEntry {
  CodeModule *owner = nullptr;
  std::string name;
  uint64_t sizeBytes = 0;
};

/// A managed variable: the host sees it through a pointer it keeps.
struct ManagedEntry {
  void **hostPointer = nullptr;
  std::string name;
};

/// One fat binary (or library of the cudaLibrary API) and what it became.
struct CodeModule {
  enum class State : uint8_t { Registered, Loaded, Failed };

  /// For messages: the file that holds the fat binary.
  std::string origin;
  /// The wrapper handed to __cudaRegisterFatBinary; null for libraries.
  const void *wrapper = nullptr;
  /// PTX of a library of the cudaLibrary API; empty for registered code.
  std::vector<PtxSource> sources;
  State state = State::Registered;
  /// Why loading failed.
  cudaError_t error = cudaSuccess;
  std::shared_ptr<Module> module;
  std::map<std::string, std::unique_ptr<KernelEntry>> kernels;
  std::vector<ManagedEntry> managed;
};

/// All registered code. Every member needs the runtime's mutex.
class Registry {
public:
  /// Registers the fat binary behind \p wrapper. Never fails: what is wrong is
  /// told at the first use.
  CodeModule *addFatBinary(const void *wrapper);
  /// Registers a library made of \p sources.
  CodeModule *addLibrary(std::string origin, std::vector<PtxSource> sources);
  /// Forgets \p module, its kernels and variables. Ignores strangers.
  void remove(CodeModule *module);
  bool isModule(const void *handle) const;

  /// Binds \p stub to a kernel. The first binding of a stub stays: a template
  /// kernel instantiated in two units is registered twice with one stub.
  void addKernel(CodeModule *module, const void *stub, std::string name,
                 bool refuseDoubleStub);
  void addVariable(CodeModule *module, const void *shadow, std::string name,
                   uint64_t sizeBytes, bool isExtern);
  void addManaged(CodeModule *module, void **hostPointer, std::string name);

  /// Loads \p module unless it is; sets the managed variables' host pointers.
  cudaError_t load(Runtime &runtime, CodeModule &module);
  /// Loads every module that has managed variables.
  void loadManaged(Runtime &runtime);
  /// Unloads all modules; they load again at their next use.
  void unloadAll();

  /// Finds what \p function (host stub or kernel handle) stands for, loaded or
  /// not; null when it is unknown.
  KernelEntry *findEntry(const void *function) const;
  /// Finds the kernel that \p function (host stub or kernel handle) stands
  /// for, loaded; cudaErrorInvalidDeviceFunction when it is unknown.
  cudaError_t findKernel(Runtime &runtime, const void *function,
                         KernelEntry *&entry);
  /// Finds a kernel of a library by its name in PTX.
  cudaError_t findKernelByName(Runtime &runtime, CodeModule &module,
                               const std::string &name, KernelEntry *&entry);
  /// Finds the variable that \p shadow stands for, loaded;
  /// cudaErrorInvalidSymbol when it is unknown.
  cudaError_t findVariable(Runtime &runtime, const void *shadow,
                           VariableInfo &info);

private:
  CodeModule *add(std::unique_ptr<CodeModule> module);
  cudaError_t loadNow(Runtime &runtime, CodeModule &module);

  std::vector<std::unique_ptr<CodeModule>> modules;
  std::map<const void *, KernelEntry *> stubs;
  std::set<const void *> kernelHandles;
  std::map<const void *, VariableEntry> variables;
  /// The one module of --device-code, shared by all fat binaries.
  std::shared_ptr<Module> substitute;
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_REGISTRY_H
