//===- HandlesAnalyze.cpp - Where kernels' handles go (LGEN) --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: handles that reach launches through host code, and nothing else.
//
//   static const Kernel table[] = {relu, sigmoid};      a table of handles
//   run(table[i], n);                                   load of it, passed on
//   run(kernel, n) { kernel<<<grid, block>>>(p, n); }   parameter, launched
//
// A handle is followed while it is launched, compared with null, or passed to a
// direct call. It may be chosen by a select or phi, and kept in a local
// variable: CUB and Thrust have structs of kernels and their configurations.
// The address of such a variable may go to callees, which whole-program
// analysis must find not to touch the handle. All else is an escape.
//
//===----------------------------------------------------------------------===//

#include "ipa/Analyze.h"
#include "ipa/HandleUses.h"
#include "ipa/Handles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

namespace gpulto {

uint8_t attributeUse(const llvm::Use &use) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !callee->isDeclaration() || !call->isArgOperand(&use))
    return 0;
  return attributeUse(callee->getName(), call->getArgOperandNo(&use));
}

//===----------------------------------------------------------------------===//
// What a handle may be
//===----------------------------------------------------------------------===//

static bool mentionsFunction(const llvm::Constant &constant) {
  if (llvm::isa<llvm::Function>(constant.stripPointerCasts()))
    return true;
  return llvm::isa<llvm::ConstantAggregate>(constant) &&
         llvm::any_of(constant.operands(), [](const llvm::Use &operand) {
           return mentionsFunction(*llvm::cast<llvm::Constant>(operand));
         });
}

const llvm::GlobalVariable *handleTableOf(const llvm::Value &value) {
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&value);
  if (!load || !load->isSimple() || !load->getType()->isPointerTy())
    return nullptr;
  auto *table = llvm::dyn_cast<llvm::GlobalVariable>(
      llvm::getUnderlyingObject(load->getPointerOperand()));
  return table && table->isConstant() && table->hasDefinitiveInitializer() &&
                 mentionsFunction(*table->getInitializer())
             ? table
             : nullptr;
}

/// Calls \p collect with each pointer that \p load of a local variable may
/// find; false if that is not all. A callee that gets the variable's address
/// may store another one: then the handles that are kept here are lost
/// (HandleFlow).
static bool visitStored(const llvm::LoadInst &load,
                        const llvm::DataLayout &layout,
                        llvm::function_ref<bool(const llvm::Value *)> collect) {
  int64_t offset = 0;
  const llvm::Value *variable =
      stripOffsets(*load.getPointerOperand(), layout, offset);
  if (!load.isSimple() || !llvm::isa<llvm::AllocaInst>(variable))
    return false;
  std::optional<MemoryUses> uses = memoryUses(*variable, layout);
  return uses && llvm::all_of(*uses, [&](const MemoryUse &use) {
           using Kind = MemoryUse::Kind;
           bool isWrite = use.kind == Kind::Store || use.kind == Kind::Write;
           if (!isWrite || !use.overlaps(offset, layout.getPointerSize()))
             return true;
           auto *store = llvm::dyn_cast<llvm::StoreInst>(use.user);
           auto *fill = llvm::dyn_cast<llvm::MemSetInst>(use.user);
           if (fill && llvm::PatternMatch::match(fill->getValue(),
                                                 llvm::PatternMatch::m_Zero()))
             return true; // launches nothing
           return store && use.begin == uint64_t(offset) &&
                  store->getValueOperand()->getType()->isPointerTy() &&
                  collect(store->getValueOperand());
         });
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
  if (llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(value))
    return true; // launches nothing
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&value))
    if (visitStored(*load, load->getModule()->getDataLayout(), collect))
      return true;
  JumpFunction handle = builder.of(value);
  bool isWhole = handle.kind == Kind::LoadVariable ||
                 (handle.kind == Kind::SymbolAddress && handle.value == 0) ||
                 (handle.kind == Kind::PassThrough &&
                  handle.operation == JumpOperation::None);
  if (isWhole && !llvm::is_contained(handles, handle))
    handles.push_back(handle);
  return isWhole;
}

bool collectHandles(JumpFunctionBuilder &builder, const llvm::Value &value,
                    llvm::SmallVectorImpl<JumpFunction> &handles) {
  llvm::SmallPtrSet<const llvm::Value *, 8> seen;
  return collectHandles(builder, *value.stripPointerCasts(), handles, seen) &&
         !handles.empty();
}

//===----------------------------------------------------------------------===//
// Where handles go
//===----------------------------------------------------------------------===//

/// Whether \p use is an argument of a direct call whose jump function is that
/// of the value itself.
static bool isPassedOn(const llvm::Use &use) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !isCallEdge(*call) || !call->isArgOperand(&use) ||
      callee->getFunctionType() != call->getFunctionType())
    return false;
  unsigned index = call->getArgOperandNo(&use);
  return index < callee->arg_size() && !call->isByValArgument(index);
}

/// Whether \p user compares a handle with null. Another comparison tells one
/// kernel from the next: the handle is more than that of a body.
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
    entry->second = memoryUses(variable, context.module.getDataLayout());
  return entry->second;
}

/// Follows the handle that \p store keeps in a field of a local variable.
bool HandlePaths::followStore(const llvm::StoreInst &store, Path &path) {
  const llvm::DataLayout &layout = context.module.getDataLayout();
  int64_t distance = 0;
  const llvm::Value *variable =
      stripOffsets(*store.getPointerOperand(), layout, distance);
  if (!store.isSimple() || !llvm::isa<llvm::AllocaInst>(variable))
    return false;
  const std::optional<MemoryUses> &uses = usesOf(*variable);
  if (!uses) // so distances are not negative
    return false;
  uint64_t offset = static_cast<uint64_t>(distance);
  if (!path.fields.insert({variable, offset}).second)
    return true;
  uint64_t bytes = layout.getPointerSize();
  return llvm::all_of(*uses, [&](const MemoryUse &use) {
    using Kind = MemoryUse::Kind;
    if (use.kind == Kind::Passed) {
      // Past the handle, what is touched must be known to be only there.
      constexpr uint32_t kAnyReach = kNone - 1;
      uint64_t before = use.begin <= offset ? offset - use.begin : kAnyReach;
      path.flows.push_back({{},
                            callNumber(*use.user),
                            use.argument,
                            uint32_t(std::min<uint64_t>(before, kAnyReach))});
      return true;
    }
    bool isRead = use.kind == Kind::Load || use.kind == Kind::Read;
    if (!isRead || !use.overlaps(offset, bytes))
      return true;
    return use.kind == Kind::Load && use.begin == offset &&
           use.user->getType()->isPointerTy() && followValue(*use.user, path);
  });
}

/// Follows the handle \p use where that ends here; a direct call tells.
bool HandlePaths::followDirect(const llvm::Use &use, Path &path) {
  const llvm::User *user = use.getUser();
  if (llvm::isa<llvm::PHINode, llvm::SelectInst>(user))
    return followValue(*user, path);
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user))
    return use.getOperandNo() == 0 && followStore(*store, path);
  return context.launchedUses.contains(&use) || isTest(*user) ||
         isPassedOn(use);
}

/// As followDirect(), of a value that may also be another handle.
bool HandlePaths::followUse(const llvm::Use &use, Path &path) {
  bool isFollowed = followDirect(use, path);
  if (isFollowed && isPassedOn(use))
    path.flows.push_back(
        {{},
         callNumber(*use.getUser()),
         llvm::cast<llvm::CallBase>(use.getUser())->getArgOperandNo(&use)});
  return isFollowed;
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
    if (!llvm::is_contained(flows, flow))
      flows.push_back(flow);
  }
}

bool HandlePaths::follow(const llvm::Use &use, const JumpFunction &handle) {
  Path path;
  if (!followDirect(use, path))
    return false;
  addFlows(path, handle);
  return true;
}

bool HandlePaths::followAll(const llvm::Value &value,
                            const JumpFunction &handle) {
  Path path;
  if (!llvm::all_of(value.uses(), [&](const llvm::Use &use) {
        return followDirect(use, path);
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
    uint8_t attribute = attributeUse(use);
    if (attribute & kQueriesHandle)
      flags |= kParamHandleQueried;
    if (attribute & kSetsHandle)
      flags |= kParamHandleSet;
  }
  context.summary.parameters[result.parameters.first + argument.getArgNo()]
      .flags |= flags;
}

Range HandlePaths::store() {
  if (flows.empty())
    return {};
  llvm::stable_sort(flows, [](const HandleFlow &a, const HandleFlow &b) {
    return std::pair(a.call, a.argument) < std::pair(b.call, b.argument);
  });
  std::vector<HandleFlow> &table = context.summary.handleFlows;
  Range range = {static_cast<uint32_t>(table.size()),
                 static_cast<uint32_t>(flows.size())};
  llvm::append_range(table, flows);
  return range;
}

} // namespace gpulto
