//===- CopyRecords.h - Where the record of a copy ends ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_COPYRECORDS_H
#define GPULTO_IPA_TRANSFERS_COPYRECORDS_H

#include "ipa/transfers/TransferGraph.h"
#include "summary/Facts.h"

#include "llvm/ADT/BitVector.h"

#include <set>
#include <utility>

namespace gpulto {

/// Whether the function \p name lets a copy run later than its call, or other
/// code of the host run when it likes: no copy of the program has a record.
bool preventsRecords(llvm::StringRef name);

/// What the program notes of copies between the same memory: what the last one
/// that succeeded was given. The record holds until either side is written, and
/// as long as it holds a copy that is given the same writes what is there. See
/// CopyRecordsPropagate.cpp.
class CopyRecord {
public:
  /// A function, and where in it.
  using Place = std::pair<GlobalId, CodePlace>;

  /// \p copies: nodes of \p graph, all copies of some calls. Their memory is
  /// known, and nobody but nodes writes it. Copies \p gone, by node, are not
  /// made.
  CopyRecord(const TransferGraph &graph, llvm::ArrayRef<uint32_t> copies,
             const llvm::BitVector &gone);

  /// Whether all code that ends it is known, and it holds on some way from one
  /// of the copies to one.
  bool isWorthIt() const { return isKnown && mayHold; }
  /// Where it ends: before these places, on all ways into their functions.
  const std::set<Place> &ends() const { return ended; }
  /// The calls in which copies may make it.
  const std::set<Place> &makers() const { return made; }

private:
  Place placeOf(uint32_t node) const;
  void findMakers();
  void findEnds();
  void findHolding();

  const TransferGraph &graph;
  llvm::ArrayRef<uint32_t> copies;
  const llvm::BitVector &gone;
  std::set<Place> ended, made;
  bool isKnown = true, mayHold = false;
};

} // namespace gpulto

#endif
