//===- CopyRecordsTransform.cpp - Note what copies were given (LTRANS) ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   h[i] = x;                  copied = false; h[i] = x;
//   k<<<g, b>>>(d);            copied = false; k<<<g, b>>>(d);
//
// The copy asks and notes (TransfersTransform.cpp):
//
//   if (copied && given == {d, h, n}) ...
//   else { r = cudaMemcpy(d, h, n, k); copied = r == cudaSuccess;
//          given = {d, h, n}; }
//
//===----------------------------------------------------------------------===//

#include "ipa/transfers/CopyRecordsTransform.h"

#include "ipa/bodies/CallMarks.h"
#include "ipa/clones/ClonesTransform.h"
#include "ipa/transfers/Stretches.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <set>

using namespace llvm;

namespace gpulto {

Error markStretches(Function &function, ArrayRef<uint32_t> numbers) {
  std::set<uint32_t> wanted(numbers.begin(), numbers.end());
  uint32_t stretch = 0;
  for (BasicBlock &block : function) {
    for (Instruction &instruction : block) {
      if (endsStretch(instruction))
        ++stretch;
      else if (writesInStretch(instruction) && wanted.erase(stretch))
        setNumberMark(instruction, kStretchMark, stretch);
    }
    ++stretch;
  }
  if (!wanted.empty() && *wanted.rbegin() >= stretch)
    return makeError("'" + function.getName() + "' has " + Twine(stretch) +
                     " stretches, its summary names number " +
                     Twine(*wanted.rbegin()));
  return Error::success();
}

SmallVector<std::pair<uint32_t, Instruction *>, 8>
takeMarkedStretches(Function &function) {
  return takeNumberMarks(function, kStretchMark);
}

/// Returns the variable \p name of the program, which any module defines.
static GlobalVariable &sharedVariable(Module &module, const Twine &name,
                                      Type &type) {
  SmallString<32> text;
  StringRef known = name.toStringRef(text);
  if (GlobalVariable *variable = module.getGlobalVariable(known))
    return *variable;
  auto *variable = new GlobalVariable(module, &type, /*isConstant=*/false,
                                      GlobalValue::WeakODRLinkage,
                                      Constant::getNullValue(&type), known);
  variable->setVisibility(GlobalValue::HiddenVisibility);
  variable->setDSOLocal(true);
  return *variable;
}

GlobalVariable &recordFlag(Module &module, uint32_t record) {
  return sharedVariable(module, "__gpulto_copied" + Twine(record),
                        *Type::getInt1Ty(module.getContext()));
}

GlobalVariable &recordArgument(Module &module, uint32_t record, unsigned index,
                               Type &type) {
  return sharedVariable(
      module, "__gpulto_copied" + Twine(record) + "_" + Twine(index), type);
}

void endRecords(IRBuilderBase &builder, ArrayRef<uint32_t> records) {
  Module &module = *builder.GetInsertBlock()->getModule();
  for (uint32_t record : records)
    builder.CreateStore(builder.getFalse(), &recordFlag(module, record));
}

namespace {
/// Ends the records of one function.
class RecordEnder {
public:
  RecordEnder(Function &function, ArrayRef<PlacedUse> places)
      : places(places), dominators(function), loops(dominators) {}

  /// Ends the records of \p use, whose place is \p instruction.
  void end(Instruction &instruction, const RecordUse &use) {
    bool mayMove = use.place.kind == CodePlace::Kind::Stretch;
    for (uint32_t record : use.ended) {
      Instruction *before = &instruction;
      for (Loop *loop = loops.getLoopFor(before->getParent());
           mayMove && loop && !makes(*loop, record);
           loop = loop->getParentLoop())
        if (BasicBlock *preheader = loop->getLoopPreheader())
          before = preheader->getTerminator();
      if (!done.insert({before, record}).second)
        continue;
      IRBuilder<> builder(before);
      endRecords(builder, record);
    }
  }

private:
  /// Whether a call in \p loop may make \p record.
  bool makes(const Loop &loop, uint32_t record) const {
    return any_of(places, [&](const PlacedUse &other) {
      return is_contained(other.second->made, record) &&
             loop.contains(other.first);
    });
  }

  ArrayRef<PlacedUse> places;
  DominatorTree dominators;
  LoopInfo loops;
  std::set<std::pair<Instruction *, uint32_t>> done;
};
} // namespace

void endRecords(Function &function, ArrayRef<PlacedUse> places,
                ArrayRef<Instruction *> edited) {
  if (places.empty())
    return;
  RecordEnder ender(function, places);
  for (auto [instruction, use] : places)
    if (!is_contained(edited, instruction))
      ender.end(*instruction, *use);
}

} // namespace gpulto
