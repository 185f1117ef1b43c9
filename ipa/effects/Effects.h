//===- Effects.h - What functions do, what becomes of variables -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_EFFECTS_EFFECTS_H
#define GPULTO_IPA_EFFECTS_EFFECTS_H

namespace gpulto {

class Callers;
struct WpaContext;

/// Emits remarks on what was decided and why, if they are asked for.
void explainEffects(WpaContext &context, const Callers &callers);

} // namespace gpulto

#endif
