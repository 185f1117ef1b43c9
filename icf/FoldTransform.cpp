//===- FoldTransform.cpp - Make one body of several (LTRANS) --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: fold only bodies that really do the same, whatever a digest says, and
// leave the leader no promise that a member does not make.
//
// 1. Comparison walks both bodies in step and maps the values of one to those
//    of the other. It shares no code with the form that LGEN digests, only the
//    distinction between what counts and what is a promise
//    (icf/FoldAttributes.h).
// 2. Merging keeps of each promise (poison flags, attributes, metadata) what
//    both bodies make, and markers of lifetimes, assumptions and alias scopes
//    where all of their kind agree.
//
// Linear in the bodies.
//
//===----------------------------------------------------------------------===//

#include "icf/FoldTransform.h"

#include "icf/FoldAttributes.h"
#include "icf/PtxAssembly.h"
#include "ipa/bodies/CallMarks.h"
#include "ipa/bodies/Contents.h"
#include "support/Error.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace gpulto {

namespace {

constexpr unsigned kSharedAddressSpace = 3;

/// The instructions of a body that count, and the markers between them.
struct Listing {
  explicit Listing(const Function &function) {
    ReversePostOrderTraversal<const Function *> order(&function);
    for (const BasicBlock *block : order) {
      blocks.push_back(block);
      for (const Instruction &instruction : *block)
        if (!isMarker(instruction))
          instructions.push_back(&instruction);
        else if (!isa<DbgInfoIntrinsic>(instruction))
          markers[cast<IntrinsicInst>(instruction).getIntrinsicID()].push_back(
              {instructions.size(), cast<IntrinsicInst>(&instruction)});
    }
  }

  std::vector<const BasicBlock *> blocks;
  std::vector<const Instruction *> instructions;
  /// By kind: how many instructions stand before each, and the marker.
  MapVector<Intrinsic::ID,
            std::vector<std::pair<size_t, const IntrinsicInst *>>>
      markers;
};

/// Compares operands of two bodies, or the contents of two constants, of one
/// module.
class Matcher {
public:
  explicit Matcher(const Module &module)
      : layout(module.getDataLayout()),
        isPtx(Triple(module.getTargetTriple()).isNVPTX()) {}

  bool sameInMemory(Type *x, Type *y) const;
  bool same(const Constant &x, const Constant &y);

protected:
  bool same(Type *x, Type *y) const;
  using LeftOut = bool (*)(Attribute);
  bool same(AttributeSet x, AttributeSet y,
            LeftOut isLeftOut = isPromise) const;
  bool same(AttributeList x, AttributeList y, unsigned parameters,
            LeftOut isLeftOut = isPromise) const;
  bool sameAssembly(const InlineAsm &x, const InlineAsm &y) const;
  bool sameLocal(const Value *x, const Value *y);
  bool sameGlobal(const GlobalValue &x, const GlobalValue &y);
  bool sameAddress(const GEPOperator &x, const GEPOperator &y);
  bool sameOperand(const Value *x, const Value *y);
  bool same(const Metadata *x, const Metadata *y);

  const DataLayout &layout;

private:
  const bool isPtx;
  // One to one: of a value of the second body the first's, and back.
  DenseMap<const Value *, const Value *> ofB, ofA;
  DenseMap<const Metadata *, const Metadata *> distinctNodes;
  SmallVector<std::pair<const GlobalValue *, const GlobalValue *>, 4> open;
};

/// Compares \p a and \p b, and merges what \p b does not promise out of \p a.
class Pairing : Matcher {
public:
  Pairing(Function &a, const Function &b, unsigned number)
      : Matcher(*a.getParent()), a(a), b(b), number(number), listA(a),
        listB(b) {}

  /// Returns the first difference, or null.
  const char *compare();
  void merge();

private:
  bool sameAttachments(const Instruction &x, const Instruction &y);
  bool sameCall(const CallBase &x, const CallBase &y);
  const char *compareHeads();
  const char *compare(const Instruction &x, const Instruction &y);
  bool sameMarkers(Intrinsic::ID kind);

  AttributeList intersect(AttributeList x, AttributeList y, unsigned parameters,
                          LeftOut isPromised = isPromise) const;
  void mergeCallee(Instruction &x, const Instruction &y) const;
  void mergeInstruction(Instruction &x, const Instruction &y);

  Function &a;
  const Function &b;
  unsigned number; // of b in the table of folds
  Listing listA, listB;
};

} // namespace

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

bool Matcher::same(Type *x, Type *y) const {
  if (x == y)
    return true;
  auto *structX = dyn_cast<StructType>(x), *structY = dyn_cast<StructType>(y);
  if (structX && structY)
    return structX->isPacked() == structY->isPacked() &&
           structX->isOpaque() == structY->isOpaque() &&
           all_of_zip(structX->elements(), structY->elements(),
                      [&](Type *p, Type *q) { return same(p, q); });
  auto *arrayX = dyn_cast<ArrayType>(x), *arrayY = dyn_cast<ArrayType>(y);
  if (arrayX && arrayY)
    return arrayX->getNumElements() == arrayY->getNumElements() &&
           same(arrayX->getElementType(), arrayY->getElementType());
  auto *functionX = dyn_cast<FunctionType>(x);
  auto *functionY = dyn_cast<FunctionType>(y);
  if (functionX && functionY)
    return functionX->isVarArg() == functionY->isVarArg() &&
           same(functionX->getReturnType(), functionY->getReturnType()) &&
           all_of_zip(functionX->params(), functionY->params(),
                      [&](Type *p, Type *q) { return same(p, q); });
  return false;
}

bool Matcher::sameInMemory(Type *x, Type *y) const {
  if (x == y)
    return true;
  return x->isSized() && y->isSized() &&
         layout.getTypeAllocSize(x) == layout.getTypeAllocSize(y) &&
         layout.getABITypeAlign(x) == layout.getABITypeAlign(y);
}

bool Matcher::same(AttributeSet x, AttributeSet y, LeftOut isLeftOut) const {
  auto counting = [&](AttributeSet set) {
    SmallVector<Attribute, 8> list;
    for (Attribute attribute : set)
      if (!isLeftOut(attribute))
        list.push_back(attribute);
    return list;
  };
  return all_of_zip(counting(x), counting(y), [&](Attribute p, Attribute q) {
    if (p == q)
      return true;
    return p.isTypeAttribute() && q.isTypeAttribute() &&
           p.getKindAsEnum() == q.getKindAsEnum() && p.getValueAsType() &&
           q.getValueAsType() &&
           sameInMemory(p.getValueAsType(), q.getValueAsType());
  });
}

/// \p isLeftOut says what of the parameters does not count.
bool Matcher::same(AttributeList x, AttributeList y, unsigned parameters,
                   LeftOut isLeftOut) const {
  if (!same(x.getFnAttrs(), y.getFnAttrs()) ||
      !same(x.getRetAttrs(), y.getRetAttrs()))
    return false;
  for (unsigned i = 0; i < parameters; ++i)
    if (!same(x.getParamAttrs(i), y.getParamAttrs(i), isLeftOut))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool Matcher::sameLocal(const Value *x, const Value *y) {
  return ofB.try_emplace(y, x).first->second == x &&
         ofA.try_emplace(x, y).first->second == y;
}

/// Symbols must be the same, except for constants whose address means nothing,
/// which must have equal contents, and memory private to a kernel.
bool Matcher::sameGlobal(const GlobalValue &x, const GlobalValue &y) {
  if (&x == &y)
    return true;
  auto *variableX = dyn_cast<GlobalVariable>(&x);
  auto *variableY = dyn_cast<GlobalVariable>(&y);
  if (!variableX || !variableY ||
      variableX->getAddressSpace() != variableY->getAddressSpace() ||
      variableX->getAlign() != variableY->getAlign() ||
      !sameInMemory(variableX->getValueType(), variableY->getValueType()))
    return false;
  if (variableX->getAddressSpace() == kSharedAddressSpace)
    return sameLocal(variableX, variableY);
  if (!isContentsOnly(*variableX) || !isContentsOnly(*variableY))
    return false;
  std::pair<const GlobalValue *, const GlobalValue *> pair(&x, &y);
  if (is_contained(open, pair))
    return true;
  open.push_back(pair);
  bool result =
      same(*variableX->getInitializer(), *variableY->getInitializer());
  open.pop_back();
  return result;
}

bool Matcher::sameAddress(const GEPOperator &x, const GEPOperator &y) {
  unsigned width = layout.getIndexTypeSizeInBits(x.getType());
  SmallMapVector<Value *, APInt, 4> scalesX, scalesY;
  APInt offsetX(width, 0), offsetY(width, 0);
  if (!x.getType()->isVectorTy() && !y.getType()->isVectorTy() &&
      x.collectOffset(layout, width, scalesX, offsetX) &&
      y.collectOffset(layout, width, scalesY, offsetY))
    return offsetX == offsetY &&
           sameOperand(x.getPointerOperand(), y.getPointerOperand()) &&
           all_of_zip(scalesX, scalesY, [&](const auto &p, const auto &q) {
             return p.second == q.second && sameOperand(p.first, q.first);
           });
  return same(x.getSourceElementType(), y.getSourceElementType()) &&
         all_of_zip(x.operands(), y.operands(),
                    [&](const Use &p, const Use &q) {
                      return sameOperand(p.get(), q.get());
                    });
}

bool Matcher::same(const Constant &x, const Constant &y) {
  auto *globalX = dyn_cast<GlobalValue>(&x);
  auto *globalY = dyn_cast<GlobalValue>(&y);
  if (globalX || globalY)
    return globalX && globalY && sameGlobal(*globalX, *globalY);
  auto *gepX = dyn_cast<GEPOperator>(&x), *gepY = dyn_cast<GEPOperator>(&y);
  if (gepX || gepY)
    return gepX && gepY && sameAddress(*gepX, *gepY);
  if (&x == &y)
    return true;
  // What holds no symbol and is of one type is there once.
  if (x.getValueID() != y.getValueID() || !same(x.getType(), y.getType()) ||
      x.getNumOperands() != y.getNumOperands())
    return false;
  if (x.getNumOperands() == 0)
    return x.getType() != y.getType() &&
           (isa<ConstantAggregateZero>(x) || isa<UndefValue>(x));
  if (auto *expression = dyn_cast<ConstantExpr>(&x))
    if (expression->getOpcode() != cast<ConstantExpr>(y).getOpcode())
      return false;
  return all_of_zip(x.operands(), y.operands(),
                    [&](const Use &p, const Use &q) {
                      auto *partX = dyn_cast<Constant>(p.get());
                      auto *partY = dyn_cast<Constant>(q.get());
                      return partX && partY && same(*partX, *partY);
                    });
}

bool Matcher::sameAssembly(const InlineAsm &x, const InlineAsm &y) const {
  bool isSameText =
      x.getAsmString() == y.getAsmString() ||
      (isPtx && signlessPtx(x.getAsmString()) == signlessPtx(y.getAsmString()));
  return isSameText && x.getConstraintString() == y.getConstraintString() &&
         x.hasSideEffects() == y.hasSideEffects() &&
         x.isAlignStack() == y.isAlignStack() &&
         x.getDialect() == y.getDialect() && x.canThrow() == y.canThrow();
}

bool Matcher::sameOperand(const Value *x, const Value *y) {
  auto *constantX = dyn_cast<Constant>(x);
  auto *constantY = dyn_cast<Constant>(y);
  if (constantX || constantY)
    return constantX && constantY && same(*constantX, *constantY);
  auto *metadataX = dyn_cast<MetadataAsValue>(x);
  auto *metadataY = dyn_cast<MetadataAsValue>(y);
  if (metadataX || metadataY)
    return metadataX && metadataY &&
           same(metadataX->getMetadata(), metadataY->getMetadata());
  auto *assemblyX = dyn_cast<InlineAsm>(x), *assemblyY = dyn_cast<InlineAsm>(y);
  if (assemblyX || assemblyY)
    return assemblyX && assemblyY && sameAssembly(*assemblyX, *assemblyY);
  return sameLocal(x, y);
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

bool Matcher::same(const Metadata *x, const Metadata *y) {
  if (x == y)
    return true;
  auto *nodeX = dyn_cast_or_null<MDNode>(x);
  auto *nodeY = dyn_cast_or_null<MDNode>(y);
  if (!nodeX || !nodeY) {
    auto *valueX = dyn_cast_or_null<ValueAsMetadata>(x);
    auto *valueY = dyn_cast_or_null<ValueAsMetadata>(y);
    return valueX && valueY &&
           sameOperand(valueX->getValue(), valueY->getValue());
  }
  if (nodeX->isDistinct() != nodeY->isDistinct())
    return false;
  if (nodeX->isDistinct()) {
    auto [known, isNew] = distinctNodes.try_emplace(nodeY, nodeX);
    if (!isNew)
      return known->second == nodeX;
  }
  auto counting = [](const MDNode &node) {
    SmallVector<const Metadata *, 8> parts;
    for (const MDOperand &part : node.operands())
      if (!isa_and_nonnull<DILocation>(part.get()))
        parts.push_back(part.get());
    return parts;
  };
  return all_of_zip(
      counting(*nodeX), counting(*nodeY),
      [&](const Metadata *p, const Metadata *q) { return same(p, q); });
}

bool Pairing::sameAttachments(const Instruction &x, const Instruction &y) {
  // Neither where assembly stands in the source counts, nor what decisions have
  // marked.
  unsigned sourcePosition = x.getContext().getMDKindID("srcloc");
  const unsigned marks[] = {x.getContext().getMDKindID(kCallMark),
                            x.getContext().getMDKindID(kInlineMark),
                            x.getContext().getMDKindID(kRecursionMark),
                            x.getContext().getMDKindID(kStretchMark),
                            x.getContext().getMDKindID(kCalleeMark)};
  auto counting = [&](const Instruction &instruction) {
    SmallVector<std::pair<unsigned, MDNode *>, 4> all, kept;
    instruction.getAllMetadataOtherThanDebugLoc(all);
    copy_if(all, std::back_inserter(kept), [&](const auto &attached) {
      return attached.first != sourcePosition &&
             !is_contained(marks, attached.first) &&
             isCompared(attached.first, *attached.second);
    });
    return kept;
  };
  return all_of_zip(counting(x), counting(y),
                    [&](const auto &p, const auto &q) {
                      return p.first == q.first && same(p.second, q.second);
                    });
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

bool Pairing::sameCall(const CallBase &x, const CallBase &y) {
  if (x.getCallingConv() != y.getCallingConv() ||
      !same(x.getFunctionType(), y.getFunctionType()) ||
      x.arg_size() != y.arg_size() ||
      !same(x.getAttributes(), y.getAttributes(), x.arg_size()) ||
      x.getNumOperandBundles() != y.getNumOperandBundles())
    return false;
  for (unsigned i = 0; i < x.getNumOperandBundles(); ++i)
    if (x.getOperandBundleAt(i).getTagName() !=
            y.getOperandBundleAt(i).getTagName() ||
        x.getOperandBundleAt(i).Inputs.size() !=
            y.getOperandBundleAt(i).Inputs.size())
      return false;
  auto *plainX = dyn_cast<CallInst>(&x), *plainY = dyn_cast<CallInst>(&y);
  return !plainX || plainX->getTailCallKind() == plainY->getTailCallKind();
}

const char *Pairing::compare(const Instruction &x, const Instruction &y) {
  if (x.getOpcode() != y.getOpcode() || !same(x.getType(), y.getType()))
    return "an instruction";
  if (auto *gep = dyn_cast<GEPOperator>(&x)) {
    if (!sameAddress(*gep, cast<GEPOperator>(y)))
      return "an address";
  } else if (x.getNumOperands() != y.getNumOperands() ||
             !all_of_zip(x.operands(), y.operands(),
                         [&](const Use &p, const Use &q) {
                           return sameOperand(p.get(), q.get());
                         })) {
    return "an operand";
  }
  if (isa<FPMathOperator>(x) && x.getFastMathFlags() != y.getFastMathFlags())
    return "the rules of an operation on floating-point numbers";
  if (!sameAttachments(x, y))
    return "metadata";
  if (auto *phi = dyn_cast<PHINode>(&x))
    return all_of_zip(phi->blocks(), cast<PHINode>(y).blocks(),
                      [&](const BasicBlock *p, const BasicBlock *q) {
                        return sameLocal(p, q);
                      })
               ? nullptr
               : "a predecessor";
  if (auto *choice = dyn_cast<SwitchInst>(&x))
    return all_of_zip(choice->cases(), cast<SwitchInst>(y).cases(),
                      [&](const auto &p, const auto &q) {
                        return sameOperand(p.getCaseValue(), q.getCaseValue());
                      })
               ? nullptr
               : "a case";
  if (auto *call = dyn_cast<CallBase>(&x))
    return sameCall(*call, cast<CallBase>(y)) ? nullptr : "a call";
  if (auto *slot = dyn_cast<AllocaInst>(&x)) {
    auto &other = cast<AllocaInst>(y);
    return sameInMemory(slot->getAllocatedType(), other.getAllocatedType()) &&
                   slot->getAlign() == other.getAlign() &&
                   slot->isUsedWithInAlloca() == other.isUsedWithInAlloca() &&
                   slot->isSwiftError() == other.isSwiftError()
               ? nullptr
               : "a local variable";
  }
  if (auto *pad = dyn_cast<LandingPadInst>(&x)) {
    auto &other = cast<LandingPadInst>(y);
    if (pad->isCleanup() != other.isCleanup())
      return "a landing pad";
    for (unsigned i = 0; i < pad->getNumClauses(); ++i)
      if (pad->isCatch(i) != other.isCatch(i))
        return "a landing pad";
    return nullptr;
  }
  return isa<GetElementPtrInst>(x) || x.hasSameSpecialState(&y)
             ? nullptr
             : "what an instruction is to do";
}

const char *Pairing::compareHeads() {
  if (a.getCallingConv() != b.getCallingConv() ||
      !same(a.getFunctionType(), b.getFunctionType()) ||
      a.getSection() != b.getSection() ||
      a.getPartition() != b.getPartition() || a.getAlign() != b.getAlign())
    return "the declaration";
  if (!same(a.getAttributes(), b.getAttributes(), a.arg_size(),
            isPromiseToBody))
    return "attributes";
  auto counting = [](const Function &function) {
    SmallVector<std::pair<unsigned, MDNode *>, 4> all, kept;
    function.getAllMetadata(all);
    copy_if(all, std::back_inserter(kept),
            [](const auto &attached) { return !isPromise(attached.first); });
    return kept;
  };
  if (!all_of_zip(counting(a), counting(b), [&](const auto &p, const auto &q) {
        return p.first == q.first && same(p.second, q.second);
      }))
    return "metadata of the function";
  if (a.hasPersonalityFn() != b.hasPersonalityFn() ||
      (a.hasPersonalityFn() &&
       !same(*a.getPersonalityFn(), *b.getPersonalityFn())))
    return "how exceptions are handled";
  for (auto [x, y] : zip(a.args(), b.args()))
    sameLocal(&x, &y);
  return nullptr;
}

const char *Pairing::compare() {
  if (isUnfoldable(a) || isUnfoldable(b))
    return "blocks that have addresses";
  if (const char *difference = compareHeads())
    return difference;
  if (listA.blocks.size() != listB.blocks.size() ||
      listA.instructions.size() != listB.instructions.size())
    return "the number of instructions";
  for (auto [x, y] : zip(listA.blocks, listB.blocks))
    if (!sameLocal(x, y))
      return "the order of blocks";
  for (auto [x, y] : zip(listA.instructions, listB.instructions)) {
    if (!sameLocal(x->getParent(), y->getParent()) || !sameLocal(x, y))
      return "the order of instructions";
    if (const char *difference = compare(*x, *y))
      return difference;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

/// \p isPromised says what parameters can do without.
AttributeList Pairing::intersect(AttributeList x, AttributeList y,
                                 unsigned parameters,
                                 LeftOut isPromised) const {
  LLVMContext &context = a.getContext();
  auto drop = [&](unsigned index, LeftOut isDroppable) {
    AttributeSet mine = x.getAttributes(index), theirs = y.getAttributes(index);
    for (Attribute attribute : mine) {
      if (!isDroppable(attribute))
        continue;
      Attribute::AttrKind kind = attribute.getKindAsEnum();
      Attribute other = theirs.getAttribute(kind);
      if (other == attribute)
        continue;
      x = x.removeAttributeAtIndex(context, index, kind);
      if (kind == Attribute::Memory && other.isValid())
        x = x.addAttributeAtIndex(context, index,
                                  Attribute::getWithMemoryEffects(
                                      context, attribute.getMemoryEffects() |
                                                   other.getMemoryEffects()));
    }
  };
  drop(AttributeList::FunctionIndex, isPromise);
  drop(AttributeList::ReturnIndex, isPromise);
  for (unsigned i = 0; i < parameters; ++i)
    drop(AttributeList::FirstArgIndex + i, isPromised);
  return x;
}

/// Records at \p x which function the member calls there, if it is another.
void Pairing::mergeCallee(Instruction &x, const Instruction &y) const {
  unsigned kind = x.getContext().getMDKindID(kCalleeMark);
  MDNode *mine = x.getMetadata(kind), *theirs = y.getMetadata(kind);
  if (!mine || !theirs || mine->getOperand(0) == theirs->getOperand(0))
    return;
  SmallVector<Metadata *, 8> numbers(mine->op_begin(), mine->op_end());
  numbers.push_back(ConstantAsMetadata::get(
      ConstantInt::get(Type::getInt32Ty(x.getContext()), number)));
  numbers.push_back(theirs->getOperand(0));
  x.setMetadata(kind, MDNode::get(x.getContext(), numbers));
}

void Pairing::mergeInstruction(Instruction &x, const Instruction &y) {
  x.andIRFlags(&y);
  SmallVector<std::pair<unsigned, MDNode *>, 4> attached;
  x.getAllMetadataOtherThanDebugLoc(attached);
  for (auto [kind, node] : attached)
    if (isPromise(kind) && y.getMetadata(kind) != node)
      x.setMetadata(kind, nullptr);
  mergeCallee(x, y);
  if (auto *call = dyn_cast<CallBase>(&x))
    call->setAttributes(intersect(call->getAttributes(),
                                  cast<CallBase>(y).getAttributes(),
                                  call->arg_size()));
}

/// Returns whether the markers of one kind stand at the same places and speak
/// of the same values.
bool Pairing::sameMarkers(Intrinsic::ID kind) {
  const auto &mine = listA.markers[kind];
  const auto &theirs = listB.markers[kind];
  return all_of_zip(mine, theirs, [&](const auto &p, const auto &q) {
    const IntrinsicInst &x = *p.second, &y = *q.second;
    return p.first == q.first && sameCall(x, y) &&
           all_of_zip(x.args(), y.args(),
                      [&](const Use &u, const Use &v) {
                        return sameOperand(u.get(), v.get());
                      }) &&
           x.getNumOperandBundles() == 0;
  });
}

void Pairing::merge() {
  SmallVector<Instruction *, 16> dropped;
  for (Intrinsic::ID kind :
       {Intrinsic::assume, Intrinsic::experimental_noalias_scope_decl})
    if (!sameMarkers(kind))
      for (auto [position, marker] : listA.markers[kind])
        dropped.push_back(const_cast<IntrinsicInst *>(marker));
  // The end of a lifetime means nothing without its start.
  if (!sameMarkers(Intrinsic::lifetime_start) ||
      !sameMarkers(Intrinsic::lifetime_end))
    for (Intrinsic::ID kind :
         {Intrinsic::lifetime_start, Intrinsic::lifetime_end})
      for (auto [position, marker] : listA.markers[kind])
        dropped.push_back(const_cast<IntrinsicInst *>(marker));
  for (auto [x, y] : zip(listA.instructions, listB.instructions))
    mergeInstruction(const_cast<Instruction &>(*x), *y);
  a.setAttributes(intersect(a.getAttributes(), b.getAttributes(), a.arg_size(),
                            isPromiseToBody));
  for (Instruction *marker : dropped)
    marker->eraseFromParent();
}

Error mergeFolded(Function &leader, const Function &member, unsigned number) {
  Pairing pairing(leader, member, number);
  if (const char *difference = pairing.compare())
    return makeError("'" + leader.getName() + "' and '" + member.getName() +
                     "' were to be folded, but differ in " + difference);
  pairing.merge();
  return Error::success();
}

Error compareFolded(const GlobalVariable &leader,
                    const GlobalVariable &member) {
  Matcher matcher(*leader.getParent());
  const DataLayout &layout = leader.getParent()->getDataLayout();
  if (leader.isConstant() && member.isConstant() &&
      leader.getAddressSpace() == member.getAddressSpace() &&
      layout.getPreferredAlign(&leader) == layout.getPreferredAlign(&member) &&
      leader.getSection() == member.getSection() &&
      matcher.sameInMemory(leader.getValueType(), member.getValueType()) &&
      matcher.same(*leader.getInitializer(), *member.getInitializer()))
    return Error::success();
  return makeError("'" + leader.getName() + "' and '" + member.getName() +
                   "' were to be folded, but do not hold the same");
}

} // namespace gpulto
