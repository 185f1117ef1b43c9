//===- HandleTables.h - Variables that hold handles -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_HANDLETABLES_H
#define GPULTO_IPA_VALUES_HANDLETABLES_H

namespace llvm {
class GlobalVariable;
class Value;
} // namespace llvm

namespace gpulto {

/// Returns the variable from which \p value, a pointer, was loaded, if it may
/// hold addresses of functions; otherwise null.
const llvm::GlobalVariable *handleVariableOf(const llvm::Value &value);

/// As handleVariableOf(), if the variable is constant and does hold some.
const llvm::GlobalVariable *handleTableOf(const llvm::Value &value);

} // namespace gpulto

#endif // GPULTO_IPA_VALUES_HANDLETABLES_H
