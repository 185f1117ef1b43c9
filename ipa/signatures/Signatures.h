//===- Signatures.h - Needless parameters of host functions -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_SIGNATURES_SIGNATURES_H
#define GPULTO_IPA_SIGNATURES_SIGNATURES_H

namespace gpulto {

class Callers;
struct WpaContext;

/// Decides Decisions::signatures. Needs Decisions::plans. Remarks: pass
/// `gpulto-signatures`.
void propagateSignatures(WpaContext &context, const Callers &callers);

} // namespace gpulto

#endif
