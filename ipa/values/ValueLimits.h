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

/// How deep operations are being followed, in one value after the other.
class OperationDepth {
public:
  /// Returns whether operations that weigh \p weight may be followed.
  bool allows(unsigned weight) const {
    constexpr unsigned kMaxOperations = 8;
    return depth + weight <= kMaxOperations;
  }
  /// Follows operations that weigh \p weight until leave().
  void enter(unsigned weight) { depth += weight; }
  void leave(unsigned weight) { depth -= weight; }

private:
  unsigned depth = 0;
};

} // namespace gpulto

#endif
