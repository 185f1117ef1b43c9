//===- BodyParser.cpp - Instructions, labels and scopes -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/ptx/ParserBase.h"

#include <charconv>
#include <map>
#include <utility>

namespace gpulto::emu {

namespace {

class BodyParser : public ParserBase {
public:
  BodyParser(const FunctionDecl &function, FunctionBody &body)
      : ParserBase(function.body, function.bodyLine), body(body) {}
  void run();

private:
  bool statement();
  bool instruction(Statement s);
  bool directive();
  bool pragma();
  bool declaration(Space space);
  bool registers();
  bool labelled(std::string_view name, uint32_t line);
  bool operand(Operand &out);
  bool pair(Operand &out);
  bool scalar(Operand &out);
  bool address(Operand &out);
  bool list(Operand &out, char close);
  void location();
  void inlining(uint32_t of, SourceLoc &l);
  bool numberOfLine(uint32_t of, uint32_t &out);
  bool wordOfLine(uint32_t of, std::string_view &out);
  uint32_t callerAt(const SourceLoc &l);
  Statement make(Statement::Kind kind) const;

  FunctionBody &body;
  std::vector<uint32_t> scopes{0};
  uint32_t loc = 0;
  /// Statement::usedBytes of the next instruction.
  uint32_t usedBytes = 0;
  /// The last location of a file, line and column.
  std::map<std::array<uint32_t, 3>, uint32_t> locationIndex;
};

Statement BodyParser::make(Statement::Kind kind) const {
  Statement s;
  s.kind = kind;
  s.line = tok.line;
  s.scope = scopes.back();
  s.loc = loc;
  return s;
}

void BodyParser::run() {
  while (!error.failed() && tok.kind != TokenKind::End)
    if (!statement())
      return;
  if (!error.failed() && scopes.size() != 1)
    fail("unbalanced braces");
}

bool BodyParser::statement() {
  if (accept(';'))
    return true;
  if (tok.is('{')) {
    body.scopeParents.push_back(scopes.back());
    scopes.push_back(static_cast<uint32_t>(body.scopeParents.size() - 1));
    advance();
    return true;
  }
  if (tok.is('}')) {
    if (scopes.size() == 1)
      return fail("unbalanced braces");
    scopes.pop_back();
    advance();
    return true;
  }
  if (tok.kind == TokenKind::DotWord)
    return directive();
  Statement s = make(Statement::Instruction);
  if (accept('@')) {
    s.guardNegated = accept('!');
    if (!identifier(s.guard))
      return false;
  }
  if (tok.kind != TokenKind::Identifier)
    return fail("expected an instruction, found " + found());
  s.name = tok.text;
  uint32_t line = tok.line;
  advance();
  if (tok.is(':') && s.guard.empty()) {
    advance();
    return labelled(s.name, line);
  }
  return instruction(std::move(s));
}

bool BodyParser::labelled(std::string_view name, uint32_t line) {
  Statement s = make(Statement::Label);
  s.name = name;
  s.line = line;
  if (tok.isDot("branchtargets") || tok.isDot("calltargets")) {
    s.kind = tok.isDot("branchtargets") ? Statement::BranchTargets
                                        : Statement::CallTargets;
    advance();
    do {
      Operand target;
      target.kind = Operand::Name;
      if (!identifier(target.name))
        return false;
      s.operands.push_back(target);
    } while (accept(','));
    if (!expect(';'))
      return false;
  } else if (tok.isDot("callprototype")) {
    s.kind = Statement::CallPrototype;
    while (!tok.is(';') && tok.kind != TokenKind::End)
      advance();
    if (!expect(';'))
      return false;
  }
  body.statements.push_back(std::move(s));
  return true;
}

/// The location that an inlined_at names: the last .loc of that place, which
/// may itself be in an inlined function.
uint32_t BodyParser::callerAt(const SourceLoc &l) {
  auto [it, isNew] =
      locationIndex.try_emplace({l.file, l.line, l.column}, uint32_t());
  if (isNew) {
    it->second = static_cast<uint32_t>(body.locations.size());
    body.locations.push_back(l);
  }
  return it->second;
}

/// Takes a number of the line \p of.
bool BodyParser::numberOfLine(uint32_t of, uint32_t &out) {
  if (tok.kind != TokenKind::Integer || tok.line != of)
    return false;
  out = static_cast<uint32_t>(tok.value);
  advance();
  return true;
}

/// Takes a word of the line \p of.
bool BodyParser::wordOfLine(uint32_t of, std::string_view &out) {
  if (tok.kind != TokenKind::Identifier || tok.line != of)
    return false;
  out = tok.text;
  advance();
  return true;
}

/// function_name label{+offset}, inlined_at file line column
void BodyParser::inlining(uint32_t of, SourceLoc &l) {
  std::string_view word;
  if (!wordOfLine(of, word) || word != "function_name" ||
      !wordOfLine(of, l.function))
    return;
  if (accept('+'))
    numberOfLine(of, l.functionOffset);
  SourceLoc at;
  if (accept(',') && wordOfLine(of, word) && word == "inlined_at" &&
      numberOfLine(of, at.file) && numberOfLine(of, at.line) &&
      numberOfLine(of, at.column))
    l.caller = callerAt(at);
}

/// .loc file line column{, ...}; what else the line has is ignored. A caller
/// comes before what is inlined into it, so chains of callers end.
void BodyParser::location() {
  const uint32_t of = tok.line;
  advance();
  SourceLoc l;
  if (numberOfLine(of, l.file) && numberOfLine(of, l.line)) {
    if (numberOfLine(of, l.column) && tok.line == of && accept(','))
      inlining(of, l);
    if (loc == 0 || !(body.locations[loc] == l)) {
      loc = static_cast<uint32_t>(body.locations.size());
      body.locations.push_back(l);
    }
    locationIndex[{l.file, l.line, l.column}] = loc;
  }
  while (tok.line == of && tok.kind != TokenKind::End)
    advance();
}

bool BodyParser::directive() {
  std::string_view word = tok.text;
  if (word == "loc") {
    location();
    return true;
  }
  if (word == "file") {
    lexer.skipLine();
    advance();
    return true;
  }
  if (word == "pragma")
    return pragma();
  if (word == "callprototype") {
    while (!tok.is(';') && tok.kind != TokenKind::End)
      advance();
    return expect(';');
  }
  if (word == "reg")
    return registers();
  if (word == "local")
    return declaration(Space::Local);
  if (word == "shared")
    return declaration(Space::Shared);
  if (word == "param")
    return declaration(Space::Param);
  if (word == "global")
    return declaration(Space::Global);
  if (word == "const")
    return declaration(Space::Const);
  return fail("unknown directive ." + std::string(word));
}

/// .pragma "used_bytes_mask 0xfff"; others change nothing.
bool BodyParser::pragma() {
  constexpr std::string_view kUsed = "used_bytes_mask 0x";
  constexpr int kHexadecimal = 16;
  advance();
  if (tok.kind == TokenKind::String && tok.text.starts_with(kUsed)) {
    std::string_view mask = tok.text.substr(kUsed.size());
    auto [end, wrong] = std::from_chars(mask.data(), mask.data() + mask.size(),
                                        usedBytes, kHexadecimal);
    if (wrong != std::errc() || end != mask.data() + mask.size() || !usedBytes)
      return fail("malformed mask of used bytes");
  }
  while (!tok.is(';') && tok.kind != TokenKind::End)
    advance();
  return expect(';');
}

bool BodyParser::registers() {
  advance();
  VariableDecl prototype;
  prototype.space = Space::Reg;
  if (!typeAndAlign(prototype, false))
    return false;
  do {
    Statement s = make(Statement::Registers);
    if (!identifier(s.name))
      return false;
    if (accept('<')) {
      if (!unsignedNumber(s.registerCount) || !expect('>'))
        return false;
      if (s.registerCount == 0 || s.registerCount > (1u << 24))
        return fail("malformed register range");
    }
    s.variable = static_cast<uint32_t>(body.variables.size());
    body.variables.push_back(prototype);
    body.statements.push_back(std::move(s));
  } while (accept(','));
  return expect(';');
}

bool BodyParser::declaration(Space space) {
  advance();
  VariableDecl prototype;
  prototype.space = space;
  if (!typeAndAlign(prototype, space == Space::Param))
    return false;
  do {
    VariableDecl variable = prototype;
    Statement s = make(Statement::Variable);
    if (!declarator(variable))
      return false;
    if (tok.is('='))
      return fail("not implemented: initialised variable in a function");
    s.name = variable.name;
    s.variable = static_cast<uint32_t>(body.variables.size());
    body.variables.push_back(variable);
    body.statements.push_back(std::move(s));
  } while (accept(','));
  return expect(';');
}

bool BodyParser::instruction(Statement s) {
  s.usedBytes = std::exchange(usedBytes, 0);
  while (tok.kind == TokenKind::DotWord && !tok.spaceBefore) {
    s.modifiers.push_back(tok.text);
    advance();
  }
  if (!tok.is(';')) {
    do {
      Operand o;
      if (!operand(o))
        return false;
      s.operands.push_back(std::move(o));
    } while (accept(','));
  }
  if (!expect(';'))
    return false;
  body.statements.push_back(std::move(s));
  return true;
}

bool BodyParser::list(Operand &out, char close) {
  while (!tok.is(close)) {
    Operand part;
    if (!operand(part))
      return false;
    out.parts.push_back(std::move(part));
    if (!accept(','))
      break;
  }
  return expect(close);
}

bool BodyParser::address(Operand &out) {
  out.kind = Operand::Address;
  Operand base;
  if (tok.kind == TokenKind::Identifier) {
    base.kind = Operand::Name;
    base.name = tok.text;
    advance();
  }
  out.parts.push_back(base);
  if (base.kind == Operand::None || tok.is('+') || tok.is('-')) {
    accept('+');
    if (!integer(out.value))
      return false;
  }
  while (tok.is(',')) { // A tensor or texture coordinate.
    out.kind = Operand::Tensor;
    advance();
    Operand coordinate;
    if (!operand(coordinate))
      return false;
    out.parts.push_back(std::move(coordinate));
  }
  return expect(']');
}

bool BodyParser::scalar(Operand &out) {
  switch (tok.kind) {
  case TokenKind::Float:
    out.kind = Operand::Float;
    out.value = tok.value;
    advance();
    return true;
  case TokenKind::Float32:
    out.kind = Operand::Float32;
    out.value = tok.value;
    advance();
    return true;
  case TokenKind::Identifier:
    out.kind = Operand::Name;
    out.name = tok.text;
    advance();
    if (tok.kind == TokenKind::DotWord && !tok.spaceBefore) {
      out.element = tok.text;
      out.kind = Operand::Special;
      advance();
    } else if (tok.is('+') || tok.is('-')) {
      return integer(out.value);
    }
    return true;
  default:
    break;
  }
  if (tok.is('-')) {
    // Only integers may be negative: -1.0 is spelled in hexadecimal, but a
    // decimal one is accepted.
    advance();
    if (tok.kind == TokenKind::Float || tok.kind == TokenKind::Float32) {
      bool is32 = tok.kind == TokenKind::Float32;
      out.kind = is32 ? Operand::Float32 : Operand::Float;
      out.value = tok.value ^ (is32 ? 1ull << 31 : 1ull << 63);
      advance();
      return true;
    }
    out.kind = Operand::Integer;
    if (!integer(out.value))
      return false;
    out.value = 0 - out.value;
    return true;
  }
  out.kind = Operand::Integer;
  return integer(out.value);
}

bool BodyParser::operand(Operand &out) {
  if (accept('['))
    return address(out);
  if (accept('{')) {
    out.kind = Operand::Vector;
    return list(out, '}') && pair(out);
  }
  if (accept('(')) {
    out.kind = Operand::List;
    return list(out, ')');
  }
  if (accept('!')) {
    out.negated = true;
    if (!operand(out))
      return false;
    return true;
  }
  return scalar(out) && pair(out);
}

/// What may follow a destination: a second one.
bool BodyParser::pair(Operand &out) {
  if (!accept('|'))
    return true;
  Operand first = std::move(out), second;
  if (!scalar(second))
    return false;
  out = Operand();
  out.kind = Operand::Pair;
  out.parts.push_back(std::move(first));
  out.parts.push_back(std::move(second));
  return true;
}

} // namespace

ParseError parseBody(const FunctionDecl &function, FunctionBody &body) {
  BodyParser parser(function, body);
  parser.run();
  return parser.takeError();
}

} // namespace gpulto::emu
