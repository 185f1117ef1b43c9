//===- SummaryCoding.cpp - How a summary's fields become bytes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "summary/SummaryCoding.h"

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

} // namespace

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
