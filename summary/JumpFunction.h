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
/// or formal OP formal. For operations that widen, convert or have one operand,
/// the value is the width in bits of the formal. Floating-point operations
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
  /// The smallest n for which 1 << n is not less than the formal, an unsigned
  /// number: 0 of 0 and 1, 5 of 17 and 32.
  CeilLog2,
  Last = CeilLog2
};

inline constexpr const char *kJumpOperationNames[] = {
    "none",   "add",    "sub",    "mul",    "shl",   "lshr",   "ashr",
    "and",    "or",     "xor",    "zext",   "sext",  "trunc",  "udiv",
    "sdiv",   "urem",   "srem",   "umin",   "umax",  "smin",   "smax",
    "fadd",   "fsub",   "fmul",   "fdiv",   "fceil", "ffloor", "fext",
    "ftrunc", "sitofp", "uitofp", "fptosi", "fptoui", "ceillog2"};
static_assert(std::size(kJumpOperationNames) ==
              size_t(JumpOperation::Last) + 1);

/// One actual argument. A plain value of a few words, without ownership.
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
    /// Formal parameter \c source, through \c operation with \c value. Contents
    /// of the memory that a pointer, passed on unchanged, leads to: if \c count
    /// is not 0, parts [parameter, parameter + count) of the aggregate part
    /// table, if nothing else can reach it; otherwise its contents at the entry
    /// of the function, if the function writes nothing there.
    PassThrough,
    /// Pointer: formal parameter \c source plus \c value bytes; see there.
    Ancestor,
    /// The \c bitWidth bits at byte \c value of the by-value aggregate that is
    /// formal parameter \c source, or of the memory that this pointer points
    /// to. If \c count is 0, its contents when the value is needed; otherwise
    /// the \c count bytes there at the entry of the function.
    LoadAggregate,
    /// A by-value aggregate: parts [source, source + count) of the module's
    /// aggregate part table; bytes that no part covers are unknown. If \c value
    /// is not 0, the address of the caller's local variable of that number. The
    /// parts are its contents, unless a callee that gets such an address keeps
    /// it.
    Aggregate,
    /// Pointer into the memory that call \c source of the function (counted
    /// over its call edges) allocated when it last ran. Live allocations of two
    /// calls do not overlap. In an argument of a launch, if \c parameter is 1:
    /// the pointer is the one that the call left, the call did not fail, and
    /// only the runtime's code can free the memory before the kernel has run.
    Allocation,
    /// Pointer loaded from somewhere in variable \c source.
    LoadVariable,
    /// What call \c source of the function (counted over its call edges)
    /// returned when it last ran: the \c bitWidth bits at byte \c value of it.
    /// What a function leaves in the memory of its structure-return parameter
    /// counts as returned. As a part of an aggregate, with \c count not 0: the
    /// \c count bytes from byte \c value on.
    CallResult,
    /// What call \c source of the function left, when it last ran, in the
    /// memory that argument \c parameter points to: the \c count bytes from
    /// byte \c value on. Only among the choices of Memory.
    CallMemory,
    /// What was last written to a part of local variable \c parameter (see
    /// Aggregate): each of the parts [source, source + count) of the aggregate
    /// part table says what one instruction, possibly the last to write, left
    /// there. The value is the \c bitWidth bits at byte \c value of that; as a
    /// part of an aggregate, all of it. Without parts, nothing was written to
    /// those \c value bytes, so any contents will do. Nothing is known if a
    /// callee has the address.
    Memory,
    /// The \c bitWidth bits at byte \c value of variable \c source: one of the
    /// values that are stored there anywhere in the program, or its
    /// initializer's. If \c parameter is 1, the function itself has stored
    /// there before, so that it is none of the initializer's.
    VariablePart,
    /// Entry \c source, an earlier one, of the module's table of jump
    /// functions, through \c operation with \c value or, if \c count is not 0,
    /// with entry \c count - 1, also an earlier one. Pointers: Add, at some
    /// positive or negative distance that is a multiple of \c value, a power of
    /// two; the memory is that of the entry.
    Composed,
    Last = Composed
  };

  Kind kind = Kind::Unknown;
  JumpOperation operation = JumpOperation::None;
  /// Width of the value in bits; 0 for a pointer or an aggregate.
  uint16_t bitWidth = 0;
  /// Formal parameter, symbol, first aggregate part or call; see Kind.
  uint32_t source = 0;
  /// Constant bits (zero-extended), operand, byte offset, or number of a local
  /// variable; see Kind.
  uint64_t value = 0;
  /// Aggregate: number of parts. Others: see Kind.
  uint32_t count = 0;
  /// CallMemory: position of an argument. Memory: number of a local variable,
  /// from 1; for a handle (HandleFlow, LaunchSite), of a place, numbered
  /// separately from 0. Allocation, VariablePart: see Kind. Pointers passed on:
  /// first aggregate part.
  uint32_t parameter = 0;
  /// Facts that hold at this site for any kind. Pointers: log2 of the proven
  /// alignment, the address space that it is known to point into (0: generic),
  /// and whether it is known not to be null. Integers: log2 of a number of
  /// which it is a multiple, and whether it is one multiple of that after the
  /// other, or of an odd number of these, in the rounds of a loop around it.
  uint8_t alignLog2 = 0;
  uint8_t addressSpace = 0;
  bool nonNull = false;
  bool isCounter = false;
  /// Integers: unsigned bounds, both inclusive; none if high is 0.
  uint64_t low = 0;
  uint64_t high = 0;

  bool hasFacts() const {
    return alignLog2 || addressSpace || nonNull || isCounter || high;
  }

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
    if (j.kind == Kind::VariablePart)
      v.number("stored", j.parameter);
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

/// Distance in bytes of a part from the beginning of its object. Parts lie in
/// the first 2 GiB of an object, so that no code has to check whether a
/// distance fits 32 bits: a larger one makes no offset, and nothing is known of
/// the bytes there.
class PartOffset {
public:
  static constexpr uint32_t kLast = INT32_MAX;

  constexpr PartOffset() = default;
  /// From a constant that the compiler sees.
  consteval PartOffset(uint32_t bytes) : bytes(bytes) {
    if (bytes > kLast)
      isTooFar(); // no constant: an error
  }
  /// Returns \p bytes as an offset, or nothing if it is too large.
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

/// Returns JumpOperation::CeilLog2 of \p number.
uint64_t ceilLog2(uint64_t number);

/// Whether the formal of \p operation has another width than the result, or is
/// the only operand: JumpFunction::value is the width of the formal.
bool takesWidth(JumpOperation operation);

/// Returns the constant that \p function yields when its formal parameter has
/// the constant bits \p formal; nothing if it is of another kind, if the
/// operation is undefined for \p formal (shift too large, division by zero), or
/// if the result depends on the run: NaN has many forms, and denormals may be
/// flushed to zero.
std::optional<uint64_t> evaluate(const JumpFunction &function,
                                 std::optional<uint64_t> formal);

} // namespace gpulto

#endif
