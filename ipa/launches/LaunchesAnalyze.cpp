//===- LaunchesAnalyze.cpp - Kernels and their launches (LGEN) ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: find the edges from host code into kernels.
//
//   k<<<n, 256>>>(p, 7)  becomes in host IR
//   %c = call i32 @__cudaPushCallConfiguration(i64 grid, i32 1, i64 block, ...)
//   br (icmp eq %c, 0), %ok, %end
//   ok: call void @__device_stub__k(ptr %p, i32 7)
//   launch of k: grid (Unknown, 1, 1), block (256, 1, 1), arguments (_, 7)
//
//  1. readEntry         each of clang's offload entries: stubs, shadow
//                       variables, names.
//  2. describeStub      how a stub's formals map to the kernel's parameters: a
//                       struct may arrive in two registers.
//  3. visitCall         calls of stubs (chevron launches) and of the runtime's
//                       launch functions; a stub's own launch is not an edge.
//  4. pushesBefore      the configuration: the innermost check of a push call
//                       that dominates the launch, or several whose tails the
//                       optimizer merged.
//  5. A push that no stub call follows launches an unknown kernel.
//  6. addNode           kernel nodes of graphs: whoever launches the graph
//                       launches with what was known when the node was added.
//
// Linear in instructions; dominator tree where there are launches.
// Limit: a launch whose configuration is kept in memory (-O0) has an unknown
// geometry.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "ipa/callers/HandleUses.h"
#include "ipa/launches/LaunchBounds.h"
#include "ipa/launches/LaunchGeometry.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/runtime/OffloadEntries.h"
#include "ipa/values/JumpFunctionBuilder.h"
#include "ipa/values/LaunchedMemory.h"
#include "ipa/values/PackedPairs.h"
#include "ipa/values/RuntimeCalls.h"
#include "ipa/values/ValueShapes.h"
#include "summary/ModuleSummary.h"
#include "support/Error.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/StringSaver.h"

namespace gpulto {

namespace {

/// A kernel's parameters take at most 32,764 bytes.
constexpr unsigned kMaxKernelArguments = 4096;

static_assert(kConfigBlock == kConfigGrid + kDim3Bytes &&
              kConfigShared == kConfigGrid + kGridAndBlockBytes);

llvm::StringRef calleeName(const llvm::CallBase &call) {
  const llvm::Function *callee = call.getCalledFunction();
  return callee ? callee->getName() : llvm::StringRef();
}

class LaunchCollector {
public:
  explicit LaunchCollector(LgenContext &context)
      : context(context), summary(context.summary),
        layout(context.module.getDataLayout()) {}

  llvm::Error run() {
    for (const llvm::GlobalVariable &variable : context.module.globals())
      if (isOffloadEntry(variable))
        if (llvm::Error error = readEntry(variable))
          return error;
    for (size_t i = 0; i < context.bodies.size(); ++i)
      if (isStub(*context.bodies[i]))
        describeStub(*context.bodies[i], summary.functions[i]);
    if (usesRuntime())
      for (size_t i = 0; i < context.bodies.size(); ++i)
        collectLaunches(*context.bodies[i], summary.functions[i]);
    return llvm::Error::success();
  }

private:
  using Arguments = llvm::SmallVector<JumpFunction, 8>;

  llvm::Error readEntry(const llvm::GlobalVariable &entry);
  /// Stubs of this unit have an offload entry; others are known by the name
  /// that clang gives them.
  bool isStub(const llvm::Function &function) const {
    SymbolIndex symbol = context.indexOf(function);
    return symbol != kNone &&
           (summary.symbols[symbol].has(kKernelStub) ||
            (function.isDeclaration() && isStubName(function.getName())));
  }
  bool usesRuntime() const;
  void describeStub(llvm::Function &stub, FunctionSummary &result);
  void addPieces(const llvm::Value &slot, uint32_t kernelArgument,
                 JumpFunctionBuilder &builder, const llvm::CallBase &launch);
  void collectLaunches(llvm::Function &function, FunctionSummary &result);
  void visitCall(const llvm::CallBase &call);
  void addChevron(const llvm::CallBase &call, const llvm::Function *stub);
  void addConfigured(const llvm::CallBase &call, const LaunchSite &site,
                     llvm::ArrayRef<JumpFunction> arguments);
  void addIndirect(const llvm::CallBase &call);
  bool addHandles(const llvm::Use &handle, LaunchSite &site);
  void addRuntimeLaunch(const llvm::CallBase &call, LaunchKind kind);
  void addNode(const llvm::CallBase &call);
  using Pushes = llvm::SmallVector<const llvm::CallBase *, 2>;
  Pushes pushesBefore(const llvm::CallBase &call);
  size_t position(const llvm::CallBase &call) const {
    return static_cast<size_t>(llvm::find(calls, &call) - calls.begin());
  }
  bool popsBefore(const llvm::CallBase &call);
  LaunchBounds boundsOfPush(const llvm::CallBase &push);
  Arguments geometryOfPush(const llvm::CallBase *push);
  Arguments geometryOfConfig(const llvm::CallBase &call);
  Arguments stubArguments(const llvm::CallBase &call,
                          const llvm::Function &stub, bool &byFormals);
  JumpFunction kernelArgument(const llvm::CallBase &call, unsigned formal);
  Arguments arrayArguments(const llvm::Value &array,
                           const llvm::CallBase &call);
  JumpFunction valueBehind(const llvm::Value &pointer,
                           const llvm::CallBase &call);
  void add(const llvm::CallBase &call, const llvm::CallBase *push,
           LaunchSite site, llvm::ArrayRef<JumpFunction> geometry,
           llvm::ArrayRef<JumpFunction> arguments);

  LgenContext &context;
  ModuleSummary &summary;
  const llvm::DataLayout &layout;
  /// Kernel parameters that are aggregates: (stub, parameter). Looked up only.
  llvm::DenseSet<std::pair<const llvm::Function *, uint32_t>> aggregates;
  llvm::DenseMap<const llvm::Function *, Range> stubRanges;

  // Of the function being looked at.
  llvm::Function *function = nullptr;
  JumpFunctionBuilder *jumpFunctions = nullptr;
  EntryFrequencies *frequencies = nullptr;
  LaunchedMemory *memory = nullptr;
  /// Its push calls, in order, and those that a launch was found for.
  llvm::SmallVector<const llvm::CallBase *, 8> calls;
  llvm::SmallPtrSet<const llvm::CallBase *, 8> servedPushes;
  /// Positions of its calls; looked up only.
  llvm::DenseMap<const llvm::CallBase *, uint32_t> callNumbers;
  /// Number of its first call.
  uint32_t firstCall = 0;
  /// What the kernel may assume of the launch being looked at.
  LaunchBounds bounds;
};

bool LaunchCollector::usesRuntime() const {
  return llvm::any_of(context.module, [](const llvm::Function &function) {
    const RuntimeFunction *known = findRuntimeFunction(function.getName());
    return known && ((known->launch && known->launch != LaunchKind::Device) ||
                     known->has(RuntimeFunction::PushesLaunch) ||
                     known->has(RuntimeFunction::AddsKernelNode));
  });
}

//===----------------------------------------------------------------------===//
// Offload entries
//===----------------------------------------------------------------------===//

llvm::Error LaunchCollector::readEntry(const llvm::GlobalVariable &variable) {
  std::optional<OffloadFields> fields = offloadFields(variable);
  SymbolIndex symbol = fields ? context.indexOf(*fields->address) : kNone;
  if (symbol == kNone)
    return inputError(InputLocation(context.module.getSourceFileName()),
                      "offload entry " + variable.getName() +
                          " has not the fields that clang gives it");
  const llvm::GlobalValue *address = fields->address;
  OffloadEntry entry;
  entry.hostSymbol = symbol;
  entry.deviceName = context.strings.save(fields->name);
  entry.sizeBytes = fields->size;
  entry.isExtern = fields->flags & kEntryExtern;
  entry.isConstant = fields->flags & kEntryConstant;
  entry.isNormalized = fields->flags & kEntryNormalized;
  entry.textureType = static_cast<uint32_t>(fields->data);
  uint32_t kind = fields->flags & kEntryKindMask;
  if (llvm::isa<llvm::Function>(address)) {
    entry.kind = OffloadEntry::Kind::Kernel;
    summary.symbols[symbol].flags |= kKernelStub;
  } else if (kind == kEntryManaged) {
    entry.kind = OffloadEntry::Kind::Managed;
    summary.symbols[symbol].flags |= kManaged;
  } else if (kind == kEntrySurface) {
    entry.kind = OffloadEntry::Kind::Surface;
  } else if (kind == kEntryTexture) {
    entry.kind = OffloadEntry::Kind::Texture;
  } else {
    entry.kind = OffloadEntry::Kind::Variable;
  }
  summary.offloadEntries.push_back(entry);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Stubs
//===----------------------------------------------------------------------===//

/// Finds the launch of \p stub itself and reads its array of arguments.
void LaunchCollector::describeStub(llvm::Function &stub,
                                   FunctionSummary &result) {
  const llvm::CallBase *launch = nullptr;
  for (const llvm::BasicBlock &block : stub)
    for (const llvm::Instruction &instruction : block)
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (launchKindOf(*call) == LaunchKind::Runtime &&
            call->getArgOperand(0)->stripPointerCasts() == &stub)
          launch = call;
  if (!launch)
    return;
  uint32_t first = static_cast<uint32_t>(summary.stubArguments.size());
  JumpFunctionBuilder builder(context, stub);
  const llvm::Value &array = *launch->getArgOperand(5);
  for (uint32_t k = 0; k < kMaxKernelArguments; ++k) {
    const llvm::Value *slot = builder.storedPointer(
        array, uint64_t(k) * layout.getPointerSize(), *launch);
    if (!slot)
      break;
    addPieces(*slot, k, builder, *launch);
  }
  result.stubArguments = {
      first, static_cast<uint32_t>(summary.stubArguments.size()) - first};
  if (result.stubArguments.empty())
    result.stubArguments = {};
  if (!result.stubArguments.empty() || stub.arg_empty())
    stubRanges[&stub] = result.stubArguments;
}

/// Returns whether \p value, which \p stub stores in a variable of \p type, is
/// one of its formals. A bool is a byte there.
static bool isFormal(const JumpFunction &value, const llvm::Function &stub,
                     const llvm::Type &type) {
  if (value.kind != JumpFunction::Kind::PassThrough)
    return false;
  return value.operation == JumpOperation::None ||
         (value.operation == JumpOperation::ZExt && type.isIntegerTy(8) &&
          stub.getArg(value.source)->getType()->isIntegerTy(1));
}

/// Adds where the formals behind \p slot, the address of parameter
/// \p kernelArgument, come from.
void LaunchCollector::addPieces(const llvm::Value &slot,
                                uint32_t kernelArgument,
                                JumpFunctionBuilder &builder,
                                const llvm::CallBase &launch) {
  if (auto *formal = llvm::dyn_cast<llvm::Argument>(&slot)) {
    if (formal->hasByValAttr())
      summary.stubArguments.push_back(
          {kernelArgument, 0, formal->getArgNo(), true});
    return;
  }
  auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&slot);
  if (!variable)
    return;
  llvm::Type *type = variable->getAllocatedType();
  if (type->isAggregateType())
    aggregates.insert({launch.getFunction(), kernelArgument});
  std::optional<llvm::TypeSize> size = variable->getAllocationSize(layout);
  if (!size)
    return;
  for (const AggregatePart &part :
       builder.partsOf(*variable, size->getKnownMinValue(), launch))
    if (isFormal(part.value, *launch.getFunction(), *type))
      summary.stubArguments.push_back(
          {kernelArgument, part.byteOffset, part.value.source, false});
}

//===----------------------------------------------------------------------===//
// Launch sites
//===----------------------------------------------------------------------===//

void LaunchCollector::collectLaunches(llvm::Function &body,
                                      FunctionSummary &result) {
  JumpFunctionBuilder builder(context, body);
  std::optional<EntryFrequencies> blockFrequencies;
  function = &body;
  jumpFunctions = &builder;
  servedPushes.clear();
  uint32_t first = static_cast<uint32_t>(summary.launches.size());
  llvm::SmallVector<const llvm::CallBase *, 8> launches, indirect;
  calls.clear();
  for (const llvm::BasicBlock &block : body)
    for (const llvm::Instruction &instruction : block) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
      if (call && call->isIndirectCall() && call->getType()->isVoidTy())
        indirect.push_back(call);
      if (!callee || callee->isIntrinsic())
        continue;
      if (isRuntime(callee->getName(), RuntimeFunction::PushesLaunch) &&
          call->arg_size() == kPushOperands)
        calls.push_back(call);
      else if (isStub(*callee) || launchKindOf(*call) || addsKernelNode(*call))
        launches.push_back(call);
    }
  if (calls.empty() && launches.empty())
    return;
  blockFrequencies.emplace(context, body);
  frequencies = &*blockFrequencies;
  auto isAnyStub = [&](const llvm::Function &callee) { return isStub(callee); };
  LaunchedMemory launched(body, context.analyses, isAnyStub);
  memory = &launched;
  callNumbers.clear();
  firstCall = result.calls.first;
  for (uint32_t i = 0; i < result.calls.count; ++i)
    callNumbers[context.callInstructions[result.calls.first + i]] = i;
  for (const llvm::CallBase *call : launches)
    visitCall(*call);
  for (const llvm::CallBase *call : indirect)
    addIndirect(*call);
  for (const llvm::CallBase *push : calls)
    if (!servedPushes.contains(push))
      add(*push, push, LaunchSite(), geometryOfPush(push), {});
  result.launches = {first,
                     static_cast<uint32_t>(summary.launches.size()) - first};
  if (result.launches.empty())
    result.launches = {};
}

void LaunchCollector::visitCall(const llvm::CallBase &call) {
  const llvm::Function &callee = *call.getCalledFunction();
  if (addsKernelNode(call))
    return addNode(call);
  std::optional<LaunchKind> kind = launchKindOf(call);
  if (!kind)
    return addChevron(call, &callee);
  const llvm::Value *handle = call.getArgOperand(handleOperand(*kind));
  bool isOwn = isStub(*function) && handle->stripPointerCasts() == function;
  if (!isOwn)
    addRuntimeLaunch(call, *kind);
}

void LaunchCollector::addChevron(const llvm::CallBase &call,
                                 const llvm::Function *stub) {
  LaunchSite site;
  site.stub = context.indexOf(*stub);
  Pushes pushes = pushesBefore(call);
  bounds = pushes.size() == 1 ? boundsOfPush(*pushes[0]) : LaunchBounds();
  Arguments arguments = stubArguments(call, *stub, site.byStubFormals);
  addConfigured(call, site, arguments);
}

/// Adds what may be a chevron launch through a handle: an indirect call with a
/// configuration in force.
void LaunchCollector::addIndirect(const llvm::CallBase &call) {
  LaunchSite site;
  Arguments arguments;
  if (pushesBefore(call).empty() ||
      !addHandles(call.getCalledOperandUse(), site))
    return;
  site.byStubFormals = true;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    arguments.push_back(jumpFunctions->ofArgument(call, i));
  addConfigured(call, site, arguments);
}

/// Lets \p site know all that \p handle may be, if that is known.
bool LaunchCollector::addHandles(const llvm::Use &handle, LaunchSite &site) {
  Arguments handles;
  if (!collectHandles(*jumpFunctions, *handle.get(), handles))
    return false;
  site.handles = context.jumpFunctions.add(handles);
  context.launchedUses.insert(&handle);
  return true;
}

void LaunchCollector::addRuntimeLaunch(const llvm::CallBase &call,
                                       LaunchKind kind) {
  LaunchSite site;
  site.kind = kind;
  bool isEx = kind == LaunchKind::RuntimeExC;
  const llvm::Use &handle = call.getArgOperandUse(handleOperand(kind));
  auto *stub =
      llvm::dyn_cast<llvm::Function>(handle.get()->stripPointerCasts());
  if (stub)
    site.stub = context.indexOf(*stub);
  else
    addHandles(handle, site);
  Arguments arguments = arrayArguments(*call.getArgOperand(isEx ? 2 : 5), call);
  if (!isEx && popsBefore(call)) {
    // The body of a stub that was inlined here.
    site.kind = LaunchKind::Chevron;
    return addConfigured(call, site, arguments);
  }
  Arguments geometry;
  if (isEx) {
    geometry = geometryOfConfig(call);
  } else {
    auto grid = jumpFunctions->halvesOf(*call.getArgOperand(1));
    auto block = jumpFunctions->halvesOf(*call.getArgOperand(kLaunchBlock));
    geometry = {grid.first,
                grid.second,
                jumpFunctions->of(*call.getArgOperand(2)),
                block.first,
                block.second,
                jumpFunctions->of(*call.getArgOperand(4)),
                jumpFunctions->of(*call.getArgOperand(6)),
                jumpFunctions->of(*call.getArgOperand(7))};
  }
  add(call, nullptr, site, geometry, arguments);
}

/// Adds the launches of a node that \p call adds to a graph, if its parameters
/// are a local variable. The handle is not where clones would be put, so the
/// site has no call. In which stream it runs, and how often, nobody knows.
void LaunchCollector::addNode(const llvm::CallBase &call) {
  const llvm::Use &params = call.getArgOperandUse(kNodeParamsOperand);
  Arguments handles;
  if (!collectStoredHandles(*jumpFunctions, *params.get(), kNodeFunction,
                            handles))
    return; // its address is taken
  LaunchSite site;
  site.handles = context.jumpFunctions.add(handles);
  context.launchedUses.insert(&params);
  Arguments geometry = unknownGeometry();
  for (const AggregatePart &part :
       jumpFunctions->partsOf(*params.get(), kNodeBytes, call))
    setDimensions(geometry, part, kNodeGrid, *jumpFunctions);
  const llvm::Value *array =
      jumpFunctions->storedPointer(*params.get(), kNodeArguments, call);
  add(call, nullptr, site, geometry,
      array ? arrayArguments(*array, call) : Arguments());
}

/// Adds a launch per configuration that may be in force at \p call.
void LaunchCollector::addConfigured(const llvm::CallBase &call,
                                    const LaunchSite &site,
                                    llvm::ArrayRef<JumpFunction> arguments) {
  Pushes pushes = pushesBefore(call);
  if (pushes.empty())
    add(call, nullptr, site, geometryOfPush(nullptr), arguments);
  for (const llvm::CallBase *push : pushes) {
    servedPushes.insert(push);
    add(call, push, site, geometryOfPush(push), arguments);
  }
}

/// Returns the push calls whose success leads to \p call: the innermost one, or
/// several when their successes meet. Empty when it is not clear.
LaunchCollector::Pushes
LaunchCollector::pushesBefore(const llvm::CallBase &call) {
  const llvm::DominatorTree &dominators =
      context.analyses.getResult<llvm::DominatorTreeAnalysis>(*function);
  const llvm::BasicBlock *target = call.getParent();
  const llvm::DomTreeNode *node = dominators.getNode(target);
  for (node = node ? node->getIDom() : nullptr; node; node = node->getIDom()) {
    auto [push, success] = checkedPush(*node->getBlock());
    if (!push)
      continue;
    llvm::BasicBlockEdge edge(node->getBlock(), success);
    if (dominators.dominates(edge, target))
      return {push};
    break;
  }
  while (const llvm::BasicBlock *previous = target->getSinglePredecessor()) {
    if (previous == call.getParent())
      return {};
    target = previous;
  }
  Pushes pushes;
  for (const llvm::BasicBlock *block : llvm::predecessors(target)) {
    auto [push, success] = checkedPush(*block);
    if (!push || success != target || llvm::is_contained(pushes, push))
      return {};
    pushes.push_back(push);
  }
  // Predecessors come in the order of uses; the function's order is stable.
  llvm::sort(pushes, [&](const llvm::CallBase *a, const llvm::CallBase *b) {
    return position(*a) < position(*b);
  });
  return pushes;
}

/// Whether the straight-line code before \p call pops a configuration.
bool LaunchCollector::popsBefore(const llvm::CallBase &call) {
  const llvm::BasicBlock *block = call.getParent();
  for (const llvm::Instruction *i = call.getPrevNode(); i; i = i->getPrevNode())
    if (auto *other = llvm::dyn_cast<llvm::CallBase>(i)) {
      if (isRuntime(calleeName(*other), RuntimeFunction::PopsLaunch))
        return true;
      if (launchKindOf(*other))
        return false; // what was popped before is that launch's
    }
  // With exceptions the pop ends the block before.
  const llvm::BasicBlock *previous = block->getSinglePredecessor();
  auto *invoke =
      previous ? llvm::dyn_cast<llvm::InvokeInst>(previous->getTerminator())
               : nullptr;
  return invoke && isRuntime(calleeName(*invoke), RuntimeFunction::PopsLaunch);
}

/// What a successful launch with the configuration \p push implies.
LaunchBounds LaunchCollector::boundsOfPush(const llvm::CallBase &push) {
  LaunchBounds result(
      &context.analyses.getResult<llvm::ScalarEvolutionAnalysis>(*function));
  result.addPair(*push.getArgOperand(0), kGridX);
  result.add(*push.getArgOperand(1), kGridZ);
  result.addPair(*push.getArgOperand(kPushBlock), kBlockX);
  result.add(*push.getArgOperand(3), kBlockZ);
  return result;
}

LaunchCollector::Arguments
LaunchCollector::geometryOfPush(const llvm::CallBase *push) {
  Arguments geometry = unknownGeometry();
  if (!push)
    return geometry;
  auto operand = [&](unsigned i) -> const llvm::Value & {
    return *push->getArgOperand(i);
  };
  std::tie(geometry[kGridX], geometry[kGridY]) =
      jumpFunctions->halvesOf(operand(0));
  geometry[kGridZ] = jumpFunctions->of(operand(1));
  std::tie(geometry[kBlockX], geometry[kBlockY]) =
      jumpFunctions->halvesOf(operand(2));
  geometry[kBlockZ] = jumpFunctions->of(operand(3));
  geometry[kSharedBytes] = jumpFunctions->of(operand(4));
  geometry[kStream] = jumpFunctions->of(operand(5));
  LaunchBounds ofPush = boundsOfPush(*push);
  for (unsigned i = kGridX; i <= kBlockZ; ++i)
    ofPush.narrow(static_cast<Geometry>(i), geometry[i]);
  return geometry;
}

LaunchCollector::Arguments
LaunchCollector::geometryOfConfig(const llvm::CallBase &call) {
  Arguments geometry = unknownGeometry();
  for (const AggregatePart &part :
       jumpFunctions->partsOf(*call.getArgOperand(0), kConfigBytes, call)) {
    bool isWhole = !isCopied(part.value);
    if (part.byteOffset == kConfigShared && part.value.bitWidth == 64)
      geometry[kSharedBytes] = part.value;
    else if (part.byteOffset == kConfigStream && isWhole)
      geometry[kStream] = part.value;
    else
      setDimensions(geometry, part, kConfigGrid, *jumpFunctions);
  }
  return geometry;
}

/// Argument \p formal of \p call, a call of a stub, as the kernel gets it.
JumpFunction LaunchCollector::kernelArgument(const llvm::CallBase &call,
                                             unsigned formal) {
  JumpFunction result = jumpFunctions->ofArgument(call, formal);
  const llvm::Value &value = *call.getArgOperand(formal);
  bounds.narrow(value, result);
  if (result.kind == JumpFunction::Kind::Allocation)
    result.parameter = memory->lasts(
        value, call, *context.callInstructions[firstCall + result.source]);
  return result;
}

/// The kernel's arguments at a call of its stub; in terms of the stub's own
/// formals, with \p byFormals set, when its body is elsewhere.
LaunchCollector::Arguments
LaunchCollector::stubArguments(const llvm::CallBase &call,
                               const llvm::Function &stub, bool &byFormals) {
  Arguments arguments;
  if (call.getFunctionType() != stub.getFunctionType())
    return arguments;
  auto known = stubRanges.find(&stub);
  byFormals = known == stubRanges.end();
  if (byFormals) {
    for (unsigned i = 0; i < call.arg_size(); ++i)
      arguments.push_back(kernelArgument(call, i));
    return arguments;
  }
  llvm::SmallVector<AggregatePart, 8> parts;
  llvm::ArrayRef<StubArgument> pieces =
      slice(summary.stubArguments, known->second);
  while (!pieces.empty()) {
    uint32_t k = pieces.front().kernelArgument;
    auto ofThis = pieces.take_while(
        [&](const StubArgument &piece) { return piece.kernelArgument == k; });
    pieces = pieces.drop_front(ofThis.size());
    arguments.resize(k + 1);
    bool isScalar = ofThis.size() == 1 && ofThis[0].byteOffset == 0 &&
                    !aggregates.contains({&stub, k});
    if (isScalar) {
      arguments[k] = kernelArgument(call, ofThis[0].formal);
      continue;
    }
    parts.clear();
    for (const StubArgument &piece : ofThis) {
      const llvm::Value &actual = *call.getArgOperand(piece.formal);
      JumpFunction whole = jumpFunctions->of(actual);
      bool isKnown = whole.kind != JumpFunction::Kind::Unknown ||
                     (actual.getType()->isPointerTy() && whole.hasFacts());
      if (isKnown && !isPackedPair(actual)) {
        appendPart(parts, piece.byteOffset, whole);
        continue;
      }
      auto [low, high] = jumpFunctions->halvesOf(actual);
      constexpr uint64_t kHalfBytes = 4;
      if (low.kind != JumpFunction::Kind::Unknown)
        appendPart(parts, piece.byteOffset, low);
      if (high.kind != JumpFunction::Kind::Unknown)
        appendPart(parts, piece.byteOffset + kHalfBytes, high);
    }
    if (!parts.empty())
      arguments[k] = context.jumpFunctions.aggregate(parts);
  }
  return arguments;
}

/// What the runtime reads at \p pointer, one kernel argument.
JumpFunction LaunchCollector::valueBehind(const llvm::Value &pointer,
                                          const llvm::CallBase &call) {
  llvm::Type *type = nullptr;
  if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&pointer)) {
    if (!variable->isArrayAllocation())
      type = variable->getAllocatedType();
  } else if (auto *global = llvm::dyn_cast<llvm::GlobalVariable>(&pointer)) {
    type = global->getValueType();
  } else if (auto *formal = llvm::dyn_cast<llvm::Argument>(&pointer)) {
    if (formal->hasByValAttr())
      type = formal->getParamByValType();
  }
  if (!type || !type->isSized())
    return JumpFunction();
  uint64_t size = layout.getTypeAllocSize(type).getFixedValue();
  if (type->isAggregateType())
    return jumpFunctions->ofMemory(pointer, size, call);
  for (const AggregatePart &part : jumpFunctions->partsOf(pointer, size, call))
    if (part.byteOffset == 0 &&
        (type->isPointerTy() || part.value.bitWidth == size * 8))
      return part.value;
  return JumpFunction();
}

LaunchCollector::Arguments
LaunchCollector::arrayArguments(const llvm::Value &array,
                                const llvm::CallBase &call) {
  Arguments arguments;
  auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&array);
  std::optional<llvm::TypeSize> size =
      variable ? variable->getAllocationSize(layout) : std::nullopt;
  if (!size)
    return arguments;
  uint64_t count = std::min<uint64_t>(
      size->getKnownMinValue() / layout.getPointerSize(), kMaxKernelArguments);
  for (uint64_t k = 0; k < count; ++k) {
    const llvm::Value *slot =
        jumpFunctions->storedPointer(array, k * layout.getPointerSize(), call);
    arguments.push_back(slot ? valueBehind(*slot, call) : JumpFunction());
  }
  return arguments;
}

/// A launch runs as often as its configuration is pushed: the runtime refuses
/// none, though static heuristics think the branch between them unlikely.
void LaunchCollector::add(const llvm::CallBase &call,
                          const llvm::CallBase *push, LaunchSite site,
                          llvm::ArrayRef<JumpFunction> geometry,
                          llvm::ArrayRef<JumpFunction> arguments) {
  site.frequency =
      frequencies->of(push ? *push->getParent() : *call.getParent());
  site.place = context.places.of(call);
  bool isKnown = site.stub != kNone || !site.handles.empty();
  if (isKnown && !addsKernelNode(call))
    site.call = callNumbers.at(&call);
  site.geometry = context.jumpFunctions.add(geometry);
  site.arguments = context.jumpFunctions.addTrimmed(arguments);
  summary.launches.push_back(site);
}

} // namespace

llvm::Error analyzeLaunches(LgenContext &context) {
  context.usesRuntime =
      llvm::any_of(context.module, [](const llvm::Function &function) {
        return isOfRuntime(function);
      });
  if (context.summary.side == Side::Device) {
    analyzeDeviceLaunches(context);
    return llvm::Error::success();
  }
  return LaunchCollector(context).run();
}

} // namespace gpulto
