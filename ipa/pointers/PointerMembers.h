//===- PointerMembers.h - Pointers in by-value aggregates -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_POINTERS_POINTERMEMBERS_H
#define GPULTO_IPA_POINTERS_POINTERMEMBERS_H

#include "summary/Decisions.h"

namespace gpulto {

class CombinedSummary;

/// Returns the pointers that \p kernel loads from by-value aggregates, as far
/// as they are the launch's.
llvm::ArrayRef<PointerMember> membersOf(const CombinedSummary &program,
                                        GlobalId kernel);

/// Returns the member of \p kernel on which \p actual, an argument of one of
/// its calls, is based, or null.
const PointerMember *passedMember(const CombinedSummary &program,
                                  GlobalId kernel, const JumpFunction &actual);

/// Whether \p function, or its callees, may write through its parameter \p
/// parameter or keep it.
bool mayWriteThrough(const Decisions &decisions, GlobalId function,
                     uint32_t parameter);

/// Whether \p kernel, or its callees, may write through \p member or keep it.
bool mayWriteMember(const CombinedSummary &program, const Decisions &decisions,
                    GlobalId kernel, const PointerMember &member);

} // namespace gpulto

#endif
