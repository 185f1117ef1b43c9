//===- ModuleImpl.h - Linked device code ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_MACHINE_MODULEIMPL_H
#define GPULTO_EMULATOR_MACHINE_MODULEIMPL_H

#include "emulator/machine/Device.h"
#include "emulator/machine/Machine.h"
#include "emulator/ptx/Decoder.h"
#include "emulator/ptx/Parser.h"

#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>

namespace gpulto::emu {

class DeviceImpl;
struct Process;
class ModuleImpl;

class ManagedVariables {
public:
  explicit ManagedVariables(std::shared_ptr<Process> process)
      : process(std::move(process)) {}
  ~ManagedVariables();

  std::shared_ptr<Process> process;
  /// Names that only one source sees are prefixed with its name.
  std::map<std::string, uint64_t> addresses;
};

/// A shared variable of a module. Its place depends on the kernel.
struct SharedVariable {
  std::string name;
  uint64_t sizeBytes = 0;
  uint32_t alignBytes = 1;
  bool isDynamic = false; ///< extern and unsized: after all static ones.
};

/// One source, with the names that only it sees.
struct SourceUnit {
  std::string name;
  std::string text;
  SourceDecl decl;
  std::vector<std::string> files;
  std::unordered_map<std::string_view, Symbol> names;
};

/// A function, decoded at its first use.
struct FunctionEntry {
  Function fn;
  const FunctionDecl *decl = nullptr;
  SourceUnit *unit = nullptr;
  ModuleImpl *module = nullptr;
  bool isDecoded = false;
  Status status;                     ///< Of decoding.
  const void *layoutOwner = nullptr; ///< Kernel whose layout is patched in.
};

class KernelImpl final : public Kernel {
public:
  const KernelInfo &info() const override;
  /// Decodes all that the kernel reaches and lays out its shared memory.
  Status prepare() const;
  /// Puts the kernel's shared offsets into the code. Only between launches.
  void patchShared() const;

  ModuleImpl *module = nullptr;
  FunctionEntry *entry = nullptr;
  mutable KernelInfo details;
  mutable bool isPrepared = false;
  mutable Status status;
  mutable std::vector<FunctionEntry *> closure;
  mutable std::map<uint32_t, uint32_t> sharedOffsets;
  mutable uint32_t staticShared = 0;

private:
  void layoutShared() const;
  void fillInfo() const;
};

class ModuleImpl final : public Module {
public:
  /// \p managed as in Device::loadModule.
  ModuleImpl(DeviceImpl &device,
             std::shared_ptr<const ManagedVariables> managed);
  ~ModuleImpl() override;

  Status load(std::vector<PtxSource> sources);

  const Kernel *findKernel(std::string_view name) const override;
  const VariableInfo *findVariable(std::string_view name) const override;
  std::vector<std::string> kernelNames() const override;
  std::shared_ptr<const ManagedVariables> managedVariables() const override {
    return managed;
  }
  Status decodeAll() override;

  Status decode(FunctionEntry &entry);
  FunctionEntry *entryOf(const Function *fn) const;

  DeviceImpl &device;
  std::deque<SourceUnit> units;
  std::deque<FunctionEntry> functions;
  std::deque<SharedVariable> shared;
  std::deque<KernelImpl> kernels;
  /// Functions whose address is in an initializer.
  std::vector<Function *> addressTaken;
  uint64_t constBytes = 0;
  std::recursive_mutex mutex;

private:
  friend class UnitSymbols;
  Status parse(std::vector<PtxSource> sources);
  Status define();
  Status defineFunction(SourceUnit &unit, const FunctionDecl &decl);
  Status defineVariable(SourceUnit &unit, const VariableDecl &decl);
  Status resolve();
  Status resolveName(SourceUnit &unit, std::string_view name, uint32_t line,
                     bool isFunction);
  Status initialise(SourceUnit &unit, const VariableDecl &decl);
  /// \p unit is the only source that sees it; null: all do.
  uint64_t addVariable(const VariableDecl &decl, const SourceUnit *unit);
  uint64_t addManaged(const VariableDecl &decl, const SourceUnit *unit);
  uint32_t addShared(const VariableDecl &decl, bool isDynamic);

  /// A definition that other units may refer to.
  struct Global {
    Symbol symbol;
    Linkage linkage;
    const SourceUnit *unit;
    const VariableDecl *variable; ///< Null for functions.
    uint32_t line;
  };
  std::map<std::string_view, Global> globals;
  std::unordered_map<std::string_view, KernelImpl *> kernelsByName;
  std::deque<VariableInfo> variables;
  std::unordered_map<std::string_view, VariableInfo *> variablesByName;
  std::vector<uint64_t> allocations;
  std::shared_ptr<const ManagedVariables> managed;
  /// The variables to which this module, the first of its code, adds; null in
  /// others.
  ManagedVariables *newManaged = nullptr;
  std::vector<std::pair<SourceUnit *, const VariableDecl *>> toInitialise;
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_MACHINE_MODULEIMPL_H
