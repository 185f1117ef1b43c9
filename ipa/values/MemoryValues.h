//===- MemoryValues.h - What is in memory, as one value ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_MEMORYVALUES_H
#define GPULTO_IPA_VALUES_MEMORYVALUES_H

#include "ipa/bodies/LgenContext.h"
#include "ipa/values/ReachingWrites.h"
#include "ipa/values/VariableWrites.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace llvm {
class GlobalVariable;
class PHINode;
class StoreInst;
} // namespace llvm

namespace gpulto {

class CallResults;
class JumpFunctionBuilder;

/// Says what a load finds in memory of one function, of its callers or of the
/// module.
class MemoryValues {
public:
  MemoryValues(JumpFunctionBuilder &values, LocalVariables &locals,
               ReachingWrites &writes, CallResults &calls, LgenContext &context,
               llvm::Function &function);

  /// Returns what \p load yields.
  JumpFunction ofLoad(const llvm::Instruction &load);

  /// Returns the \p bits bits, 0 for a pointer, at byte \p offset of
  /// \p variable when \p at executes.
  JumpFunction ofVariable(const llvm::GlobalVariable &variable, uint64_t offset,
                          unsigned bits, const llvm::Instruction &at);

  /// Returns what \p phi yields if all that it chooses from was loaded from, or
  /// stored in, the same bytes of a variable of the module, which are the same
  /// variable to the source: LLVM has spared loads. Unknown otherwise.
  JumpFunction ofSpared(const llvm::PHINode &phi);

  /// Returns the jump function, Memory or Unknown, of the \p size bytes at byte
  /// \p offset of \p variable when control is at one of \p places.
  JumpFunction ofWritten(const llvm::Value &variable, uint64_t offset,
                         uint64_t size, bool isPointer, Places places);

  /// Whether the \p size bytes at byte \p offset behind \p argument are at
  /// \p at what they were when the function was entered, as far as they are
  /// written through this argument.
  bool isOfEntry(const llvm::Argument &argument, uint64_t offset, uint64_t size,
                 const llvm::Instruction &at);

  /// Whether \p variable holds the memory of \p write, an allocation that
  /// reaches \p at, or null there: if it fails, what was there before stays.
  bool leavesAllocation(const llvm::Value &variable, const LocalVariable &local,
                        const LocalWrite &write, const llvm::Instruction &at);

private:
  /// A store in a variable of the module, and what it writes.
  struct PlainStore {
    const llvm::StoreInst *store = nullptr;
    VariableWrite write;
  };
  llvm::ArrayRef<PlainStore> storesIn(const llvm::GlobalVariable &variable);
  bool isStoredBefore(const llvm::GlobalVariable &variable, LocalBytes bytes,
                      const llvm::Instruction &at);
  JumpFunction ofLocal(const llvm::Value &variable, uint64_t offset,
                       const llvm::Instruction &load);
  JumpFunction ofStore(const llvm::StoreInst &store);
  JumpFunction choiceOf(const LocalWrite &write, uint64_t offset, uint64_t size,
                        bool isPointer);

  JumpFunctionBuilder &values;
  LocalVariables &locals;
  ReachingWrites &writes;
  CallResults &calls;
  LgenContext &context;
  llvm::Function &function;
  const llvm::DataLayout &layout;
  /// By variable of the module: the function's stores in it, once somebody has
  /// asked. Looked up only.
  using VariableStores =
      llvm::DenseMap<const llvm::GlobalVariable *, std::vector<PlainStore>>;
  std::optional<VariableStores> variableStores;
  /// How deep loads of local variables are being followed.
  unsigned loadDepth = 0;
};

} // namespace gpulto

#endif
