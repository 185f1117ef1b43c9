//===- Facts.h - What holds for a function in all contexts ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Whole-program analysis proves facts, job files carry them, LTRANS uses them.
// A fact of a function holds at every entry of the function, from any caller.
//
// What a job file carries has a function template transfer() beside it, which
// lto/job/LtransJob.h explains.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_FACTS_H
#define GPULTO_SUMMARY_FACTS_H

#include "summary/Calls.h"
#include "summary/Effects.h"
#include "summary/Guards.h"
#include "summary/Ids.h"
#include "summary/JumpFunction.h"
#include "summary/LaunchSum.h"
#include "summary/Parameters.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace gpulto {

/// Version of job files. Increase it with each change of a transfer(), or of
/// the meaning of a field.
inline constexpr int64_t kJobVersion = 19;

enum class ValueKind : uint8_t {
  /// The bits are \c value.
  Constant,
  /// A pointer to \c symbol plus \c value bytes.
  Address,
  /// Not a single value: bounds, known bits and pointer facts.
  Bounds,
  Last = Bounds
};

inline constexpr const char *kValueKindNames[] = {"constant", "address",
                                                  "bounds"};
static_assert(std::size(kValueKindNames) == size_t(ValueKind::Last) + 1);

/// What is known of a formal parameter, or of a part of a by-value aggregate.
struct ValueFact {
  /// Position of the parameter.
  uint32_t parameter = 0;
  /// The fact is about the \c bitWidth bits (0: a pointer) at byte \c
  /// byteOffset of the by-value aggregate that the parameter points to.
  bool isPart = false;
  uint32_t byteOffset = 0;
  ValueKind kind = ValueKind::Bounds;
  uint16_t bitWidth = 0;
  /// Bits of a constant (0 for the null pointer) or offset of an address.
  uint64_t value = 0;
  /// Address: the definition; kNone in a job file, which has the symbol's name
  /// while bodies move, and whether it is a function.
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
  /// Pointer parameter of a kernel: while the kernel runs, nothing else in it
  /// reaches memory that is reached through this pointer.
  bool isNoAlias = false;
  /// Pointer parameter of a kernel: while the kernel runs, nothing writes the
  /// memory that it points to: not this kernel, another kernel, a copy or the
  /// host.
  bool isUnwritten = false;
  /// Pointer parameter of device code: this many bytes from there on can be
  /// read as long as the kernel runs.
  uint64_t dereferenceableBytes = 0;
  bool operator==(const ValueFact &) const = default;
};

template <typename A> void transfer(A &a, ValueFact &f) {
  a.field("parameter", f.parameter);
  a.field("isPart", f.isPart);
  a.field("byteOffset", f.byteOffset);
  a.enumerator("kind", f.kind, kValueKindNames);
  a.field("bitWidth", f.bitWidth);
  a.field("value", f.value);
  a.field("symbol", f.symbolName);
  a.field("isFunction", f.isFunction);
  a.field("low", f.low);
  a.field("high", f.high);
  a.field("knownZeros", f.knownZeros);
  a.field("knownOnes", f.knownOnes);
  a.field("alignLog2", f.alignLog2);
  a.field("addressSpace", f.addressSpace);
  a.field("isNonNull", f.isNonNull);
  a.field("isNoAlias", f.isNoAlias);
  a.field("isUnwritten", f.isUnwritten);
  a.field("dereferenceableBytes", f.dereferenceableBytes);
}

/// Bounds of one component of the launch geometry, both inclusive.
struct GeometryFact {
  uint32_t low = 1;
  uint32_t high = UINT32_MAX;
  bool isConstant() const { return low == high; }
  bool operator==(const GeometryFact &) const = default;
};

template <typename A> void transfer(A &a, GeometryFact &f) {
  a.field("low", f.low);
  a.field("high", f.high);
}

/// The geometry of some launches of a kernel.
struct LaunchShape {
  /// Threads of a block.
  std::array<uint32_t, 3> block{1, 1, 1};
  /// Blocks of the grid.
  std::array<GeometryFact, 3> grid{};
  bool operator==(const LaunchShape &) const = default;
};

template <typename A> void transfer(A &a, LaunchShape &s) {
  a.field("blockX", s.block[0]);
  a.field("blockY", s.block[1]);
  a.field("blockZ", s.block[2]);
  a.field("gridX", s.grid[0]);
  a.field("gridY", s.grid[1]);
  a.field("gridZ", s.grid[2]);
}

/// A parameter of a kernel that gets one multiple of a power of two after the
/// other, as launches in a loop pass its counter.
struct CountingParameter {
  uint32_t number = 0;
  uint32_t alignLog2 = 0;
  bool operator==(const CountingParameter &) const = default;
};

template <typename A> void transfer(A &a, CountingParameter &p) {
  a.field("number", p.number);
  a.field("alignLog2", p.alignLog2);
}

/// What is known of the launches of a kernel, for the report on its accesses to
/// memory. No optimization rests on it.
struct KernelLaunches {
  /// Different ones; none: nothing is known.
  std::vector<LaunchShape> shapes;
  /// Names of the parameters in the source, by position; "": it has none.
  std::vector<std::string> parameters;
  /// In ascending order.
  std::vector<CountingParameter> counting = {};
  /// Where blocks are not known: threads of a block along each axis, as far as
  /// all those launches have the same; 0: they do not, or it is not known.
  std::array<uint32_t, 3> sides{};
  /// By shape: the places of its launches, for people: "main.cu:6:3". They are
  /// no part of a job, which would change with each line.
  std::vector<std::vector<std::string>> places = {};

  bool empty() const {
    return shapes.empty() && parameters.empty() && counting.empty() &&
           sides == decltype(sides)();
  }
  bool operator==(const KernelLaunches &) const = default;
};

template <typename A> void transfer(A &a, KernelLaunches &l) {
  a.field("shapes", l.shapes);
  a.field("parameters", l.parameters);
  a.field("counting", l.counting);
  a.field("sideX", l.sides[0]);
  a.field("sideY", l.sides[1]);
  a.field("sideZ", l.sides[2]);
}

/// Two pointers of a kernel that lead into different allocations whenever it
/// runs.
struct ApartPair {
  PointerSource first, second;
  bool operator==(const ApartPair &) const = default;
};

template <typename A> void transfer(A &a, ApartPair &p) {
  a.field("first", p.first);
  a.field("second", p.second);
}

/// All that whole-program analysis proved about one function.
struct FunctionFacts {
  std::vector<ValueFact> values; // by (parameter, byteOffset)
  /// Device: bounds of grid x, y, z and block x, y, z (see Geometry); empty
  /// when nothing is known.
  std::vector<GeometryFact> geometry;
  /// Kernels: only launches use the handle, so the block size may be declared.
  bool mayDeclareBlock = false;
  /// Kernels: in order.
  std::vector<ApartPair> apart = {};

  bool empty() const {
    return values.empty() && geometry.empty() && apart.empty();
  }
  bool operator==(const FunctionFacts &) const = default;
};

template <typename A> void transfer(A &a, FunctionFacts &f) {
  a.field("values", f.values);
  a.field("geometry", f.geometry);
  a.field("apart", f.apart);
  a.field("mayDeclareBlock", f.mayDeclareBlock);
}

/// A device variable that a kernel, or what it calls, mentions.
struct VariableUse {
  /// The definition; kNone in a job file, which has its name.
  GlobalId variable = kNone;
  std::string name;
  /// kReads, kWrites, kTakesAddress.
  ReferenceFlags flags = 0;
  bool operator==(const VariableUse &) const = default;
};

/// What a job file says of uses.
inline constexpr FlagName kVariableUseNames[] = {
    {kReads, "read"}, {kWrites, "write"}, {kTakesAddress, "takeAddress"}};

template <typename A> void transfer(A &a, VariableUse &u) {
  a.field("name", u.name);
  a.flags("uses", u.flags, kVariableUseNames);
}

/// Bytes of a variable of the device whenever anything reads it.
struct KnownBytes {
  /// Of the first of them in the variable.
  uint64_t offset = 0;
  std::string bytes;
  bool operator==(const KnownBytes &) const = default;
};

template <typename A> void transfer(A &a, KnownBytes &i) {
  a.field("offset", i.offset);
  a.field("bytes", i.bytes);
}

/// What a function may do, callees included, and what it never does. Holds for
/// every call of the definition.
struct FunctionEffects {
  /// MemoryEffect bits; only those of memory and kUnwinds, kFrees,
  /// kSynchronizes count.
  uint32_t may = 0;
  /// It never returns to its caller, except by unwinding.
  bool neverReturns = false;
  /// It returns, or unwinds, after a finite time.
  bool alwaysReturns = false;
  /// By parameter: what may be done with the memory that a pointer leads to
  /// (kParamMayRead, kParamMayWrite) and with the pointer (kParamMayEscape,
  /// kParamMayCompare); kParamUnused if the body ignores it. By-value
  /// aggregates are the callee's own copies: 0.
  std::vector<uint32_t> parameters;
  /// Kernels: by GlobalId. Accesses through pointers that the kernel loads from
  /// memory (kReadsOther, kWritesOther) are not included.
  std::vector<VariableUse> variables;
  bool operator==(const FunctionEffects &) const = default;
};

/// What a job file says of effects.
inline constexpr FlagName kEffectNames[] = {
    {kReadsArguments, "readArguments"}, {kWritesArguments, "writeArguments"},
    {kReadsGlobals, "readGlobals"},     {kWritesGlobals, "writeGlobals"},
    {kReadsOther, "readOther"},         {kWritesOther, "writeOther"},
    {kReadsInaccessible, "readHidden"}, {kWritesInaccessible, "writeHidden"},
    {kSynchronizes, "synchronize"},     {kUnwinds, "unwind"},
    {kMayNotReturn, "notReturn"},       {kFrees, "free"}};

template <typename A> void transfer(A &a, FunctionEffects &e) {
  a.flags("may", e.may, kEffectNames);
  a.field("neverReturns", e.neverReturns);
  a.field("alwaysReturns", e.alwaysReturns);
  a.field("parameters", e.parameters); // ParamMay... flags
  a.field("variables", e.variables);
}

/// How rarely a host function runs.
enum class Coldness : uint8_t {
  /// Nothing is known.
  Normal,
  /// Once in a run of the program, and neither it nor its callees have loops:
  /// to be optimized for size.
  RunsOnce,
  /// Hardly ever: to be optimized for size and kept apart.
  Cold,
  Last = Cold
};

inline constexpr const char *kColdnessNames[] = {"normal", "runsOnce", "cold"};
static_assert(std::size(kColdnessNames) == size_t(Coldness::Last) + 1);

/// What is decided of a function, its clones included, wherever it is defined,
/// declared or called.
struct FunctionDecisions {
  /// None: not known. Jobs list only functions whose effects are known.
  std::optional<FunctionEffects> effects;
  /// Host.
  Coldness coldness = Coldness::Normal;
  /// Its result in all calls, if known: one fact, whose parameter is 0.
  std::vector<ValueFact> returned{};
  /// Kernels.
  KernelLaunches launches{};
  bool operator==(const FunctionDecisions &) const = default;
};

template <typename A> void transfer(A &a, FunctionDecisions &d) {
  a.always("effects", d.effects);
  a.enumerator("coldness", d.coldness, kColdnessNames);
  a.field("returned", d.returned);
  a.field("launches", d.launches);
}

/// A direct call that enters a clone of its callee, or a runtime call that
/// launches a clone of the kernel.
struct CallRedirect {
  /// Position among the calls of the function's summary.
  uint32_t call = 0;
  /// The called definition, and the number of its clone, from 1.
  GlobalId callee = kNone;
  uint32_t clone = 0;
  /// \c callee is a kernel's stub, and the call gets it as a handle.
  bool isHandle = false;
  bool operator==(const CallRedirect &) const = default;
};

/// What becomes of a copy between host and device, or of a fill.
enum class CopyAction : uint8_t {
  /// It only waits for the default stream, as it did.
  Wait,
  /// It goes; nobody asks for its result.
  Drop,
  /// One byte is copied: it waits, orders streams and reports errors as it did.
  Shrink,
  Last = Shrink
};

inline constexpr const char *kCopyActionNames[] = {"wait", "drop", "shrink"};
static_assert(std::size(kCopyActionNames) == size_t(CopyAction::Last) + 1);

/// In which rounds of a loop a copy is needed.
enum class CopyRounds : uint8_t {
  /// Each time the loop has been entered, and then no more.
  First,
  /// The same, and where it gets other arguments than the last time.
  Changed,
  /// In the last one that would make it: behind the loop.
  Behind,
  /// In no loop: where its record does not hold, or it gets other arguments.
  Recorded,
  Last = Recorded
};

inline constexpr const char *kCopyRoundsNames[] = {"first", "changed", "behind",
                                                   "recorded"};
static_assert(std::size(kCopyRoundsNames) == size_t(CopyRounds::Last) + 1);

/// A copy that need not be made.
struct CopyEdit {
  /// Position among the calls of the function's summary.
  uint32_t call = 0;
  CopyAction action = CopyAction::Wait;
  /// It is needed in some rounds of the loop of this depth around it, from 1;
  /// 0: never.
  uint32_t loopDepth = 0;
  CopyRounds rounds = CopyRounds::First;
  /// Recorded: the number of its record.
  uint32_t record = kNone;
  bool operator==(const CopyEdit &) const = default;
};

template <typename A> void transfer(A &a, CopyEdit &c) {
  a.field("call", c.call);
  a.enumerator("action", c.action, kCopyActionNames);
  a.field("loopDepth", c.loopDepth);
  a.enumerator("rounds", c.rounds, kCopyRoundsNames);
  a.field("record", c.record);
}

/// A part of a host function's code.
struct CodePlace {
  enum class Kind : uint8_t {
    /// What is there before all else.
    Entry,
    /// Call \c number of the function's summary.
    Call,
    /// What the function does itself in a stretch (TransferEvent::stretch).
    Stretch,
    Last = Stretch
  };
  Kind kind = Kind::Entry;
  uint32_t number = 0;
  auto operator<=>(const CodePlace &) const = default;
};

inline constexpr const char *kCodePlaceNames[] = {"entry", "call", "stretch"};
static_assert(std::size(kCodePlaceNames) == size_t(CodePlace::Kind::Last) + 1);

/// What code does to records of copies. A record says what a copy was given the
/// last time, and holds while neither side has been written since.
struct RecordUse {
  CodePlace place;
  /// Records that end before the place, ascending.
  std::vector<uint32_t> ended;
  /// Records that a call may make.
  std::vector<uint32_t> made;
  bool operator==(const RecordUse &) const = default;
};

template <typename A> void transfer(A &a, RecordUse &r) {
  a.enumerator("place", r.place.kind, kCodePlaceNames);
  a.field("number", r.place.number);
  a.field("ended", r.ended);
  a.field("made", r.made);
}

/// Pointers of a kernel that lead to memory apart, if the host says so.
struct OverlapGuard {
  /// By pointer. The kernel needs no sums; the host, which tests them, does.
  /// They cover what the kernel touches in any image.
  std::vector<PointerExtent> pointers;
  /// Positions among \c pointers.
  struct Pair {
    uint32_t first = 0, second = 0;
    bool operator==(const Pair &) const = default;
  };
  std::vector<Pair> pairs;
  bool operator==(const OverlapGuard &) const = default;
};

template <typename A> void transfer(A &a, OverlapGuard::Pair &p) {
  a.field("first", p.first);
  a.field("second", p.second);
}

template <typename A> void transfer(A &a, OverlapGuard &o) {
  a.field("pointers", o.pointers);
  a.field("pairs", o.pairs);
}

/// What becomes of a body: of the definition itself, or of a virtual clone,
/// which is a copy for some of the callers that LTRANS makes.
struct BodyPlan {
  /// Number of the clone, from 1; 0: the definition.
  uint32_t clone = 0;
  FunctionFacts facts;
  std::vector<CallRedirect> redirects; // by call
  std::vector<CopyEdit> copies = {};   // by call
  std::vector<RecordUse> records = {}; // by place
  /// What the host tests before a launch. For a kernel's clone: what holds in
  /// it besides \c facts. For a stub: if \c guarded is not 0 and the tests
  /// succeed, its launch launches the stub's clone number \c guarded.
  FunctionFacts guard;
  OverlapGuard overlap = {};
  uint32_t guarded = 0;
  bool operator==(const BodyPlan &) const = default;
};

/// What a host function, or a clone of it, is no longer passed, what it is
/// passed instead, and whether it no longer returns anything. Holds wherever it
/// is defined, declared or called.
struct SignatureChange {
  /// As BodyPlan's.
  uint32_t clone = 0;
  /// Positions of dropped parameters, ascending.
  std::vector<uint32_t> dropped;
  /// Parts of pointed-to memory that replace the pointer parameters, by
  /// (parameter, byteOffset). None of these parameters is in \c dropped.
  std::vector<LoadedPart> loaded;
  bool dropsResult = false;
  bool operator==(const SignatureChange &) const = default;
};

/// Begins what kernelCloneSuffix returns.
inline constexpr llvm::StringLiteral kKernelCloneMark = "$cp";

/// Returns the suffix that clone \p number adds to its kernel's name: of
/// characters valid in PTX names, so that nothing rewrites them.
inline std::string kernelCloneSuffix(uint32_t number) {
  return (kKernelCloneMark + llvm::Twine(number)).str();
}

/// Returns the name of the kernel of which \p name is a clone, or \p name.
inline llvm::StringRef withoutCloneSuffix(llvm::StringRef name) {
  return name.split(kKernelCloneMark).first;
}

} // namespace gpulto

#endif
