//===- JumpFunctionBuilder.h - Jump functions from IR -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_JUMPFUNCTIONBUILDER_H
#define GPULTO_IPA_VALUES_JUMPFUNCTIONBUILDER_H

#include "ipa/bodies/LgenContext.h"
#include "ipa/values/MemoryUses.h"
#include "ipa/values/VariableWrites.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <utility>

namespace llvm {
class Argument;
class CallBase;
class Function;
class GlobalValue;
class GlobalVariable;
class Instruction;
class ReturnInst;
class Value;
} // namespace llvm

namespace gpulto {

/// Describes values of one function in terms of its formal parameters.
class JumpFunctionBuilder {
public:
  JumpFunctionBuilder(LgenContext &context, llvm::Function &function);
  ~JumpFunctionBuilder();
  JumpFunctionBuilder(const JumpFunctionBuilder &) = delete;
  JumpFunctionBuilder &operator=(const JumpFunctionBuilder &) = delete;

  /// Returns the jump function of the scalar or pointer \p value. First-class
  /// aggregates and vectors are Unknown.
  JumpFunction of(const llvm::Value &value);

  /// Returns the jump function of the \p size bytes that \p pointer points to
  /// when \p at executes: an Aggregate, a PassThrough of a by-value formal, or
  /// Unknown.
  JumpFunction ofMemory(const llvm::Value &pointer, uint64_t size,
                        const llvm::Instruction &at);

  /// As ofMemory(), the known parts themselves; at most 64.
  llvm::SmallVector<AggregatePart, 8> partsOf(const llvm::Value &pointer,
                                              uint64_t size,
                                              const llvm::Instruction &at);

  /// As partsOf(), of the \p size bytes at byte \p offset of a variable of the
  /// module; at most \p most.
  llvm::SmallVector<AggregatePart, 8>
  partsOfVariable(const llvm::GlobalVariable &variable, uint64_t offset,
                  uint64_t size, const llvm::Instruction &at, size_t most);

  /// Returns the jump function of what \p ret returns: of aggregates, and of
  /// what it leaves behind the structure-return parameter, the known parts.
  JumpFunction ofReturn(const llvm::ReturnInst &ret);

  /// Returns the jump function of what \p argument, a pointer, points to when
  /// the function returns by one of \p rets: an Aggregate or Unknown.
  JumpFunction ofOutput(const llvm::Argument &argument,
                        llvm::ArrayRef<const llvm::Instruction *> rets);

  /// Returns the jump function of what \p instruction, which variableWrite()
  /// knows, stores.
  JumpFunction ofStored(const llvm::Instruction &instruction,
                        const VariableWrite &write);

  /// Returns the jump functions of argument \p index of \p call: by-value
  /// aggregates as such, and what pointers to local variables point to.
  JumpFunction ofArgument(const llvm::CallBase &call, unsigned index);

  /// Returns the jump functions of the low and the high 32 bits of the 64-bit
  /// integer \p value, as clang packs pairs (the x and y of a dim3).
  std::pair<JumpFunction, JumpFunction> halvesOf(const llvm::Value &value);

  /// As halvesOf() of a value, of which \p whole is the jump function.
  std::pair<JumpFunction, JumpFunction> halvesOf(const JumpFunction &whole);

  /// Returns the numbers of the function's memory.
  MemoryNumbers &memoryNumbers() { return memory; }

  /// As LgenContext's.
  SymbolIndex indexOf(const llvm::GlobalValue &value) const {
    return context.indexOf(value);
  }

  /// Returns the value last stored in the whole of the pointer-sized slot at
  /// byte \p offset of local variable \p slots when \p at executes, or null.
  const llvm::Value *storedPointer(const llvm::Value &slots, uint64_t offset,
                                   const llvm::Instruction &at);

private:
  /// Those who say what each kind of value is. They ask each other, and of()
  /// for the values that theirs are in terms of.
  struct Kinds;

  LgenContext &context;
  llvm::Function &function;
  const std::unique_ptr<Kinds> kinds;
  MemoryNumbers memory;
};

} // namespace gpulto

#endif
