//===- AccessReport.cpp - Access instructions of a program ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/AccessReport.h"

#include "emulator/machine/JsonText.h"

namespace gpulto::emu {

static const char *const kSpaceNames[] = {"global", "shared", "local", "const"};
static_assert(std::size(kSpaceNames) == kAccessSpaces);
static const char *const kGroupNames[] = {"full", "partial", "last_full",
                                          "last_partial"};
static_assert(std::size(kGroupNames) == kAccessGroups);

static const char *kindOf(FlowKind kind, const Insn &insn) {
  switch (kind) {
  case FlowKind::Atomic:
    return "atomic";
  case FlowKind::AsyncCopy:
    return "async_copy";
  case FlowKind::BulkCopy:
    return "bulk_copy";
  default:
    return insn.flags & kIsStore ? "store" : "load";
  }
}

static unsigned sizeOf(FlowKind kind, const Insn &insn) {
  constexpr unsigned kRowBytes = 16;
  return kind == FlowKind::MatrixRows ? kRowBytes
         : kind == FlowKind::BulkCopy ? 0 // It is in a register.
                                      : insn.bytes * insn.vec;
}

static std::string placeText(const Function &fn, const SourcePlace &p) {
  return (*fn.files)[p.file] + ":" + std::to_string(p.line) + ":" +
         std::to_string(p.column);
}

/// The members about the source: the innermost place, the function inlined
/// there, and the place in the function of PTX where all of it was inlined.
static std::string sourceOf(const Function &fn, uint32_t place) {
  auto isKnown = [&](const SourcePlace &p) {
    return p.file && p.file < fn.files->size();
  };
  const SourcePlace &inner = fn.places[place];
  if (!isKnown(inner))
    return "";
  std::string out = ", \"source\": " + quoted(placeText(fn, inner));
  if (!inner.function.empty())
    out += ", \"source_function\": " + quoted(inner.function);
  const SourcePlace *outer = &inner;
  while (outer->inlinedAt)
    outer = &fn.places[outer->inlinedAt];
  if (outer != &inner && isKnown(*outer))
    out += ", \"inlined_at\": " + quoted(placeText(fn, *outer));
  return out;
}

static std::string describe(const Function &fn, size_t pc, AccessSpace space) {
  const Insn &insn = fn.code[pc];
  const InsnInfo &info = fn.info[pc];
  FlowKind kind = fn.flows[pc].kind;
  return "\"ptx\": " +
         quoted(*fn.sourceName + ":" + std::to_string(info.line)) +
         ", \"instruction\": " + quoted(fn.texts[info.text]) +
         sourceOf(fn, info.place) +
         ",\n     \"space\": " + quoted(kSpaceNames[space]) +
         ", \"kind\": " + quoted(kindOf(kind, insn)) + ", " +
         number("size", sizeOf(kind, insn));
}

void AccessReport::add(const Launch &launch, const AccessTable &table,
                       const std::vector<const Function *> &functions) {
  for (size_t f = 0; f < table.size(); ++f) {
    for (size_t k = 0; k < table[f].size(); ++k) {
      if (!table[f][k])
        continue;
      const Function &fn = *functions[f];
      size_t pc = k / kAccessSpaces;
      AccessSpace space = static_cast<AccessSpace>(k % kAccessSpaces);
      Row &row = rows[{launch.kernel->name,
                       {launch.block[0], launch.block[1], launch.block[2]},
                       fn.name,
                       *fn.sourceName,
                       pc,
                       space}];
      if (!row.launches++)
        row.about = describe(fn, pc, space);
      addRow(row.counts, *table[f][k]);
    }
  }
}

static std::string sumsText(const AccessSums &s, AccessSpace space) {
  std::string out =
      number("requests", s.requests) + ", " + number("lanes", s.lanes) + ", " +
      number("tainted", s.tainted) + ", " + number("chosen", s.chosen);
  if (space == kAccessShared)
    return out + ", " + number("bank_conflicts", s.conflicts) + ", " +
           number("max_bank_conflicts", s.maxConflicts);
  out += ", " + number("sectors", s.sectors) + ", " +
         number("ideal_sectors", s.idealSectors) + ", " +
         number("min_sectors", s.minSectors) + ", " +
         number("max_sectors", s.maxSectors) + ", " +
         number("over_ideal", s.overIdeal) + ", " + number("lines", s.lines) +
         ", " + number("several_lines", s.severalLines);
  return space == kAccessConst ? out + ", " + number("replays", s.conflicts)
                               : out;
}

std::string AccessReport::json() const {
  std::string out;
  const char *comma = "\n";
  for (const auto &[key, row] : rows) {
    out += std::string(comma) + "    {\"kernel\": " + quoted(key.kernel) +
           ", \"block\": " + dimensions(key.block.data()) + ", " +
           number("launches", row.launches) +
           ", \"function\": " + quoted(key.function) + ",\n     " + row.about;
    for (unsigned g = 0; g < kAccessGroups; ++g)
      if (row.counts.groups[g].requests)
        out += std::string(",\n     \"") + kGroupNames[g] + "\": {" +
               sumsText(row.counts.groups[g], key.space) + "}";
    out += "}";
    comma = ",\n";
  }
  return out;
}

} // namespace gpulto::emu
