//===- JumpFunction.h - What a caller passes, as the callee sees it -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A jump function describes one actual argument of a call, or one component of
// a kernel launch (grid, block, shared memory, stream, argument), in terms of
// constants and of the caller's own formal parameters. WPA evaluates jump
// functions over the call graph; no function body is needed.
//
// Source: D. Callahan, K. D. Cooper, K. Kennedy, L. Torczon, "Interprocedural
// Constant Propagation", SIGPLAN 1986; the kinds are those of GCC's ipa-prop.h.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_JUMPFUNCTION_H
#define GPULTO_SUMMARY_JUMPFUNCTION_H

#include <cstdint>
#include <iterator>
#include <optional>

namespace gpulto {

/// The operation of a pass-through or composed jump function: formal OP value,
/// or formal OP formal. What widens, converts or has one operand takes as value
/// the width in bits of the formal. The operations of floating-point numbers
/// (binary32 and binary64) round to nearest.
enum class JumpOperation : uint8_t {
  None,
  Add,
  Sub,
  Mul,
  Shl,
  LShr,
  AShr,
  And,
  Or,
  Xor,
  ZExt,
  SExt,
  Trunc,
  UDiv,
  SDiv,
  URem,
  SRem,
  UMin,
  UMax,
  SMin,
  SMax,
  FAdd,
  FSub,
  FMul,
  FDiv,
  FCeil,
  FFloor,
  FExt,
  FTrunc,
  SIToFP,
  UIToFP,
  FPToSI,
  FPToUI,
  Last = FPToUI
};

inline constexpr const char *kJumpOperationNames[] = {
    "none",   "add",    "sub",    "mul",    "shl",   "lshr",   "ashr",
    "and",    "or",     "xor",    "zext",   "sext",  "trunc",  "udiv",
    "sdiv",   "urem",   "srem",   "umin",   "umax",  "smin",   "smax",
    "fadd",   "fsub",   "fmul",   "fdiv",   "fceil", "ffloor", "fext",
    "ftrunc", "sitofp", "uitofp", "fptosi", "fptoui"};
static_assert(std::size(kJumpOperationNames) ==
              size_t(JumpOperation::Last) + 1);

/// One actual argument. A plain value of few words, no ownership.
struct JumpFunction {
  enum class Kind : uint8_t {
    /// Nothing is known.
    Unknown,
    /// The integer or floating-point constant whose bits are \c value.
    Constant,
    /// The null pointer.
    Null,
    /// The address of symbol \c source plus \c value bytes.
    SymbolAddress,
    /// Formal parameter \c source, through \c operation with \c value. What a
    /// pointer, passed as it is, leads to now if \c count is not 0: parts
    /// [parameter, parameter + count) of the aggregate part table, if nobody
    /// else can reach it; else what is there when the function is entered, if
    /// the function writes nothing there.
    PassThrough,
    /// Pointer: formal parameter \c source plus \c value bytes; see there.
    Ancestor,
    /// The \c bitWidth bits at byte \c value of the by-value aggregate that is
    /// formal parameter \c source, or of what that pointer points to. If
    /// \c count is 0, what it points to when the value is needed; else the
    /// \c count bytes that are there when the function is entered.
    LoadAggregate,
    /// A by-value aggregate: parts [source, source + count) of the module's
    /// aggregate part table; what no part covers is unknown. If \c value is not
    /// 0, the address of the caller's local variable of that number, whose
    /// contents the parts are unless a callee that gets such an address keeps
    /// it.
    Aggregate,
    /// Pointer into the memory that call \c source of the function (counted
    /// over its call edges) allocated when it ran last. Allocations of two
    /// calls that are both alive do not overlap. In an argument of a launch, if
    /// \c parameter is 1: the pointer is the one that the call has left, which
    /// did not fail, and no code but the runtime's can free the memory before
    /// the kernel has run.
    Allocation,
    /// Pointer that was loaded from somewhere in variable \c source.
    LoadVariable,
    /// What call \c source of the function (counted over its call edges)
    /// returned when it ran last: the \c bitWidth bits at byte \c value of it.
    /// What a function leaves in the memory of its structure-return parameter
    /// counts as returned. As a part of an aggregate, with \c count not 0: the
    /// \c count bytes from byte \c value on.
    CallResult,
    /// What call \c source of the function left, when it ran last, in the
    /// memory that argument \c parameter points to: the \c count bytes from
    /// byte \c value on. Among the choices of Memory only.
    CallMemory,
    /// What was last written to a part of local variable \c parameter (see
    /// Aggregate): each of the parts [source, source + count) of the aggregate
    /// part table says what one instruction left there that may have been the
    /// last. Then the \c bitWidth bits at byte \c value of that; as a part of
    /// an aggregate, all of it. Without parts, nothing was written to those \c
    /// value bytes: any will do. Nothing is known if a callee has the address.
    Memory,
    /// The \c bitWidth bits at byte \c value of variable \c source: one of the
    /// values that are stored there anywhere in the program, or its
    /// initializer's.
    VariablePart,
    /// Entry \c source, an earlier one, of the module's table of jump
    /// functions, through \c operation with \c value or, if \c count is not 0,
    /// with entry \c count - 1, an earlier one, too. Pointers: Add, at some
    /// distance, positive or negative, that is a multiple of \c value, a power
    /// of two; the memory is that of the entry.
    Composed,
    Last = Composed
  };

  Kind kind = Kind::Unknown;
  JumpOperation operation = JumpOperation::None;
  /// Width of the value in bits; 0 when it is a pointer or an aggregate.
  uint16_t bitWidth = 0;
  /// Formal parameter, symbol, first aggregate part or call; see Kind.
  uint32_t source = 0;
  /// Constant bits (zero-extended), operand, byte offset, or number of a local
  /// variable; see Kind.
  uint64_t value = 0;
  /// Aggregate: number of parts. Others: see there.
  uint32_t count = 0;
  /// CallMemory: position of an argument. Memory: number of a local variable,
  /// from 1; of a handle (HandleFlow, LaunchSite), of a place of its own
  /// numbering, from 0.
  /// Allocation: see there.
  /// Pointers passed on: first aggregate part.
  uint32_t parameter = 0;
  /// Facts that hold at this site whatever the kind. Pointers: log2 of the
  /// proven alignment, the address space it is known to point into (0:
  /// generic), and whether it is known not to be null. Integers: log2 of a
  /// number that it is a multiple of.
  uint8_t alignLog2 = 0;
  uint8_t addressSpace = 0;
  bool nonNull = false;
  /// Integers: unsigned bounds, both inclusive; none when high is 0.
  uint64_t low = 0;
  uint64_t high = 0;

  bool hasFacts() const { return alignLog2 || addressSpace || nonNull || high; }

  /// Whether it is a formal parameter that is a pointer, at any distance.
  bool isPointerPassedOn() const {
    return bitWidth == 0 &&
           (kind == Kind::Ancestor ||
            (kind == Kind::PassThrough && operation == JumpOperation::None));
  }

  bool operator==(const JumpFunction &) const = default;

  static JumpFunction unknown(unsigned width) {
    JumpFunction j;
    j.bitWidth = static_cast<uint16_t>(width);
    return j;
  }
  static JumpFunction constant(uint64_t bits, uint16_t width) {
    JumpFunction j;
    j.kind = Kind::Constant;
    j.value = bits;
    j.bitWidth = width;
    return j;
  }
  static JumpFunction passThrough(uint32_t formal, uint16_t width) {
    JumpFunction j;
    j.kind = Kind::PassThrough;
    j.source = formal;
    j.bitWidth = width;
    return j;
  }
};

template <typename V> void describe(V &v, JumpFunction &j) {
  using Kind = JumpFunction::Kind;
  bool hasOperation = v.head(j);
  if (hasOperation) {
    v.enumerator("", j.operation, kJumpOperationNames);
    v.check(j.operation != JumpOperation::None, "operation that is none");
  }
  switch (j.kind) {
  case Kind::Unknown:
  case Kind::Null:
    break;
  case Kind::Constant:
    v.bits(j.value, j.bitWidth);
    break;
  case Kind::SymbolAddress:
  case Kind::VariablePart:
  case Kind::LoadVariable:
    v.symbol("symbol", j.source);
    if (j.kind != Kind::LoadVariable)
      v.offset(j.value);
    break;
  case Kind::PassThrough:
  case Kind::Ancestor:
    v.formal("formal", j.source);
    if (j.isPointerPassedOn())
      v.parts(j.parameter, j.count);
    if (j.kind == Kind::Ancestor)
      v.offset(j.value);
    else if (hasOperation)
      v.bits(j.value, j.bitWidth);
    break;
  case Kind::LoadAggregate:
    v.formal("formal", j.source);
    v.number("bytes", j.count);
    v.offset(j.value);
    break;
  case Kind::Allocation:
    v.call("call", j.source);
    v.number("lasts", j.parameter);
    break;
  case Kind::CallMemory:
  case Kind::CallResult:
    v.call("call", j.source);
    if (j.kind == Kind::CallMemory)
      v.number("argument", j.parameter);
    v.number("bytes", j.count);
    v.offset(j.value);
    break;
  case Kind::Aggregate:
  case Kind::Memory:
    if (j.kind == Kind::Memory)
      v.number("local", j.parameter);
    v.parts(j.source, j.count);
    v.number("value", j.value);
    break;
  case Kind::Composed:
    v.operands(j.source, j.count);
    v.bits(j.value, j.bitWidth);
    break;
  }
}

/// Distance in bytes of a part from the beginning of what it is a part of.
/// Parts are told of the first 2 GiB of an object only, so that nobody has to
/// ask whether a distance fits 32 bits: one that does not makes no offset, and
/// of what is there nothing is known.
class PartOffset {
public:
  static constexpr uint32_t kLast = INT32_MAX;

  constexpr PartOffset() = default;
  /// Of a number that the compiler sees.
  consteval PartOffset(uint32_t bytes) : bytes(bytes) {
    if (bytes > kLast)
      isTooFar(); // no constant: an error
  }
  /// Returns \p bytes as an offset, or nothing if that is too far.
  static constexpr std::optional<PartOffset> of(uint64_t bytes) {
    if (bytes > kLast)
      return std::nullopt;
    PartOffset offset;
    offset.bytes = static_cast<uint32_t>(bytes);
    return offset;
  }
  constexpr operator uint32_t() const { return bytes; }

private:
  static void isTooFar();
  uint32_t bytes = 0;
};

template <typename V> void describe(V &v, PartOffset &offset) {
  uint32_t bytes = offset;
  v.number("at", bytes);
  std::optional<PartOffset> known = PartOffset::of(bytes);
  v.check(known.has_value(), "part behind the first 2 GiB");
  if (known)
    offset = *known;
}

/// One known part of a by-value aggregate: \c value holds at \c byteOffset.
struct AggregatePart {
  PartOffset byteOffset;
  JumpFunction value;
  bool operator==(const AggregatePart &) const = default;
};

template <typename V> void describe(V &v, AggregatePart &p) {
  v.nested("at", p.byteOffset);
  v.jump("", p.value);
  v.check(p.value.kind != JumpFunction::Kind::Aggregate,
          "aggregate inside an aggregate");
}

/// Whether \p operation takes a formal of another width than it yields, or of
/// one operand: JumpFunction::value is the width of the formal.
bool takesWidth(JumpOperation operation);

/// Returns the constant that \p function yields when its formal parameter has
/// the constant bits \p formal; nothing when it is not that kind or when the
/// operation is undefined for it (shift too large, division by zero), or
/// depends on how the program runs: NaN has many forms, and denormals may be
/// flushed to zero.
std::optional<uint64_t> evaluate(const JumpFunction &function,
                                 std::optional<uint64_t> formal);

} // namespace gpulto

#endif
