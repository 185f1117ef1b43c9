//===- LtransEffects.h - What calls and variables do, in LTRANS -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PARTITION_LTRANSEFFECTS_H
#define GPULTO_LTO_PARTITION_LTRANSEFFECTS_H

#include "lto/job/LtransJob.h"

#include "llvm/IR/Module.h"

namespace gpulto {

/// Puts what \p job knows of functions and variables on \p partition's
/// declarations and definitions, under their names while bodies move. All
/// bodies have been moved, no plan has been applied: clones inherit.
void transformEffects(llvm::Module &partition, const LtransJob &job);

/// Puts on them how seldom they run; as transformEffects.
void transformColdness(llvm::Module &partition, const LtransJob &job);

} // namespace gpulto

#endif
