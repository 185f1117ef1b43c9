//===- Facts.h - What holds for a function in all contexts ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Proven by whole-program analysis, written into job files, used by LTRANS: a
// fact of a function holds whenever the function is entered, from wherever.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_FACTS_H
#define GPULTO_SUMMARY_FACTS_H

#include "summary/CombinedSummary.h"

#include <string>
#include <vector>

namespace gpulto {

enum class ValueKind : uint8_t {
  /// The bits are \c value.
  Constant,
  /// A pointer to \c symbol plus \c value bytes.
  Address,
  /// Not one value: bounds, known bits and pointer facts.
  Bounds,
  Last = Bounds
};

/// What is known of a formal parameter, or of a part of a by-value aggregate.
struct ValueFact {
  /// Position of the parameter.
  uint32_t parameter = 0;
  /// The fact is of the \c bitWidth bits (0: a pointer) at byte \c byteOffset
  /// of the by-value aggregate that the parameter points to.
  bool isPart = false;
  uint32_t byteOffset = 0;
  ValueKind kind = ValueKind::Bounds;
  uint16_t bitWidth = 0;
  /// Bits of a constant (0 for the null pointer) or offset of an address.
  uint64_t value = 0;
  /// Address: the definition; kNone in a job file, which has the name that the
  /// symbol bears while bodies move, and whether it is a function.
  GlobalId symbol = kNone;
  std::string symbolName;
  bool isFunction = false;
  /// Integers: unsigned bounds, both inclusive; bits known to be 0 and 1.
  uint64_t low = 0, high = 0;
  uint64_t knownZeros = 0, knownOnes = 0;
  /// Pointers: as in ValueLattice.
  uint8_t alignLog2 = 0;
  uint8_t addressSpace = 0;
  bool isNonNull = false;
  /// Pointer parameter of a kernel: while it runs, memory reached through it is
  /// reached through nothing else in the kernel.
  bool isNoAlias = false;
  /// Pointer parameter of a kernel: while it runs, nothing anywhere writes the
  /// memory behind it: neither the kernel, nor another, nor a copy, nor the
  /// host.
  bool isUnwritten = false;
  /// Pointer parameter of device code: so many bytes from there on can be read
  /// as long as the kernel runs.
  uint64_t dereferenceableBytes = 0;
  bool operator==(const ValueFact &) const = default;
};

/// Bounds of one component of the launch geometry, both inclusive.
struct GeometryFact {
  uint32_t low = 1;
  uint32_t high = UINT32_MAX;
  bool isConstant() const { return low == high; }
  bool operator==(const GeometryFact &) const = default;
};

/// Two pointers of a kernel that lead into different allocations whenever it
/// runs.
struct ApartPair {
  PointerSource first, second;
  bool operator==(const ApartPair &) const = default;
};

/// All that whole-program analysis proved of one function.
struct FunctionFacts {
  std::vector<ValueFact> values; // by (parameter, byteOffset)
  /// Device: bounds of grid x, y, z and block x, y, z (see Geometry); empty
  /// when nothing is known.
  std::vector<GeometryFact> geometry;
  /// Kernels: nothing but launches uses the handle, so the block size may be
  /// declared.
  bool mayDeclareBlock = false;
  /// Kernels: in order.
  std::vector<ApartPair> apart = {};

  bool empty() const {
    return values.empty() && geometry.empty() && apart.empty();
  }
  bool operator==(const FunctionFacts &) const = default;
};

/// A device variable that a kernel, or what it calls, mentions.
struct VariableUse {
  /// The definition; kNone in a job file, which has its name.
  GlobalId variable = kNone;
  std::string name;
  /// kReads, kWrites, kTakesAddress.
  ReferenceFlags flags = 0;
  bool operator==(const VariableUse &) const = default;
};

/// What a function may do, callees included, and what it never does. It holds
/// for every call of the definition.
struct FunctionEffects {
  /// MemoryEffect bits, of which memory and kUnwinds, kFrees, kSynchronizes
  /// count.
  uint32_t may = 0;
  /// It never comes back to its caller, but by unwinding.
  bool neverReturns = false;
  /// It comes back, or unwinds, after a finite time.
  bool alwaysReturns = false;
  /// By parameter: what may be done with the memory behind a pointer
  /// (kParamMayRead, kParamMayWrite) and the pointer (kParamMayEscape,
  /// kParamMayCompare); kParamUnused if the body ignores it. By-value
  /// aggregates are copies of the callee's: 0.
  std::vector<uint32_t> parameters;
  /// Kernels: by GlobalId. Accesses through pointers that the kernel loads from
  /// memory (kReadsOther, kWritesOther) are not among them.
  std::vector<VariableUse> variables;
  bool operator==(const FunctionEffects &) const = default;
};

/// How seldom a host function runs.
enum class Coldness : uint8_t {
  /// Nothing is known.
  Normal,
  /// Once in a run of the program, and no loop is in it or in what it calls: to
  /// be optimized for size.
  RunsOnce,
  /// Hardly ever: to be optimized for size and kept apart.
  Cold,
  Last = Cold
};

/// A direct call that enters a clone of its callee, or a call of the runtime
/// that launches a clone of the kernel.
struct CallRedirect {
  /// Position among the calls of the function's summary.
  uint32_t call = 0;
  /// The definition that is called, and the number of its clone, from 1.
  GlobalId callee = kNone;
  uint32_t clone = 0;
  /// \c callee is a kernel's stub, and the call gets it as its handle.
  bool isHandle = false;
  bool operator==(const CallRedirect &) const = default;
};

/// Pointers of a kernel that lead to memory apart, if the host says so.
struct OverlapGuard {
  /// By pointer. A kernel needs no sums, the host that tests them does: all
  /// that any image of the kernel touches.
  std::vector<PointerExtent> pointers;
  /// Positions among \c pointers.
  struct Pair {
    uint32_t first = 0, second = 0;
    bool operator==(const Pair &) const = default;
  };
  std::vector<Pair> pairs;
  bool operator==(const OverlapGuard &) const = default;
};

/// What becomes of a body: of the definition itself, or of a virtual clone, a
/// copy for some of the callers that has no body until LTRANS makes it.
struct BodyPlan {
  /// Number of the clone, from 1; 0: the definition.
  uint32_t clone = 0;
  FunctionFacts facts;
  std::vector<CallRedirect> redirects; // by call
  /// What the host tests before a launch. A kernel's clone: what holds in it
  /// besides \c facts. A stub: its launch launches the stub's clone number
  /// \c guarded, if that is not 0, when it holds.
  FunctionFacts guard;
  OverlapGuard overlap = {};
  uint32_t guarded = 0;
  bool operator==(const BodyPlan &) const = default;
};

/// What a host function, or a clone of it, is no longer passed, what it is
/// passed instead, and whether it returns nothing any more. Holds wherever it
/// is defined, declared or called.
struct SignatureChange {
  /// As BodyPlan's.
  uint32_t clone = 0;
  /// Positions of the parameters that go, ascending.
  std::vector<uint32_t> dropped;
  /// Parameters that these parts of what they point to take the place of, by
  /// (parameter, byteOffset). None of them is dropped.
  std::vector<LoadedPart> loaded;
  bool dropsResult = false;
  bool operator==(const SignatureChange &) const = default;
};

/// Returns what the name of a kernel's clone \p number adds to the kernel's:
/// characters that names in PTX may have, so that nothing rewrites them.
inline std::string kernelCloneSuffix(uint32_t number) {
  return "$cp" + std::to_string(number);
}

} // namespace gpulto

#endif
