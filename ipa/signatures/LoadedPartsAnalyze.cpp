//===- LoadedPartsAnalyze.cpp - What is only loaded through arguments -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: pass a few scalars to a function that only loads these from an
// aggregate it gets by reference, so that its callers need not keep the
// aggregate in memory.
//
//   double area(const Box &box) { return box.width * box.height; }
//   -> parameter 0: float 64 at 0, float 64 at 8
//
// Callers will load the parts before the call, the body later, so for each part
//
//  1. all uses of the parameter are plain loads (argumentLoads);
//  2. it may be loaded at the entry: a load of it always runs, or the parameter
//     is dereferenceable, as references of C++ are (isLoadable);
//  3. nothing that may run before a load of it writes there (isUnchanged).
//
// Source: LLVM's ArgumentPromotion.cpp; M. Jambor, GCC's ipa-sra.cc.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/LgenContext.h"
#include "ipa/signatures/LoadedParts.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassManager.h"

namespace gpulto {

namespace {

/// More loads or parts than this are seldom worth parameters; GCC's
/// ipa-sra-max-replacements is 8.
constexpr size_t kMaxLoads = 16, kMaxParts = 8;
constexpr uint64_t kMaxOffset = uint64_t(1) << 30;
/// Larger objects would not be passed in parts anyway: the most that
/// loadedPartsBytes may be.
constexpr uint64_t kMaxReferenceBytes = 64;

std::optional<LoadedPart> partOf(const ArgumentLoad &load, uint32_t parameter) {
  LoadedPart part;
  part.parameter = parameter;
  part.byteOffset = load.byteOffset;
  llvm::Type *type = load.load->getType();
  if (type->isPointerTy())
    part.kind = ScalarKind::Pointer;
  else
    part.bitWidth = static_cast<uint16_t>(type->getScalarSizeInBits());
  if (type->isFloatingPointTy())
    part.kind = ScalarKind::Float;
  if (scalarType(part.kind, part.bitWidth, type->getContext()) != type)
    return std::nullopt;
  return part;
}

/// Returns why \p use, of a pointer that leads to an argument, needs the
/// pointer; nothing if it does more than read.
std::optional<PointerNeed> needOf(const llvm::Use &use,
                                  const llvm::DataLayout &layout) {
  const llvm::User *user = use.getUser();
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user))
    return load->isSimple() ? PointerNeed::None : PointerNeed::Volatile;
  if (auto *step = llvm::dyn_cast<llvm::GEPOperator>(user)) {
    llvm::APInt distance(layout.getIndexTypeSizeInBits(step->getType()), 0);
    return step->accumulateConstantOffset(layout, distance)
               ? PointerNeed::None
               : PointerNeed::AnyPlace;
  }
  if (llvm::isa<llvm::ICmpInst>(user))
    return PointerNeed::Compared;
  auto *call = llvm::dyn_cast<llvm::CallBase>(user);
  if (!call || !call->isArgOperand(&use) ||
      !call->onlyReadsMemory(call->getArgOperandNo(&use)))
    return std::nullopt;
  return llvm::isa<llvm::MemTransferInst>(call) ? PointerNeed::Copied
                                                : PointerNeed::HandedOn;
}

/// Returns what the small object behind \p argument, a reference, has to be in
/// memory for, if its function only reads it.
PointerNeed needOfReference(const llvm::Argument &argument,
                            const llvm::DataLayout &layout) {
  uint64_t bytes = argument.getDereferenceableBytes();
  if (bytes == 0 || bytes > kMaxReferenceBytes)
    return PointerNeed::None;
  PointerNeed first = PointerNeed::None;
  llvm::SmallVector<const llvm::Value *, 8> work = {&argument};
  while (!work.empty())
    for (const llvm::Use &use : work.pop_back_val()->uses()) {
      std::optional<PointerNeed> need = needOf(use, layout);
      if (!need)
        return PointerNeed::None;
      if (first == PointerNeed::None || *need < first)
        first = *need == PointerNeed::None ? first : *need;
      if (llvm::isa<llvm::GEPOperator>(use.getUser()))
        work.push_back(use.getUser());
    }
  return first;
}

class LoadsCollector {
public:
  LoadsCollector(LgenContext &context, const llvm::Argument &argument)
      : context(context), argument(argument),
        function(const_cast<llvm::Function &>(*argument.getParent())) {}

  PointerNeed run();

private:
  PointerNeed findParts(llvm::ArrayRef<ArgumentLoad> loads,
                        std::vector<LoadedPart> &found) const;
  bool alwaysRuns(const llvm::LoadInst &load) const;
  bool isUnchanged(const llvm::LoadInst &load);
  void makeLoadable(const llvm::LoadInst &load, LoadedPart &part,
                    bool &isLoadable) const;

  LgenContext &context;
  const llvm::Argument &argument;
  llvm::Function &function; // as analyses want it; nothing changes
};

} // namespace

/// Whether \p load runs whenever the function does.
bool LoadsCollector::alwaysRuns(const llvm::LoadInst &load) const {
  const llvm::BasicBlock &entry = function.getEntryBlock();
  return load.getParent() == &entry &&
         llvm::isGuaranteedToTransferExecutionToSuccessor(
             entry.begin(), load.getIterator(), /*ScanLimit=*/256);
}

/// Whether \p load finds what was there at the function's entry.
bool LoadsCollector::isUnchanged(const llvm::LoadInst &load) {
  auto &aliases = context.analyses.getResult<llvm::AAManager>(function);
  llvm::MemoryLocation location = llvm::MemoryLocation::get(&load);
  const llvm::BasicBlock *block = load.getParent();
  if (aliases.canInstructionRangeModRef(block->front(), load, location,
                                        llvm::ModRefInfo::Mod))
    return false;
  llvm::df_iterator_default_set<const llvm::BasicBlock *, 16> seen;
  for (const llvm::BasicBlock *before : llvm::predecessors(block))
    for (const llvm::BasicBlock *any : llvm::inverse_depth_first_ext(
             const_cast<llvm::BasicBlock *>(before), seen))
      if (aliases.canBasicBlockModify(*any, location))
        return false;
  return true;
}

/// Sets \p isLoadable if \p part, which \p load loads, can be loaded wherever
/// the function is called, and what is known of its alignment there.
void LoadsCollector::makeLoadable(const llvm::LoadInst &load, LoadedPart &part,
                                  bool &isLoadable) const {
  auto raise = [&](llvm::Align align) {
    part.alignLog2 =
        std::max<uint8_t>(part.alignLog2, static_cast<uint8_t>(Log2(align)));
    isLoadable = true;
  };
  if (alwaysRuns(load))
    raise(load.getAlign());
  if (argument.getDereferenceableBytes() >=
      uint64_t(part.byteOffset) + part.sizeBytes())
    raise(llvm::commonAlignment(argument.getParamAlign().valueOrOne(),
                                part.byteOffset));
}

/// Sets \p found to the parts that \p loads, by place, load, or returns why
/// they cannot be loaded by callers.
PointerNeed LoadsCollector::findParts(llvm::ArrayRef<ArgumentLoad> loads,
                                      std::vector<LoadedPart> &found) const {
  bool isLoadable = true;
  for (const ArgumentLoad &load : loads) {
    std::optional<LoadedPart> part = partOf(load, argument.getArgNo());
    if (!part)
      return PointerNeed::OtherType;
    if (found.empty() || found.back().byteOffset != part->byteOffset) {
      if (!isLoadable)
        return PointerNeed::Condition;
      if (!found.empty() &&
          found.back().byteOffset + found.back().sizeBytes() > part->byteOffset)
        return PointerNeed::Overlaps;
      if (found.size() == kMaxParts)
        return PointerNeed::TooMany;
      found.push_back(*part);
      isLoadable = false;
    }
    LoadedPart &last = found.back();
    if (last.kind != part->kind || last.bitWidth != part->bitWidth)
      return PointerNeed::Overlaps;
    makeLoadable(*load.load, last, isLoadable);
  }
  return isLoadable ? PointerNeed::None : PointerNeed::Condition;
}

PointerNeed LoadsCollector::run() {
  const llvm::DataLayout &layout = context.module.getDataLayout();
  std::optional<ArgumentLoads> loads = argumentLoads(argument, layout);
  if (!loads)
    return needOfReference(argument, layout);
  if (loads->size() > kMaxLoads)
    return PointerNeed::TooMany;
  llvm::sort(*loads, [](const ArgumentLoad &a, const ArgumentLoad &b) {
    return a.byteOffset < b.byteOffset;
  });
  std::vector<LoadedPart> found;
  if (PointerNeed need = findParts(*loads, found); need != PointerNeed::None)
    return need;
  if (!llvm::all_of(*loads, [&](const ArgumentLoad &load) {
        return isUnchanged(*load.load);
      }))
    return PointerNeed::Changed;
  llvm::append_range(context.summary.loadedParts, found);
  return PointerNeed::None;
}

std::optional<ArgumentLoads> argumentLoads(const llvm::Argument &argument,
                                           const llvm::DataLayout &layout) {
  ArgumentLoads loads;
  llvm::SmallVector<std::pair<const llvm::Value *, uint64_t>, 8> work = {
      {&argument, 0}};
  while (!work.empty()) {
    auto [pointer, offset] = work.pop_back_val();
    for (const llvm::Use &use : pointer->uses()) {
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(use.getUser());
          load && load->isSimple()) {
        loads.push_back({const_cast<llvm::LoadInst *>(load),
                         static_cast<uint32_t>(offset)});
        continue;
      }
      auto *step = llvm::dyn_cast<llvm::GetElementPtrInst>(use.getUser());
      llvm::APInt distance(layout.getIndexTypeSizeInBits(argument.getType()),
                           offset);
      if (!step || step->getType()->isVectorTy() ||
          !step->accumulateConstantOffset(layout, distance) ||
          distance.ugt(kMaxOffset))
        return std::nullopt;
      work.push_back({step, distance.getZExtValue()});
    }
  }
  return loads;
}

llvm::Type *scalarType(ScalarKind kind, unsigned bitWidth,
                       llvm::LLVMContext &context) {
  switch (kind) {
  case ScalarKind::Integer:
    if (bitWidth == 8 || bitWidth == 16 || bitWidth == 32 || bitWidth == 64)
      return llvm::Type::getIntNTy(context, bitWidth);
    return nullptr;
  case ScalarKind::Float:
    if (bitWidth == 32)
      return llvm::Type::getFloatTy(context);
    return bitWidth == 64 ? llvm::Type::getDoubleTy(context) : nullptr;
  case ScalarKind::Pointer:
    return llvm::PointerType::get(context, /*AddressSpace=*/0);
  }
  return nullptr;
}

PointerNeed addLoadedParts(LgenContext &context,
                           const llvm::Argument &argument) {
  if (!argument.getType()->isPointerTy())
    return PointerNeed::None;
  return LoadsCollector(context, argument).run();
}

} // namespace gpulto
