//===- LtransEffects.h - What calls and variables do, in LTRANS -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PARTITION_LTRANSEFFECTS_H
#define GPULTO_LTO_PARTITION_LTRANSEFFECTS_H

#include "lto/job/LtransJob.h"

#include "llvm/IR/Module.h"

namespace gpulto {

/// Puts what \p job knows about functions and variables on \p partition's
/// declarations and definitions, under their names while bodies move. All
/// bodies have been moved and no plan has been applied, so clones inherit it.
void transformEffects(llvm::Module &partition, const LtransJob &job);

} // namespace gpulto

#endif
