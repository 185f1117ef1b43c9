//===- ModRef.h - What functions do, what becomes of variables --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_EFFECTS_MODREF_H
#define GPULTO_IPA_EFFECTS_MODREF_H

namespace gpulto {

class Callers;
struct WpaContext;

/// Decides Decisions::effects, neverWritten and neverRead. Needs
/// Decisions::live and visibleOutside. Remarks: pass `gpulto-modref`.
void propagateModRef(WpaContext &context, const Callers &callers);

/// Says what was decided and why, if anybody wants to know.
void explainModRef(WpaContext &context, const Callers &callers);

} // namespace gpulto

#endif
