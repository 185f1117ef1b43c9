//===- HandleUses.h - Where kernels' handles go, in one module --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_HANDLEUSES_H
#define GPULTO_IPA_HANDLEUSES_H

#include "ipa/JumpFunctionBuilder.h"

namespace llvm {
class GlobalVariable;
class Use;
class Value;
} // namespace llvm

namespace gpulto {

/// As the other attributeUse() (ipa/Handles.h), of the operand \p use.
uint8_t attributeUse(const llvm::Use &use);

/// Returns the constant variable with addresses of functions from which
/// \p value, a pointer, was loaded; null if it was not.
const llvm::GlobalVariable *handleTableOf(const llvm::Value &value);

/// Adds to \p handles the jump functions of all that \p value, the handle of a
/// launch, may be; false if that is not known.
bool collectHandles(JumpFunctionBuilder &builder, const llvm::Value &value,
                    llvm::SmallVectorImpl<JumpFunction> &handles);

/// Whether whole-program analysis can follow the handle that is \p use: it is
/// launched, compared with null, or passed to a direct call as it is. The
/// module's launches must have been collected.
bool isFollowedUse(const LgenContext &context, const llvm::Use &use);

/// Whether isFollowedUse() holds of all uses of \p value.
bool isFollowed(const LgenContext &context, const llvm::Value &value);

/// Sets kParamIsHandle and its like of the parameters of \p function.
void markHandleParameters(LgenContext &context, llvm::Function &function,
                          const FunctionSummary &result);

} // namespace gpulto

#endif
