//===- Counters.cpp - Performance counters --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an access costs is in Sectors.cpp. Here it is added up by launch and by
// line; Accesses.cpp has the rows of single instructions.
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/Counters.h"

#include "emulator/machine/DeviceImpl.h"
#include "emulator/machine/JsonText.h"
#include "emulator/machine/Sectors.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace gpulto::emu {

static const char *const kClassNames[] = {
    "integer",      "float32",     "float64",      "half",   "move",
    "convert",      "compare",     "branch",       "call",   "load_global",
    "store_global", "load_shared", "store_shared", "local",  "load_constant",
    "param",        "generic",     "texture",      "atomic", "barrier",
    "warp",         "matrix",      "special",      "fence",  "other"};
static_assert(std::size(kClassNames) == static_cast<size_t>(InsnClass::Count));

static AccessMemo &memoOf(std::vector<AccessMemo> &memos, const Insn &insn) {
  if (memos.empty())
    memos.resize(kMemoCount);
  return memos[memoIndex(insn)];
}

void countGlobal(Warp &w, const Insn &insn, uint32_t mask,
                 const uint64_t *addresses, unsigned bytes) {
  InsnCounts &c = w.counts[&insn - w.frame->fn->code.data()];
  if (bytes > kSectorBytes) { // A bulk copy, of one lane.
    uint64_t a = addresses[__builtin_ctz(mask)];
    ++c.accesses;
    c.bytes += bytes;
    c.sectors += (a + bytes - 1) / kSectorBytes - a / kSectorBytes + 1;
    c.idealSectors += (bytes + kSectorBytes - 1) / kSectorBytes;
    return;
  }
  // Lanes whose generic address is one of shared or local memory do not count.
  uint64_t windows = w.block->launch->sharedWindow;
  uint64_t distinct[kLanes];
  size_t lanes = 0;
  for (uint32_t r = mask; r; r &= r - 1) {
    uint64_t a = addresses[__builtin_ctz(r)];
    if (a - windows >= kWindowCount * kWindowBytes)
      distinct[lanes++] = a;
  }
  if (!lanes)
    return;
  ++c.accesses;
  c.bytes += lanes * bytes;
  AccessMemo probe;
  probe.insn = &insn;
  bool isWhole = lanes == static_cast<size_t>(__builtin_popcount(mask)) &&
                 describeAccess(mask, addresses, kSectorBytes, probe);
  AccessMemo &memo = memoOf(w.worker->globalMemos, insn);
  if (!isWhole || !isLike(memo, probe)) {
    probe.counts[0] = unitsTouched(distinct, lanes, bytes, kSectorBytes);
    probe.counts[1] = idealSectors(distinctOf(distinct, lanes), bytes);
    if (!isWhole) {
      c.sectors += probe.counts[0];
      c.idealSectors += probe.counts[1];
      return;
    }
    memo = probe;
  }
  c.sectors += memo.counts[0];
  c.idealSectors += memo.counts[1];
}

void countShared(Warp &w, const Insn &insn, uint32_t mask,
                 const uint32_t *offsets, unsigned bytes) {
  InsnCounts &c = w.counts[&insn - w.frame->fn->code.data()];
  ++c.accesses;
  c.sharedBytes += static_cast<uint64_t>(__builtin_popcount(mask)) * bytes;
  if (bytes > 4 * kBankBytes) // A bulk copy.
    return;
  // To move all lanes by whole words turns the banks, and nothing else.
  AccessMemo probe;
  probe.insn = &insn;
  describeAccess(mask, offsets, kBankBytes, probe);
  AccessMemo &memo = memoOf(w.worker->sharedMemos, insn);
  if (!isLike(memo, probe)) {
    probe.counts[0] = conflictsOf(mask, offsets, bytes);
    memo = probe;
  }
  c.bankConflicts += memo.counts[0];
}

void countWindows(Warp &w, const Insn &insn, uint32_t mask,
                  const uint64_t *addresses, unsigned bytes) {
  const Launch &launch = *w.block->launch;
  uint32_t offsets[kLanes] = {}, shared = 0, local = 0;
  for (uint32_t r = mask; r; r &= r - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(r));
    uint64_t offset = addresses[l] - launch.sharedWindow;
    if (offset < launch.sharedBytes && offset + bytes <= launch.sharedBytes) {
      offsets[l] = static_cast<uint32_t>(offset);
      shared |= 1u << l;
    } else if (addresses[l] - launch.localWindow < kWindowBytes) {
      ++local;
    }
  }
  if (shared)
    countShared(w, insn, shared, offsets, bytes);
  w.counts[&insn - w.frame->fn->code.data()].localBytes +=
      static_cast<uint64_t>(local) * bytes;
}

void addCounts(InsnCounts &to, const InsnCounts &from) {
  to.warps += from.warps;
  to.threads += from.threads;
  to.divergent += from.divergent;
  to.accesses += from.accesses;
  to.sectors += from.sectors;
  to.idealSectors += from.idealSectors;
  to.bytes += from.bytes;
  to.sharedBytes += from.sharedBytes;
  to.bankConflicts += from.bankConflicts;
  to.localBytes += from.localBytes;
}

/// Bytes by space and direction. A copy between spaces reads the one and writes
/// the other.
void Counters::addBytes(LaunchCounts &l, const Insn &insn,
                        const InsnCounts &c) {
  bool isStore = insn.flags & kIsStore;
  bool isShared = insn.space == Space::Shared;
  uint64_t local = c.localBytes;
  if (insn.space == Space::Local)
    local += c.threads * insn.bytes * insn.vec;
  (isStore && !isShared ? l.bytesWritten : l.bytesRead)[0] += c.bytes;
  bool toGlobal = insn.space == Space::Global;
  (isStore && !toGlobal ? l.bytesWritten : l.bytesRead)[1] += c.sharedBytes;
  (isStore ? l.bytesWritten : l.bytesRead)[2] += local;
}

void Counters::addLaunch(const Launch &launch, uint32_t registers,
                         const std::vector<std::vector<InsnCounts>> &counts,
                         const std::vector<const Function *> &functions,
                         uint64_t barriers) {
  LaunchCounts l;
  l.kernel = launch.kernel->name;
  l.device = launch.device->ordinal();
  for (unsigned k = 0; k < 3; ++k) {
    l.grid[k] = launch.grid[k];
    l.block[k] = launch.block[k];
  }
  l.shared = launch.sharedBytes;
  l.registers = registers;
  l.barriers = barriers;
  for (size_t f = 0; f < counts.size(); ++f) {
    if (counts[f].empty())
      continue;
    const Function &fn = *functions[f];
    for (size_t pc = 0; pc < counts[f].size(); ++pc) {
      const InsnCounts &c = counts[f][pc];
      const Insn &insn = fn.code[pc];
      if (!c.warps)
        continue;
      addCounts(l.total, c);
      addCounts(l.classes[static_cast<size_t>(insn.cls)], c);
      addBytes(l, insn, c);
      LineCounts *line = nullptr;
      if (c.sectors || c.bankConflicts)
        line = &l.lines[{*fn.sourceName, fn.info[pc].line}];
      if (!line)
        continue;
      addCounts(line->counts, c);
      const InsnInfo &info = fn.info[pc];
      if (info.file && info.file < fn.files->size())
        line->source =
            (*fn.files)[info.file] + ":" + std::to_string(info.sourceLine);
    }
  }
  for (const auto &[where, line] : l.lines) {
    const InsnCounts &c = line.counts;
    l.uncoalesced +=
        c.sectors > c.idealSectors ? c.sectors - c.idealSectors : 0;
  }
  std::lock_guard lock(mutex);
  launches.push_back(std::move(l));
}

void Counters::addCopy(CopyDirection direction, uint64_t bytes,
                       bool isRedundant) {
  std::lock_guard lock(mutex);
  CopyCounts &c = copies[static_cast<size_t>(direction)];
  ++c.copies;
  c.bytes += bytes;
  c.redundantCopies += isRedundant;
  c.redundantBytes += isRedundant ? bytes : 0;
  if (!isRedundant || !bytes)
    return;
  RedundantCopies &r = redundant[{static_cast<unsigned>(direction), bytes}];
  if (r.copies++)
    return;
  for (const CopyCounts &of : copies)
    r.first += of.copies;
  r.launches = launches.size();
}

static std::string ratio(const char *name, uint64_t a, uint64_t b) {
  char text[64];
  snprintf(text, sizeof(text), "\"%s\": %.4f", name,
           b ? static_cast<double>(a) / static_cast<double>(b) : 0.0);
  return text;
}

/// The beginning of an object about a line.
static std::string placeOf(const std::pair<std::string, uint32_t> &where,
                           const std::string &source) {
  std::string out = "       {\"ptx\": " +
                    quoted(where.first + ":" + std::to_string(where.second));
  if (!source.empty())
    out += ", \"source\": " + quoted(source);
  return out + ", ";
}

/// The members of a launch that are numbers.
std::string Counters::totals(const LaunchCounts &l) {
  const InsnCounts &branches =
      l.classes[static_cast<size_t>(InsnClass::Branch)];
  return number("shared_bytes", l.shared) + ", " +
         number("registers", l.registers) + ",\n     " +
         number("warp_instructions", l.total.warps) + ", " +
         number("thread_instructions", l.total.threads) + ", " +
         ratio("simd_efficiency", l.total.threads, l.total.warps * kLanes) +
         ",\n     " + number("branches", branches.warps) + ", " +
         number("divergent_branches", l.total.divergent) + ", " +
         number("barriers", l.barriers) + ",\n     " +
         number("global_sectors", l.total.sectors) + ", " +
         number("ideal_global_sectors", l.total.idealSectors) + ", " +
         number("uncoalesced_sectors", l.uncoalesced) + ", " +
         number("shared_bank_conflicts", l.total.bankConflicts);
}

std::string Counters::bytesBySpace(const LaunchCounts &l) {
  std::string out;
  const char *comma = "";
  for (unsigned s = 0; const char *space : {"global", "shared", "local"}) {
    std::string name = space;
    out += comma + number((name + "_read").c_str(), l.bytesRead[s]) + ", " +
           number((name + "_written").c_str(), l.bytesWritten[s]);
    comma = ", ";
    ++s;
  }
  return out;
}

std::string Counters::classCounts(const LaunchCounts &l) {
  std::string out;
  const char *comma = "";
  for (size_t k = 0; k < std::size(kClassNames); ++k) {
    if (!l.classes[k].warps)
      continue;
    out += comma + quoted(kClassNames[k]) + ": {" +
           number("warps", l.classes[k].warps) + ", " +
           number("threads", l.classes[k].threads) + "}";
    comma = ", ";
  }
  return out;
}

/// The lines of a launch of which \p describe says something.
std::string
Counters::linesOf(const LaunchCounts &l,
                  std::string (*describe)(const InsnCounts &counts)) {
  std::string out;
  const char *comma = "\n";
  for (const auto &[where, line] : l.lines) {
    std::string text = describe(line.counts);
    if (text.empty())
      continue;
    out += comma + placeOf(where, line.source) +
           number("accesses", line.counts.accesses) + ", " + text + "}";
    comma = ",\n";
  }
  return out;
}

static std::string uncoalesced(const InsnCounts &c) {
  if (c.sectors <= c.idealSectors)
    return "";
  return number("sectors", c.sectors) + ", " + number("ideal", c.idealSectors);
}

static std::string bankConflicts(const InsnCounts &c) {
  return c.bankConflicts ? number("conflicts", c.bankConflicts) : "";
}

std::string Counters::launch(const LaunchCounts &l) {
  return "    {\"kernel\": " + quoted(l.kernel) +
         (l.device ? ", " + number("device", l.device) : "") +
         ", \"grid\": " + dimensions(l.grid) +
         ", \"block\": " + dimensions(l.block) + ",\n     " + totals(l) +
         ",\n     \"bytes\": {" + bytesBySpace(l) + "},\n     \"classes\": {" +
         classCounts(l) + "},\n     \"uncoalesced\": [" +
         linesOf(l, uncoalesced) + "],\n     \"bank_conflicts\": [" +
         linesOf(l, bankConflicts) + "]}";
}

/// By CopyDirection.
static const char *const kDirections[] = {"host_to_device", "device_to_host",
                                          "device_to_device", "host_to_host"};

std::string Counters::copyCounts() const {
  std::string out;
  const char *comma = "\n";
  for (unsigned d = 0; d < std::size(kDirections); ++d) {
    const CopyCounts &c = copies[d];
    out += std::string(comma) + "    \"" + kDirections[d] + "\": {" +
           number("copies", c.copies) + ", " + number("bytes", c.bytes) + ", " +
           number("redundant_copies", c.redundantCopies) + ", " +
           number("redundant_bytes", c.redundantBytes) + "}";
    comma = ",\n";
  }
  return out;
}

std::string Counters::redundantCopies() const {
  std::string out;
  const char *comma = "\n";
  for (const auto &[what, r] : redundant) {
    out += std::string(comma) + "    {\"direction\": \"" +
           kDirections[what.first] + "\", " + number("bytes", what.second) +
           ", " + number("copies", r.copies) + ", " +
           number("first_copy", r.first) + ", " +
           number("launches_before", r.launches) + "}";
    comma = ",\n";
  }
  return out;
}

void Counters::addAccesses(const Launch &launch, const AccessTable &table,
                           const std::vector<const Function *> &functions) {
  std::lock_guard lock(mutex);
  accesses.add(launch, table, functions);
}

std::string Counters::json(bool hasAccesses) const {
  std::lock_guard lock(mutex);
  std::string out = "{\n  \"launches\": [";
  const char *comma = "\n";
  for (const LaunchCounts &l : launches) {
    out += comma + launch(l);
    comma = ",\n";
  }
  return out + "\n  ],\n  \"copies\": {" + copyCounts() +
         "\n  },\n  \"redundant_copies\": [" + redundantCopies() + "\n  ]" +
         (hasAccesses ? ",\n  \"accesses\": [" + accesses.json() + "\n  ]"
                      : "") +
         "\n}\n";
}

} // namespace gpulto::emu
