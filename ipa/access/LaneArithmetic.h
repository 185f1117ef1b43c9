//===- LaneArithmetic.h - Operations on the values of lanes -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_ACCESS_LANEARITHMETIC_H
#define GPULTO_IPA_ACCESS_LANEARITHMETIC_H

#include "ipa/access/LaneSymbols.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <tuple>

namespace gpulto {

/// What the lanes of a warp have in a variable of some width.
struct LaneValue {
  enum class Kind : uint8_t {
    /// Congruent to \c sum modulo 2 to the width.
    Sum,
    /// Data decides: it comes from a load of different addresses, an atomic
    /// operation, a volatile load.
    Irregular,
    /// Not known.
    Unknown
  };
  Kind kind = Kind::Unknown;
  LaneSum sum;
  /// The sum is the number itself if the bits are read as signed, unsigned.
  bool isSigned = false, isUnsigned = false;
  /// It rests on a premise that options do not show, so that bounds derived
  /// from it say nothing.
  bool isAssumed = false;

  bool isSum() const { return kind == Kind::Sum; }
  static LaneValue irregular() {
    return {Kind::Irregular, {}, false, false, false};
  }
  static LaneValue unknown() { return {}; }
  static LaneValue number(int64_t number) { return exact(LaneSum(number)); }
  /// A number whose bits mean the same read as signed and as unsigned.
  static LaneValue exact(LaneSum sum) {
    return {Kind::Sum, std::move(sum), true, true, false};
  }
};

/// Whether additions of it are known not to wrap.
struct NoWrap {
  bool isSigned = false, isUnsigned = false;
};

/// Arithmetic on values of up to 64 bits. A result that only a premise allows
/// is one of several options, of which the first is what the premise says;
/// where these would be too many, it is assumed. Linear in the terms of
/// operands.
class LaneArithmetic {
public:
  explicit LaneArithmetic(LaneSymbols &symbols) : symbols(symbols) {}

  /// Where new symbols are born: the loop of the operation.
  void setLoop(const llvm::Loop *inner) { loop = inner; }

  LaneValue add(const LaneValue &a, const LaneValue &b, unsigned width,
                NoWrap noWrap);
  LaneValue subtract(const LaneValue &a, const LaneValue &b, unsigned width,
                     NoWrap noWrap);
  LaneValue multiply(const LaneValue &a, const LaneValue &b, unsigned width,
                     NoWrap noWrap);
  LaneValue shiftLeft(const LaneValue &a, const LaneValue &b, unsigned width,
                      NoWrap noWrap);
  /// Division that rounds down; of negative numbers an assumption.
  LaneValue divide(const LaneValue &a, const LaneValue &b, unsigned width,
                   bool isSigned);
  LaneValue remainder(const LaneValue &a, const LaneValue &b, unsigned width,
                      bool isSigned);
  LaneValue shiftRight(const LaneValue &a, const LaneValue &b, unsigned width,
                       bool isSigned);
  LaneValue bitAnd(const LaneValue &a, const LaneValue &b, unsigned width);
  LaneValue bitOr(const LaneValue &a, const LaneValue &b, unsigned width,
                  bool isDisjoint);
  LaneValue bitXor(const LaneValue &a, const LaneValue &b, unsigned width);
  LaneValue extend(const LaneValue &a, unsigned from, bool isSigned);
  LaneValue truncate(const LaneValue &a, unsigned to);
  /// Returns 0 and 1. \p predicate: an llvm::CmpInst::Predicate of integers.
  LaneValue compare(unsigned predicate, const LaneValue &a, const LaneValue &b,
                    unsigned width);
  /// \p condition is 0 or 1.
  LaneValue select(const LaneValue &condition, const LaneValue &a,
                   const LaneValue &b, unsigned width);
  /// Returns 1 - \p condition.
  LaneValue negate(const LaneValue &condition);
  /// Returns a value of which nothing is known but that lanes share it, and
  /// what \p range and \p congruence say of it as a signed number.
  LaneValue uniform(LaneRange range, Congruence congruence, unsigned width,
                    const llvm::Value *value = nullptr);
  /// Returns \p f of the numbers of the lanes, or Unknown.
  LaneValue eachLane(
      llvm::ArrayRef<LaneValue> operands, unsigned width,
      llvm::function_ref<std::optional<int64_t>(llvm::ArrayRef<int64_t>)> f);
  /// Whether an answer had cases that each warp of the class alone may not
  /// have.
  bool differsByWarp() const { return isByWarp; }
  /// Returns what is worse of \p a and \p b.
  static LaneValue worst(const LaneValue &a, const LaneValue &b);

private:
  LaneValue settle(std::optional<LaneSum> sum, unsigned width, NoWrap exact,
                   bool isAssumed);
  using Operation = llvm::function_ref<std::optional<LaneSum>(const LaneSum &,
                                                              const LaneSum &)>;
  std::optional<LaneSum> combine(Operation operation, const LaneSum &a,
                                 const LaneSum &b, bool &isAssumed) const;
  LaneValue settleBoth(Operation operation, const LaneValue &a,
                       const LaneValue &b, unsigned width, NoWrap noWrap);
  /// A part that lanes share, and the numbers that they have beside it, if
  /// known.
  struct Parts {
    LaneSum uniform;
    std::optional<LaneNumbers> lanes;
  };
  /// Returns the parts of \p sum, or of the case of it that is expected; sets
  /// \p isAssumed then.
  Parts partsOf(const LaneSum &sum, bool &isAssumed) const;
  /// Returns \p sum divided by \p divisor, rounded down. Sets \p isAssumed if
  /// that rests on what symbols with options are expected to be.
  std::optional<LaneSum> quotient(const LaneSum &sum, int64_t divisor,
                                  bool &isAssumed);
  std::optional<LaneSum> quotientByResidue(const LaneSum &uniform,
                                           const LaneNumbers &lanes,
                                           int64_t divisor);
  /// Returns \p sum modulo \p modulus.
  std::optional<LaneSum> residue(const LaneSum &sum, int64_t modulus,
                                 bool &isAssumed);
  /// Returns those of \p sum's bits that \p bits has; \p isRest: all from one
  /// upward, which are exact as \p sum is.
  std::optional<LaneSum> bitsOf(const LaneSum &sum, uint64_t bits,
                                unsigned width, bool &isRest, bool &isAssumed);
  LaneValue divideBySymbol(const LaneValue &a, const LaneValue &b);
  /// Returns what \p test, which knows sums whose lanes are numbers apart,
  /// tells of \p sum: lanes with the same factors of unknown numbers are asked
  /// about together.
  LaneValue byGroups(const LaneSum &sum,
                     llvm::function_ref<LaneValue(const LaneSum &group)> test);
  /// Returns 1 in the lanes in which \p sum is below zero.
  LaneValue isBelowZero(const LaneSum &sum);
  LaneValue isZero(const LaneSum &sum);
  LaneValue areEqual(const LaneValue &a, const LaneValue &b);
  LaneValue readAs(const LaneValue &a, unsigned width, bool isSigned);
  /// Returns one of \p options, an answer about \p question.
  LaneSum addCases(const LaneSum &question, std::vector<LaneNumbers> options);
  /// Returns a mask of the lanes whose number in \p lanes is at least some
  /// bound, none of them first.
  LaneSum stepsOf(const LaneSum &question, const LaneNumbers &lanes);

  /// Returns each number that lanes have, in ascending order, with the lanes
  /// that have no larger one.
  const std::vector<std::pair<int64_t, LaneNumbers>> &
  prefixesOf(const LaneNumbers &lanes);

  LaneSymbols &symbols;
  const llvm::Loop *loop = nullptr;
  bool isByWarp = false;
  /// Equal questions have equal answers.
  std::map<std::pair<LaneSum, LaneSum>, LaneSum> quotients;
  /// And whether it is assumed.
  std::map<std::tuple<LaneSum, unsigned, bool>, std::pair<LaneSum, bool>> read;
  std::map<LaneSum, LaneValue> below, zero;
  /// Most comparisons are of lanes that lie equally far apart.
  std::map<LaneNumbers, std::vector<std::pair<int64_t, LaneNumbers>>> prefixes;
  std::map<LaneSum, LaneSum> wrapped; // whether differences are zero
};

} // namespace gpulto

#endif
