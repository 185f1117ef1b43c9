//===- LaneSymbols.h - What is unknown in sums of lanes ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_ACCESS_LANESYMBOLS_H
#define GPULTO_IPA_ACCESS_LANESYMBOLS_H

#include "ipa/access/LaneSum.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class Loop;
class Value;
} // namespace llvm

namespace gpulto {

/// An unknown number.
struct LaneSymbol {
  /// All lanes have the same one of these ...
  LaneRange range;
  Congruence congruence;
  /// ... or, if there are any, they have one of these. The first is the one to
  /// expect.
  std::vector<LaneNumbers> options;
  /// Whether each option is the same in all lanes.
  bool isUniform = true;
  /// It takes all numbers of its range and congruence, each as often as others.
  bool isCounter = false;
  /// It counts rows of this unknown length, if any, into which an index is
  /// divided that goes on from one row to the next.
  LaneSymbolId rowLength = kNoSymbol;
  /// It is the index of a block along some axis.
  bool isBlock = false;
  /// Which option it is depends on which that symbol has, if any.
  LaneSymbolId chosenBy = kNoSymbol;
  /// What it is in the program, if it is one value; else null.
  const llvm::Value *value = nullptr;
  /// The innermost loop that has another number in each round, if any.
  const llvm::Loop *loop = nullptr;
  /// If not 0: this symbol times \c divisor is \c dividend.
  int64_t divisor = 0;
  LaneSum dividend;
};

/// The residues of a sum, and how often it has each.
struct LaneResidues {
  uint64_t modulus = 1, first = 0;
  /// What each counter adds: a step, and how many multiples of it, from 0 up.
  std::vector<std::pair<uint64_t, uint64_t>> counters;
  /// Returns the residues that there are, each with how often it is, in
  /// proportion; in ascending order.
  std::vector<std::pair<uint64_t, uint64_t>> counts() const;
  auto operator<=>(const LaneResidues &) const = default;
};

/// The unknown numbers of an analysis, and what is known of sums of them.
class LaneSymbols {
public:
  /// Adds \p symbol, whose range and isUniform follow from its options, if it
  /// has any.
  LaneSymbolId add(LaneSymbol symbol);
  /// Returns a new number that is the same in all lanes.
  LaneSum addUniform(LaneRange range = {}, Congruence congruence = {},
                     const llvm::Value *value = nullptr,
                     const llvm::Loop *loop = nullptr);
  /// Returns a number that takes all of \p range: the round of \p loop, or one
  /// that differs from block to block or from warp to warp.
  LaneSum addCounter(LaneRange range, Congruence congruence = {},
                     const llvm::Loop *loop = nullptr);
  /// Returns a number of \p range that takes all of it if the numbers of \p of,
  /// of which it is a part, do.
  LaneSum addPart(const LaneSum &of, LaneRange range,
                  const llvm::Loop *loop = nullptr);
  /// Whether all that is unknown in \p sum, and something is, are counters.
  bool isCounter(const LaneSum &sum) const;
  /// As addCounter, the index of a block.
  LaneSum addBlock(LaneRange range);
  /// The symbol \p id takes all numbers of which nothing says that it does not.
  void makeCounter(LaneSymbolId id) { table[id].isCounter = true; }
  /// The symbol \p row is the number of a row of \p length.
  void makeRow(const LaneSum &row, const LaneSum &length);
  /// The program rounds \p sum, so that it begins where it shall: values in it
  /// are no counters any more.
  void round(const LaneSum &sum);
  /// Returns one of \p options, of which there is at least one.
  LaneSum addChoice(std::vector<LaneNumbers> options, const llvm::Loop *loop);
  const LaneSymbol &operator[](LaneSymbolId id) const { return table[id]; }

  /// Whether all lanes have the same number.
  bool isUniform(const LaneSum &sum) const;
  /// Whether lanes have other numbers of \p sum than others by what differs
  /// from round to round of \p loop.
  bool variesIn(const llvm::Loop &loop, const LaneSum &sum) const;
  /// Splits \p sum into a part that is the same in all lanes, and one that is
  /// zero in lane 0 if its terms are numbers times uniform symbols.
  std::pair<LaneSum, LaneSum> split(const LaneSum &sum) const;
  /// Returns \p sum where each symbol with options has that of which \p
  /// optionOf gives the number.
  LaneSum inCase(const LaneSum &sum,
                 llvm::function_ref<size_t(LaneSymbolId)> optionOf) const;
  /// Returns \p sum where each symbol with options has the first of them.
  LaneSum firstCase(const LaneSum &sum) const {
    return inCase(sum, [](LaneSymbolId) { return 0; });
  }
  LaneRange range(const LaneSum &sum) const;
  /// Returns what is known of the uniform \p sum modulo a divisor of \p most.
  Congruence congruence(const LaneSum &sum, uint64_t most) const;
  /// Returns the residues of the uniform \p sum modulo \p modulus, a power of
  /// two, of elements of \p unit. Counters take all their numbers, and so do
  /// borders of tiles that overlap, and rows in an index that goes on from one
  /// to the next. Anything else that is unknown, such as the size of a row, is
  /// taken for a multiple of \p modulus, apart from what its congruence says; a
  /// part of it, as a half, for one of that part of a warp.
  LaneResidues residues(const LaneSum &sum, unsigned unit,
                        uint64_t modulus) const;
  /// Returns \p sum with quotients that are multiplied by their divisors
  /// replaced by dividends.
  LaneSum simplify(LaneSum sum) const;
  /// The symbols so far are those that tell warps apart.
  void endWarpSymbols() { warpSymbols = table.size(); }
  /// Whether \p sum differs from warp to warp in a class.
  bool differsByWarp(const LaneSum &sum) const;
  /// Returns the innermost loop among those of the symbols in \p sum, or
  /// null.
  const llvm::Loop *loopOf(const LaneSum &sum) const;

private:
  bool isUniform(const LaneProduct &product) const;
  bool isRow(const LaneProduct &product) const;
  uint64_t partOfSize(LaneSymbolId id) const;
  uint64_t partOfWarp(const LaneSum::Term &term, unsigned unit) const;
  llvm::SmallVector<LaneSymbolId, 2> bordersOf(const LaneSum &sum) const;
  Congruence congruence(const LaneSum::Term &term, uint64_t most) const;
  std::vector<LaneSymbol> table;
  LaneSymbolId warpSymbols = 0;
};

} // namespace gpulto

#endif
