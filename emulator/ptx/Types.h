//===- Types.h - The scalar types of PTX ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_PTX_TYPES_H
#define GPULTO_EMULATOR_PTX_TYPES_H

#include <cstdint>
#include <string_view>

namespace gpulto::emu {

/// A fundamental type of PTX (PTX ISA 9.0, section 5.2). Types that only tensor
/// instructions use are not distinguished.
enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  BF16,
  F16x2,
  BF16x2,
  F32,
  F64,
  TF32,
  E4M3x2,
  E5M2x2,
};

/// Bytes of a value of type \p t; a predicate has 1, None has 0.
constexpr unsigned sizeOf(Type t) {
  switch (t) {
  case Type::None:
    return 0;
  case Type::Pred:
  case Type::B8:
  case Type::U8:
  case Type::S8:
    return 1;
  case Type::B16:
  case Type::U16:
  case Type::S16:
  case Type::F16:
  case Type::BF16:
  case Type::E4M3x2:
  case Type::E5M2x2:
    return 2;
  case Type::B64:
  case Type::U64:
  case Type::S64:
  case Type::F64:
    return 8;
  case Type::B128:
    return 16;
  default:
    return 4;
  }
}

constexpr bool isSigned(Type t) { return t >= Type::S8 && t <= Type::S64; }
constexpr bool isFloat(Type t) { return t >= Type::F16 && t <= Type::F64; }
/// True for .u, .s and .b types of 8 to 64 bits.
constexpr bool isInteger(Type t) {
  return t >= Type::B8 && t <= Type::S64 && t != Type::B128;
}

/// The type that a modifier without its dot spells ("f32"), or None.
constexpr Type typeFromName(std::string_view s) {
  struct Entry {
    std::string_view name;
    Type type;
  };
  constexpr Entry kTypes[] = {
      {"pred", Type::Pred},     {"b8", Type::B8},
      {"b16", Type::B16},       {"b32", Type::B32},
      {"b64", Type::B64},       {"b128", Type::B128},
      {"u8", Type::U8},         {"u16", Type::U16},
      {"u32", Type::U32},       {"u64", Type::U64},
      {"s8", Type::S8},         {"s16", Type::S16},
      {"s32", Type::S32},       {"s64", Type::S64},
      {"f16", Type::F16},       {"bf16", Type::BF16},
      {"f16x2", Type::F16x2},   {"f32", Type::F32},
      {"f64", Type::F64},       {"tf32", Type::TF32},
      {"bf16x2", Type::BF16x2}, {"e4m3x2", Type::E4M3x2},
      {"e5m2x2", Type::E5M2x2}};
  if (s.empty() || s.size() > 6)
    return Type::None;
  for (const Entry &e : kTypes)
    if (e.name == s)
      return e.type;
  return Type::None;
}

/// A state space. Generic stands for an address without one.
enum class Space : uint8_t {
  Generic,
  Global,
  Shared,
  Local,
  Const,
  Param, ///< Of the kernel, or of a function, or of a call being set up.
  Reg,
};

/// Bytes of the window that a space other than Global has in generic addresses:
/// no variable in one is larger.
constexpr uint64_t kWindowBytes = 16ull << 20;

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_PTX_TYPES_H
