//===- HandleMemoryAnalyze.cpp - Handles in memory that functions share ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: handles in structs that one function fills and another launches from.
//
//   struct Op { Kernel kernel; int block; };
//   Op make() { return {add, 256}; }                           an element
//   void run(const Op &op) { op.kernel<<<1, op.block>>>(...); }  memory of run
//   main() { Op op = make(); run(op); }                          memory of main
//
// Memory here is what a parameter points to, a local variable or an object that
// the function makes with `new`, as long as all uses of its address are known
// and at constant distances (memoryUses). For memory that may hold handles the
// summary says where handles stored there come from (Into), what is read from
// it as a handle and where that goes, what else is read (Beside), and which
// calls get its address (Passed). Whole-program analysis connects the memory of
// callers and callees (HandleMemoryPropagate.cpp).
//
// Limits: units that name no function of the CUDA runtime say nothing; memory
// that is copied to other memory, kept, or reached at variable distances, as
// the elements of vectors are, is not followed.
//
// Linear in the uses of addresses, except for uses of loads from one variable.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "ipa/callers/HandleUses.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/values/DerivedPointer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace gpulto {

using Kind = JumpFunction::Kind;

bool isOfRuntime(const llvm::Function &function) {
  return function.isDeclaration() && isRuntimeName(function.getName());
}

static JumpFunction memoryPlace(uint32_t number, uint64_t offset) {
  JumpFunction place;
  place.kind = Kind::Memory;
  place.parameter = number;
  place.value = offset;
  return place;
}

/// Whether only callees can have left what is at byte \p offset of \p object,
/// as \p uses tell. What the body stores in a local variable itself is a handle
/// of its own (followLocal), and more exact.
static bool isLeftByCallees(const llvm::Value &object, const MemoryUses &uses,
                            uint64_t offset, uint64_t bytes) {
  using Use = MemoryUse::Kind;
  if (!llvm::isa<llvm::AllocaInst>(object))
    return true;
  return llvm::any_of(
             uses, [](const auto &use) { return use.kind == Use::Passed; }) &&
         llvm::none_of(uses, [&](const MemoryUse &use) {
           return (use.kind == Use::Store || use.kind == Use::Write) &&
                  use.overlaps(offset, bytes);
         });
}

std::optional<JumpFunction> handleInMemory(const llvm::Value &value,
                                           MemoryNumbers &numbers) {
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&value);
  if (!load || !load->isSimple() || !load->getType()->isPointerTy())
    return std::nullopt;
  const llvm::DataLayout &layout = load->getModule()->getDataLayout();
  int64_t offset = 0;
  const llvm::Value *object =
      stripOffsets(*load->getPointerOperand(), layout, offset);
  std::optional<uint32_t> number = numbers.of(*object);
  if (!number || !PartOffset::of(static_cast<uint64_t>(offset)))
    return std::nullopt;
  std::optional<MemoryUses> uses = memoryUses(*object, layout);
  uint64_t place = static_cast<uint64_t>(offset);
  if (!uses || !isLeftByCallees(*object, *uses, place, layout.getPointerSize()))
    return std::nullopt;
  return memoryPlace(*number, place);
}

//===----------------------------------------------------------------------===//
// What fills memory
//===----------------------------------------------------------------------===//

/// Follows the handle that is stored at byte \p offset of \p object, which is
/// not a local variable.
bool HandlePaths::followInto(const llvm::Value &object, uint64_t offset,
                             Path &path) {
  std::optional<uint32_t> number = memoryNumbers.of(object);
  std::optional<PartOffset> place = PartOffset::of(offset);
  if (!number || !place || !usesOf(object))
    return false;
  HandleFlow flow;
  flow.to = HandleTarget::Into;
  flow.argument = *number;
  flow.beforeBytes = *place;
  path.flows.push_back(flow);
  filled.insert(&object);
  return true;
}

using Field = std::pair<uint64_t, const llvm::Function *>;

/// Adds to \p fields the functions whose addresses are in \p constant, at byte
/// \p offset; false if one is anything but a pointer there.
static bool collectFunctions(const llvm::Constant &constant, uint64_t offset,
                             const llvm::DataLayout &layout,
                             llvm::SmallVectorImpl<Field> &fields) {
  constexpr size_t kMaxFunctions = 16;
  if (auto *function = llvm::dyn_cast<llvm::Function>(&constant)) {
    fields.push_back({offset, function});
    return fields.size() <= kMaxFunctions;
  }
  auto *structure = llvm::dyn_cast<llvm::ConstantStruct>(&constant);
  if (!structure && !llvm::isa<llvm::ConstantArray>(constant)) {
    bool mentions = false;
    forEachGlobal(constant, [&](const llvm::GlobalValue &value, bool) {
      mentions |= llvm::isa<llvm::Function>(value);
    });
    return !mentions;
  }
  llvm::Type &type = *constant.getType();
  auto placeOf = [&](unsigned i) -> uint64_t {
    if (structure)
      return layout.getStructLayout(structure->getType())->getElementOffset(i);
    return i * layout.getTypeAllocSize(type.getArrayElementType());
  };
  return llvm::all_of(
      llvm::enumerate(constant.operands()), [&](const auto &operand) {
        return collectFunctions(*llvm::cast<llvm::Constant>(operand.value()),
                                offset + placeOf(operand.index()), layout,
                                fields);
      });
}

/// Returns how many bytes \p use, the address of a constant, copies, and to
/// where: memory, or an argument by value (null).
static std::optional<std::pair<uint64_t, const llvm::Value *>>
copyOf(const llvm::Use &use, const llvm::DataLayout &layout) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
  if (!call || !call->isArgOperand(&use))
    return std::nullopt;
  unsigned index = call->getArgOperandNo(&use);
  if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(call)) {
    auto *length = llvm::dyn_cast<llvm::ConstantInt>(transfer->getLength());
    if (index != 1 || !length || transfer->isVolatile())
      return std::nullopt;
    return std::pair{length->getZExtValue(),
                     static_cast<const llvm::Value *>(transfer->getDest())};
  }
  if (!isCallEdge(*call) || !call->getCalledFunction() ||
      !call->isByValArgument(index))
    return std::nullopt;
  uint64_t bytes = layout.getTypeAllocSize(call->getParamByValType(index));
  return std::pair{bytes, static_cast<const llvm::Value *>(nullptr)};
}

bool HandlePaths::followCopy(const llvm::Use &use) {
  const llvm::DataLayout &layout = context.module.getDataLayout();
  int64_t first = 0;
  auto *constant = llvm::dyn_cast<llvm::GlobalVariable>(
      stripOffsets(*use.get(), layout, first));
  auto copy = copyOf(use, layout);
  llvm::SmallVector<Field, 4> fields;
  if (!copy || !constant || first < 0 || !constant->isConstant() ||
      !constant->hasDefinitiveInitializer() ||
      !collectFunctions(*constant->getInitializer(), 0, layout, fields))
    return false;
  uint64_t begin = static_cast<uint64_t>(first), end = begin + copy->first;
  uint64_t bytes = layout.getPointerSize();
  return llvm::all_of(fields, [&](const Field &field) {
    auto [offset, function] = field;
    SymbolIndex symbol = context.indexOf(*function);
    if (offset + bytes <= begin || offset >= end || symbol == kNone)
      return true;
    std::optional<PartOffset> place = PartOffset::of(offset - begin);
    if (offset < begin || offset + bytes > end || !place)
      return false;
    Path path;
    if (copy->second && !followPlace(*copy->second, offset - begin, path))
      return false;
    if (!copy->second)
      path.flows.push_back(
          {{},
           callNumber(*use.getUser()),
           llvm::cast<llvm::CallBase>(use.getUser())->getArgOperandNo(&use),
           *place,
           HandleTarget::Behind});
    JumpFunction handle;
    handle.kind = Kind::SymbolAddress;
    handle.source = symbol;
    addFlows(path, handle);
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Structs that are values
//===----------------------------------------------------------------------===//

/// Follows the handle that is field \p element of the struct \p use.
bool HandlePaths::followElementUse(const llvm::Use &use, unsigned element,
                                   Path &path) {
  const llvm::User *user = use.getUser();
  auto *type = llvm::dyn_cast<llvm::StructType>(use.get()->getType());
  if (!type)
    return false;
  if (llvm::isa<llvm::PHINode, llvm::SelectInst>(user))
    return followElements(*user, element, path);
  if (auto *insert = llvm::dyn_cast<llvm::InsertValueInst>(user)) {
    if (use.getOperandNo() != 0)
      return false;
    bool isReplaced =
        insert->getNumIndices() == 1 && insert->getIndices().front() == element;
    return isReplaced || followElements(*insert, element, path);
  }
  if (auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(user))
    return extract->getIndices().front() != element ||
           (extract->getNumIndices() == 1 && followValue(*extract, path));
  if (!llvm::isa<llvm::ReturnInst>(user))
    return false;
  std::optional<PartOffset> place =
      PartOffset::of(context.module.getDataLayout()
                         .getStructLayout(type)
                         ->getElementOffset(element)
                         .getFixedValue());
  if (!place)
    return false;
  HandleFlow flow;
  flow.to = HandleTarget::Return;
  flow.argument = *place;
  path.flows.push_back(flow);
  return true;
}

bool HandlePaths::followElements(const llvm::Value &value, unsigned element,
                                 Path &path) {
  return !path.fields.insert({&value, element}).second ||
         llvm::all_of(value.uses(), [&](const llvm::Use &use) {
           return followElementUse(use, element, path);
         });
}

bool HandlePaths::followElement(const llvm::Use &use, unsigned element,
                                const JumpFunction &handle) {
  Path path;
  if (!followElementUse(use, element, path))
    return false;
  addFlows(path, handle);
  return true;
}

/// As markResult(), of the fields of the struct that \p call returns.
void HandlePaths::markElements(const llvm::CallBase &call) {
  auto *type = llvm::dyn_cast<llvm::StructType>(call.getType());
  if (!type)
    return;
  const llvm::StructLayout *layout =
      context.module.getDataLayout().getStructLayout(type);
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    Path path;
    if (!type->getElementType(i)->isPointerTy() ||
        !followElements(call, i, path))
      continue;
    JumpFunction handle;
    handle.kind = Kind::CallResult;
    handle.source = callNumber(call);
    handle.value = layout->getElementOffset(i).getFixedValue();
    HandleFlow flow;
    flow.to = HandleTarget::Followed;
    path.flows.push_back(flow);
    addFlows(path, handle);
  }
}

//===----------------------------------------------------------------------===//
// What becomes of memory
//===----------------------------------------------------------------------===//

/// Adds to \p told that \p use reads bytes from \p place on, and where what is
/// read goes if that can be followed.
bool HandlePaths::tellLoad(const MemoryUse &use, const JumpFunction &place,
                           std::vector<HandleFlow> &told) {
  constexpr uint64_t kMaxBytes = UINT16_MAX / 8;
  Path path;
  bool isHandle = use.kind == MemoryUse::Kind::Load &&
                  handleInMemory(*use.user, memoryNumbers) == place &&
                  followValue(*use.user, path);
  HandleFlow flow;
  flow.handle = place;
  if (isHandle) {
    for (HandleFlow &to : path.flows) {
      to.handle = place;
      told.push_back(to);
    }
    return true;
  }
  flow.to = HandleTarget::Beside;
  flow.beforeBytes = 0;
  flow.handle.bitWidth = static_cast<uint16_t>(use.size * 8);
  told.push_back(flow);
  return use.size <= kMaxBytes;
}

/// Adds to \p told what becomes of handles in the memory \p object by \p use;
/// false if that is not known.
bool HandlePaths::tellUse(const MemoryUse &use, const llvm::Value &object,
                          std::vector<HandleFlow> &told) {
  using Kind = MemoryUse::Kind;
  if (use.kind == Kind::Store || use.kind == Kind::Write)
    return true;
  JumpFunction place = memoryPlace(*memoryNumbers.of(object), use.begin);
  if (use.kind != Kind::Passed && !isByValue(use))
    return tellLoad(use, place, told);
  auto &call = llvm::cast<llvm::CallBase>(*use.user);
  if (callsDeclared(call, "_ZdlPv") || callsDeclared(call, "_ZdlPvm"))
    return use.begin == 0;
  int64_t distance = 0;
  bool isThis =
      stripOffsets(*call.getArgOperand(use.argument),
                   context.module.getDataLayout(), distance) == &object;
  // The runtime would have to be known to read nothing.
  if (!isThis || isOfRuntime(*call.getCalledFunction()))
    return false;
  HandleFlow flow;
  flow.handle = place;
  flow.call = callNumber(call);
  flow.argument = use.argument;
  flow.to = HandleTarget::Passed;
  told.push_back(flow);
  return true;
}

/// Whether handles may come and go through the memory \p object, which \p told
/// describes and the body does not fill: it is passed to callees by reference,
/// or it is both passed on and launched from.
static bool maySeeHandles(const llvm::Value &object,
                          const std::vector<HandleFlow> &told) {
  size_t passed = llvm::count_if(told, [](const HandleFlow &flow) {
    return flow.to == HandleTarget::Passed;
  });
  bool isRead = llvm::any_of(told, [](const HandleFlow &flow) {
    return flow.to != HandleTarget::Passed && flow.to != HandleTarget::Beside;
  });
  auto *argument = llvm::dyn_cast<llvm::Argument>(&object);
  if (!argument)
    return passed > 1 || (passed && isRead);
  return isRead || passed > 1 ||
         (passed && (argument->getDereferenceableBytes() ||
                     argument->hasPassPointeeByValueCopyAttr() ||
                     argument->hasStructRetAttr()));
}

void HandlePaths::tellMemory(const llvm::Value &object) {
  constexpr size_t kMaxUses = 64, kMaxTold = 32;
  const std::optional<MemoryUses> &uses = usesOf(object);
  std::vector<HandleFlow> told;
  bool isLaunched = false;
  if (!uses || uses->size() > kMaxUses)
    return;
  for (const MemoryUse &use : *uses) {
    size_t before = told.size();
    if (!tellUse(use, object, told))
      return;
    // A handle that is launched here goes nowhere else.
    isLaunched |= use.kind == MemoryUse::Kind::Load && told.size() == before &&
                  !use.user->use_empty();
  }
  if (told.size() > kMaxTold ||
      !(isLaunched || filled.contains(&object) || maySeeHandles(object, told)))
    return;
  HandleFlow followed;
  followed.handle = memoryPlace(*memoryNumbers.of(object), 0);
  followed.to = HandleTarget::Followed;
  told.push_back(followed);
  for (const HandleFlow &flow : told)
    flows.add(flow);
}

void HandlePaths::describeMemory(const llvm::Function &function) {
  if (!context.usesRuntime)
    return;
  for (const llvm::Argument &argument : function.args())
    if (argument.getType()->isPointerTy() && !argument.use_empty())
      tellMemory(argument);
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (isOwnMemory(instruction))
      tellMemory(instruction);
  // Telling fills others; what is told again is the same.
  for (size_t i = 0; i < filled.size(); ++i)
    tellMemory(*filled[i]);
}

} // namespace gpulto
