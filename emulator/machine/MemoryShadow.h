//===- MemoryShadow.h - What copies left where, byte by byte --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells which copies and fills need not have been. Host and device memory are
// one space of addresses here, and each byte that a copy or fill has touched
// has two facts:
//
//  contents  a number that names the store which made the value: its epoch and
//            the address it stored to. A copy carries the number along, so two
//            bytes with one number are equal, and nobody has stored to either
//            since they became so. 0: nobody knows.
//  copy      the copy or fill that wrote it last, if nothing has since.
//
//   h = ...            h: store 1
//   copy(d, h)         d: store 1, copy 1
//   kernel reads d     copy 1 is read
//   copy(d, h)         both are store 1: redundant for a reason
//   h = the same       h: store 2
//   copy(d, h)         equal values, other numbers: redundant by coincidence
//   kernel stores d    copy 3 is overwritten unread: dead
//
// A copy whose bytes only another copy has read lives as long as that one's
// bytes do. A redundant copy counts as removed: it reads nothing and overwrites
// nothing, so that what it repeats is not dead. Copies count as a whole: one
// that changes any byte is not redundant, one of which any byte is read is not
// dead. Bytes of other copies are given apart, as parts.
//
// A page keeps one number and one copy while its bytes are consecutive bytes of
// the same store and copy, as whole arrays mostly are, else 12 bytes for each
// byte. What no copy touched has no page, which one load of a filter decides.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_MACHINE_MEMORYSHADOW_H
#define GPULTO_EMULATOR_MACHINE_MEMORYSHADOW_H

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gpulto::emu {

constexpr uint64_t kShadowPageBytes = 4096;

/// What is to be looked at when memory is accessed, by page. Pages share
/// entries, so that an entry may promise too much.
class PageFilter {
public:
  static constexpr unsigned kEntryBits = 20;
  enum Flag : uint8_t {
    kTracked = 1, ///< Has a page in the shadow.
    kGuarded = 2, ///< Is pending behind a wait.
    kShared = 4,  ///< Both the host and kernels use it.
  };

  PageFilter() : entries(size_t(1) << kEntryBits) {}
  /// The flags of a range of at most a page.
  uint8_t of(uint64_t address, uint64_t bytes) const {
    return entries[index(address)] | entries[index(address + bytes - 1)];
  }
  void set(uint64_t address, uint64_t bytes, Flag flag) {
    uint64_t end = address + bytes + kShadowPageBytes - 1;
    for (uint64_t at = address; at / kShadowPageBytes < end / kShadowPageBytes;
         at += kShadowPageBytes)
      entries[index(at)] |= flag;
  }
  /// The entries, for code that tests them itself.
  const uint8_t *data() const { return entries.data(); }

private:
  static size_t index(uint64_t address) {
    return address / kShadowPageBytes & ((size_t(1) << kEntryBits) - 1);
  }
  std::vector<uint8_t> entries;
};

/// What is known of the copies of one site. Bytes, unless it says otherwise.
struct CopyTotals {
  uint64_t executions = 0; ///< Number of copies.
  uint64_t bytes = 0;
  /// Of copies that changed nothing, since nobody had stored to either side.
  uint64_t redundantExecutions = 0, redundantBytes = 0;
  /// Of copies that changed nothing, though somebody had stored.
  uint64_t coincidentExecutions = 0, coincidentBytes = 0;
  /// Redundant for a reason, in copies that did change something.
  uint64_t redundantPartBytes = 0;
  /// Of copies of which nobody read a byte.
  uint64_t deadExecutions = 0, deadBytes = 0;
  /// That nobody read, of copies of which somebody read other bytes.
  uint64_t deadPartBytes = 0;
  /// Had other values than the stores that were seen had left.
  uint64_t unseenBytes = 0;
};

/// Consecutive bytes of a copy; of a fill, \p from is 0.
struct CopyRow {
  uint64_t to = 0, from = 0, bytes = 0;
};

/// What a fill repeats.
struct FillPattern {
  uint32_t value = 0;
  unsigned bytes = 1;
};

/// See the head of the file.
class MemoryShadow {
public:
  /// Guards all below, for as long as a kernel runs.
  std::mutex mutex;

  /// Something was stored, or copied, by others than before.
  void nextEpoch() { ++epoch; }
  /// Notes a copy of \p site that is about to be made. Rows are by address and
  /// do not overlap.
  void copy(uint32_t site, const std::vector<CopyRow> &rows);
  /// Notes a fill that is about to be made.
  void fill(uint32_t site, const std::vector<CopyRow> &rows,
            FillPattern pattern);
  /// Notes that somebody reads or stores.
  void read(uint64_t address, uint64_t bytes);
  void write(uint64_t address, uint64_t bytes);
  /// Notes an access of a kernel, with the test whether anybody cares.
  void access(uint64_t address, uint64_t bytes, bool isRead, bool isWrite) {
    uint8_t flags =
        bytes > kShadowPageBytes ? ~uint8_t(0) : filter.of(address, bytes);
    if (flags)
      accessNoted(flags, address, bytes, isRead, isWrite);
  }
  /// The same for the lanes in \p mask.
  void accessLanes(uint32_t mask, const uint64_t *addresses, unsigned bytes,
                   bool isRead, bool isWrite);
  /// The contents of the range are gone: it was freed, or its scope ended.
  void forget(uint64_t address, uint64_t bytes);
  /// The bytes around \p address that copies have touched, up to the next that
  /// they have not; none if they have not touched that one. Its row is from 0.
  CopyRow neighborhood(uint64_t address) const;
  /// Counts what has not ended yet: nobody will read it any more.
  void finish();

  /// What is known of a site's copies; complete after finish().
  const CopyTotals &totals(uint32_t site) const;

  /// Blocks by address, in pages marked kShared, that kernels have touched
  /// since the last call; true: stored to. Allocations share no block.
  static constexpr uint64_t kBlockBytes = 256;
  std::map<uint64_t, bool> takeTouched() { return std::exchange(touched, {}); }

  PageFilter filter;

private:
  using CopyId = uint32_t;

  struct Cells {
    std::array<uint64_t, kShadowPageBytes> contents;
    std::array<CopyId, kShadowPageBytes> copy;
  };
  struct Page {
    uint64_t contents = 0; ///< Of its first byte, if it has no cells.
    CopyId copy = 0;
    std::unique_ptr<Cells> cells;
  };
  /// Bytes with consecutive contents and one copy.
  struct Run {
    uint64_t address, bytes, contents;
    CopyId copy;
  };
  /// What bytes of a copy were read from: bytes that another copy wrote.
  struct Source {
    uint64_t offset, bytes;
    CopyId copy;
    uint64_t copyOffset;
  };
  /// A copy that somebody may still read.
  struct Copy {
    uint32_t site = 0;
    uint64_t base = 0; ///< Its first byte; offsets count from there.
    uint64_t bytes = 0, readBytes = 0;
    uint64_t cells = 0;           ///< Bytes of memory that it wrote last.
    uint64_t readers = 0;         ///< Copies that have it as a source.
    std::vector<uint64_t> isRead; ///< A bit for each offset.
    std::vector<Source> sources;  ///< By offset.
  };
  /// Contents that are about to be written.
  struct Piece {
    CopyRow row;
    uint64_t contents;
    CopyId copy; ///< That wrote the source.
  };
  struct Comparison;

  Page *findPage(uint64_t address) const;
  uint64_t knownAround(uint64_t address, bool isBelow) const;
  template <class F> void eachRun(uint64_t address, uint64_t bytes, F f) const;
  template <class F> void eachPage(uint64_t address, uint64_t bytes, F f);
  void assign(const Run &run);
  void assignInPage(Page &page, const Run &run);
  void nameContents(uint64_t address, uint64_t bytes, bool isAnew);
  std::vector<Piece> piecesOf(const std::vector<CopyRow> &rows) const;
  void compare(const Piece &piece, const FillPattern *pattern,
               Comparison &found) const;
  static bool count(const Comparison &found, CopyTotals &totals);
  void apply(uint32_t site, const std::vector<Piece> &pieces);
  void markRead(CopyId copy, uint64_t offset, uint64_t bytes);
  void dropCells(CopyId copy, uint64_t bytes);
  void end(CopyId copy);
  void accessNoted(uint8_t flags, uint64_t address, uint64_t bytes, bool isRead,
                   bool isWrite);
  CopyTotals &totalsOf(uint32_t site);

  uint64_t epoch = 1;
  std::unordered_map<uint64_t, Page> pages; ///< By number.
  mutable uint64_t lastNumber = ~uint64_t(0);
  mutable Page *lastPage = nullptr;
  std::vector<std::unique_ptr<Copy>> copies{1}; ///< Null: it has ended.
  std::vector<CopyTotals> sites;
  std::map<std::pair<uint32_t, unsigned>, uint64_t> fillEpochs;
  std::map<uint64_t, bool> touched;
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_MACHINE_MEMORYSHADOW_H
