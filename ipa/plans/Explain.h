//===- Explain.h - Say what was proven, and whence --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_PLANS_EXPLAIN_H
#define GPULTO_IPA_PLANS_EXPLAIN_H

#include "ipa/constants/ConstantsSolver.h"

namespace gpulto {

/// Remarks of gpulto-constants and gpulto-launches: what was proven, and from
/// which contexts.
void explainConstants(WpaContext &context, const Callers &callers,
                      const ConstantsSolver &solver);

} // namespace gpulto

#endif // GPULTO_IPA_PLANS_EXPLAIN_H
