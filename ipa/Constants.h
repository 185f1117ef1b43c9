//===- Constants.h - Interprocedural constant propagation -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CONSTANTS_H
#define GPULTO_IPA_CONSTANTS_H

namespace gpulto {
class Callers;
struct WpaContext;

/// Decides Decisions::facts: what the parameters of each live function, and
/// the launch geometry that device code can ask for, are in all contexts. Needs
/// Decisions::live, visibleOutside and effects. Remarks: pass `gpulto-ipa-cp`
/// for functions, `gpulto-launch` for kernels.
void propagateConstants(WpaContext &context, const Callers &callers);

} // namespace gpulto

#endif
