//===- ModuleFlags.h - Options of clang that hold per module ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Most options of a compile become attributes of functions and stay with them
// wherever they go. The rest are module flags, one value for all functions of a
// module: control-flow protection, code model, -fno-plt, ... When modules are
// joined, LLVM takes the minimum or maximum of the values, which changes the
// options of one of the units, or fails.
//
// So units whose flags differ go to different host partitions
// (ModuleSummary::codegenDigest). Three kinds of flags do not count:
//
//   said by functions too   uwtable, frame-pointer: the flag is only for
//                           functions that the compiler makes up
//   fixed by the output     PIC and PIE level
//   for the pre-link        EnableSplitLTOUnit, ThinLTO, UnifiedLTO, Virtual
//   pipeline or a whole     Function Elim (its promise, that all calls are in
//   program                 the module, does not hold in a partition)
//
// Device code is generated from attributes alone: a partition must hold all
// that a kernel reaches, and the flags do not concern PTX.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LGEN_MODULEFLAGS_H
#define GPULTO_LTO_LGEN_MODULEFLAGS_H

#include "lto/job/LtransJob.h"
#include "support/StableHash.h"

namespace llvm {
class Module;
}

namespace gpulto {

/// Returns the digest of the flags of \p module that must agree within a
/// partition. Equal for all device modules.
Digest digestOfModuleFlags(const llvm::Module &module);

/// Removes the flags that do not count from \p source, before it is joined with
/// other modules of a partition of \p job.
void dropModuleFlags(llvm::Module &source, const LtransJob &job);

/// Sets the flags of the finished \p partition that the output fixes.
void setOutputFlags(llvm::Module &partition, const LtransJob &job);

} // namespace gpulto

#endif
