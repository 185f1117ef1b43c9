//===- FrameNames.cpp - Name the frames of a linked program ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   frame                symbol there    row of the call site     name
//   #0 0x1240            f (leads g)     of #1's address: g       g
//   #1 0x1399 (returns)  main            -                        main
//
// A symbol that leads a class has, for every direct call, a row that says which
// function the source called; in a shared body that depends on the member, so
// frames are named from the outermost inward. A row counts only if it belongs
// to the same class: the called function may have continued, by a tail call, to
// the one that is here.
//
// A linker that folds machine code itself (--icf=) leaves several symbols at
// one address: a frame there has the names of all of them, and its callee is
// uncertain. lld and mold leave the rows of one body, gold those of all.
//
// Limits: functions of one class that tail-call each other leave one frame,
// which gets the name of the first. gold removes the symbols of folded
// functions; a frame there has the remaining name.
//
//===----------------------------------------------------------------------===//

#include "lto/tables/FrameNames.h"

#include "lto/host/CallSites.h"
#include "support/BinaryStream.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;

namespace gpulto {

/// Returns \p name without what promotion and cloning add.
static StringRef sourceName(StringRef name) {
  return name.take_front(name.find(".gpulto."));
}

Error FrameNames::readCallSites(StringRef contents,
                                const InputLocation &where) {
  BinaryReader in(contents, where);
  auto row = [&](uint64_t number) {
    auto known = number < kNone ? rowOf.find(static_cast<uint32_t>(number))
                                : rowOf.end();
    if (known == rowOf.end()) {
      in.fail("the table of folds has no number " + Twine(number));
      return kNone;
    }
    return known->second;
  };
  while (!in.atEnd()) {
    uint64_t address = in.u64();
    uint64_t size = in.uleb();
    uint64_t end = in.remaining() - std::min(size, in.remaining());
    if (size > in.remaining())
      in.fail("rows of " + Twine(size) + " bytes go beyond the end");
    Sites group;
    while (!in.failed() && in.remaining() > end) {
      address += in.uleb();
      uint64_t caller = in.uleb();
      Site &site = group[address];
      if (caller == 0)
        site.callee = row(in.uleb());
      else
        site.others.push_back({row(caller - 1), row(in.uleb())});
    }
    if (in.failed())
      break;
    if (in.remaining() != end)
      in.fail("a row goes beyond the end of its group");
    addSites(group);
  }
  return in.finish();
}

/// Adds the calls of one body; those of a body that the linker has folded into
/// another are where that one's are.
void FrameNames::addSites(const Sites &group) {
  for (const auto &[address, site] : group) {
    auto [entry, isNew] = callSites.try_emplace(address, site);
    Site &known = entry->second;
    if (isNew || known == site)
      continue;
    known.isSeveral = true;
    append_range(known.others, site.others);
    known.others.push_back({kNone, site.callee});
  }
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
    if (*type != object::SymbolRef::ST_Function || !size)
      continue;
    Symbol &found = result.symbols[*address];
    found.end = std::max(found.end, *address + size);
    if (!is_contained(found.names, *name))
      found.names.push_back(name->str());
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
    for (const FoldTableMember &member : fold.members) {
      if (member.number != kNone)
        result.rowOf[member.number] = result.rows.size();
      result.rows.push_back({i, member.name, member.state != FoldState::Stays});
    }
  }
  InputLocation place(where.path, where.member);
  place.section = kCallSiteSection.str();
  if (Error error = result.readCallSites(callSites, place))
    return std::move(error);
  return result;
}

/// Returns the names of the function at \p address.
ArrayRef<std::string> FrameNames::symbolsAt(uint64_t address) const {
  auto after = symbols.upper_bound(address);
  if (after == symbols.begin())
    return {};
  const Symbol &symbol = std::prev(after)->second;
  if (address >= symbol.end)
    return {};
  return symbol.names;
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
  bool isKnown =
      !site.isSeveral &&
      (site.others.empty() ||
       (!callers.empty() &&
        rows[callers.front()].fold == rows[site.others.front().first].fold));
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

/// Returns the classes whose body \p symbol enters.
std::vector<size_t> FrameNames::classesOf(StringRef symbol) const {
  std::vector<size_t> result;
  auto [first, last] = classOf.equal_range(sourceName(symbol).str());
  for (auto &[leader, fold] : make_range(first, last))
    result.push_back(fold);
  return result;
}

/// Returns those of the rows \p called that a frame of one of \p symbols may
/// be.
FrameNames::RowNumbers FrameNames::rowsCalled(ArrayRef<std::string> symbols,
                                              ArrayRef<uint32_t> called) const {
  RowNumbers result;
  for (const std::string &symbol : symbols)
    for (size_t fold : classesOf(symbol))
      for (uint32_t row : called)
        if (rows[row].fold == fold)
          result.push_back(row);
  return result;
}

/// Returns all rows that a frame of \p symbol may be. None: its body is not
/// shared.
FrameNames::RowNumbers FrameNames::rowsShared(StringRef symbol) const {
  RowNumbers result;
  for (size_t fold : classesOf(symbol))
    for (auto [i, row] : enumerate(rows))
      if (row.fold == fold && row.isShared)
        result.push_back(i);
  return result;
}

/// Returns the kernel of the stub \p name: clang puts a prefix before the last
/// part of its name. Empty if it is not a stub.
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
  auto add = [&](StringRef name) {
    if (std::string kernel = kernelOfStub(name); !kernel.empty())
      result.push_back(std::move(kernel));
  };
  ArrayRef<std::string> stubs = symbolsAt(address);
  for (const std::string &stub : stubs)
    for (size_t fold : classesOf(stub))
      for (const FoldTableMember &member : folds.classes[fold].members)
        if (member.state != FoldState::Stays)
          add(member.name);
  if (result.empty())
    for (const std::string &stub : stubs)
      add(sourceName(stub));
  return result;
}

/// Returns whether \p symbols, at one address, are of several functions: the
/// linker has folded them. The C1 and C2 of a constructor are not.
static bool areFolded(ArrayRef<std::string> symbols) {
  return symbols.size() > 1 &&
         any_of(symbols.drop_front(), [&](const std::string &symbol) {
           return demangle(symbol) != demangle(symbols.front());
         });
}

std::vector<FrameName> FrameNames::name(ArrayRef<uint64_t> addresses) const {
  std::vector<FrameName> result(addresses.size());
  RowNumbers callers; // of the frame that was looked at before
  bool isSureOfCaller = false;
  for (size_t i = addresses.size(); i-- > 0;) {
    RowNumbers called;
    // The rows of a body that the linker has folded away are gone.
    if (const Site *site = isSureOfCaller ? siteAt(addresses[i + 1]) : nullptr)
      called = calleesAt(*site, callers);
    // A call may be the last instruction of its function.
    ArrayRef<std::string> symbols =
        symbolsAt(i ? addresses[i] - 1 : addresses[i]);
    isSureOfCaller = i && !areFolded(symbols);
    auto add = [&](StringRef name) {
      if (!is_contained(result[i], name))
        result[i].push_back(name.str());
    };
    callers = rowsCalled(symbols, called);
    for (uint32_t row : callers)
      add(rows[row].name);
    if (!callers.empty())
      continue;
    for (const std::string &symbol : symbols) {
      RowNumbers shared = rowsShared(symbol);
      for (uint32_t row : shared)
        add(rows[row].name);
      if (shared.empty())
        add(sourceName(symbol));
      append_range(callers, shared);
    }
  }
  return result;
}

} // namespace gpulto
