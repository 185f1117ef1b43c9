//===- ParserBase.h - What both levels of the parser share ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_PTX_PARSERBASE_H
#define GPULTO_EMULATOR_PTX_PARSERBASE_H

#include "emulator/ptx/Lexer.h"
#include "emulator/ptx/Parser.h"

#include <charconv>
#include <string>
#include <utility>

namespace gpulto::emu {

/// One token of look-ahead and the first error. After an error every
/// production returns false.
class ParserBase {
public:
  ParserBase(std::string_view text, uint32_t line) : lexer(text, line) {
    advance();
  }
  ParseError takeError() { return std::move(error); }

protected:
  void advance() { tok = lexer.next(); }

  bool fail(std::string text) {
    if (!error.failed()) {
      error.line = tok.line ? tok.line : 1;
      error.text = std::move(text);
    }
    return false;
  }

  std::string found() const {
    if (tok.kind == TokenKind::End)
      return "end of file";
    if (tok.kind == TokenKind::Error)
      return std::string(tok.text);
    return "'" + std::string(tok.kind == TokenKind::DotWord ? "." : "") +
           std::string(tok.text) + "'";
  }

  bool expect(char c) {
    if (!tok.is(c))
      return fail(std::string("expected '") + c + "', found " + found());
    advance();
    return true;
  }

  bool accept(char c) {
    if (!tok.is(c))
      return false;
    advance();
    return true;
  }

  bool identifier(std::string_view &out) {
    if (tok.kind != TokenKind::Identifier)
      return fail("expected a name, found " + found());
    out = tok.text;
    advance();
    return true;
  }

  bool unsignedNumber(uint32_t &out) {
    if (tok.kind != TokenKind::Integer)
      return fail("expected a number, found " + found());
    out = static_cast<uint32_t>(tok.value);
    advance();
    return true;
  }

  /// [-] integer, with ~ and parentheses as in constant expressions.
  bool integer(uint64_t &out);

  /// One to three numbers separated by commas.
  bool dimensions(std::array<uint32_t, 3> &out);

  /// The alignment and type after the state space of a declaration; callers
  /// read the names.
  bool typeAndAlign(VariableDecl &variable, bool isParam);
  /// name and [n] suffixes.
  bool declarator(VariableDecl &variable);

  Lexer lexer;
  Token tok;
  ParseError error;
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_PTX_PARSERBASE_H
