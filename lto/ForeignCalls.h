//===- ForeignCalls.h - Inlining from one module into another ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// LLVM's inliner takes whatever is in the partition with it, up to some hundred
// instructions, so a program would be inlined more the fewer partitions it has.
// Code would grow with it, and differ with the cut: a call of a function of
// another module is inlined if that is as small as what is imported.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_FOREIGNCALLS_H
#define GPULTO_LTO_FOREIGNCALLS_H

#include "llvm/ADT/DenseMap.h"

#include <cstdint>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace gpulto {

/// Keeps calls in \p partition, which has all its bodies and is not optimized
/// yet, from being inlined if the callee has more than \p instructions and
/// comes from another module than the caller; \p modules says which. Not if the
/// callee is gone after it, for it has no other use; nor where a profile tells
/// the inliner what pays.
void limitForeignInlining(
    llvm::Module &partition,
    const llvm::DenseMap<const llvm::Function *, size_t> &modules,
    uint64_t instructions);

} // namespace gpulto

#endif
