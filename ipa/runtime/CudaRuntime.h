//===- CudaRuntime.h - What functions of CUDA's runtime do ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_RUNTIME_CUDARUNTIME_H
#define GPULTO_IPA_RUNTIME_CUDARUNTIME_H

#include "summary/Calls.h"
#include "summary/Launches.h"
#include "summary/Symbols.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace gpulto {

/// A row of CudaRuntime.def: what passes know of a function of CUDA's runtime,
/// of its driver or of the runtime for device code. What a row does not say is
/// not known. Arguments are counted from 0.
struct RuntimeFunction {
  /// How its work on the device is ordered, where that is not by `stream`.
  enum Order : uint8_t {
    Unknown,
    /// It starts nothing that writes device memory, or does in the legacy
    /// default stream.
    Serial,
    /// It launches, or is a part of a launch: LGEN lists the streams.
    InLaunch
  };
  enum Form : uint8_t { None, Ptds, Ptsz };
  enum Role : uint32_t {
    /// Stores behind argument 0 where new memory is; where it is there for all
    /// streams as soon as the call has returned; where it is the device's
    /// alone.
    Allocates = 1u << 0,
    AllocatesForAll = 1u << 1,
    AllocatesOnDevice = 1u << 2,
    /// Frees at once, or when its stream is so far.
    Frees = 1u << 3,
    FreesInStream = 1u << 4,
    /// Neither frees nor keeps the device pointers that it gets.
    OnlyAccesses = 1u << 5,
    ChoosesDevice = 1u << 6,
    /// What was on the device is gone.
    Resets = 1u << 7,
    /// Is the first, or the second, half of a launch by <<<>>>.
    PushesLaunch = 1u << 8,
    PopsLaunch = 1u << 9,
    /// Returns the buffer for the arguments of a launch by device code.
    MakesLaunchBuffer = 1u << 10,
    /// Makes a kernel, or a node of any kind, part of a graph.
    AddsKernelNode = 1u << 11,
    AddsAnyNode = 1u << 12,
    /// Tells what a node of a graph launches or, in device code, changes it.
    AsksForNodes = 1u << 13,
    /// Tells which kernel a handle is.
    AsksForKernel = 1u << 14,
    /// Finds kernels by their names, or functions that do.
    LooksUp = 1u << 15,
    /// Its target, or its source, is the symbol of a variable of the device.
    ToSymbol = 1u << 16,
    FromSymbol = 1u << 17,
    /// Does nothing but wait for work; for all that there is.
    Waits = 1u << 18,
    WaitsForAll = 1u << 19,
    /// What it allocates is page-locked memory of the host.
    AllocatesPageLocked = 1u << 20
  };
  static constexpr int8_t kNone = -1;

  llvm::StringLiteral name;
  /// Its form for per-thread default streams has this suffix: `_ptds`, `_ptsz`.
  Form perThread = None;
  /// How many arguments it has, where that tells it from others; 0: any.
  uint8_t arguments = 0;
  Order order = Unknown;
  /// The argument that is the stream it works in, or kNone.
  int8_t stream = kNone;
  /// How it launches the kernel whose handle it gets; see handleOperand.
  std::optional<LaunchKind> launch = {};
  /// The argument that is the handle of a kernel whose attributes it reads or
  /// sets and of which it keeps nothing, or kNone; kQueriesHandle, kSetsHandle.
  int8_t handle = kNone;
  uint8_t handleUse = 0;
  /// Arguments whose memory is written, or read, before it returns, or kNone.
  int8_t writes = kNone, reads = kNone;
  /// The arguments that a copy goes to and comes from, and how many bytes it
  /// has; a fill comes from nowhere. The bytes are at argument `offset` behind
  /// a variable of the device that is named by its symbol (roles). Argument
  /// `direction` is a CopyDirection. What copies rows has instead of the bytes
  /// those of a row, `width`, and behind each pointer the distance of its rows.
  int8_t target = kNone, source = kNone, bytes = kNone, offset = kNone;
  int8_t width = kNone, direction = kNone;
  /// The argument that says how many bytes it allocates, or kNone.
  int8_t allocated = kNone;
  /// Bytes that it writes behind argument 0, of which it keeps nothing.
  uint8_t resultBytes = 0;
  uint32_t roles = 0;
  /// Whether it is the form for per-thread default streams.
  bool isPerThread = false;

  bool has(Role role) const { return roles & role; }

  /// The argument that is the symbol of a variable of the device, or kNone.
  int8_t symbolOperand() const {
    return offset == kNone ? kNone : has(ToSymbol) ? target : source;
  }

  /// Whether it touches no memory but what its arguments point to, and copies,
  /// fills, makes and frees none.
  bool isQuiet() const;

  /// Whether kernels may run in it, or because of it, that no other call
  /// launches.
  bool mayLaunch() const {
    return launch || (order != Serial && stream == kNone &&
                      !has(PushesLaunch) && !has(PopsLaunch));
  }

  /// Whether programs are changed by what is known of it: another function must
  /// not take its place.
  bool isReliedOn() const {
    return order != Unknown || stream != kNone || launch || handleUse ||
           (roles & (Allocates | Frees | FreesInStream | AddsKernelNode));
  }
};

/// cudaMemcpyKind.
enum CopyDirection : uint64_t {
  kHostToHost,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  /// The pointers say it.
  kByPointers
};

/// Returns what is known of the function \p name, or of its form for per-thread
/// default streams; null if that is nothing. It lives as long as the program.
const RuntimeFunction *findRuntimeFunction(llvm::StringRef name);

/// Whether the function \p name has \p role.
inline bool isRuntime(llvm::StringRef name, RuntimeFunction::Role role) {
  const RuntimeFunction *function = findRuntimeFunction(name);
  return function && function->has(role);
}

/// Returns what the function \p callee does with the kernel whose handle is its
/// argument \p index: kQueriesHandle or kSetsHandle; 0 when it is none of those
/// that read or set attributes and keep nothing.
ReferenceFlags attributeUse(llvm::StringRef callee, unsigned index);

/// Returns how the function \p callee launches the kernel whose handle it gets,
/// if it does.
std::optional<LaunchKind> launchKindOf(llvm::StringRef callee);

/// Returns all rows in the order of CudaRuntime.def.
llvm::ArrayRef<RuntimeFunction> runtimeFunctions();

/// Whether \p name is of the runtime's names: `cuda...`, `__cuda...`.
bool isRuntimeName(llvm::StringRef name);

/// Whether \p name is of the driver's names, as `cuLaunchKernel`.
bool isDriverName(llvm::StringRef name);

/// Whether the host's function \p name ends a capture, changes nodes of graphs,
/// or graphs, or adds nodes to graphs. Names of releases to come count.
bool endsCapture(llvm::StringRef name);
bool changesGraphs(llvm::StringRef name);
bool addsToGraphs(llvm::StringRef name);

} // namespace gpulto

#endif // GPULTO_IPA_RUNTIME_CUDARUNTIME_H
