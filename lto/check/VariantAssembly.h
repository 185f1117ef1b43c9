//===- VariantAssembly.h - Run ptxas over a device partition ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_CHECK_VARIANTASSEMBLY_H
#define GPULTO_LTO_CHECK_VARIANTASSEMBLY_H

#include "lto/check/KernelCheck.h"
#include "lto/job/LtransJob.h"

#include "llvm/Support/Error.h"

namespace gpulto {

enum class VariantRole {
  Product,   ///< what the job is to make
  Reference, ///< what that is compared with
  Part,      ///< kernels that it may get, and that are assembled with it again
};

/// Puts the cubin of \p variant, which has PTX, into it, and what its kernels
/// take if \p job compares kernels. Errors: ptxas fails on the product; another
/// variant then only has a problem.
llvm::Error assembleVariant(const LtransJob &job, VariantRole role,
                            DeviceVariant &variant);

} // namespace gpulto

#endif
