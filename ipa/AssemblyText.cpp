//===- AssemblyText.cpp - Names and labels in inline assembly -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ipa/AssemblyText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;

namespace gpulto {

static bool isIdentifierStart(char c) {
  return isAlpha(c) || c == '_' || c == '.' || c == '$' || c == '%';
}

static bool isIdentifierPart(char c) {
  return isIdentifierStart(c) || isDigit(c);
}

void forEachAsmToken(StringRef text,
                     function_ref<void(const AsmToken &)> found) {
  bool atStatement = true;
  unsigned depth = 0;
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    if (c == '\n' || c == ';' || c == '{' || c == '}') {
      depth += c == '{';
      depth -= c == '}' && depth;
      atStatement = true;
      ++i;
      continue;
    }
    if (c == '$' && text.substr(i).starts_with("${")) {
      i = std::min(text.find('}', i), text.size());
      i += i < text.size();
      atStatement = false;
      continue;
    }
    if (!isIdentifierPart(c)) {
      atStatement &= isSpace(c);
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && isIdentifierPart(text[end]) &&
           !text.substr(end).starts_with("${"))
      ++end;
    AsmToken token;
    token.text = text.slice(i, end);
    token.text = token.text.ltrim('$'); // of an immediate operand
    token.isScoped = depth > 0;
    size_t next = text.find_first_not_of(" \t", end);
    token.isLabel = atStatement && isIdentifierStart(c) &&
                    next != StringRef::npos && text[next] == ':' &&
                    !text.substr(next).starts_with("::");
    if (!token.text.empty() && !isDigit(token.text.front()))
      found(token);
    atStatement = token.isLabel;
    i = end + token.isLabel;
  }
}

bool isPlainAssembly(StringRef text) {
  static constexpr StringLiteral kPlain[] = {".globl",  ".global",    ".weak",
                                             ".hidden", ".protected", ".type"};
  SmallVector<StringRef, 8> statements;
  SplitString(text, statements, "\n;");
  return all_of(statements, [](StringRef statement) {
    StringRef directive = getToken(statement).first;
    return directive.empty() || is_contained(kPlain, directive);
  });
}

bool definesUniqueLabel(StringRef text, bool isDevice) {
  bool result = false;
  forEachAsmToken(text, [&](const AsmToken &token) {
    result |= token.isLabel && !(isDevice && token.isScoped);
  });
  return result;
}

} // namespace gpulto
