//===- Registry.h - Device code the program has registered -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file Fat binaries, the host addresses that denote kernels and variables,
/// and the modules into which they are loaded on first use.
///
/// A constructor of the program (or of a shared library) registers a fat binary
/// and its symbols. Nothing is parsed then: a program may carry code that it
/// never runs, and the device's settings may still change.
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

/// A kernel on one device.
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
/// and host stubs all lead here. Graph nodes keep it after its module is gone.
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

/// A managed variable: the host accesses it through its own pointer.
struct ManagedEntry {
  void **hostPointer = nullptr;
  std::string name;
};

/// One fat binary (or library of the cudaLibrary API) and its loaded form.
struct CodeModule {
  enum class State : uint8_t { Registered, Loaded, Failed };
  /// Its form on one device.
  struct OnDevice {
    State state = State::Registered;
    /// Why loading failed.
    cudaError_t error = cudaSuccess;
    std::shared_ptr<Module> module;
  };

  /// The context in which it was loaded; null for registered code and for
  /// libraries, which belong to all.
  const Context *context = nullptr;
  /// For messages: the file that contains the fat binary.
  std::string origin;
  /// The wrapper handed to __cudaRegisterFatBinary; null for libraries.
  const void *wrapper = nullptr;
  /// PTX of a library of the cudaLibrary API; empty for registered code.
  std::vector<PtxSource> sources;
  std::array<OnDevice, kMaxDevices> on;
  std::map<std::string, std::shared_ptr<KernelEntry>> kernels;
  std::vector<ManagedEntry> managed;
};

/// Appends the bytes of a file to \p text. Returns an empty string, or an
/// error.
std::string readWholeFile(const std::string &path, std::string &text);

/// Reads the bodies of all functions, as a compiler does when it loads code
/// from the program. An instruction that the emulator lacks is an error only
/// when reached.
cudaError_t checkCode(Module &module);

/// All registered code. Every member needs the runtime's mutex.
class Registry {
public:
  /// Registers the fat binary behind \p wrapper. Never fails: errors are
  /// reported at the first use.
  CodeModule *addFatBinary(const void *wrapper);
  /// Registers a library made of \p sources.
  CodeModule *addLibrary(std::string origin, std::vector<PtxSource> sources);
  /// Registers the device code at \p code (see readCode for its forms) as a
  /// library or, with a context, as a module of that context, and loads it on
  /// the current device. On failure the error has been reported.
  cudaError_t loadCode(Runtime &runtime, const char *origin, const void *code,
                       const Context *context, CodeModule *&module);
  /// Forgets the modules loaded in a context.
  void removeOf(const Context &context);
  /// Forgets \p module, its kernels and variables. Ignores unknown modules.
  void remove(CodeModule *module);
  bool isModule(const void *handle) const;

  /// Binds \p stub to a kernel. A template kernel instantiated in two units is
  /// registered twice with one stub, which denotes the first as long as that
  /// exists.
  void addKernel(CodeModule *module, const void *stub, const std::string &name,
                 bool refuseDoubleStub);
  /// Binds \p shadow to a variable. The first definition stays, and takes
  /// precedence over any declaration.
  void addVariable(CodeModule *module, const void *shadow, std::string name,
                   uint64_t sizeBytes, bool isExtern);
  void addManaged(CodeModule *module, void **hostPointer, std::string name);

  /// Loads \p module on a device unless already loaded; sets the managed
  /// variables' host pointers.
  cudaError_t load(Runtime &runtime, CodeModule &module, unsigned device);
  /// Unloads all modules of a device; they load again at their next use.
  void unload(unsigned device);

  /// Finds the kernel that \p function (host stub or kernel handle) denotes,
  /// loaded or not; null if it is unknown.
  KernelEntry *findEntry(const void *function) const;
  /// Finds the kernel that \p function (host stub or kernel handle) denotes,
  /// loaded on \p device; cudaErrorInvalidDeviceFunction if it is unknown.
  cudaError_t findKernel(Runtime &runtime, const void *function,
                         unsigned device, KernelEntry *&entry);
  /// Finds a kernel of a library by its name in PTX, loaded on the current
  /// device.
  cudaError_t findKernelByName(Runtime &runtime, CodeModule &module,
                               const std::string &name, KernelEntry *&entry);
  /// Finds at most \p most kernels of a library; \p code is its form on the
  /// current device.
  cudaError_t findKernels(Runtime &runtime, CodeModule &module, Module &code,
                          unsigned most, std::vector<KernelEntry *> &found);
  /// Finds the current device's copy of the variable that \p shadow denotes,
  /// loaded; cudaErrorInvalidSymbol if it is unknown.
  cudaError_t findVariable(Runtime &runtime, const void *shadow,
                           VariableInfo &info);

private:
  CodeModule *add(std::unique_ptr<CodeModule> module);
  cudaError_t loadNow(Runtime &runtime, CodeModule &module, unsigned device);
  std::shared_ptr<KernelEntry> makeKernel(CodeModule &module, std::string name);

  std::vector<std::unique_ptr<CodeModule>> modules;
  /// The kernels for which a host address was registered, in the order of
  /// registration.
  std::map<const void *, std::vector<KernelEntry *>> stubs;
  std::map<const void *, std::vector<VariableEntry>> variables;
  std::set<const void *> kernelHandles;
  /// The single module of --device-code on each device, shared by all fat
  /// binaries.
  std::array<std::shared_ptr<Module>, kMaxDevices> substitutes;
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_REGISTRY_H
