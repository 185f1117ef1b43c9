/*===- HostTrace.h - Between traced programs and the emulator -------------===//
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===//
 *
 * What code compiled with -fgpulto-trace-host tells the emulator, for the log
 * of copies and waits (emulator/runtime/TransferLog). The functions that the
 * pass calls (lto/lgen/TraceHost) are in libgpulto-trace.a, which is linked
 * into the program; it finds the emulator in the process, or does nothing.
 *
 *===----------------------------------------------------------------------===*/

#ifndef GPULTO_EMULATOR_TRACE_HOSTTRACE_H
#define GPULTO_EMULATOR_TRACE_HOSTTRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { kGpultoTraceVersion = 1, kGpultoTracePageBits = 12 };

/** What the host does between a wait and the next one that a later wait could
 * be seen by. The values are those that the pass writes. */
enum GpultoTraceObserver {
  kGpultoTraceClock = 1,
  /** Output and other system calls: see what a kernel prints. */
  kGpultoTraceOutput = 2,
  /** The end of the process or of a scope: exit, throw, longjmp, fork. */
  kGpultoTraceExit = 3,
  kGpultoTraceProfiler = 4,
  kGpultoTraceEvent = 5,
  kGpultoTraceErrorCode = 6,
  kGpultoTraceHostFunction = 7,
  kGpultoTraceLock = 8,
  /** Code that is not traced. */
  kGpultoTraceOpaque = 9
};

struct GpultoTraceHooks {
  uint32_t version;
  /** Where a page's entry has none of the bits below, nobody cares for accesses
   * to it. Pages share entries by the low bits of their numbers. */
  const uint8_t *filter;
  uint32_t filterBits;
  uint8_t filterMask;
  /** Not 0: somebody cares for observers. */
  const uint8_t *isWaiting;
  void (*access)(uintptr_t address, size_t bytes, int isStore);
  /** Code that is not traced gets a pointer. */
  void (*pointer)(uintptr_t address, int isReadOnly);
  /** The contents of a range are gone. */
  void (*end)(uintptr_t address, size_t bytes);
  void (*observe)(int observer);
};

/** Returns null if there is no log. */
const struct GpultoTraceHooks *gpultoEmulatorTraceHooks(void);

#ifdef __cplusplus
}
#endif

#endif /* GPULTO_EMULATOR_TRACE_HOSTTRACE_H */
