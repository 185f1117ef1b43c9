//===- Launches.h - Launches of kernels, and where handles go ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_LAUNCHES_H
#define GPULTO_SUMMARY_LAUNCHES_H

#include "summary/JumpFunction.h"
#include "summary/Record.h"

#include <cstdint>
#include <iterator>

namespace gpulto {

enum class LaunchKind : uint8_t {
  /// <<<>>>: push configuration, then the stub.
  Chevron,
  Runtime,     // cudaLaunchKernel
  RuntimeExC,  // cudaLaunchKernelExC
  Cooperative, // cudaLaunchCooperativeKernel
  /// By device code: cudaLaunchDevice.
  Device,
  Last = Device
};

inline constexpr const char *kLaunchKindNames[] = {
    "chevron", "runtime", "runtime_exc", "cooperative", "device"};
static_assert(std::size(kLaunchKindNames) == size_t(LaunchKind::Last) + 1);

/// Position of the kernel's handle among the arguments of the runtime's launch
/// function for \p kind.
inline unsigned handleOperand(LaunchKind kind) {
  return kind == LaunchKind::RuntimeExC ? 1 : 0;
}

/// Order of LaunchSite::geometry.
enum Geometry : uint32_t {
  kGridX,
  kGridY,
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kSharedBytes,
  kStream,
  kGeometryCount
};

inline constexpr const char *kGeometryNames[] = {
    "grid.x",  "grid.y",  "grid.z", "block.x",
    "block.y", "block.z", "shared", "stream"};
static_assert(std::size(kGeometryNames) == kGeometryCount);

/// A launch of a kernel: a host -> device edge of the call graph, or an edge
/// from one kernel to another.
struct LaunchSite {
  /// Host stub whose kernel is launched, or kNone when the handle is not one
  /// address. LaunchKind::Device: the kernel.
  SymbolIndex stub = kNone;
  /// Without a stub: jump functions of all that the handle may be, each a
  /// SymbolAddress, PassThrough, LoadVariable, CallResult or Null; empty when
  /// it is unknown.
  Range handles;
  LaunchKind kind = LaunchKind::Chevron;
  uint32_t frequency = 256;
  SourcePlace place;
  /// Position, among the calls of the function, of the call that launches: of
  /// the stub or of the runtime. kNone when no call was found, or for a node of
  /// a graph, which anybody may launch. Launches with several configurations in
  /// force share one.
  uint32_t call = kNone;
  /// Jump functions: grid x, y, z, block x, y, z, shared bytes, stream; kNone
  /// entries do not exist: always kGeometryCount of them.
  Range geometry;
  /// Jump functions of the kernel's arguments, in order. Trailing Unknown ones
  /// are dropped.
  Range arguments;
  /// The stub's body was not in the module: \c arguments are those of the stub
  /// as the host's calling convention passes them (a struct of two words is two
  /// arguments); the stub's FunctionSummary::stubArguments translates them.
  bool byStubFormals = false;
  bool operator==(const LaunchSite &) const = default;
};

template <typename V> void describe(V &v, LaunchSite &l) {
  v.symbol("", l.stub, true);
  v.enumerator("", l.kind, kLaunchKindNames);
  v.frequency("freq", l.frequency);
  v.place(l.place);
  v.call("call", l.call, true);
  if (l.stub == kNone)
    v.handles("handles", l.handles);
  v.jumps("geometry", l.geometry, kGeometryNames);
  v.check(l.geometry.count == kGeometryCount, "incomplete launch geometry");
  v.boolean("by_stub", l.byStubFormals);
  v.jumps("args", l.arguments);
}

enum class HandleTarget : uint8_t {
  /// An argument of a call may be the handle.
  Argument,
  /// An argument of a call points into the variable that holds the handle.
  Behind,
  /// It is stored in a variable of the program: at byte \c argument or any
  /// number of strides of \c beforeBytes away from there.
  Variable,
  /// No handle: a read of the \c bitWidth bits of the VariablePart or Memory
  /// \c handle, or any number of strides of \c beforeBytes away from there.
  /// Handles must not be in these.
  Beside,
  /// The body returns it, at byte \c argument of what it returns.
  Return,
  /// Nowhere else: what a call returned, the handle, is used as kPassesHandle
  /// says. Of results without such an entry nothing is known.
  Followed,
  /// It is stored at byte \c beforeBytes of the memory of number \c argument.
  /// Of memory that is Followed, all that is read is told: as a handle, or by a
  /// Beside; and so are the calls that get its address, by a Passed.
  Into,
  /// No handle: an argument of a call is the address that \c handle, a Memory,
  /// tells, or a copy of what is there.
  Passed,
  /// Nowhere: it is compared with other pointers, hashed, or kept in memory
  /// from which it is only read for that. Another kernel has another handle.
  Apart,
  Last = Apart
};

inline constexpr const char *kHandleTargetNames[] = {
    "argument", "behind", "variable", "beside", "returned",
    "followed", "into",   "passed",   "apart"};
static_assert(std::size(kHandleTargetNames) == size_t(HandleTarget::Last) + 1);

/// Where a kernel's handle goes that is not told by the jump function of a
/// call: a body chooses between several, keeps it or returns it.
struct HandleFlow {
  /// A SymbolAddress, PassThrough, LoadVariable, CallResult or Memory; see
  /// Beside. The Memory of a handle: the pointer that is at any time at byte
  /// \c value of the memory of number \c parameter. That behind a parameter has
  /// the parameter's number; local variables and new objects come behind those.
  JumpFunction handle;
  /// Argument, Behind, Passed: position among the calls of the function, and
  /// among their arguments. Others: see there.
  uint32_t call = kNone;
  uint32_t argument = 0;
  /// Behind: how far from where the argument points the handle is; kNone - 1:
  /// in front of it. Others: see there.
  uint32_t beforeBytes = kNone;
  HandleTarget to = HandleTarget::Argument;
  SymbolIndex variable = kNone;
  bool operator==(const HandleFlow &) const = default;
};

template <typename V> void describe(V &v, HandleFlow &h) {
  using Kind = JumpFunction::Kind;
  using Target = HandleTarget;
  v.handle("", h.handle);
  v.enumerator("", h.to, kHandleTargetNames);
  Kind kind = h.handle.kind;
  bool isMemory = kind == Kind::Memory, isPart = kind == Kind::VariablePart;
  bool isBeside = h.to == Target::Beside;
  v.check(isMemory || isPart || kind == Kind::SymbolAddress ||
              kind == Kind::PassThrough || kind == Kind::LoadVariable ||
              kind == Kind::CallResult,
          "handle of no kernel, parameter, variable or result");
  v.check(isBeside ? isMemory || isPart : !isPart,
          "what is beside a handle is no part of a variable");
  v.check(isMemory || h.to != Target::Passed,
          "what is passed is no address of memory");
  v.check(!isMemory || h.handle.count == 0, "place of a handle that has parts");
  switch (h.to) {
  case Target::Argument:
  case Target::Behind:
  case Target::Passed:
    v.call("call", h.call);
    v.numberOrNone("arg", h.argument);
    if (h.to == Target::Behind)
      v.numberOrNone("before", h.beforeBytes);
    break;
  case Target::Variable:
    v.symbol("in", h.variable);
    v.number("at", h.argument);
    v.number("by", h.beforeBytes);
    break;
  case Target::Beside:
    v.number("by", h.beforeBytes);
    break;
  case Target::Return:
    v.number("at", h.argument);
    break;
  case Target::Into:
    v.numberOrNone("memory", h.argument);
    v.number("at", h.beforeBytes);
    break;
  case Target::Followed:
  case Target::Apart:
    break;
  }
}

/// Host stub: where a piece of one of its formal parameters goes in the
/// kernel's parameter list.
struct StubArgument {
  /// Parameter of the kernel, and the byte in it where the piece starts.
  uint32_t kernelArgument = 0;
  uint32_t byteOffset = 0;
  /// Formal parameter of the stub, and whether it is a by-value aggregate that
  /// is passed on whole.
  uint32_t formal = 0;
  bool isAggregate = false;
  bool operator==(const StubArgument &) const = default;
};

template <typename V> void describe(V &v, StubArgument &a) {
  v.number("", a.kernelArgument);
  v.number("byte", a.byteOffset);
  v.formal("from", a.formal);
  v.boolean("whole", a.isAggregate);
}
} // namespace gpulto

#endif
