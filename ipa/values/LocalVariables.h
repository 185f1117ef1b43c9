//===- LocalVariables.h - A function's own variables ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_LOCALVARIABLES_H
#define GPULTO_IPA_VALUES_LOCALVARIABLES_H

#include "ipa/bodies/LgenContext.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>

namespace llvm {
class Argument;
class CallBase;
class DataLayout;
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace gpulto {

/// A size that is not known.
constexpr uint64_t kUnboundedSize = ~uint64_t(0);

/// An instruction that may write a local variable: an alloca, the callee's
/// copy of a by-value formal or an object on the heap.
struct LocalWrite {
  const llvm::Instruction *instruction;
  uint64_t offset;
  /// Bytes; kUnboundedSize when it is not known what is written.
  uint64_t size;
  /// It is a call that gets the address.
  bool isByCallee = false;
  /// It is a call that returns what it leaves here.
  bool isReturned = false;
  /// By a callee: the argument that leads to byte \c passed.
  unsigned argument = 0;
  uint64_t passed = 0;
  /// Its place in LocalVariable::ranges.
  uint32_t range = 0;
  /// The instruction writes the variable in no other way.
  bool isOnly = true;
};

/// Bytes of a variable.
struct LocalBytes {
  uint64_t offset, size;
  auto operator<=>(const LocalBytes &) const = default;
};

/// What the function does with a local variable.
struct LocalVariable {
  /// Somebody else may write it, or the writes are not known.
  bool escapes = true;
  /// As escapes, but for what known callees do with the address.
  bool escapesUnseen = true;
  /// Identifies the variable among those of the function; from 1.
  uint32_t number = 0;
  /// Something other than a launch reads what is stored there.
  bool isLoaded = false;
  bool isArgument = false;   ///< of a launch: its address is in such an array
  bool isLaunched = false;   ///< a launch gets its address
  bool isNodeParams = false; ///< of a kernel node that is added to a graph
  llvm::SmallVector<LocalWrite, 8> writes;
  /// The bytes that writes have, each once, in the order of the writes.
  llvm::SmallVector<LocalBytes, 8> ranges;
  /// Known callees that may keep its address.
  llvm::SmallVector<const llvm::Instruction *, 2> keepers;
  /// Where its lifetime starts, again. Objects on the heap: another one.
  llvm::SmallVector<const llvm::Instruction *, 2> starts;
  /// Some callee may write it.
  bool isWrittenByCallees = false;

  /// Whether only whole-program analysis can tell what is in it.
  bool dependsOnCallees() const {
    return !escapesUnseen && (escapes || isWrittenByCallees);
  }
  /// Notes that somebody may write it; if \p isSeen, it is a known callee.
  void escape(bool isSeen = false) {
    escapes = true;
    escapesUnseen |= !isSeen;
  }
};

/// Finds who writes the local variables of one function.
class LocalVariables {
public:
  LocalVariables(LgenContext &context, llvm::Function &function);
  ~LocalVariables();

  /// Returns what the function does with \p variable, or with what that, a
  /// pointer parameter, leads to. The result stays where it is.
  const LocalVariable &describe(const llvm::Value &variable);

  /// The number of \p variable in the function, from 1: the same for whoever
  /// asks, since summaries name variables by it.
  uint32_t numberOf(const llvm::Value &variable);

  /// The bytes of the object that \p value, a call, makes on the heap, or of
  /// the buffer that it gets for a launch; nothing if it is something else or
  /// that is not a constant. Nobody else has a pointer to it before the
  /// function passes one on.
  std::optional<uint64_t> heapObjectBytes(const llvm::Value &value) const;

  /// Whether \p call ends the life of the object that \p pointer leads to,
  /// which it neither writes for anybody to see nor keeps.
  bool frees(const llvm::CallBase &call, const llvm::Value &pointer) const;

  /// Whether \p value is memory of the function itself: a variable, the copy of
  /// an argument or an object on the heap.
  bool isLocalVariable(const llvm::Value &value) const;

  /// Whether nothing in the function can write the callee's copy \p byValue.
  bool isUnmodified(const llvm::Argument &byValue);

private:
  bool returnsTwice();

  LgenContext &context;
  llvm::Function &function;
  const llvm::DataLayout &layout;
  /// Filled when first asked for: it looks at all instructions.
  std::optional<bool> callsTwiceReturning;
  /// Looked up only, never iterated.
  llvm::DenseMap<const llvm::Value *, std::unique_ptr<LocalVariable>> locals;
  /// Of allocas and objects on the heap; filled when first asked for. Looked up
  /// only.
  llvm::DenseMap<const llvm::Value *, uint32_t> numbers;
};

} // namespace gpulto

#endif
