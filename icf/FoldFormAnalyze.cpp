//===- FoldFormAnalyze.cpp - The form in which bodies are compared (LGEN) -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: instances of a template that compile to the same machine code have
// equal forms.
//
//   template <class T> __device__ T first(T *p, int i) { return p[i]; }
//   first<int>       gep inbounds i32, %0, %1    load i32 !tbaa int
//   first<unsigned>  gep inbounds i32, %0, %1    load i32 !tbaa int
//   first<S>         gep inbounds %S, %0, %1     load i32 !tbaa S
//
// Blocks are visited in reverse post-order and values, blocks and symbols
// numbered as they appear. The form is written as bytes and digested; nothing
// in it depends on names of types or values, on metadata numbers or pointers.
//
// Unlike LLVM's FunctionComparator, this form ignores: names of symbols, types
// that an address calculation steps through, attributes and metadata that are
// promises, poison flags, how callers extend narrow parameters, and signedness
// in PTX that does not depend on it (PtxAssembly.h). On five integer types of a
// Thrust sort it finds .2 % of the instructions equal, this form 45 %.
//
// Linear in the body.
//
//===----------------------------------------------------------------------===//

#include "icf/FoldAttributes.h"
#include "icf/FoldForm.h"
#include "icf/PtxAssembly.h"
#include "ipa/bodies/Contents.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace gpulto {

namespace {
/// What stands at the head of an operand; keeps kinds apart.
enum class Tag : uint8_t {
  Local,
  Block,
  Symbol,
  Contents,
  Integer,
  Float,
  Null,
  Undef,
  Poison,
  Data,
  Parts,
  Address,
  Expression,
  Assembly,
  Metadata,
  Node,
  Text,
  Distinct,
  End,
};
} // namespace

class FoldFormer::Implementation {
public:
  Implementation(const Module &module, bool fusesAll)
      : layout(module.getDataLayout()), module(module), fusesAll(fusesAll),
        isPtx(Triple(module.getTargetTriple()).isNVPTX()) {
    readAnnotations();
    module.getContext().getMDKindNames(metadataKinds);
    module.getContext().getSyncScopeNames(syncScopes);
  }

  FoldForm formOf(const Function &function);
  FoldForm formOf(const GlobalVariable &variable);

private:
  void readAnnotations();
  void begin();
  FoldForm finish();

  void word(uint64_t value) {
    char bytes[8];
    support::endian::write64le(bytes, value);
    text.append(std::begin(bytes), std::end(bytes));
  }
  void tag(Tag value) { text.push_back(static_cast<char>(value)); }
  void bytes(StringRef value) {
    word(value.size());
    text.append(value.begin(), value.end());
  }
  void bits(const APInt &value) {
    word(value.getBitWidth());
    for (unsigned i = 0; i < value.getNumWords(); ++i)
      word(value.getRawData()[i]);
  }

  StringRef encodingOf(Type *type);
  void valueType(Type *type) { bytes(encodingOf(type)); }
  void memoryType(Type *type);
  using LeftOut = bool (*)(Attribute);
  void attributes(AttributeSet set, LeftOut isLeftOut = isPromise);
  void attributes(AttributeList list, unsigned parameters,
                  LeftOut isLeftOut = isPromise);

  void local(const Value &value, Tag kind);
  void symbol(const GlobalValue &value);
  void constant(const Constant &constant);
  void address(const GEPOperator &address);
  void operand(const Value &value);

  void metadata(const Metadata *metadata);
  void attachments(const Instruction &instruction);

  void head(const Function &function);
  void call(const CallBase &call);
  void mathFlags(const FPMathOperator &math);
  void memoryParticulars(const Instruction &instruction);
  void particulars(const Instruction &instruction);
  void instruction(const Instruction &instruction);

  const DataLayout &layout;
  const Module &module;
  const bool fusesAll;
  const bool isPtx;
  SmallVector<StringRef, 64> metadataKinds;
  SmallVector<StringRef, 8> syncScopes;
  // Looked up only, never iterated.
  DenseMap<Type *, std::string> encodings;
  DenseMap<const Function *, std::vector<const MDNode *>> annotations;
  // Of the function at hand.
  SmallVector<char, 0> text;
  DenseMap<const Value *, uint32_t> locals;
  DenseMap<const GlobalValue *, uint32_t> symbolNumbers;
  DenseMap<const MDNode *, uint32_t> distinctNodes;
  SmallVector<const GlobalValue *, 4> open; // constants being written out
  SmallVector<const GlobalValue *, 8> symbols;
  bool isFoldable = true;
  bool hasUnmarkedMath = false;
  /// Whether some operation of the module is marked; not known at first.
};

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

/// A type of values, by its structure: how an aggregate is passed depends on
/// its elements.
StringRef FoldFormer::Implementation::encodingOf(Type *type) {
  auto found = encodings.find(type);
  if (found != encodings.end())
    return found->second;
  std::string result(1, static_cast<char>(type->getTypeID()));
  auto number = [&](uint64_t value) {
    result += std::to_string(value);
    result += ',';
  };
  if (type->isIntegerTy())
    number(type->getIntegerBitWidth());
  if (type->isPointerTy())
    number(type->getPointerAddressSpace());
  if (auto *array = dyn_cast<ArrayType>(type))
    number(array->getNumElements());
  if (auto *vector = dyn_cast<VectorType>(type))
    number(vector->getElementCount().getKnownMinValue());
  if (auto *function = dyn_cast<FunctionType>(type))
    number(function->isVarArg());
  if (auto *structure = dyn_cast<StructType>(type))
    number(structure->isPacked());
  if (auto *target = dyn_cast<TargetExtType>(type))
    result += target->getName();
  number(type->getNumContainedTypes());
  for (Type *contained : type->subtypes())
    result += encodingOf(contained);
  return encodings[type] = std::move(result);
}

/// A type of memory: its size and alignment.
void FoldFormer::Implementation::memoryType(Type *type) {
  if (!type->isSized() || isa<ScalableVectorType>(type))
    return valueType(type);
  word(layout.getTypeAllocSize(type).getKnownMinValue());
  word(layout.getABITypeAlign(type).value());
}

void FoldFormer::Implementation::attributes(AttributeSet set,
                                            LeftOut isLeftOut) {
  for (Attribute attribute : set) {
    if (isLeftOut(attribute))
      continue;
    if (attribute.isStringAttribute()) {
      bytes(attribute.getKindAsString());
      bytes(attribute.getValueAsString());
      continue;
    }
    word(attribute.getKindAsEnum());
    if (attribute.isIntAttribute())
      word(attribute.getValueAsInt());
    else if (attribute.isTypeAttribute() && attribute.getValueAsType())
      memoryType(attribute.getValueAsType());
    else if (!attribute.isEnumAttribute())
      bytes(attribute.getAsString());
  }
  tag(Tag::End);
}

/// \p isLeftOut says what of the parameters does not count.
void FoldFormer::Implementation::attributes(AttributeList list,
                                            unsigned parameters,
                                            LeftOut isLeftOut) {
  attributes(list.getFnAttrs());
  attributes(list.getRetAttrs());
  for (unsigned i = 0; i < parameters; ++i)
    attributes(list.getParamAttrs(i), isLeftOut);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

void FoldFormer::Implementation::local(const Value &value, Tag kind) {
  tag(kind);
  word(locals.try_emplace(&value, locals.size()).first->second);
}

/// A constant that has no address of its own counts by its contents, any other
/// symbol by when it appears.
void FoldFormer::Implementation::symbol(const GlobalValue &value) {
  auto *variable = dyn_cast<GlobalVariable>(&value);
  bool isContents = variable && isContentsOnly(*variable);
  if (isContents && !is_contained(open, variable)) {
    tag(Tag::Contents);
    word(variable->getAddressSpace());
    word(variable->getAlign().valueOrOne().value());
    word(variable->getThreadLocalMode());
    memoryType(variable->getValueType());
    open.push_back(variable);
    constant(*variable->getInitializer());
    open.pop_back();
    return;
  }
  // It would have to be compared by its contents, which lead here again.
  if (isContents)
    isFoldable = false;
  if (isa<Function>(value) && cast<Function>(value).isIntrinsic()) {
    tag(Tag::Text);
    return bytes(value.getName());
  }
  tag(Tag::Symbol);
  auto [entry, isNew] = symbolNumbers.try_emplace(&value, symbolNumbers.size());
  word(entry->second);
  if (!isNew)
    return;
  symbols.push_back(&value);
  word(value.getAddressSpace());
  // Not whether it is known to be in this program, which one unit may know of a
  // symbol and another may not.
  word(value.getThreadLocalMode());
  if (auto *function = dyn_cast<Function>(&value))
    word(function->getCallingConv());
  else if (variable)
    word(variable->getAlign().valueOrOne().value());
}

/// Address arithmetic in bytes: what it steps through does not matter.
void FoldFormer::Implementation::address(const GEPOperator &address) {
  unsigned width = layout.getIndexTypeSizeInBits(address.getType());
  SmallMapVector<Value *, APInt, 4> scales;
  APInt offset(width, 0);
  if (address.getType()->isVectorTy() ||
      !address.collectOffset(layout, width, scales, offset)) {
    tag(Tag::Expression);
    valueType(address.getSourceElementType());
    word(address.getNumOperands());
    for (const Use &use : address.operands())
      operand(*use);
    return;
  }
  tag(Tag::Address);
  operand(*address.getPointerOperand());
  bits(offset);
  word(scales.size());
  for (auto &[index, scale] : scales) {
    bits(scale);
    operand(*index);
  }
}

void FoldFormer::Implementation::constant(const Constant &constant) {
  if (auto *value = dyn_cast<GlobalValue>(&constant))
    return symbol(*value);
  if (auto *gep = dyn_cast<GEPOperator>(&constant))
    return address(*gep);
  if (isa<BlockAddress>(constant) || isa<DSOLocalEquivalent>(constant) ||
      isa<NoCFIValue>(constant) || isa<ConstantPtrAuth>(constant))
    isFoldable = false;
  if (auto *integer = dyn_cast<ConstantInt>(&constant)) {
    tag(Tag::Integer);
    if (integer->getType()->isVectorTy())
      valueType(integer->getType());
    return bits(integer->getValue());
  }
  auto typed = [&](Tag kind) {
    tag(kind);
    valueType(constant.getType());
  };
  if (auto *number = dyn_cast<ConstantFP>(&constant)) {
    typed(Tag::Float);
    return bits(number->getValueAPF().bitcastToAPInt());
  }
  if (constant.isNullValue())
    return typed(Tag::Null);
  if (isa<PoisonValue>(constant))
    return typed(Tag::Poison);
  if (isa<UndefValue>(constant))
    return typed(Tag::Undef);
  if (auto *data = dyn_cast<ConstantDataSequential>(&constant)) {
    typed(Tag::Data);
    return bytes(data->getRawDataValues());
  }
  if (auto *expression = dyn_cast<ConstantExpr>(&constant)) {
    typed(Tag::Expression);
    word(expression->getOpcode());
  } else {
    typed(Tag::Parts);
    word(constant.getValueID());
  }
  word(constant.getNumOperands());
  for (const Use &use : constant.operands())
    if (auto *part = dyn_cast<Constant>(use.get()))
      this->constant(*part);
}

void FoldFormer::Implementation::operand(const Value &value) {
  if (auto *known = dyn_cast<Constant>(&value))
    return constant(*known);
  if (isa<BasicBlock>(value))
    return local(value, Tag::Block);
  if (auto *wrapped = dyn_cast<MetadataAsValue>(&value)) {
    tag(Tag::Metadata);
    return metadata(wrapped->getMetadata());
  }
  if (auto *assembly = dyn_cast<InlineAsm>(&value)) {
    tag(Tag::Assembly);
    bytes(isPtx ? signlessPtx(assembly->getAsmString())
                : assembly->getAsmString());
    bytes(assembly->getConstraintString());
    word(assembly->hasSideEffects());
    word(assembly->isAlignStack());
    word(assembly->getDialect());
    word(assembly->canThrow());
    return;
  }
  local(value, Tag::Local);
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

/// Metadata that counts, such as the properties of a loop, except for its place
/// in the source.
void FoldFormer::Implementation::metadata(const Metadata *metadata) {
  if (!metadata || isa<DILocation>(metadata))
    return tag(Tag::Null);
  if (auto *string = dyn_cast<MDString>(metadata)) {
    tag(Tag::Text);
    return bytes(string->getString());
  }
  if (auto *value = dyn_cast<ValueAsMetadata>(metadata))
    return operand(*value->getValue());
  auto *node = dyn_cast<MDNode>(metadata);
  if (!node || isa<DINode>(node)) {
    tag(Tag::Metadata);
    return word(metadata->getMetadataID());
  }
  if (node->isDistinct()) {
    auto [entry, isNew] = distinctNodes.try_emplace(node, distinctNodes.size());
    tag(Tag::Distinct);
    word(entry->second);
    if (!isNew)
      return;
  }
  tag(Tag::Node);
  // Positions of a loop in the source come and go with -g.
  auto counts = [](const MDOperand &part) {
    return !isa_and_nonnull<DILocation>(part.get());
  };
  word(count_if(node->operands(), counts));
  for (const MDOperand &part : node->operands())
    if (counts(part))
      this->metadata(part.get());
}

void FoldFormer::Implementation::attachments(const Instruction &instruction) {
  SmallVector<std::pair<unsigned, MDNode *>, 4> attached;
  instruction.getAllMetadataOtherThanDebugLoc(attached);
  for (auto [kind, node] : attached) {
    if (!isCompared(kind, *node))
      continue;
    bytes(metadataKinds[kind]);
    if (instruction.getMetadata("srcloc") != node)
      metadata(node);
  }
}

/// Annotations of kernels stand in a list of the module:
/// {object, key, value, key, value...}.
void FoldFormer::Implementation::readAnnotations() {
  const NamedMDNode *list = module.getNamedMetadata("nvvm.annotations");
  if (!list)
    return;
  for (const MDNode *node : list->operands())
    if (node->getNumOperands())
      if (auto *function =
              mdconst::dyn_extract_or_null<Function>(node->getOperand(0)))
        annotations[function].push_back(node);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

void FoldFormer::Implementation::call(const CallBase &call) {
  word(call.getCallingConv());
  valueType(call.getFunctionType());
  attributes(call.getAttributes(), call.arg_size());
  if (auto *plain = dyn_cast<CallInst>(&call))
    word(plain->getTailCallKind());
  word(call.getNumOperandBundles());
  for (unsigned i = 0; i < call.getNumOperandBundles(); ++i) {
    OperandBundleUse bundle = call.getOperandBundleAt(i);
    bytes(bundle.getTagName());
    word(bundle.Inputs.size());
  }
}

void FoldFormer::Implementation::mathFlags(const FPMathOperator &math) {
  FastMathFlags flags = math.getFastMathFlags();
  hasUnmarkedMath |= !flags.allowContract();
  word(uint64_t(flags.allowReassoc()) | uint64_t(flags.noNaNs()) << 1 |
       uint64_t(flags.noInfs()) << 2 | uint64_t(flags.noSignedZeros()) << 3 |
       uint64_t(flags.allowReciprocal()) << 4 |
       uint64_t(flags.allowContract()) << 5 |
       uint64_t(flags.approxFunc()) << 6);
}

/// What \p i keeps if it makes or accesses memory.
void FoldFormer::Implementation::memoryParticulars(const Instruction &i) {
  auto scope = [&](SyncScope::ID id) {
    bytes(id < syncScopes.size() ? syncScopes[id] : StringRef());
  };
  auto access = [&](Align align, bool isVolatile) {
    word(align.value());
    word(isVolatile);
  };
  if (auto *load = dyn_cast<LoadInst>(&i)) {
    access(load->getAlign(), load->isVolatile());
    word(static_cast<uint64_t>(load->getOrdering()));
    scope(load->getSyncScopeID());
  } else if (auto *store = dyn_cast<StoreInst>(&i)) {
    access(store->getAlign(), store->isVolatile());
    word(static_cast<uint64_t>(store->getOrdering()));
    scope(store->getSyncScopeID());
  } else if (auto *slot = dyn_cast<AllocaInst>(&i)) {
    memoryType(slot->getAllocatedType());
    word(slot->getAlign().value());
    word(slot->isUsedWithInAlloca());
    word(slot->isSwiftError());
  } else if (auto *update = dyn_cast<AtomicRMWInst>(&i)) {
    word(update->getOperation());
    access(update->getAlign(), update->isVolatile());
    word(static_cast<uint64_t>(update->getOrdering()));
    scope(update->getSyncScopeID());
  } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&i)) {
    access(exchange->getAlign(), exchange->isVolatile());
    word(exchange->isWeak());
    word(static_cast<uint64_t>(exchange->getSuccessOrdering()));
    word(static_cast<uint64_t>(exchange->getFailureOrdering()));
    scope(exchange->getSyncScopeID());
  } else if (auto *fence = dyn_cast<FenceInst>(&i)) {
    word(static_cast<uint64_t>(fence->getOrdering()));
    scope(fence->getSyncScopeID());
  }
}

/// Properties of an instruction besides type and operands. Poison flags do not
/// count; floating-point flags do, since they select instructions.
void FoldFormer::Implementation::particulars(const Instruction &i) {
  if (auto *math = dyn_cast<FPMathOperator>(&i))
    mathFlags(*math);
  memoryParticulars(i);
  if (auto *compare = dyn_cast<CmpInst>(&i))
    word(compare->getPredicate());
  else if (auto *callee = dyn_cast<CallBase>(&i))
    call(*callee);
  else if (auto *extract = dyn_cast<ExtractValueInst>(&i)) {
    for (unsigned index : extract->indices())
      word(index);
  } else if (auto *insert = dyn_cast<InsertValueInst>(&i)) {
    for (unsigned index : insert->indices())
      word(index);
  } else if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&i)) {
    for (int lane : shuffle->getShuffleMask())
      word(static_cast<uint64_t>(static_cast<int64_t>(lane)));
  } else if (auto *pad = dyn_cast<LandingPadInst>(&i)) {
    word(pad->isCleanup());
    for (unsigned clause = 0; clause < pad->getNumClauses(); ++clause)
      word(pad->isCatch(clause));
  } else if (auto *phi = dyn_cast<PHINode>(&i)) {
    for (const BasicBlock *block : phi->blocks())
      local(*block, Tag::Block);
  } else if (auto *choice = dyn_cast<SwitchInst>(&i)) {
    for (const auto &option : choice->cases())
      operand(*option.getCaseValue());
  }
}

void FoldFormer::Implementation::instruction(const Instruction &i) {
  word(i.getOpcode());
  if (auto *gep = dyn_cast<GEPOperator>(&i)) {
    valueType(gep->getType());
    address(*gep);
  } else {
    valueType(i.getType());
    word(i.getNumOperands());
    for (const Use &use : i.operands())
      operand(*use);
  }
  particulars(i);
  attachments(i);
  if (!i.getType()->isVoidTy())
    local(i, Tag::Local);
}

void FoldFormer::Implementation::head(const Function &function) {
  word(function.getCallingConv());
  valueType(function.getFunctionType());
  bytes(function.getSection());
  bytes(function.getPartition());
  word(function.getAlign().valueOrOne().value());
  attributes(function.getAttributes(), function.arg_size(), isPromiseToBody);
  bool isEntry = function.getCallingConv() == CallingConv::PTX_Kernel;
  auto noted = annotations.find(&function);
  if (noted != annotations.end()) {
    isEntry = true;
    for (const MDNode *node : noted->second)
      for (const MDOperand &part : drop_begin(node->operands()))
        metadata(part.get());
  }
  tag(Tag::End);
  // Promises of a kernel's pointers choose instructions: what nobody writes is
  // read through the read-only cache.
  if (isEntry)
    for (const Argument &argument : function.args()) {
      word(argument.hasNoAliasAttr());
      word(argument.onlyReadsMemory());
    }
  // What __nvvm_reflect("__CUDA_FTZ") answers is a flag of the unit.
  if (Metadata *flag = module.getModuleFlag("nvvm-reflect-ftz"))
    metadata(flag);
  // Such as the type that an indirect call checks (-fsanitize=kcfi).
  SmallVector<std::pair<unsigned, MDNode *>, 4> attached;
  function.getAllMetadata(attached);
  for (auto [kind, node] : attached)
    if (!isPromise(kind)) {
      bytes(metadataKinds[kind]);
      metadata(node);
    }
  tag(Tag::End);
  word(function.hasPersonalityFn());
  if (function.hasPersonalityFn())
    constant(*function.getPersonalityFn());
  for (const Argument &argument : function.args())
    local(argument, Tag::Local);
}

void FoldFormer::Implementation::begin() {
  text.clear();
  locals.clear();
  symbolNumbers.clear();
  distinctNodes.clear();
  symbols.clear();
  isFoldable = true;
  hasUnmarkedMath = false;
}

FoldForm FoldFormer::Implementation::finish() {
  FoldForm form;
  if (!isFoldable)
    return form;
  auto digest = BLAKE3::hash<sizeof(Digest)>(
      ArrayRef(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  form.hash.lo = support::endian::read64le(digest.data());
  form.hash.hi = support::endian::read64le(digest.data() + sizeof(uint64_t));
  form.symbols = std::move(symbols);
  return form;
}

FoldForm FoldFormer::Implementation::formOf(const GlobalVariable &variable) {
  begin();
  if (isUnfoldable(variable))
    return {};
  word(variable.getAddressSpace());
  word(layout.getPreferredAlign(&variable).value());
  memoryType(variable.getValueType());
  bytes(variable.getSection());
  bytes(variable.getPartition());
  attributes(variable.getAttributes());
  constant(*variable.getInitializer());
  return finish();
}

FoldForm FoldFormer::Implementation::formOf(const Function &function) {
  begin();
  if (isUnfoldable(function))
    return {};
  head(function);
  ReversePostOrderTraversal<const Function *> order(&function);
  for (const BasicBlock *block : order) {
    local(*block, Tag::Block);
    for (const Instruction &i : *block)
      if (!isMarker(i))
        instruction(i);
    if (!isFoldable)
      return {};
  }
  // What is not marked means one thing in one unit and another in the next.
  if (hasUnmarkedMath)
    word(fusesAll);
  return finish();
}

FoldFormer::FoldFormer(const Module &module, bool fusesAll)
    : implementation(std::make_unique<Implementation>(module, fusesAll)) {}
FoldFormer::~FoldFormer() = default;

FoldForm FoldFormer::formOf(const Function &function) {
  return implementation->formOf(function);
}

FoldForm FoldFormer::formOf(const GlobalVariable &variable) {
  return implementation->formOf(variable);
}

} // namespace gpulto
