//===- SummaryCoding.h - How a summary's fields become bytes ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The two directions of SummaryFormat.cpp: numbers, names, ranges of tables,
// interned values and packed bytes. The Decoder checks everything that it
// reads.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_SUMMARYCODING_H
#define GPULTO_SUMMARY_SUMMARYCODING_H

#include "summary/ModuleSummary.h"
#include "support/BinaryStream.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <limits>
#include <tuple>
#include <vector>

namespace gpulto {

/// Maps small numbers of either sign to small numbers, and back.
inline uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^
         static_cast<uint64_t>(value >> 63);
}
inline int64_t unzigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

/// Ranges of one flat table seen so far, in order of appearance.
struct RangeHistory {
  uint32_t end = 0;
  std::vector<Range> seen;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> numbers;
};

/// A packed byte of the file stands for at most so many, so that memory for
/// what a file holds is proportional to its size.
constexpr uint64_t kMaxUnpacked = 64;

/// Writes \p bytes to \p out: a uleb 0 and the bytes or, if these are many, and
/// that is shorter and not too dense to be read, ulebs, their number when
/// compressed with zstd and now, and the compressed bytes.
void pack(llvm::StringRef bytes, BinaryWriter &out);

/// Reads from \p in, behind their number \p packedBytes, bytes that pack()
/// compressed into \p bytes. Errors: \p in fails.
void unpack(BinaryReader &in, uint64_t packedBytes,
            llvm::SmallVectorImpl<uint8_t> &bytes);

/// Values written once; \c numbers is keyed by their bytes (Encoder only).
template <typename T> struct Interner {
  std::vector<T> values;             // Decoder
  llvm::StringMap<uint32_t> numbers; // Encoder
};

//===----------------------------------------------------------------------===//
// Encoder
//===----------------------------------------------------------------------===//

/// Writes; checks nothing.
class Encoder {
public:
  static constexpr bool isReading = false;

  explicit Encoder(llvm::StringRef bitcodeNames) : names(bitcodeNames) {}

  template <typename T> void number(T &value) {
    out.uleb(static_cast<uint64_t>(value));
  }
  template <typename T> void signedNumber(T &value) {
    out.uleb(zigzag(static_cast<int64_t>(value)));
  }
  template <typename E> void enumerator(E &value, E) { out.enumerator(value); }
  void boolean(bool &value) { out.boolean(value); }
  void digest(Digest &value) { out.digest(value); }
  /// An index below \p size, or kNone if \p orNone.
  void index(uint32_t &value, uint32_t, bool orNone, const char *) {
    out.uleb(orNone ? uint64_t(value + 1) : value);
  }
  /// A number close to \p previous.
  void delta(uint32_t &value, uint32_t previous, uint32_t, const char *) {
    out.uleb(zigzag(int64_t(value) - int64_t(previous)));
  }
  /// A name, perhaps that of its \p comdat.
  void name(llvm::StringRef &value, llvm::StringRef comdat = {});
  /// A range of a table of \p tableSize elements.
  void range(Range &value, uint32_t tableSize, RangeHistory &history);
  /// A value that is written once, by \p transferFields.
  template <typename T, typename Known, typename F>
  void interned(T &value, Interner<Known> &interner, F transferFields) {
    Encoder scratch(llvm::StringRef{});
    transferFields(scratch, value);
    auto [entry, isNew] = interner.numbers.try_emplace(
        scratch.out.str(), uint32_t(interner.numbers.size() + 1));
    if (!isNew)
      return out.uleb(entry->second);
    out.uleb(0);
    out.bytes(scratch.out.str());
  }
  /// What \p transfer describes, without names, compressed if that is shorter.
  template <typename F> void packed(F transfer) {
    Encoder scratch(llvm::StringRef{});
    transfer(scratch);
    pack(scratch.out.str(), out);
  }
  void check(bool, const char *) {}

  BinaryWriter out;
  BinaryWriter own;

private:
  llvm::StringRef names;
  size_t nextName = 0;
};

//===----------------------------------------------------------------------===//
// Decoder
//===----------------------------------------------------------------------===//

/// Reads. A value out of range is an error, with its place, and reads as 0.
class Decoder {
public:
  static constexpr bool isReading = true;

  Decoder(BinaryReader &reader, llvm::StringRef bitcodeNames)
      : in(reader), names(bitcodeNames) {}

  template <typename T> void number(T &value) {
    uint64_t bits = in.uleb();
    if (LLVM_UNLIKELY(bits > std::numeric_limits<T>::max())) {
      in.fail("number " + llvm::Twine(bits) + " too large for its field");
      bits = 0;
    }
    value = static_cast<T>(bits);
  }
  template <typename T> void signedNumber(T &value) {
    value = static_cast<T>(unzigzag(in.uleb()));
  }
  template <typename E> void enumerator(E &value, E last) {
    value = in.enumerator(last);
  }
  void boolean(bool &value) { value = in.boolean(); }
  void digest(Digest &value) { value = in.digest(); }
  void index(uint32_t &value, uint32_t size, bool orNone, const char *what) {
    uint64_t raw = in.uleb();
    if (orNone && raw == 0) {
      value = kNone;
      return;
    }
    setIndex(value, orNone ? raw - 1 : raw, size, what);
  }
  void delta(uint32_t &value, uint32_t previous, uint32_t size,
             const char *what) {
    // Wraps on a hostile difference; the check is on the sum.
    setIndex(value, uint64_t(previous) + uint64_t(unzigzag(in.uleb())), size,
             what);
  }
  void name(llvm::StringRef &value, llvm::StringRef comdat = {});
  void range(Range &value, uint32_t tableSize, RangeHistory &history);
  /// Values of type \p Known are assigned to \p value, which may refer to
  /// fields of a record.
  template <typename T, typename Known, typename F>
  void interned(T &value, Interner<Known> &interner, F transferFields) {
    uint64_t number = in.uleb();
    if (number == 0) {
      transferFields(*this, value);
      interner.values.push_back(value);
      return;
    }
    if (LLVM_UNLIKELY(number > interner.values.size()))
      return in.fail("reference to value " + llvm::Twine(number) + " of " +
                     llvm::Twine(interner.values.size()));
    value = interner.values[number - 1];
  }
  template <typename F> void packed(F transfer) {
    uint64_t start = in.position();
    uint64_t packedBytes = in.uleb();
    if (packedBytes == 0)
      return transfer(*this);
    llvm::SmallVector<uint8_t, 0> bytes;
    unpack(in, packedBytes, bytes);
    if (in.failed())
      return;
    BinaryReader reader(llvm::toStringRef(bytes),
                        InputLocation("", "", "unpacked"));
    Decoder inner(reader, llvm::StringRef{});
    transfer(inner);
    if (llvm::Error error = reader.finish()) {
      in.seek(start);
      in.fail(llvm::toString(std::move(error)));
    }
  }
  void check(bool holds, const char *message) {
    if (LLVM_UNLIKELY(!holds))
      in.fail(message);
  }

  BinaryReader &in;
  llvm::StringRef own;

private:
  void setIndex(uint32_t &value, uint64_t index, uint32_t size,
                const char *what) {
    if (LLVM_UNLIKELY(index >= size)) {
      in.fail("index " + llvm::Twine(index) + " of " + what +
              ", expected less "
              "than " +
              llvm::Twine(size));
      index = 0;
    }
    value = static_cast<uint32_t>(index);
  }

  llvm::StringRef names;
  size_t nextName = 0;
  size_t nextOwn = 0;
};

} // namespace gpulto

#endif
