//===- PointerBase.h - What arguments are based on --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CALLERS_POINTERBASE_H
#define GPULTO_IPA_CALLERS_POINTERBASE_H

#include "summary/CombinedSummary.h"

namespace gpulto {

/// Returns the pointer on which the argument \p actual of \p user is based if
/// its distance from it is unknown; otherwise \p actual itself. For callers
/// that need to know which memory it leads to, not where in it.
const JumpFunction &baseOf(const CombinedSummary &program, GlobalId user,
                           const JumpFunction &actual);

} // namespace gpulto

#endif
