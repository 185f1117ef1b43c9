//===- InlineTable.cpp - A program's table of inlining --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/tables/InlineTable.h"

#include "lto/tables/ProgramTable.h"
#include "summary/Remarks.h"
#include "support/BinaryStream.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <numeric>

using namespace llvm;

namespace gpulto {

/// Begins the section; the digit is the version.
static constexpr StringLiteral kMagic = "GIN3";

uint64_t InlineTable::callCount() const {
  return std::accumulate(counts.begin(), counts.end(), uint64_t(0));
}

InlineTable makeInlineTable(const WpaContext &context,
                            ArrayRef<InlineOutcome> outcomes) {
  InlineTable table;
  for (const InlineOutcome &outcome : outcomes)
    ++table.counts[static_cast<size_t>(outcome.verdict)];
  if (outcomes.size() > context.params.inlineTableCalls)
    return table;
  const CombinedSummary &program = context.program;
  table.calls.reserve(outcomes.size());
  for (const InlineOutcome &outcome : outcomes) {
    InlineTableCall &call = table.calls.emplace_back(InlineTableCall{
        program.symbol(outcome.caller).name.str(),
        program.symbol(outcome.callee).name.str(),
        locationOf(program, outcome.caller, outcome.place).file, outcome});
    call.outcome.caller = call.outcome.callee = kNone;
    call.outcome.place.file = 0;
  }
  return table;
}

namespace {
/// Numbers strings in the order of their first use.
class Strings {
public:
  uint64_t numberOf(StringRef text) {
    auto [place, isNew] = numbers.try_emplace(text, list.size());
    if (isNew)
      list.push_back(place->first());
    return place->second;
  }
  void write(BinaryWriter &out) const {
    out.uleb(list.size());
    for (StringRef text : list)
      out.string(text);
  }

private:
  StringMap<uint64_t> numbers;
  std::vector<StringRef> list;
};

enum CallBits : uint8_t { kOnlyUse = 1, kForced = 2, kCallBits = 2 };
} // namespace

std::string encodeInlineTable(const InlineTable &table) {
  BinaryWriter calls;
  Strings strings;
  for (const InlineTableCall &call : table.calls) {
    const InlineOutcome &outcome = call.outcome;
    for (const std::string *text : {&call.caller, &call.callee, &call.file})
      calls.uleb(strings.numberOf(*text));
    calls.uleb(outcome.place.line);
    calls.uleb(outcome.place.column);
    calls.enumerator(outcome.verdict);
    calls.uleb((outcome.isOnlyUse ? kOnlyUse : 0) |
               (outcome.isForced ? kForced : 0));
    calls.uleb(outcome.frequency);
    calls.uleb(outcome.saved);
    calls.uleb(outcome.constantGain);
    calls.sleb(outcome.growth);
    calls.uleb(outcome.allowed);
    calls.uleb(outcome.copies);
    calls.uleb(outcome.depth);
  }
  BinaryWriter rows;
  for (uint64_t count : table.counts)
    rows.uleb(count);
  strings.write(rows);
  rows.uleb(table.calls.size());
  rows.bytes(calls.str());
  return packTable(kMagic, rows.str());
}

Expected<InlineTable> decodeInlineRows(StringRef rows,
                                       const InputLocation &where) {
  BinaryReader in(rows, where);
  InlineTable table;
  for (uint64_t &count : table.counts)
    count = in.uleb();
  std::vector<StringRef> strings(in.count());
  for (StringRef &text : strings)
    text = in.string();
  auto text = [&] {
    uint64_t number = in.uleb();
    if (number < strings.size())
      return strings[number].str();
    in.fail("no string " + Twine(number));
    return std::string();
  };
  constexpr uint64_t kFields = 14; // of at least a byte
  table.calls.resize(in.count(kFields));
  for (InlineTableCall &call : table.calls) {
    InlineOutcome &outcome = call.outcome;
    call.caller = text();
    call.callee = text();
    call.file = text();
    outcome.place.line = in.uleb32();
    uint32_t column = in.uleb32();
    if (column > UINT16_MAX)
      in.fail("no column of a line");
    outcome.place.column = static_cast<uint16_t>(column);
    outcome.verdict = in.enumerator(InlineVerdict::Last);
    uint64_t bits = in.uleb();
    if (bits >> kCallBits)
      in.fail("unknown marks of a call");
    outcome.isOnlyUse = bits & kOnlyUse;
    outcome.isForced = bits & kForced;
    outcome.frequency = in.uleb32();
    outcome.saved = in.uleb();
    outcome.constantGain = in.uleb32();
    outcome.growth = in.sleb();
    outcome.allowed = in.uleb();
    outcome.copies = in.uleb32();
    outcome.depth = in.uleb32();
    if (in.failed())
      break;
  }
  if (Error error = in.finish())
    return std::move(error);
  return table;
}

Expected<InlineTable> decodeInlineTable(StringRef bytes,
                                        const InputLocation &where) {
  Expected<std::string> rows = unpackTable(kMagic, "inlining", bytes, where);
  if (!rows)
    return rows.takeError();
  return decodeInlineRows(*rows, where);
}

Expected<InlineTable> readInlineTable(MemoryBufferRef file,
                                      const InputLocation &where) {
  auto found =
      requireTable(file, kInlineSection, "there was nothing to decide", where);
  if (!found)
    return found.takeError();
  return decodeInlineTable(found->bytes, found->where);
}

} // namespace gpulto
