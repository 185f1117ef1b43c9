//===- Lexer.cpp - Tokens of PTX ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/ptx/Lexer.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace gpulto::emu {

static bool isIdentStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$' || c == '%';
}

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

static bool isIdent(char c) {
  return isDigit(c) || (isIdentStart(c) && c != '%');
}

static int hexValue(char c) {
  if (isDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

bool Lexer::skipSpace() {
  const char *begin = cur;
  while (cur < end) {
    char c = *cur;
    if (c == '\n') {
      ++line;
      ++cur;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\0' || c == '\f') {
      ++cur;
    } else if (c == '/' && end - cur > 1 && cur[1] == '/') {
      while (cur < end && *cur != '\n')
        ++cur;
    } else if (c == '/' && end - cur > 1 && cur[1] == '*') {
      cur += 2;
      while (cur < end && !(*cur == '*' && end - cur > 1 && cur[1] == '/'))
        line += *cur++ == '\n';
      cur = end - cur > 2 ? cur + 2 : end;
    } else {
      break;
    }
  }
  return cur != begin;
}

void Lexer::skipLine() {
  while (cur < end && *cur != '\n')
    ++cur;
}

std::string_view Lexer::skipBraces(bool &ok) {
  const char *begin = cur;
  unsigned depth = 1;
  ok = true;
  while (true) {
    skipSpace();
    if (cur >= end)
      break;
    char c = *cur++;
    if (c == '{') {
      ++depth;
    } else if (c == '}') {
      if (--depth == 0)
        return {begin, static_cast<size_t>(cur - 1 - begin)};
    } else if (c == '"') {
      while (cur < end && *cur != '"' && *cur != '\n')
        cur += *cur == '\\' && end - cur > 1 ? 2 : 1;
      if (cur < end && *cur == '"')
        ++cur;
    }
  }
  ok = false;
  return {begin, static_cast<size_t>(cur - begin)};
}

Token Lexer::make(TokenKind kind, const char *begin) {
  Token t;
  t.kind = kind;
  t.line = line;
  t.text = {begin, static_cast<size_t>(cur - begin)};
  return t;
}

/// Reads an integer (decimal, 0x, 0b, octal, with U) or a floating-point
/// constant (0f and eight, 0d and sixteen hexadecimal digits, or decimal).
Token Lexer::number() {
  const char *begin = cur;
  char second = end - cur > 1 ? cur[1] : '\0';
  if (*cur == '0' &&
      (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
    bool isFloat32 = second == 'f' || second == 'F';
    cur += 2;
    uint64_t bits = 0;
    unsigned digits = 0;
    while (cur < end && hexValue(*cur) >= 0 && digits < 16) {
      bits = bits << 4 | static_cast<unsigned>(hexValue(*cur++));
      ++digits;
    }
    if (digits != (isFloat32 ? 8u : 16u)) {
      Token t = make(TokenKind::Error, begin);
      t.text = "malformed floating-point constant";
      return t;
    }
    Token t = make(isFloat32 ? TokenKind::Float32 : TokenKind::Float, begin);
    t.value = bits;
    return t;
  }
  unsigned radix = 10;
  if (*cur == '0' && (second == 'x' || second == 'X')) {
    radix = 16;
    cur += 2;
  } else if (*cur == '0' && (second == 'b' || second == 'B')) {
    radix = 2;
    cur += 2;
  } else if (*cur == '0' && isDigit(second)) {
    radix = 8;
  }
  uint64_t value = 0;
  while (cur < end && hexValue(*cur) >= 0 &&
         static_cast<unsigned>(hexValue(*cur)) < radix)
    value = value * radix + static_cast<unsigned>(hexValue(*cur++));
  bool isDecimalFloat =
      radix == 10 && cur < end &&
      ((*cur == '.' && end - cur > 1 && isDigit(cur[1])) || *cur == 'e' ||
       *cur == 'E' ||
       (*cur == '.' && !(end - cur > 1 && isIdentStart(cur[1]))));
  if (isDecimalFloat) {
    while (
        cur < end &&
        (isDigit(*cur) || *cur == '.' || *cur == 'e' || *cur == 'E' ||
         ((*cur == '-' || *cur == '+') && (cur[-1] == 'e' || cur[-1] == 'E'))))
      ++cur;
    std::string copy(begin, cur);
    double d = std::strtod(copy.c_str(), nullptr);
    Token t = make(TokenKind::Float, begin);
    std::memcpy(&t.value, &d, sizeof(d));
    return t;
  }
  if (cur < end && (*cur == 'U' || *cur == 'u'))
    ++cur;
  Token t = make(TokenKind::Integer, begin);
  t.value = value;
  return t;
}

Token Lexer::next() {
  bool space = skipSpace();
  Token t;
  if (cur >= end) {
    t.line = line;
    t.spaceBefore = space;
    return t;
  }
  const char *begin = cur;
  char c = *cur;
  if (isIdentStart(c)) {
    ++cur;
    while (cur < end && isIdent(*cur))
      ++cur;
    t = make(TokenKind::Identifier, begin);
  } else if (isDigit(c)) {
    t = number();
  } else if (c == '.' && end - cur > 1 && isDigit(cur[1]) && space) {
    t = number();
  } else if ((c == '.' && end - cur > 1 &&
              (isIdent(cur[1]) || cur[1] == '%')) ||
             (c == ':' && end - cur > 2 && cur[1] == ':' && isIdent(cur[2]))) {
    cur += c == ':' ? 2 : 1;
    begin = cur;
    while (cur < end && isIdent(*cur))
      ++cur;
    t = make(TokenKind::DotWord, begin);
  } else if (c == '"') {
    begin = ++cur;
    while (cur < end && *cur != '"' && *cur != '\n')
      cur += *cur == '\\' && end - cur > 1 ? 2 : 1;
    t = make(TokenKind::String, begin);
    if (cur < end && *cur == '"')
      ++cur;
  } else {
    ++cur;
    t = make(TokenKind::Punct, begin);
  }
  t.spaceBefore = space;
  return t;
}

} // namespace gpulto::emu
