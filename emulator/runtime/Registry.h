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

#include "emulator/machine/Device.h"

#include <array>
#include <cuda_runtime_api.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gpulto::emu {

class Runtime;
struct CodeModule;
struct Context;

/// A kernel as one device has it.
struct DeviceKernel {
  /// Null until the module is loaded on the device.
  const Kernel *kernel = nullptr;
  /// cudaFuncAttributeMaxDynamicSharedMemorySize; -1: not set.
  int64_t maxDynamicSharedBytes = -1;
  int sharedCarveout = -1;
  /// cudaFuncAttributeRequiredClusterWidth and its kin; 0: not set.
  std::array<uint32_t, 3> requiredCluster{};
  bool allowsNonPortableCluster = false;
  int clusterPolicy = 0;
};

/// A kernel of a registered or loaded module; `cudaKernel_t`, `cudaFunction_t`
/// and host stubs all lead here. Nodes of graphs keep it when its module is
/// gone.
struct KernelEntry : std::enable_shared_from_this<KernelEntry> {
  /// Null once the module is gone.
  CodeModule *owner = nullptr;
  std::string name;
  /// First host stub registered for it; null for kernels found by name.
  const void *stub = nullptr;
  std::array<DeviceKernel, kMaxDevices> on;
};

/// A variable of a registered module, by the address of its host shadow.
struct VariableEntry {
  CodeModule *owner = nullptr;
  std::string name;
  uint64_t sizeBytes = 0;
  bool isExtern = false;
};

/// A managed variable: the host sees it through a pointer it keeps.
struct ManagedEntry {
  void **hostPointer = nullptr;
  std::string name;
};

/// One fat binary (or library of the cudaLibrary API) and what it became.
struct CodeModule {
  enum class State : uint8_t { Registered, Loaded, Failed };
  /// What it is on one device.
  struct OnDevice {
    State state = State::Registered;
    /// Why loading failed.
    cudaError_t error = cudaSuccess;
    std::shared_ptr<Module> module;
  };

  /// The context that it was loaded in; null for registered code and for
  /// libraries, which all have.
  const Context *context = nullptr;
  /// For messages: the file that holds the fat binary.
  std::string origin;
  /// The wrapper handed to __cudaRegisterFatBinary; null for libraries.
  const void *wrapper = nullptr;
  /// PTX of a library of the cudaLibrary API; empty for registered code.
  std::vector<PtxSource> sources;
  std::array<OnDevice, kMaxDevices> on;
  std::map<std::string, std::shared_ptr<KernelEntry>> kernels;
  std::vector<ManagedEntry> managed;
};

/// Appends the bytes of a file to \p text. Returns an empty string, or what is
/// wrong.
std::string readWholeFile(const std::string &path, std::string &text);

/// Reads the bodies of all functions, as a compiler does when it loads code
/// that the program hands over. An instruction that the emulator lacks is no
/// error before it is reached.
cudaError_t checkCode(Module &module);

/// All registered code. Every member needs the runtime's mutex.
class Registry {
public:
  /// Registers the fat binary behind \p wrapper. Never fails: what is wrong is
  /// told at the first use.
  CodeModule *addFatBinary(const void *wrapper);
  /// Registers a library made of \p sources.
  CodeModule *addLibrary(std::string origin, std::vector<PtxSource> sources);
  /// Registers the device code at \p code (readCode tells its forms) as a
  /// library or, with a context, as a module of that, and loads it on the
  /// current device. What is wrong with it has been told when it fails.
  cudaError_t loadCode(Runtime &runtime, const char *origin, const void *code,
                       const Context *context, CodeModule *&module);
  /// Forgets the modules that were loaded in a context.
  void removeOf(const Context &context);
  /// Forgets \p module, its kernels and variables. Ignores strangers.
  void remove(CodeModule *module);
  bool isModule(const void *handle) const;

  /// Binds \p stub to a kernel. A template kernel instantiated in two units is
  /// registered twice with one stub, which stands for the first as long as that
  /// is there.
  void addKernel(CodeModule *module, const void *stub, const std::string &name,
                 bool refuseDoubleStub);
  /// Binds \p shadow to a variable. The first definition stays, and stands
  /// before any declaration.
  void addVariable(CodeModule *module, const void *shadow, std::string name,
                   uint64_t sizeBytes, bool isExtern);
  void addManaged(CodeModule *module, void **hostPointer, std::string name);

  /// Loads \p module on a device unless it is there; sets the managed
  /// variables' host pointers.
  cudaError_t load(Runtime &runtime, CodeModule &module, unsigned device);
  /// Unloads all modules of a device; they load again at their next use.
  void unload(unsigned device);

  /// Finds what \p function (host stub or kernel handle) stands for, loaded or
  /// not; null when it is unknown.
  KernelEntry *findEntry(const void *function) const;
  /// Finds the kernel that \p function (host stub or kernel handle) stands
  /// for, loaded on \p device; cudaErrorInvalidDeviceFunction when it is
  /// unknown.
  cudaError_t findKernel(Runtime &runtime, const void *function,
                         unsigned device, KernelEntry *&entry);
  /// Finds a kernel of a library by its name in PTX, loaded on the current
  /// device.
  cudaError_t findKernelByName(Runtime &runtime, CodeModule &module,
                               const std::string &name, KernelEntry *&entry);
  /// Finds the kernels of a library, \p most at most; \p code is what it is on
  /// the current device.
  cudaError_t findKernels(Runtime &runtime, CodeModule &module, Module &code,
                          unsigned most, std::vector<KernelEntry *> &found);
  /// Finds the current device's copy of the variable that \p shadow stands for,
  /// loaded; cudaErrorInvalidSymbol when it is unknown.
  cudaError_t findVariable(Runtime &runtime, const void *shadow,
                           VariableInfo &info);

private:
  CodeModule *add(std::unique_ptr<CodeModule> module);
  cudaError_t loadNow(Runtime &runtime, CodeModule &module, unsigned device);
  std::shared_ptr<KernelEntry> makeKernel(CodeModule &module, std::string name);

  std::vector<std::unique_ptr<CodeModule>> modules;
  /// What a host address was registered for, in the order of registration.
  std::map<const void *, std::vector<KernelEntry *>> stubs;
  std::map<const void *, std::vector<VariableEntry>> variables;
  std::set<const void *> kernelHandles;
  /// The one module of --device-code on each device, shared by all fat
  /// binaries.
  std::array<std::shared_ptr<Module>, kMaxDevices> substitutes;
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_REGISTRY_H
