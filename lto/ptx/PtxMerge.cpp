//===- PtxMerge.cpp - Make one PTX module of several ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: the PTX embedded in a program is one module, because the driver takes
// one image of PTX per architecture and links nothing; but it comes from
// several partitions, each with its own local names and file numbers.
//
//   a.ptx: .visible .global .u32 n;          .visible .global .u32 n;
//          .func f(..) {..}             ->   .func f(..) {..}
//          .entry a() { call f }             .func f_$p1(..) {..}
//   b.ptx: .extern .global .b32 n;           .entry a() { call f }
//          .func f(..) {..}                  .entry b() { call f_$p1 }
//          .entry b() { call f }
//
// 1. parsePtx cuts each part into statements (PtxLexer).
// 2. chooseDefinitions: one definition per non-local name: a strong one, else
//    the first weak one.
// 3. renameLocals: a local name that another part also uses gets a suffix.
// 4. write: prototypes, then variables with those first that initializers refer
//    to, then bodies in the order of the parts, then file names. PTX requires
//    declarations before uses, and forbids a declaration `.extern .b64` next to
//    a definition `.u64` of one variable, as LLVM writes them: declarations of
//    what the set defines are dropped.
//
// Names are exchanged token by token; strings, numbers, opcodes and registers
// are left alone. Linear in the text.
//
//===----------------------------------------------------------------------===//

#include "lto/ptx/PtxMerge.h"

#include "lto/ptx/PtxLexer.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <vector>

using namespace llvm;

namespace gpulto {
namespace {

struct Part {
  StringRef path;
  std::vector<PtxStatement> statements;
  StringMap<size_t> variables;            // name -> statement
  StringMap<std::string> renamed;         // local names and labels
  StringSet<> suffixed;                   // words that look like renamed ones
  std::map<unsigned, unsigned> fileIndex; // in the part -> in the result
};

/// Where the chosen definition of a name stands.
struct Place {
  size_t part = 0;
  size_t statement = 0;
};

class PtxMerger {
public:
  Error read(ArrayRef<PtxPart> inputs);
  Error chooseDefinitions();
  Error chooseDeclarations();
  void renameLocals();
  void numberFiles();
  Expected<std::string> write();

private:
  const PtxStatement &at(Place place) const {
    return parts[place.part].statements[place.statement];
  }
  bool isChosen(size_t part, size_t statement) const;
  Error fail(Place place, const Twine &message) const;
  Error mergeHeader(Part &part);
  Error checkSection(Place place) const;
  void addRename(Part &part, size_t index, StringRef name);
  std::string rewrite(const Part &part, StringRef text, bool isBody) const;
  void writePrototypes(raw_ostream &out) const;
  void writeVariables(raw_ostream &out) const;
  void writeVariable(Place place, StringSet<> &written, raw_ostream &out) const;
  void writeBodies(raw_ostream &out) const;
  void writeDebug(raw_ostream &out) const;

  std::vector<Part> parts;
  size_t inputBytes = 0;
  StringRef version, target, addressSize;
  StringMap<Place> definitions;   // non-local names
  StringMap<Place> declarations;  // names that nothing here defines
  StringMap<unsigned> alignments; // of those: the largest asked for
  StringSet<> taken;
  std::vector<std::string> files; // arguments of .file, from number 1
};

} // namespace

Error PtxMerger::fail(Place place, const Twine &message) const {
  return makeError(parts[place.part].path + ":" + Twine(at(place).line) + ": " +
                   message);
}

//===----------------------------------------------------------------------===//
// Reading and choosing
//===----------------------------------------------------------------------===//

/// Returns whether version \p a ("8.5") is older than \p b.
static bool isOlder(StringRef a, StringRef b) {
  auto number = [](StringRef text) {
    unsigned major = 0, minor = 0;
    auto [first, second] = text.split('.');
    first.getAsInteger(10, major);
    second.getAsInteger(10, minor);
    return std::pair(major, minor);
  };
  return number(a) < number(b);
}

Error PtxMerger::mergeHeader(Part &part) {
  StringRef partVersion, partTarget, partAddressSize;
  for (const PtxStatement &statement : part.statements) {
    if (statement.kind == PtxStatementKind::Version)
      partVersion = statement.argument;
    else if (statement.kind == PtxStatementKind::Target)
      partTarget = statement.argument;
    else if (statement.kind == PtxStatementKind::AddressSize)
      partAddressSize = statement.argument;
  }
  if (partVersion.empty() || partTarget.empty())
    return makeError(part.path + ": PTX without .version or .target");
  if (target.empty()) {
    target = partTarget;
    addressSize = partAddressSize;
  }
  if (target != partTarget || addressSize != partAddressSize)
    return makeError(part.path + ": target '" + partTarget + "', " +
                     partAddressSize + " bits, cannot be merged with '" +
                     target + "', " + addressSize + " bits");
  // A newer version means the same by an older module's text.
  if (version.empty() || isOlder(version, partVersion))
    version = partVersion;
  return Error::success();
}

Error PtxMerger::checkSection(Place place) const {
  const PtxStatement &statement = at(place);
  if (statement.argument.empty() || statement.name == ".debug_str")
    return Error::success();
  return fail(place, "section '" + statement.name +
                         "' cannot be merged: compile device code with line "
                         "tables instead of full debug information");
}

/// What is put between a name and the number of its part.
static constexpr StringLiteral kPartSuffix = "_$p";

/// Fills \p words with the words of \p text that hold kPartSuffix: the only
/// ones that a new name could meet.
static void collectSuffixed(StringRef text, StringSet<> &words) {
  auto isWord = [](char c) { return isAlnum(c) || c == '_' || c == '$'; };
  for (size_t at = text.find(kPartSuffix); at != StringRef::npos;
       at = text.find(kPartSuffix, at + 1)) {
    size_t begin = at, end = at;
    while (begin != 0 && isWord(text[begin - 1]))
      --begin;
    while (end != text.size() && isWord(text[end]))
      ++end;
    words.insert(text.slice(begin, end));
  }
}

Error PtxMerger::read(ArrayRef<PtxPart> inputs) {
  for (const PtxPart &input : inputs) {
    Part &part = parts.emplace_back();
    part.path = input.name;
    inputBytes += input.text.size();
    collectSuffixed(input.text, part.suffixed);
    auto statements = parsePtx(input.text, input.name);
    if (!statements)
      return statements.takeError();
    part.statements = std::move(*statements);
    for (auto [index, statement] : enumerate(part.statements))
      if (statement.kind == PtxStatementKind::Variable)
        part.variables[statement.name] = index;
    if (Error error = mergeHeader(part))
      return error;
  }
  return Error::success();
}

/// Returns the tokens of \p text, one space between two, without linkage and
/// alignment.
static std::string normalized(StringRef text) {
  std::string result;
  PtxLexer lexer(text);
  for (PtxToken token = lexer.next(); token.kind != PtxToken::Kind::End;
       token = lexer.next()) {
    if (token.is(".align")) {
      lexer.next();
      continue;
    }
    if (token.is(".visible") || token.is(".weak") || token.is(".common"))
      continue;
    result += token.text;
    result += ' ';
  }
  return result;
}

/// Fills `definitions`, and `taken` with all non-local names.
Error PtxMerger::chooseDefinitions() {
  for (auto [p, part] : enumerate(parts))
    for (auto [s, statement] : enumerate(part.statements)) {
      Place place{p, s};
      if (statement.kind == PtxStatementKind::Section)
        if (Error error = checkSection(place))
          return error;
      if (!statement.isSymbol() || statement.linkage == PtxLinkage::Local)
        continue;
      taken.insert(statement.name);
      if (!statement.isDefinition())
        continue;
      auto [entry, isNew] = definitions.try_emplace(statement.name, place);
      if (isNew)
        continue;
      const PtxStatement &other = at(entry->second);
      bool isWeak = statement.linkage != PtxLinkage::Visible;
      bool otherIsWeak = other.linkage != PtxLinkage::Visible;
      if (!isWeak && !otherIsWeak)
        return fail(place, "'" + statement.name + "' is defined in " +
                               parts[entry->second.part].path + ":" +
                               Twine(other.line) + " too");
      if (normalized(statement.declaration) != normalized(other.declaration))
        return fail(place, "'" + statement.name + "' is defined otherwise in " +
                               parts[entry->second.part].path + ":" +
                               Twine(other.line));
      if (!isWeak)
        entry->second = place;
    }
  return Error::success();
}

/// Fills `declarations` with what the set leaves undefined, once per name.
Error PtxMerger::chooseDeclarations() {
  for (auto [p, part] : enumerate(parts))
    for (auto [s, statement] : enumerate(part.statements)) {
      if (!statement.isSymbol() || statement.linkage != PtxLinkage::Extern ||
          definitions.count(statement.name))
        continue;
      Place place{p, s};
      unsigned &alignment = alignments[statement.name];
      alignment = std::max(alignment, statement.alignment);
      auto [entry, isNew] = declarations.try_emplace(statement.name, place);
      if (!isNew &&
          normalized(at(entry->second).text) != normalized(statement.text))
        return fail(place, "'" + statement.name +
                               "' is declared otherwise in " +
                               parts[entry->second.part].path + ":" +
                               Twine(at(entry->second).line));
    }
  return Error::success();
}

bool PtxMerger::isChosen(size_t part, size_t statement) const {
  const PtxStatement &what = parts[part].statements[statement];
  if (what.linkage == PtxLinkage::Local)
    return true;
  const StringMap<Place> &table =
      what.isDefinition() ? definitions : declarations;
  auto found = table.find(what.name);
  return found != table.end() && found->second.part == part &&
         found->second.statement == statement;
}

//===----------------------------------------------------------------------===//
// Names and file numbers
//===----------------------------------------------------------------------===//

void PtxMerger::addRename(Part &part, size_t index, StringRef name) {
  if (part.renamed.count(name))
    return;
  std::string fresh = name.str();
  for (unsigned attempt = 0; !taken.insert(fresh).second ||
                             (attempt != 0 && part.suffixed.contains(fresh));
       ++attempt) {
    fresh = (name + kPartSuffix + Twine(index)).str();
    if (attempt != 0)
      fresh += "_" + std::to_string(attempt);
  }
  part.renamed[name] = fresh;
}

/// Calls \p visit for each label defined in the section's \p contents.
template <typename Visit>
static void forEachLabel(StringRef contents, Visit visit) {
  PtxLexer lexer(contents);
  PtxToken previous;
  for (PtxToken token = lexer.next(); token.kind != PtxToken::Kind::End;
       token = lexer.next()) {
    if (token.is(":") && previous.isName())
      visit(previous.text);
    previous = token;
  }
}

void PtxMerger::renameLocals() {
  for (auto [index, part] : enumerate(parts)) {
    for (const PtxStatement &statement : part.statements) {
      if (statement.isSymbol() && statement.linkage == PtxLinkage::Local &&
          (!definitions.count(statement.name) || statement.isDefinition()))
        addRename(part, index, statement.name);
      if (statement.kind == PtxStatementKind::Section)
        forEachLabel(statement.argument,
                     [&, index = index, &part = part](StringRef label) {
                       addRename(part, index, label);
                     });
    }
    // Names that could stay as they are need no exchange.
    std::vector<std::string> same;
    for (const auto &entry : part.renamed)
      if (entry.first() == entry.second)
        same.push_back(entry.first().str());
    for (const std::string &name : same)
      part.renamed.erase(name);
  }
}

void PtxMerger::numberFiles() {
  StringMap<unsigned> numbers;
  for (Part &part : parts)
    for (const PtxStatement &statement : part.statements) {
      if (statement.kind != PtxStatementKind::File)
        continue;
      auto [entry, isNew] =
          numbers.try_emplace(statement.argument, files.size() + 1);
      if (isNew)
        files.push_back(statement.argument.str());
      part.fileIndex[statement.fileIndex] = entry->second;
    }
}

/// Returns \p text with the names and file numbers of the result. \p isBody:
/// statements start with opcodes, which look like names.
std::string PtxMerger::rewrite(const Part &part, StringRef text,
                               bool isBody) const {
  std::string result;
  const char *copied = text.begin();
  auto replace = [&](StringRef token, StringRef by) {
    result.append(copied, token.begin());
    result += by;
    copied = token.end();
  };
  PtxLexer lexer(text);
  PtxToken previous;
  bool inBody = false, atOpcode = false, isGuard = false, inLoc = false;
  for (PtxToken token = lexer.next(); token.kind != PtxToken::Kind::End;
       token = lexer.next()) {
    if (inLoc && token.startsLine) {
      inLoc = false;
      atOpcode = true;
    }
    inLoc |= token.is(".loc");
    bool isFileNumber = previous.is(".loc") || previous.is("inlined_at");
    if (token.kind == PtxToken::Kind::Number && isFileNumber) {
      unsigned number = 0;
      auto found = part.fileIndex.end();
      if (!token.text.getAsInteger(10, number))
        found = part.fileIndex.find(number);
      if (found != part.fileIndex.end())
        replace(token.text, std::to_string(found->second));
    } else if (token.isName() && !(inBody && atOpcode && !isGuard)) {
      auto found = part.renamed.find(token.text);
      if (found != part.renamed.end())
        replace(token.text, found->second);
    } else if (token.isName()) {
      // A label looks like an opcode until its colon.
      auto found = part.renamed.find(token.text);
      PtxLexer ahead = lexer;
      if (found != part.renamed.end() && ahead.next().is(":"))
        replace(token.text, found->second);
    }
    if (isBody && token.is("{") && !previous.is("="))
      inBody = true;
    // The next word is an opcode after these, and after a guard (@!%p1).
    if (token.is("@"))
      isGuard = true;
    else if (isGuard && token.isWord())
      isGuard = false;
    else if (!isGuard)
      atOpcode = (token.is("{") && !previous.is("=")) || token.is("}") ||
                 token.is(";") || token.is(":") ||
                 (token.kind == PtxToken::Kind::Punctuation && atOpcode);
    previous = token;
  }
  result.append(copied, text.end());
  return result;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static StringRef linkageWord(PtxLinkage linkage) {
  switch (linkage) {
  case PtxLinkage::Local:
    return "";
  case PtxLinkage::Extern:
    return ".extern ";
  case PtxLinkage::Visible:
    return ".visible ";
  case PtxLinkage::Weak:
    return ".weak ";
  case PtxLinkage::Common:
    return ".common ";
  }
  llvm_unreachable("a linkage that does not exist");
}

/// Writes each prototype once, with the linkage of the definition.
void PtxMerger::writePrototypes(raw_ostream &out) const {
  StringSet<> written;
  for (const Part &part : parts)
    for (const PtxStatement &statement : part.statements) {
      if (statement.kind != PtxStatementKind::FunctionPrototype)
        continue;
      std::string text = rewrite(part, statement.text, /*isBody=*/false);
      auto renamed = part.renamed.find(statement.name);
      StringRef name =
          renamed != part.renamed.end() ? renamed->second : statement.name;
      if (!written.insert(name).second)
        continue;
      auto definition = definitions.find(statement.name);
      if (statement.linkage != PtxLinkage::Local &&
          definition != definitions.end()) {
        StringRef rest = StringRef(text).drop_front(
            linkageWord(statement.linkage).trim().size());
        out << linkageWord(at(definition->second).linkage) << rest.ltrim()
            << '\n';
        continue;
      }
      out << text << '\n';
    }
}

/// Writes the variable at \p place after those that its initializer names.
void PtxMerger::writeVariable(Place place, StringSet<> &written,
                              raw_ostream &out) const {
  const Part &part = parts[place.part];
  const PtxStatement &statement = at(place);
  auto finalName = [&](StringRef name) {
    auto found = part.renamed.find(name);
    return found != part.renamed.end() ? StringRef(found->second) : name;
  };
  if (!written.insert(finalName(statement.name)).second)
    return;
  PtxLexer lexer(statement.initializer);
  for (PtxToken token = lexer.next(); token.kind != PtxToken::Kind::End;
       token = lexer.next()) {
    if (!token.isName())
      continue;
    auto shared = definitions.find(token.text);
    if (shared != definitions.end()) {
      if (at(shared->second).kind == PtxStatementKind::Variable)
        writeVariable(shared->second, written, out);
      continue;
    }
    auto local = part.variables.find(token.text);
    if (local != part.variables.end())
      writeVariable({place.part, local->second}, written, out);
  }
  if (statement.linkage == PtxLinkage::Extern) {
    unsigned alignment = alignments.lookup(statement.name);
    StringRef text = statement.text;
    size_t position = text.find(".align");
    if (alignment != statement.alignment && position != StringRef::npos) {
      StringRef rest = text.substr(position + 6).ltrim();
      out << text.substr(0, position) << ".align " << alignment
          << rest.drop_while([](char c) { return isDigit(c); }) << '\n';
      return;
    }
  }
  out << rewrite(part, statement.text, /*isBody=*/false) << '\n';
}

void PtxMerger::writeVariables(raw_ostream &out) const {
  StringSet<> written;
  for (bool isExtern : {true, false})
    for (auto [p, part] : enumerate(parts))
      for (auto [s, statement] : enumerate(part.statements))
        if (statement.kind == PtxStatementKind::Variable &&
            (statement.linkage == PtxLinkage::Extern) == isExtern &&
            isChosen(p, s))
          writeVariable({p, s}, written, out);
}

void PtxMerger::writeBodies(raw_ostream &out) const {
  for (auto [p, part] : enumerate(parts))
    for (auto [s, statement] : enumerate(part.statements))
      if (statement.kind == PtxStatementKind::FunctionDefinition &&
          isChosen(p, s))
        out << '\n' << rewrite(part, statement.text, /*isBody=*/true) << '\n';
  for (const Part &part : parts)
    for (const PtxStatement &statement : part.statements)
      if (statement.kind == PtxStatementKind::Alias ||
          statement.kind == PtxStatementKind::Pragma)
        out << rewrite(part, statement.text, /*isBody=*/false) << '\n';
}

void PtxMerger::writeDebug(raw_ostream &out) const {
  for (auto [index, arguments] : enumerate(files))
    out << "\t.file\t" << index + 1 << ' ' << arguments << '\n';
  std::string strings;
  bool hasSection = false;
  for (const Part &part : parts)
    for (const PtxStatement &statement : part.statements)
      if (statement.kind == PtxStatementKind::Section) {
        hasSection = true;
        if (!statement.argument.empty())
          strings += rewrite(part, statement.argument, /*isBody=*/false) + "\n";
      }
  if (!strings.empty())
    out << "\t.section\t.debug_str\n\t{\n" << strings << "\t}\n";
  else if (hasSection)
    out << "\t.section\t.debug_loc\t{\t}\n"; // what LLVM writes with .loc
}

Expected<std::string> PtxMerger::write() {
  std::string text;
  text.reserve(inputBytes);
  raw_string_ostream out(text);
  out << ".version " << version << "\n.target " << target << '\n';
  if (!addressSize.empty())
    out << ".address_size " << addressSize << '\n';
  out << '\n';
  writePrototypes(out);
  writeVariables(out);
  writeBodies(out);
  writeDebug(out);
  return text;
}

Expected<std::string> mergePtx(ArrayRef<PtxPart> parts) {
  if (parts.empty())
    return makeError("no PTX to merge");
  PtxMerger merger;
  if (Error error = merger.read(parts))
    return error;
  if (Error error = merger.chooseDefinitions())
    return error;
  if (Error error = merger.chooseDeclarations())
    return error;
  merger.renameLocals();
  merger.numberFiles();
  return merger.write();
}

} // namespace gpulto
