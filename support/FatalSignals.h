//===- FatalSignals.h - Cleaning up when a signal ends us -------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Jobserver tokens and temporary files must not outlive the process that owns
// them. Works together with LLVM's own handlers, whichever were installed
// first: ours calls the handler it found, LLVM's restores it and raises the
// signal again.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_SUPPORT_FATALSIGNALS_H
#define GPULTO_SUPPORT_FATALSIGNALS_H

namespace gpulto {

/// Has \p callback called when a signal is about to end the process (SIGINT,
/// SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGPIPE and the faults, unless ignored),
/// in the reverse order of registration: children end before the files they
/// write are removed. It must be async-signal-safe, and must check that this
/// process owns what it releases: forked children inherit it. Registering the
/// same function again does nothing. Thread-safe.
void callOnFatalSignal(void (*callback)());

/// Blocks those signals in this thread while it lives.
class FatalSignalBlocker {
public:
  FatalSignalBlocker();
  ~FatalSignalBlocker();
  FatalSignalBlocker(const FatalSignalBlocker &) = delete;
  FatalSignalBlocker &operator=(const FatalSignalBlocker &) = delete;

private:
  /// A sigset_t; our header does not include the header of that type.
  alignas(long) unsigned char saved[128];
};

} // namespace gpulto

#endif // GPULTO_SUPPORT_FATALSIGNALS_H
