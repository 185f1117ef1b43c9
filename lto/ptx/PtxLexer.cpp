//===- PtxLexer.cpp - Tokens and module-level statements of PTX -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Only the module level is analyzed; function bodies are skipped by their
// braces. Source: PTX ISA 8.5, chapters 4 and 5.
//
//===----------------------------------------------------------------------===//

#include "lto/ptx/PtxLexer.h"

#include "support/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <optional>

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

static bool isWordStart(char c) {
  return isAlpha(c) || c == '_' || c == '$' || c == '%' || c == '.';
}

static bool isWordPart(char c) {
  return isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '%';
}

PtxToken PtxLexer::next() {
  PtxToken token;
  while (position < text.size()) {
    char c = text[position];
    if (isSpace(c)) {
      token.startsLine |= c == '\n';
      ++position;
    } else if (text.substr(position).starts_with("//")) {
      position = std::min(text.find('\n', position), text.size());
    } else if (text.substr(position).starts_with("/*")) {
      size_t end = text.find("*/", position + 2);
      position = end == StringRef::npos ? text.size() : end + 2;
    } else {
      break;
    }
  }
  size_t begin = position;
  if (begin == text.size()) {
    token.text = text.substr(begin, 0);
    token.startsLine = true;
    return token;
  }
  char first = text[position++];
  if (isWordStart(first)) {
    token.kind = PtxToken::Kind::Word;
    while (position < text.size()) {
      if (isWordPart(text[position]))
        ++position;
      else if (text.substr(position).starts_with("::") &&
               position + 2 < text.size() && isWordPart(text[position + 2]))
        position += 2; // .shared::cluster
      else
        break;
    }
  } else if (isDigit(first)) {
    token.kind = PtxToken::Kind::Number;
    while (position < text.size() && isWordPart(text[position]))
      ++position;
  } else if (first == '"') {
    token.kind = PtxToken::Kind::String;
    while (position < text.size() && text[position] != '"' &&
           text[position] != '\n')
      position += text[position] == '\\' ? 2 : 1;
    position = std::min(position + 1, text.size());
  } else {
    token.kind = PtxToken::Kind::Punctuation;
  }
  token.text = text.slice(begin, position);
  return token;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

namespace {

class PtxParser {
public:
  PtxParser(StringRef text, StringRef path)
      : text(text), path(path), lexer(text) {
    advance();
  }
  Expected<std::vector<PtxStatement>> run();

private:
  void advance() { token = lexer.next(); }
  const char *at() const { return token.text.data(); }
  StringRef since(const char *begin) const {
    return StringRef(begin, last.data() + last.size() - begin);
  }
  /// Consumes the token, which becomes the last one of the statement.
  void take() {
    last = token.text;
    advance();
  }
  unsigned lineOf(const char *position) {
    lineNumber += StringRef(lineStart, position - lineStart).count('\n');
    lineStart = position;
    return lineNumber;
  }
  Error fail(const PtxStatement &statement, const Twine &message) const {
    return makeError(path + ":" + Twine(statement.line) + ": " + message);
  }

  Error parseStatement(PtxStatement &statement);
  void takeLine();
  Error takeBlock(PtxStatement &statement);
  Error parseSection(PtxStatement &statement);
  Error parseFile(PtxStatement &statement);
  Error parseFunction(PtxStatement &statement, const char *begin);
  Error parseVariable(PtxStatement &statement, const char *begin);
  Error takeParentheses(PtxStatement &statement);

  StringRef text;
  StringRef path;
  PtxLexer lexer;
  PtxToken token;
  StringRef last;
  const char *lineStart = nullptr;
  unsigned lineNumber = 1;
};

} // namespace

/// Takes the rest of a directive that ends with its line.
void PtxParser::takeLine() {
  do
    take();
  while (token.kind != PtxToken::Kind::End && !token.startsLine);
}

/// Takes a block from `{` to the matching `}`.
Error PtxParser::takeBlock(PtxStatement &statement) {
  unsigned depth = 0;
  do {
    if (token.kind == PtxToken::Kind::End)
      return fail(statement, "a block does not end");
    if (token.kind == PtxToken::Kind::Punctuation)
      depth += token.is("{") ? 1 : token.is("}") ? -1 : 0;
    take();
  } while (depth != 0);
  return Error::success();
}

Error PtxParser::takeParentheses(PtxStatement &statement) {
  unsigned depth = 0;
  do {
    if (token.kind == PtxToken::Kind::End)
      return fail(statement, "a list does not end");
    depth += token.is("(") ? 1 : token.is(")") ? -1 : 0;
    take();
  } while (depth != 0);
  return Error::success();
}

Error PtxParser::parseSection(PtxStatement &statement) {
  take();
  statement.name = token.text;
  take();
  if (!token.is("{"))
    return fail(statement, ".section without '{'");
  const char *begin = at();
  if (Error error = takeBlock(statement))
    return error;
  statement.argument = since(begin).drop_front().drop_back().trim();
  return Error::success();
}

Error PtxParser::parseFile(PtxStatement &statement) {
  take();
  if (token.text.getAsInteger(10, statement.fileIndex))
    return fail(statement, ".file without a number");
  take();
  const char *begin = at();
  if (token.kind != PtxToken::Kind::String || token.startsLine)
    return fail(statement, ".file without a name");
  takeLine();
  statement.argument = since(begin);
  return Error::success();
}

/// `.func (results) name (parameters) ;` or with a body; `.entry` likewise.
Error PtxParser::parseFunction(PtxStatement &statement, const char *begin) {
  statement.kind = PtxStatementKind::FunctionPrototype;
  statement.isKernel = token.is(".entry");
  take();
  while (statement.name.empty()) {
    if (token.is("(")) {
      if (Error error = takeParentheses(statement))
        return error;
    } else if (token.isName()) {
      statement.name = token.text;
    } else if (!token.isDirective()) {
      return fail(statement, "a function without a name");
    } else {
      take();
    }
  }
  while (!token.is(";") && !token.is("{")) {
    if (token.kind == PtxToken::Kind::End)
      return fail(statement, "function '" + statement.name + "' does not end");
    take();
  }
  if (token.is("{")) {
    statement.kind = PtxStatementKind::FunctionDefinition;
    if (Error error = takeBlock(statement))
      return error;
  } else {
    take();
  }
  statement.text = since(begin);
  return Error::success();
}

/// `.global .align 4 .b8 name[16] = {...};`
Error PtxParser::parseVariable(PtxStatement &statement, const char *begin) {
  statement.kind = PtxStatementKind::Variable;
  take();
  while (statement.name.empty()) {
    if (token.is("(")) {
      if (Error error = takeParentheses(statement))
        return error;
    } else if (token.is(".align")) {
      take();
      if (token.text.getAsInteger(10, statement.alignment))
        return fail(statement, ".align without a number");
      take();
    } else if (token.isName()) {
      statement.name = token.text;
      take();
    } else if (!token.isDirective()) {
      return fail(statement, "a variable without a name");
    } else {
      take();
    }
  }
  while (!token.is("=") && !token.is(";")) {
    if (token.kind == PtxToken::Kind::End)
      return fail(statement, "variable '" + statement.name + "' does not end");
    if (token.is(","))
      return fail(statement, "several variables in one statement");
    take();
  }
  statement.declaration = since(begin);
  const char *initializer = at();
  while (!token.is(";")) {
    if (token.kind == PtxToken::Kind::End)
      return fail(statement, "variable '" + statement.name + "' does not end");
    take();
  }
  if (initializer != at())
    statement.initializer = since(initializer);
  take();
  statement.text = since(begin);
  return Error::success();
}

Error PtxParser::parseStatement(PtxStatement &statement) {
  const char *begin = at();
  statement.line = lineOf(begin);
  auto directive = StringSwitch<std::optional<PtxStatementKind>>(token.text)
                       .Case(".version", PtxStatementKind::Version)
                       .Case(".target", PtxStatementKind::Target)
                       .Case(".address_size", PtxStatementKind::AddressSize)
                       .Case(".file", PtxStatementKind::File)
                       .Case(".section", PtxStatementKind::Section)
                       .Case(".pragma", PtxStatementKind::Pragma)
                       .Case(".alias", PtxStatementKind::Alias)
                       .Default(std::nullopt);
  if (directive) {
    statement.kind = *directive;
    StringRef keyword = token.text;
    Error error = Error::success();
    if (*directive == PtxStatementKind::File) {
      error = parseFile(statement);
    } else if (*directive == PtxStatementKind::Section) {
      error = parseSection(statement);
    } else if (*directive == PtxStatementKind::Pragma ||
               *directive == PtxStatementKind::Alias) {
      while (!token.is(";") && token.kind != PtxToken::Kind::End) {
        take();
        if (statement.name.empty() && token.isName())
          statement.name = token.text;
      }
      take();
    } else {
      takeLine();
    }
    if (error)
      return error;
    statement.text = since(begin);
    if (*directive != PtxStatementKind::File &&
        *directive != PtxStatementKind::Section)
      statement.argument = statement.text.drop_front(keyword.size()).trim();
    return Error::success();
  }

  auto linkage = StringSwitch<PtxLinkage>(token.text)
                     .Case(".extern", PtxLinkage::Extern)
                     .Case(".visible", PtxLinkage::Visible)
                     .Case(".weak", PtxLinkage::Weak)
                     .Case(".common", PtxLinkage::Common)
                     .Default(PtxLinkage::Local);
  statement.linkage = linkage;
  if (linkage != PtxLinkage::Local)
    take();
  if (token.is(".func") || token.is(".entry"))
    return parseFunction(statement, begin);
  if (token.is(".global") || token.is(".const") || token.is(".shared"))
    return parseVariable(statement, begin);
  return fail(statement, "unknown statement '" + token.text + "'");
}

Expected<std::vector<PtxStatement>> PtxParser::run() {
  lineStart = text.data();
  std::vector<PtxStatement> statements;
  while (token.kind != PtxToken::Kind::End) {
    PtxStatement statement;
    if (Error error = parseStatement(statement))
      return error;
    statements.push_back(statement);
  }
  return statements;
}

Expected<std::vector<PtxStatement>> parsePtx(StringRef text, StringRef path) {
  // A final NUL is part of embedded PTX, not of the language.
  return PtxParser(text.rtrim('\0'), path).run();
}

} // namespace gpulto
