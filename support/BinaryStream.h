//===- BinaryStream.h - Bounds-checked binary reading and writing -*- C++
//-*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every reader of this project goes through BinaryReader. Errors are sticky:
// after the first failure all reads return zero or empty, so a decoder is
// straight-line code and calls takeError() once per record. That is what makes
// varints fast (no Expected per number: summaries are read at every link); it
// is safe because each element count goes through count(), which bounds it by
// the bytes left, so no loop or allocation exceeds the input.
//
// Byte order is little-endian on every host.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_SUPPORT_BINARYSTREAM_H
#define GPULTO_SUPPORT_BINARYSTREAM_H

#include "support/Error.h"
#include "support/StableHash.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>

namespace gpulto {

/// Reads little-endian values from a byte range; never past its end.
class BinaryReader {
public:
  /// Reads \p data, whose first byte lies at \p base (offset included); error
  /// locations are \p base plus the position of the failed read.
  explicit BinaryReader(llvm::StringRef data, InputLocation base = {})
      : begin(data.begin()), cursor(data.begin()), limit(data.end()),
        where(std::move(base)) {}

  /// Values of fixed width.
  uint8_t u8() { return static_cast<uint8_t>(fixed<uint8_t>()); }
  uint16_t u16() { return fixed<uint16_t>(); }
  uint32_t u32() { return fixed<uint32_t>(); }
  uint64_t u64() { return fixed<uint64_t>(); }
  /// One byte that must be 0 or 1.
  bool boolean();

  /// An unsigned LEB128 number; more than 64 bits of value are an error.
  uint64_t uleb() {
    if (LLVM_LIKELY(cursor != limit && static_cast<int8_t>(*cursor) >= 0))
      return static_cast<uint8_t>(*cursor++);
    return ulebSlow();
  }
  /// A uleb that must fit 32 bits.
  uint32_t uleb32() {
    uint64_t value = uleb();
    if (LLVM_UNLIKELY(value > UINT32_MAX)) {
      fail("number does not fit 32 bits");
      return 0;
    }
    return static_cast<uint32_t>(value);
  }
  /// A signed LEB128 number.
  int64_t sleb();

  /// \p size bytes; the result points into the input.
  llvm::StringRef bytes(uint64_t size) {
    if (LLVM_UNLIKELY(size > remaining())) {
      failShort(size);
      return {};
    }
    llvm::StringRef result(cursor, static_cast<size_t>(size));
    cursor += size;
    return result;
  }
  /// A uleb length followed by that many bytes; points into the input.
  llvm::StringRef string() { return bytes(uleb()); }
  Digest digest() {
    Digest result;
    result.lo = u64();
    result.hi = u64();
    return result;
  }

  /// Reads a uleb number of elements that take at least \p minBytesPerEntry
  /// bytes each, and fails unless that many bytes are left. Use it before every
  /// allocation and loop whose size the input determines. \p minBytesPerEntry
  /// is at least 1.
  size_t count(uint64_t minBytesPerEntry = 1);
  /// Checks \p value as count() does; for counts of fixed width.
  size_t checkCount(uint64_t value, uint64_t minBytesPerEntry);

  /// Reads an enumerator as uleb and fails above \p last.
  template <typename E> E enumerator(E last) {
    uint64_t value = uleb();
    if (LLVM_UNLIKELY(value > static_cast<uint64_t>(last))) {
      fail("unknown enumerator " + llvm::Twine(value) + ", expected at most " +
           llvm::Twine(static_cast<uint64_t>(last)));
      return static_cast<E>(0);
    }
    return static_cast<E>(value);
  }

  /// Reads a uleb index and fails unless it is below \p size.
  uint64_t index(uint64_t size, const char *what);

  /// Returns a reader of the next \p size bytes and skips them. If they are not
  /// there, this reader fails and the result is an empty, failed reader.
  BinaryReader sub(uint64_t size);

  void skip(uint64_t size) { bytes(size); }
  /// Skips to the next multiple of \p alignment (a power of two) from the
  /// start of the range; the bytes between must be there and be zero.
  void alignTo(uint64_t alignment);
  /// Moves to \p position, which may be the end.
  void seek(uint64_t position);

  uint64_t position() const { return static_cast<uint64_t>(cursor - begin); }
  uint64_t remaining() const { return static_cast<uint64_t>(limit - cursor); }
  uint64_t size() const { return static_cast<uint64_t>(limit - begin); }
  bool atEnd() const { return cursor == limit; }

  /// Records a failure at the current position; later ones are ignored. All
  /// reads return zero from now on, and atEnd() is true.
  void fail(const llvm::Twine &message);
  bool failed() const { return failure.has_value(); }
  explicit operator bool() const { return !failed(); }

  /// Returns the recorded failure, or success. May be called again.
  llvm::Error takeError() const;
  /// As takeError(); in addition, bytes left over are an error.
  llvm::Error finish();

  /// Returns the location of the next byte.
  InputLocation location() const;

private:
  template <typename T> T fixed() {
    if (LLVM_UNLIKELY(remaining() < sizeof(T))) {
      failShort(sizeof(T));
      return 0;
    }
    T value = llvm::support::endian::read<T, llvm::endianness::little>(cursor);
    cursor += sizeof(T);
    return value;
  }
  uint64_t ulebSlow();
  void failShort(uint64_t wanted);

  struct Failure {
    uint64_t position;
    std::string message;
  };

  const char *begin;
  const char *cursor;
  const char *limit;
  InputLocation where;
  std::optional<Failure> failure;
};

/// Appends little-endian values to a byte string that it owns.
class BinaryWriter {
public:
  void u8(uint8_t value) { out.push_back(static_cast<char>(value)); }
  void u16(uint16_t value) { fixed(value); }
  void u32(uint32_t value) { fixed(value); }
  void u64(uint64_t value) { fixed(value); }
  void boolean(bool value) { u8(value ? 1 : 0); }
  void uleb(uint64_t value) {
    while (value >= 0x80) {
      u8(static_cast<uint8_t>(value | 0x80));
      value >>= 7;
    }
    u8(static_cast<uint8_t>(value));
  }
  void sleb(int64_t value);
  void bytes(llvm::StringRef data) { out.append(data.data(), data.size()); }
  void string(llvm::StringRef text) {
    uleb(text.size());
    bytes(text);
  }
  void digest(const Digest &value) {
    u64(value.lo);
    u64(value.hi);
  }
  template <typename E> void enumerator(E value) {
    uleb(static_cast<uint64_t>(value));
  }
  void zeros(uint64_t size) { out.append(static_cast<size_t>(size), '\0'); }
  /// Appends zeros up to a multiple of \p alignment (a power of two).
  void alignTo(uint64_t alignment);

  /// Overwrites bytes written before; [position, +4 or +8) must exist.
  void patchU32(uint64_t position, uint32_t value) { patch(position, value); }
  void patchU64(uint64_t position, uint64_t value) { patch(position, value); }
  void patchDigest(uint64_t position, const Digest &value) {
    patchU64(position, value.lo);
    patchU64(position + 8, value.hi);
  }

  uint64_t size() const { return out.size(); }
  llvm::StringRef str() const { return out; }
  /// Returns the bytes and leaves the writer empty.
  std::string take() { return std::move(out); }
  void reserve(uint64_t bytes) { out.reserve(static_cast<size_t>(bytes)); }

private:
  template <typename T> void fixed(T value) {
    char raw[sizeof(T)];
    llvm::support::endian::write<T, llvm::endianness::little>(raw, value);
    out.append(raw, sizeof(T));
  }
  template <typename T> void patch(uint64_t position, T value) {
    assert(position + sizeof(T) <= out.size() && "only written bytes");
    llvm::support::endian::write<T, llvm::endianness::little>(
        out.data() + position, value);
  }

  std::string out;
};

} // namespace gpulto

#endif // GPULTO_SUPPORT_BINARYSTREAM_H
