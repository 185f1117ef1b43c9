//===- DecodeVideo.cpp - vadd4 and its like -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What __vadd4, __vabsdiffu4 and so on compile to, and __viaddmax_s16x2 and its
// like (DPX): elements of 8 or 16 bits in 32-bit registers. Forms that select
// elements are not implemented, nor are the scalar video instructions;
// compilers emit neither.
//
//===----------------------------------------------------------------------===//

#include "emulator/ptx/Decoder.h"

namespace gpulto::emu {

bool isVideo(std::string_view opcode, unsigned &op) {
  constexpr std::string_view kNames[] = {"vadd", "vsub", "vavrg", "vabsdiff",
                                         "vmin", "vmax", "vset"};
  if (opcode.empty() || (opcode.back() != '2' && opcode.back() != '4'))
    return false;
  for (op = 0; op < std::size(kNames); ++op)
    if (opcode.substr(0, opcode.size() - 1) == kNames[op])
      return true;
  return false;
}

/// vOP4.dtype.atype.btype{.sat}{.add} d, a, b, c; vset4 has no dtype.
bool Decoder::decodeVideo(unsigned op) {
  const std::vector<Operand> &ops = st->operands;
  unsigned first = op == kVideoSet ? 0 : 1, bytes = 0;
  if (desc.typeCount != first + 2 || ops.size() != 4 ||
      !dest(ops[0], insn.d[0], &bytes, false) || bytes != 4)
    return fail("malformed " + std::string(st->name));
  for (unsigned k = 0; k < 3; ++k)
    if (!source(ops[k + 1], Type::U32, insn.s[k]))
      return false;
  unsigned mode = isSigned(desc.types[first]) ? kVideoSignedA : 0;
  mode |= isSigned(desc.types[first + 1]) ? kVideoSignedB : 0;
  mode |= first && isSigned(desc.types[0]) ? kVideoSignedD : 0;
  mode |= desc.has("sat") ? kVideoSaturate : 0;
  mode |= desc.has("add") ? kVideoAccumulate : 0;
  insn.mode = static_cast<uint8_t>(mode);
  constexpr std::string_view kCompares[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  for (size_t k = 0; k < std::size(kCompares); ++k)
    if (desc.has(kCompares[k]))
      insn.mode2 = static_cast<uint8_t>(k);
  insn.cls = InsnClass::Integer;
  desc.variant = op;
  return emitSelected();
}

/// add, min and max of .u16x2 and .s16x2 (sm_90) are SIMD video instructions by
/// another name.
bool Decoder::decodePacked() {
  const std::vector<Operand> &ops = st->operands;
  std::string_view op = desc.opcode;
  bool known = op == "add" || op == "min" || op == "max";
  if (!known || ops.size() != 3)
    return emitNotImplemented();
  unsigned bytes = 0;
  if (!dest(ops[0], insn.d[0], &bytes, false) || bytes != 4 ||
      !source(ops[1], Type::U32, insn.s[0]) ||
      !source(ops[2], Type::U32, insn.s[1]))
    return fail("malformed " + std::string(op));
  insn.s[2] = constant(4, 0);
  unsigned mode = desc.has("s16x2") ? kVideoSignedA | kVideoSignedB : 0;
  if (desc.has("relu")) // What is negative goes to the least unsigned value.
    mode |= kVideoSaturate;
  insn.mode = static_cast<uint8_t>(mode);
  insn.cls = InsnClass::Integer;
  desc.opcode = op == "add" ? "vadd2" : op == "min" ? "vmin2" : "vmax2";
  return emitSelected();
}

} // namespace gpulto::emu
