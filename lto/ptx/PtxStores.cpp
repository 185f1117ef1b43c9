//===- PtxStores.cpp - Stores of parts of numbers -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The code that ptxas 13.0 makes shows what it does: it converts if the
// instruction that writes the register is one for numbers, and not if the value
// comes by way of mov, selp or ld.
//
//===----------------------------------------------------------------------===//

#include "lto/ptx/PtxStores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <optional>

using namespace llvm;

namespace gpulto {

namespace {
/// `guard opcode operands` of a line; most have no guard.
struct Line {
  StringRef guard;
  StringRef opcode;
  StringRef operands;
};
} // namespace

/// Returns the instruction in \p line, if it holds one.
static std::optional<Line> parseLine(StringRef line) {
  line = line.split("//").first.trim();
  if (!line.consume_back(";"))
    return std::nullopt;
  StringRef guard = line.starts_with("@") ? line.take_until(isSpace) : "";
  line = line.drop_front(guard.size()).ltrim();
  StringRef opcode = line.take_until(isSpace);
  if (opcode.empty() || !isLower(opcode.front()))
    return std::nullopt;
  return Line{guard, opcode, line.drop_front(opcode.size()).trim()};
}

static bool isNumberType(StringRef suffix) {
  return suffix == "f64" || suffix == "f32" || suffix == "f16" ||
         suffix == "bf16";
}

/// Whether the result of \p opcode may be a number for ptxas.
static bool makesNumber(StringRef opcode) {
  SmallVector<StringRef, 8> parts;
  opcode.split(parts, '.');
  if (is_contained({"ld", "mov", "selp", "setp", "st"}, parts.front()))
    return false;
  return any_of(parts, isNumberType);
}

/// Bits of the class that LLVM gave the register \p name; 0: no such register.
static unsigned registerBits(StringRef name) {
  if (!name.consume_front("%r"))
    return 0;
  unsigned bits = name.consume_front("d")   ? 64
                  : name.consume_front("s") ? 16
                                            : 32;
  return !name.empty() && all_of(name, isDigit) ? bits : 0;
}

/// Bits that the store \p opcode stores of one register; 0: it is none.
static unsigned storedBits(StringRef opcode) {
  unsigned bits = 0;
  StringRef type = opcode.rsplit('.').second;
  if (!opcode.starts_with("st.") || !type.consume_front("b") ||
      type.getAsInteger(10, bits))
    return 0;
  return bits;
}

/// Returns how \p bits bits of the \p wide bits of a register are taken.
static StringRef conversion(unsigned wide, unsigned bits) {
  if (wide == 16)
    return "and.b16 \t%bits, $, 255;";
  if (wide == 32)
    return "cvt.u16.u32 \t%bits, $;";
  return bits == 32 ? "cvt.u32.u64 \t%bits, $;" : "cvt.u16.u64 \t%bits, $;";
}

/// Adds the registers that an instruction with \p operands writes.
static void addResults(StringRef operands, StringSet<> &registers) {
  StringRef results = operands.consume_front("{")
                          ? operands.take_until([](char c) { return c == '}'; })
                          : operands.split(',').first;
  for (StringRef result : split(results, ','))
    registers.insert(result.trim());
}

std::string takeBitsOfNumbers(StringRef ptx) {
  std::string text;
  text.reserve(ptx.size());
  StringSet<> numbers; // registers of the function that hold numbers
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    StringRef whole = ptx.take_front(ptx.size() - rest.size());
    ptx = rest;
    std::optional<Line> parsed = parseLine(line);
    if (!parsed) {
      if (line.starts_with("}"))
        numbers.clear();
      text += whole;
      continue;
    }
    auto [address, value] = parsed->operands.rsplit(',');
    value = value.trim();
    unsigned bits = storedBits(parsed->opcode), wide = registerBits(value);
    if (!bits || bits >= wide || !numbers.contains(value)) {
      if (makesNumber(parsed->opcode))
        addResults(parsed->operands, numbers);
      text += whole;
      continue;
    }
    auto [before, after] = conversion(wide, bits).split('$');
    text += "\t{\n\t.reg .b" + utostr(bits == 32 ? 32 : 16) + " \t%bits;\n\t" +
            (before + value + after).str() + "\n\t" +
            (parsed->guard + (parsed->guard.empty() ? "" : " ")).str() +
            parsed->opcode.str() + " \t" + address.str() + ", %bits;\n\t}\n";
  }
  return text;
}

} // namespace gpulto
