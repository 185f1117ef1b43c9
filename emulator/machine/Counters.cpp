//===- Counters.cpp - Performance counters --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A global access of a warp moves whole sectors of 32 bytes. The ideal number
// is what the bytes the lanes name would need if they lay side by side; lanes
// that name the same bytes count once. Accesses beyond the ideal are
// uncoalesced (GPUDrano's notion, Alur et al., Detecting Uncoalesced Accesses
// in GPU Programs, 2017). Shared memory has 32 banks of 4 bytes; lanes that
// read different words of one bank take turns. Accesses of 8 and 16 bytes are
// made in halves and quarters of a warp, as hardware does.
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/Counters.h"

#include "emulator/machine/DeviceImpl.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace gpulto::emu {

static constexpr uint64_t kSectorBytes = 32;
static constexpr unsigned kBanks = 32, kBankBytes = 4;

static const char *const kClassNames[] = {
    "integer",      "float32",     "float64",      "half",   "move",
    "convert",      "compare",     "branch",       "call",   "load_global",
    "store_global", "load_shared", "store_shared", "local",  "load_constant",
    "param",        "generic",     "texture",      "atomic", "barrier",
    "warp",         "matrix",      "special",      "fence",  "other"};
static_assert(std::size(kClassNames) == static_cast<size_t>(InsnClass::Count));

/// Fills in mask, phase and distances of \p probe. Returns false when a lane
/// lies too far from the first one for a memo.
template <class A>
static bool describe(uint32_t mask, const A *addresses, unsigned modulus,
                     AccessMemo &probe) {
  A first = addresses[__builtin_ctz(mask)];
  uint64_t far = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    uint64_t on = 0 - static_cast<uint64_t>(mask >> l & 1);
    uint64_t d = (static_cast<uint64_t>(addresses[l]) - first) & on;
    far |= d + (1u << 31);
    probe.distance[l] = static_cast<uint32_t>(d);
  }
  probe.mask = mask;
  probe.phase = static_cast<uint32_t>(first % modulus);
  return far >> 32 == 0;
}

static bool isLike(const AccessMemo &memo, const AccessMemo &probe) {
  return memo.insn == probe.insn && memo.mask == probe.mask &&
         memo.phase == probe.phase &&
         !std::memcmp(memo.distance, probe.distance, sizeof(memo.distance));
}

static AccessMemo &memoOf(std::vector<AccessMemo> &memos, const Insn &insn) {
  if (memos.empty())
    memos.resize(kMemoCount);
  return memos[(reinterpret_cast<uintptr_t>(&insn) >> 6) % kMemoCount];
}

/// Sectors that \p n addresses of \p bytes touch.
static uint32_t sectorsOf(const uint64_t *addresses, size_t n, unsigned bytes) {
  uint64_t sectors[2 * kLanes];
  size_t touched = 0;
  for (size_t k = 0; k < n; ++k)
    for (uint64_t s = addresses[k] / kSectorBytes;
         s <= (addresses[k] + bytes - 1) / kSectorBytes; ++s)
      if (touched == 0 || sectors[touched - 1] != s)
        sectors[touched++] = s;
  if (!std::is_sorted(sectors, sectors + touched))
    std::sort(sectors, sectors + touched);
  return static_cast<uint32_t>(std::unique(sectors, sectors + touched) -
                               sectors);
}

/// Sectors they would touch side by side; equal ones count once.
static uint32_t idealSectorsOf(uint64_t *addresses, size_t n, unsigned bytes) {
  if (!std::is_sorted(addresses, addresses + n))
    std::sort(addresses, addresses + n);
  n = static_cast<size_t>(std::unique(addresses, addresses + n) - addresses);
  return static_cast<uint32_t>((n * bytes + kSectorBytes - 1) / kSectorBytes);
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
                 describe(mask, addresses, kSectorBytes, probe);
  AccessMemo &memo = memoOf(w.worker->globalMemos, insn);
  if (!isWhole || !isLike(memo, probe)) {
    probe.counts[0] = sectorsOf(distinct, lanes, bytes);
    probe.counts[1] = idealSectorsOf(distinct, lanes, bytes);
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

/// Turns that the lanes take beyond the first.
static uint32_t conflictsOf(uint32_t mask, const uint32_t *offsets,
                            unsigned bytes) {
  unsigned groups = bytes <= 4 ? 1 : bytes <= 8 ? 2 : 4;
  unsigned lanesOfGroup = kLanes / groups;
  uint32_t conflicts = 0;
  for (unsigned g = 0; g < groups; ++g) {
    uint32_t words[kLanes * 4];
    size_t n = 0;
    for (unsigned k = 0; k < lanesOfGroup; ++k) {
      unsigned l = g * lanesOfGroup + k;
      if (!(mask >> l & 1))
        continue;
      for (uint32_t word = offsets[l] / kBankBytes;
           word <= (offsets[l] + bytes - 1) / kBankBytes; ++word)
        words[n++] = word;
    }
    if (!n)
      continue;
    std::sort(words, words + n);
    n = static_cast<size_t>(std::unique(words, words + n) - words);
    unsigned perBank[kBanks] = {}, most = 0;
    for (size_t k = 0; k < n; ++k)
      most = std::max(most, ++perBank[words[k] % kBanks]);
    conflicts += most - 1;
  }
  return conflicts;
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
  describe(mask, offsets, kBankBytes, probe);
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

static std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      snprintf(code, sizeof(code), "\\u%04x", c);
      out += code;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

static std::string number(const char *name, uint64_t value) {
  return std::string("\"") + name + "\": " + std::to_string(value);
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

static std::string dimensions(const uint32_t *d) {
  return "[" + std::to_string(d[0]) + ", " + std::to_string(d[1]) + ", " +
         std::to_string(d[2]) + "]";
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

std::string Counters::json() const {
  std::lock_guard lock(mutex);
  std::string out = "{\n  \"launches\": [";
  const char *comma = "\n";
  for (const LaunchCounts &l : launches) {
    out += comma + launch(l);
    comma = ",\n";
  }
  return out + "\n  ],\n  \"copies\": {" + copyCounts() +
         "\n  },\n  \"redundant_copies\": [" + redundantCopies() + "\n  ]\n}\n";
}

} // namespace gpulto::emu
