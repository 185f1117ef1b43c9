//===- DeviceDistances.cpp - Values at constant distances -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: one sum for all addresses that differ by constants.
//
//   p[zext(n * 8 + i)]            q = &p[zext(n * 8 + i)]
//   p[zext((n + 1) * 8 + i)]  ->  q + 8 elements: an offset in the instruction
//
// LLVM's StraightLineStrengthReduce does so as well; for each candidate it
// looks at all that dominate it and have a part in common. That is quadratic:
// 7 % of the CPU time of linking ggml, two thirds of LLVM's for its largest
// kernel. Here it is a look into a table:
//
// 1. ScalarEvolution says what each value is, in a form that is equal for equal
//    values; sumOf takes the constant out of it.
// 2. On the way down the dominator tree the first value of each rest becomes
//    the root of the others (rootsOf). Roots that do not dominate what comes
//    now dominate nothing that follows, so each is taken off once.
// 3. visit writes the others as root plus constant, if that is shorter
//    (isShort).
//
// The value of ScalarEvolution holds where an instruction is not poison. A root
// may be poison where what it replaces is not, for its flags (`nuw`,
// `inbounds`) or for other operands. It is used if it is not poison, since it
// has been an address of an access (isAccessed), or if it can only be for
// flags, which are dropped, and for what makes the other poison, too
// (isOnlyAsPoisonous). Flags of a loop's counter are not dropped.
//
// LLVM's pass also finds distances that are no constants, the strides of
// unrolled loops. It still runs behind this, where it is cheap
// (DeviceReductions.cpp): without it, ggml's text grows by 0.5 %; where it is
// dear, it makes code larger.
//
// Measured for 25 files of ggml (sm_90, CUDA 13.0, time traces): 13.454 MB of
// text instead of 13.478, 4192 bytes of stack instead of 4344, in no kernel
// more; its largest kernels have 4 % less text. Both passes together take half
// of the time that LLVM's took alone.
//
// Source: J. Wu et al., "gpucc: An Open-Source GPGPU Compiler", CGO 2016
// (straight-line strength reduction).
//
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceDistances.h"

#include "lto/device/DeviceReductions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/InitializePasses.h"
#include "llvm/Pass.h"
#include "llvm/PassRegistry.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace gpulto {

/// Values that are looked at for where poison comes from. With 16, the limit of
/// LLVM's canReuseInstruction, a quarter of the candidates in ggml's largest
/// kernel are refused, with this 6 %.
static constexpr unsigned kMostSources = 64;

/// Uses of an address that are looked at for an access.
static constexpr unsigned kMostUses = 32;

//===----------------------------------------------------------------------===//
// Poison
//===----------------------------------------------------------------------===//

/// Adds to \p sources values, \p user among them, that make \p user poison if
/// they are.
static void addSources(const Instruction &user,
                       SmallPtrSetImpl<const Value *> &sources) {
  SmallVector<const Value *> work{&user};
  while (!work.empty() && sources.size() < kMostSources) {
    const Value *value = work.pop_back_val();
    if (!sources.insert(value).second)
      continue;
    if (auto *instruction = dyn_cast<Instruction>(value))
      for (const Use &operand : instruction->operands())
        if (propagatesPoison(operand))
          work.push_back(operand);
  }
}

/// Whether ScalarEvolution relies on the flags of \p instruction where it is
/// poison without them, too: it takes `or disjoint` for a sum, and sext(a -nsw
/// b) for sext(a) - sext(b).
static bool needsFlags(const Instruction &instruction) {
  if (auto *either = dyn_cast<PossiblyDisjointInst>(&instruction))
    return either->isDisjoint();
  return instruction.getOpcode() == Instruction::Sub &&
         instruction.hasNoSignedWrap();
}

/// Whether \p instruction is what a round leaves in a variable of a loop.
static bool isCounted(const Instruction &instruction,
                      const DominatorTree &dominators) {
  return any_of(instruction.users(), [&](const User *user) {
    auto *phi = dyn_cast<PHINode>(user);
    return phi &&
           dominators.dominates(phi->getParent(), instruction.getParent());
  });
}

/// Returns whether \p root, once the flags of \p flagged are dropped, is poison
/// only if \p user is, too. Counters keep theirs: LLVM's LoopStrengthReduce
/// needs them to see through extensions.
static bool isOnlyAsPoisonous(Instruction &root, const Instruction &user,
                              const DominatorTree &dominators,
                              SmallVectorImpl<Instruction *> &flagged) {
  SmallPtrSet<const Value *, 16> sources;
  addSources(user, sources);
  SmallPtrSet<const Value *, 16> seen;
  SmallVector<Value *> work{&root};
  while (!work.empty()) {
    Value *value = work.pop_back_val();
    if (!seen.insert(value).second || sources.contains(value) ||
        isGuaranteedNotToBePoison(value))
      continue;
    auto *instruction = dyn_cast<Instruction>(value);
    // A phi's operands may be of an earlier iteration.
    if (!instruction || isa<PHINode>(instruction) || seen.size() > kMostSources)
      return false;
    bool isFlagged = instruction->hasPoisonGeneratingAnnotations();
    if (needsFlags(*instruction) ||
        (isFlagged && isCounted(*instruction, dominators)) ||
        canCreatePoison(cast<Operator>(instruction),
                        /*ConsiderFlagsAndMetadata=*/false))
      return false;
    if (isFlagged)
      flagged.push_back(instruction);
    append_range(work, instruction->operands());
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Sharing
//===----------------------------------------------------------------------===//

/// Returns what \p value adds a constant to, or null if it is no such sum.
static const Value *baseOf(const Value &value) {
  if (auto *address = dyn_cast<GetElementPtrInst>(&value))
    return address->hasAllConstantIndices() ? address->getPointerOperand()
                                            : nullptr;
  auto *sum = dyn_cast<BinaryOperator>(&value);
  return sum && sum->getOpcode() == Instruction::Add &&
                 isa<ConstantInt>(sum->getOperand(1))
             ? sum->getOperand(0)
             : nullptr;
}

/// Whether \p instruction is as short as \p distance from \p root: the sum of a
/// constant and of \p root, or of what others need, too, and only \p root would
/// live longer.
static bool isShort(const Instruction &instruction, const Value &root,
                    const APInt &distance) {
  const Value *base = baseOf(instruction);
  return base && (base == &root || (!distance.isZero() && !base->hasOneUse() &&
                                    baseOf(*base) != &root));
}

namespace {

/// An expression: \c rest plus \c constant.
struct Sum {
  const SCEV *rest;
  APInt constant;
};

/// A value that others are computed from: what the expression of the key is,
/// plus \c constant.
struct Root {
  Instruction *value;
  APInt constant;
};

class Sharing {
public:
  Sharing(const DominatorTree &dominators, ScalarEvolution &evolution)
      : dominators(dominators), evolution(evolution) {}

  bool run();

private:
  Sum sumOf(const SCEV &expression);
  SmallVectorImpl<Root> &rootsOf(const SCEV &rest,
                                 const Instruction &instruction);
  bool isAccessed(const Value &value, const Instruction &user) const;
  bool mayUse(Instruction &root, const Instruction &user);
  bool visit(Instruction &instruction);

  const DominatorTree &dominators;
  ScalarEvolution &evolution;
  DenseMap<const SCEV *, SmallVector<Root, 1>> roots;
  /// Loads and stores of the block that is visited, as far as it has been: what
  /// is inserted would have it numbered anew each time that LLVM is asked which
  /// of two instructions comes first.
  SmallPtrSet<const Instruction *, 16> accesses;
};

} // namespace

Sum Sharing::sumOf(const SCEV &expression) {
  if (auto *add = dyn_cast<SCEVAddExpr>(&expression))
    if (auto *constant = dyn_cast<SCEVConstant>(add->getOperand(0))) {
      SmallVector<const SCEV *> rest(drop_begin(add->operands()));
      return {evolution.getAddExpr(rest), constant->getAPInt()};
    }
  if (auto *recurrence = dyn_cast<SCEVAddRecExpr>(&expression);
      recurrence && recurrence->isAffine()) {
    Sum start = sumOf(*recurrence->getStart());
    if (!start.constant.isZero())
      return {evolution.getAddRecExpr(start.rest,
                                      recurrence->getStepRecurrence(evolution),
                                      recurrence->getLoop(), SCEV::FlagAnyWrap),
              start.constant};
  }
  auto width =
      static_cast<unsigned>(evolution.getTypeSizeInBits(expression.getType()));
  return {&expression, APInt(width, 0)};
}

/// Returns the roots for \p rest that dominate \p instruction, the next one on
/// the way down the dominator tree.
SmallVectorImpl<Root> &Sharing::rootsOf(const SCEV &rest,
                                        const Instruction &instruction) {
  SmallVector<Root, 1> &known = roots[&rest];
  while (!known.empty() &&
         !dominators.dominates(known.back().value->getParent(),
                               instruction.getParent()))
    known.pop_back();
  return known;
}

/// Returns whether \p value is not poison where \p user is, which is visited
/// now: an access that was on every way there has its address from it.
bool Sharing::isAccessed(const Value &value, const Instruction &user) const {
  SmallVector<const Value *> work{&value};
  unsigned seen = 0;
  while (!work.empty()) {
    const Value *address = work.pop_back_val();
    for (const User *next : address->users()) {
      if (++seen > kMostUses)
        return false;
      const auto &use = *cast<Instruction>(next);
      if (getLoadStorePointerOperand(&use) == address) {
        if (accesses.contains(&use) ||
            dominators.properlyDominates(use.getParent(), user.getParent()))
          return true;
      } else if (isa<GetElementPtrInst, AddrSpaceCastInst>(use)) {
        work.push_back(&use);
      }
    }
  }
  return false;
}

bool Sharing::mayUse(Instruction &root, const Instruction &user) {
  if (isAccessed(root, user))
    return true;
  SmallVector<Instruction *> flagged;
  if (!isOnlyAsPoisonous(root, user, dominators, flagged))
    return false;
  for (Instruction *instruction : flagged)
    instruction->dropPoisonGeneratingAnnotations();
  return true;
}

/// Replaces \p instruction, if it can be computed from a root, or makes it one.
/// Returns whether it is replaced.
bool Sharing::visit(Instruction &instruction) {
  Type *type = instruction.getType();
  bool replaceable = mayBeReduced(instruction);
  if (!replaceable &&
      !(isa<PHINode>(instruction) && evolution.isSCEVable(type)))
    return false;
  Sum sum = sumOf(*evolution.getSCEV(&instruction));
  // Of these values, each sum adds a constant to the value itself.
  if (isa<SCEVConstant, SCEVUnknown, SCEVCouldNotCompute>(sum.rest))
    return false;
  SmallVectorImpl<Root> &known = rootsOf(*sum.rest, instruction);
  if (known.empty()) {
    known.push_back({&instruction, sum.constant});
    return false;
  }
  Root &root = known.back();
  APInt distance = sum.constant - root.constant;
  if (!replaceable || root.value->getType() != type ||
      isShort(instruction, *root.value, distance))
    return false;
  if (!mayUse(*root.value, instruction)) {
    known.push_back({&instruction, sum.constant});
    return false;
  }
  IRBuilder<> builder(&instruction);
  Value *shared = root.value;
  if (!distance.isZero()) {
    Constant *constant = builder.getInt(distance);
    shared = type->isPointerTy() ? builder.CreatePtrAdd(shared, constant)
                                 : builder.CreateAdd(shared, constant);
    shared->takeName(&instruction);
  }
  instruction.replaceAllUsesWith(shared);
  return true;
}

bool Sharing::run() {
  SmallVector<WeakTrackingVH> replaced;
  for (const DomTreeNode *node : depth_first(dominators.getRootNode())) {
    accesses.clear();
    for (Instruction &instruction : *node->getBlock()) {
      if (visit(instruction))
        replaced.emplace_back(&instruction);
      if (getLoadStorePointerOperand(&instruction))
        accesses.insert(&instruction);
    }
  }
  bool changed = !replaced.empty();
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
  return changed;
}

bool shareByDistance(const DominatorTree &dominators,
                     ScalarEvolution &evolution) {
  return Sharing(dominators, evolution).run();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

class SharingPass : public FunctionPass {
public:
  static char ID;
  SharingPass() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "gpulto distances"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<DominatorTreeWrapperPass>();
    usage.addRequired<ScalarEvolutionWrapperPass>();
    usage.addPreserved<ScalarEvolutionWrapperPass>();
    usage.setPreservesCFG();
  }
  bool runOnFunction(Function &) override {
    return shareByDistance(getAnalysis<DominatorTreeWrapperPass>().getDomTree(),
                           getAnalysis<ScalarEvolutionWrapperPass>().getSE());
  }
};

char SharingPass::ID = 0;

} // namespace

// The last pass before LLVM's, so that both share one ScalarEvolution.
void insertSharing(TargetPassConfig &config) {
  PassRegistry &registry = *PassRegistry::getPassRegistry();
  initializeSpeculativeExecutionLegacyPassPass(registry);
  const PassInfo *before =
      registry.getPassInfo(StringRef("speculative-execution"));
  config.insertPass(before->getTypeInfo(), new SharingPass());
}

} // namespace gpulto
