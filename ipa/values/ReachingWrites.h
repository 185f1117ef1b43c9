//===- ReachingWrites.h - Which writes were last ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_REACHINGWRITES_H
#define GPULTO_IPA_VALUES_REACHINGWRITES_H

#include "ipa/bodies/ReachingDefinitions.h"
#include "ipa/values/LocalVariables.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace gpulto {

/// Bytes of a variable that are told as one.
struct ToldBytes {
  uint64_t offset, size;
  bool isPointer;
  auto operator<=>(const ToldBytes &) const = default;
};

/// The writes of some bytes that may have been the last before a place.
struct LastWrites {
  llvm::SmallVector<const LocalWrite *, 4> writes;
  /// Perhaps none was since the function was entered.
  bool fromEntry = false;
  bool isKnown = true;
};

/// Places in the function: control is at one of them.
using Places = llvm::ArrayRef<const llvm::Instruction *>;

/// Finds which writes of a local variable of one function were the last before
/// a place. Answers are kept, by variable and bytes.
class ReachingWrites {
public:
  using StoredValues = std::vector<const llvm::Value *>;

  ReachingWrites(LgenContext &context, llvm::Function &function);
  ~ReachingWrites();

  /// Returns the writes of some of the \p size bytes at byte \p offset of
  /// \p local that may have been the last when control is at one of \p places.
  LastWrites before(const LocalVariable &local, uint64_t offset, uint64_t size,
                    Places places);

  /// Whether the bytes of \p write, of \p local, hold what it wrote when \p at
  /// executes.
  bool reaches(const LocalWrite &write, const LocalVariable &local,
               const llvm::Instruction &at);

  /// Returns the writes of some of the \p size bytes at byte \p offset of
  /// \p local of which reaches() holds at \p at.
  llvm::SmallVector<const LocalWrite *, 8>
  lastWrites(const LocalVariable &local, uint64_t offset, uint64_t size,
             const llvm::Instruction &at);

  /// Whether the bytes of \p write, of \p local, hold what it wrote the time
  /// before, or null, when it executes.
  bool isFirst(const LocalWrite &write, const LocalVariable &local);

  /// Whether a callee that may keep the address of \p local may have run before
  /// \p at: whoever runs then may write it.
  bool isKeptBefore(const LocalVariable &local, const llvm::Instruction &at);

  /// Returns what \p bytes of \p local are told in: what is written as a whole,
  /// and what is between, which only callees and copies write.
  const std::vector<ToldBytes> &rangesOf(const LocalVariable &local,
                                         LocalBytes bytes);

  /// Returns what is stored at byte \p offset of \p local anywhere; not
  /// pointers to memory that calls allocate there, nor zeros. Nothing if
  /// something else is written there, or nothing is.
  const std::optional<StoredValues> &storedAt(const LocalVariable &local,
                                              uint64_t offset);

private:
  /// Which writes of some bytes are looked at, and how.
  enum class Among {
    All,    ///< an allocation may fail; a new lifetime has no contents
    Each,   ///< the last that ran
    NonNull ///< as Each, but for writes of zeros and null
  };
  /// What has been found for one place is kept for the next.
  struct Answers {
    std::map<std::tuple<uint64_t, uint64_t, Among>, ReachingDefinitions>
        reaching;
    std::optional<ReachingDefinitions> kept;
    std::map<LocalBytes, std::vector<ToldBytes>> ranges;
    std::map<uint64_t, std::optional<StoredValues>> stored;
  };

  Answers &answersOf(const LocalVariable &local);
  ReachingDefinitions &definitions(const LocalVariable &local, uint64_t offset,
                                   uint64_t size, Among among);
  const llvm::Instruction *lastOf(const LocalVariable &local, LocalBytes bytes,
                                  const llvm::Instruction &at);
  std::optional<StoredValues> findStored(const LocalVariable &local,
                                         uint64_t offset) const;

  LgenContext &context;
  llvm::Function &function;
  const llvm::DataLayout &layout;
  /// By variable. Looked up only.
  llvm::DenseMap<const LocalVariable *, std::unique_ptr<Answers>> answers;
};

} // namespace gpulto

#endif
