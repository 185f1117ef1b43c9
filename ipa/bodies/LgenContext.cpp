//===- LgenContext.cpp - What the LGEN analyses share ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/bodies/LgenContext.h"

#include "ipa/bodies/Passes.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassManager.h"

#include <algorithm>
#include <bit>

namespace gpulto {

namespace {
/// Frequency of a block that runs once per entry.
constexpr uint64_t kOncePerEntry = 256;
constexpr uint64_t kMaxFrequency = uint64_t(1) << 30;
} // namespace

bool isCallEdge(const llvm::CallBase &call) {
  return !call.isInlineAsm() && !llvm::isa<llvm::IntrinsicInst>(call);
}

uint64_t keepThreeBits(uint64_t value) {
  unsigned width = std::bit_width(value);
  if (width <= 3)
    return value;
  unsigned dropped = width - 3;
  return value >> dropped << dropped;
}

namespace {
void hashFields(StableHasher &hasher, const JumpFunction &j) {
  hasher.add(uint64_t(j.kind) | uint64_t(j.operation) << 8 |
             uint64_t(j.bitWidth) << 16 | uint64_t(j.source) << 32);
  hasher.add(j.value);
  hasher.add(uint64_t(j.count) | uint64_t(j.alignLog2) << 32 |
             uint64_t(j.addressSpace) << 40 | uint64_t(j.nonNull) << 48);
  hasher.add(j.parameter);
  hasher.add(j.low);
  hasher.add(j.high);
}
} // namespace

size_t hashOf(const JumpFunction &j) {
  return llvm::hash_combine(uint8_t(j.kind), uint8_t(j.operation), j.bitWidth,
                            j.source, j.value, j.count, j.parameter, j.low,
                            j.high, j.alignLog2);
}

size_t hashOf(const HandleFlow &flow) {
  return llvm::hash_combine(hashOf(flow.handle), flow.call, flow.argument,
                            flow.beforeBytes, uint8_t(flow.to), flow.variable);
}

size_t hashOf(const VariableStore &store) {
  return llvm::hash_combine(store.variable, uint32_t(store.byteOffset),
                            store.sizeBytes, hashOf(store.value));
}

Range JumpFunctionTable::add(llvm::ArrayRef<JumpFunction> list) {
  if (list.empty())
    return {};
  StableHasher hasher;
  for (const JumpFunction &j : list)
    hashFields(hasher, j);
  auto [entry, isNew] = lists.try_emplace(hasher.finish());
  if (isNew) {
    entry->second = {static_cast<uint32_t>(summary.jumpFunctions.size()),
                     static_cast<uint32_t>(list.size())};
    summary.jumpFunctions.insert(summary.jumpFunctions.end(), list.begin(),
                                 list.end());
  }
  return entry->second;
}

Range JumpFunctionTable::addTrimmed(llvm::ArrayRef<JumpFunction> list) {
  auto isVoid = [](JumpFunction j) {
    j.bitWidth = 0;
    return j == JumpFunction();
  };
  while (!list.empty() && isVoid(list.back()))
    list = list.drop_back();
  return add(list);
}

JumpFunction JumpFunctionTable::aggregate(llvm::ArrayRef<AggregatePart> parts) {
  StableHasher hasher;
  for (const AggregatePart &part : parts) {
    hasher.add(uint32_t(part.byteOffset));
    hashFields(hasher, part.value);
  }
  auto [entry, isNew] = partLists.try_emplace(hasher.finish());
  if (isNew) {
    entry->second = {static_cast<uint32_t>(summary.aggregateParts.size()),
                     static_cast<uint32_t>(parts.size())};
    summary.aggregateParts.insert(summary.aggregateParts.end(), parts.begin(),
                                  parts.end());
  }
  JumpFunction result;
  result.kind = JumpFunction::Kind::Aggregate;
  result.source = entry->second.first;
  result.count = entry->second.count;
  return result;
}

EntryFrequencies::EntryFrequencies(LgenContext &context,
                                   llvm::Function &function) {
  if (function.size() == 1)
    return;
  frequencies =
      &context.analyses.getResult<llvm::BlockFrequencyAnalysis>(function);
  entry = std::max<uint64_t>(
      1, frequencies->getBlockFreq(&function.getEntryBlock()).getFrequency());
}

uint32_t EntryFrequencies::of(const llvm::BasicBlock &block) const {
  if (!frequencies)
    return kOncePerEntry;
  uint64_t count = frequencies->getBlockFreq(&block).getFrequency();
  double scaled = double(count) / double(entry) * double(kOncePerEntry);
  if (scaled >= double(kMaxFrequency))
    return kMaxFrequency;
  return static_cast<uint32_t>(keepThreeBits(uint64_t(scaled)));
}

void forEachGlobal(
    const llvm::Constant &constant,
    llvm::function_ref<void(const llvm::GlobalValue &, bool)> found) {
  if (auto *global = llvm::dyn_cast<llvm::GlobalValue>(&constant))
    return found(*global, false);
  if (constant.getNumOperands() == 0)
    return;
  llvm::SmallVector<const llvm::Constant *, 16> stack{&constant};
  llvm::SmallPtrSet<const llvm::Constant *, 16> visited;
  while (!stack.empty()) {
    const llvm::Constant *next = stack.pop_back_val();
    if (auto *global = llvm::dyn_cast<llvm::GlobalValue>(next)) {
      found(*global, false);
      continue;
    }
    if (next->getNumOperands() == 0 || !visited.insert(next).second)
      continue;
    if (auto *address = llvm::dyn_cast<llvm::BlockAddress>(next)) {
      found(*address->getFunction(), true);
      continue;
    }
    for (unsigned i = next->getNumOperands(); i-- > 0;)
      if (auto *operand = llvm::dyn_cast<llvm::Constant>(next->getOperand(i)))
        stack.push_back(operand);
  }
}

} // namespace gpulto
