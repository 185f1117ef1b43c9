//===- GuardChances.h - Facts that would pay in a kernel --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_GUARDS_GUARDCHANCES_H
#define GPULTO_IPA_GUARDS_GUARDCHANCES_H

#include "ipa/bodies/LgenContext.h"
#include "ipa/indexes/GuardSource.h"

#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>
#include <vector>

namespace llvm {
class DominatorTree;
class Instruction;
class Value;
} // namespace llvm

namespace gpulto {

/// What would pay in one kernel.
class GuardChances {
public:
  /// Notes that \p facts, if not empty, save \p gain instructions each time
  /// that a block runs which runs \p frequency / 256 times per entry.
  void add(GuardFacts facts, uint64_t gain, uint32_t frequency);
  bool empty() const { return gains.empty(); }
  /// Appends all to \p summary; returns their range.
  Range addTo(ModuleSummary &summary) const;
  /// Returns the pointers that some chance wants apart, in order.
  std::vector<PointerSource> pairedPointers() const;

private:
  /// Gains in 1/256, by facts, which are sorted.
  std::map<std::vector<GuardFact>, uint64_t> gains;
};

/// A load or store of a kernel through a pointer that it is passed.
struct GuardedAccess {
  llvm::Instruction *instruction = nullptr;
  PointerSource base;
  bool isStore = false;
};

/// Returns whether \p other cannot touch the memory of \p access, if what it
/// adds to \p facts holds: that pointers are apart.
bool isHarmlessTo(const GuardedAccess &access, const llvm::Instruction &other,
                  const llvm::DataLayout &layout, GuardFacts &facts);

/// Notes which arguments of \p kernel should fit 32 bits: divisions of 64 bits
/// whose operands do then.
void findWordGuards(LgenContext &context, llvm::Function &kernel,
                    EntryFrequencies &frequencies, GuardChances &chances);

/// Notes how large sizes may be, and the grid, so that arithmetic of 64 bits
/// takes 32. Right after findWordGuards, which sizes that may be larger pay
/// for.
void findIndexGuards(LgenContext &context, llvm::Function &kernel,
                     EntryFrequencies &frequencies, GuardChances &chances);

/// Notes which pointers should be aligned, and which integers multiples of 4 or
/// 1: neighbouring accesses become one then, and unrolled loops need no
/// remainder.
void findVectorGuards(LgenContext &context, llvm::Function &kernel,
                      EntryFrequencies &frequencies, GuardChances &chances);

/// Notes which pointers should be apart so that a value that is in a register
/// need not be loaded again, or stored in each round of a loop.
void findReloadGuards(LgenContext &context, llvm::Function &kernel,
                      EntryFrequencies &frequencies, GuardChances &chances);

/// Returns what \p kernel touches through \p source; none if it cannot be
/// bounded by what the host knows.
std::optional<PointerExtent> findExtent(llvm::Function &kernel,
                                        const llvm::DominatorTree &dominators,
                                        const PointerSource &source);

} // namespace gpulto

#endif
