//===- Counters.cpp - What kernels did, counted ---------------------------===//
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

#include "emulator/Counters.h"

#include <algorithm>
#include <cstdio>

namespace gpulto::emu {

static constexpr uint64_t kSectorBytes = 32;
static constexpr unsigned kBanks = 32, kBankBytes = 4;

static const char *const kClassNames[] = {
    "integer",      "float32",     "float64",      "half",    "move",
    "convert",      "compare",     "branch",       "call",    "load_global",
    "store_global", "load_shared", "store_shared", "local",   "load_constant",
    "param",        "generic",     "atomic",       "barrier", "warp",
    "special",      "fence",       "other"};
static_assert(std::size(kClassNames) == static_cast<size_t>(InsnClass::Count));

void countGlobal(Warp &w, const Insn &insn, uint32_t mask,
                 const uint64_t *addresses, unsigned bytes) {
  const Launch &launch = *w.block->launch;
  InsnCounts &c = w.counts[&insn - w.frame->fn->code.data()];
  if (bytes > kSectorBytes) { // A bulk copy, of one lane.
    uint64_t a = addresses[__builtin_ctz(mask)];
    ++c.accesses;
    c.bytes += bytes;
    c.sectors += (a + bytes - 1) / kSectorBytes - a / kSectorBytes + 1;
    c.idealSectors += (bytes + kSectorBytes - 1) / kSectorBytes;
    return;
  }
  uint64_t sectors[2 * kLanes], distinct[kLanes];
  size_t n = 0, lanes = 0;
  for (uint32_t r = mask; r; r &= r - 1) {
    uint64_t a = addresses[__builtin_ctz(r)];
    if (a - launch.sharedWindow < 4 * kWindowBytes)
      continue; // A generic access to shared or local memory.
    distinct[lanes++] = a;
    for (uint64_t s = a / kSectorBytes; s <= (a + bytes - 1) / kSectorBytes;
         ++s)
      if (n == 0 || sectors[n - 1] != s)
        sectors[n++] = s;
  }
  if (!lanes)
    return;
  if (!std::is_sorted(sectors, sectors + n))
    std::sort(sectors, sectors + n);
  size_t touched =
      static_cast<size_t>(std::unique(sectors, sectors + n) - sectors);
  c.bytes += lanes * bytes;
  if (!std::is_sorted(distinct, distinct + lanes))
    std::sort(distinct, distinct + lanes);
  lanes =
      static_cast<size_t>(std::unique(distinct, distinct + lanes) - distinct);
  uint64_t ideal = (lanes * bytes + kSectorBytes - 1) / kSectorBytes;
  ++c.accesses;
  c.sectors += touched;
  c.idealSectors += ideal;
}

void countShared(Warp &w, const Insn &insn, uint32_t mask,
                 const uint64_t *offsets, unsigned bytes) {
  InsnCounts &c = w.counts[&insn - w.frame->fn->code.data()];
  ++c.accesses;
  c.bytes += static_cast<uint64_t>(__builtin_popcount(mask)) * bytes;
  if (bytes > 4 * kBankBytes) // A bulk copy.
    return;
  // Mostly no two lanes want different words of one bank. A bank's word is
  // meaningful where the bank was used.
  if (bytes <= kBankBytes) {
    uint32_t wordOf[kBanks] = {}, conflict = 0;
    for (uint32_t r = mask; r; r &= r - 1) {
      // Plus one, so that 0 means unused.
      uint32_t word =
          static_cast<uint32_t>(offsets[__builtin_ctz(r)] / kBankBytes) + 1;
      uint32_t &old = wordOf[word % kBanks];
      conflict |= old ? old ^ word : 0;
      old = word;
    }
    if (!conflict)
      return;
  }
  unsigned groups = bytes <= 4 ? 1 : bytes <= 8 ? 2 : 4;
  unsigned lanesOfGroup = kLanes / groups;
  for (unsigned g = 0; g < groups; ++g) {
    uint64_t words[kLanes * 4];
    size_t n = 0;
    for (unsigned k = 0; k < lanesOfGroup; ++k) {
      unsigned l = g * lanesOfGroup + k;
      if (!(mask >> l & 1))
        continue;
      for (uint64_t word = offsets[l] / kBankBytes;
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
    c.bankConflicts += most - 1;
  }
}

void addCounts(InsnCounts &to, const InsnCounts &from) {
  to.warps += from.warps;
  to.threads += from.threads;
  to.divergent += from.divergent;
  to.accesses += from.accesses;
  to.sectors += from.sectors;
  to.idealSectors += from.idealSectors;
  to.bytes += from.bytes;
  to.bankConflicts += from.bankConflicts;
}

void Counters::addLaunch(const Launch &launch, uint32_t registers,
                         const std::vector<std::vector<InsnCounts>> &counts,
                         const std::vector<const Function *> &functions,
                         uint64_t barriers) {
  LaunchCounts l;
  l.kernel = launch.kernel->name;
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
      unsigned space = insn.space == Space::Shared  ? 1
                       : insn.space == Space::Local ? 2
                                                    : 0;
      uint64_t bytes = space == 2 ? c.threads * insn.bytes * insn.vec : c.bytes;
      (insn.flags & kIsStore ? l.bytesWritten : l.bytesRead)[space] += bytes;
      if (!c.sectors)
        continue;
      LineCounts &line = l.lines[{*fn.sourceName, fn.info[pc].line}];
      addCounts(line.counts, c);
      const InsnInfo &info = fn.info[pc];
      if (info.file && info.file < fn.files->size())
        line.source =
            (*fn.files)[info.file] + ":" + std::to_string(info.sourceLine);
    }
  }
  for (auto it = l.lines.begin(); it != l.lines.end();) {
    const InsnCounts &c = it->second.counts;
    bool isIdeal = c.sectors <= c.idealSectors;
    l.uncoalesced += isIdeal ? 0 : c.sectors - c.idealSectors;
    it = isIdeal ? l.lines.erase(it) : std::next(it);
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

std::string Counters::json() const {
  std::lock_guard lock(mutex);
  std::string out = "{\n  \"launches\": [";
  const char *separator = "\n";
  for (const LaunchCounts &l : launches) {
    auto dims = [](const uint32_t *d) {
      return "[" + std::to_string(d[0]) + ", " + std::to_string(d[1]) + ", " +
             std::to_string(d[2]) + "]";
    };
    out += separator;
    separator = ",\n";
    out += "    {\"kernel\": " + quoted(l.kernel) +
           ", \"grid\": " + dims(l.grid) + ", \"block\": " + dims(l.block) +
           ",\n     " + number("shared_bytes", l.shared) + ", " +
           number("registers", l.registers) + ",\n     " +
           number("warp_instructions", l.total.warps) + ", " +
           number("thread_instructions", l.total.threads) + ", " +
           ratio("simd_efficiency", l.total.threads, l.total.warps * kLanes) +
           ",\n     " +
           number("branches",
                  l.classes[static_cast<size_t>(InsnClass::Branch)].warps) +
           ", " + number("divergent_branches", l.total.divergent) + ", " +
           number("barriers", l.barriers) + ",\n     " +
           number("global_sectors", l.total.sectors) + ", " +
           number("ideal_global_sectors", l.total.idealSectors) + ", " +
           number("uncoalesced_sectors", l.uncoalesced) + ", " +
           number("shared_bank_conflicts", l.total.bankConflicts) +
           ",\n     \"bytes\": {";
    static const char *const kSpaces[] = {"global", "shared", "local"};
    for (unsigned s = 0; s < 3; ++s)
      out +=
          std::string(s ? ", " : "") +
          number((std::string(kSpaces[s]) + "_read").c_str(), l.bytesRead[s]) +
          ", " +
          number((std::string(kSpaces[s]) + "_written").c_str(),
                 l.bytesWritten[s]);
    out += "},\n     \"classes\": {";
    const char *comma = "";
    for (size_t k = 0; k < std::size(kClassNames); ++k) {
      if (!l.classes[k].warps)
        continue;
      out += comma + quoted(kClassNames[k]) + ": {" +
             number("warps", l.classes[k].warps) + ", " +
             number("threads", l.classes[k].threads) + "}";
      comma = ", ";
    }
    out += "},\n     \"uncoalesced\": [";
    comma = "\n";
    for (const auto &[where, line] : l.lines) {
      out += comma + std::string("       {\"ptx\": ") +
             quoted(where.first + ":" + std::to_string(where.second));
      if (!line.source.empty())
        out += ", \"source\": " + quoted(line.source);
      out += ", " + number("accesses", line.counts.accesses) + ", " +
             number("sectors", line.counts.sectors) + ", " +
             number("ideal", line.counts.idealSectors) + "}";
      comma = ",\n";
    }
    out += "]}";
  }
  out += "\n  ],\n  \"copies\": {";
  static const char *const kDirections[] = {"host_to_device", "device_to_host",
                                            "device_to_device", "host_to_host"};
  for (unsigned d = 0; d < 4; ++d) {
    const CopyCounts &c = copies[d];
    out += std::string(d ? ",\n" : "\n") + "    \"" + kDirections[d] + "\": {" +
           number("copies", c.copies) + ", " + number("bytes", c.bytes) + ", " +
           number("redundant_copies", c.redundantCopies) + ", " +
           number("redundant_bytes", c.redundantBytes) + "}";
  }
  return out + "\n  }\n}\n";
}

} // namespace gpulto::emu
