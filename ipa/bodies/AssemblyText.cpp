//===- AssemblyText.cpp - Names and labels in inline assembly -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ipa/bodies/AssemblyText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

#include <algorithm>

using namespace llvm;

namespace gpulto {

/// What stands for an operand, and for the number of `%=`, in plain text.
static constexpr char kOperand = '\1', kUid = '\2';

//===----------------------------------------------------------------------===//
// Inline assembly in IR
//===----------------------------------------------------------------------===//

/// Appends what `${\p inner}` stands for to \p plain.
static void appendOperand(StringRef inner, std::string &plain) {
  if (inner == ":uid")
    plain += kUid;
  else if (inner == ":private")
    plain += ".L";
  else if (inner == ":comment")
    plain += "# ";
  else
    plain += kOperand;
}

std::string plainAssembly(StringRef text, bool isIntel) {
  std::string plain;
  int alternative = -1; // none
  int wanted = isIntel;
  for (size_t i = 0; i < text.size(); ++i) {
    char next = i + 1 < text.size() ? text[i + 1] : 0;
    std::string part(1, text[i]);
    if (text[i] == '$' && next) {
      ++i;
      part.clear();
      if (next == '(') {
        alternative = 0;
      } else if (next == '|' && alternative >= 0) {
        ++alternative;
      } else if (next == ')' && alternative >= 0) {
        alternative = -1;
      } else if (next == '{') {
        size_t end = std::min(text.find('}', i), text.size());
        appendOperand(text.slice(i + 1, end), part);
        i = end;
      } else if (isDigit(next)) {
        part += kOperand;
        while (i + 1 < text.size() && isDigit(text[i + 1]))
          ++i;
      } else {
        part += next; // of `$$`
      }
    }
    if (alternative < 0 || alternative == wanted)
      plain += part;
  }
  return plain;
}

void forEachInlineAssembly(
    const Function &function,
    function_ref<void(const CallBase &, StringRef)> found) {
  for (const Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || !call->isInlineAsm())
      continue;
    auto *assembly = cast<InlineAsm>(call->getCalledOperand());
    found(*call, plainAssembly(assembly->getAsmString(),
                               assembly->getDialect() == InlineAsm::AD_Intel));
  }
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static bool isIdentifierStart(char c) {
  return isAlpha(c) || c == '_' || c == '.' || c == '$' || c == '%' || c < 0;
}

static bool isIdentifierPart(char c) {
  return isIdentifierStart(c) || isDigit(c);
}

/// Whether \p word, the first one of a statement, stands before an instruction.
static bool isPrefix(StringRef word) {
  static constexpr StringLiteral kPrefixes[] = {
      "lock",   "rep",    "repe",   "repz",  "repne",    "repnz",    "bnd",
      "cs",     "ds",     "es",     "fs",    "gs",       "ss",       "data16",
      "data32", "addr16", "addr32", "rex64", "xacquire", "xrelease", "notrack"};
  return is_contained(kPrefixes, word.lower());
}

/// Whether operands of the directive \p head are text, sections or settings.
static bool takesNoSymbols(StringRef head) {
  static constexpr StringLiteral kDirectives[] = {
      ".section",  ".pushsection",  ".popsection", ".previous",
      ".ascii",    ".asciz",        ".string",     ".string8",
      ".string16", ".string32",     ".string64",   ".file",
      ".ident",    ".loc",          ".arch",       ".arch_extension",
      ".cpu",      ".fpu",          ".align",      ".p2align",
      ".balign",   ".intel_syntax", ".att_syntax", ".text",
      ".data",     ".bss",          ".error",      ".warning",
      ".include",  ".incbin"};
  return head.starts_with(".cfi_") || is_contained(kDirectives, head);
}

namespace {

/// Walks over the words of a text.
class AsmLexer {
public:
  AsmLexer(StringRef text, function_ref<void(const AsmToken &)> found)
      : text(text), found(found) {}

  void run() {
    while (at < text.size())
      step();
  }

private:
  void step();
  bool skipComment();
  bool skipOperand();
  void quoted();
  void word();
  void report(AsmToken token, size_t begin);
  char peek(size_t i) const { return i < text.size() ? text[i] : 0; }

  StringRef text;
  function_ref<void(const AsmToken &)> found;
  size_t at = 0;
  StringRef head;
  unsigned position = 0;
  unsigned depth = 0;
};

} // namespace

/// A `#` with nothing but a comment behind it; `#4` is a number elsewhere.
bool AsmLexer::skipComment() {
  StringRef rest = text.drop_front(at);
  bool isHash = rest.front() == '#' &&
                (rest.size() == 1 || isSpace(rest[1]) || rest[1] == '#');
  if (!isHash && !rest.starts_with("//") && !rest.starts_with("/*"))
    return false;
  StringRef end = rest.starts_with("/*") ? "*/" : "\n";
  size_t found = text.find(end, at + 1);
  at = found == StringRef::npos ? text.size() : found;
  at += end == "*/" && at < text.size() ? end.size() : 0;
  return true;
}

/// Skips an operand of inline assembly, or an argument of a macro.
bool AsmLexer::skipOperand() {
  char c = peek(at);
  if (c != kOperand && c != kUid && c != '\\')
    return false;
  ++at;
  if (c != '\\')
    return true;
  if (text.substr(at).starts_with("()"))
    at += 2;
  else if (peek(at) == '@')
    ++at;
  else
    while (at < text.size() && isIdentifierPart(text[at]))
      ++at;
  return true;
}

void AsmLexer::quoted() {
  size_t begin = at++;
  while (at < text.size() && text[at] != '"')
    at += text[at] == '\\' ? 2 : 1;
  AsmToken token;
  token.text = text.slice(begin + 1, at);
  at = std::min(at + 1, text.size());
  if (!takesNoSymbols(head) && !token.text.empty())
    report(token, begin);
}

/// Reads what stands together: identifiers, operands, numbers.
void AsmLexer::word() {
  size_t begin = at;
  bool isName = false;
  AsmToken token;
  while (true) {
    if (size_t part = at; skipOperand()) {
      StringRef operand = text.slice(part, at);
      token.isPart = true;
      token.isUnique |= operand.front() == kUid || operand == "\\@";
      continue;
    }
    if (at == text.size() || !isIdentifierPart(text[at]))
      break;
    isName |= text[at] != '$' && text[at] != '%';
    ++at;
  }
  StringRef name = text.slice(begin, at).ltrim('$'); // of an immediate operand
  if (isName && !isDigit(name.front()))
    token.text = name;
  report(token, begin);
}

/// Reports \p token, which begins at \p begin and may not be a name, and
/// continues after it.
void AsmLexer::report(AsmToken token, size_t begin) {
  token.isScoped = depth > 0;
  size_t next = std::min(text.find_first_not_of(" \t", at), text.size());
  StringRef behind = text.drop_front(next);
  if (head.empty() && behind.starts_with(":") && !behind.starts_with("::")) {
    token.role = AsmRole::Label;
    at = next + 1;
  } else if (head.empty() && behind.starts_with("=") &&
             !behind.starts_with("==")) {
    token.role = AsmRole::Assigned;
    head = "=";
  } else if (head.empty() && !token.text.empty()) {
    token.role = AsmRole::Head;
    if (!isPrefix(token.text))
      head = token.text;
  } else if (begin > 0 && text[begin - 1] == '@') {
    token.role = AsmRole::Modifier;
  }
  token.head = head;
  token.position = position;
  position += token.role == AsmRole::Operand;
  if (!token.text.empty())
    found(token);
}

void AsmLexer::step() {
  char c = text[at];
  if (skipComment())
    return;
  if (c == '"')
    return quoted();
  if (isIdentifierPart(c) || c == kOperand || c == kUid || c == '\\')
    return word();
  if (c == '\n' || c == ';' || c == '{' || c == '}') {
    depth += c == '{';
    depth -= c == '}' && depth;
    head = StringRef();
    position = 0;
  }
  ++at;
}

void forEachAsmToken(StringRef text,
                     function_ref<void(const AsmToken &)> found) {
  AsmLexer(text, found).run();
}

bool mayNameSymbol(const AsmToken &token) {
  return token.role == AsmRole::Operand && !token.text.starts_with("%") &&
         !takesNoSymbols(token.head);
}

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

/// Whether the host's directive \p token.head defines \p token, or gives it a
/// meaning in this file alone.
static bool isDefinedByDirective(const AsmToken &token) {
  static constexpr StringLiteral kDefine[] = {
      ".set", ".equ", ".equiv", ".eqv", ".comm", ".lcomm", ".macro", ".symver"};
  return token.role == AsmRole::Operand && token.position == 0 &&
         is_contained(kDefine, token.head);
}

/// Whether PTX declares the variable or register \p token.
static bool isDeclaredInPtx(const AsmToken &token) {
  static constexpr StringLiteral kSpaces[] = {".reg",   ".local", ".shared",
                                              ".param", ".const", ".global"};
  return token.role == AsmRole::Operand && !token.text.starts_with(".") &&
         is_contained(kSpaces, token.head);
}

void forEachAsmDefinition(StringRef text, bool isDevice,
                          function_ref<void(StringRef)> found) {
  forEachAsmToken(text, [&](const AsmToken &token) {
    if (token.isUnique || (isDevice && token.isScoped))
      return;
    bool isDirectives =
        isDevice ? isDeclaredInPtx(token) : isDefinedByDirective(token);
    if (token.role == AsmRole::Label || isDirectives ||
        (token.role == AsmRole::Assigned && !isDevice))
      found(token.text);
  });
}

bool definesAsmNames(StringRef text, bool isDevice) {
  bool result = false;
  forEachAsmDefinition(text, isDevice, [&](StringRef) { result = true; });
  return result;
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

} // namespace gpulto
