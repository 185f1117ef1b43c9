//===- TransferWaits.h - Waits that nobody needs yet (WPA) ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_TRANSFERWAITS_H
#define GPULTO_IPA_TRANSFERS_TRANSFERWAITS_H

#include "ipa/transfers/TransferGraph.h"
#include "summary/Decisions.h"

#include <string>
#include <vector>

namespace gpulto {

/// Tells of calls that wait, and of copies into page-locked memory, how long
/// nobody needs what they wait for. See TransferWaitsPropagate.cpp.
class TransferWaits {
public:
  /// \p isSerial: all work of the device is in the default stream.
  TransferWaits(const WpaContext &context, const TransferGraph &graph,
                bool isSerial)
      : context(context), program(context.program), graph(graph),
        isSerial(isSerial) {}

  /// What is known of one call.
  struct Wait {
    GlobalId function = kNone;
    uint32_t call = 0;
    const RuntimeFunction *row = nullptr;
    TransferVerdict verdict = TransferVerdict::Needed;
    /// Why, as a sentence.
    std::string reason;
  };
  /// Returns the waits that somebody could do without, in the order of their
  /// functions.
  std::vector<Wait> find();

private:
  enum class Step : uint8_t { Passes, Works, Covers, Needs };
  /// What comes behind a wait: a node that waits again; one that needs it.
  struct Walk {
    uint32_t cover = kNone, need = kNone;
    bool hasWork = false;
  };

  void prepare();
  const RuntimeFunction *rowOf(uint32_t node) const;
  bool isWait(uint32_t node) const;
  bool isSame(uint32_t a, uint32_t b) const;
  bool isToPageLocked(const TransferNode &node) const;
  bool isShared(uint32_t object) const;
  bool looks(const TransferNode &node) const;
  bool covers(uint32_t node) const;
  Step stepOf(uint32_t node, uint32_t wait) const;
  Step stepOfRow(uint32_t node, const RuntimeFunction &row) const;
  Walk walk(uint32_t wait) const;
  bool isIdle(uint32_t node) const;
  uint32_t waitedBefore(uint32_t wait) const;
  void judge(Wait &wait, llvm::ArrayRef<uint32_t> nodes) const;

  const WpaContext &context;
  const CombinedSummary &program;
  const TransferGraph &graph;
  /// By node; of programs that wait.
  std::vector<llvm::SmallVector<uint32_t, 2>> predecessors;
  bool isSerial;
  /// Work of the device may access memory of the host that nobody knows, or
  /// that is a variable.
  bool sharesMemory = false, sharesVariables = false, freesWait = false;
};

} // namespace gpulto

#endif
