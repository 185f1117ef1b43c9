//===- SummaryCoding.cpp - How a summary's fields become bytes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "summary/SummaryCoding.h"

#include "llvm/Support/Compression.h"

namespace gpulto {

namespace {

/// Where a name was found.
enum NameForm : uint64_t {
  /// In the bitcode's names, right behind the name before.
  kNextBitcodeName = 0,
  /// In the bitcode's names, at a distance from there.
  kBitcodeName = 1,
  /// In the summary's own names, behind the name before.
  kOwnName = 2,
  /// The name of the symbol's COMDAT group.
  kComdatName = 3,
};

constexpr uint64_t kNoRange = 0;
constexpr uint64_t kExplicitRange = 2;

/// Measured on six files of ggml, 188 KB of events and values: level 5 leaves
/// 29.2 KB after 1.0 ms, 9 leaves 27.9 after 2.5, 19 leaves 27.3 after 81. All
/// are read in 0.2 ms.
constexpr int kPackLevel = 9;
/// Fewer are read faster as they are.
constexpr size_t kLeastPacked = 256;

} // namespace

void pack(llvm::StringRef bytes, BinaryWriter &out) {
  llvm::SmallVector<uint8_t, 0> packed;
  if (bytes.size() >= kLeastPacked)
    llvm::compression::zstd::compress(llvm::arrayRefFromStringRef(bytes),
                                      packed, kPackLevel);
  bool isWorthIt = !packed.empty() && packed.size() < bytes.size() &&
                   bytes.size() / kMaxUnpacked <= packed.size();
  if (!isWorthIt) {
    out.uleb(0);
    return out.bytes(bytes);
  }
  out.uleb(packed.size());
  out.uleb(bytes.size());
  out.bytes(llvm::toStringRef(packed));
}

void unpack(BinaryReader &in, uint64_t packedBytes,
            llvm::SmallVectorImpl<uint8_t> &bytes) {
  uint64_t size = in.uleb();
  llvm::StringRef packed = in.bytes(packedBytes);
  if (in.failed())
    return;
  if (size / kMaxUnpacked > packedBytes)
    return in.fail(llvm::Twine(packedBytes) + " packed bytes cannot hold " +
                   llvm::Twine(size));
  llvm::Error error = llvm::compression::zstd::decompress(
      llvm::arrayRefFromStringRef(packed), bytes, size);
  if (error)
    return in.fail("damaged zstd frame: " + llvm::toString(std::move(error)));
  if (bytes.size() != size)
    in.fail("packed bytes hold " + llvm::Twine(bytes.size()) + ", expected " +
            llvm::Twine(size));
}

void Encoder::name(llvm::StringRef &value, llvm::StringRef comdat) {
  auto emit = [&](NameForm form) { out.uleb(value.size() << 2 | form); };
  if (!value.empty() && value == comdat) {
    out.uleb(kComdatName);
    return;
  }
  if (names.substr(nextName).starts_with(value)) {
    emit(kNextBitcodeName);
    nextName += value.size();
    return;
  }
  size_t at = names.find(value, nextName);
  if (at == llvm::StringRef::npos)
    at = names.find(value);
  if (at == llvm::StringRef::npos) {
    emit(kOwnName);
    own.bytes(value);
    return;
  }
  emit(kBitcodeName);
  out.uleb(zigzag(int64_t(at) - int64_t(nextName)));
  nextName = at + value.size();
}

void Encoder::range(Range &value, uint32_t, RangeHistory &history) {
  if (value == Range())
    return out.uleb(kNoRange);
  std::pair<uint32_t, uint32_t> key(value.first, value.count);
  if (auto known = history.numbers.find(key); known != history.numbers.end())
    return out.uleb(uint64_t(known->second + 2) << 1);
  history.numbers[key] = history.numbers.size();
  if (value.first == history.end && value.count) {
    out.uleb(uint64_t(value.count) << 1 | 1);
    history.end += value.count;
    return;
  }
  out.uleb(kExplicitRange);
  out.uleb(value.first);
  out.uleb(value.count);
}

void Decoder::name(llvm::StringRef &value, llvm::StringRef comdat) {
  uint64_t code = in.uleb();
  uint64_t size = code >> 2;
  value = {};
  switch (code & 3) {
  case kComdatName:
    check(!comdat.empty() && size == 0, "name of a COMDAT that is not there");
    value = comdat;
    return;
  case kOwnName:
    if (size > own.size() - nextOwn)
      return in.fail("name past the end of the summary's names");
    value = own.substr(nextOwn, size);
    nextOwn += size;
    return;
  case kBitcodeName:
    nextName += static_cast<size_t>(unzigzag(in.uleb()));
    break;
  default:
    break;
  }
  if (nextName > names.size() || size > names.size() - nextName) {
    nextName = 0;
    return in.fail("name past the end of the bitcode's names");
  }
  value = names.substr(nextName, size);
  nextName += size;
}

void Decoder::range(Range &value, uint32_t tableSize, RangeHistory &history) {
  uint64_t code = in.uleb();
  value = {};
  if (code == kNoRange)
    return;
  if ((code & 1) == 0 && code != kExplicitRange) {
    uint64_t number = (code >> 1) - 2;
    if (LLVM_UNLIKELY(number >= history.seen.size()))
      return in.fail("reference to range " + llvm::Twine(number) + " of " +
                     llvm::Twine(history.seen.size()));
    value = history.seen[number];
    return;
  }
  bool isNext = code & 1;
  uint64_t first = isNext ? history.end : in.uleb();
  uint64_t count = isNext ? code >> 1 : in.uleb();
  if (LLVM_UNLIKELY(first > tableSize || count > tableSize - first))
    return in.fail("range past the end of its table");
  value.first = static_cast<uint32_t>(first);
  value.count = static_cast<uint32_t>(count);
  if (isNext)
    history.end += value.count;
  history.seen.push_back(value);
}

} // namespace gpulto
