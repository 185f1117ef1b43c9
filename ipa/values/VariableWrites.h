//===- VariableWrites.h - Stores in variables -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_VARIABLEWRITES_H
#define GPULTO_IPA_VALUES_VARIABLEWRITES_H

#include "ipa/bodies/LgenContext.h"
#include "summary/JumpFunction.h"

#include <optional>

namespace llvm {
class GlobalVariable;
class Instruction;
class Value;
} // namespace llvm

namespace gpulto {

/// What an instruction stores in a variable of the module.
struct VariableWrite {
  const llvm::GlobalVariable *variable = nullptr;
  PartOffset offset;
  uint64_t size = 0;
  /// Null: the pointer to memory that the instruction, a call, allocates.
  const llvm::Value *value = nullptr;
};

/// Returns which bytes of a variable \p instruction stores one value in, at a
/// constant place, if it does nothing else with it. Host code.
std::optional<VariableWrite>
variableWrite(const llvm::Instruction &instruction);

/// Returns the jump function of what \p variable holds at the beginning, an
/// Aggregate of numbers, null pointers and addresses of functions, or Unknown.
/// There are all functions, if a kernel is among them, or none.
JumpFunction initialParts(LgenContext &context,
                          const llvm::GlobalVariable &variable);

} // namespace gpulto

#endif
