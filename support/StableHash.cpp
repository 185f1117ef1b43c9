//===- StableHash.cpp - Digests that are the same everywhere --------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/StableHash.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <cstdio>

using namespace gpulto;

std::string Digest::hex() const {
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx",
                static_cast<unsigned long long>(hi),
                static_cast<unsigned long long>(lo));
  return text;
}

bool Digest::fromHex(llvm::StringRef text, Digest &result) {
  constexpr llvm::StringLiteral kDigits = "0123456789abcdef";
  if (text.size() != 32 ||
      text.find_first_not_of(kDigits) != llvm::StringRef::npos)
    return false;
  return !text.take_front(16).getAsInteger(16, result.hi) &&
         !text.drop_front(16).getAsInteger(16, result.lo);
}

llvm::raw_ostream &gpulto::operator<<(llvm::raw_ostream &os,
                                      const Digest &digest) {
  return os << digest.hex();
}

Digest gpulto::digestOf(llvm::ArrayRef<uint8_t> bytes) {
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(bytes);
  return {hash.low64, hash.high64};
}

Digest gpulto::digestOf(llvm::StringRef bytes) {
  return digestOf(llvm::ArrayRef(bytes.bytes_begin(), bytes.size()));
}

void StableHasher::addWord(uint64_t word) {
  char raw[8];
  llvm::support::endian::write64le(raw, word);
  buffer.append(raw, raw + sizeof(raw));
  totalBytes += sizeof(raw);
  if (LLVM_UNLIKELY(buffer.size() >= kBlockBytes))
    compress();
}

void StableHasher::addBytes(llvm::StringRef bytes) {
  addWord(bytes.size());
  totalBytes += bytes.size();
  // The block borders follow from the lengths alone, so the result depends on
  // the pieces and not on how the memory grew.
  while (buffer.size() + bytes.size() >= kBlockBytes) {
    size_t part = kBlockBytes - buffer.size();
    buffer.append(bytes.begin(), bytes.begin() + part);
    bytes = bytes.drop_front(part);
    compress();
  }
  buffer.append(bytes.begin(), bytes.end());
}

void StableHasher::compress() {
  Digest block = digestOf(llvm::StringRef(buffer.data(), buffer.size()));
  buffer.resize(16);
  llvm::support::endian::write64le(buffer.data(), block.lo);
  llvm::support::endian::write64le(buffer.data() + 8, block.hi);
}

Digest StableHasher::finish() const {
  llvm::SmallVector<char, 512> last(buffer.begin(), buffer.end());
  char raw[8];
  llvm::support::endian::write64le(raw, totalBytes);
  last.append(raw, raw + sizeof(raw));
  return digestOf(llvm::StringRef(last.data(), last.size()));
}
