//===- Parameters.h - What bodies do with their parameters ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_PARAMETERS_H
#define GPULTO_SUMMARY_PARAMETERS_H

#include "summary/JumpFunction.h"
#include "summary/Record.h"

#include <cstdint>
#include <iterator>
#include <tuple>

namespace gpulto {

enum ParameterFlag : uint32_t {
  kParamUnused = 1u << 0,
  kParamNoAlias = 1u << 1,
  kParamNonNull = 1u << 2,
  kParamByVal = 1u << 3,
  kParamStructRet = 1u << 4,
  /// Pointer: the memory may be read / written / the pointer kept.
  kParamMayRead = 1u << 5,
  kParamMayWrite = 1u << 6,
  kParamMayEscape = 1u << 7,
  /// Scalar: used in a branch condition, as a loop bound, as an index. Says
  /// what a constant would save.
  kParamInCondition = 1u << 8,
  kParamInLoopBound = 1u << 9,
  kParamInAddress = 1u << 10,
  kParamCalled = 1u << 11,
  kParamIsPointer = 1u << 12,
  kParamIsFloat = 1u << 13,
  kParamGridConstant = 1u << 14,
  /// Pointer: it is compared, so its bits may become known.
  kParamMayCompare = 1u << 15,
  /// Host pointer: kPassesHandle holds for what it points to, here.
  kParamIsHandle = 1u << 16,
  /// As kQueriesHandle and kSetsHandle, in addition to kParamIsHandle.
  kParamHandleQueried = 1u << 17,
  kParamHandleSet = 1u << 18,
  /// Host: not an integer, a float or a pointer, or an attribute makes the
  /// calling convention treat it specially.
  kParamIsSpecial = 1u << 19,
};

inline constexpr FlagName kParameterFlagNames[] = {
    {kParamUnused, "unused"},
    {kParamNoAlias, "noalias"},
    {kParamNonNull, "nonnull"},
    {kParamByVal, "byval"},
    {kParamStructRet, "sret"},
    {kParamMayRead, "may_read"},
    {kParamMayWrite, "may_write"},
    {kParamMayEscape, "may_escape"},
    {kParamInCondition, "in_condition"},
    {kParamInLoopBound, "in_loop_bound"},
    {kParamInAddress, "in_address"},
    {kParamCalled, "called"},
    {kParamIsPointer, "pointer"},
    {kParamIsFloat, "float"},
    {kParamGridConstant, "grid_constant"},
    {kParamMayCompare, "may_compare"},
    {kParamIsHandle, "handle"},
    {kParamHandleQueried, "queried"},
    {kParamHandleSet, "set"},
    {kParamIsSpecial, "special"},
};

/// Host: why a body is still passed a pointer that it only loads through,
/// instead of what it loads. Set only for references, and for pointers with
/// nothing but loads at constant distances.
enum class PointerNeed : uint8_t {
  None,      ///< it has LoadedParts, or there is nothing to say
  HandedOn,  ///< to a function that only reads it
  Copied,    ///< memory there is copied as a whole
  Compared,  ///< the address itself
  Volatile,  ///< or atomic
  AnyPlace,  ///< distances are not constant
  OtherType, ///< values that are not a ScalarKind
  Overlaps,  ///< or one place is loaded as several types
  TooMany,   ///< loads, or places
  Condition, ///< on which a load depends, of what may not be readable
  Changed,   ///< before it is loaded
  Last = Changed
};

inline constexpr const char *kPointerNeedNames[] = {
    "none",  "handed_on", "copied",   "compared",  "volatile", "any_place",
    "other", "overlaps",  "too_many", "condition", "changed"};
static_assert(std::size(kPointerNeedNames) == size_t(PointerNeed::Last) + 1);

struct ParameterRecord {
  uint32_t flags = 0;
  /// Scalars: bits. Pointers: 0. By-value aggregates: see byValBytes.
  uint16_t bitWidth = 0;
  uint8_t addressSpace = 0;
  uint8_t alignLog2 = 0;
  /// Size of a byval aggregate, in bytes.
  uint32_t byValBytes = 0;
  /// Instructions that a constant here would let us remove, estimated; for an
  /// aggregate, if all of it were constant.
  uint32_t constantGain = 0;
  /// Host pointer: only this many bytes from where it points are touched
  /// through it, and it is neither kept nor passed on. kNone: unknown.
  uint32_t reachBytes = kNone;
  /// Host pointer: as reachBytes, but it may be passed on, at distances that
  /// jump functions give: what callees touch comes on top. kNone: unknown.
  uint32_t ownReachBytes = kNone;
  PointerNeed pointerNeed = PointerNeed::None;
  /// 0: not known, or the source has no name for it; n: the n-th of
  /// ModuleSummary::sourceNames.
  uint32_t name = 0;
  bool operator==(const ParameterRecord &) const = default;
};

template <typename V> void describe(V &v, ParameterRecord &p) {
  v.template interned<Shape::Parameter>(
      std::tie(p.flags, p.bitWidth, p.addressSpace, p.alignLog2, p.byValBytes,
               p.constantGain, p.reachBytes, p.ownReachBytes, p.pointerNeed),
      [&](auto &v) {
        v.number("bits", p.bitWidth);
        v.number("bytes", p.byValBytes);
        v.number("addrspace", p.addressSpace);
        v.alignment(p.alignLog2);
        v.flags("", p.flags, kParameterFlagNames);
        v.enumerator("needs_pointer", p.pointerNeed, kPointerNeedNames);
        v.estimate("gain", p.constantGain);
        v.numberOrNone("reach", p.reachBytes);
        v.numberOrNone("own_reach", p.ownReachBytes);
      });
  v.sourceName(p.name);
}

/// Kinds of values that a machine passes as a unit.
enum class ScalarKind : uint8_t { Integer, Float, Pointer, Last = Pointer };

inline constexpr const char *kScalarKindNames[] = {"integer", "float",
                                                   "pointer"};
static_assert(std::size(kScalarKindNames) == size_t(ScalarKind::Last) + 1);

/// Host: bytes that a pointer parameter points to and that the body loads. The
/// body uses a parameter with such parts for nothing else. It finds their
/// contents as they were at its entry, and they can be loaded there whatever it
/// is passed.
struct LoadedPart {
  uint32_t parameter = 0;
  uint32_t byteOffset = 0;
  ScalarKind kind = ScalarKind::Integer;
  /// Integer, Float. Pointer: 0.
  uint16_t bitWidth = 0;
  /// log2 of a number of which the address of these bytes is a multiple.
  uint8_t alignLog2 = 0;

  uint32_t sizeBytes() const {
    constexpr uint32_t kPointerBytes = 8, kByteBits = 8;
    return kind == ScalarKind::Pointer ? kPointerBytes : bitWidth / kByteBits;
  }
  bool operator==(const LoadedPart &) const = default;
};

template <typename V> void describe(V &v, LoadedPart &p) {
  constexpr unsigned kMaxAlignLog2 = 32, kMaxBits = 64, kByteBits = 8;
  v.formal("", p.parameter);
  v.enumerator("", p.kind, kScalarKindNames);
  v.number("bits", p.bitWidth);
  v.number("at", p.byteOffset);
  v.alignment(p.alignLog2);
  bool isPointer = p.kind == ScalarKind::Pointer;
  v.check(p.alignLog2 <= kMaxAlignLog2 && p.bitWidth <= kMaxBits &&
              p.bitWidth % kByteBits == 0 && isPointer == (p.bitWidth == 0),
          "loaded part out of range");
}

template <typename A> void transfer(A &a, LoadedPart &p) {
  a.field("parameter", p.parameter);
  a.field("byteOffset", p.byteOffset);
  a.enumerator("kind", p.kind, kScalarKindNames);
  a.field("bitWidth", p.bitWidth);
  a.field("alignLog2", p.alignLog2);
}

/// Device kernels: a pointer in a by-value aggregate that the body loads;
/// nothing writes the aggregate, which is a copy.
struct PointerMember {
  uint32_t parameter = 0;
  uint32_t byteOffset = 0;
  /// kParamMayRead, kParamMayWrite and kParamMayEscape: what the body does with
  /// the memory that it leads to, and with the pointer. Callees that jump
  /// functions describe are not included.
  uint32_t flags = 0;
  bool operator==(const PointerMember &) const = default;
};

template <typename V> void describe(V &v, PointerMember &m) {
  v.formal("", m.parameter);
  v.number("at", m.byteOffset);
  v.flags("", m.flags, kParameterFlagNames);
}

/// A store of a body to a variable.
struct VariableStore {
  SymbolIndex variable = kNone;
  PartOffset byteOffset;
  uint32_t sizeBytes = 0;
  JumpFunction value;
  bool operator==(const VariableStore &) const = default;
};

template <typename V> void describe(V &v, VariableStore &s) {
  v.symbol("", s.variable);
  v.nested("at", s.byteOffset);
  v.number("bytes", s.sizeBytes);
  v.jump("value", s.value);
}
} // namespace gpulto

#endif
