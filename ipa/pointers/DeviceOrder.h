//===- DeviceOrder.h - Whether device work runs one after another -*- C++ -*-=//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_POINTERS_DEVICEORDER_H
#define GPULTO_IPA_POINTERS_DEVICEORDER_H

#include "ipa/constants/ConstantsSolver.h"
#include "ipa/runtime/HostLibrary.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gpulto {

/// Whether all device work of the program runs one after another: while a
/// kernel runs, no other kernel, copy or fill does.
class DeviceOrder {
public:
  /// Looks at every body that the solved \p solver reaches. Linear.
  DeviceOrder(const WpaContext &context, const Callers &callers,
              const ConstantsSolver &solver);

  bool isSerial() const { return reason.empty(); }
  /// The first premise found not to hold, as a clause with its place; empty:
  /// all hold.
  llvm::StringRef whyNot() const { return reason; }
  /// As isSerial() and whyNot(), but in any streams: no unseen code works on the
  /// device or frees its memory, and seen code frees memory only after all
  /// streams are done.
  bool isSeen() const { return unseenReason.empty(); }
  llvm::StringRef whyNotSeen() const { return unseenReason; }
  /// As isSeen() and whyNotSeen(), but on any devices, and with memory that
  /// comes and goes in any stream.
  bool isKnown() const { return unknownReason.empty(); }
  llvm::StringRef whyNotKnown() const { return unknownReason; }
  /// Whether the program may free all memory of the device at once. Meaningful
  /// if isSeen().
  bool mayReset() const { return resets; }
  /// Work proven to be in the default stream: launches, and copies and fills
  /// that name their stream. Meaningful if isSerial().
  uint32_t launchCount() const { return launches; }
  uint32_t copyCount() const { return copies; }

private:
  void checkInputs();
  void checkDefinition(GlobalId id);
  void checkHostBody(const BodyLattice &body);
  void checkDeviceBody(GlobalId id);
  void checkCall(const BodyLattice &body, const CallEdge &call);
  void checkMention(GlobalId user, SymbolIndex symbol);
  void checkNative(GlobalId id, GlobalId user, const SourcePlace &place);
  /// What needs a premise: the order in streams alone; what is known of one
  /// device, and of memory that is freed for all, too; or everything.
  enum class Needed { ForOrder, ForOneDevice, ForAll };
  void fail(std::string text, GlobalId user, const SourcePlace &place,
            Needed needed = Needed::ForAll);
  bool isNumber(const BodyLattice &body, const CallEdge &call,
                unsigned argument, uint64_t number) const;

  const WpaContext &context;
  const CombinedSummary &program;
  const ConstantsSolver &solver;
  HostLibrary library;
  std::string reason, unseenReason, unknownReason;
  uint32_t launches = 0, copies = 0;
  bool resets = false;
};

} // namespace gpulto

#endif
