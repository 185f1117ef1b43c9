//===- MemoryRow.cpp - What is known of one access to memory --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/access/MemoryRow.h"

using namespace llvm;

namespace gpulto {

StringRef wordFor(AccessVerdict verdict) {
  static constexpr StringLiteral kWords[] = {
      "broadcast",   "coalesced", "misaligned", "strided",
      "uncoalesced", "conflict",  "irregular",  "unknown"};
  static_assert(std::size(kWords) == size_t(AccessVerdict::Last) + 1);
  return kWords[static_cast<size_t>(verdict)];
}

StringRef wordFor(AccessKind kind) {
  static constexpr StringLiteral kWords[] = {"load", "store", "atomic"};
  static_assert(std::size(kWords) == size_t(AccessKind::Last) + 1);
  return kWords[static_cast<size_t>(kind)];
}

StringRef wordFor(MemorySpace space) {
  static constexpr StringLiteral kWords[] = {"global", "shared", "constant"};
  static_assert(std::size(kWords) == size_t(MemorySpace::Last) + 1);
  return kWords[static_cast<size_t>(space)];
}

} // namespace gpulto
