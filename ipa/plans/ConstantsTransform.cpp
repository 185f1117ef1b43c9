//===- ConstantsTransform.cpp - Known parameters, in LTRANS ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What becomes of a fact:
//
//   constant, address      every use of the parameter is replaced
//   bounds of an integer   attribute `range`
//   alignment, not null    attributes `align`, `nonnull`
//   bytes that last        attribute `dereferenceable`
//   no alias               attribute `noalias`, until code generation: there it
//                          would also say that nobody outside of the kernel
//                          writes the memory (ld.global.nc)
//   unwritten              attributes `noalias` and `readonly`, to the end:
//                          nobody does
//   address space          a cast there and back on entry, which
//                          InferAddressSpaces follows
//   part of an aggregate   loads of exactly these bytes are replaced, if
//                          nothing in the body can write the callee's copy;
//                          those of pointers get metadata in place of
//                          attributes
//   pairs apart            see ApartPointersTransform.cpp, also for unwritten
//                          memory of parts
//
// The parameter itself stays: callers and launches still pass it.
//
//===----------------------------------------------------------------------===//

#include "ipa/plans/ConstantsTransform.h"

#include "ipa/bodies/PointerAccesses.h"
#include "ipa/launches/LaunchesTransform.h"
#include "ipa/pointers/ApartPointersTransform.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace gpulto {

/// Function attribute: the parameters whose `noalias` is ours.
static constexpr StringLiteral kInferredNoAlias = "gpulto-inferred-noalias";

/// A thread's widest access: more alignment is of no use.
static constexpr Align kWidestAccess = Align::Constant<16>();

/// Returns the constant of \p type whose bits are \p bits, or null when the
/// type has another width.
static Constant *constantOf(Type &type, uint64_t bits, unsigned width,
                            const DataLayout &layout) {
  if (type.isPointerTy())
    return width == 0 && bits == 0
               ? ConstantPointerNull::get(cast<PointerType>(&type))
               : nullptr;
  if (type.getPrimitiveSizeInBits() != TypeSize::getFixed(width) || width == 0)
    return nullptr;
  Constant *integer = ConstantInt::get(type.getContext(), APInt(width, bits));
  if (type.isIntegerTy())
    return integer;
  return ConstantFoldCastOperand(Instruction::BitCast, integer, &type, layout);
}

/// Returns the constant that \p fact says a value of \p type is, or null.
static Constant *
knownConstant(const ValueFact &fact, Type &type, const DataLayout &layout,
              function_ref<Constant *(const ValueFact &)> addressOf) {
  switch (fact.kind) {
  case ValueKind::Constant:
    return constantOf(type, fact.value, fact.bitWidth, layout);
  case ValueKind::Address: {
    Constant *symbol = type.isPointerTy() ? addressOf(fact) : nullptr;
    if (!symbol)
      return nullptr;
    LLVMContext &context = type.getContext();
    if (fact.value)
      symbol = ConstantExpr::getGetElementPtr(
          Type::getInt8Ty(context), symbol,
          ConstantInt::get(layout.getIndexType(symbol->getType()), fact.value));
    if (symbol->getType() != &type)
      symbol = ConstantExpr::getAddrSpaceCast(symbol, &type);
    return symbol;
  }
  case ValueKind::Bounds:
    return nullptr;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Whole parameters
//===----------------------------------------------------------------------===//

static bool addBounds(Argument &argument, const ValueFact &fact) {
  auto *type = dyn_cast<IntegerType>(argument.getType());
  if (!type || type->getBitWidth() != fact.bitWidth || fact.bitWidth > 64)
    return false;
  unsigned width = fact.bitWidth;
  // An upper bound of all ones wraps to 0, as ConstantRange wants it.
  ConstantRange range = ConstantRange::getNonEmpty(APInt(width, fact.low),
                                                   APInt(width, fact.high) + 1);
  if (std::optional<ConstantRange> known = argument.getRange())
    range = range.intersectWith(*known);
  if (range.isFullSet() || range.isEmptySet())
    return false;
  argument.removeAttr(Attribute::Range);
  argument.addAttr(
      Attribute::get(argument.getContext(), Attribute::Range, range));
  return true;
}

/// Makes it known to all uses of \p pointer, from \p place on, that it points
/// into \p space. Repeats its alignment after the cast, which value tracking
/// does not look through.
static bool addAddressSpace(Value &pointer, BasicBlock::iterator place,
                            unsigned space, Align align) {
  if (pointer.use_empty() ||
      pointer.getType()->getPointerAddressSpace() == space)
    return false;
  IRBuilder<> builder(&*place);
  Value *specific = builder.CreateAddrSpaceCast(
      &pointer, PointerType::get(pointer.getContext(), space));
  Value *generic = builder.CreateAddrSpaceCast(specific, pointer.getType());
  if (align >= kWidestAccess)
    builder.CreateAlignmentAssumption(place->getModule()->getDataLayout(),
                                      specific, kWidestAccess.value());
  pointer.replaceUsesWithIf(
      generic, [&](Use &use) { return use.getUser() != specific; });
  return true;
}

/// Says that nothing writes the memory behind \p argument while its kernel
/// runs. What nobody writes has no aliases that matter, so `noalias` holds
/// however many other pointers lead there (LLVM's language reference).
static void addUnwritten(Argument &argument) {
  argument.addAttr(Attribute::NoAlias);
  if (argument.onlyReadsMemory())
    return;
  argument.removeAttr(Attribute::WriteOnly);
  argument.removeAttr(Attribute::Writable);
  argument.addAttr(Attribute::ReadOnly);
}

static Align alignOf(const ValueFact &fact) {
  return Align(uint64_t(1) << std::min<unsigned>(fact.alignLog2, 32));
}

/// Whether \p fact says more of the alignment of \p argument than it says.
static bool isMoreAligned(const Argument &argument, const ValueFact &fact) {
  return alignOf(fact) > argument.getParamAlign().valueOrOne();
}

static void addAlignment(Argument &argument, Align align) {
  argument.removeAttr(Attribute::Alignment);
  argument.addAttr(Attribute::getWithAlignment(argument.getContext(), align));
}

/// Whether \p fact says more of whether \p argument is null than it says.
static bool isMoreThanNull(const Argument &argument, const ValueFact &fact) {
  return fact.isNonNull && !argument.hasNonNullAttr();
}

static bool addPointerFacts(Argument &argument, const ValueFact &fact) {
  bool changed = false;
  if (isMoreAligned(argument, fact)) {
    addAlignment(argument, alignOf(fact));
    changed = true;
  }
  if (isMoreThanNull(argument, fact)) {
    argument.addAttr(Attribute::NonNull);
    changed = true;
  }
  if (fact.dereferenceableBytes > argument.getDereferenceableBytes()) {
    argument.removeAttr(Attribute::Dereferenceable);
    argument.addAttr(Attribute::getWithDereferenceableBytes(
        argument.getContext(), fact.dereferenceableBytes));
    changed = true;
  }
  if (fact.isUnwritten && !argument.use_empty()) {
    addUnwritten(argument);
    changed = true;
  } else if (fact.isNoAlias && !argument.hasNoAliasAttr() &&
             !argument.use_empty()) {
    argument.addAttr(Attribute::NoAlias);
    Function &function = *argument.getParent();
    StringRef marked =
        function.getFnAttribute(kInferredNoAlias).getValueAsString();
    std::string list = marked.empty() ? "" : marked.str() + ",";
    function.addFnAttr(kInferredNoAlias,
                       list + std::to_string(argument.getArgNo()));
    changed = true;
  }
  bool isDevice =
      Triple(argument.getParent()->getParent()->getTargetTriple()).isNVPTX();
  if (fact.addressSpace && isDevice)
    changed |= addAddressSpace(
        argument, argument.getParent()->getEntryBlock().getFirstInsertionPt(),
        fact.addressSpace, alignOf(fact));
  return changed;
}

/// Whether the pointer itself is part of how the call works.
static bool isSpecial(const Argument &argument) {
  return argument.hasByValAttr() || argument.hasStructRetAttr() ||
         argument.hasInAllocaAttr() || argument.hasPreallocatedAttr() ||
         argument.hasNestAttr() || argument.hasSwiftErrorAttr();
}

//===----------------------------------------------------------------------===//
// Parts of by-value aggregates
//===----------------------------------------------------------------------===//

/// Returns the bits of the \p width bits at byte \p offset, if \p bytes has all
/// of them.
static std::optional<uint64_t>
gatherBits(const SmallDenseMap<uint64_t, uint8_t, 32> &bytes, uint64_t offset,
           unsigned width) {
  if (width == 0 || width % 8 || width > 64)
    return std::nullopt;
  uint64_t bits = 0;
  for (unsigned i = 0; i < width / 8; ++i) {
    auto byte = bytes.find(offset + i);
    if (byte == bytes.end())
      return std::nullopt;
    bits |= uint64_t(byte->second) << (8 * i);
  }
  return bits;
}

/// Returns \p facts of which the body may load the pointers in \p argument.
static SmallVector<const ValueFact *, 8>
pointersIn(Argument &argument, ArrayRef<const ValueFact *> facts) {
  SmallVector<const ValueFact *, 8> pointers;
  for (const ValueFact *fact : facts)
    if (argument.hasByValAttr() && fact->kind == ValueKind::Bounds &&
        fact->bitWidth == 0)
      pointers.push_back(fact);
  return pointers;
}

/// Attaches \p fact to \p load, of a pointer in an aggregate.
static bool addLoadedFacts(LoadInst &load, const ValueFact &fact) {
  LLVMContext &context = load.getContext();
  auto say = [&](unsigned kind, ArrayRef<uint64_t> number) {
    SmallVector<Metadata *, 1> operands;
    for (uint64_t each : number)
      operands.push_back(ConstantAsMetadata::get(
          ConstantInt::get(Type::getInt64Ty(context), each)));
    load.setMetadata(kind, MDNode::get(context, operands));
  };
  const DataLayout &layout = load.getModule()->getDataLayout();
  bool changed = false;
  Align align = alignOf(fact);
  if (align > load.getPointerAlignment(layout)) {
    say(LLVMContext::MD_align, align.value());
    changed = true;
  }
  if (fact.isNonNull && !load.hasMetadata(LLVMContext::MD_nonnull)) {
    say(LLVMContext::MD_nonnull, {});
    changed = true;
  }
  if (fact.dereferenceableBytes &&
      !load.hasMetadata(LLVMContext::MD_dereferenceable)) {
    say(LLVMContext::MD_dereferenceable, fact.dereferenceableBytes);
    changed = true;
  }
  bool isDevice = Triple(load.getModule()->getTargetTriple()).isNVPTX();
  if (fact.addressSpace && isDevice)
    changed |= addAddressSpace(load, std::next(load.getIterator()),
                               fact.addressSpace, align);
  return changed;
}

/// Attaches \p facts about pointers in \p argument to their loads.
static bool applyPointerParts(Argument &argument,
                              ArrayRef<const ValueFact *> facts,
                              const DataLayout &layout) {
  SmallVector<const ValueFact *, 8> pointers = pointersIn(argument, facts);
  if (pointers.empty())
    return false;
  PartLoads parts = loadsOfParts(argument, layout);
  bool changed = false;
  for (auto [load, offset] : parts.loads)
    for (const ValueFact *fact : pointers)
      if (parts.isReadOnly && load->getType()->isPointerTy() &&
          fact->byteOffset == offset)
        changed |= addLoadedFacts(*load, *fact);
  return changed;
}

/// Returns the pointers of \p facts in aggregates of \p kernel that lead to
/// memory that nothing writes.
static SmallVector<PointerSource, 8> unwrittenParts(ArrayRef<ValueFact> facts) {
  SmallVector<PointerSource, 8> pointers;
  for (const ValueFact &fact : facts)
    if (fact.isPart && fact.isUnwritten)
      pointers.push_back({fact.parameter, true, fact.byteOffset});
  return pointers;
}

static bool applyParts(Argument &argument, ArrayRef<const ValueFact *> facts,
                       const DataLayout &layout) {
  if (!argument.hasByValAttr() || layout.isBigEndian())
    return false;
  SmallDenseMap<uint64_t, uint8_t, 32> bytes;
  for (const ValueFact *fact : facts) {
    if (fact->kind != ValueKind::Constant)
      continue;
    unsigned width =
        fact->bitWidth ? fact->bitWidth : layout.getPointerSizeInBits();
    for (unsigned i = 0; i < width / 8; ++i)
      bytes[fact->byteOffset + i] = uint8_t(fact->value >> (8 * i));
  }
  if (bytes.empty())
    return false;
  PartLoads parts = loadsOfParts(argument, layout);
  if (!parts.isReadOnly)
    return false;
  bool changed = false;
  for (auto [load, offset] : parts.loads) {
    Type &type = *load->getType();
    unsigned width = layout.getTypeSizeInBits(&type).getKnownMinValue();
    std::optional<uint64_t> bits = gatherBits(bytes, offset, width);
    Constant *known =
        bits ? constantOf(type, *bits, type.isPointerTy() ? 0 : width, layout)
             : nullptr;
    if (!known)
      continue;
    load->replaceAllUsesWith(known);
    load->eraseFromParent();
    changed = true;
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// From here on, attributes about memory of arguments of \p function hold for
/// all memory, since the body names what an argument points to. That argument
/// has no more uses, and LLVM drops it.
static void widenArgumentMemory(Function &function) {
  auto widened = [](MemoryEffects effects) {
    return effects.getWithModRef(IRMemLocation::Other,
                                 effects.getModRef(IRMemLocation::ArgMem) |
                                     effects.getModRef(IRMemLocation::Other));
  };
  function.setMemoryEffects(widened(function.getMemoryEffects()));
  for (User *user : function.users())
    if (auto *call = dyn_cast<CallBase>(user);
        call && call->getAttributes().hasFnAttr(Attribute::Memory))
      call->setMemoryEffects(widened(call->getAttributes().getMemoryEffects()));
}

/// Whether \p function has a body that is to be optimized.
static bool mayBeChanged(const Function &function) {
  return !function.isDeclaration() && !function.hasOptNone() &&
         !function.hasFnAttribute(Attribute::Naked);
}

bool applyValueFacts(Function &function, const FunctionFacts &facts,
                     function_ref<Constant *(const ValueFact &)> addressOf) {
  if (!mayBeChanged(function))
    return false;
  const DataLayout &layout = function.getParent()->getDataLayout();
  bool changed = false;
  ArrayRef<ValueFact> rest = facts.values;
  while (!rest.empty()) {
    uint32_t index = rest.front().parameter;
    auto ofThis = rest.take_while(
        [&](const ValueFact &fact) { return fact.parameter == index; });
    rest = rest.drop_front(ofThis.size());
    if (index >= function.arg_size())
      continue;
    Argument &argument = *function.getArg(index);
    SmallVector<const ValueFact *, 8> parts;
    for (const ValueFact &fact : ofThis) {
      if (fact.isPart) {
        parts.push_back(&fact);
        continue;
      }
      if (isSpecial(argument))
        continue;
      if (Constant *known =
              knownConstant(fact, *argument.getType(), layout, addressOf)) {
        changed |= !argument.use_empty();
        argument.replaceAllUsesWith(known);
        if (fact.kind == ValueKind::Address)
          widenArgumentMemory(function);
      } else if (argument.getType()->isPointerTy()) {
        changed |= addPointerFacts(argument, fact);
      } else {
        changed |= addBounds(argument, fact);
      }
    }
    if (!parts.empty()) {
      changed |= applyPointerParts(argument, parts, layout);
      changed |= applyParts(argument, parts, layout);
    }
  }
  changed |= noteApart(function, facts.apart);
  changed |= noteUnwritten(function, unwrittenParts(facts.values));
  markPointerAccesses(function);
  return changed;
}

/// Returns all calls of \p function in its module; nothing if something else
/// there uses it.
static std::optional<SmallVector<CallBase *, 8>> callsOf(Function &function) {
  SmallVector<CallBase *, 8> calls;
  for (const Use &use : function.uses()) {
    auto *call = dyn_cast<CallBase>(use.getUser());
    if (!call || !call->isCallee(&use) ||
        call->getFunctionType() != function.getFunctionType())
      return std::nullopt;
    calls.push_back(call);
  }
  return calls;
}

bool applyShownFacts(Function &function, const FunctionFacts &facts) {
  if (!mayBeChanged(function))
    return false;
  auto calls = callsOf(function);
  if (!calls)
    return false;
  const DataLayout &layout = function.getParent()->getDataLayout();
  bool changed = false;
  for (const ValueFact &fact : facts.values) {
    if (fact.isPart || fact.kind != ValueKind::Bounds ||
        fact.parameter >= function.arg_size())
      continue;
    Argument &argument = *function.getArg(fact.parameter);
    if (!argument.getType()->isPointerTy() || isSpecial(argument))
      continue;
    auto eachShows = [&](function_ref<bool(Value &, CallBase &)> shows) {
      return all_of(*calls, [&](CallBase *call) {
        return shows(*call->getArgOperand(fact.parameter), *call);
      });
    };
    if (isMoreAligned(argument, fact) &&
        eachShows([&](Value &value, CallBase &call) {
          return getKnownAlignment(&value, layout, &call) >= alignOf(fact);
        })) {
      addAlignment(argument, alignOf(fact));
      changed = true;
    }
    if (isMoreThanNull(argument, fact) &&
        eachShows([&](Value &value, CallBase &call) {
          return isKnownNonZero(&value, SimplifyQuery(layout, &call));
        })) {
      argument.addAttr(Attribute::NonNull);
      changed = true;
    }
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// Lets all uses of the integer \p value, which is computed before \p place,
/// see that it is the multiple that \p fact says.
static bool addMultiple(Value &value, const ValueFact &fact,
                        BasicBlock::iterator place) {
  if (!fact.knownZeros || !value.getType()->isIntegerTy(fact.bitWidth) ||
      value.use_empty())
    return false;
  auto *mask = ConstantInt::get(value.getType(), ~fact.knownZeros);
  auto *multiple = BinaryOperator::CreateAnd(&value, mask, "", place);
  value.replaceUsesWithIf(multiple,
                          [&](Use &use) { return use.getUser() != multiple; });
  return true;
}

/// Applies \p fact, which is not a constant, to \p load of the part that it is
/// about.
static bool applyToPart(LoadInst &load, const ValueFact &fact) {
  LLVMContext &context = load.getContext();
  if (load.getType()->isPointerTy()) {
    if (fact.bitWidth || !fact.alignLog2)
      return false;
    auto *align = ConstantInt::get(Type::getInt64Ty(context),
                                   uint64_t(1) << fact.alignLog2);
    load.setMetadata(LLVMContext::MD_align,
                     MDNode::get(context, ConstantAsMetadata::get(align)));
    return true;
  }
  if (!load.getType()->isIntegerTy(fact.bitWidth))
    return false;
  bool changed = false;
  APInt high(fact.bitWidth, fact.high);
  if (!high.isMaxValue() && !load.hasMetadata(LLVMContext::MD_range)) {
    load.setMetadata(LLVMContext::MD_range,
                     MDBuilder(context).createRange(
                         APInt(fact.bitWidth, fact.low), high + 1));
    changed = true;
  }
  changed |= addMultiple(load, fact, std::next(load.getIterator()));
  return changed;
}

bool applyGuard(Function &function, const FunctionFacts &guard) {
  if (function.isDeclaration() || function.hasOptNone() || guard.empty())
    return false;
  auto noAddress = [](const ValueFact &) -> Constant * { return nullptr; };
  bool changed = applyValueFacts(function, guard, noAddress);
  changed |= applyGuardedGrid(function, guard);
  const DataLayout &layout = function.getParent()->getDataLayout();
  for (const ValueFact &fact : guard.values) {
    if (fact.parameter >= function.arg_size() ||
        fact.kind == ValueKind::Constant)
      continue;
    Argument &argument = *function.getArg(fact.parameter);
    if (!fact.isPart) {
      if (!isSpecial(argument))
        changed |= addMultiple(argument, fact,
                               function.getEntryBlock().getFirstInsertionPt());
      continue;
    }
    if (!argument.hasByValAttr())
      continue;
    PartLoads parts = loadsOfParts(argument, layout);
    for (auto [load, offset] : parts.loads)
      if (parts.isReadOnly && offset == fact.byteOffset)
        changed |= applyToPart(*load, fact);
  }
  return changed;
}

/// Says in attributes what is known of the integer or pointer that \p function
/// returns.
static void addReturnedBounds(Function &function, const ValueFact &fact) {
  Type *type = function.getReturnType();
  if (type->isPointerTy()) {
    if (fact.isNonNull)
      function.addRetAttr(Attribute::NonNull);
    return;
  }
  if (!type->isIntegerTy(fact.bitWidth) || fact.bitWidth > 64)
    return;
  ConstantRange range = ConstantRange::getNonEmpty(
      APInt(fact.bitWidth, fact.low), APInt(fact.bitWidth, fact.high) + 1);
  if (function.hasRetAttribute(Attribute::Range))
    range = range.intersectWith(
        function.getRetAttribute(Attribute::Range).getRange());
  if (range.isFullSet() || range.isEmptySet())
    return;
  function.removeRetAttr(Attribute::Range);
  function.addRetAttr(
      Attribute::get(function.getContext(), Attribute::Range, range));
}

void applyReturned(Function &function, const ValueFact &fact) {
  Type *type = function.getReturnType();
  if (type->isVoidTy() || function.hasOptNone())
    return;
  const DataLayout &layout = function.getParent()->getDataLayout();
  Constant *known = fact.kind == ValueKind::Constant
                        ? constantOf(*type, fact.value, fact.bitWidth, layout)
                        : nullptr;
  if (!known)
    return addReturnedBounds(function, fact);
  for (User *user : function.users()) {
    auto *call = dyn_cast<CallBase>(user);
    if (call && call->getCalledFunction() == &function &&
        !call->isMustTailCall() && !call->getFunction()->hasOptNone())
      call->replaceAllUsesWith(known);
  }
}

void dropInferredNoAlias(Function &function) {
  if (!function.hasFnAttribute(kInferredNoAlias))
    return;
  SmallVector<StringRef, 8> numbers;
  function.getFnAttribute(kInferredNoAlias)
      .getValueAsString()
      .split(numbers, ',');
  for (StringRef text : numbers)
    if (unsigned number;
        !text.getAsInteger(10, number) && number < function.arg_size())
      function.getArg(number)->removeAttr(Attribute::NoAlias);
  function.removeFnAttr(kInferredNoAlias);
}

} // namespace gpulto
