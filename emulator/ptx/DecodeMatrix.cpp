//===- DecodeMatrix.cpp - mma, wmma, ldmatrix, stmatrix, movmatrix --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Warp Level Matrix Multiply-Accumulate Instructions". Sparse and
// block-scaled forms are not implemented, nor are wgmma and tcgen05.
//
//===----------------------------------------------------------------------===//

#include "emulator/ptx/Decoder.h"

#include <charconv>

namespace gpulto::emu {

namespace {

using MT = MatrixType;

/// "m16n8k16" or "m8n8". False when it is something else.
bool readShape(std::string_view s, MatrixOp &op) {
  uint16_t *const numbers[] = {&op.m, &op.n, &op.k};
  const char *at = s.data(), *end = s.data() + s.size();
  MatrixOp read = op;
  for (unsigned k = 0; k < 3 && at != end; ++k) {
    if (*at != "mnk"[k])
      return false;
    auto [next, ec] = std::from_chars(at + 1, end, *numbers[k]);
    if (ec != std::errc()) {
      op = read;
      return false;
    }
    at = next;
  }
  return at == end && op.m && op.n;
}

bool isSmallFloat(MT t) { return t >= MT::E4M3; }
bool isByte(MT t) { return t == MT::S8 || t == MT::U8; }
bool isNibble(MT t) { return t == MT::S4 || t == MT::U4; }
bool isHalf(MT t) { return t == MT::F16 || t == MT::BF16; }

bool hasShape(const MatrixOp &op, unsigned m, unsigned n,
              std::initializer_list<unsigned> ks) {
  for (unsigned k : ks)
    if (op.m == m && op.n == n && op.k == k)
      return true;
  return false;
}

/// True for the shapes that mma has for its type.
bool isMmaShape(const MatrixOp &op) {
  switch (op.a) {
  case MT::F16:
    return op.hasTiles || hasShape(op, 16, 8, {8, 16});
  case MT::BF16:
    return hasShape(op, 16, 8, {8, 16});
  case MT::TF32:
    return hasShape(op, 16, 8, {4, 8});
  case MT::F64:
    return hasShape(op, 8, 8, {4}) || hasShape(op, 16, 8, {4, 8, 16});
  case MT::S8:
  case MT::U8:
    return hasShape(op, 8, 8, {16}) || hasShape(op, 16, 8, {16, 32});
  case MT::S4:
  case MT::U4:
    return hasShape(op, 8, 8, {32}) || hasShape(op, 16, 8, {32, 64});
  case MT::B1:
    return hasShape(op, 8, 8, {128}) || hasShape(op, 16, 8, {128, 256});
  case MT::E4M3:
  case MT::E5M2:
    return hasShape(op, 16, 8, {16, 32});
  default:
    return isSmallFloat(op.a) && hasShape(op, 16, 8, {32});
  }
}

/// True for the shapes that wmma has for elements of A and B of type \p t.
bool isWmmaShape(const MatrixOp &op, MT t) {
  if (isHalf(t) || isByte(t))
    return hasShape(op, 16, 16, {16}) || hasShape(op, 8, 32, {16}) ||
           hasShape(op, 32, 8, {16});
  if (t == MT::TF32)
    return hasShape(op, 16, 16, {8});
  if (t == MT::F64)
    return hasShape(op, 8, 8, {4});
  return isNibble(t) ? hasShape(op, 8, 8, {32})
                     : t == MT::B1 && hasShape(op, 8, 8, {128});
}

/// True where A and B may have these types together, and C and D theirs.
bool fitTypes(const MatrixOp &op) {
  if (isSmallFloat(op.a))
    return isSmallFloat(op.b) && op.c == op.d &&
           (op.c == MT::F16 || op.c == MT::F32);
  if (isByte(op.a) || isNibble(op.a))
    return bitsOf(op.a) == bitsOf(op.b) && !isSmallFloat(op.b) &&
           op.c == MT::S32 && op.d == MT::S32;
  if (op.a != op.b)
    return false;
  switch (op.a) {
  case MT::F16:
    return (op.c == MT::F16 || op.c == MT::F32) &&
           (op.d == MT::F16 || op.d == MT::F32);
  case MT::BF16:
  case MT::TF32:
    return op.c == MT::F32 && op.d == MT::F32;
  case MT::F64:
    return op.c == MT::F64 && op.d == MT::F64;
  default:
    return op.a == MT::B1 && op.c == MT::S32 && op.d == MT::S32;
  }
}

/// Registers of a fragment of wmma. Those of f16 are eight whatever the shape,
/// as they were on the first hardware: the elements repeat.
unsigned wmmaRegisters(const MatrixOp &op, MatrixPart part, MT t) {
  if (t == MT::F16 && part != MatrixPart::C)
    return 8;
  return op.ownRegisters(part, t);
}

} // namespace

/// The registers of a fragment, appended to \p list.
bool Decoder::fragment(const Operand &o, unsigned count, unsigned bits,
                       bool isDest, std::vector<Op> &list) {
  const std::vector<Operand> single{o};
  const std::vector<Operand> &parts =
      o.kind == Operand::Vector ? o.parts : single;
  if (parts.size() != count)
    return fail("fragment of " + std::to_string(parts.size()) + " registers, " +
                std::to_string(count) + " are expected");
  for (const Operand &p : parts) {
    Op op = kNoOp;
    unsigned bytes = bits / 8;
    if (isDest ? !dest(p, op, &bytes)
               : !source(p, bits == 64 ? Type::B64 : Type::B32, op, &bytes))
      return false;
    if (bytes != bits / 8)
      return fail("register of a fragment of the wrong size");
    list.push_back(op);
  }
  return true;
}

/// Emits the instruction with \p op and the registers in \p list.
bool Decoder::emitMatrix(const MatrixOp &op, const std::vector<Op> &list) {
  insn.ctl = Ctl::WarpSync;
  insn.target = static_cast<uint32_t>(fn.matrices.size());
  fn.matrices.push_back(op);
  insn.extra = static_cast<uint32_t>(fn.extra.size());
  fn.extra.insert(fn.extra.end(), list.begin(), list.end());
  return emit(select(desc));
}

/// Types, shape and layouts among the modifiers. Types go to \p types.
void Decoder::readMatrixModifiers(MatrixOp &op, std::vector<MT> &types) const {
  unsigned layouts = 0;
  for (std::string_view m : *desc.modifiers) {
    if (MT t = matrixTypeFromName(m); t != MT::None)
      types.push_back(t);
    else if (m == "row" || m == "col")
      (layouts++ ? op.bIsColumn : op.aIsColumn) = m == "col";
    else if (m.starts_with('m'))
      readShape(m, op);
  }
  op.saturates = desc.has("satfinite");
  op.isAnd = desc.has("and");
  op.round = desc.has("rz") ? 1 : desc.has("rm") ? 2 : desc.has("rp") ? 3 : 0;
}

/// mma.sync and wmma.mma.sync: d, a, b, c.
bool Decoder::decodeMma() {
  const std::vector<Operand> &ops = st->operands;
  bool isWmma = desc.opcode == "wmma";
  MatrixOp op;
  std::vector<MT> types;
  readMatrixModifiers(op, types);
  if (isWmma && types.size() == 2)
    types = {types[0], MT::F16, MT::F16, types[1]};
  bool known = types.size() == 4 && ops.size() == 4 && !desc.has("sp") &&
               !desc.has("block_scale");
  if (known) {
    op.d = types[0];
    op.a = types[1];
    op.b = types[2];
    op.c = types[3];
    op.hasTiles = !isWmma && op.a == MT::F16 && hasShape(op, 8, 8, {4});
    known = fitTypes(op) && (isWmma ? isWmmaShape(op, op.a) : isMmaShape(op));
  }
  if (!known)
    return emitNotImplemented();
  std::vector<Op> list;
  const std::pair<MatrixPart, MT> parts[] = {{MatrixPart::C, op.d},
                                             {MatrixPart::A, op.a},
                                             {MatrixPart::B, op.b},
                                             {MatrixPart::C, op.c}};
  for (unsigned k = 0; k < 4; ++k) {
    auto [part, type] = parts[k];
    unsigned count =
        isWmma ? wmmaRegisters(op, part, type) : op.ownRegisters(part, type);
    op.registers[k] = static_cast<uint8_t>(count);
    if (!fragment(ops[k], count, registerBitsOf(type), k == 0, list))
      return false;
  }
  insn.cls = InsnClass::Matrix;
  return emitMatrix(op, list);
}

/// wmma.load.{a,b,c} r, [p]{, stride}; wmma.store.d [p], r{, stride}.
bool Decoder::decodeWmmaMove() {
  const std::vector<Operand> &ops = st->operands;
  bool isStore = desc.has("store");
  MatrixOp op;
  std::vector<MT> types;
  readMatrixModifiers(op, types);
  op.part = desc.has("a")   ? MatrixPart::A
            : desc.has("b") ? MatrixPart::B
                            : MatrixPart::C;
  if (types.size() != 1 || ops.size() < 2)
    return emitNotImplemented();
  op.a = types[0];
  bool isKnown = false;
  for (MT t : {MT::F16, MT::TF32, MT::F64, MT::S8, MT::S4, MT::B1}) {
    bool isAccumulator =
        op.part == MatrixPart::C && (op.a == MT::F16 || op.a == MT::F32 ||
                                     op.a == MT::F64 || op.a == MT::S32);
    isKnown |= isWmmaShape(op, isAccumulator ? t : op.a);
  }
  if (!isKnown)
    return emitNotImplemented();
  op.registers[0] = static_cast<uint8_t>(wmmaRegisters(op, op.part, op.a));
  std::vector<Op> list;
  if (!fragment(ops[isStore ? 1 : 0], op.registers[0], registerBitsOf(op.a),
                !isStore, list) ||
      !address(ops[isStore ? 0 : 1], insn, memorySpace()) ||
      (ops.size() > 2 && !source(ops[2], Type::U32, insn.s[1])))
    return false;
  insn.cls = memoryClass(insn.space, isStore);
  if (isStore)
    insn.flags |= kIsStore;
  return emitMatrix(op, list);
}

/// ldmatrix r, [p]; stmatrix [p], r; rows of 16 bytes.
bool Decoder::decodeMatrixRows() {
  const std::vector<Operand> &ops = st->operands;
  bool isStore = desc.opcode == "stmatrix";
  MatrixOp op;
  std::vector<MT> types;
  readMatrixModifiers(op, types);
  op.transposes = desc.has("trans");
  op.count = desc.has("x4") ? 4 : desc.has("x2") ? 2 : 1;
  op.packedBits = desc.has("b6x16_p32") ? 6 : desc.has("b4x16_p64") ? 4 : 0;
  bool isWords = op.m == 8 && op.n == 8 && desc.has("b16");
  bool isBytes =
      isStore ? op.m == 16 && op.n == 8 && desc.has("b8") && op.transposes
              : op.m == 8 && op.n == 16 && op.packedBits && !op.transposes;
  if ((!isWords && !isBytes) || ops.size() != 2)
    return emitNotImplemented();
  op.registers[0] = op.count;
  std::vector<Op> list;
  if (!fragment(ops[isStore ? 1 : 0], op.count, 32, !isStore, list) ||
      !address(ops[isStore ? 0 : 1], insn, memorySpace()))
    return false;
  insn.cls = isStore ? InsnClass::StoreShared : InsnClass::LoadShared;
  if (isStore)
    insn.flags |= kIsStore;
  return emitMatrix(op, list);
}

bool Decoder::decodeMatrix() {
  const std::vector<Operand> &ops = st->operands;
  std::string_view op = desc.opcode;
  if (op == "ldmatrix" || op == "stmatrix")
    return decodeMatrixRows();
  if (op == "wmma" && (desc.has("load") || desc.has("store")))
    return decodeWmmaMove();
  if (op != "movmatrix")
    return decodeMma();
  MatrixOp move;
  std::vector<MT> types;
  readMatrixModifiers(move, types);
  std::vector<Op> list;
  if (move.m != 8 || move.n != 8 || ops.size() != 2)
    return emitNotImplemented();
  if (!fragment(ops[0], 1, 32, true, list) ||
      !fragment(ops[1], 1, 32, false, list))
    return false;
  insn.cls = InsnClass::WarpOp;
  return emitMatrix(move, list);
}

} // namespace gpulto::emu
