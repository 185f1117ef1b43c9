//===- ValueExtents.h - Bounds of integers that the host knows --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_ADDRESSES_VALUEEXTENTS_H
#define GPULTO_IPA_ADDRESSES_VALUEEXTENTS_H

#include "summary/LaunchSum.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <set>

namespace llvm {
class BasicBlock;
class DataLayout;
class DominatorTree;
class Function;
class Instruction;
class IntrinsicInst;
class PHINode;
class Value;
} // namespace llvm

namespace gpulto {

/// Bounds of an integer, taken as signed, both inclusive; none: not known.
struct ValueExtent {
  std::optional<LaunchSum> low, high;
};

/// Bounds integers of a kernel by sums that the host can compute, on premises
/// that it can test. See ValueExtentsAnalyze.cpp.
class ValueExtents {
public:
  ValueExtents(llvm::Function &kernel, const llvm::DominatorTree &dominators);

  /// Returns bounds of \p value, an integer, in \p block: they hold whenever
  /// the block runs in a launch of which no premise is negative.
  ValueExtent at(const llvm::Value &value, const llvm::BasicBlock &block);
  /// Returns bounds of the bytes from where the pointer that is one of
  /// \p origins points to where \p address does, in \p block, under the same
  /// condition.
  ValueExtent offset(const llvm::Value &address,
                     llvm::ArrayRef<llvm::Value *> origins,
                     const llvm::BasicBlock &block);
  /// Returns the premises of all bounds so far, without those that others
  /// imply; none if there are more than a host should test.
  std::optional<std::vector<LaunchSum>> premises() const;

private:
  /// A block, or the edge from it to \c next.
  struct Place {
    const llvm::BasicBlock *block = nullptr;
    const llvm::BasicBlock *next = nullptr;
  };
  /// What a condition says of one side of a comparison.
  struct Limit {
    unsigned predicate = 0; // CmpInst::Predicate
    ValueExtent extent;
    /// The comparison is of the value plus this.
    int64_t added = 0;
  };

  ValueExtent find(const llvm::Value &value, Place place, unsigned depth);
  ValueExtent structure(const llvm::Value &value, Place place, unsigned depth);
  ValueExtent operation(const llvm::Instruction &operation, Place place,
                        unsigned depth);
  ValueExtent extension(const llvm::Instruction &operation, Place place,
                        unsigned depth);
  ValueExtent call(const llvm::IntrinsicInst &call, Place place,
                   unsigned depth);
  ValueExtent phi(const llvm::PHINode &phi, unsigned depth);
  ValueExtent incoming(const llvm::PHINode &phi, bool fromLoop, unsigned depth);
  bool holdsInLoop(const llvm::PHINode &phi, ValueExtent &guess,
                   unsigned depth);
  ValueExtent symbol(const LaunchValue &value);
  std::optional<LaunchValue> partOf(const llvm::Instruction &load);

  void refine(ValueExtent &extent, const llvm::Value &value, Place place,
              unsigned depth);
  void refineByEdge(const llvm::Value &value, const llvm::BasicBlock &from,
                    bool isTrue, unsigned depth,
                    llvm::SmallVectorImpl<Limit> &limits);
  void apply(ValueExtent &extent, const Limit &limit);
  void applyUnsigned(ValueExtent &extent, const Limit &limit);
  void applyUnequal(ValueExtent &extent, const ValueExtent &limit) const;

  bool demand(const std::optional<LaunchSum> &sum);
  bool isNotNegative(const std::optional<LaunchSum> &sum);
  std::optional<LaunchSum> upperOf(const std::optional<LaunchSum> &a,
                                   const std::optional<LaunchSum> &b);
  std::optional<LaunchSum> lowerOf(const std::optional<LaunchSum> &a,
                                   const std::optional<LaunchSum> &b);
  ValueExtent unite(const ValueExtent &a, const ValueExtent &b);
  ValueExtent fitting(ValueExtent extent, unsigned width);

  const llvm::DominatorTree &dominators;
  const llvm::DataLayout &layout;
  /// Parts of by-value aggregates: by load of the body, if nothing writes the
  /// copy.
  std::map<const llvm::Instruction *, LaunchValue> parts; // looked up only
  std::map<const llvm::PHINode *, ValueExtent> assumed;   // looked up only
  /// Values whose conditions are being looked at.
  llvm::SmallVector<const llvm::Value *, 8> refining;
  std::vector<LaunchSum> demands;
  std::set<LaunchValue> symbols;
  unsigned steps = 0;
  /// Bounds need not hold: they are tried.
  bool isGuessing = false;
};

} // namespace gpulto

#endif
