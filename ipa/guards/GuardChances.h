//===- GuardChances.h - Facts that would pay off in a kernel ----*- C++ -*-===//
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

/// The facts that would pay off in one kernel.
class GuardChances {
public:
  /// Records that \p facts, if not empty, save \p gain instructions at each run
  /// of a block that runs \p frequency / 256 times per entry.
  void add(GuardFacts facts, uint64_t gain, uint32_t frequency);
  bool empty() const { return gains.empty(); }
  /// Appends all to \p summary; returns their range.
  Range addTo(ModuleSummary &summary) const;
  /// Returns the pointers that some chance needs to be apart, in order.
  std::vector<PointerSource> pairedPointers() const;

private:
  /// Gains in 1/256, by facts, which are sorted.
  std::map<std::vector<GuardFact>, uint64_t> gains;
};

/// A load or store of a kernel through a pointer passed to it.
struct GuardedAccess {
  llvm::Instruction *instruction = nullptr;
  PointerSource base;
  bool isStore = false;
};

/// Returns whether \p other cannot touch the memory of \p access if the facts
/// that this adds to \p facts hold: that pointers are apart.
bool isHarmlessTo(const GuardedAccess &access, const llvm::Instruction &other,
                  const llvm::DataLayout &layout, GuardFacts &facts);

/// Records which arguments of \p kernel should fit 32 bits, for 64-bit
/// divisions whose operands then fit, too.
void findWordGuards(LgenContext &context, llvm::Function &kernel,
                    EntryFrequencies &frequencies, GuardChances &chances);

/// Records how large sizes and the grid may be, so that 64-bit arithmetic takes
/// 32 bits. Call it right after findWordGuards, whose chances pay off for
/// larger sizes, too: with them only the loosest bound of sizes is tried.
void findIndexGuards(LgenContext &context, llvm::Function &kernel,
                     EntryFrequencies &frequencies, GuardChances &chances);

/// Records which pointers should be aligned, and which integers multiples of 4
/// or 1: neighboring accesses then become one, and unrolled loops need no
/// remainder.
void findVectorGuards(LgenContext &context, llvm::Function &kernel,
                      EntryFrequencies &frequencies, GuardChances &chances);

/// Records which pointers should be apart so that a value in a register need
/// not be loaded again, or stored in each iteration of a loop.
void findReloadGuards(LgenContext &context, llvm::Function &kernel,
                      EntryFrequencies &frequencies, GuardChances &chances);

/// Returns what \p kernel touches through \p source; nothing if what the host
/// knows cannot bound it.
std::optional<PointerExtent> findExtent(llvm::Function &kernel,
                                        const llvm::DominatorTree &dominators,
                                        const PointerSource &source);

} // namespace gpulto

#endif
