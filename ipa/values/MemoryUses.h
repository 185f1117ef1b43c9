//===- MemoryUses.h - What a body does through a pointer --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_MEMORYUSES_H
#define GPULTO_IPA_VALUES_MEMORYUSES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace llvm {
class DataLayout;
class Instruction;
class Value;
} // namespace llvm

namespace gpulto {

/// One access to the memory that a pointer leads to, or a call that gets its
/// address. It may happen only sometimes: the pointer may be one of several
/// choices.
struct MemoryUse {
  enum class Kind : uint8_t {
    Load,
    Store,
    Read,  // by a copy or the runtime
    Write, // by a copy or the runtime
    Passed // to a direct call: what it touches is unknown here
  };
  Kind kind = Kind::Load;
  const llvm::Instruction *user = nullptr;
  /// Bytes from the pointer; \c size is 0 for Passed.
  uint64_t begin = 0, size = 0;
  /// Passed: position among the arguments of the call.
  unsigned argument = 0;

  /// Whether one of the \p bytes from \p offset on is touched.
  bool overlaps(uint64_t offset, uint64_t bytes) const {
    return begin < offset + bytes && offset < begin + size;
  }
};

/// Whether \p use is a call that gets a copy of the bytes, by value.
bool isByValue(const MemoryUse &use);

using MemoryUses = llvm::SmallVector<MemoryUse, 16>;

/// Returns all that the body does with \p pointer, an alloca or a parameter, if
/// each use is at a constant distance that is not negative. Nothing if there
/// are volatile or atomic accesses, or uses that keep the address.
std::optional<MemoryUses> memoryUses(const llvm::Value &pointer,
                                     const llvm::DataLayout &layout);

/// Whether \p call calls the declared function \p name.
bool callsDeclared(const llvm::Value &call, llvm::StringRef name);

/// Whether \p value makes memory of its function's own: a local variable or a
/// new object.
bool isOwnMemory(const llvm::Value &value);

/// Numbers the memory of one function, for HandleFlow.
class MemoryNumbers {
public:
  /// Returns the number of \p object, a value of the function; nothing if it is
  /// not memory.
  std::optional<uint32_t> of(const llvm::Value &object);

private:
  /// Numbers of the function's own memory; filled on first use. Looked up only.
  llvm::DenseMap<const llvm::Value *, uint32_t> own;
};

} // namespace gpulto

#endif // GPULTO_IPA_VALUES_MEMORYUSES_H
