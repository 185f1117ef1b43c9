//===- DecodePaired.cpp - f32x2, mixed arithmetic, floats of few bits -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/ptx/Decoder.h"

namespace gpulto::emu {

bool Decoder::isPaired() const {
  bool isArithmetic = desc.opcode == "add" || desc.opcode == "sub" ||
                      desc.opcode == "mul" || desc.opcode == "fma";
  bool isMixed = desc.typeCount == 2 && desc.types[0] == Type::F32 &&
                 (desc.types[1] == Type::F16 || desc.types[1] == Type::BF16) &&
                 desc.opcode != "mul";
  return isArithmetic && (desc.has("f32x2") || isMixed);
}

/// Sets rounding, .ftz and .sat from the modifiers.
void Decoder::readRounding() {
  insn.mode = desc.has("rz") ? 1 : desc.has("rm") ? 2 : desc.has("rp") ? 3 : 0;
  insn.mode2 = static_cast<uint8_t>((desc.has("ftz") ? 1 : 0) |
                                    (desc.has("sat") ? 2 : 0));
}

bool Decoder::decodePaired() {
  const std::vector<Operand> &ops = st->operands;
  bool isFma = desc.opcode == "fma", isPair = desc.has("f32x2");
  unsigned bytes = 0, want = isPair ? 8 : 4;
  if (ops.size() != (isFma ? 4u : 3u) || !dest(ops[0], insn.d[0], &bytes))
    return fail("malformed " + std::string(desc.opcode));
  if (insn.d[0] == kNoOp)
    return true;
  if (bytes != want)
    return fail("destination of the wrong size");
  for (size_t k = 1; k < ops.size(); ++k) {
    bool isLast = k + 1 == ops.size(); // Of mixed ones the f32.
    Type type = isPair ? Type::B64 : isLast ? Type::F32 : desc.types[1];
    if (!source(ops[k], type, insn.s[k - 1]))
      return false;
  }
  readRounding();
  desc.variant = kPairedArithmetic;
  insn.cls = InsnClass::Float32;
  return emitSelected();
}

/// True for a cvt with a format that has no Type.
bool Decoder::isSmallCvt() const {
  return desc.has("e2m3x2") || desc.has("e3m2x2") || desc.has("e2m1x2") ||
         desc.has("ue8m0x2");
}

/// cvt.format.f32 d, a, b; cvt.ue8m0x2.bf16x2 d, a; cvt.f16x2.format d, a;
/// cvt.bf16x2.ue8m0x2 d, a. Stochastic rounding is not implemented.
bool Decoder::decodeSmallCvt() {
  const std::vector<Operand> &ops = st->operands;
  const std::vector<std::string_view> &m = *desc.modifiers;
  bool isScale = desc.has("ue8m0x2");
  std::string_view wide = isScale ? "bf16x2" : "f16x2";
  bool isDecode = m.size() >= 2 && m[m.size() - 2] == wide;
  bool fromFloats = !isDecode && desc.type() == Type::F32;
  bool fromPair = !isDecode && isScale && desc.has(wide);
  if (desc.has("rs") || (!isDecode && !fromFloats && !fromPair) ||
      ops.size() != (fromFloats ? 3u : 2u))
    return emitNotImplemented();
  unsigned bytes = 0;
  if (!dest(ops[0], insn.d[0], &bytes, false) ||
      !source(ops[1],
              fromFloats ? Type::F32
              : isDecode ? Type::B16
                         : Type::B32,
              insn.s[0]) ||
      (fromFloats && !source(ops[2], Type::F32, insn.s[1])))
    return false;
  if (bytes != (isDecode ? 4u : 2u))
    return fail("destination of the wrong size");
  insn.mode = desc.has("rz") ? 1 : desc.has("rp") ? 3 : 0;
  insn.mode2 = static_cast<uint8_t>((desc.has("relu") ? 1 : 0) |
                                    (desc.has("satfinite") ? 2 : 0));
  insn.cls = InsnClass::Convert;
  desc.variant = isDecode ? kSmallDecode : kSmallEncode;
  return emitSelected();
}

} // namespace gpulto::emu
