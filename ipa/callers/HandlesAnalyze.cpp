//===- HandlesAnalyze.cpp - Where kernels' handles go (LGEN) --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: find handles that host code passes only to launches.
//
//   static const Kernel table[] = {relu, sigmoid};      a table of handles
//   run(table[i], n);                                   load of it, passed on
//   run(kernel, n) { kernel<<<grid, block>>>(p, n); }   parameter, launched
//
// A handle is followed while it is launched, compared, or passed to a direct
// call. It may be chosen by a select or phi, returned, stored in a variable of
// the program, and kept in a local one: CUB and Thrust have structs of kernels
// and their configurations. The address of a local variable may go to callees,
// which whole-program analysis must find not to touch the handle or to follow
// it (HandleMemoryAnalyze.cpp). A function may remember something of each
// kernel under its handle (ClosedMemoryAnalyze.cpp). All else is an escape.
//
// A handle that is remembered, hashed or compared with another is told apart
// from that: its kernel may get another body, but not another handle.
//
// Variables of the program: stores to them do no harm, whether of followed
// handles or not, but values read from them must be followed (kReadsValue).
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "ipa/callers/HandleUses.h"
#include "ipa/callers/Handles.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/values/DerivedPointer.h"
#include "ipa/values/HandleTables.h"
#include "ipa/values/JumpFunctionBuilder.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

#include <numeric>

namespace gpulto {

ReferenceFlags attributeUse(const llvm::Use &use) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !callee->isDeclaration() || !call->isArgOperand(&use))
    return 0;
  return attributeUse(callee->getName(), call->getArgOperandNo(&use));
}

//===----------------------------------------------------------------------===//
// What a handle may be
//===----------------------------------------------------------------------===//

std::optional<VariablePlace> variablePlace(const llvm::Value &address,
                                           const llvm::DataLayout &layout) {
  constexpr unsigned kBits = 64;
  llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> indices;
  llvm::APInt offset(kBits, 0);
  const llvm::Value *base = &address;
  bool mayWrap = false;
  while (auto *step = llvm::dyn_cast<llvm::GEPOperator>(base)) {
    if (!step->collectOffset(layout, kBits, indices, offset))
      return std::nullopt;
    mayWrap |= !step->isInBounds();
    base = step->getPointerOperand();
  }
  uint64_t stride = 0;
  for (const auto &[index, scale] : indices)
    stride = std::gcd(stride, scale.abs().getZExtValue());
  if (mayWrap && stride) // then only powers of two are left
    stride = uint64_t(1) << llvm::countr_zero(stride);
  auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(base);
  int64_t first = offset.getSExtValue();
  if (stride && stride <= INT32_MAX)
    first = (first % int64_t(stride) + int64_t(stride)) % int64_t(stride);
  if (!variable || first < 0 || first > INT32_MAX || stride > INT32_MAX)
    return std::nullopt;
  return VariablePlace{variable, uint32_t(first), uint32_t(stride)};
}

/// Calls \p collect with each pointer that may be stored at byte \p offset of
/// the local \p variable; false if that is not all. A callee that gets the
/// variable's address may store another one: then the handles that are kept
/// here are lost (HandleFlow).
static bool visitStored(const llvm::Value &variable, int64_t offset,
                        const llvm::DataLayout &layout,
                        llvm::function_ref<bool(const llvm::Value *)> collect) {
  if (!llvm::isa<llvm::AllocaInst>(variable))
    return false;
  std::optional<MemoryUses> uses = memoryUses(variable, layout);
  return uses && llvm::all_of(*uses, [&](const MemoryUse &use) {
           using Kind = MemoryUse::Kind;
           bool isWrite = use.kind == Kind::Store || use.kind == Kind::Write;
           if (!isWrite || !use.overlaps(offset, layout.getPointerSize()))
             return true;
           auto *store = llvm::dyn_cast<llvm::StoreInst>(use.user);
           auto *fill = llvm::dyn_cast<llvm::MemSetInst>(use.user);
           if (fill && llvm::PatternMatch::match(fill->getValue(),
                                                 llvm::PatternMatch::m_Zero()))
             return collect(llvm::ConstantPointerNull::get(
                 llvm::PointerType::getUnqual(fill->getContext())));
           return store && use.begin == uint64_t(offset) &&
                  store->getValueOperand()->getType()->isPointerTy() &&
                  collect(store->getValueOperand());
         });
}

/// As the other visitStored(), of where \p load reads.
static bool visitStored(const llvm::LoadInst &load,
                        const llvm::DataLayout &layout,
                        llvm::function_ref<bool(const llvm::Value *)> collect) {
  int64_t offset = 0;
  const llvm::Value *variable =
      stripOffsets(*load.getPointerOperand(), layout, offset);
  return load.isSimple() && visitStored(*variable, offset, layout, collect);
}

/// Returns the jump function of \p value that tells which place a handle comes
/// from, if it is one of those that LaunchSite::handles may have.
static JumpFunction placeOf(JumpFunctionBuilder &builder,
                            const llvm::Value &value) {
  using Kind = JumpFunction::Kind;
  JumpFunction handle = builder.of(value);
  auto *element = llvm::dyn_cast<llvm::ExtractValueInst>(&value);
  bool isReturned =
      llvm::isa<llvm::CallBase>(value) ||
      (element && llvm::isa<llvm::CallBase>(element->getAggregateOperand()));
  bool isWhole = handle.kind == Kind::Null ||
                 (handle.kind == Kind::SymbolAddress && handle.value == 0) ||
                 (handle.kind == Kind::PassThrough &&
                  handle.operation == JumpOperation::None) ||
                 (handle.kind == Kind::CallResult && isReturned);
  if (isWhole)
    return handle;
  handle = JumpFunction();
  if (const llvm::GlobalVariable *variable = handleVariableOf(value)) {
    handle.kind = Kind::LoadVariable;
    handle.source = builder.indexOf(*variable);
    return handle;
  }
  return handleInMemory(value, builder.memoryNumbers()).value_or(handle);
}

static bool collectHandles(JumpFunctionBuilder &builder,
                           const llvm::Value &value,
                           llvm::SmallVectorImpl<JumpFunction> &handles,
                           llvm::SmallPtrSetImpl<const llvm::Value *> &seen) {
  using Kind = JumpFunction::Kind;
  constexpr unsigned kMaxValues = 64;
  if (!seen.insert(&value).second)
    return true;
  if (seen.size() > kMaxValues)
    return false;
  auto collect = [&](const llvm::Value *operand) {
    return collectHandles(builder, *operand, handles, seen);
  };
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&value))
    return llvm::all_of(phi->incoming_values(), [&](const llvm::Use &incoming) {
      return collect(incoming.get());
    });
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&value))
    return collect(select->getTrueValue()) && collect(select->getFalseValue());
  if (llvm::isa<llvm::UndefValue>(value))
    return true; // launches nothing
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&value);
  if (load && !handleInMemory(value, builder.memoryNumbers()) &&
      visitStored(*load, load->getModule()->getDataLayout(), collect))
    return true;
  JumpFunction handle = placeOf(builder, value);
  bool isPlace = handle.kind != Kind::Unknown && handle.source != kNone;
  if (isPlace && !llvm::is_contained(handles, handle))
    handles.push_back(handle);
  return isPlace;
}

static bool isNull(const JumpFunction &handle) {
  return handle.kind == JumpFunction::Kind::Null;
}

bool collectHandles(JumpFunctionBuilder &builder, const llvm::Value &value,
                    llvm::SmallVectorImpl<JumpFunction> &handles) {
  llvm::SmallPtrSet<const llvm::Value *, 8> seen;
  return collectHandles(builder, *value.stripPointerCasts(), handles, seen) &&
         !llvm::all_of(handles, isNull);
}

bool collectStoredHandles(JumpFunctionBuilder &builder,
                          const llvm::Value &variable, uint64_t offset,
                          llvm::SmallVectorImpl<JumpFunction> &handles) {
  llvm::SmallPtrSet<const llvm::Value *, 8> seen;
  auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&variable);
  return alloca &&
         visitStored(variable, static_cast<int64_t>(offset),
                     alloca->getModule()->getDataLayout(),
                     [&](const llvm::Value *value) {
                       return collectHandles(builder, *value, handles, seen);
                     }) &&
         !llvm::all_of(handles, isNull);
}

//===----------------------------------------------------------------------===//
// Where handles go
//===----------------------------------------------------------------------===//

/// Whether \p use is an argument that a direct call passes unchanged.
static bool isPassedOn(const llvm::Use &use) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !isCallEdge(*call) || !call->isArgOperand(&use) ||
      callee->getFunctionType() != call->getFunctionType())
    return false;
  unsigned index = call->getArgOperandNo(&use);
  return index < callee->arg_size() && !call->isByValArgument(index);
}

/// Whether \p user compares a handle with null.
static bool isTest(const llvm::User &user) {
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&user);
  return compare &&
         llvm::any_of(compare->operands(), [](const llvm::Use &operand) {
           return llvm::isa<llvm::ConstantPointerNull>(operand.get());
         });
}

uint32_t HandlePaths::callNumber(const llvm::Value &call) {
  if (callNumbers.empty())
    for (auto [number, known] :
         llvm::enumerate(llvm::ArrayRef(context.callInstructions)
                             .slice(result.calls.first, result.calls.count)))
      callNumbers[known] = static_cast<uint32_t>(number);
  return callNumbers.lookup(&call);
}

const std::optional<MemoryUses> &
HandlePaths::usesOf(const llvm::Value &variable) {
  auto [entry, isNew] = variables.try_emplace(&variable);
  if (isNew)
    entry->second = std::make_unique<std::optional<MemoryUses>>(
        memoryUses(variable, context.module.getDataLayout()));
  return *entry->second;
}

/// Follows the handle that is stored \p offset bytes from \p address on, if
/// that is of a local variable or may be of a caller's.
bool HandlePaths::followPlace(const llvm::Value &address, uint64_t offset,
                              Path &path) {
  int64_t distance = 0;
  const llvm::Value *base =
      stripOffsets(address, context.module.getDataLayout(), distance);
  uint64_t place = static_cast<uint64_t>(distance) + offset;
  if (auto *local = llvm::dyn_cast<llvm::AllocaInst>(base))
    return followLocal(*local, place, path);
  return distance >= 0 && followInto(*base, place, path);
}

/// Follows the handle that \p store keeps in a variable.
bool HandlePaths::followStore(const llvm::StoreInst &store, Path &path) {
  if (!store.isSimple())
    return false;
  const llvm::Value &address = *store.getPointerOperand();
  if (context.usesRuntime &&
      !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(&address)) &&
      closedMemory.keeps(address))
    return tellApart(path);
  if (followPlace(address, 0, path))
    return true;
  std::optional<VariablePlace> place =
      variablePlace(address, context.module.getDataLayout());
  SymbolIndex symbol = place ? context.indexOf(*place->variable) : kNone;
  if (symbol == kNone || place->variable->isThreadLocal())
    return false;
  HandleFlow flow;
  flow.to = HandleTarget::Variable;
  flow.variable = symbol;
  flow.argument = place->offset;
  flow.beforeBytes = place->stride;
  path.flows.push_back(flow);
  return true;
}

/// Follows the handle at byte \p offset of a local variable into the call
/// \p use, which gets an address, or a copy, of bytes of the variable.
bool HandlePaths::followBehind(const MemoryUse &use, uint64_t offset,
                               Path &path) {
  auto &call = llvm::cast<llvm::CallBase>(*use.user);
  // A node of a graph launches it.
  bool isLaunch =
      context.launchedUses.contains(&call.getArgOperandUse(use.argument));
  if (use.begin == offset && isLaunch)
    return true;
  bool isCut =
      use.begin > offset &&
      use.begin < offset + context.module.getDataLayout().getPointerSize();
  // Past the handle, what is touched must be known to be only there.
  constexpr uint32_t kAnyReach = kNone - 1;
  uint64_t before = use.begin <= offset ? offset - use.begin : kAnyReach;
  path.flows.push_back({{},
                        callNumber(*use.user),
                        use.argument,
                        uint32_t(std::min<uint64_t>(before, kAnyReach)),
                        HandleTarget::Behind});
  return !isCut;
}

/// Follows the handle that is at byte \p offset of the local \p variable.
bool HandlePaths::followLocal(const llvm::AllocaInst &variable, uint64_t offset,
                              Path &path) {
  const std::optional<MemoryUses> &uses = usesOf(variable);
  if (!uses) // so distances are not negative
    return false;
  const llvm::DataLayout &layout = context.module.getDataLayout();
  if (!path.fields.insert({&variable, offset}).second)
    return true;
  uint64_t bytes = layout.getPointerSize();
  return llvm::all_of(*uses, [&](const MemoryUse &use) {
    using Kind = MemoryUse::Kind;
    if (use.kind == Kind::Passed)
      return followBehind(use, offset, path);
    bool isRead = use.kind == Kind::Load || use.kind == Kind::Read;
    if (!isRead || !use.overlaps(offset, bytes))
      return true;
    if (isByValue(use))
      return use.begin <= offset && offset + bytes <= use.begin + use.size &&
             followBehind(use, offset, path);
    return use.kind == Kind::Load && use.begin == offset &&
           use.user->getType()->isPointerTy() && followValue(*use.user, path);
  });
}

/// Adds that the handle is told apart from others.
bool HandlePaths::tellApart(Path &path) const {
  HandleFlow flow;
  flow.to = HandleTarget::Apart;
  path.flows.push_back(flow);
  return true;
}

/// Follows the handle \p use but into the callee of a direct call.
bool HandlePaths::followDirect(const llvm::Use &use, Path &path) {
  const llvm::User *user = use.getUser();
  if (llvm::isa<llvm::PHINode, llvm::SelectInst>(user))
    return followValue(*user, path);
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user))
    return use.getOperandNo() == 0 && followStore(*store, path);
  if (llvm::isa<llvm::ReturnInst>(user)) {
    HandleFlow flow;
    flow.to = HandleTarget::Return;
    path.flows.push_back(flow);
    return true;
  }
  if (auto *insert = llvm::dyn_cast<llvm::InsertValueInst>(user))
    return use.getOperandNo() == 1 && insert->getNumIndices() == 1 &&
           followElements(*insert, insert->getIndices().front(), path);
  if (llvm::isa<llvm::ICmpInst>(user))
    return isTest(*user) || tellApart(path);
  if (llvm::isa<llvm::PtrToIntInst>(user))
    return endsInMixture(*user) && tellApart(path);
  return context.launchedUses.contains(&use) || isPassedOn(use);
}

/// As followDirect(), and into callees.
bool HandlePaths::followUse(const llvm::Use &use, Path &path) {
  bool isFollowed = followDirect(use, path);
  if (isFollowed && isPassedOn(use) && !context.launchedUses.contains(&use))
    path.flows.push_back(
        {{},
         callNumber(*use.getUser()),
         llvm::cast<llvm::CallBase>(use.getUser())->getArgOperandNo(&use)});
  return isFollowed;
}

/// Whether the jump function of \p use, an argument of a direct call, tells
/// that it is \p handle.
bool HandlePaths::isTold(const llvm::Use &use, const JumpFunction &handle) {
  using Kind = JumpFunction::Kind;
  const ModuleSummary &summary = context.summary;
  unsigned index =
      llvm::cast<llvm::CallBase>(use.getUser())->getArgOperandNo(&use);
  const CallEdge &call =
      summary.calls[result.calls.first + callNumber(*use.getUser())];
  if (index >= call.arguments.count)
    return false;
  const JumpFunction &actual =
      summary.jumpFunctions[call.arguments.first + index];
  bool isOfVariable = handle.kind == Kind::LoadVariable &&
                      actual.kind == Kind::VariablePart && actual.bitWidth == 0;
  bool isOffset = actual.kind != Kind::VariablePart && actual.value != 0;
  return (actual.kind == handle.kind || isOfVariable) && !isOffset &&
         actual.operation == JumpOperation::None &&
         actual.source == handle.source;
}

/// As followUse(), for a value that is exactly \p handle.
bool HandlePaths::followFrom(const llvm::Use &use, const JumpFunction &handle,
                             Path &path) {
  return isPassedOn(use) && isTold(use, handle) ? followDirect(use, path)
                                                : followUse(use, path);
}

bool HandlePaths::followValue(const llvm::Value &value, Path &path) {
  return !path.values.insert(&value).second ||
         llvm::all_of(value.uses(), [&](const llvm::Use &use) {
           return followUse(use, path);
         });
}

void HandlePaths::addFlows(Path &path, const JumpFunction &handle) {
  for (HandleFlow &flow : path.flows) {
    flow.handle = handle;
    flows.add(flow);
  }
}

bool HandlePaths::follow(const llvm::Use &use, const JumpFunction &handle) {
  Path path;
  if (!followFrom(use, handle, path))
    return false;
  addFlows(path, handle);
  return true;
}

bool HandlePaths::followAll(const llvm::Value &value,
                            const JumpFunction &handle) {
  Path path;
  if (!llvm::all_of(value.uses(), [&](const llvm::Use &use) {
        return followFrom(use, handle, path);
      }))
    return false;
  addFlows(path, handle);
  return true;
}

void HandlePaths::markParameter(const llvm::Argument &argument) {
  JumpFunction handle;
  handle.kind = JumpFunction::Kind::PassThrough;
  handle.source = argument.getArgNo();
  if (!argument.getType()->isPointerTy() || argument.use_empty() ||
      argument.hasPassPointeeByValueCopyAttr() || !followAll(argument, handle))
    return;
  uint32_t flags = kParamIsHandle;
  for (const llvm::Use &use : argument.uses()) {
    ReferenceFlags attribute = attributeUse(use);
    if (attribute & kQueriesHandle)
      flags |= kParamHandleQueried;
    if (attribute & kSetsHandle)
      flags |= kParamHandleSet;
  }
  context.summary.parameters[result.parameters.first + argument.getArgNo()]
      .flags |= flags;
}

/// Whether values of \p type are structs with pointers, or arrays of such.
static bool hasPointerBeside(const llvm::Type &type) {
  if (auto *array = llvm::dyn_cast<llvm::ArrayType>(&type))
    return hasPointerBeside(*array->getElementType());
  return llvm::isa<llvm::StructType>(type) &&
         llvm::any_of(type.subtypes(), [](const llvm::Type *field) {
           return field->isPointerTy() || hasPointerBeside(*field);
         });
}

bool HandlePaths::readBeside(const llvm::LoadInst &load) {
  constexpr uint64_t kMaxBytes = 32;
  const llvm::DataLayout &layout = context.module.getDataLayout();
  llvm::TypeSize size = layout.getTypeStoreSize(load.getType());
  std::optional<VariablePlace> place =
      variablePlace(*load.getPointerOperand(), layout);
  SymbolIndex symbol = place ? context.indexOf(*place->variable) : kNone;
  if (symbol == kNone || !hasPointerBeside(*place->variable->getValueType()) ||
      size.isScalable() || size.getFixedValue() > kMaxBytes)
    return false;
  HandleFlow flow;
  flow.handle = JumpFunction::unknown(unsigned(size.getFixedValue()) * 8);
  flow.handle.kind = JumpFunction::Kind::VariablePart;
  flow.handle.source = symbol;
  flow.handle.value = place->offset;
  flow.beforeBytes = place->stride;
  flow.to = HandleTarget::Beside;
  flows.add(flow);
  return true;
}

void HandlePaths::markResult(const llvm::CallBase &call) {
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || !isCallEdge(call) || call.use_empty() ||
      callee->getFunctionType() != call.getFunctionType())
    return;
  if (!call.getType()->isPointerTy())
    return markElements(call);
  JumpFunction handle;
  handle.kind = JumpFunction::Kind::CallResult;
  handle.source = callNumber(call);
  if (!followAll(call, handle))
    return;
  HandleFlow flow;
  flow.handle = handle;
  flow.to = HandleTarget::Followed;
  flows.add(flow);
}

Range HandlePaths::store() {
  std::vector<HandleFlow> sorted = flows.list();
  if (sorted.empty())
    return {};
  llvm::stable_sort(sorted, [](const HandleFlow &a, const HandleFlow &b) {
    return std::pair(a.call, a.argument) < std::pair(b.call, b.argument);
  });
  std::vector<HandleFlow> &table = context.summary.handleFlows;
  Range range = {static_cast<uint32_t>(table.size()),
                 static_cast<uint32_t>(sorted.size())};
  llvm::append_range(table, sorted);
  return range;
}

} // namespace gpulto
