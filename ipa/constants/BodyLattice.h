//===- BodyLattice.h - What is known of one body ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CONSTANTS_BODYLATTICE_H
#define GPULTO_IPA_CONSTANTS_BODYLATTICE_H

#include "ipa/constants/ValueLattice.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace gpulto {

/// A known part of a by-value aggregate.
struct PartLattice {
  PartOffset byteOffset;
  ValueLattice value;
};

/// One formal parameter.
struct ParameterLattice {
  ValueLattice whole;
  /// By-value aggregates, and what pointers of the host point to: the parts
  /// that every context knows, by offset; meaningful once hasParts is set by
  /// the first context.
  std::vector<PartLattice> parts;
  bool hasParts = false;
  /// Pointers of the host: in every context so far, nobody reaches what it
  /// points to but those that got the pointer from a function whose variable
  /// that is; see Pointees::isPrivate.
  bool isPrivate = true;
};

/// Lowers \p known to what \p actual is too. Returns whether it changed.
bool meetParameter(ParameterLattice &known, const ParameterLattice &actual);
/// Returns a number that differs, as a rule, if \p known does.
uint64_t hashOf(const ParameterLattice &known);
/// Lowers the parts of \p known to those that \p actual has too. Returns
/// whether they changed.
bool meetParts(ParameterLattice &known, const ParameterLattice &actual);

/// Returns the value of \p width bits at byte \p offset of an aggregate of
/// which \p parts are known.
ValueLattice readParts(llvm::ArrayRef<PartLattice> parts, uint64_t offset,
                       unsigned width);
/// Adds \p value at byte \p offset to \p parts. Calling conventions pass two
/// fields in one register, so what is known of 64 bits is kept in halves. What
/// is too far for a PartOffset is left out: not known.
void addPart(std::vector<PartLattice> &parts, uint64_t offset,
             const ValueLattice &value);

/// Returns what is known of bytes of which nothing is known.
ParameterLattice unknownBytes();

/// Returns the size in bytes of a value of \p width bits in memory, 0 for a
/// pointer.
uint64_t bytesOf(unsigned width);

/// Bytes [begin, end).
struct ByteWindow {
  uint64_t begin = 0;
  uint64_t end = 0;
};
constexpr ByteWindow kAllBytes = {0, uint64_t(1) << 32};

/// Index of a body in SolverBodies: a definition or a clone of one.
using BodyIndex = uint32_t;

/// What is known of one body.
struct BodyLattice {
  /// The definition, and the number of the clone (0: none).
  GlobalId id = kNone;
  uint32_t clone = 0;
  /// Where it stands in SolverBodies.
  BodyIndex index = kNone;
  /// While one call of it is looked into: that call.
  EnteringCalls entered;
  /// All of its callers are known.
  bool isKnown = true;
  /// Entered by something that was visited, or by something unknown.
  bool isReached = false;
  bool isQueued = false;
  /// Who entered it first, if that is known.
  BodyIndex firstCaller = kNone;
  /// Empty for functions with unknown callers.
  std::vector<ParameterLattice> parameters;
  /// How often the parameters have changed.
  uint32_t version = 0;
  /// Device functions with known callers: kDimensions elements.
  std::vector<ValueLattice> geometry;
};

} // namespace gpulto

#endif
