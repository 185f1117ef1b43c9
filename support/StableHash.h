//===- StableHash.h - Digests that are the same everywhere ------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Digests identify contents: cache keys, job inputs, equal bodies. They depend
// only on the bytes put in: no pointers, no seeds, no host byte order.
//
// The function is XXH3-128 (LLVM's copy): faster than reading the file. It is
// not cryptographic: 128 bits exclude accidental collisions, and deliberately
// colliding inputs can only deceive one's own link.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_SUPPORT_STABLEHASH_H
#define GPULTO_SUPPORT_STABLEHASH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <compare>
#include <cstdint>
#include <string>
#include <type_traits>

namespace llvm {
class raw_ostream;
}

namespace gpulto {

/// A 128-bit digest. The all-zero value means "none".
struct Digest {
  uint64_t lo = 0;
  uint64_t hi = 0;

  friend bool operator==(const Digest &, const Digest &) = default;
  /// Orders by hi, then lo: the order of the printed forms.
  friend std::strong_ordering operator<=>(const Digest &a, const Digest &b) {
    if (auto order = a.hi <=> b.hi; order != 0)
      return order;
    return a.lo <=> b.lo;
  }

  bool isNone() const { return lo == 0 && hi == 0; }
  /// Returns 32 lower-case hexadecimal digits, hi first.
  std::string hex() const;
  /// Reads what hex() wrote; returns false on anything else.
  static bool fromHex(llvm::StringRef text, Digest &result);
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Digest &digest);

/// Returns the digest of \p bytes. Fast for megabytes.
Digest digestOf(llvm::StringRef bytes);
Digest digestOf(llvm::ArrayRef<uint8_t> bytes);

/// Computes a digest piece by piece. Every piece has a fixed width or carries
/// its length, so `add("ab"), add("c")` differs from `add("a"), add("bc")`.
/// Results are not comparable with digestOf().
class StableHasher {
public:
  /// Adds an integer or enumeration as eight little-endian bytes
  /// (signed values sign-extended).
  template <typename T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  void add(T value) {
    if constexpr (std::is_signed_v<T>)
      addWord(static_cast<uint64_t>(static_cast<int64_t>(value)));
    else
      addWord(static_cast<uint64_t>(value));
  }
  /// Adds length and bytes.
  void add(llvm::StringRef text) { addBytes(text); }
  void add(const char *text) { addBytes(text); }
  void add(const std::string &text) { addBytes(text); }
  void add(const Digest &digest) {
    addWord(digest.lo);
    addWord(digest.hi);
  }
  void addBytes(llvm::StringRef bytes);

  /// Returns the digest of everything added so far; more may be added after.
  Digest finish() const;

private:
  void addWord(uint64_t word);
  void compress();

  /// Bytes not yet hashed; when it reaches kBlockBytes it is replaced by its
  /// own digest, so memory stays bounded.
  llvm::SmallVector<char, 256> buffer;
  uint64_t totalBytes = 0;
  static constexpr size_t kBlockBytes = 64 * 1024;
};

/// For llvm::DenseMap keys and std::unordered_map; never iterated to output.
inline size_t hash_value(const Digest &digest) {
  return static_cast<size_t>(digest.lo ^ (digest.hi * 0x9e3779b97f4a7c15ull));
}

} // namespace gpulto

template <> struct llvm::DenseMapInfo<gpulto::Digest> {
  static gpulto::Digest getEmptyKey() { return {~0ull, ~0ull}; }
  static gpulto::Digest getTombstoneKey() { return {~0ull - 1, ~0ull}; }
  static unsigned getHashValue(const gpulto::Digest &digest) {
    return static_cast<unsigned>(gpulto::hash_value(digest));
  }
  static bool isEqual(const gpulto::Digest &a, const gpulto::Digest &b) {
    return a == b;
  }
};

template <> struct std::hash<gpulto::Digest> {
  size_t operator()(const gpulto::Digest &digest) const {
    return gpulto::hash_value(digest);
  }
};

#endif // GPULTO_SUPPORT_STABLEHASH_H
