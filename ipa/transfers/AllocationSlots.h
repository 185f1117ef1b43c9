//===- AllocationSlots.h - Where calls leave new memory (LGEN) --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_ALLOCATIONSLOTS_H
#define GPULTO_IPA_TRANSFERS_ALLOCATIONSLOTS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <memory>

namespace llvm {
class AllocaInst;
class CallBase;
class DataLayout;
class LoadInst;
class User;
} // namespace llvm

namespace gpulto {

/// Which calls of one function allocate memory and leave the pointer in a
/// variable of the function, and who loads it from there.
class AllocationSlots {
public:
  explicit AllocationSlots(const llvm::DataLayout &layout) : layout(layout) {}

  /// What becomes of the pointers in a variable.
  struct Slots {
    /// All uses of the variable's address are understood.
    bool isSeen = true;
    /// Calls that leave a pointer there; loads of pointers.
    llvm::SmallVector<const llvm::CallBase *, 4> allocations;
    llvm::SmallVector<const llvm::LoadInst *, 8> loads;
    /// By load: the only call whose memory it may yield; if that is null,
    /// something else may be stored there.
    llvm::SmallVector<const llvm::CallBase *, 8> sources;
  };
  /// Returns the slots of \p variable. The result stays where it is.
  const Slots &of(const llvm::AllocaInst &variable);

  /// Returns the only call whose memory \p load, of \p variable, may yield, or
  /// null: it may be of several, or something else.
  const llvm::CallBase *sourceOf(const llvm::LoadInst &load,
                                 const llvm::AllocaInst &variable);

private:
  /// A use of the variable's bytes: \c offset plus multiples of \c stride.
  struct Access {
    const llvm::User *user;
    uint64_t offset, stride, bytes;
  };

  bool collect(const llvm::AllocaInst &variable,
               llvm::SmallVectorImpl<Access> &accesses) const;
  static void findSources(llvm::ArrayRef<Access> accesses, Slots &slots);

  const llvm::DataLayout &layout;
  /// Looked up only.
  llvm::DenseMap<const llvm::AllocaInst *, std::unique_ptr<Slots>> known;
};

} // namespace gpulto

#endif
