//===- VariableContents.h - What variables hold -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CONSTANTS_VARIABLECONTENTS_H
#define GPULTO_IPA_CONSTANTS_VARIABLECONTENTS_H

#include "ipa/constants/BodyLattice.h"
#include "summary/WpaContext.h"

#include "llvm/ADT/DenseMap.h"

#include <set>
#include <utility>
#include <vector>

namespace gpulto {

/// What all visited bodies store in the variables of the program, and who has
/// read it.
class VariableContents {
public:
  explicit VariableContents(const WpaContext &context) : context(context) {}

  /// Notes which body is visited: it reads what is asked for until the next
  /// one is; kNone: nobody.
  void setVisited(BodyIndex body) { visited = body; }

  /// Lowers what is known of the variable \p id to \p value, which is stored as
  /// \p store says. Returns whether that changes it.
  bool lower(GlobalId id, const VariableStore &store,
             const ValueLattice &value);

  /// Whether all that is stored in the variable \p id is plain, so that it is
  /// known.
  bool isKnown(GlobalId id) const;

  /// Notes that the visited body reads the variable \p id.
  void noteReader(GlobalId id);

  /// Lowers \p result to what is stored in the bytes of the variable \p id that
  /// \p function names.
  void meetStored(GlobalId id, const JumpFunction &function,
                  ValueLattice &result) const;

  /// Returns how often variables have been read.
  uint64_t reads() const { return readCount; }
  /// Returns whether variables have been read since this was asked last.
  bool takeAsked() { return std::exchange(askedReads, readCount) != readCount; }

  /// Returns the bodies that have read the variable \p id.
  const std::set<BodyIndex> &readersOf(GlobalId id) { return readers[id]; }

  /// Returns whether anything is known to be stored in the variable \p id.
  bool isStored(GlobalId id) const { return stored.contains(id); }

  /// Forgets what is stored in the variable \p id.
  void forget(GlobalId id) { stored.erase(id); }

private:
  /// What visited bodies have stored in a variable.
  struct StoredValue {
    uint32_t byteOffset = 0;
    uint32_t sizeBytes = 0;
    ValueLattice value;
  };

  const WpaContext &context;
  /// By variable; looked up only.
  llvm::DenseMap<GlobalId, std::vector<StoredValue>> stored;
  /// By variable: bodies that were visited when its contents were asked for.
  llvm::DenseMap<GlobalId, std::set<BodyIndex>> readers;
  BodyIndex visited = kNone;
  uint64_t readCount = 0;
  /// Of these, those before takeAsked() was asked last.
  uint64_t askedReads = 0;
};

} // namespace gpulto

#endif
