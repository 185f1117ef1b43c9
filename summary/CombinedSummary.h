//===- CombinedSummary.h - All modules of a link as one program -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Modules are grouped into images: image 0 is the host program, each further
// image is the device program of one architecture. An image is a name space: a
// name is defined at most once in it. Every symbol of every module has a dense
// GlobalId ordered by (module, symbol); `definition` maps each to the
// prevailing definition. The device side is resolved here, the host side by the
// linker.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_COMBINEDSUMMARY_H
#define GPULTO_SUMMARY_COMBINEDSUMMARY_H

#include "summary/Bodies.h"
#include "summary/Calls.h"
#include "summary/Ids.h"
#include "summary/JumpFunction.h"
#include "summary/Launches.h"
#include "summary/NativeCode.h"
#include "summary/Parameters.h"
#include "summary/Symbols.h"
#include "support/Error.h"

#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace gpulto {

struct CombinedModule;

struct Image {
  Side side = Side::Host;
  std::string arch;
  std::vector<ModuleIndex> modules;
};

/// A symbol of a module that meant a folded definition.
struct FoldedUse {
  GlobalId use = 0;
  /// The definition that it meant.
  GlobalId member = 0;
};

class CombinedSummary {
public:
  CombinedSummary();
  CombinedSummary(CombinedSummary &&) noexcept;
  ~CombinedSummary();

  /// Adds a module. Modules must be added with host and device interleaved, in
  /// input order, which determines the order of everything that follows.
  void addModule(CombinedModule module);

  /// Adds device code without bitcode, for the architecture of some module.
  void addNativeCode(NativeCode code);

  /// Numbers symbols, resolves names and checks that the modules agree.
  /// Errors: duplicate device definitions, device symbols of different kinds.
  llvm::Error resolve(unsigned threads = 1);

  /// Makes every use of \p member, a prevailing definition, mean \p leader, a
  /// prevailing definition of the same image, from now on. \p member itself
  /// stays undefined.
  void fold(GlobalId member, GlobalId leader) { folded[member] = leader; }
  /// Puts the folds into effect: call once after all of them.
  void applyFolds();
  /// Maps each folded definition to its leader.
  const std::map<GlobalId, GlobalId> &folds() const { return folded; }
  /// Makes \p member, a prevailing definition, keep its name and address, but
  /// jump to \p leader, a prevailing host definition, instead of having a body.
  void jump(GlobalId member, GlobalId leader) { jumping[member] = leader; }
  /// Maps each definition that jumps to its leader.
  const std::map<GlobalId, GlobalId> &jumps() const { return jumping; }
  /// Returns the definition that \p id jumps to, or kNone if it has its own
  /// body.
  GlobalId jumpTarget(GlobalId id) const {
    auto found = jumping.find(id);
    return found == jumping.end() ? kNone : found->second;
  }
  /// Symbols of \p module, ascending, that meant a folded definition.
  llvm::ArrayRef<FoldedUse> foldedUses(ModuleIndex module) const;

  /// Each is a CombinedModule (summary/CombinedModule.h).
  llvm::ArrayRef<CombinedModule> modules() const;
  llvm::ArrayRef<Image> images() const { return allImages; }
  GlobalId symbolCount() const { return totalSymbols; }

  GlobalId id(ModuleIndex module, SymbolIndex symbol) const {
    return tables[module].firstSymbol + symbol;
  }
  ModuleIndex moduleOf(GlobalId id) const { return owner[id]; }
  const CombinedModule &moduleRef(GlobalId id) const;
  SymbolIndex indexOf(GlobalId id) const {
    return id - tablesOf(id).firstSymbol;
  }
  const SymbolRecord &symbol(GlobalId id) const {
    const ModuleTables &tables = tablesOf(id);
    return tables.symbols[id - tables.firstSymbol];
  }
  /// As symbol(id).has(flag), but touches less memory.
  bool has(GlobalId id, SymbolFlag flag) const { return flags[id] & flag; }
  ImageIndex imageOf(GlobalId id) const { return tablesOf(id).image; }
  /// Resolution flags of a host symbol.
  uint8_t resolution(GlobalId id) const;
  /// Returns the definition that a use of \p id in its module means, or kNone
  /// when no module of the image defines it.
  GlobalId definition(GlobalId id) const { return definitions[id]; }
  /// Returns the definition that symbol \p used means in the module of \p user,
  /// or kNone; \p used may be kNone.
  GlobalId definitionFor(GlobalId user, SymbolIndex used) const {
    return used == kNone ? kNone
                         : definitions[tablesOf(user).firstSymbol + used];
  }
  /// Returns the prevailing definition of \p name in \p image, or kNone.
  GlobalId lookup(ImageIndex image, llvm::StringRef name) const;

  /// Device code without bitcode, in the order in which it was added.
  llvm::ArrayRef<NativeCode> nativeCode() const { return allNative; }
  /// Returns native code's definition of the name that \p id, a symbol of a
  /// device module, means; null if it has none, or if a module has one.
  const NativeSymbol *nativeDefinition(GlobalId id) const;
  /// Returns the definition of \p name in native code of \p image, or null.
  const NativeSymbol *nativeDefinition(ImageIndex image,
                                       llvm::StringRef name) const;
  /// Returns whether native code of the image uses the definition \p id, or has
  /// a weak definition of its own that \p id overrides.
  bool isNativelyUsed(GlobalId id) const { return nativelyUsed.contains(id); }
  /// Returns whether native code is linked into \p image.
  bool hasNativeCode(ImageIndex image) const {
    return !nativeNames[image].empty();
  }

  /// Returns whether the symbol of the host definition \p id means this body at
  /// run time: neither the linker nor the language lets another replace it.
  bool isExact(GlobalId id) const;

  /// Returns the body of a definition, or null if it is of another kind.
  const FunctionSummary *function(GlobalId id) const { return functions[id]; }
  const VariableSummary *variable(GlobalId id) const { return variables[id]; }
  /// Return lists of the function body \p id.
  llvm::ArrayRef<ParameterRecord> parameters(GlobalId id) const {
    return part(tablesOf(id).parameters, function(id)->parameters);
  }
  llvm::ArrayRef<CallEdge> calls(GlobalId id) const {
    return part(tablesOf(id).calls, function(id)->calls);
  }
  llvm::ArrayRef<LaunchSite> launches(GlobalId id) const {
    return part(tablesOf(id).launches, function(id)->launches);
  }
  /// Returns \p range of the references of the module of \p user.
  llvm::ArrayRef<ReferenceEdge> references(GlobalId user, Range range) const {
    return part(tablesOf(user).references, range);
  }
  /// Returns \p range of the jump functions of the module of \p user.
  llvm::ArrayRef<JumpFunction> jumpFunctions(GlobalId user, Range range) const {
    return part(tablesOf(user).jumpFunctions, range);
  }
  const AliasSummary *alias(GlobalId id) const { return aliases.lookup(id); }

  /// Returns whether the COMDAT group \p comdat of \p module was kept there.
  bool isComdatKept(ModuleIndex module, uint32_t comdat) const {
    return keptComdats[module][comdat];
  }
  /// Returns the function that \p structor of \p module runs, or kNone if the
  /// entry was dropped with its COMDAT group or with its variable.
  GlobalId liveStructor(ModuleIndex module,
                        const StructorRecord &structor) const;
  /// Returns the device definitions that \p hostDefinition (a stub or a shadow
  /// variable) stands for, one per image that has it.
  llvm::ArrayRef<GlobalId> deviceCounterparts(GlobalId hostDefinition) const;

  /// Returns the kernels that a launch of \p handle runs: for a stub, one in
  /// each image that has it; for a kernel, which device code launches, itself.
  llvm::SmallVector<GlobalId, 2> kernelsOf(GlobalId handle) const;

private:
  /// The data of a module that all passes ask for, in one cache line of the
  /// processor: modules are many and large, and accessed in no order.
  struct alignas(64) ModuleTables {
    const SymbolRecord *symbols = nullptr;
    const ParameterRecord *parameters = nullptr;
    const CallEdge *calls = nullptr;
    const ReferenceEdge *references = nullptr;
    const LaunchSite *launches = nullptr;
    const JumpFunction *jumpFunctions = nullptr;
    GlobalId firstSymbol = 0;
    ImageIndex image = kHostImage;
  };
  const ModuleTables &tablesOf(GlobalId id) const { return tables[owner[id]]; }
  template <typename T>
  static llvm::ArrayRef<T> part(const T *table, Range range) {
    return llvm::ArrayRef<T>(table + range.first, range.count);
  }

  void numberSymbols();
  void findTables();
  void findBodies();
  void findKeptComdats();
  void defineHostNames();
  llvm::Error defineNativeNames();
  llvm::Error duplicate(const InputLocation &where, llvm::StringRef name,
                        ImageIndex image, const InputLocation &first) const;
  void findNativelyUsed();
  llvm::Error defineDeviceNames(ImageIndex image);
  void resolveUses(unsigned threads);
  void resolveUses(const CombinedModule &module, ModuleIndex number);
  void joinOffloadEntries();
  bool isCandidate(ModuleIndex module, SymbolIndex symbol) const;

  std::vector<CombinedModule> allModules;
  std::vector<Image> allImages;
  GlobalId totalSymbols = 0;
  std::vector<ModuleTables> tables; // by ModuleIndex
  // By GlobalId; every pass reads these all the time.
  std::vector<ModuleIndex> owner;
  std::vector<uint32_t> flags; // SymbolFlag
  std::vector<GlobalId> definitions;
  std::vector<const FunctionSummary *> functions;
  std::vector<const VariableSummary *> variables;
  llvm::DenseMap<GlobalId, const AliasSummary *> aliases;
  std::vector<llvm::DenseMap<llvm::CachedHashStringRef, GlobalId>> names;
  std::vector<std::vector<bool>> keptComdats;
  llvm::DenseMap<GlobalId, llvm::SmallVector<GlobalId, 2>> counterparts;
  std::vector<NativeCode> allNative;
  /// By image: names in native code. Looked up only.
  struct NativeName {
    const NativeCode *definedIn = nullptr;
    const NativeSymbol *definition = nullptr;
  };
  std::vector<llvm::StringMap<NativeName>> nativeNames;
  llvm::DenseSet<GlobalId> nativelyUsed; // looked up only
  std::map<GlobalId, GlobalId> folded, jumping;
  std::vector<FoldedUse> usesOfFolded; // ascending
};

} // namespace gpulto

#endif
