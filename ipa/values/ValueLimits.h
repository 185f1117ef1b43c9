//===- ValueLimits.h - How far values are followed --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_VALUELIMITS_H
#define GPULTO_IPA_VALUES_VALUELIMITS_H

#include <cstddef>

namespace gpulto {

/// More parts than this are not worth their bytes.
constexpr size_t kMaxParts = 64;
/// How far copies of copies and address computations are followed.
constexpr unsigned kMaxDepth = 6;

/// How deep operations are being followed, in one value after the other, and
/// how many of one value.
class OperationDepth {
public:
  /// Returns whether operations that weigh \p weight may be followed. With what
  /// loops leave (LoopResults.cpp), they stay below the limit of summaries (32).
  bool allows(unsigned weight) const {
    constexpr unsigned kMaxDepth = 18, kMaxFollowed = 32;
    return depth + weight <= kMaxDepth && (!depth || followed < kMaxFollowed);
  }
  /// Follows operations that weigh \p weight until leave().
  void enter(unsigned weight) {
    followed = depth ? followed + 1 : 1;
    depth += weight;
  }
  void leave(unsigned weight) { depth -= weight; }

private:
  unsigned depth = 0;
  unsigned followed = 0;
};

} // namespace gpulto

#endif
