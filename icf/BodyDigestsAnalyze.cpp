//===- BodyDigestsAnalyze.cpp - Digests of bodies (LGEN)
//--------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: a digest that is equal only for bodies that compile to the same code,
// and cheap enough for every function at compile time.
//
//  1. Types, constants, attribute lists and metadata nodes are hashed once per
//     module and then by their hash. Nodes that reach a distinct node are not
//     remembered: distinct nodes (loop ids, alias scopes) have an identity, and
//     are numbered in order of appearance in each function.
//  2. A body is hashed instruction by instruction: opcode, type, flags,
//     operands by local number, constant hash or global name, and what each
//     opcode has besides its operands.
//
// Why not hash printed IR or bitcode: printing costs more than all of LGEN, and
// both depend on module-wide numbering. Linear in the body.
//
//===----------------------------------------------------------------------===//

#include "icf/BodyDigests.h"
#include "ipa/bodies/Contents.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace gpulto {

namespace {

/// What an operand or a metadata operand is; keeps kinds apart in the hash.
enum Tag : uint8_t {
  kTagNull,
  kTagLocal,
  kTagConstant,
  kTagGlobal,
  kTagMetadata,
  kTagAssembly,
  kTagString,
  kTagDistinct,
  kTagNode,
  kTagOther,
  kTagDebugRecord,
};

} // namespace

class ContentDigester::Implementation {
public:
  explicit Implementation(const llvm::Module &module) : module(module) {
    module.getContext().getSyncScopeNames(syncScopes);
    module.getContext().getMDKindNames(metadataKinds);
  }

  Digest function(const llvm::Function &function);
  Digest variable(const llvm::GlobalVariable &variable);
  Digest context();

private:
  void addHeader(StableHasher &hasher, const llvm::GlobalObject &object);
  void addAttachments(StableHasher &hasher, const llvm::GlobalObject &object);
  void number(const llvm::Function &function);
  void addInstruction(StableHasher &hasher, const llvm::Instruction &i);
  void addSpecial(StableHasher &hasher, const llvm::Instruction &i);
  void addCall(StableHasher &hasher, const llvm::CallBase &call);
  void addOperand(StableHasher &hasher, const llvm::Value &value);
  void addMetadata(StableHasher &hasher, const llvm::Metadata *metadata);
  void addLocation(StableHasher &hasher, const llvm::DILocation *where);
  void addDebugRecords(StableHasher &hasher, const llvm::Instruction &i);
  void addScope(StableHasher &hasher, const llvm::Metadata *scope);
  uint64_t type(llvm::Type *type);
  uint64_t constant(const llvm::Constant &constant);
  uint64_t global(const llvm::GlobalValue &value);
  uint64_t attributes(llvm::AttributeList list);
  uint64_t node(const llvm::MDNode &node, bool &reachesDistinct);

  const llvm::Module &module;
  llvm::SmallVector<llvm::StringRef, 8> syncScopes;
  llvm::SmallVector<llvm::StringRef, 64> metadataKinds;
  // Looked up only, never iterated.
  llvm::DenseMap<llvm::Type *, uint64_t> types;
  llvm::DenseMap<const llvm::Constant *, uint64_t> constants;
  llvm::DenseMap<const llvm::GlobalValue *, uint64_t> globals;
  llvm::DenseMap<void *, uint64_t> attributeLists;
  llvm::DenseMap<const llvm::MDNode *, uint64_t> nodes;
  llvm::DenseMap<const llvm::Metadata *, uint64_t> scopes;
  // Of the function being hashed.
  llvm::DenseMap<const llvm::Value *, uint32_t> locals;
  llvm::DenseMap<const llvm::MDNode *, uint32_t> distinctNodes;
  const llvm::DILocation *lastLocation = nullptr;
};

//===----------------------------------------------------------------------===//
// Things that are hashed once per module
//===----------------------------------------------------------------------===//

/// Struct names do not count: code depends on layout only.
uint64_t ContentDigester::Implementation::type(llvm::Type *type) {
  auto found = types.find(type);
  if (found != types.end())
    return found->second;
  StableHasher hasher;
  hasher.add(type->getTypeID());
  if (type->isIntegerTy())
    hasher.add(type->getIntegerBitWidth());
  if (type->isPointerTy())
    hasher.add(type->getPointerAddressSpace());
  if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
    hasher.add(array->getNumElements());
  if (auto *vector = llvm::dyn_cast<llvm::VectorType>(type))
    hasher.add(vector->getElementCount().getKnownMinValue());
  if (auto *function = llvm::dyn_cast<llvm::FunctionType>(type))
    hasher.add(function->isVarArg());
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(type)) {
    hasher.add(structure->isPacked());
    hasher.add(structure->isOpaque());
  }
  if (auto *target = llvm::dyn_cast<llvm::TargetExtType>(type))
    hasher.add(target->getName());
  hasher.add(type->getNumContainedTypes());
  for (llvm::Type *contained : type->subtypes())
    hasher.add(this->type(contained));
  return types[type] = hasher.finish().lo;
}

uint64_t ContentDigester::Implementation::attributes(llvm::AttributeList list) {
  auto found = attributeLists.find(list.getRawPointer());
  if (found != attributeLists.end())
    return found->second;
  StableHasher hasher;
  for (unsigned index : list.indexes()) {
    llvm::AttributeSet set = list.getAttributes(index);
    if (!set.hasAttributes())
      continue;
    hasher.add(index);
    for (llvm::Attribute attribute : set) {
      if (attribute.isStringAttribute()) {
        hasher.add(attribute.getKindAsString());
        hasher.add(attribute.getValueAsString());
        continue;
      }
      hasher.add(attribute.getKindAsEnum());
      if (attribute.isIntAttribute())
        hasher.add(attribute.getValueAsInt());
      else if (attribute.isTypeAttribute())
        hasher.add(attribute.getValueAsType() ? type(attribute.getValueAsType())
                                              : 0);
      else if (!attribute.isEnumAttribute())
        hasher.add(attribute.getAsString());
    }
  }
  return attributeLists[list.getRawPointer()] = hasher.finish().lo;
}

/// What a use of \p value depends on: its name and declaration; of a copyable
/// constant its contents instead of the name.
uint64_t
ContentDigester::Implementation::global(const llvm::GlobalValue &value) {
  auto found = globals.find(&value);
  if (found != globals.end())
    return found->second;
  // A constant may mention itself; the name stands for it meanwhile.
  globals[&value] = gpulto::digestOf(value.getName()).lo;
  StableHasher hasher;
  hasher.add(type(value.getValueType()));
  hasher.add(value.getAddressSpace());
  hasher.add(value.getVisibility());
  hasher.add(value.isDSOLocal());
  hasher.add(value.getThreadLocalMode());
  hasher.add(value.getUnnamedAddr());
  hasher.add(value.getLinkage());
  if (auto *function = llvm::dyn_cast<llvm::Function>(&value)) {
    hasher.add(function->getCallingConv());
    hasher.add(attributes(function->getAttributes()));
  }
  auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&value);
  if (variable) {
    hasher.add(variable->isConstant());
    hasher.add(variable->getAlign().valueOrOne().value());
  }
  if (variable && isContentsOnly(*variable))
    hasher.add(constant(*variable->getInitializer()));
  else
    hasher.add(value.getName());
  return globals[&value] = hasher.finish().lo;
}

uint64_t
ContentDigester::Implementation::constant(const llvm::Constant &constant) {
  if (auto *value = llvm::dyn_cast<llvm::GlobalValue>(&constant))
    return global(*value);
  auto found = constants.find(&constant);
  if (found != constants.end())
    return found->second;
  StableHasher hasher;
  hasher.add(constant.getValueID());
  hasher.add(type(constant.getType()));
  auto addBits = [&](const llvm::APInt &bits) {
    for (unsigned i = 0; i < bits.getNumWords(); ++i)
      hasher.add(bits.getRawData()[i]);
  };
  if (auto *integer = llvm::dyn_cast<llvm::ConstantInt>(&constant))
    addBits(integer->getValue());
  else if (auto *number = llvm::dyn_cast<llvm::ConstantFP>(&constant))
    addBits(number->getValueAPF().bitcastToAPInt());
  else if (auto *data = llvm::dyn_cast<llvm::ConstantDataSequential>(&constant))
    hasher.add(data->getRawDataValues());
  else if (auto *block = llvm::dyn_cast<llvm::BlockAddress>(&constant)) {
    hasher.add(block->getFunction()->getName());
    uint32_t number = 0;
    for (const llvm::BasicBlock &other : *block->getFunction()) {
      if (&other == block->getBasicBlock())
        break;
      ++number;
    }
    hasher.add(number);
  } else {
    if (auto *expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant)) {
      hasher.add(expression->getOpcode());
      hasher.add(expression->getRawSubclassOptionalData());
    }
    if (auto *address = llvm::dyn_cast<llvm::GEPOperator>(&constant)) {
      hasher.add(type(address->getSourceElementType()));
      if (std::optional<llvm::ConstantRange> range = address->getInRange()) {
        addBits(range->getLower());
        addBits(range->getUpper());
      }
    }
    hasher.add(constant.getNumOperands());
    for (const llvm::Use &operand : constant.operands())
      if (auto *part = llvm::dyn_cast<llvm::Constant>(operand.get()))
        hasher.add(this->constant(*part));
  }
  return constants[&constant] = hasher.finish().lo;
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

void ContentDigester::Implementation::addMetadata(
    StableHasher &hasher, const llvm::Metadata *metadata) {
  if (!metadata)
    return hasher.add(kTagNull);
  if (auto *node = llvm::dyn_cast<llvm::MDNode>(metadata)) {
    bool reachesDistinct = false;
    return hasher.add(this->node(*node, reachesDistinct));
  }
  if (auto *text = llvm::dyn_cast<llvm::MDString>(metadata)) {
    hasher.add(kTagString);
    return hasher.add(text->getString());
  }
  if (auto *value = llvm::dyn_cast<llvm::ValueAsMetadata>(metadata))
    return addOperand(hasher, *value->getValue());
  hasher.add(kTagOther);
  hasher.add(metadata->getMetadataID());
  if (auto *list = llvm::dyn_cast<llvm::DIArgList>(metadata))
    for (const llvm::ValueAsMetadata *value : list->getArgs())
      addOperand(hasher, *value->getValue());
}

/// Debug information is named, not followed: it is a graph of the whole unit.
uint64_t ContentDigester::Implementation::node(const llvm::MDNode &node,
                                               bool &reachesDistinct) {
  StableHasher hasher;
  if (llvm::isa<llvm::DINode>(node) || llvm::isa<llvm::DILocation>(node)) {
    if (auto *where = llvm::dyn_cast<llvm::DILocation>(&node))
      addLocation(hasher, where);
    else
      addScope(hasher, &node);
    return hasher.finish().lo;
  }
  auto known = nodes.find(&node);
  if (known != nodes.end())
    return known->second;
  if (node.isDistinct()) {
    reachesDistinct = true;
    auto [entry, isNew] =
        distinctNodes.try_emplace(&node, distinctNodes.size());
    hasher.add(kTagDistinct);
    hasher.add(entry->second);
    if (!isNew)
      return hasher.finish().lo;
  }
  bool below = false;
  hasher.add(kTagNode);
  hasher.add(node.getMetadataID());
  hasher.add(node.getNumOperands());
  if (auto *expression = llvm::dyn_cast<llvm::DIExpression>(&node))
    for (uint64_t element : expression->getElements())
      hasher.add(element);
  for (const llvm::MDOperand &operand : node.operands()) {
    if (auto *child = llvm::dyn_cast_or_null<llvm::MDNode>(operand.get()))
      hasher.add(this->node(*child, below));
    else
      addMetadata(hasher, operand.get());
  }
  reachesDistinct |= below;
  uint64_t result = hasher.finish().lo;
  if (!below && !node.isDistinct())
    nodes[&node] = result;
  return result;
}

/// A scope, variable or type of debug information: kind, name, line, and the
/// scopes around it.
void ContentDigester::Implementation::addScope(StableHasher &hasher,
                                               const llvm::Metadata *scope) {
  auto *node = llvm::dyn_cast_or_null<llvm::DINode>(scope);
  if (!node)
    return hasher.add(kTagNull);
  auto found = scopes.find(node);
  if (found != scopes.end())
    return hasher.add(found->second);
  StableHasher own;
  own.add(node->getMetadataID());
  own.add(node->getTag());
  if (auto *subprogram = llvm::dyn_cast<llvm::DISubprogram>(node)) {
    own.add(subprogram->getName());
    own.add(subprogram->getLinkageName());
    own.add(subprogram->getLine());
    own.add(subprogram->getFilename());
    own.add(subprogram->getSPFlags());
  } else if (auto *block = llvm::dyn_cast<llvm::DILexicalBlock>(node)) {
    own.add(block->getLine());
    own.add(block->getColumn());
    addScope(own, block->getScope());
  } else if (auto *file = llvm::dyn_cast<llvm::DILexicalBlockFile>(node)) {
    own.add(file->getFilename());
    addScope(own, file->getScope());
  } else if (auto *variable = llvm::dyn_cast<llvm::DIVariable>(node)) {
    own.add(variable->getName());
    own.add(variable->getLine());
    addScope(own, variable->getType());
  } else if (auto *type = llvm::dyn_cast<llvm::DIType>(node)) {
    own.add(type->getName());
    own.add(type->getSizeInBits());
  } else if (auto *label = llvm::dyn_cast<llvm::DILabel>(node)) {
    own.add(label->getName());
    own.add(label->getLine());
  }
  uint64_t result = own.finish().lo;
  scopes[node] = result;
  hasher.add(result);
}

void ContentDigester::Implementation::addLocation(
    StableHasher &hasher, const llvm::DILocation *where) {
  for (; where; where = where->getInlinedAt()) {
    hasher.add(where->getLine());
    hasher.add(where->getColumn());
    addScope(hasher, where->getScope());
  }
}

void ContentDigester::Implementation::addDebugRecords(
    StableHasher &hasher, const llvm::Instruction &i) {
  for (const llvm::DbgRecord &record : i.getDbgRecordRange()) {
    hasher.add(kTagDebugRecord);
    if (auto *variable = llvm::dyn_cast<llvm::DbgVariableRecord>(&record)) {
      hasher.add(variable->getType());
      addMetadata(hasher, variable->getRawLocation());
      addScope(hasher, variable->getVariable());
      for (uint64_t element : variable->getExpression()->getElements())
        hasher.add(element);
    } else if (auto *label = llvm::dyn_cast<llvm::DbgLabelRecord>(&record)) {
      addScope(hasher, label->getLabel());
    }
    addLocation(hasher, record.getDebugLoc());
  }
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

void ContentDigester::Implementation::addOperand(StableHasher &hasher,
                                                 const llvm::Value &value) {
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(&value)) {
    hasher.add(kTagConstant);
    return hasher.add(this->constant(*constant));
  }
  auto local = locals.find(&value);
  if (local != locals.end())
    return hasher.add(uint64_t(local->second) << 8 | kTagLocal);
  if (auto *metadata = llvm::dyn_cast<llvm::MetadataAsValue>(&value)) {
    hasher.add(kTagMetadata);
    return addMetadata(hasher, metadata->getMetadata());
  }
  if (auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(&value)) {
    hasher.add(kTagAssembly);
    hasher.add(assembly->getAsmString());
    hasher.add(assembly->getConstraintString());
    hasher.add(assembly->hasSideEffects());
    hasher.add(assembly->isAlignStack());
    hasher.add(assembly->getDialect());
    hasher.add(assembly->canThrow());
    return;
  }
  hasher.add(kTagOther);
}

void ContentDigester::Implementation::addCall(StableHasher &hasher,
                                              const llvm::CallBase &call) {
  hasher.add(call.getCallingConv());
  hasher.add(type(call.getFunctionType()));
  hasher.add(attributes(call.getAttributes()));
  if (auto *plain = llvm::dyn_cast<llvm::CallInst>(&call))
    hasher.add(plain->getTailCallKind());
  for (unsigned i = 0; i < call.getNumOperandBundles(); ++i) {
    llvm::OperandBundleUse bundle = call.getOperandBundleAt(i);
    hasher.add(bundle.getTagName());
    hasher.add(bundle.Inputs.size());
  }
}

/// Properties of an instruction besides type, flags and operands.
void ContentDigester::Implementation::addSpecial(StableHasher &hasher,
                                                 const llvm::Instruction &i) {
  auto addScopeName = [&](llvm::SyncScope::ID id) {
    hasher.add(id < syncScopes.size() ? syncScopes[id] : llvm::StringRef());
  };
  if (auto *compare = llvm::dyn_cast<llvm::CmpInst>(&i))
    return hasher.add(compare->getPredicate());
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&i))
    return addCall(hasher, *call);
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
    hasher.add(uint64_t(llvm::Log2(load->getAlign())) << 8 |
               uint64_t(load->isVolatile()) << 7 |
               uint64_t(load->getOrdering()));
    return addScopeName(load->getSyncScopeID());
  }
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
    hasher.add(uint64_t(llvm::Log2(store->getAlign())) << 8 |
               uint64_t(store->isVolatile()) << 7 |
               uint64_t(store->getOrdering()));
    return addScopeName(store->getSyncScopeID());
  }
  if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&i))
    return hasher.add(type(address->getSourceElementType()));
  if (auto *local = llvm::dyn_cast<llvm::AllocaInst>(&i)) {
    hasher.add(type(local->getAllocatedType()));
    hasher.add(llvm::Log2(local->getAlign()));
    hasher.add(local->isUsedWithInAlloca());
    return hasher.add(local->isSwiftError());
  }
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&i)) {
    for (const llvm::BasicBlock *block : phi->blocks())
      hasher.add(locals.lookup(block));
    return;
  }
  if (auto *choice = llvm::dyn_cast<llvm::SwitchInst>(&i)) {
    for (const auto &option : choice->cases())
      addOperand(hasher, *option.getCaseValue());
    return;
  }
  if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) {
    hasher.add(update->getOperation());
    hasher.add(update->getOrdering());
    hasher.add(update->isVolatile());
    hasher.add(llvm::Log2(update->getAlign()));
    return addScopeName(update->getSyncScopeID());
  }
  if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i)) {
    hasher.add(exchange->getSuccessOrdering());
    hasher.add(exchange->getFailureOrdering());
    hasher.add(exchange->isVolatile());
    hasher.add(exchange->isWeak());
    hasher.add(llvm::Log2(exchange->getAlign()));
    return addScopeName(exchange->getSyncScopeID());
  }
  if (auto *fence = llvm::dyn_cast<llvm::FenceInst>(&i)) {
    hasher.add(fence->getOrdering());
    return addScopeName(fence->getSyncScopeID());
  }
  if (auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(&i))
    for (unsigned index : extract->indices())
      hasher.add(index);
  if (auto *insert = llvm::dyn_cast<llvm::InsertValueInst>(&i))
    for (unsigned index : insert->indices())
      hasher.add(index);
  if (auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&i))
    for (int lane : shuffle->getShuffleMask())
      hasher.add(lane);
  if (auto *pad = llvm::dyn_cast<llvm::LandingPadInst>(&i)) {
    hasher.add(pad->isCleanup());
    for (unsigned clause = 0; clause < pad->getNumClauses(); ++clause)
      hasher.add(pad->isCatch(clause));
  }
}

void ContentDigester::Implementation::addInstruction(
    StableHasher &hasher, const llvm::Instruction &i) {
  hasher.add(uint64_t(i.getOpcode()) << 40 |
             uint64_t(i.getRawSubclassOptionalData()) << 32 |
             i.getNumOperands());
  hasher.add(type(i.getType()));
  for (const llvm::Use &operand : i.operands())
    addOperand(hasher, *operand);
  addSpecial(hasher, i);
  if (i.hasMetadataOtherThanDebugLoc()) {
    llvm::SmallVector<std::pair<unsigned, llvm::MDNode *>, 4> attached;
    i.getAllMetadataOtherThanDebugLoc(attached);
    for (auto [kind, node] : attached) {
      hasher.add(metadataKinds[kind]);
      addMetadata(hasher, node);
    }
  }
  if (i.hasDbgRecords())
    addDebugRecords(hasher, i);
  const llvm::DILocation *where = i.getDebugLoc();
  if (where == lastLocation)
    return;
  lastLocation = where;
  hasher.add(kTagDebugRecord);
  addLocation(hasher, where);
}

void ContentDigester::Implementation::addAttachments(
    StableHasher &hasher, const llvm::GlobalObject &object) {
  llvm::SmallVector<std::pair<unsigned, llvm::MDNode *>, 4> attached;
  object.getAllMetadata(attached);
  for (auto [kind, node] : attached) {
    hasher.add(metadataKinds[kind]);
    addMetadata(hasher, node);
  }
}

/// Returns the alignment that \p object is given.
static llvm::MaybeAlign alignment(const llvm::GlobalObject &object) {
  if (auto *function = llvm::dyn_cast<llvm::Function>(&object))
    return function->getAlign();
  if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&object))
    return variable->getAlign();
  return {};
}

void ContentDigester::Implementation::addHeader(
    StableHasher &hasher, const llvm::GlobalObject &object) {
  hasher.add(object.getName());
  hasher.add(object.getLinkage());
  hasher.add(object.getVisibility());
  hasher.add(object.getUnnamedAddr());
  hasher.add(object.isDSOLocal());
  hasher.add(object.getThreadLocalMode());
  hasher.add(object.getAddressSpace());
  hasher.add(object.getSection());
  hasher.add(object.getPartition());
  hasher.add(alignment(object).valueOrOne().value());
  hasher.add(type(object.getValueType()));
  if (const llvm::Comdat *comdat = object.getComdat()) {
    hasher.add(comdat->getName());
    hasher.add(comdat->getSelectionKind());
  }
  addAttachments(hasher, object);
}

void ContentDigester::Implementation::number(const llvm::Function &function) {
  locals.clear();
  distinctNodes.clear();
  lastLocation = nullptr;
  uint32_t next = 0;
  for (const llvm::Argument &argument : function.args())
    locals[&argument] = next++;
  for (const llvm::BasicBlock &block : function) {
    locals[&block] = next++;
    for (const llvm::Instruction &instruction : block)
      if (!instruction.getType()->isVoidTy())
        locals[&instruction] = next++;
  }
}

Digest
ContentDigester::Implementation::function(const llvm::Function &function) {
  number(function);
  StableHasher hasher;
  addHeader(hasher, function);
  hasher.add(function.getCallingConv());
  hasher.add(attributes(function.getAttributes()));
  if (function.hasGC())
    hasher.add(function.getGC());
  if (function.hasPersonalityFn())
    hasher.add(constant(*function.getPersonalityFn()));
  if (function.hasPrefixData())
    hasher.add(constant(*function.getPrefixData()));
  if (function.hasPrologueData())
    hasher.add(constant(*function.getPrologueData()));
  for (const llvm::BasicBlock &block : function) {
    hasher.add(block.size());
    for (const llvm::Instruction &instruction : block)
      addInstruction(hasher, instruction);
  }
  return hasher.finish();
}

Digest ContentDigester::Implementation::variable(
    const llvm::GlobalVariable &variable) {
  locals.clear();
  distinctNodes.clear();
  StableHasher hasher;
  addHeader(hasher, variable);
  hasher.add(variable.isConstant());
  hasher.add(variable.isExternallyInitialized());
  for (llvm::Attribute attribute : variable.getAttributes())
    hasher.add(attribute.getAsString());
  if (variable.hasInitializer())
    hasher.add(constant(*variable.getInitializer()));
  return hasher.finish();
}

Digest ContentDigester::Implementation::context() {
  locals.clear();
  distinctNodes.clear();
  StableHasher hasher;
  hasher.add(module.getTargetTriple().str());
  hasher.add(module.getDataLayoutStr());
  hasher.add(module.getModuleInlineAsm());
  for (const char *name : {"llvm.module.flags", "llvm.dependent-libraries",
                           "llvm.linker.options", "nvvm.annotations"}) {
    const llvm::NamedMDNode *list = module.getNamedMetadata(name);
    if (!list)
      continue;
    hasher.add(name);
    for (const llvm::MDNode *node : list->operands())
      addMetadata(hasher, node);
  }
  return hasher.finish();
}

ContentDigester::ContentDigester(const llvm::Module &module)
    : implementation(std::make_unique<Implementation>(module)) {}
ContentDigester::~ContentDigester() = default;

Digest ContentDigester::digestOf(const llvm::Function &function) {
  return implementation->function(function);
}
Digest ContentDigester::digestOf(const llvm::GlobalVariable &variable) {
  return implementation->variable(variable);
}
Digest ContentDigester::digestOfContext() { return implementation->context(); }

} // namespace gpulto
