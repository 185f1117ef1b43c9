//===- LgenContext.h - What the LGEN analyses share -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The module under analysis, its summary so far, and data that the analyses
// share. LLVM types are only declared here: whole-program analysis, which must
// not see IR, also includes headers of ipa/.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_BODIES_LGENCONTEXT_H
#define GPULTO_IPA_BODIES_LGENCONTEXT_H

#include "ipa/bodies/SourcePlaces.h"
#include "summary/Calls.h"
#include "summary/JumpFunction.h"
#include "summary/Launches.h"
#include "summary/Parameters.h"
#include "support/StableHash.h"

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

/// Returns a hash of all fields of \p j, for tables in memory.
size_t hashOf(const JumpFunction &j);
size_t hashOf(const HandleFlow &flow);
size_t hashOf(const VariableStore &store);

/// A list without duplicates, in the order of first addition.
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

  /// Returns the range that holds \p list, which is added if new. The empty
  /// list is the empty range.
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
  /// Owns names that no object file holds: device names, asm symbols.
  llvm::StringSaver &strings;
  /// Cached analyses of functions: loops, frequencies, target costs.
  llvm::AnalysisManager<llvm::Function> &analyses;
  const SourcePlaces &places;

  /// Number of each global value that is a symbol of the summary. Filled by
  /// analyzeVisibility; looked up only, never iterated.
  llvm::DenseMap<const llvm::GlobalValue *, SymbolIndex> symbolNumbers;
  /// Symbols that a function's inline assembly names, or that the function uses
  /// and only module-level assembly knows; by number. Filled by
  /// analyzeVisibility; looked up only.
  llvm::DenseMap<const llvm::Function *, std::vector<SymbolIndex>>
      assemblyNames;
  /// The functions of summary.functions, in that order.
  std::vector<llvm::Function *> bodies;
  /// The instructions of summary.calls, in that order.
  std::vector<const llvm::CallBase *> callInstructions;
  JumpFunctionTable jumpFunctions;
  /// Operands that are, or for a node of a graph lead to, the handle of a
  /// launch whose LaunchSite::handles lists all its possible values. Filled by
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

  /// Returns the number of \p value, or kNone if it is not a symbol.
  SymbolIndex indexOf(const llvm::GlobalValue &value) const {
    auto found = symbolNumbers.find(&value);
    return found == symbolNumbers.end() ? kNone : found->second;
  }
};

/// Executions of blocks per entry of their function.
class EntryFrequencies {
public:
  /// Reads the block frequencies of \p function; a function with one block
  /// needs no analysis.
  EntryFrequencies(LgenContext &context, llvm::Function &function);

  /// Returns executions of \p block per entry in 1/256, three significant bits,
  /// at most 2^30.
  uint32_t of(const llvm::BasicBlock &block) const;

private:
  const llvm::BlockFrequencyInfo *frequencies = nullptr;
  uint64_t entry = 1;
};

/// Calls \p found with every global value that \p constant mentions, including
/// itself, and, with \p isBlockAddress true, with the function of every block
/// address. In operand order, possibly with repetitions.
void forEachGlobal(
    const llvm::Constant &constant,
    llvm::function_ref<void(const llvm::GlobalValue &, bool isBlockAddress)>
        found);

/// Keeps the three most significant bits of \p value: what the summary holds of
/// estimates, so that they intern well.
uint64_t keepThreeBits(uint64_t value);

} // namespace gpulto

#endif
