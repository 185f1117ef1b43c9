//===- PointerBase.h - What arguments are based on --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CALLERS_POINTERBASE_H
#define GPULTO_IPA_CALLERS_POINTERBASE_H

#include "summary/CombinedSummary.h"

namespace gpulto {

/// Returns what the argument \p actual of \p user is based on if it is a
/// pointer at an unknown distance; else itself. For who asks which memory it
/// leads to, not where.
const JumpFunction &baseOf(const CombinedSummary &program, GlobalId user,
                           const JumpFunction &actual);

} // namespace gpulto

#endif
