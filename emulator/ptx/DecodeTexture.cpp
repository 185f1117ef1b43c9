//===- DecodeTexture.cpp - tex, tld4, suld, sust --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Textures and surfaces by handle, as texture and surface objects compile to.
// There are no mipmaps, so a level of detail and gradients choose nothing.
// Cube maps, multisampling, offsets, depth comparison, separate samplers and
// formatted surface accesses are not implemented.
//
//===----------------------------------------------------------------------===//

#include "emulator/ptx/Decoder.h"

#include <algorithm>

namespace gpulto::emu {

/// Sets mode and mode2 from .1d, .2d, .3d, .a1d or .a2d; false for others.
static bool geometryOf(const InsnDesc &desc, Insn &insn) {
  constexpr struct {
    std::string_view name;
    uint8_t dimensions, mode;
  } kGeometries[] = {{"1d", 1, 0},
                     {"2d", 2, 0},
                     {"3d", 3, 0},
                     {"a1d", 1, kImageLayered},
                     {"a2d", 2, kImageLayered}};
  for (const auto &g : kGeometries)
    if (desc.has(g.name)) {
      insn.mode2 = g.dimensions;
      insn.mode |= g.mode;
      return true;
    }
  return false;
}

/// [handle, {coordinates}]: the handle into s[0], as many coordinates as the
/// geometry has, a layer first, to the end of \p list. What a vector holds
/// beyond them is padding.
bool Decoder::imageOperand(const Operand &o, std::vector<Op> &list) {
  if (o.value != 0 || !source(o.parts[0], Type::U64, insn.s[0]))
    return fail("handle of " + std::string(desc.opcode));
  const Operand &where = o.parts[1];
  const std::vector<Operand> single{where};
  const std::vector<Operand> &parts =
      where.kind == Operand::Vector ? where.parts : single;
  size_t count = insn.mode2 + (insn.mode & kImageLayered ? 1 : 0);
  if (parts.size() < count)
    return fail("too few coordinates for " + std::string(desc.opcode));
  for (size_t k = 0; k < count; ++k) {
    bool isInteger =
        insn.mode & kImageIntegers || (k == 0 && insn.mode & kImageLayered);
    Op op = kNoOp;
    if (!source(parts[k], isInteger ? Type::S32 : Type::F32, op))
      return false;
    list.push_back(op);
  }
  return true;
}

/// tex{.level,.grad}.geom.v4.dtype.ctype d{|p}, [a, c]{, lod}{, dx, dy};
/// tld4.comp.2d.v4.dtype.f32 d{|p}, [a, c];
/// Operands in Function::extra: four results, then coordinates.
bool Decoder::decodeTexture() {
  const std::vector<Operand> &ops = st->operands;
  bool isGather = desc.opcode == "tld4";
  size_t operands = desc.has("level") ? 3 : desc.has("grad") ? 4 : 2;
  Type result = desc.types[0], coordinate = desc.types[1];
  bool known =
      geometryOf(desc, insn) && desc.has("v4") &&
      (result == Type::F32 || result == Type::S32 || result == Type::U32) &&
      (coordinate == Type::F32 || coordinate == Type::S32) &&
      ops.size() == operands && ops[1].kind == Operand::Tensor &&
      ops[1].parts.size() == 2 &&
      (!isGather || (insn.mode2 == 2 && !(insn.mode & kImageLayered) &&
                     coordinate == Type::F32));
  if (!known)
    return emitNotImplemented();
  bool isPair = ops[0].kind == Operand::Pair;
  const Operand &results = isPair ? ops[0].parts[0] : ops[0];
  if (results.kind != Operand::Vector || results.parts.size() != 4)
    return fail("malformed " + std::string(desc.opcode));
  if (coordinate == Type::S32)
    insn.mode |= kImageIntegers;
  if (isGather) {
    insn.mode |= kImageGather;
    insn.bytes = desc.has("g") ? 1 : desc.has("b") ? 2 : desc.has("a") ? 3 : 0;
  }
  std::vector<Op> list;
  for (const Operand &o : results.parts) {
    Op op = kNoOp;
    unsigned bytes = 4;
    if (!dest(o, op, &bytes))
      return false;
    if (bytes != 4)
      return fail("destination of the wrong size");
    list.push_back(op);
  }
  if (isPair) { // Whether the elements are there; they are, without sparseness.
    unsigned bytes = 0;
    if (!dest(ops[0].parts[1], insn.d[1], &bytes) || bytes != 0)
      return fail("expected a predicate behind '|'");
  }
  if (!imageOperand(ops[1], list))
    return false;
  insn.extra = static_cast<uint32_t>(fn.extra.size());
  fn.extra.insert(fn.extra.end(), list.begin(), list.end());
  insn.cls = InsnClass::Texture;
  insn.ctl = Ctl::Faulting;
  return emitSelected();
}

/// suld.b.geom{.cop}.vec.type.clamp d, [a, b]; sust.b: [a, b], c.
/// Operands in Function::extra: the elements moved, then coordinates.
bool Decoder::decodeSurface() {
  const std::vector<Operand> &ops = st->operands;
  bool isStore = desc.opcode == "sust";
  Type type = desc.type();
  if (!desc.has("b") || !geometryOf(desc, insn) || type == Type::None ||
      ops.size() != 2 || ops[isStore ? 0 : 1].kind != Operand::Tensor ||
      ops[isStore ? 0 : 1].parts.size() != 2)
    return emitNotImplemented();
  insn.mode |= kImageSurface | kImageIntegers;
  insn.mode |= desc.has("zero") ? kImageZero : 0;
  insn.mode |= desc.has("clamp") ? kImageClamp : 0;
  insn.vec = static_cast<uint8_t>(vectorWidth());
  const Operand &what = ops[isStore ? 1 : 0];
  size_t count = what.kind == Operand::Vector ? what.parts.size() : 1;
  if (count != insn.vec || count * sizeOf(type) > 16)
    return fail("malformed " + std::string(desc.opcode));
  std::vector<Op> list;
  if (!accessRegisters(what, isStore, list))
    return false;
  if (!imageOperand(ops[isStore ? 0 : 1], list))
    return false;
  insn.extra = static_cast<uint32_t>(fn.extra.size());
  fn.extra.insert(fn.extra.end(), list.begin(), list.end());
  insn.bytes = static_cast<uint8_t>(sizeOf(type));
  if (isStore)
    insn.flags |= kIsStore;
  insn.cls = InsnClass::Texture;
  insn.ctl = Ctl::Faulting;
  return emitSelected();
}

} // namespace gpulto::emu
