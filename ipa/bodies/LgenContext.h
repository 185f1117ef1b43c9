//===- LgenContext.h - What the LGEN analyses share -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The module under analysis, its summary as far as it is filled, and what the
// analyses tell each other. LLVM types are only declared here: headers of ipa/
// are read by whole-program analysis too, which must not see IR.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_BODIES_LGENCONTEXT_H
#define GPULTO_IPA_BODIES_LGENCONTEXT_H

#include "ipa/bodies/SourcePlaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <unordered_map>
#include <vector>

namespace llvm {
class BasicBlock;
class BlockFrequencyInfo;
class CallBase;
class Constant;
class DataLayout;
class Function;
class GlobalValue;
class Instruction;
class Module;
class StringSaver;
class Use;
template <typename IRUnitT, typename... ExtraArgTs> class AnalysisManager;
} // namespace llvm

namespace gpulto {

/// Returns a hash of all that \p j says, for tables in memory.
size_t hashOf(const JumpFunction &j);
size_t hashOf(const HandleFlow &flow);
size_t hashOf(const VariableStore &store);

/// A list that has each item once, in the order of their first addition.
template <typename T> class UniqueList {
public:
  /// Appends \p item unless there is an equal one.
  void add(const T &item) {
    llvm::SmallVector<uint32_t, 1> &places = placesOf[hashOf(item)];
    for (uint32_t place : places)
      if (items[place] == item)
        return;
    places.push_back(static_cast<uint32_t>(items.size()));
    items.push_back(item);
  }
  const std::vector<T> &list() const { return items; }

private:
  std::vector<T> items;
  /// Looked up only, never iterated.
  std::unordered_map<size_t, llvm::SmallVector<uint32_t, 1>> placesOf;
};

/// The jump functions and aggregate parts of a summary, each list stored once.
class JumpFunctionTable {
public:
  explicit JumpFunctionTable(ModuleSummary &summary) : summary(summary) {}

  /// Returns the range that holds \p list, added when it is new. The empty list
  /// is the empty range.
  Range add(llvm::ArrayRef<JumpFunction> list);
  /// As add(), after dropping trailing Unknown entries without facts.
  Range addTrimmed(llvm::ArrayRef<JumpFunction> list);
  /// Returns the Aggregate jump function of \p parts.
  JumpFunction aggregate(llvm::ArrayRef<AggregatePart> parts);

private:
  ModuleSummary &summary;
  /// Looked up only, never iterated.
  llvm::DenseMap<Digest, Range> lists;
  llvm::DenseMap<Digest, Range> partLists;
};

/// State of one run of LGEN over one module. Not thread-safe.
struct LgenContext {
  const llvm::Module &module;
  ModuleSummary &summary;
  /// Owns names that are in no object file: device names, asm symbols.
  llvm::StringSaver &strings;
  /// Cached analyses of functions: loops, frequencies, target costs.
  llvm::AnalysisManager<llvm::Function> &analyses;
  const SourcePlaces &places;

  /// Number of each global value that is a symbol of the summary. Filled by
  /// analyzeVisibility; looked up only, never iterated.
  llvm::DenseMap<const llvm::GlobalValue *, SymbolIndex> symbolNumbers;
  /// Symbols that a function's inline assembly names, or that it uses and only
  /// module-level assembly knows; by number. Filled by analyzeVisibility;
  /// looked up only.
  llvm::DenseMap<const llvm::Function *, std::vector<SymbolIndex>>
      assemblyNames;
  /// The functions of summary.functions, in that order.
  std::vector<llvm::Function *> bodies;
  /// The instructions of summary.calls, in that order.
  std::vector<const llvm::CallBase *> callInstructions;
  JumpFunctionTable jumpFunctions;
  /// Operands that are, or for a node of a graph lead to, the handle of a
  /// launch whose LaunchSite::handles tells all that it may be. Filled by
  /// analyzeLaunches.
  llvm::DenseSet<const llvm::Use *> launchedUses;
  /// Whether the module names functions of the CUDA runtime. Set by
  /// analyzeLaunches.
  bool usesRuntime = false;

  LgenContext(const llvm::Module &module, ModuleSummary &summary,
              llvm::StringSaver &strings,
              llvm::AnalysisManager<llvm::Function> &analyses,
              const SourcePlaces &places)
      : module(module), summary(summary), strings(strings), analyses(analyses),
        places(places), jumpFunctions(summary) {}

  /// Returns the number of \p value, or kNone when it is no symbol.
  SymbolIndex indexOf(const llvm::GlobalValue &value) const {
    auto found = symbolNumbers.find(&value);
    return found == symbolNumbers.end() ? kNone : found->second;
  }
};

/// Executions of blocks per entry of their function.
class EntryFrequencies {
public:
  /// Reads the block frequencies of \p function; a function of one block needs
  /// no analysis.
  EntryFrequencies(LgenContext &context, llvm::Function &function);

  /// Returns executions of \p block per entry in 1/256, three significant bits,
  /// at most 2^30.
  uint32_t of(const llvm::BasicBlock &block) const;

private:
  const llvm::BlockFrequencyInfo *frequencies = nullptr;
  uint64_t entry = 1;
};

/// Calls \p found with every global value that \p constant mentions, itself
/// included, and with the function of every block address, for which
/// \p isBlockAddress is true. In operand order; a value may come repeatedly.
void forEachGlobal(
    const llvm::Constant &constant,
    llvm::function_ref<void(const llvm::GlobalValue &, bool isBlockAddress)>
        found);

/// Keeps the three most significant bits of \p value: what the summary holds of
/// estimates, so that they intern well.
uint64_t keepThreeBits(uint64_t value);

} // namespace gpulto

#endif
