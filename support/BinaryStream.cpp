//===- BinaryStream.cpp - Bounds-checked binary reading and writing -------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/BinaryStream.h"

#include "llvm/Support/MathExtras.h"

using namespace gpulto;

void BinaryReader::fail(const llvm::Twine &message) {
  if (failure)
    return;
  failure = Failure{position(), message.str()};
  cursor = limit; // every later read finds nothing left
}

void BinaryReader::failShort(uint64_t wanted) {
  if (!failure)
    fail("truncated: " + llvm::Twine(wanted) + " bytes expected, " +
         llvm::Twine(remaining()) + " left");
}

llvm::Error BinaryReader::takeError() const {
  if (!failure)
    return llvm::Error::success();
  uint64_t base = where.hasOffset ? where.offset : 0;
  return inputError(where.at(base + failure->position), failure->message);
}

llvm::Error BinaryReader::finish() {
  if (!failure && !atEnd())
    fail(llvm::Twine(remaining()) + " bytes left over");
  return takeError();
}

InputLocation BinaryReader::location() const {
  uint64_t base = where.hasOffset ? where.offset : 0;
  return where.at(base + (failure ? failure->position : position()));
}

bool BinaryReader::boolean() {
  uint8_t value = u8();
  if (value > 1)
    fail("boolean is " + llvm::Twine(value) + ", expected 0 or 1");
  return value == 1;
}

uint64_t BinaryReader::ulebSlow() {
  uint64_t result = 0;
  for (unsigned shift = 0; cursor != limit; shift += 7) {
    uint8_t byte = static_cast<uint8_t>(*cursor);
    uint64_t part = byte & 0x7f;
    if (shift > 63 || (shift == 63 && part > 1)) {
      fail("number does not fit 64 bits");
      return 0;
    }
    ++cursor;
    result |= part << shift;
    if (byte < 0x80)
      return result;
  }
  failShort(1);
  return 0;
}

int64_t BinaryReader::sleb() {
  uint64_t result = 0;
  for (unsigned shift = 0; cursor != limit; shift += 7) {
    uint8_t byte = static_cast<uint8_t>(*cursor);
    uint64_t part = byte & 0x7f;
    // The tenth byte holds bit 63 and its copies as sign.
    if (shift > 63 || (shift == 63 && part != 0 && part != 0x7f)) {
      fail("number does not fit 64 bits");
      return 0;
    }
    ++cursor;
    result |= part << shift;
    if (byte >= 0x80)
      continue;
    if (shift < 57 && (byte & 0x40))
      result |= ~0ull << (shift + 7);
    return static_cast<int64_t>(result);
  }
  failShort(1);
  return 0;
}

size_t BinaryReader::checkCount(uint64_t value, uint64_t minBytesPerEntry) {
  assert(minBytesPerEntry > 0 && "else nothing bounds the count");
  if (LLVM_LIKELY(value <= remaining() / minBytesPerEntry))
    return static_cast<size_t>(value);
  if (!failure)
    fail("count " + llvm::Twine(value) + " of entries of at least " +
         llvm::Twine(minBytesPerEntry) + " bytes, but " +
         llvm::Twine(remaining()) + " bytes left");
  return 0;
}

size_t BinaryReader::count(uint64_t minBytesPerEntry) {
  return checkCount(uleb(), minBytesPerEntry);
}

uint64_t BinaryReader::index(uint64_t size, const char *what) {
  uint64_t value = uleb();
  if (LLVM_LIKELY(value < size) || failure)
    return failure ? 0 : value;
  fail(llvm::Twine(what) + " " + llvm::Twine(value) +
       " out of range, there "
       "are " +
       llvm::Twine(size));
  return 0;
}

BinaryReader BinaryReader::sub(uint64_t size) {
  InputLocation start = location();
  llvm::StringRef data = bytes(size);
  BinaryReader result(data, std::move(start));
  if (failure)
    result.failure = Failure{0, failure->message};
  return result;
}

void BinaryReader::alignTo(uint64_t alignment) {
  assert(llvm::isPowerOf2_64(alignment) && "alignments are powers of two");
  uint64_t padding = llvm::alignTo(position(), alignment) - position();
  llvm::StringRef skipped = bytes(padding);
  if (skipped.find_first_not_of('\0') != llvm::StringRef::npos)
    fail("padding is not zero");
}

void BinaryReader::seek(uint64_t position) {
  if (failure)
    return;
  if (position > size())
    return fail("offset " + llvm::Twine(position) + " outside of " +
                llvm::Twine(size()) + " bytes");
  cursor = begin + position;
}

void BinaryWriter::sleb(int64_t value) {
  while (true) {
    uint8_t byte = static_cast<uint8_t>(value & 0x7f);
    value >>= 7;
    bool last =
        (value == 0 && !(byte & 0x40)) || (value == -1 && (byte & 0x40));
    u8(last ? byte : byte | 0x80);
    if (last)
      return;
  }
}

void BinaryWriter::alignTo(uint64_t alignment) {
  assert(llvm::isPowerOf2_64(alignment) && "alignments are powers of two");
  zeros(llvm::alignTo(size(), alignment) - size());
}
