//===- Parser.cpp - The module level of PTX -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/ptx/ParserBase.h"

#include <bit>

namespace gpulto::emu {

bool ParserBase::integer(uint64_t &out) {
  if (accept('-')) {
    if (!integer(out))
      return false;
    out = 0 - out;
    return true;
  }
  if (accept('+'))
    return integer(out);
  if (accept('~')) {
    if (!integer(out))
      return false;
    out = ~out;
    return true;
  }
  if (accept('('))
    return integer(out) && expect(')');
  if (tok.kind != TokenKind::Integer)
    return fail("expected an integer, found " + found());
  out = tok.value;
  advance();
  return true;
}

bool ParserBase::dimensions(std::array<uint32_t, 3> &out) {
  out = {1, 1, 1};
  for (unsigned i = 0; i < 3; ++i) {
    if (!unsignedNumber(out[i]))
      return false;
    if (i == 2 || !accept(','))
      break;
  }
  return true;
}

bool ParserBase::typeAndAlign(VariableDecl &variable, bool isParam) {
  bool isPointer = false;
  while (tok.kind == TokenKind::DotWord) {
    std::string_view word = tok.text;
    if (word == "align") {
      advance();
      uint32_t align = 0;
      if (!unsignedNumber(align))
        return false;
      if (align == 0 || !std::has_single_bit(align))
        return fail("alignment is not a power of two");
      if (!isPointer) // Behind .ptr it is the pointee's.
        variable.alignBytes = align;
      continue;
    }
    if (word == "attribute" || word == "unified") {
      advance();
      if (!expect('('))
        return false;
      for (unsigned depth = 1; depth && tok.kind != TokenKind::End; advance()) {
        depth += tok.is('(') ? 1 : tok.is(')') ? -1 : 0;
        variable.isManaged |= tok.isDot("managed");
      }
      continue;
    }
    if (word == "ptr" && isParam)
      isPointer = true;
    else if (word == "v2" || word == "v4" || word == "v8")
      variable.vectorWidth = static_cast<uint32_t>(word[1] - '0');
    else if (word == "texref" || word == "samplerref" || word == "surfref")
      variable.type = Type::B64;
    else if (isPointer &&
             (word == "global" || word == "shared" || word == "local" ||
              word == "const" || word == "generic"))
      ; // The space the pointer points to: only a hint.
    else if (Type type = typeFromName(word); type != Type::None)
      variable.type = type;
    else
      return fail("unknown type ." + std::string(word));
    advance();
  }
  if (variable.type == Type::None)
    return fail("declaration without a type");
  uint32_t natural = sizeOf(variable.type) * variable.vectorWidth;
  if (!variable.alignBytes)
    variable.alignBytes = natural;
  return true;
}

bool ParserBase::declarator(VariableDecl &variable) {
  variable.line = tok.line;
  if (!identifier(variable.name))
    return false;
  while (accept('[')) {
    variable.isArray = true;
    if (accept(']')) {
      variable.elements = 0;
      continue;
    }
    uint64_t count = 0;
    if (!integer(count) || !expect(']'))
      return false;
    if (count > (1ull << 40))
      return fail("array too large");
    variable.elements *= count;
  }
  return true;
}

namespace {

class SourceParser : public ParserBase {
public:
  SourceParser(std::string_view text, SourceDecl &source)
      : ParserBase(text, 1), source(source) {}
  void run() {
    while (!error.failed() && tok.kind != TokenKind::End)
      if (!topLevel())
        break;
  }

private:
  bool topLevel();
  bool version();
  bool target();
  bool addressSize();
  bool file();
  bool pragma();
  bool section();
  void debugStrings(std::string_view text);
  bool location();
  bool alias();
  bool variable(VariableDecl decl);
  bool initialiser(VariableDecl &decl);
  bool initList(VariableDecl &decl);
  bool initValue(VariableDecl &decl);
  bool function(FunctionDecl decl);
  bool paramList(std::vector<VariableDecl> &params);
  bool tuning(FunctionDecl &decl);

  using Production = bool (SourceParser::*)();
  static Production directiveOf(std::string_view word);

  SourceDecl &source;
};

/// What reads a directive that declares no variable and no function, from its
/// word on; null for other words.
SourceParser::Production SourceParser::directiveOf(std::string_view word) {
  static constexpr std::pair<std::string_view, Production> kDirectives[] = {
      {"version", &SourceParser::version},
      {"target", &SourceParser::target},
      {"address_size", &SourceParser::addressSize},
      {"file", &SourceParser::file},
      {"pragma", &SourceParser::pragma},
      {"section", &SourceParser::section},
      {"loc", &SourceParser::location},
      {"alias", &SourceParser::alias},
  };
  for (const auto &[name, production] : kDirectives)
    if (name == word)
      return production;
  return nullptr;
}

bool SourceParser::topLevel() {
  if (accept(';'))
    return true;
  if (tok.kind != TokenKind::DotWord)
    return fail("expected a directive, found " + found());
  if (Production directive = directiveOf(tok.text))
    return (this->*directive)();
  Linkage linkage = Linkage::Local;
  while (tok.kind == TokenKind::DotWord) {
    std::string_view word = tok.text;
    if (word == "visible")
      linkage = Linkage::Visible;
    else if (word == "extern")
      linkage = Linkage::Extern;
    else if (word == "weak")
      linkage = Linkage::Weak;
    else if (word == "common")
      linkage = Linkage::Common;
    else
      break;
    advance();
  }
  if (tok.isDot("entry") || tok.isDot("func")) {
    FunctionDecl decl;
    decl.linkage = linkage;
    decl.isEntry = tok.isDot("entry");
    advance();
    return function(std::move(decl));
  }
  VariableDecl decl;
  decl.linkage = linkage;
  if (tok.isDot("global") || tok.isDot("tex"))
    decl.space = Space::Global;
  else if (tok.isDot("const"))
    decl.space = Space::Const;
  else if (tok.isDot("shared"))
    decl.space = Space::Shared;
  else if (tok.isDot("local"))
    return fail("not implemented: .local at module level");
  else
    return fail("unknown directive " + found());
  advance();
  return variable(std::move(decl));
}

bool SourceParser::version() {
  advance();
  std::string_view t = tok.text;
  auto [next, ec] =
      std::from_chars(t.data(), t.data() + t.size(), source.versionMajor);
  if (ec != std::errc() || next == t.data() + t.size() || *next != '.')
    return fail("malformed .version");
  std::from_chars(next + 1, t.data() + t.size(), source.versionMinor);
  advance();
  return true;
}

bool SourceParser::target() {
  do {
    advance();
    if (tok.kind != TokenKind::Identifier)
      return fail("malformed .target");
    if (tok.text.starts_with("sm_"))
      std::from_chars(tok.text.data() + 3, tok.text.data() + tok.text.size(),
                      source.targetSm);
    advance();
  } while (tok.is(','));
  return true;
}

bool SourceParser::addressSize() {
  advance();
  uint32_t bits = 0;
  if (!unsignedNumber(bits))
    return false;
  return bits == 64 ? true : fail("not implemented: 32-bit addresses");
}

bool SourceParser::file() {
  Token index = lexer.next();
  Token name = lexer.next();
  if (index.kind == TokenKind::Integer && name.kind == TokenKind::String &&
      index.value < 65536) {
    if (source.files.size() <= index.value)
      source.files.resize(index.value + 1);
    source.files[index.value] = name.text;
  }
  return location();
}

bool SourceParser::pragma() {
  while (!tok.is(';') && tok.kind != TokenKind::End)
    advance();
  return expect(';');
}

bool SourceParser::section() {
  advance();
  bool isStrings = tok.isDot("debug_str");
  while (!tok.is('{') && tok.kind != TokenKind::End)
    advance();
  bool ok = false;
  std::string_view text = lexer.skipBraces(ok);
  if (isStrings)
    debugStrings(text);
  advance();
  return ok ? true : fail("unterminated .section");
}

/// label: .b8 byte, byte...; what is not of this form is ignored.
void SourceParser::debugStrings(std::string_view text) {
  Lexer bytes(text);
  std::string *string = nullptr;
  for (Token t = bytes.next(); t.kind != TokenKind::End; t = bytes.next()) {
    if (t.kind == TokenKind::Identifier)
      string = &source.debugStrings[t.text];
    else if (t.kind == TokenKind::Integer && string)
      *string += static_cast<char>(t.value);
  }
}

bool SourceParser::location() {
  lexer.skipLine();
  advance();
  return true;
}

bool SourceParser::alias() {
  AliasDecl decl;
  decl.line = tok.line;
  advance();
  if (!identifier(decl.name) || !expect(',') || !identifier(decl.aliasee) ||
      !expect(';'))
    return false;
  source.aliases.push_back(decl);
  return true;
}

bool SourceParser::variable(VariableDecl decl) {
  if (!typeAndAlign(decl, false))
    return false;
  VariableDecl prototype = decl;
  do {
    decl = prototype;
    if (!declarator(decl))
      return false;
    if (accept('=') && !initialiser(decl))
      return false;
    source.variables.push_back(decl);
  } while (accept(','));
  return expect(';');
}

bool SourceParser::initialiser(VariableDecl &decl) {
  bool ok = tok.is('{') ? initList(decl) : initValue(decl);
  if (!ok)
    return false;
  if (decl.isArray && decl.elements == 0)
    decl.elements = decl.init.size() / decl.vectorWidth;
  if (decl.init.size() > decl.elements * decl.vectorWidth)
    return fail("more initial values than elements");
  return true;
}

bool SourceParser::initList(VariableDecl &decl) {
  advance();
  while (!tok.is('}')) {
    if (!(tok.is('{') ? initList(decl) : initValue(decl)))
      return false;
    if (!accept(','))
      break;
  }
  return expect('}');
}

bool SourceParser::initValue(VariableDecl &decl) {
  InitValue value;
  if (tok.kind == TokenKind::Float || tok.kind == TokenKind::Float32) {
    value.isFloat = tok.kind == TokenKind::Float;
    value.isFloat32 = !value.isFloat;
    value.bits = tok.value;
    advance();
    decl.init.push_back(value);
    return true;
  }
  bool parenthesis = false;
  if (tok.kind != TokenKind::Identifier) {
    if (!integer(value.bits))
      return false;
    if (!accept('(')) {
      decl.init.push_back(value);
      return true;
    }
    // 0xFF00(symbol): one byte of an address.
    if (!value.bits)
      return fail("empty mask of a symbol");
    value.maskShift = static_cast<uint8_t>(std::countr_zero(value.bits));
    value.maskBytes = static_cast<uint8_t>(std::popcount(value.bits) / 8);
    value.bits = 0;
    parenthesis = true;
  }
  if (!identifier(value.symbol))
    return false;
  value.kind = InitValue::Symbol;
  if (value.symbol == "generic" && accept('(')) {
    value.kind = InitValue::GenericSymbol;
    if (!identifier(value.symbol) || !expect(')'))
      return false;
  }
  if ((tok.is('+') || tok.is('-')) && !integer(value.bits))
    return false;
  if (parenthesis && !expect(')'))
    return false;
  decl.init.push_back(value);
  return true;
}

bool SourceParser::paramList(std::vector<VariableDecl> &params) {
  if (!expect('('))
    return false;
  while (!tok.is(')')) {
    VariableDecl param;
    param.space = tok.isDot("reg") ? Space::Reg : Space::Param;
    if (!tok.isDot("param") && !tok.isDot("reg"))
      return fail("expected .param, found " + found());
    advance();
    if (!typeAndAlign(param, true) || !declarator(param))
      return false;
    if (param.space == Space::Reg)
      return fail("not implemented: parameters in registers");
    params.push_back(param);
    if (!accept(','))
      break;
  }
  return expect(')');
}

bool SourceParser::tuning(FunctionDecl &decl) {
  while (tok.kind == TokenKind::DotWord) {
    std::string_view word = tok.text;
    advance();
    uint32_t number = 0;
    bool ok = true;
    if (word == "noreturn")
      decl.noReturn = true;
    else if (word == "maxntid")
      ok = dimensions(decl.maxntid);
    else if (word == "reqntid")
      ok = dimensions(decl.reqntid);
    else if (word == "minnctapersm" || word == "maxnctapersm")
      ok = unsignedNumber(decl.minnctapersm);
    else if (word == "maxnreg")
      ok = unsignedNumber(decl.maxnreg);
    else if (word == "reqnctapercluster")
      ok = dimensions(decl.reqCluster);
    else if (word == "explicitcluster")
      decl.needsCluster = true;
    else if (word == "blocksareclusters")
      decl.gridCountsClusters = true;
    else if (word == "maxclusterrank")
      ok = unsignedNumber(decl.maxClusterRank);
    else if (word == "abi_preserve" || word == "abi_preserve_control" ||
             word == "maxrank")
      ok = unsignedNumber(number);
    else if (word == "pragma")
      ok = pragma();
    else if (word == "attribute" || word == "unified") {
      while (!tok.is(')') && tok.kind != TokenKind::End)
        advance();
      ok = expect(')');
    } else
      return fail("unknown directive ." + std::string(word));
    if (!ok)
      return false;
  }
  return true;
}

bool SourceParser::function(FunctionDecl decl) {
  if (!tuning(decl)) // .attribute may stand before the name.
    return false;
  if (!decl.isEntry && tok.is('(') && !paramList(decl.returns))
    return false;
  decl.line = tok.line;
  if (!identifier(decl.name))
    return false;
  if (tok.is('(') && !paramList(decl.params))
    return false;
  if (!tuning(decl))
    return false;
  if (tok.is('{')) {
    decl.hasBody = true;
    decl.bodyLine = lexer.currentLine();
    bool ok = false;
    decl.body = lexer.skipBraces(ok);
    if (!ok)
      return fail("unterminated body of " + std::string(decl.name));
    advance();
  } else if (!expect(';')) {
    return false;
  }
  source.functions.push_back(std::move(decl));
  return true;
}

} // namespace

ParseError parseSource(std::string_view text, SourceDecl &source) {
  SourceParser parser(text, source);
  parser.run();
  ParseError error = parser.takeError();
  if (!error.failed() && source.versionMajor == 0)
    error = {1, "no .version directive: this is not PTX"};
  return error;
}

} // namespace gpulto::emu
