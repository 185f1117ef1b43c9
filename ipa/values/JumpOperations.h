//===- JumpOperations.h - Operations on jump functions ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_JUMPOPERATIONS_H
#define GPULTO_IPA_VALUES_JUMPOPERATIONS_H

#include "ipa/bodies/LgenContext.h"

#include <cstdint>
#include <optional>

namespace llvm {
class Instruction;
} // namespace llvm

namespace gpulto {

/// Returns the operation of integers that \p opcode, of an instruction, is.
std::optional<JumpOperation> operationOf(unsigned opcode);

/// Whether \p j may be known to whole-program analysis and is not here.
bool isInput(const JumpFunction &j);

/// Whether \p j, of the module of \p summary, has an operation of two values
/// that are not known here, or of one that nobody knows: what is known of the
/// result does not follow from what is known of them.
bool hasOwnBounds(const ModuleSummary &summary, const JumpFunction &j);

/// Computes with jump functions. What is no number of bits here is put into the
/// table of the module.
class JumpOperations {
public:
  explicit JumpOperations(JumpFunctionTable &table) : table(table) {}

  /// Returns `input OPERATION operand`, where \p input is what is known of a
  /// number: of a formal parameter directly, of other values by way of the
  /// table.
  JumpFunction compose(JumpOperation operation, const JumpFunction &input,
                       uint64_t operand, unsigned bits);

  /// Returns `left OPERATION right`; Unknown if one of them is.
  JumpFunction compose(JumpOperation operation, const JumpFunction &left,
                       const JumpFunction &right, unsigned bits);

  /// Returns `left OPERATION right`, of which something is known.
  JumpFunction composeTwo(JumpOperation operation, const JumpFunction &left,
                          const JumpFunction &right, unsigned bits);

  /// Returns \p input, an unsigned number, in \p bits bits.
  JumpFunction resized(const JumpFunction &input, unsigned bits);

  /// Returns what \p operation, which is of one number, makes of \p input.
  JumpFunction applied(const llvm::Instruction &operation,
                       const JumpFunction &input);

private:
  JumpFunctionTable &table;
};

} // namespace gpulto

#endif
