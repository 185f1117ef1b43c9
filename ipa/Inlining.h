//===- Inlining.h - Which calls of host code are inlined --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_INLINING_H
#define GPULTO_IPA_INLINING_H

#include "ipa/Callers.h"

namespace gpulto {

/// Decides which direct calls of host functions are inlined, with remarks of
/// gpulto-inline: Decisions::inlinedCalls and Decisions::inlined. Plans of
/// bodies have been made. Deterministic; near linear in calls of small
/// functions.
void propagateInlining(WpaContext &context, const Callers &callers);

} // namespace gpulto

#endif
