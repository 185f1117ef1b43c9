//===- LocalUses.h - What uses of an address do -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_LOCALUSES_H
#define GPULTO_IPA_VALUES_LOCALUSES_H

#include "ipa/bodies/LgenContext.h"

namespace llvm {
class Function;
class Value;
} // namespace llvm

namespace gpulto {

class LocalVariables;
struct LocalVariable;

/// Adds to \p result what the uses of \p variable, a local one of \p function
/// or one of its parameters, do to it. Asks \p locals for variables in which
/// the address is stored.
void addUses(LocalVariables &locals, LgenContext &context,
             llvm::Function &function, const llvm::Value &variable,
             LocalVariable &result);

} // namespace gpulto

#endif
