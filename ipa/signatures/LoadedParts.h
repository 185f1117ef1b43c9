//===- LoadedParts.h - What is only loaded through arguments ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_SIGNATURES_LOADEDPARTS_H
#define GPULTO_IPA_SIGNATURES_LOADEDPARTS_H

#include "summary/Parameters.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace llvm {
class Argument;
class DataLayout;
class LLVMContext;
class LoadInst;
class Type;
} // namespace llvm

namespace gpulto {

struct LgenContext;

/// A load, and its distance from an argument in bytes.
struct ArgumentLoad {
  llvm::LoadInst *load = nullptr;
  uint32_t byteOffset = 0;
};
using ArgumentLoads = llvm::SmallVector<ArgumentLoad, 8>;

/// Returns the loads through \p argument, if its function does nothing else
/// with it and they are neither volatile nor atomic, at constant distances that
/// are not negative.
std::optional<ArgumentLoads> argumentLoads(const llvm::Argument &argument,
                                           const llvm::DataLayout &layout);

/// Returns the type of values of \p kind with \p bitWidth bits, or null if
/// there is none.
llvm::Type *scalarType(ScalarKind kind, unsigned bitWidth,
                       llvm::LLVMContext &context);

/// Adds the parts that can be passed instead of \p argument to
/// ModuleSummary::loadedParts, if possible; otherwise returns why not. For each
/// of its loads, linear in the code that may run before it.
PointerNeed addLoadedParts(LgenContext &context,
                           const llvm::Argument &argument);

} // namespace gpulto

#endif
