//===- MatrixShapes.h - Matrix instructions and their fragments -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the elements of a matrix lie in the registers of a warp: PTX ISA 9.0,
// "Matrix Fragments for mma". Its figures follow one rule: groups of four lanes
// hold a row of A or C, or a column of B, each lane the elements of one
// register side by side; further registers continue 8 rows down and then in the
// following columns. Fragments of wmma, whose layout PTX leaves open, are made
// of the same blocks.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_PTX_MATRIXSHAPES_H
#define GPULTO_EMULATOR_PTX_MATRIXSHAPES_H

#include <array>
#include <cstdint>
#include <string_view>

namespace gpulto::emu {

/// The type of the elements of a matrix.
enum class MatrixType : uint8_t {
  None,
  F16,
  BF16,
  TF32,
  F32,
  F64,
  S32,
  S8,
  U8,
  S4,
  U4,
  B1,
  E4M3,
  E5M2,
  E3M2,
  E2M3,
  E2M1,
};

/// Bits of an element in a register. The formats of six and four bits have a
/// byte for each element.
constexpr unsigned bitsOf(MatrixType t) {
  switch (t) {
  case MatrixType::None:
    return 0;
  case MatrixType::F16:
  case MatrixType::BF16:
    return 16;
  case MatrixType::TF32:
  case MatrixType::F32:
  case MatrixType::S32:
    return 32;
  case MatrixType::F64:
    return 64;
  case MatrixType::S4:
  case MatrixType::U4:
    return 4;
  case MatrixType::B1:
    return 1;
  default:
    return 8;
  }
}

/// Bits of a register that holds such elements.
constexpr unsigned registerBitsOf(MatrixType t) {
  return t == MatrixType::F64 ? 64 : 32;
}
constexpr unsigned perRegister(MatrixType t) {
  return registerBitsOf(t) / bitsOf(t);
}

/// The type that a modifier names, or None.
constexpr MatrixType matrixTypeFromName(std::string_view s) {
  constexpr std::string_view kNames[] = {
      "",   "f16", "bf16", "tf32", "f32",  "f64",  "s32",  "s8",  "u8",
      "s4", "u4",  "b1",   "e4m3", "e5m2", "e3m2", "e2m3", "e2m1"};
  for (unsigned k = 1; k < std::size(kNames); ++k)
    if (kNames[k] == s)
      return static_cast<MatrixType>(k);
  return MatrixType::None;
}

/// The matrices of D = A * B + C; D has the layout of C.
enum class MatrixPart : uint8_t { A, B, C };

/// An element's place in its matrix. \c tile is not 0 only in mma.m8n8k4 of
/// f16, which multiplies four pairs of matrices.
struct MatrixPlace {
  unsigned row = 0, column = 0, tile = 0;
};

/// A matrix instruction, without its registers and its address.
struct MatrixOp {
  /// ldmatrix, stmatrix and movmatrix have only m, n and count.
  uint16_t m = 0, n = 0, k = 0;
  MatrixType a = MatrixType::None, b = MatrixType::None;
  MatrixType c = MatrixType::None, d = MatrixType::None;
  MatrixPart part = MatrixPart::A; ///< What wmma.load and store move.
  bool aIsColumn = false;          ///< Also the layout of a load or store.
  bool bIsColumn = false;
  bool hasTiles = false;  ///< mma.m8n8k4 of f16
  bool saturates = false; ///< .satfinite
  bool isAnd = false;     ///< Of bits: .and.popc, else .xor.popc.
  bool transposes = false;
  uint8_t round = 0;      ///< Of f64: a Round.
  uint8_t count = 1;      ///< .x1, .x2, .x4
  uint8_t packedBits = 0; ///< ldmatrix: 4 or 6 bits become bytes.
  /// Numbers of registers of D, A, B and C, which follow each other in
  /// Function::extra; for a load or store only the first.
  std::array<uint8_t, 4> registers{};

  unsigned tiles() const { return hasTiles ? 4 : 1; }
  unsigned rows(MatrixPart p) const { return p == MatrixPart::B ? k : m; }
  unsigned columns(MatrixPart p) const { return p == MatrixPart::A ? k : n; }
  /// Registers of a lane that hold different elements.
  unsigned ownRegisters(MatrixPart p, MatrixType t) const {
    return tiles() * rows(p) * columns(p) / (32 * perRegister(t));
  }
  MatrixPlace place(MatrixPart p, MatrixType t, unsigned lane,
                    unsigned element) const;
};

/// The place in mma.m8n8k4 of f16; PTX ISA 9.0, "Matrix Fragments for
/// mma.m8n8k4 with .f16 floating point type".
constexpr MatrixPlace placeInTiles(const MatrixOp &op, MatrixPart p,
                                   MatrixType t, unsigned lane, unsigned i) {
  unsigned upper = lane >= 16 ? 4 : 0, inQuad = lane & 3, tile = lane >> 2 & 3;
  switch (p) {
  case MatrixPart::A:
    if (op.aIsColumn)
      return {i + upper, inQuad, tile};
    return {inQuad + upper, i, tile};
  case MatrixPart::B:
    if (op.bIsColumn)
      return {i, inQuad + upper, tile};
    return {inQuad, i + upper, tile};
  case MatrixPart::C:
    break;
  }
  if (t == MatrixType::F16)
    return {inQuad + upper, i, tile};
  return {(lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1), tile};
}

/// The place of element \p element of \p lane's registers, element 0 being in
/// the lowest bits of the first.
inline MatrixPlace MatrixOp::place(MatrixPart p, MatrixType t, unsigned lane,
                                   unsigned element) const {
  if (hasTiles)
    return placeInTiles(*this, p, t, lane, element);
  unsigned group = lane >> 2, inGroup = lane & 3;
  if (p == MatrixPart::C) {
    unsigned ofBlock = m == 8 ? 2 : 4, acrossBlocks = n / 8;
    unsigned block = element / ofBlock, j = element % ofBlock;
    return {group + 8 * (j >> 1) + 16 * (block / acrossBlocks),
            inGroup * 2 + (j & 1) + 8 * (block % acrossBlocks)};
  }
  unsigned wide = perRegister(t), at = element % wide, reg = element / wide;
  unsigned own = ownRegisters(p, t);
  if (p == MatrixPart::B) {
    unsigned ofBlock = own / (n / 8u);
    return {inGroup * wide + at + 4 * wide * (reg % ofBlock),
            8 * (reg / ofBlock) + group};
  }
  if (m == 8)
    return {group, inGroup * wide + at + 4 * wide * reg};
  unsigned ofBlock = own / (m / 16u), r = reg % ofBlock;
  return {group + 8 * (r & 1) + 16 * (reg / ofBlock),
          inGroup * wide + at + 4 * wide * (r >> 1)};
}

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_PTX_MATRIXSHAPES_H
