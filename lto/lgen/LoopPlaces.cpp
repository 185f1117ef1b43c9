//===- LoopPlaces.cpp - Where loops stand in the source -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A link warns about a loop that it cannot unroll as the source asks, and users
// look for that loop. Without -g nothing in bitcode says where it is. The front
// end records lines anyway (DriverFrontend.cpp), and LGEN keeps those of loops
// that may need a warning, in the loop's metadata:
//
//   !0 = distinct !{!0, !1, !2}
//   !1 = !{!"llvm.loop.unroll.full"}
//   !2 = !{!"gpulto.loop.place", !"k.cu:4:3"}
//
// Transformations keep unknown entries in the metadata of a loop.
//
//===----------------------------------------------------------------------===//

#include "lto/lgen/LoopPlaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

static constexpr StringLiteral kPlace = "gpulto.loop.place";

/// Returns the name of a loop's property; empty if \p operand is none.
static StringRef propertyName(const MDOperand &operand) {
  auto *property = dyn_cast_or_null<MDNode>(operand.get());
  if (!property || property->getNumOperands() == 0)
    return {};
  auto *name = dyn_cast_or_null<MDString>(property->getOperand(0));
  return name ? name->getString() : StringRef();
}

/// Whether the source wants something of the loop \p id that LLVM warns of when
/// it does not come about.
static bool isWanted(const MDNode &id) {
  return any_of(drop_begin(id.operands()), [](const MDOperand &operand) {
    StringRef name = propertyName(operand);
    return name.starts_with("llvm.loop.") &&
           (name.ends_with(".enable") || name.ends_with(".full") ||
            name.ends_with(".count") || name.ends_with(".width"));
  });
}

/// Returns where the loop \p id begins; null if it does not say so.
static const DILocation *startOf(const MDNode &id) {
  for (const MDOperand &operand : drop_begin(id.operands()))
    if (auto *location = dyn_cast_or_null<DILocation>(operand.get()))
      return location;
  return nullptr;
}

/// Returns \p id with the place \p start.
static MDNode *withPlace(MDNode &id, const DILocation &start) {
  LLVMContext &context = id.getContext();
  std::string place = (start.getFilename() + ":" + Twine(start.getLine()) +
                       ":" + Twine(start.getColumn()))
                          .str();
  SmallVector<Metadata *, 8> operands(id.op_begin(), id.op_end());
  operands.push_back(MDNode::get(context, {MDString::get(context, kPlace),
                                           MDString::get(context, place)}));
  MDNode *result = MDNode::getDistinct(context, operands);
  result->replaceOperandWith(0, result);
  return result;
}

bool keepLoopPlaces(Module &module) {
  DenseMap<MDNode *, MDNode *> changed; // one for all latches of a loop
  for (Function &function : module)
    for (BasicBlock &block : function) {
      Instruction *latch = block.getTerminator();
      MDNode *id = latch ? latch->getMetadata(LLVMContext::MD_loop) : nullptr;
      if (!id || !isWanted(*id))
        continue;
      MDNode *&other = changed[id];
      if (const DILocation *start = other ? nullptr : startOf(*id))
        other = withPlace(*id, *start);
      if (other)
        latch->setMetadata(LLVMContext::MD_loop, other);
    }
  return StripDebugInfo(module);
}

StringRef placeOfLoop(const BasicBlock &header) {
  DominatorTree dominators(const_cast<Function &>(*header.getParent()));
  // Another loop may end where this one is entered.
  auto isLatch = [&](const BasicBlock *block) {
    return dominators.dominates(&header, block);
  };
  for (const BasicBlock *latch :
       make_filter_range(predecessors(&header), isLatch))
    if (MDNode *id = latch->getTerminator()->getMetadata(LLVMContext::MD_loop))
      for (const MDOperand &operand : drop_begin(id->operands()))
        if (propertyName(operand) == kPlace)
          return cast<MDString>(cast<MDNode>(operand)->getOperand(1))
              ->getString();
  return {};
}

} // namespace gpulto
