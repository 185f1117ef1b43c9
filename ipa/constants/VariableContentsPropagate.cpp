//===- VariableContentsPropagate.cpp - What variables hold ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: what a load of a variable of the program yields: what all that is
// stored there anywhere, and its initializer, have in common.
//
//   static int width = 640;    init() { cudaMalloc(&out, n); }
//   launch() { kernel<<<...>>>(out, width); }
//
// Visits of bodies lower what is stored (lower); who has read the variable is
// visited again. Linear in stores and readers of each variable.
//
// Source: GCC's ipa-cp and ipa-reference treat read-only variables alike.
//
//===----------------------------------------------------------------------===//

#include "ipa/constants/VariableContents.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gpulto {

bool VariableContents::lower(GlobalId id, const VariableStore &store,
                             const ValueLattice &value) {
  std::vector<StoredValue> &values = stored[id];
  auto known = find_if(values, [&](const StoredValue &other) {
    return other.byteOffset == store.byteOffset &&
           other.sizeBytes == store.sizeBytes;
  });
  if (known == values.end())
    known = values.insert(known,
                          {store.byteOffset, store.sizeBytes, ValueLattice()});
  return known->value.meet(value);
}

bool VariableContents::isKnown(GlobalId id) const {
  return context.decisions.isPlainlyWritten(id);
}

void VariableContents::noteReader(GlobalId id) {
  ++readCount;
  if (visited != kNone)
    readers[id].insert(visited);
}

/// Returns the \p width bits from byte \p byte on of \p value, which has all of
/// them.
static ValueLattice bytesWithin(const ValueLattice &value, uint64_t byte,
                                unsigned width) {
  constexpr unsigned kByteBits = 8;
  if (value.isTop())
    return value;
  if (!value.isConstant() || !width || kByteBits * byte + width > value.width())
    return ValueLattice::varying(width);
  uint64_t bits = value.value() >> (kByteBits * byte);
  return ValueLattice::constant(bits & llvm::maskTrailingOnes<uint64_t>(width),
                                width);
}

void VariableContents::meetStored(GlobalId id, const JumpFunction &function,
                                  ValueLattice &result) const {
  auto found = stored.find(id);
  if (found == stored.end())
    return;
  uint64_t begin = function.value, size = bytesOf(function.bitWidth);
  for (const StoredValue &value : found->second) {
    if (value.byteOffset >= begin + size ||
        value.byteOffset + uint64_t(value.sizeBytes) <= begin)
      continue;
    bool isSame =
        value.byteOffset == begin && value.sizeBytes == size &&
        (value.value.isTop() || value.value.width() == function.bitWidth);
    bool isWithin = value.byteOffset <= begin &&
                    begin - value.byteOffset + size <= value.sizeBytes;
    result.meet(isSame     ? value.value
                : isWithin ? bytesWithin(value.value, begin - value.byteOffset,
                                         function.bitWidth)
                           : ValueLattice::varying(function.bitWidth));
  }
}

} // namespace gpulto
