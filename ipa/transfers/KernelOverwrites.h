//===- KernelOverwrites.h - What kernels surely write (LGEN) ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_KERNELOVERWRITES_H
#define GPULTO_IPA_TRANSFERS_KERNELOVERWRITES_H

#include "ipa/bodies/LgenContext.h"
#include "summary/Bodies.h"

namespace gpulto {

/// Adds what \p kernel, of which \p result is the summary, writes whatever it
/// reads. See KernelOverwritesAnalyze.cpp.
void addKernelOverwrites(LgenContext &context, llvm::Function &kernel,
                         FunctionSummary &result);

} // namespace gpulto

#endif
