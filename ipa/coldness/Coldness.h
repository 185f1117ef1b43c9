//===- Coldness.h - Host functions that rarely run --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_COLDNESS_COLDNESS_H
#define GPULTO_IPA_COLDNESS_COLDNESS_H

namespace gpulto {

class Callers;
struct WpaContext;

/// Decides Decisions::coldness. Needs Decisions::live and visibleOutside.
/// Remarks: pass `gpulto-coldness`.
void propagateColdness(WpaContext &context, const Callers &callers);

} // namespace gpulto

#endif
