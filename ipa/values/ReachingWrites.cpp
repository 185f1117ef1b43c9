//===- ReachingWrites.cpp - Which writes of a variable were last ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: which writes of some bytes of a local variable may have been the last
// when control is at a place. A write determines its bytes if, whichever way
// leads there, no other one that overlaps them comes after it.
//
// All questions are asked of ReachingDefinitions, with the writes that matter
// (definitions): an allocation may fail, so what was there before may be left;
// what a call that throws has left is not known.
//
// Source: reaching definitions: A. Aho, M. Lam, R. Sethi, J. Ullman,
// "Compilers", 9.2.4.
//
//===----------------------------------------------------------------------===//

#include "ipa/values/ReachingWrites.h"

#include "ipa/values/RuntimeCalls.h"
#include "ipa/values/ValueLimits.h"
#include "ipa/values/ValueShapes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace gpulto {

ReachingWrites::ReachingWrites(LgenContext &context, llvm::Function &function)
    : context(context), function(function),
      layout(function.getParent()->getDataLayout()) {}

ReachingWrites::~ReachingWrites() = default;

ReachingWrites::Answers &ReachingWrites::answersOf(const LocalVariable &local) {
  std::unique_ptr<Answers> &found = answers[&local];
  if (!found)
    found = std::make_unique<Answers>();
  return *found;
}

/// Whether \p instruction leaves nothing but zeros or null.
static bool writesNull(const llvm::Instruction &instruction) {
  auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  auto *constant =
      store ? llvm::dyn_cast<llvm::Constant>(store->getValueOperand())
            : nullptr;
  return isZeroFill(instruction) || (constant && constant->isNullValue());
}

/// The writes of \p local, by their places in the list, that may be of the
/// \p size bytes at byte \p offset.
ReachingDefinitions &ReachingWrites::definitions(const LocalVariable &local,
                                                 uint64_t offset, uint64_t size,
                                                 Among among) {
  auto &reaching = answersOf(local).reaching;
  auto known = reaching.find({offset, size, among});
  if (known != reaching.end())
    return known->second;
  using DefinitionKind = Definition::Kind;
  llvm::SmallVector<Definition, 8> list;
  for (auto [id, write] : llvm::enumerate(local.writes)) {
    const llvm::Instruction &instruction = *write.instruction;
    bool isOfThese = overlaps(write.offset, write.size, offset, size);
    // What a call that throws has left is not known.
    auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(&instruction);
    if (invoke && (isOfThese || among == Among::All))
      list.push_back({invoke->getUnwindDest(), nullptr, DefinitionKind::Loses});
    if (!isOfThese || (among == Among::NonNull && writesNull(instruction)))
      continue;
    bool mayFail = among == Among::All && asAllocation(instruction);
    list.push_back({instruction.getParent(), &instruction,
                    mayFail ? DefinitionKind::Adds : DefinitionKind::Sets,
                    static_cast<uint32_t>(id)});
  }
  // Undefined: any value will do.
  if (among == Among::All && !list.empty())
    for (const llvm::Instruction *start : local.starts)
      list.push_back({start->getParent(), start, DefinitionKind::Forgets});
  return reaching
      .try_emplace({offset, size, among}, list, function, context.analyses)
      .first->second;
}

bool ReachingWrites::isKeptBefore(const LocalVariable &local,
                                  const llvm::Instruction &at) {
  if (local.escapesUnseen || local.keepers.empty())
    return local.escapesUnseen;
  std::optional<ReachingDefinitions> &kept = answersOf(local).kept;
  if (!kept) {
    llvm::SmallVector<Definition, 4> keeping;
    for (const llvm::Instruction *keeper : local.keepers)
      keeping.push_back({keeper->getParent(), keeper});
    kept.emplace(keeping, function, context.analyses);
  }
  ReachingSet keepers = kept->before(at);
  return !keepers.isKnown || !keepers.ids.empty();
}

/// The instruction that wrote \p bytes of \p local, all of them, when \p at
/// executes: whichever way leads there, it is the last that wrote one of them.
/// Null if there is none.
const llvm::Instruction *ReachingWrites::lastOf(const LocalVariable &local,
                                                LocalBytes bytes,
                                                const llvm::Instruction &at) {
  if (bytes.size == kUnboundedSize)
    return nullptr;
  ReachingSet set =
      definitions(local, bytes.offset, bytes.size, Among::Each).before(at);
  bool isOne = set.isKnown && !set.fromEntry && set.ids.size() == 1;
  return isOne ? local.writes[set.ids.front()].instruction : nullptr;
}

bool ReachingWrites::reaches(const LocalWrite &write,
                             const LocalVariable &local,
                             const llvm::Instruction &at) {
  return lastOf(local, {write.offset, write.size}, at) == write.instruction;
}

llvm::SmallVector<const LocalWrite *, 8>
ReachingWrites::lastWrites(const LocalVariable &local, uint64_t offset,
                           uint64_t size, const llvm::Instruction &at) {
  llvm::SmallVector<const llvm::Instruction *, 16> last(local.ranges.size());
  for (auto [range, instruction] : llvm::zip_equal(local.ranges, last))
    if (overlaps(range.offset, range.size, offset, size))
      instruction = lastOf(local, range, at);
  llvm::SmallVector<const LocalWrite *, 8> result;
  for (const LocalWrite &write : local.writes)
    if (last[write.range] == write.instruction)
      result.push_back(&write);
  return result;
}

LastWrites ReachingWrites::before(const LocalVariable &local, uint64_t offset,
                                  uint64_t size, Places places) {
  ReachingDefinitions &writes = definitions(local, offset, size, Among::All);
  ReachingSet set;
  for (const llvm::Instruction *place : places)
    set.unite(writes.before(*place));
  LastWrites result;
  result.isKnown = set.isKnown;
  result.fromEntry = set.fromEntry;
  for (uint32_t id : set.ids)
    result.writes.push_back(&local.writes[id]);
  return result;
}

/// What \p bytes of \p local are told in: what is written as a whole, and what
/// is between, which only callees and copies write.
static std::vector<ToldBytes> findRanges(const LocalVariable &local,
                                         LocalBytes bytes) {
  std::vector<ToldBytes> ranges;
  uint64_t end = bytes.offset + bytes.size;
  for (const LocalWrite &write : local.writes) {
    auto *store = llvm::dyn_cast<llvm::StoreInst>(write.instruction);
    bool isAllocation = asAllocation(*write.instruction);
    if ((!store && !isAllocation) || write.size == kUnboundedSize ||
        write.offset < bytes.offset || write.offset + write.size > end)
      continue;
    ranges.push_back(
        {write.offset, write.size,
         isAllocation || store->getValueOperand()->getType()->isPointerTy()});
  }
  llvm::sort(ranges);
  ranges.erase(llvm::unique(ranges), ranges.end());
  llvm::SmallVector<LocalBytes, 16> gaps;
  uint64_t covered = bytes.offset;
  for (const ToldBytes &range : ranges) {
    if (range.offset > covered)
      gaps.push_back({covered, range.offset - covered});
    covered = std::max(covered, range.offset + range.size);
  }
  if (covered < end)
    gaps.push_back({covered, end - covered});
  // Zeros are told in words.
  constexpr uint64_t kWordBytes = 8;
  bool isFilled = llvm::any_of(local.writes, [](const LocalWrite &write) {
    return isZeroFill(*write.instruction);
  });
  for (const LocalBytes &gap : gaps) {
    uint64_t step =
        isFilled && gap.size <= kMaxParts * kWordBytes ? kWordBytes : gap.size;
    for (uint64_t i = gap.offset; i < gap.offset + gap.size; i += step)
      ranges.push_back({i, std::min(step, gap.offset + gap.size - i), false});
  }
  return ranges;
}

const std::vector<ToldBytes> &
ReachingWrites::rangesOf(const LocalVariable &local, LocalBytes bytes) {
  auto [ranges, isNew] = answersOf(local).ranges.try_emplace(bytes);
  if (isNew)
    ranges->second = findRanges(local, bytes);
  return ranges->second;
}

bool ReachingWrites::isFirst(const LocalWrite &write,
                             const LocalVariable &local) {
  ReachingSet before =
      definitions(local, write.offset, write.size, Among::NonNull)
          .before(*write.instruction);
  return before.isKnown && llvm::all_of(before.ids, [&](uint32_t id) {
           return &local.writes[id] == &write;
         });
}

const std::optional<ReachingWrites::StoredValues> &
ReachingWrites::storedAt(const LocalVariable &local, uint64_t offset) {
  auto [values, isNew] = answersOf(local).stored.try_emplace(offset);
  if (isNew)
    values->second = findStored(local, offset);
  return values->second;
}

/// What is stored at byte \p offset of \p local anywhere; not pointers to
/// memory that calls allocate there, nor zeros. Nothing if something else is
/// written there, or nothing is.
std::optional<ReachingWrites::StoredValues>
ReachingWrites::findStored(const LocalVariable &local, uint64_t offset) const {
  bool isWritten = false;
  StoredValues values;
  for (const LocalWrite &write : local.writes) {
    auto *store = llvm::dyn_cast<llvm::StoreInst>(write.instruction);
    auto *call = llvm::dyn_cast<llvm::CallBase>(write.instruction);
    bool isWhole =
        write.offset == offset &&
        ((store && store->isSimple()) || (call && allocationResult(*call)));
    if (!overlaps(write.offset, write.size, offset, layout.getPointerSize()) ||
        isZeroFill(*write.instruction))
      continue;
    if (!isWhole ||
        (store && !store->getValueOperand()->getType()->isPointerTy()))
      return std::nullopt;
    isWritten = true;
    if (store)
      values.push_back(store->getValueOperand());
  }
  return isWritten ? std::optional(values) : std::nullopt;
}

} // namespace gpulto
