//===- ScalarValues.h - Jump functions of numbers ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_SCALARVALUES_H
#define GPULTO_IPA_VALUES_SCALARVALUES_H

#include "summary/JumpFunction.h"

namespace llvm {
class Instruction;
class Value;
} // namespace llvm

namespace gpulto {

class JumpFunctionBuilder;
class JumpOperations;
class OperationDepth;
struct ModuleSummary;

/// Returns the jump function of \p value, a constant that is no pointer.
JumpFunction constantValue(const llvm::Value &value);

/// Says what the operations of one function on numbers are.
class ScalarValues {
public:
  ScalarValues(JumpFunctionBuilder &values, JumpOperations &operations,
               OperationDepth &depth, const ModuleSummary &summary)
      : values(values), operations(operations), depth(depth), summary(summary) {
  }

  /// Returns what \p instruction yields, by its operands; Unknown if it is no
  /// operation that a jump function has.
  JumpFunction of(const llvm::Instruction &instruction);

private:
  JumpFunction ofFloatInstruction(const llvm::Instruction &instruction);
  JumpFunction ofComposition(JumpOperation operation, const llvm::Value &input,
                             uint64_t operand, unsigned bits);
  JumpFunction ofOperands(JumpOperation operation, const llvm::Value &left,
                          const llvm::Value &right, unsigned bits);

  JumpFunctionBuilder &values;
  JumpOperations &operations;
  OperationDepth &depth;
  const ModuleSummary &summary;
};

} // namespace gpulto

#endif
