//===- TransferTrim.h - Events that no copy depends on (LGEN) ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_TRANSFERTRIM_H
#define GPULTO_IPA_TRANSFERS_TRANSFERTRIM_H

#include "ipa/bodies/LgenContext.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/runtime/HostLibrary.h"
#include "summary/Bodies.h"
#include "summary/Transfers.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

#include <set>
#include <vector>

namespace gpulto {

/// Functions of a module that may reach the runtime.
using ReachingFunctions = llvm::DenseSet<const llvm::Function *>;
/// The events of each block of a function, in its order.
using BlockEvents =
    llvm::MapVector<const llvm::BasicBlock *, std::vector<TransferEvent>>;

/// Leaves out of the events of one function what no copy can depend on: memory
/// that no copy, launch or function that may reach the runtime gets, and
/// functions that touch nothing else.
class TransferTrim {
public:
  TransferTrim(const LgenContext &context, const FunctionSummary &body,
               const ReachingFunctions &reaching, const HostLibrary &library,
               llvm::ArrayRef<TransferValue> values);

  /// Trims \p blocks.
  void run(BlockEvents &blocks);
  /// Gives the values that events still name new numbers, in the same order;
  /// returns those that stay, by new number. To be called after run().
  std::vector<uint32_t> renumber(BlockEvents &blocks,
                                 std::vector<TransferValue> &kept) const;

private:
  enum class Callee : uint8_t { Row, Stub, Reaching, Library, Other };
  /// Memory of the function or of a caller; Unknown: any.
  struct Memory {
    enum Kind : uint8_t { Unknown, Local, Allocation, Formal, Variable, None };
    Kind kind = Unknown;
    uint32_t number = 0;
    auto operator<=>(const Memory &) const = default;
  };

  const llvm::CallBase &callOf(const TransferEvent &event) const;
  const RuntimeFunction *rowOf(const TransferEvent &event) const;
  Callee calleeOf(const TransferEvent &event) const;
  bool isAsking(const TransferEvent &event) const;
  Memory memoryOf(uint32_t value) const;
  void markUsed(uint32_t value, llvm::BitVector &used) const;
  bool isLikeSize(uint32_t value) const;
  bool isPlace(const TransferEvent &event, size_t index) const;
  void findAsked(const BlockEvents &blocks);
  bool matters(const Memory &memory) const;
  void trimOperands(TransferEvent &event) const;
  bool isNeeded(const TransferEvent &event) const;
  bool isWait(const TransferEvent &event) const;
  bool beginsWatch(const TransferEvent &event) const;
  bool endsWatch(const TransferEvent &event) const;
  llvm::DenseSet<const llvm::BasicBlock *>
  findWatched(const BlockEvents &blocks) const;

  const LgenContext &context;
  const FunctionSummary &body;
  const ReachingFunctions &reaching;
  const HostLibrary &library;
  llvm::ArrayRef<TransferValue> values;
  /// Copies may go to page-locked memory, which need not wait at once.
  const bool hasPageLocked;
  std::set<Memory> asked;
  /// Values that sizes of copies are made of.
  llvm::BitVector sized;
};

} // namespace gpulto

#endif
