//===- CallsAnalyze.cpp - Parameters and call edges (LGEN) ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: record what interprocedural constant propagation needs without bodies.
//
//   int g(int n, int k) { return f(n + 1, 7); }
//   parameters of g: n, k (unused); call f(pass-through n add 1, constant 7)
//
//  1. describe        what each formal is, and what a constant would be worth:
//                     the instructions that become constant with it. The same
//                     for the launch geometry that device code reads.
//  2. addCall         one edge per call that is no intrinsic, with flags and
//                     the jump functions of the arguments.
//  3. addResults      the jump function that all returns share, and what is
//                     left behind pointer parameters.
//
// Linear in instructions and in uses of formals (kMaxUses per formal).
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "ipa/runtime/GeometryReads.h"
#include "ipa/values/JumpFunctionBuilder.h"
#include "ipa/values/RuntimeCalls.h"
#include "ipa/values/VariableWrites.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace gpulto {

namespace {

/// Instructions followed per formal parameter.
constexpr unsigned kMaxUses = 128;

class CallsCollector {
public:
  CallsCollector(LgenContext &context, llvm::Function &function,
                 FunctionSummary &result)
      : context(context), summary(context.summary), function(function),
        result(result), jumpFunctions(context, function),
        layout(function.getParent()->getDataLayout()) {}

  void run() {
    addParameters();
    if (summary.side == Side::Device)
      addGeometryGains();
    addCalls();
    addResults();
    if (summary.side == Side::Host)
      addVariableStores();
  }

private:
  void addParameters();
  ParameterRecord describe(const llvm::Argument &argument);
  void addGeometryGains();
  uint32_t gainOf(const llvm::Value &value, ParameterRecord &record);
  void addUse(const llvm::Use &use, ParameterRecord &record);
  void addCalls();
  void addCall(const llvm::CallBase &call, bool isAlwaysReached);
  void addResults();
  void addVariableStores();

  LgenContext &context;
  ModuleSummary &summary;
  llvm::Function &function;
  FunctionSummary &result;
  JumpFunctionBuilder jumpFunctions;
  const llvm::DataLayout &layout;
  llvm::LoopInfo *loops = nullptr;
};

/// Instructions that are saved where a branch, a loop's bound, a callee or a
/// divisor becomes known.
static constexpr uint32_t kBranchGain = 4, kLoopGain = 16, kCallGain = 32,
                          kDivisionGain = 12;

void CallsCollector::addParameters() {
  if (function.arg_empty())
    return;
  result.parameters.first = static_cast<uint32_t>(summary.parameters.size());
  result.parameters.count = static_cast<uint32_t>(function.arg_size());
  for (const llvm::Argument &argument : function.args())
    summary.parameters.push_back(describe(argument));
}

ParameterRecord CallsCollector::describe(const llvm::Argument &argument) {
  ParameterRecord record;
  auto set = [&](bool holds, ParameterFlag flag) {
    record.flags |= holds ? uint32_t(flag) : 0;
  };
  llvm::Type *type = argument.getType();
  record.name = context.places.nameOf(argument);
  set(argument.use_empty(), kParamUnused);
  if (type->isPointerTy()) {
    set(true, kParamIsPointer);
    set(argument.hasNoAliasAttr(), kParamNoAlias);
    set(argument.hasNonNullAttr(), kParamNonNull);
    set(argument.hasByValAttr(), kParamByVal);
    set(argument.hasStructRetAttr(), kParamStructRet);
    record.addressSpace = static_cast<uint8_t>(type->getPointerAddressSpace());
    if (llvm::MaybeAlign align = argument.getParamAlign())
      record.alignLog2 = static_cast<uint8_t>(llvm::Log2(*align));
    if (argument.hasByValAttr())
      record.byValBytes = static_cast<uint32_t>(std::min<uint64_t>(
          layout.getTypeAllocSize(argument.getParamByValType()), kNone));
  } else if (type->isSized()) {
    set(type->isFPOrFPVectorTy(), kParamIsFloat);
    record.bitWidth = static_cast<uint16_t>(std::min<uint64_t>(
        UINT16_MAX, layout.getTypeSizeInBits(type).getKnownMinValue()));
  }
  if (!argument.use_empty())
    record.constantGain =
        static_cast<uint32_t>(keepThreeBits(gainOf(argument, record)));
  return record;
}

/// Follows what becomes constant with \p value, breadth first; each such
/// instruction is a gain of one, and a division by it one of several. Uses are
/// added to \p record. What is loaded from a by-value aggregate is constant
/// with it.
uint32_t CallsCollector::gainOf(const llvm::Value &value,
                                ParameterRecord &record) {
  llvm::SmallSetVector<const llvm::Value *, 16> known;
  known.insert(&value);
  bool isAggregate = record.flags & kParamByVal;
  uint32_t gain = 0;
  for (size_t i = 0; i < known.size() && known.size() < kMaxUses; ++i) {
    unsigned uses = 0;
    for (const llvm::Use &use : known[i]->uses()) {
      if (++uses > kMaxUses)
        break;
      addUse(use, record);
      auto *user = llvm::cast<llvm::Instruction>(use.getUser());
      bool mayFold =
          llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst,
                    llvm::SelectInst, llvm::GetElementPtrInst>(user) ||
          (isAggregate && llvm::isa<llvm::LoadInst>(user) &&
           llvm::isa<llvm::PointerType>(known[i]->getType()));
      bool folds =
          mayFold &&
          llvm::all_of(user->operands(), [&](const llvm::Use &operand) {
            return llvm::isa<llvm::Constant>(operand) ||
                   known.contains(operand.get());
          });
      if (folds)
        known.insert(user);
      else if (user->isIntDivRem() && use.getOperandNo() == 1)
        gain += kDivisionGain;
    }
  }
  gain += static_cast<uint32_t>(known.size() - 1);
  if (record.flags & kParamInCondition)
    gain += kBranchGain;
  if (record.flags & kParamInLoopBound)
    gain += kLoopGain;
  if (record.flags & kParamCalled)
    gain += kCallGain;
  return gain;
}

/// What a constant block or grid size would be worth: the reads, and what
/// becomes constant with them.
void CallsCollector::addGeometryGains() {
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &instruction : block) {
      auto *read = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      std::optional<GeometryRead> what =
          read ? geometryRead(read->getIntrinsicID()) : std::nullopt;
      if (!what || what->isIndex)
        continue;
      ParameterRecord uses;
      result.geometryGain[what->component] += 1 + gainOf(*read, uses);
    }
  for (uint32_t &gain : result.geometryGain)
    gain = static_cast<uint32_t>(keepThreeBits(gain));
}

void CallsCollector::addUse(const llvm::Use &use, ParameterRecord &record) {
  auto *user = llvm::cast<llvm::Instruction>(use.getUser());
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(user)) {
    if (call->isCallee(&use))
      record.flags |= kParamCalled;
    return;
  }
  if (llvm::isa<llvm::GetElementPtrInst>(user) && use.getOperandNo() != 0)
    record.flags |= kParamInAddress;
  bool decides = (llvm::isa<llvm::BranchInst, llvm::SwitchInst>(user)) ||
                 (llvm::isa<llvm::SelectInst>(user) && use.getOperandNo() == 0);
  if (decides)
    record.flags |= kParamInCondition;
  bool isCompared = llvm::isa<llvm::CmpInst>(user);
  if (isCompared)
    record.flags |= kParamInCondition;
  auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
  if ((!isCompared && !phi) || function.size() == 1)
    return;
  if (!loops)
    loops = &context.analyses.getResult<llvm::LoopAnalysis>(function);
  const llvm::Loop *loop = loops->getLoopFor(user->getParent());
  // Where a loop ends, or where it starts.
  if (loop && (isCompared ? loop->isLoopExiting(user->getParent())
                          : loop->getHeader() == phi->getParent() &&
                                !loop->contains(phi->getIncomingBlock(use))))
    record.flags |= kParamInLoopBound;
}

/// Whether no callee can write through a pointer argument of \p call or keep
/// one, by the attributes of the call; false when there is none.
bool onlyReadsArguments(const llvm::CallBase &call) {
  bool hasPointer = false;
  for (const llvm::Use &operand : call.args()) {
    unsigned index = call.getArgOperandNo(&operand);
    hasPointer |= operand->getType()->isPointerTy();
    if (operand->getType()->isPointerTy() && !call.isByValArgument(index) &&
        !(call.doesNotCapture(index) && call.onlyReadsMemory(index)))
      return false;
  }
  return hasPointer && !call.hasOperandBundles();
}

CallFlags callFlags(const llvm::CallBase &call) {
  CallFlags flags = 0;
  auto set = [&](bool holds, CallFlag flag) {
    if (holds)
      flags |= flag;
  };
  if (auto *plain = llvm::dyn_cast<llvm::CallInst>(&call)) {
    set(plain->isTailCall(), kTailCall);
    set(plain->isMustTailCall(), kMustTail);
  }
  set(llvm::isa<llvm::InvokeInst>(call), kInvoke);
  const llvm::AttributeList &attributes = call.getAttributes();
  set(attributes.hasFnAttr(llvm::Attribute::NoInline), kNoInlineSite);
  set(attributes.hasFnAttr(llvm::Attribute::AlwaysInline), kAlwaysInlineSite);
  set(attributes.hasFnAttr(llvm::Attribute::Convergent), kConvergentSite);
  set(attributes.hasFnAttr(llvm::Attribute::Cold), kColdSite);
  // These count what the callee's declaration says, too.
  set(call.doesNotThrow(), kNoUnwindSite);
  set(call.hasFnAttr(llvm::Attribute::WillReturn), kWillReturnSite);
  set(call.hasFnAttr(llvm::Attribute::NoSync), kNoSyncSite);
  set(call.hasFnAttr(llvm::Attribute::NoFree), kNoFreeSite);
  set(call.getMemoryEffects() != llvm::MemoryEffects::unknown(),
      kKnownMemorySite);
  set(onlyReadsArguments(call), kReadsArgumentsSite);
  return flags;
}

/// Returns the blocks that run whenever \p function does: the entry and what
/// follows without a choice.
llvm::SmallPtrSet<const llvm::BasicBlock *, 4>
alwaysReached(const llvm::Function &function) {
  llvm::SmallPtrSet<const llvm::BasicBlock *, 4> blocks;
  const llvm::BasicBlock *block = &function.getEntryBlock();
  while (block && blocks.insert(block).second)
    block = block->getUniqueSuccessor();
  return blocks;
}

void CallsCollector::addCalls() {
  result.calls.first = static_cast<uint32_t>(summary.calls.size());
  auto always = alwaysReached(function);
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &instruction : block)
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        addCall(*call, always.contains(&block));
  result.calls.count =
      static_cast<uint32_t>(summary.calls.size()) - result.calls.first;
  if (result.calls.empty())
    result.calls = {};
}

void CallsCollector::addCall(const llvm::CallBase &call, bool isAlwaysReached) {
  if (!isCallEdge(call))
    return;
  CallEdge edge;
  edge.flags = callFlags(call);
  if (isAlwaysReached)
    edge.flags |= kAlwaysReachedSite;
  auto *callee = llvm::dyn_cast<llvm::GlobalValue>(
      call.getCalledOperand()->stripPointerCasts());
  if (callee)
    edge.callee = context.indexOf(*callee);
  edge.place = context.places.of(call);
  // A call through another type passes what the callee's formals make of it.
  bool matches = !callee || callee->getValueType() == call.getFunctionType();
  if (matches) {
    llvm::SmallVector<JumpFunction, 8> arguments;
    for (unsigned i = 0; i < call.arg_size(); ++i)
      // The runtime neither keeps nor passes on pointers to what it copies, or
      // to where it leaves a result: no callee of the program gets that
      // pointer.
      arguments.push_back(copyAccess(call, i) == CopyAccess::None &&
                                  allocationResult(call) != i
                              ? jumpFunctions.ofArgument(call, i)
                              : JumpFunction());
    edge.arguments = context.jumpFunctions.addTrimmed(arguments);
  }
  summary.calls.push_back(edge);
  context.callInstructions.push_back(&call);
}

/// Returns what holds for both \p a and \p b: one of them if they are equal,
/// else common bounds of two integers.
JumpFunction meet(const JumpFunction &a, const JumpFunction &b) {
  using Kind = JumpFunction::Kind;
  if (a == b)
    return a;
  auto isBounded = [](const JumpFunction &j) {
    return j.bitWidth && (j.kind == Kind::Constant || j.high);
  };
  if (a.bitWidth != b.bitWidth || !isBounded(a) || !isBounded(b))
    return JumpFunction();
  auto low = [](const JumpFunction &j) { return j.high ? j.low : j.value; };
  auto high = [](const JumpFunction &j) { return j.high ? j.high : j.value; };
  JumpFunction result = JumpFunction::unknown(a.bitWidth);
  result.low = std::min(low(a), low(b));
  result.high = std::max(high(a), high(b));
  return result;
}

/// What the function returns, and what it leaves behind pointer parameters.
void CallsCollector::addResults() {
  std::optional<JumpFunction> common;
  llvm::SmallVector<const llvm::Instruction *, 4> rets;
  for (const llvm::BasicBlock &block : function) {
    auto *ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (!ret)
      continue;
    JumpFunction j = jumpFunctions.ofReturn(*ret);
    common = common ? meet(*common, j) : j;
    rets.push_back(ret);
  }
  if (common &&
      (common->kind != JumpFunction::Kind::Unknown || common->hasFacts()))
    result.returned = *common;
  if (summary.side == Side::Device)
    return;
  llvm::SmallVector<JumpFunction, 8> outputs;
  for (const llvm::Argument &argument : function.args())
    outputs.push_back(jumpFunctions.ofOutput(argument, rets));
  result.outputs = context.jumpFunctions.addTrimmed(outputs);
}

/// What the function stores in variables, where that is plain.
void CallsCollector::addVariableStores() {
  UniqueList<VariableStore> unique;
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &instruction : block) {
      std::optional<VariableWrite> write = variableWrite(instruction);
      SymbolIndex symbol = write ? context.indexOf(*write->variable) : kNone;
      if (symbol == kNone)
        continue;
      unique.add({symbol, write->offset, static_cast<uint32_t>(write->size),
                  jumpFunctions.ofStored(instruction, *write)});
    }
  std::vector<VariableStore> stores = unique.list();
  llvm::stable_sort(stores, [](const VariableStore &a, const VariableStore &b) {
    return a.variable < b.variable;
  });
  if (stores.empty())
    return;
  result.variableStores = {static_cast<uint32_t>(summary.variableStores.size()),
                           static_cast<uint32_t>(stores.size())};
  llvm::append_range(summary.variableStores, stores);
}

} // namespace

void analyzeCalls(LgenContext &context) {
  for (size_t i = 0; i < context.bodies.size(); ++i)
    CallsCollector(context, *context.bodies[i], context.summary.functions[i])
        .run();
  if (context.summary.side == Side::Device)
    return;
  llvm::DenseMap<SymbolIndex, const llvm::GlobalVariable *> variables;
  for (const llvm::GlobalVariable &variable : context.module.globals())
    if (SymbolIndex index = context.indexOf(variable); index != kNone)
      variables[index] = &variable;
  for (VariableSummary &variable : context.summary.variables)
    if (const llvm::GlobalVariable *global = variables.lookup(variable.symbol))
      variable.initializer = initialParts(context, *global);
}

} // namespace gpulto
