//===- MemoryParts.h - What is in memory, in parts --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_MEMORYPARTS_H
#define GPULTO_IPA_VALUES_MEMORYPARTS_H

#include "ipa/bodies/LgenContext.h"
#include "ipa/values/ReachingWrites.h"

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallBase;
class Constant;
class GlobalVariable;
class StoreInst;
class Type;
} // namespace llvm

namespace gpulto {

class CallResults;
class JumpFunctionBuilder;
class MemoryValues;
class PointerValues;

/// Tells the contents of memory in parts: aggregates, and what pointers lead
/// to.
class MemoryParts {
public:
  using Parts = llvm::SmallVectorImpl<AggregatePart>;

  MemoryParts(JumpFunctionBuilder &values, LocalVariables &locals,
              ReachingWrites &writes, CallResults &calls,
              PointerValues &pointers, MemoryValues &contents,
              LgenContext &context, llvm::Function &function);

  /// Appends the known parts of the \p size bytes at \p pointer + \p shift when
  /// \p at executes, or of as many as parts are told of: counts of bytes fit 32
  /// bits, too. In the order in which they are found; at most kMaxParts.
  void collectParts(const llvm::Value &pointer, uint64_t size,
                    const llvm::Instruction &at, uint64_t shift, Parts &parts,
                    unsigned depth = 0);

  /// Appends what is in \p bytes of \p variable when \p at executes, in up to
  /// \p most parts.
  void collectVariable(const llvm::GlobalVariable &variable, LocalBytes bytes,
                       const llvm::Instruction &at, size_t most, Parts &parts);

  /// Appends the parts of the \p size bytes from byte \p begin on of
  /// \p variable, which callees write, too, that can be told when control is at
  /// one of \p places.
  void collectWritten(const llvm::Value &variable, uint64_t begin,
                      uint64_t size, Places places, Parts &parts,
                      unsigned depth = 0);

private:
  void addConstantParts(const llvm::Constant &constant, uint64_t offset,
                        LocalBytes bytes, Parts &parts);
  struct VariableBytes;
  void addVariableParts(const VariableBytes &asked, llvm::Type &type,
                        uint64_t offset, Parts &parts);
  void addResult(const llvm::CallBase &call, const LocalWrite &write,
                 LocalBytes bytes, Parts &parts);
  void addEntry(const llvm::Argument &argument, LocalBytes bytes,
                const llvm::Instruction &at, Parts &parts);
  void addUnwritten(const llvm::Argument &byValue, LocalBytes bytes,
                    const llvm::Instruction &at, Parts &parts);
  void addStored(const llvm::StoreInst &store, const LocalWrite &write,
                 LocalBytes bytes, Parts &parts);
  void addCopied(const llvm::Instruction &instruction, const LocalWrite &write,
                 LocalBytes bytes, Parts &parts, unsigned depth);
  void addLocalParts(const llvm::Value &variable, LocalBytes bytes,
                     const llvm::Instruction &at, Parts &parts, unsigned depth);
  void addExchanged(const llvm::Value &variable, LocalBytes bytes,
                    Parts &parts);
  bool collectCopied(const llvm::Value &variable, const ToldBytes &range,
                     uint64_t begin, Places places, Parts &parts,
                     unsigned depth);

  JumpFunctionBuilder &values;
  LocalVariables &locals;
  ReachingWrites &writes;
  CallResults &calls;
  PointerValues &pointers;
  MemoryValues &contents;
  LgenContext &context;
  const llvm::DataLayout &layout;
};

} // namespace gpulto

#endif
