//===- TraceHostCalls.h - What functions of libraries access ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LGEN_TRACEHOSTCALLS_H
#define GPULTO_LTO_LGEN_TRACEHOSTCALLS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace gpulto {

/// What sees that the host has waited. The numbers are those that
/// emulator/trace/HostTrace.h calls GpultoTraceObserver.
enum class HostObserver {
  None = 0,
  Clock = 1,
  Output = 2,
  Exit = 3,
  Profiler = 4,
  ErrorCode = 6,
  Lock = 8,
  Untraced = 9
};

/// What becomes of memory behind an argument.
enum class HostAccess { Load, Store, LoadString, End, Free, Reallocate };

/// An argument that points to memory, and those whose product is its size in
/// bytes; -1: no argument.
struct HostOperand {
  HostAccess access;
  int pointer;
  int size = -1, count = -1;
};

/// What is known of a function of a library.
struct HostFunction {
  llvm::StringRef name;
  llvm::ArrayRef<HostOperand> operands;
};

/// Returns what the function \p name accesses; null if that is unknown.
const HostFunction *findHostFunction(llvm::StringRef name);

/// Returns what a call of \p name sees. \p isKnown: it is a function of C's
/// library, which alone says nothing about it.
HostObserver observerOf(llvm::StringRef name, bool isKnown);

/// Returns whether \p name is a function of CUDA's runtime or driver.
bool isCudaFunction(llvm::StringRef name);

/// Returns whether the CUDA function \p name may wait.
bool mayWait(llvm::StringRef name);

} // namespace gpulto

#endif
