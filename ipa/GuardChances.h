//===- GuardChances.h - Facts that would pay in a kernel --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_GUARDCHANCES_H
#define GPULTO_IPA_GUARDCHANCES_H

#include "ipa/LgenContext.h"

#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>
#include <vector>

namespace llvm {
class Value;
} // namespace llvm

namespace gpulto {

using GuardFacts = llvm::SmallVector<GuardFact, 4>;

/// What would pay in one kernel.
class GuardChances {
public:
  /// Notes that \p facts, if not empty, save \p gain instructions each time
  /// that a block runs which runs \p frequency / 256 times per entry.
  void add(GuardFacts facts, uint64_t gain, uint32_t frequency);
  /// Appends all to \p summary; returns their range.
  Range addTo(ModuleSummary &summary) const;

private:
  /// Gains in 1/256, by facts, which are sorted.
  std::map<std::vector<GuardFact>, uint64_t> gains;
};

/// Returns the argument of a kernel that \p value is, an integer or a pointer,
/// or the part of a by-value aggregate that it was loaded from; of kind
/// FitsWord.
std::optional<GuardFact> guardSource(const llvm::Value &value,
                                     const llvm::DataLayout &layout);

/// Notes which arguments of \p kernel should fit 32 bits: divisions of 64 bits
/// whose operands do then.
void findWordGuards(LgenContext &context, llvm::Function &kernel,
                    EntryFrequencies &frequencies, GuardChances &chances);

/// Notes which pointers should be aligned, and which integers multiples of 4 or
/// 1: neighbouring accesses become one then, and unrolled loops need no
/// remainder.
void findVectorGuards(LgenContext &context, llvm::Function &kernel,
                      EntryFrequencies &frequencies, GuardChances &chances);

} // namespace gpulto

#endif
