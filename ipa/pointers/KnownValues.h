//===- KnownValues.h - What values are, once that is solved -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_POINTERS_KNOWNVALUES_H
#define GPULTO_IPA_POINTERS_KNOWNVALUES_H

#include "ipa/constants/ConstantsSolver.h"
#include "ipa/constants/Pointees.h"
#include "ipa/pointers/ApartPointers.h"
#include "ipa/pointers/LastingMemory.h"
#include "ipa/pointers/PointerFacts.h"
#include "ipa/pointers/UnwrittenMemory.h"

namespace gpulto {

/// What whole-program analysis knows of values and pointers in all bodies and
/// their clones. The pass Constants makes it; passes after it may ask.
struct KnownValues {
  /// Solves, and chooses clones. Needs Decisions::live, visibleOutside and
  /// effects. \p context and \p callers must outlive it.
  KnownValues(WpaContext &context, const Callers &callers);
  KnownValues(const KnownValues &) = delete;
  KnownValues &operator=(const KnownValues &) = delete;

  Pointees pointees;
  ConstantsSolver solver;
  PointerFacts pointers;
  ApartPointers apart;
  UnwrittenMemory unwritten;
  LastingMemory lasting;
};

} // namespace gpulto

#endif
