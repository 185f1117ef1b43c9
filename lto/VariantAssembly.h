//===- VariantAssembly.h - Run ptxas over a device partition ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_VARIANTASSEMBLY_H
#define GPULTO_LTO_VARIANTASSEMBLY_H

#include "lto/KernelCheck.h"
#include "lto/LtransJob.h"

#include "llvm/Support/Error.h"

namespace gpulto {

/// Puts the cubin of \p variant, which has PTX, into it, and what its kernels
/// take if \p job compares kernels. Errors: ptxas fails on what the job is to
/// make (\p isProduct); another variant then only has a problem.
llvm::Error assembleVariant(const LtransJob &job, bool isProduct,
                            DeviceVariant &variant);

} // namespace gpulto

#endif
