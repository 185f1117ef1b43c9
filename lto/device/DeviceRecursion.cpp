//===- DeviceRecursion.cpp - Unroll recursions of known depth -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: avoid stack for a recursion whose depth a constant argument determines.
//
//   u32 walk(const u32 *in, u32 at, int depth) {     walk(in, i, 3) enters
//     if (depth == 0) return in[at];                 walk.3, which calls
//     return walk(in, at * 2 + 1, depth - 1) +       walk.2 twice, that
//            walk(in, at * 2 + 2, depth - 1);        walk.1, that walk.0
//   }
//
// 1. keyOf: the constant arguments of a call from outside. If all of them
//    together fail (one may vary with each call), each alone. keysIn: a call in
//    a loop with known trip count and constants.
// 2. copyFor: a copy of the function for them, simplified: tests of them fold,
//    loops that call the function are unrolled. Its calls of the function are
//    handled in the same way. Pointers known to lead into an address space do
//    so in the copy.
// 3. If no call of the function is left, no copy leads to itself, and all of
//    them inlined into each other are small, the call enters the first copy.
//    Else the copies are dropped.
// The result is the proof: nothing is assumed about how arguments change.
//
// Limits: only functions that call themselves directly, and not if variables
// stay in memory, since frames of inlined copies add up.
//
// Why not ipa-cp in WPA: what a body does for a constant is known only after it
// has been simplified for it.
//
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceRecursion.h"

#include "lto/codegen/Optimizer.h"
#include "lto/device/DeviceCodegen.h"
#include "lto/device/DeviceSpaces.h"
#include "lto/partition/LtransPlans.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace gpulto {

namespace {

/// Instructions of a recursion, all copies inlined: as many as a loop that is
/// unrolled fully may have (lto/device/DeviceLoops).
constexpr uint64_t kMaxInstructions = 640;
/// Also bounds the depth.
constexpr size_t kMaxCopies = 32;

/// What is known of an argument: the constant that it is, or null, and the
/// address space that a generic pointer leads into, or 0.
struct Known {
  ConstantInt *value = nullptr;
  unsigned space = 0;
};
/// Of each parameter, what is passed.
using Key = SmallVector<Known, 8>;

/// Unrolls recursions of one function.
class Unroller {
public:
  Unroller(Function &function, FunctionAnalysisManager &analyses,
           OptimizationLevel level);

  /// Lets \p call, which passes constants, enter a copy.
  RecursionAttempt tryCall(CallBase &call);
  /// Unrolls the loop around \p call, which does not, if each round's call then
  /// can enter a copy; these are to be tried again.
  RecursionAttempt tryLoop(CallBase &call, ArrayRef<Key> keys);
  /// Simplifies \p body, after unrolling the loops that are marked.
  void run(Function &body, bool unrolls);

private:
  struct Copy {
    Function *body = nullptr;
    uint64_t size = 0; ///< with all that it calls inlined
  };

  bool tryKeys(ArrayRef<Key> keys, uint64_t size = 0);
  /// Returns null if it does not end, and says in \c reason why.
  const Copy *copyFor(const Key &key);
  Function *makeCopy(const Key &key);
  void simplify(Function &copy);
  bool finish(Function &copy, uint64_t &size);
  void fail(StringRef why) { reason = why.str(); }

  Function &function;
  FunctionAnalysisManager &analyses;
  OptimizationLevel level;
  bool calleesUseStack;
  StringMap<Copy> copies; // by key; null body: it is being made
  SmallVector<Function *> made;
  std::string reason;
};

} // namespace

/// Calls \p visit with \p function and the bodies that it calls, directly or
/// not, until it returns false. Returns whether it never did.
static bool visitCallees(Function &function,
                         function_ref<bool(Function &)> visit) {
  SmallVector<Function *> worklist{&function};
  SmallPtrSet<Function *, 16> seen{&function};
  while (!worklist.empty()) {
    Function *body = worklist.pop_back_val();
    if (!visit(*body))
      return false;
    for (Instruction &instruction : instructions(*body))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (Function *callee = call->getCalledFunction();
            callee && !callee->isDeclaration() && seen.insert(callee).second)
          worklist.push_back(callee);
  }
  return true;
}

/// Returns whether what \p function calls may lead to it other than by its own
/// calls.
static bool hasOtherCycle(Function &function) {
  return !visitCallees(function, [&](Function &body) {
    return all_of(instructions(body), [&](Instruction &instruction) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (!call || call->isInlineAsm())
        return true;
      Function *callee = call->getCalledFunction();
      return callee && (callee != &function || &body == &function);
    });
  });
}

static bool usesStack(Function &body) {
  return any_of(body.args(),
                [](Argument &argument) { return argument.hasByValAttr(); }) ||
         any_of(instructions(body), [](Instruction &instruction) {
           return isa<AllocaInst>(instruction);
         });
}

Unroller::Unroller(Function &function, FunctionAnalysisManager &analyses,
                   OptimizationLevel level)
    : function(function), analyses(analyses), level(level),
      calleesUseStack(!visitCallees(function, [&](Function &body) {
        return &body == &function || !usesStack(body);
      })) {}

/// Returns the calls of \p callee in \p body.
static SmallVector<CallBase *> callsOf(Function &callee, Function &body) {
  SmallVector<CallBase *> calls;
  for (Instruction &instruction : instructions(body))
    if (auto *call = dyn_cast<CallBase>(&instruction);
        call && call->getCalledFunction() == &callee)
      calls.push_back(call);
  return calls;
}

/// Says of an argument of a call what spaceOf has found: InstCombine removes
/// the casts.
constexpr StringLiteral kSpaceAttribute = "gpulto-address-space";

/// Returns the address space from which the generic pointer \p argument was
/// made, at any distance, or 0. Not local memory: a constant passed instead of
/// its copy is not in it.
static unsigned spaceOf(const Value &argument) {
  constexpr unsigned kLocalAddressSpace = 5; // NVPTX
  if (!argument.getType()->isPointerTy() ||
      argument.getType()->getPointerAddressSpace() != 0)
    return 0;
  const Value *base = &argument;
  while (true) {
    if (auto *address = dyn_cast<GEPOperator>(base)) {
      base = address->getPointerOperand();
      continue;
    }
    auto *cast = dyn_cast<AddrSpaceCastOperator>(base);
    if (!cast)
      return 0;
    if (unsigned space = cast->getSrcAddressSpace())
      return space == kLocalAddressSpace ? 0 : space;
    base = cast->getPointerOperand();
  }
}

static unsigned spaceOf(const CallBase &call, unsigned index) {
  unsigned space = 0;
  if (call.getParamAttr(index, kSpaceAttribute)
          .getValueAsString()
          .getAsInteger(10, space))
    return spaceOf(*call.getArgOperand(index));
  return space;
}

/// Notes the address spaces that calls of \p callee in \p body pass.
static void noteSpaces(Function &callee, Function &body) {
  for (CallBase *call : callsOf(callee, body))
    for (unsigned i = 0; i < call->arg_size(); ++i)
      if (unsigned space = spaceOf(*call, i))
        call->addParamAttr(i, Attribute::get(body.getContext(), kSpaceAttribute,
                                             std::to_string(space)));
}

static Key keyOf(const CallBase &call) {
  Key key;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    key.push_back(
        {dyn_cast<ConstantInt>(call.getArgOperand(i)), spaceOf(call, i)});
  return key;
}

static bool isConstant(const Known &known) { return known.value != nullptr; }

/// Whether any argument is a constant: what ends recursions.
static bool isKnown(const Key &key) { return any_of(key, isConstant); }

static std::string textOf(const Key &key) {
  std::string text;
  for (auto [value, space] : key) {
    if (space)
      text += "@" + std::to_string(space);
    if (value) {
      SmallString<24> digits;
      value->getValue().toStringUnsigned(digits, 16);
      text += digits;
    }
    text += ',';
  }
  return text;
}

void Unroller::run(Function &body, bool unrolls) {
  noteSpaces(function, body);
  FunctionPassManager passes;
  // InstCombine removes the casts that say address spaces.
  passes.addPass(InferSpacesPass());
  if (unrolls)
    passes.addPass(LoopUnrollPass(
        LoopUnrollOptions(static_cast<int>(level.getSpeedupLevel()),
                          /*OnlyWhenForced=*/true)));
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(SCCPPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  analyses.invalidate(body, passes.run(body, analyses));
}

static void markForUnrolling(Loop &loop) {
  addStringMetadataToLoop(&loop, "llvm.loop.unroll.full", 1);
}

/// Simplifies \p copy, in which parameters have become constants.
void Unroller::simplify(Function &copy) {
  run(copy, /*unrolls=*/false);
  bool isLoop = false;
  for (Loop *loop : analyses.getResult<LoopAnalysis>(copy).getLoopsInPreorder())
    if (any_of(callsOf(function, copy),
               [&](CallBase *call) { return loop->contains(call); })) {
      markForUnrolling(*loop);
      isLoop = true;
    }
  if (isLoop)
    run(copy, /*unrolls=*/true);
}

/// Lets all uses of \p argument know that it leads into \p space.
static void sayAddressSpace(Argument &argument, unsigned space) {
  if (argument.use_empty())
    return;
  BasicBlock &entry = argument.getParent()->getEntryBlock();
  IRBuilder<> builder(&*entry.getFirstInsertionPt());
  Value *specific = builder.CreateAddrSpaceCast(
      &argument, PointerType::get(argument.getContext(), space));
  Value *generic = builder.CreateAddrSpaceCast(specific, argument.getType());
  argument.replaceUsesWithIf(
      generic, [&](Use &use) { return use.getUser() != specific; });
}

Function *Unroller::makeCopy(const Key &key) {
  ValueToValueMapTy values;
  Function *copy = CloneFunction(&function, values);
  copy->setName(function.getName() + ".unrolled");
  copy->setLinkage(GlobalValue::InternalLinkage);
  copy->setVisibility(GlobalValue::DefaultVisibility);
  copy->setComdat(nullptr);
  copy->addFnAttr(kPlannedAttribute);
  copy->addFnAttr(kChangedAttribute);
  for (auto [argument, known] : zip_equal(copy->args(), key)) {
    if (known.value)
      argument.replaceAllUsesWith(known.value);
    if (known.space)
      sayAddressSpace(argument, known.space);
  }
  made.push_back(copy);
  return copy;
}

/// Lets the calls of the function in \p copy enter further copies, and adds
/// theirs to \p size. Returns whether all do.
bool Unroller::finish(Function &copy, uint64_t &size) {
  if (calleesUseStack || usesStack(copy)) {
    fail("its variables would need more of the stack");
    return false;
  }
  for (BasicBlock &block : copy)
    size += block.sizeWithoutDebug();
  for (CallBase *call : callsOf(function, copy)) {
    const Copy *callee = copyFor(keyOf(*call));
    if (!callee)
      return false;
    call->setCalledFunction(callee->body);
    size += callee->size;
    if (size > kMaxInstructions) {
      fail("it would become too large");
      return false;
    }
  }
  return true;
}

const Unroller::Copy *Unroller::copyFor(const Key &key) {
  if (!isKnown(key)) {
    fail("its depth is not known");
    return nullptr;
  }
  auto [place, isNew] = copies.try_emplace(textOf(key));
  Copy &result = place->second; // stays where it is
  if (!isNew && !result.body)
    fail("it does not end");
  if (!isNew)
    return result.body ? &result : nullptr;
  if (made.size() == kMaxCopies) {
    fail("it is too deep");
    return nullptr;
  }
  Function *copy = makeCopy(key);
  simplify(*copy);
  uint64_t size = 0;
  if (!finish(*copy, size))
    return nullptr;
  result = {copy, size};
  return &result;
}

/// Makes the copies for \p keys. Returns false, with nothing changed, if one
/// cannot be made, or if all are too large together with \p size instructions.
bool Unroller::tryKeys(ArrayRef<Key> keys, uint64_t size) {
  made.clear();
  bool isDone = all_of(keys, [&](const Key &key) {
    const Copy *copy = copyFor(key);
    size += copy ? copy->size : 0;
    return copy != nullptr;
  });
  if (isDone && size <= kMaxInstructions)
    return true;
  if (isDone)
    fail("it would become too large");
  for (Function *copy : made) {
    analyses.clear(*copy, copy->getName());
    copy->dropAllReferences();
  }
  for (Function *copy : made)
    copy->eraseFromParent();
  copies.clear(); // some have gone
  return false;
}

RecursionAttempt Unroller::tryCall(CallBase &call) {
  RecursionAttempt attempt{call.getFunction(), function.getName().str(),
                           call.getDebugLoc()};
  Key all = keyOf(call);
  SmallVector<Key> keys{all};
  if (count_if(all, isConstant) > 1)
    for (auto [i, known] : enumerate(all))
      if (known.value) {
        Key one = all;
        for (Known &other : one)
          other.value = nullptr;
        one[i].value = known.value;
        keys.push_back(one);
      }
  for (const Key &key : keys) {
    if (!tryKeys(key))
      continue;
    const Copy copy = copies.lookup(textOf(key));
    attempt.isUnrolled = true;
    attempt.instructions = copy.size;
    call.setCalledFunction(copy.body);
    break;
  }
  if (!attempt.isUnrolled)
    attempt.reason = reason;
  return attempt;
}

RecursionAttempt Unroller::tryLoop(CallBase &call, ArrayRef<Key> keys) {
  Function &caller = *call.getFunction();
  RecursionAttempt attempt{&caller, function.getName().str(),
                           call.getDebugLoc()};
  Loop &loop =
      *analyses.getResult<LoopAnalysis>(caller).getLoopFor(call.getParent());
  for (BasicBlock *block : loop.blocks())
    attempt.instructions += block->sizeWithoutDebug() * keys.size();
  if (!tryKeys(keys, attempt.instructions)) {
    attempt.reason = reason;
    return attempt;
  }
  auto loopCount = [&] {
    return analyses.getResult<LoopAnalysis>(caller).getLoopsInPreorder().size();
  };
  size_t before = loopCount();
  markForUnrolling(loop);
  run(caller, /*unrolls=*/true);
  if (loopCount() >= before) {
    attempt.reason = "the loop around it stays"; // nobody enters the copies
    return attempt;
  }
  attempt.isUnrolled = true; // the calls have attempts of their own
  return attempt;
}

/// Returns the constants that \p call passes in each round of the loop that it
/// is in; empty if rounds or constants are not known.
static SmallVector<Key> keysIn(CallBase &call,
                               FunctionAnalysisManager &analyses) {
  Function &caller = *call.getFunction();
  Loop *loop =
      analyses.getResult<LoopAnalysis>(caller).getLoopFor(call.getParent());
  if (!loop)
    return {};
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(caller);
  unsigned rounds = evolution.getSmallConstantTripCount(loop);
  if (rounds > kMaxCopies)
    return {};
  SmallVector<Key> keys;
  for (unsigned round = 0; round < rounds; ++round) {
    Key &key = keys.emplace_back();
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      Value *argument = call.getArgOperand(i);
      auto *constant = dyn_cast<ConstantInt>(argument);
      if (!constant && argument->getType()->isIntegerTy())
        if (auto *steps = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(argument));
            steps && steps->getLoop() == loop)
          if (auto *value = dyn_cast<SCEVConstant>(steps->evaluateAtIteration(
                  evolution.getConstant(argument->getType(), round),
                  evolution)))
            constant = value->getValue();
      key.push_back({constant, spaceOf(call, i)});
    }
    if (!isKnown(key))
      return {};
  }
  return keys;
}

/// Returns whether \p function calls itself and may be copied.
static bool isCandidate(Function &function) {
  if (function.isDeclaration() || function.isInterposable() ||
      function.isVarArg() || function.hasOptNone() || function.hasOptSize() ||
      callsOf(function, function).empty() || hasOtherCycle(function))
    return false;
  return none_of(instructions(function), [](Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    return call && call->cannotDuplicate();
  });
}

/// Adds \p attempt to \p attempts. What a body has become may call the function
/// many times: that is told as one.
static void addAttempt(const RecursionAttempt &attempt,
                       std::vector<RecursionAttempt> &attempts) {
  auto same = find_if(attempts, [&](const RecursionAttempt &other) {
    return other.caller == attempt.caller && other.callee == attempt.callee &&
           other.isUnrolled == attempt.isUnrolled &&
           other.reason == attempt.reason;
  });
  if (same == attempts.end())
    attempts.push_back(attempt);
  else
    same->instructions += attempt.instructions;
}

namespace {
struct UnrollRecursionsPass : PassInfoMixin<UnrollRecursionsPass> {
  UnrollRecursionsPass(OptimizationLevel level,
                       std::vector<RecursionAttempt> &attempts)
      : level(level), attempts(attempts) {}
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses) {
    auto &functions =
        analyses.getResult<FunctionAnalysisManagerModuleProxy>(module)
            .getManager();
    SmallVector<Function *> bodies;
    for (Function &function : module)
      if (!function.isDeclaration())
        bodies.push_back(&function);
    for (Function *recursive : bodies)
      if (isCandidate(*recursive))
        unroll(*recursive, bodies, functions);
    return attempts.empty() ? PreservedAnalyses::all()
                            : PreservedAnalyses::none();
  }

private:
  using Note = function_ref<bool(const RecursionAttempt &)>;

  void unroll(Function &recursive, ArrayRef<Function *> bodies,
              FunctionAnalysisManager &functions) {
    Unroller unroller(recursive, functions, level);
    auto note = [&](const RecursionAttempt &attempt) {
      addAttempt(attempt, attempts);
      if (attempt.isUnrolled)
        attempt.caller->addFnAttr(kPlannedAttribute);
      return attempt.isUnrolled;
    };
    for (Function *body : bodies) {
      if (body == &recursive || body->hasOptNone() || body->hasOptSize())
        continue;
      // Where constants have come in, more will be.
      if (body->hasFnAttribute(kPlannedAttribute) &&
          !callsOf(recursive, *body).empty())
        unroller.run(*body, /*unrolls=*/false);
      unrollLoops(unroller, recursive, *body, functions, note);
      for (CallBase *call : callsOf(recursive, *body))
        if (isKnown(keyOf(*call)))
          note(unroller.tryCall(*call));
    }
  }
  /// Unrolls the loops of \p body that call \p recursive where that pays.
  void unrollLoops(Unroller &unroller, Function &recursive, Function &body,
                   FunctionAnalysisManager &functions, Note note) {
    bool isChanged = true;
    while (std::exchange(isChanged, false))
      for (CallBase *call : callsOf(recursive, body)) {
        SmallVector<Key> keys;
        if (!isKnown(keyOf(*call)))
          keys = keysIn(*call, functions);
        // After that there are other calls.
        if (!keys.empty() && note(unroller.tryLoop(*call, keys))) {
          isChanged = true;
          break;
        }
      }
  }

  OptimizationLevel level;
  std::vector<RecursionAttempt> &attempts;
};
} // namespace

std::vector<RecursionAttempt>
unrollRecursions(Module &module, TargetMachine &machine, unsigned optLevel) {
  TimeTraceScope trace("Unroll recursions");
  std::vector<RecursionAttempt> attempts;
  if (optLevel < 2 ||
      none_of(module, [](Function &function) { return isCandidate(function); }))
    return attempts;
  OptimizationLevel level = toLlvmLevel(optLevel, /*sizeLevel=*/0);
  runPasses(module, machine, level, [&](PassBuilder &) {
    ModulePassManager passes;
    passes.addPass(UnrollRecursionsPass(level, attempts));
    return passes;
  });
  return attempts;
}

} // namespace gpulto
