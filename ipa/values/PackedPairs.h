//===- PackedPairs.h - Two values of 32 bits in one -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_PACKEDPAIRS_H
#define GPULTO_IPA_VALUES_PACKEDPAIRS_H

#include "summary/JumpFunction.h"

#include <utility>

namespace llvm {
class DataLayout;
class Instruction;
class Value;
} // namespace llvm

namespace gpulto {

class JumpFunctionBuilder;
class JumpOperations;

/// Whether \p value looks like two 32-bit values that a calling convention
/// passes in one register.
bool isPackedPair(const llvm::Value &value);

/// Says what the low and the high 32 bits of integers of 64 are, as clang packs
/// pairs (the x and y of a dim3).
class PackedPairs {
public:
  using Halves = std::pair<JumpFunction, JumpFunction>;

  PackedPairs(JumpFunctionBuilder &values, JumpOperations &operations,
              const llvm::DataLayout &layout)
      : values(values), operations(operations), layout(layout) {}

  /// Returns the halves of \p value.
  Halves halvesOf(const llvm::Value &value, unsigned depth = 0);

  /// As halvesOf() of a value, of which \p whole is the jump function.
  Halves halvesOf(const JumpFunction &whole);

private:
  Halves halvesOf(const llvm::Instruction &value, const JumpFunction &whole,
                  unsigned depth);
  void addKnownBits(const llvm::Value &value, Halves &halves);

  JumpFunctionBuilder &values;
  JumpOperations &operations;
  const llvm::DataLayout &layout;
};

} // namespace gpulto

#endif
