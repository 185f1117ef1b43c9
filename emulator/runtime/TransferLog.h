//===- TransferLog.h - A log of copies and waits ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `gpulto-run --transfers=FILE`: for each place where the program copies,
/// fills or waits, what of it need not have been. MemoryShadow knows the bytes,
/// TransferWaits the waits, CallSites the places; here they meet the runtime
/// and the host code that tells what it does (emulator/trace).
/// docs/transfers.md defines the numbers.
///
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_TRANSFERLOG_H
#define GPULTO_EMULATOR_RUNTIME_TRANSFERLOG_H

#include "emulator/machine/Device.h"
#include "emulator/machine/MemoryShadow.h"
#include "emulator/runtime/CallSites.h"
#include "emulator/runtime/Operation.h"
#include "emulator/runtime/TransferWaits.h"
#include "emulator/trace/HostTrace.h"

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace gpulto::emu {

class Runtime;
struct Event;
struct Stream;

/// The log of the process; locks itself.
class TransferLog {
public:
  /// Returns the hooks for traced host code, which is there from now on.
  const GpultoTraceHooks *traceHost();

  // Work -----------------------------------------------------------------

  /// \p operation is about to be submitted to \p stream: names its site.
  void submitting(const Stream &stream, Operation &operation);
  /// It has been, and done if nobody has to wait for it: the host waits if the
  /// call is one that does.
  void submitted(const Stream &stream, const Operation &operation);
  /// The rows of a copy or fill are about to be moved. \p site: as submitting()
  /// found it; 0: the current one (nodes of graphs).
  void copying(Runtime &runtime, uint32_t site, CopyDirection direction,
               const std::vector<CopyRow> &rows);
  void filling(Runtime &runtime, uint32_t site,
               const std::vector<CopyRow> &rows, FillPattern pattern);
  /// A kernel runs as long as the result lives.
  std::unique_lock<std::mutex> beginKernel();
  void endKernel(std::unique_lock<std::mutex> lock);

  // Memory ---------------------------------------------------------------

  void allocated(uint64_t address, uint64_t sizeBytes, AllocationKind kind);

  // Waits ----------------------------------------------------------------

  void waitForStream(const Stream &stream);
  void waitForEvent(const Event &event);
  /// \p canMove: not as a part of something else that has to be done.
  void waitForDevice(unsigned device, bool canMove);
  void streamWaits(const Stream &stream, const Event &event);
  /// See GpultoTraceObserver.
  void observe(int observer);

  /// The document. Call once, at the end.
  std::string json();

  MemoryShadow shadow;

private:
  /// What is known of the copies of a site, beside the shadow's totals.
  struct SiteFacts {
    bool isFill = false;
    CopyDirection direction = CopyDirection::HostToDevice;
    std::set<uint64_t> objects; ///< Numbers of allocations.
    bool isPageLocked = true;   ///< The host's side, always.
    uint64_t hostBegin = ~uint64_t(0), hostEnd = 0;
  };
  struct Object {
    uint64_t number, sizeBytes;
    AllocationKind kind;
    uint32_t site;
  };

  static void hostAccess(uintptr_t address, size_t bytes, int isStore);
  static void hostPointer(uintptr_t address, int isReadOnly);
  static void hostEnd(uintptr_t address, size_t bytes);
  static void hostObserve(int observer);

  SiteFacts &factsOf(uint32_t site);
  void addSide(Runtime &runtime, SiteFacts &facts, uint64_t address,
               uint64_t bytes);
  void guardNew();
  std::string copiesText() const;
  std::string waitsText() const;
  std::string objectsText() const;
  std::string placeText(uint32_t site) const;

  /// The copy or fill that was made last.
  struct LastTransfer {
    CopyDirection direction = CopyDirection::DeviceToDevice;
    bool isPageLocked = false; ///< The host's side.
    bool isHostShared = false; ///< A side is memory for both.
  };

  CallSites sites;
  std::map<uint32_t, SiteFacts> facts;
  LastTransfer last;
  TransferWaits waits;
  std::map<uint64_t, uint64_t> numbers; ///< Of live objects, by address.
  std::vector<Object> objects;
  bool isHostTraced = false;
  GpultoTraceHooks hooks{};
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_TRANSFERLOG_H
