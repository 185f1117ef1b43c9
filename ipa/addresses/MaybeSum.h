//===- MaybeSum.h - Sums that may not be known ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_ADDRESSES_MAYBESUM_H
#define GPULTO_IPA_ADDRESSES_MAYBESUM_H

#include "summary/LaunchSum.h"

namespace gpulto {

/// A sum; nothing if unknown, which makes results of operations on it unknown,
/// too.
using MaybeSum = std::optional<LaunchSum>;

/// Return \p a + \p b, \p a - \p b and \p a * \p b.
inline MaybeSum plus(const MaybeSum &a, const MaybeSum &b) {
  return a && b ? addSums(*a, *b) : std::nullopt;
}
inline MaybeSum minus(const MaybeSum &a, const MaybeSum &b) {
  return a && b ? subtractSums(*a, *b) : std::nullopt;
}
inline MaybeSum times(const MaybeSum &a, const MaybeSum &b) {
  return a && b ? multiplySums(*a, *b) : std::nullopt;
}
inline MaybeSum plus(const MaybeSum &a, int64_t b) {
  return plus(a, launchConstant(b));
}
inline MaybeSum times(const MaybeSum &a, int64_t b) {
  return times(a, launchConstant(b));
}
/// Returns whether \p sum is known, and not negative at any launch.
inline bool isNeverNegative(const MaybeSum &sum) {
  return sum && gpulto::isNeverNegative(*sum);
}
/// Returns whether \p a and \p b are known and equal at every launch.
inline bool areEqual(const MaybeSum &a, const MaybeSum &b) {
  return a && b && *a == *b;
}
/// Returns the value of \p sum if it is known and the same at every launch.
inline std::optional<int64_t> constantIn(const MaybeSum &sum) {
  return sum ? constantOf(*sum) : std::nullopt;
}

} // namespace gpulto

#endif
