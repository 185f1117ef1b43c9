//===- SymbolValues.h - Variables that copies set once (WPA) ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_SYMBOLVALUES_H
#define GPULTO_IPA_TRANSFERS_SYMBOLVALUES_H

#include "ipa/transfers/TransferGraph.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpulto {

/// Which variables of the device have the same bytes, all or some, whenever
/// anything reads them, since copies by their symbols put known bytes there
/// before.
class SymbolValues {
public:
  /// Premise: the program uses one device, and all of its code is seen.
  SymbolValues(const WpaContext &context, const Callers &callers,
               const KnownValues &values, const TransferGraph &graph);

  /// Whether what the copy \p node would write could be there from the start.
  bool isInitial(uint32_t node) const;
  /// Why the variable that the copy \p node goes to may not have its bytes from
  /// the start, as a clause; empty if it may, or it goes to no variable.
  std::string whyNot(uint32_t node) const;
  /// Returns a node that may read this variable before all copies that set it,
  /// if that is why; otherwise kNone.
  uint32_t readerBefore(uint32_t node) const;

  /// Lets these variables have their bytes from the start, and says which bytes
  /// of others are known.
  void decide(Decisions &decisions) const;

private:
  struct Variable {
    /// Of the graph.
    uint32_t object = kNone;
    llvm::SmallVector<GlobalId, 2> devices;
    /// What copies set, and where they do not set one known value.
    std::vector<std::optional<uint8_t>> bytes;
    llvm::BitVector unknown;
    /// Of the first of these, as a clause.
    std::string doubt;
    /// Parts that copies set: facts, by number.
    std::vector<uint32_t> facts;
    /// Functions that are not followed may launch what reads it.
    bool isReadByOthers = false;
    std::string reason;
    uint32_t reader = kNone;
    /// Whether the bytes that are there are known to all who read them.
    bool isKnown() const { return reason.empty() && reader == kNone; }
    unsigned knownCount() const {
      return static_cast<unsigned>(
          llvm::count_if(bytes, [](const auto &byte) { return !!byte; }));
    }
  };
  /// Some copy to these bytes has succeeded.
  struct Fact {
    GlobalId shadow = kNone;
    uint64_t offset = 0, size = 0;
    bool operator==(const Fact &) const = default;
  };

  const Variable *variableOf(uint32_t node) const;
  void findVariables();
  void checkRegistrations();
  void checkReferences();
  void checkReferences(GlobalId user, Range references);
  void checkCalls(GlobalId function);
  void checkVariable(Variable &variable);
  void fail(GlobalId id, std::string why);

  void addCopies();
  std::string placeOf(uint32_t node) const;
  std::string addCopy(uint32_t node, GlobalId shadow, Variable &variable);
  std::optional<Fact> partOf(uint32_t node, GlobalId shadow) const;
  std::vector<std::optional<uint8_t>> contentsOf(uint32_t node,
                                                 uint64_t size) const;
  bool isFromHost(uint32_t node) const;
  uint32_t factOf(uint32_t node) const;
  void solve();
  void noteUnseenLaunch(GlobalId stub);
  void findUnseenReaders();
  void checkReaders(uint32_t node);
  bool isSet(const Variable &variable, uint32_t node) const;

  const WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  const ConstantsSolver &solver;
  const TransferGraph &graph;
  /// By shadow.
  std::map<GlobalId, Variable> variables;
  /// Variables of the device and the shadows that stand for them. Looked up
  /// only.
  llvm::DenseMap<GlobalId, GlobalId> shadowOf;
  /// Calls that are nodes. Looked up only.
  llvm::DenseSet<std::pair<GlobalId, uint32_t>> seenCalls;
  llvm::DenseSet<GlobalId> entered;
  std::vector<Fact> facts;
  /// By node: the fact that it makes true, or kNone; facts before it, if it is
  /// reached.
  std::vector<uint32_t> made;
  std::vector<std::optional<llvm::BitVector>> before;
};

} // namespace gpulto

#endif
