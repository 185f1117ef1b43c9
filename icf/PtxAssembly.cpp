//===- PtxAssembly.cpp - Inline PTX as folding sees it --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: instances of a template for int and unsigned fold although the library
// spells the type out in assembly.
//
//   {  .reg .s32 r0;                        {  .reg .b32 r0;
//      shfl.sync.up.b32 r0|p, $1, $2;   ->     shfl.sync.up.b32 r0|p, $1, $2;
//      @p add.s32 r0, r0, $4; }                @p add.b32 r0, r0, $4; }
//
// The list has only instructions whose manual says, or whose definition
// implies, that the result has the same bits for both types. Loads are only
// those of 64 bits: a narrower one may extend into a wider register.
//
//===----------------------------------------------------------------------===//

#include "icf/PtxAssembly.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace llvm;

namespace gpulto {

static bool isIntegerType(StringRef word) {
  return word.size() == 3 && StringRef("usb").contains(word.front()) &&
         (word.ends_with("16") || word.ends_with("32") || word.ends_with("64"));
}

/// Returns whether the instruction made of \p words, the last of which is its
/// type, leaves the same bits whether that is signed or not.
static bool ignoresSign(ArrayRef<StringRef> words) {
  StringRef name = words.front(), type = words.back();
  auto has = [&](StringRef word) { return is_contained(words, word); };
  if (name == "mov" || name == "selp" || name == "st")
    return true;
  if (name == "ld")
    return type.ends_with("64");
  // The carry is that of the unsigned operation for both.
  if (name == "add" || name == "addc" || name == "sub" || name == "subc")
    return !has("sat");
  if (name == "mul" || name == "mad" || name == "madc")
    return has("lo") && !has("sat");
  if (name == "setp")
    return has("eq") || has("ne");
  if (name == "atom" || name == "red")
    return has("add") || has("exch") || has("cas");
  return false;
}

/// Appends \p instruction, a name with its modifiers, to \p result.
static void appendSignless(StringRef instruction, std::string &result) {
  SmallVector<StringRef, 8> words;
  instruction.split(words, '.');
  if (words.size() < 2 || !isIntegerType(words.back()) || !ignoresSign(words)) {
    result += instruction;
    return;
  }
  StringRef width = words.back().drop_front();
  result += instruction.drop_back(words.back().size());
  result += 'b';
  result += width;
}

std::string signlessPtx(StringRef text) {
  if (text.find_first_of("/\"\\") != StringRef::npos || text.contains("$("))
    return text.str();
  constexpr StringLiteral kSpace = " \t\r\n";
  std::string result;
  auto copy = [&](size_t count) {
    result += text.take_front(count);
    text = text.drop_front(count);
  };
  auto copySpace = [&] { copy(text.size() - text.ltrim(kSpace).size()); };
  auto takeWord = [&] {
    StringRef word = text.take_front(text.find_first_of(" \t\r\n;{}"));
    text = text.drop_front(word.size());
    return word;
  };
  while (true) {
    copySpace();
    if (text.empty())
      return result;
    // Between statements: scopes, and empty statements.
    if (StringRef(";{}").contains(text.front())) {
      copy(1);
      continue;
    }
    StringRef word = takeWord();
    if (word.starts_with("@") || word.ends_with(":")) { // guard, label
      result += word;
      continue;
    }
    if (word == ".reg") {
      // What a register is declared as does not matter to instructions.
      result += word;
      copySpace();
      word = takeWord();
      bool isInteger = word.starts_with(".") && isIntegerType(word.substr(1));
      result += isInteger ? ".b" : word;
      result += isInteger ? word.substr(2) : StringRef();
    } else {
      appendSignless(word, result);
    }
    copy(std::min(text.find(';'), text.size()));
  }
}

} // namespace gpulto
