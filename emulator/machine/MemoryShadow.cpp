//===- MemoryShadow.cpp - What copies left where, byte by byte ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/MemoryShadow.h"

#include <algorithm>
#include <cstring>

namespace gpulto::emu {

/// Contents are the epoch of a store, and the low bits of its address.
constexpr unsigned kAddressBits = 40;
constexpr uint64_t kAddressMask = (uint64_t(1) << kAddressBits) - 1;

static uint64_t contentsOf(uint64_t epoch, uint64_t address) {
  return epoch << kAddressBits | (address & kAddressMask);
}

/// The contents of what is \p distance bytes further, in one store.
static uint64_t further(uint64_t contents, uint64_t distance) {
  return contents ? contents + distance : 0;
}

/// The number of bytes of a range that lie in the page of its first.
static uint64_t inFirstPage(uint64_t address, uint64_t bytes) {
  return std::min(bytes, kShadowPageBytes - address % kShadowPageBytes);
}

struct MemoryShadow::Comparison {
  uint64_t bytes = 0;
  uint64_t equal = 0;  ///< In values.
  uint64_t same = 0;   ///< In values and contents.
  uint64_t unseen = 0; ///< In contents, but not in values.
};

// Pages -----------------------------------------------------------------------

MemoryShadow::Page *MemoryShadow::findPage(uint64_t address) const {
  uint64_t number = address / kShadowPageBytes;
  if (number == lastNumber)
    return lastPage;
  auto found = pages.find(number);
  lastNumber = number;
  lastPage =
      found == pages.end() ? nullptr : const_cast<Page *>(&found->second);
  return lastPage;
}

/// Calls \p f for the runs of a range, in order.
template <class F>
void MemoryShadow::eachRun(uint64_t address, uint64_t bytes, F f) const {
  while (bytes) {
    uint64_t count = inFirstPage(address, bytes);
    uint64_t offset = address % kShadowPageBytes;
    const Page *page = findPage(address);
    if (!page) {
      f(Run{address, count, 0, 0});
    } else if (!page->cells) {
      f(Run{address, count, further(page->contents, offset), page->copy});
    } else {
      const Cells &cells = *page->cells;
      for (uint64_t i = offset, end = offset + count; i < end;) {
        uint64_t first = i++;
        uint64_t contents = cells.contents[first];
        while (i < end && cells.copy[i] == cells.copy[first] &&
               cells.contents[i] == further(contents, i - first))
          ++i;
        f(Run{address - offset + first, i - first, contents,
              cells.copy[first]});
      }
    }
    address += count;
    bytes -= count;
  }
}

/// Calls \p f with the part of a range in each page that exists.
template <class F>
void MemoryShadow::eachPage(uint64_t address, uint64_t bytes, F f) {
  for (uint64_t count; bytes; address += count, bytes -= count) {
    count = inFirstPage(address, bytes);
    if (findPage(address))
      f(address, count);
  }
}

void MemoryShadow::assignInPage(Page &page, const Run &run) {
  uint64_t offset = run.address % kShadowPageBytes;
  if (run.bytes == kShadowPageBytes) {
    page.cells.reset();
    page.contents = run.contents;
    page.copy = run.copy;
    return;
  }
  if (!page.cells) {
    page.cells = std::make_unique<Cells>();
    for (uint64_t i = 0; i < kShadowPageBytes; ++i)
      page.cells->contents[i] = further(page.contents, i);
    page.cells->copy.fill(page.copy);
  }
  for (uint64_t i = 0; i < run.bytes; ++i) {
    page.cells->contents[offset + i] = further(run.contents, i);
    page.cells->copy[offset + i] = run.copy;
  }
}

/// Sets the facts of a range, and makes its pages.
void MemoryShadow::assign(const Run &run) {
  if (run.copy)
    copies[run.copy]->cells += run.bytes;
  eachRun(run.address, run.bytes, [&](const Run &old) {
    if (old.copy)
      dropCells(old.copy, old.bytes);
  });
  for (uint64_t done = 0, count; done < run.bytes; done += count) {
    uint64_t address = run.address + done;
    count = inFirstPage(address, run.bytes - done);
    Page *page = findPage(address);
    if (!page) {
      page = &pages[address / kShadowPageBytes];
      lastPage = page;
      filter.set(address, 1, PageFilter::kTracked);
    }
    assignInPage(*page,
                 {address, count, further(run.contents, done), run.copy});
  }
}

/// Gives names to the contents of a range that have none, or to all \p isAnew.
void MemoryShadow::nameContents(uint64_t address, uint64_t bytes, bool isAnew) {
  std::vector<Run> runs;
  eachRun(address, bytes, [&](const Run &run) {
    if (!run.contents || isAnew)
      runs.push_back(run);
  });
  for (Run &run : runs) {
    run.contents = contentsOf(epoch, run.address);
    assign(run);
  }
}

// Accesses --------------------------------------------------------------------

void MemoryShadow::read(uint64_t address, uint64_t bytes) {
  eachPage(address, bytes, [&](uint64_t from, uint64_t count) {
    eachRun(from, count, [&](const Run &run) {
      if (run.copy)
        markRead(run.copy, run.address - copies[run.copy]->base, run.bytes);
    });
  });
}

void MemoryShadow::write(uint64_t address, uint64_t bytes) {
  eachPage(address, bytes, [&](uint64_t from, uint64_t count) {
    assign({from, count, contentsOf(epoch, from), 0});
  });
}

void MemoryShadow::forget(uint64_t address, uint64_t bytes) {
  eachPage(address, bytes, [&](uint64_t from, uint64_t count) {
    assign({from, count, 0, 0});
    if (count == kShadowPageBytes) {
      pages.erase(from / kShadowPageBytes);
      lastPage = nullptr;
    }
  });
}

void MemoryShadow::accessNoted(uint8_t flags, uint64_t address, uint64_t bytes,
                               bool isRead, bool isWrite) {
  if (flags & PageFilter::kShared)
    for (uint64_t at = address - address % kBlockBytes; at < address + bytes;
         at += kBlockBytes)
      touched[at] |= isWrite;
  if (!(flags & PageFilter::kTracked))
    return;
  if (isRead)
    read(address, bytes);
  if (isWrite)
    write(address, bytes);
}

void MemoryShadow::accessLanes(uint32_t mask, const uint64_t *addresses,
                               unsigned bytes, bool isRead, bool isWrite) {
  // Neighbors in one go.
  uint64_t begin = 0, end = 0;
  for (; mask; mask &= mask - 1) {
    uint64_t address = addresses[__builtin_ctz(mask)];
    if (address == end && end) {
      end += bytes;
      continue;
    }
    if (end)
      access(begin, end - begin, isRead, isWrite);
    begin = address;
    end = address + bytes;
  }
  if (end)
    access(begin, end - begin, isRead, isWrite);
}

/// The number of bytes with known contents from \p address on, or below it, in
/// its page (below: that of the byte before it).
uint64_t MemoryShadow::knownAround(uint64_t address, bool isBelow) const {
  uint64_t at = isBelow ? address - 1 : address;
  uint64_t offset = at % kShadowPageBytes;
  const Page *page = findPage(at);
  if (!page)
    return 0;
  if (!page->cells && !page->contents)
    return 0;
  uint64_t most = isBelow ? offset + 1 : kShadowPageBytes - offset, count = 0;
  if (!page->cells)
    return most;
  while (count < most &&
         page->cells->contents[isBelow ? offset - count : offset + count])
    ++count;
  return count;
}

CopyRow MemoryShadow::neighborhood(uint64_t address) const {
  uint64_t begin = address, end = address;
  while (uint64_t count = knownAround(end, false))
    end += count;
  if (end == address)
    return {};
  while (uint64_t count = knownAround(begin, true))
    begin -= count;
  return {begin, 0, end - begin};
}

// Copies ----------------------------------------------------------------------

/// The bytes of a copy that were read; and those of the copies that these were
/// copied from.
void MemoryShadow::markRead(CopyId id, uint64_t offset, uint64_t bytes) {
  struct Item {
    CopyId copy;
    uint64_t offset, bytes;
  };
  std::vector<Item> items = {{id, offset, bytes}};
  while (!items.empty()) {
    Item item = items.back();
    items.pop_back();
    Copy &copy = *copies[item.copy];
    uint64_t before = copy.readBytes;
    if (before == copy.bytes)
      continue;
    for (uint64_t i = item.offset, end = i + item.bytes; i < end;) {
      uint64_t count = std::min(end - i, 64 - i % 64);
      uint64_t mask = (count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1)
                      << i % 64;
      uint64_t &word = copy.isRead[i / 64];
      copy.readBytes += __builtin_popcountll(mask & ~word);
      word |= mask;
      i += count;
    }
    if (copy.readBytes == before || copy.sources.empty())
      continue;
    uint64_t end = item.offset + item.bytes;
    auto from = std::partition_point(
        copy.sources.begin(), copy.sources.end(), [&](const Source &source) {
          return source.offset + source.bytes <= item.offset;
        });
    for (; from != copy.sources.end() && from->offset < end; ++from) {
      uint64_t low = std::max(from->offset, item.offset);
      uint64_t high = std::min(from->offset + from->bytes, end);
      items.push_back(
          {from->copy, from->copyOffset + low - from->offset, high - low});
    }
  }
}

void MemoryShadow::dropCells(CopyId id, uint64_t bytes) {
  Copy &copy = *copies[id];
  copy.cells -= bytes;
  if (!copy.cells && !copy.readers)
    end(id);
}

/// Counts a copy that nobody can read any more, and those that were read only
/// to make it.
void MemoryShadow::end(CopyId first) {
  std::vector<CopyId> ended = {first};
  while (!ended.empty()) {
    std::unique_ptr<Copy> copy = std::move(copies[ended.back()]);
    ended.pop_back();
    CopyTotals &totals = totalsOf(copy->site);
    if (copy->readBytes)
      totals.deadPartBytes += copy->bytes - copy->readBytes;
    else
      totals.deadBytes += copy->bytes;
    totals.deadExecutions += !copy->readBytes;
    for (const Source &source : copy->sources) {
      Copy &from = *copies[source.copy];
      if (!--from.readers && !from.cells)
        ended.push_back(source.copy);
    }
  }
}

std::vector<MemoryShadow::Piece>
MemoryShadow::piecesOf(const std::vector<CopyRow> &rows) const {
  std::vector<Piece> pieces;
  for (const CopyRow &row : rows)
    eachRun(row.from, row.bytes, [&](const Run &run) {
      uint64_t to = row.to + (run.address - row.from);
      pieces.push_back({{to, run.address, run.bytes}, run.contents, run.copy});
    });
  return pieces;
}

/// Whether bytes have the values that they are about to get.
static bool hasValues(const CopyRow &row, const FillPattern *pattern) {
  const auto *to = reinterpret_cast<const uint8_t *>(row.to);
  if (!pattern)
    return !std::memcmp(to, reinterpret_cast<const void *>(row.from),
                        row.bytes);
  for (uint64_t i = 0; i < row.bytes; ++i)
    if (to[i] != static_cast<uint8_t>(pattern->value >>
                                      (row.to + i) % pattern->bytes * 8))
      return false;
  return true;
}

void MemoryShadow::compare(const Piece &piece, const FillPattern *pattern,
                           Comparison &found) const {
  eachRun(piece.row.to, piece.row.bytes, [&](const Run &run) {
    uint64_t offset = run.address - piece.row.to;
    CopyRow row = {run.address, piece.row.from + offset, run.bytes};
    found.bytes += run.bytes;
    // What nobody has stored, as far as is known, equals nothing, though new
    // memory of the emulator is zero.
    if (!run.contents)
      return;
    bool isSame = run.contents == further(piece.contents, offset);
    bool isEqual = hasValues(row, pattern);
    found.equal += isEqual ? run.bytes : 0;
    found.same += isEqual && isSame ? run.bytes : 0;
    found.unseen += isSame && !isEqual ? run.bytes : 0;
  });
}

void MemoryShadow::apply(uint32_t site, const std::vector<Piece> &pieces) {
  CopyId id = static_cast<CopyId>(copies.size());
  copies.push_back(std::make_unique<Copy>());
  Copy &copy = *copies.back();
  copy.site = site;
  copy.base = pieces.front().row.to;
  for (const Piece &piece : pieces) {
    uint64_t offset = piece.row.to - copy.base;
    copy.bytes += piece.row.bytes;
    copy.isRead.resize((offset + piece.row.bytes + 63) / 64);
    if (!piece.copy)
      continue;
    Copy &from = *copies[piece.copy];
    copy.sources.push_back(
        {offset, piece.row.bytes, piece.copy, piece.row.from - from.base});
    ++from.readers;
  }
  for (const Piece &piece : pieces)
    assign({piece.row.to, piece.row.bytes, piece.contents, id});
  nextEpoch();
}

/// Adds a copy or fill to \p totals. Returns whether it must be made.
bool MemoryShadow::count(const Comparison &found, CopyTotals &totals) {
  ++totals.executions;
  totals.bytes += found.bytes;
  totals.unseenBytes += found.unseen;
  if (found.same == found.bytes) {
    if (found.bytes)
      ++totals.redundantExecutions;
    totals.redundantBytes += found.bytes;
    return false;
  }
  if (found.equal == found.bytes) {
    ++totals.coincidentExecutions;
    totals.coincidentBytes += found.bytes;
  } else {
    totals.redundantPartBytes += found.same;
  }
  return true;
}

void MemoryShadow::copy(uint32_t site, const std::vector<CopyRow> &rows) {
  for (const CopyRow &row : rows)
    nameContents(row.from, row.bytes, false);
  std::vector<Piece> pieces = piecesOf(rows);
  Comparison found;
  for (const Piece &piece : pieces)
    compare(piece, nullptr, found);
  if (!count(found, totalsOf(site)))
    return;
  if (found.unseen) {
    nextEpoch();
    for (const CopyRow &row : rows)
      nameContents(row.from, row.bytes, true);
    pieces = piecesOf(rows);
  }
  apply(site, pieces);
}

void MemoryShadow::fill(uint32_t site, const std::vector<CopyRow> &rows,
                        FillPattern pattern) {
  // Fills with one value are one store: the next one changes nothing.
  uint64_t &number = fillEpochs[{pattern.value, pattern.bytes}];
  if (!number)
    number = ++epoch;
  std::vector<Piece> pieces;
  Comparison found;
  for (const CopyRow &row : rows) {
    pieces.push_back({row, contentsOf(number, row.to), 0});
    compare(pieces.back(), &pattern, found);
  }
  if (!count(found, totalsOf(site)))
    return;
  apply(site, pieces);
}

void MemoryShadow::finish() {
  for (CopyId id = 1; id < copies.size(); ++id)
    if (copies[id]) {
      copies[id]->cells = 0;
      if (!copies[id]->readers)
        end(id);
    }
  pages.clear();
  lastNumber = ~uint64_t(0);
  lastPage = nullptr;
}

CopyTotals &MemoryShadow::totalsOf(uint32_t site) {
  if (sites.size() <= site)
    sites.resize(site + 1);
  return sites[site];
}

const CopyTotals &MemoryShadow::totals(uint32_t site) const {
  static const CopyTotals none;
  return site < sites.size() ? sites[site] : none;
}

} // namespace gpulto::emu
