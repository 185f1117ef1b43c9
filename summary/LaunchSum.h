//===- LaunchSum.h - What the host can compute at a launch ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Sums of products of a kernel's arguments and of the launch's geometry, over
// the integers: no sum here wraps. Such sums bound the bytes that a kernel may
// touch through a pointer (ipa/guards/GuardExtentsAnalyze.cpp); the host
// evaluates them before it launches (ipa/guards/GuardOverlapsTransform.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_LAUNCHSUM_H
#define GPULTO_SUMMARY_LAUNCHSUM_H

#include "summary/Record.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpulto {

/// An integer of a launch: an argument of the kernel, or a part of one, taken
/// as signed and known not to be negative; or a component of the grid or block,
/// which is at least 1.
struct LaunchValue {
  bool isGeometry = false;
  /// Position of the parameter, or Geometry.
  uint32_t parameter = 0;
  /// The value is the \c bitWidth bits at byte \c byteOffset of the by-value
  /// aggregate.
  bool isPart = false;
  uint32_t byteOffset = 0;
  /// 32 or 64; geometry: 32.
  uint16_t bitWidth = 32;
  auto operator<=>(const LaunchValue &) const = default;
};

template <typename V> void describe(V &v, LaunchValue &value) {
  v.boolean("geometry", value.isGeometry);
  v.number("parameter", value.parameter);
  v.boolean("part", value.isPart);
  v.number("at", value.byteOffset);
  v.number("bits", value.bitWidth);
}

template <typename A> void transfer(A &a, LaunchValue &v) {
  a.field("isGeometry", v.isGeometry);
  a.field("parameter", v.parameter);
  a.field("isPart", v.isPart);
  a.field("byteOffset", v.byteOffset);
  a.field("bitWidth", v.bitWidth);
}

/// \c coefficient times the product of \c factors.
struct LaunchTerm {
  int64_t coefficient = 0;
  std::vector<LaunchValue> factors; // sorted
  bool operator==(const LaunchTerm &) const = default;
};

template <typename A> void transfer(A &a, LaunchTerm &t) {
  a.signedNumber("coefficient", t.coefficient);
  a.field("factors", t.factors);
}

/// A sum of terms; none: 0.
struct LaunchSum {
  std::vector<LaunchTerm> terms; // by factors, no coefficient is 0
  bool operator==(const LaunchSum &) const = default;
};

template <typename A> void transfer(A &a, LaunchSum &s) {
  a.field("terms", s.terms);
}

/// Limits beyond which a sum is given up: the host must be fast.
constexpr unsigned kMaxLaunchTerms = 8, kMaxLaunchFactors = 4;

template <typename V> void describe(V &v, std::vector<LaunchSum> &sums) {
  constexpr uint32_t kMaxSums = 255;
  auto value = [](auto &v, LaunchValue &value) { describe(v, value); };
  auto term = [&](auto &v, LaunchTerm &term) {
    v.signedNumber("times", term.coefficient);
    v.list("factors", term.factors, kMaxLaunchFactors, value);
  };
  v.list("sums", sums, kMaxSums, [&](auto &v, LaunchSum &sum) {
    v.list("terms", sum.terms, kMaxLaunchTerms, term);
  });
}

/// Returns the sum that is \p constant.
LaunchSum launchConstant(int64_t constant);
/// Returns the sum that is \p value.
LaunchSum launchSymbol(const LaunchValue &value);

/// Return \p a + \p b, \p a - \p b and \p a * \p b; nothing if there are too
/// many terms or factors, or a coefficient does not fit.
std::optional<LaunchSum> addSums(const LaunchSum &a, const LaunchSum &b);
std::optional<LaunchSum> subtractSums(const LaunchSum &a, const LaunchSum &b);
std::optional<LaunchSum> multiplySums(const LaunchSum &a, const LaunchSum &b);

/// Returns the value of \p sum if it is the same at every launch.
std::optional<int64_t> constantOf(const LaunchSum &sum);
/// Returns whether \p sum is not negative at any launch, as far as its single
/// terms show.
bool isNeverNegative(const LaunchSum &sum);

/// Returns \p sum as text: "4*arg2*gridx - 4".
std::string sumText(const LaunchSum &sum);

/// A pointer passed to a kernel: a parameter, or the pointer at byte \c
/// byteOffset of a by-value aggregate.
struct PointerSource {
  uint32_t parameter = 0;
  bool isPart = false;
  uint32_t byteOffset = 0;
  auto operator<=>(const PointerSource &) const = default;
};

template <typename V> void describe(V &v, PointerSource &s) {
  v.number("of", s.parameter);
  v.boolean("part", s.isPart);
  v.number("at", s.byteOffset);
}

template <typename A> void transfer(A &a, PointerSource &p) {
  a.field("parameter", p.parameter);
  a.field("isPart", p.isPart);
  a.field("byteOffset", p.byteOffset);
}

/// The bytes that all threads of a kernel together may touch through a pointer.
/// If no sum of \c premises is negative, they range from the least of \c lows
/// up to, but not including, the greatest of \c highs, counted from where the
/// pointer points. If both are empty, it touches none.
struct PointerExtent {
  PointerSource pointer;
  std::vector<LaunchSum> lows, highs, premises;
  bool operator==(const PointerExtent &) const = default;
};

template <typename V> void describe(V &v, PointerExtent &e) {
  v.nested("", e.pointer);
  v.nested("from", e.lows);
  v.nested("to", e.highs);
  v.nested("unless negative:", e.premises);
  v.check(e.lows.empty() == e.highs.empty(), "extent with one end");
}

template <typename A> void transfer(A &a, PointerExtent &e) {
  transfer(a, e.pointer);
  a.field("lows", e.lows);
  a.field("highs", e.highs);
  a.field("premises", e.premises);
}

} // namespace gpulto

#endif
