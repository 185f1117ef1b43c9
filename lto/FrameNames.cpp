//===- FrameNames.cpp - Name the frames of a linked program ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   frame                symbol there    row of the call site     name
//   #0 0x1240            f (leads g)     of #1's address: g       g
//   #1 0x1399 (returns)  main            -                        main
//
// A symbol that leads a class has, for every direct call, a row that says whom
// the source called; in a shared body that depends on which member it is, so
// frames are named from the outermost on. A row counts only if it is of the
// same class: the function that was called may have jumped on, by a tail call,
// to the one that is here.
//
// Limit: functions of one class that tail-call each other leave one frame,
// which gets the name of the first.
//
//===----------------------------------------------------------------------===//

#include "lto/FrameNames.h"

#include "lto/CallSites.h"
#include "support/BinaryStream.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;

namespace gpulto {

/// Returns \p name without what promotion and cloning add.
static StringRef sourceName(StringRef name) {
  name = name.take_front(name.find(".gpulto."));
  size_t clone = name.rfind(".cp");
  if (clone != StringRef::npos && clone + 3 < name.size() &&
      all_of(name.drop_front(clone + 3), isDigit))
    name = name.take_front(clone);
  return name;
}

Error FrameNames::readCallSites(StringRef contents,
                                const InputLocation &where) {
  BinaryReader in(contents, where);
  auto row = [&](uint64_t number) {
    if (number >= rows.size())
      in.fail("number " + Twine(number) + " of a fold, there are " +
              Twine(rows.size()));
    return static_cast<uint32_t>(number);
  };
  while (!in.atEnd()) {
    uint64_t address = in.u64();
    uint64_t size = in.uleb();
    uint64_t end = in.remaining() - std::min(size, in.remaining());
    if (size > in.remaining())
      in.fail("rows of " + Twine(size) + " bytes go beyond the end");
    while (!in.failed() && in.remaining() > end) {
      address += in.uleb();
      uint64_t caller = in.uleb();
      Site &site = callSites[address];
      if (caller == 0)
        site.callee = row(in.uleb());
      else
        site.others.push_back({row(caller - 1), row(in.uleb())});
    }
    if (in.failed())
      break;
    if (in.remaining() != end)
      in.fail("a row goes beyond the end of its group");
  }
  return in.finish();
}

Expected<FrameNames> FrameNames::read(MemoryBufferRef file,
                                      const InputLocation &where) {
  auto object = object::ObjectFile::createELFObjectFile(file);
  if (!object)
    return inputError(where, toString(object.takeError()));
  FrameNames result;
  for (const object::SymbolRef &symbol : (*object)->symbols()) {
    Expected<object::SymbolRef::Type> type = symbol.getType();
    Expected<StringRef> name = symbol.getName();
    Expected<uint64_t> address = symbol.getAddress();
    if (Error error = joinErrors(joinErrors(type.takeError(), name.takeError()),
                                 address.takeError()))
      return inputError(where, toString(std::move(error)));
    uint64_t size = object::ELFSymbolRef(symbol).getSize();
    if (*type == object::SymbolRef::ST_Function && size)
      result.symbols.try_emplace(*address,
                                 Symbol{*address + size, name->str()});
  }
  StringRef callSites;
  for (const object::SectionRef &section : (*object)->sections()) {
    Expected<StringRef> name = section.getName();
    Expected<StringRef> contents = section.getContents();
    if (Error error = joinErrors(name.takeError(), contents.takeError()))
      return inputError(where, toString(std::move(error)));
    InputLocation place(where.path, where.member);
    place.section = name->str();
    if (*name == kCallSiteSection)
      callSites = *contents;
    if (*name != kFoldSection)
      continue;
    Expected<FoldTable> table = decodeFoldTable(*contents, place);
    if (!table)
      return table.takeError();
    result.folds = std::move(*table);
  }
  for (auto [i, fold] : enumerate(result.folds.classes)) {
    if (fold.arch.empty())
      result.classOf.insert({fold.members.front().name, i});
    for (const FoldTableMember &member : fold.members)
      result.rows.push_back({i, member.name, member.state != FoldState::Stays});
  }
  InputLocation place(where.path, where.member);
  place.section = kCallSiteSection.str();
  if (Error error = result.readCallSites(callSites, place))
    return std::move(error);
  return result;
}

const std::string *FrameNames::symbolAt(uint64_t address) const {
  auto after = symbols.upper_bound(address);
  if (after == symbols.begin())
    return nullptr;
  const Symbol &symbol = std::prev(after)->second;
  return address < symbol.end ? &symbol.name : nullptr;
}

/// Returns the call that returns to \p address, or null. Sanitizers show the
/// byte before; no call is so short that this could be another one's.
const FrameNames::Site *FrameNames::siteAt(uint64_t address) const {
  for (uint64_t returned : {address, address + 1})
    if (auto site = callSites.find(returned); site != callSites.end())
      return &site->second;
  return nullptr;
}

/// Returns what \p site may call; \p callers: the rows that its frame may be,
/// none when it is in a body that is not shared.
FrameNames::RowNumbers FrameNames::calleesAt(const Site &site,
                                             ArrayRef<uint32_t> callers) const {
  SmallSetVector<uint32_t, 4> result;
  auto add = [&](uint32_t row) { // a set cannot hold kNone
    if (row != kNone)
      result.insert(row);
  };
  // A shared body that has been inlined does not tell who it is.
  bool isKnown = site.others.empty() ||
                 (!callers.empty() && rows[callers.front()].fold ==
                                          rows[site.others.front().first].fold);
  if (!isKnown || callers.empty()) {
    add(site.callee);
    for (auto [caller, callee] : site.others)
      add(callee);
  }
  for (uint32_t caller : isKnown ? callers : ArrayRef<uint32_t>()) {
    auto other = find_if(
        site.others, [&](const auto &pair) { return pair.first == caller; });
    add(other == site.others.end() ? site.callee : other->second);
  }
  return result.takeVector();
}

/// Returns the rows that a frame of \p symbol may be; \p called: what its
/// caller may have called. None: the body is not shared.
FrameNames::RowNumbers FrameNames::rowsOf(const std::string &symbol,
                                          ArrayRef<uint32_t> called) const {
  RowNumbers result;
  auto [first, last] = classOf.equal_range(sourceName(symbol).str());
  for (auto &[leader, fold] : make_range(first, last))
    for (uint32_t row : called)
      if (rows[row].fold == fold)
        result.push_back(row);
  if (!result.empty())
    return result;
  for (auto &[leader, fold] : make_range(first, last))
    for (auto [i, row] : enumerate(rows))
      if (row.fold == fold && row.isShared)
        result.push_back(i);
  return result;
}

/// Returns the kernel of the stub \p name: clang puts a prefix before the last
/// part of its name. Empty: it is no stub.
static std::string kernelOfStub(StringRef name) {
  constexpr StringLiteral kPrefix = "__device_stub__";
  size_t at = name.find(kPrefix);
  if (at == StringRef::npos)
    return "";
  StringRef before = name.take_front(at);
  StringRef digits = before.drop_front(before.rtrim("0123456789").size());
  std::string length;
  unsigned bytes;
  if (!digits.getAsInteger(10, bytes) && bytes > kPrefix.size())
    length = std::to_string(bytes - kPrefix.size());
  return (before.drop_back(digits.size()) + length +
          name.drop_front(at + kPrefix.size()))
      .str();
}

FrameName FrameNames::kernelsNamed(StringRef name) const {
  FrameName result{name.str()};
  for (const FoldTableClass &fold : folds.classes)
    if (!fold.arch.empty() &&
        any_of(fold.members, [&](const auto &m) { return m.name == name; }))
      for (const FoldTableMember &member : fold.members)
        if (!is_contained(result, member.name))
          result.push_back(member.name);
  return result;
}

FrameName FrameNames::kernelsOfHandle(uint64_t address) const {
  FrameName result;
  const std::string *symbol = symbolAt(address);
  if (!symbol)
    return result;
  std::string stub = sourceName(*symbol).str();
  auto add = [&](StringRef name) {
    if (std::string kernel = kernelOfStub(name); !kernel.empty())
      result.push_back(std::move(kernel));
  };
  auto [first, last] = classOf.equal_range(stub);
  for (auto &[leader, fold] : make_range(first, last))
    for (const FoldTableMember &member : folds.classes[fold].members)
      if (member.state != FoldState::Stays)
        add(member.name);
  if (result.empty())
    add(stub);
  return result;
}

std::vector<FrameName> FrameNames::name(ArrayRef<uint64_t> addresses) const {
  std::vector<FrameName> result(addresses.size());
  RowNumbers callers; // of the frame that was looked at before
  for (size_t i = addresses.size(); i-- > 0;) {
    RowNumbers called;
    if (i + 1 < addresses.size())
      if (const Site *site = siteAt(addresses[i + 1]))
        called = calleesAt(*site, callers);
    callers.clear();
    // A call may be the last instruction of its function.
    const std::string *symbol = symbolAt(i ? addresses[i] - 1 : addresses[i]);
    if (!symbol)
      continue;
    callers = rowsOf(*symbol, called);
    for (uint32_t row : callers)
      result[i].push_back(rows[row].name);
    if (callers.empty())
      result[i].push_back(sourceName(*symbol).str());
  }
  return result;
}

} // namespace gpulto
