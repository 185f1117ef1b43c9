//===- Lexer.h - Tokens of PTX --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_PTX_LEXER_H
#define GPULTO_EMULATOR_PTX_LEXER_H

#include <cstdint>
#include <string_view>

namespace gpulto::emu {

enum class TokenKind : uint8_t {
  End,
  Identifier, ///< foo, $L__BB0_1, %r1, _ ; without any .suffix
  DotWord,    ///< .reg, .f32, ::cta (text without the dot or colons)
  Integer,    ///< value
  Float,      ///< value holds the bits of a double
  Float32,    ///< 0fXXXXXXXX: value holds the 32 bits
  String,     ///< text without the quotes
  Punct,      ///< one character
  Error,      ///< text says what is wrong
};

/// A token; \c text points into the source.
struct Token {
  TokenKind kind = TokenKind::End;
  bool spaceBefore = false;
  uint32_t line = 0;
  std::string_view text;
  uint64_t value = 0;

  bool is(char c) const {
    return kind == TokenKind::Punct && text.size() == 1 && text[0] == c;
  }
  bool isDot(std::string_view word) const {
    return kind == TokenKind::DotWord && text == word;
  }
};

/// Cuts PTX into tokens, on demand. The source must outlive the lexer.
class Lexer {
public:
  explicit Lexer(std::string_view source, uint32_t firstLine = 1)
      : cur(source.data()), end(source.data() + source.size()),
        line(firstLine) {}

  /// Reads the next token; after the end it keeps returning End.
  Token next();
  /// Skips to the end of the current line.
  void skipLine();
  /// After the opening brace: skips past the matching brace and returns the
  /// text in between. Respects strings and comments. Sets \p ok to false at the
  /// end of the source.
  std::string_view skipBraces(bool &ok);
  uint32_t currentLine() const { return line; }

private:
  bool skipSpace();
  Token number();
  Token make(TokenKind kind, const char *begin);

  const char *cur;
  const char *end;
  uint32_t line;
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_PTX_LEXER_H
