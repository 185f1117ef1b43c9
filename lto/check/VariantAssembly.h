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
  Product,   ///< what the job makes
  Reference, ///< what the product is compared with
  Part,      ///< kernels that it may get, and that are assembled with it again
};

/// Adds to \p variant, which has PTX, its cubin, and the usage of its kernels
/// if \p job compares kernels. Errors: ptxas fails on the product; another
/// variant then only has a problem.
llvm::Error assembleVariant(const LtransJob &job, VariantRole role,
                            DeviceVariant &variant);

} // namespace gpulto

#endif
