//===- GuardAccessesAnalyze.cpp - Facts that would join accesses (LGEN) ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: find where 4 accesses of 4 bytes could be one of 16.
//
//   for (k = 0; k < n; ++k) sum += a[row * n + k] * x[k];
//       a, x aligned to 16, n a multiple of 4: two loads of 16 bytes in a round
//       of 4, and no rounds left over
//   r = in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3];
//       in aligned to 16: one load
//
// 1. findRuns: accesses of a block at neighboring constant distances.
// 2. visitLoop: accesses of an innermost loop that step by their own size, or
//    by a parameter that may be 1; the trip count should be a multiple of 4, by
//    which LTRANS then unrolls (lto/device/DeviceLoops.cpp).
// 3. makeMultiple: finds which integers must be multiples of 4 for an offset to
//    be a multiple of 16.
// 4. isHarmlessTo: instructions between the accesses must not touch their
//    memory. Other pointers may, unless WPA proves that they are apart, or the
//    host can test it (ipa/guards/GuardExtentsAnalyze.cpp).
//
// Linear in accesses, except for those of one block and pointer (at most
// kMaxRunAccesses are considered).
//
//===----------------------------------------------------------------------===//

#include "ipa/guards/GuardChances.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace gpulto {

namespace {

/// A thread's widest access.
constexpr uint64_t kVectorBytes = 16;
constexpr unsigned kVectorLog2 = 4;
/// What integers are to be multiples of: rounds of a loop that become one.
constexpr unsigned kRounds = 4;
constexpr unsigned kRoundsLog2 = 2;
/// Instructions of kRounds rounds up to which a loop is unrolled.
constexpr unsigned kMaxUnrolled = 256;
constexpr size_t kMaxRunAccesses = 256;
/// An access less: several cycles of the unit that all warps share.
constexpr uint64_t kAccessGain = 4;

/// A load or store of 4 or 8 bytes behind an argument of the kernel.
struct Access {
  Instruction *instruction = nullptr;
  GuardFact base;
  bool isStore = false;
  uint64_t bytes = 0;
  Align align;
  const SCEV *offset = nullptr;
};

class AccessFinder {
public:
  AccessFinder(LgenContext &context, Function &kernel,
               EntryFrequencies &frequencies, GuardChances &chances)
      : kernel(kernel), layout(context.module.getDataLayout()),
        loops(context.analyses.getResult<LoopAnalysis>(kernel)),
        evolution(context.analyses.getResult<ScalarEvolutionAnalysis>(kernel)),
        dominators(context.analyses.getResult<DominatorTreeAnalysis>(kernel)),
        frequencies(frequencies), chances(chances) {}

  void run() {
    for (BasicBlock &block : kernel)
      visitBlock(block);
    for (Loop *loop : loops.getLoopsInPreorder())
      if (loop->isInnermost())
        visitLoop(*loop);
  }

private:
  std::optional<Access> accessOf(Instruction &instruction);
  bool makeMultiple(const SCEV &value, unsigned log2, GuardFacts &facts);
  bool makeProductMultiple(const SCEVMulExpr &product, unsigned log2,
                           GuardFacts &facts);
  bool makeAligned(const Access &access, const SCEV &offset, unsigned log2,
                   GuardFacts &facts);
  bool isHarmless(const Instruction &other, const Access &access,
                  GuardFacts &facts) const {
    return isHarmlessTo(
        {access.instruction, pointerOf(access.base), access.isStore}, other,
        layout, facts);
  }
  void visitBlock(BasicBlock &block);
  std::pair<const SCEV *, int64_t> splitConstant(const SCEV &offset);
  void findRuns(ArrayRef<Access> accesses);
  void addRun(ArrayRef<const Access *> run);
  void visitLoop(Loop &loop);
  void visitLoopAccess(Loop &loop, const Access &access, GuardFacts facts);

  Function &kernel;
  const DataLayout &layout;
  LoopInfo &loops;
  ScalarEvolution &evolution;
  DominatorTree &dominators;
  EntryFrequencies &frequencies;
  GuardChances &chances;
};

std::optional<Access> AccessFinder::accessOf(Instruction &instruction) {
  const Value *pointer = getLoadStorePointerOperand(&instruction);
  if (!pointer)
    return std::nullopt;
  auto *load = dyn_cast<LoadInst>(&instruction);
  bool isSimple =
      load ? load->isSimple() : cast<StoreInst>(instruction).isSimple();
  Type *type = getLoadStoreType(&instruction);
  uint64_t bytes = layout.getTypeStoreSize(type).getKnownMinValue();
  if (!isSimple || type->isVectorTy() || (bytes != 4 && bytes != 8))
    return std::nullopt;
  const SCEV *address = evolution.getSCEV(const_cast<Value *>(pointer));
  auto *base = dyn_cast<SCEVUnknown>(evolution.getPointerBase(address));
  if (!base)
    return std::nullopt;
  std::optional<GuardFact> source =
      guardSource(*base->getValue()->stripPointerCasts(), layout);
  if (!source)
    return std::nullopt;
  return Access{&instruction,
                *source,
                !load,
                bytes,
                getLoadStoreAlignment(&instruction),
                evolution.removePointerBase(address)};
}

//===----------------------------------------------------------------------===//
// Multiples
//===----------------------------------------------------------------------===//

/// Makes a factor of \p product such a multiple that the product is one.
bool AccessFinder::makeProductMultiple(const SCEVMulExpr &product,
                                       unsigned log2, GuardFacts &facts) {
  unsigned known = 0;
  for (const SCEV *factor : product.operands())
    known += evolution.getMinTrailingZeros(factor);
  for (const SCEV *factor : product.operands()) {
    unsigned rest = known - evolution.getMinTrailingZeros(factor);
    GuardFacts tried = facts;
    if (rest < log2 && makeMultiple(*factor, log2 - rest, tried)) {
      facts = tried;
      return true;
    }
  }
  return false;
}

/// Adds to \p facts what makes \p value a multiple of 2^\p log2, if anything
/// does.
bool AccessFinder::makeMultiple(const SCEV &value, unsigned log2,
                                GuardFacts &facts) {
  if (evolution.getMinTrailingZeros(&value) >= log2)
    return true;
  switch (value.getSCEVType()) {
  case scAddExpr:
  case scAddRecExpr:
  case scUMaxExpr:
  case scSMaxExpr:
  case scUMinExpr:
  case scSMinExpr:
    return all_of(value.operands(), [&](const SCEV *operand) {
      return makeMultiple(*operand, log2, facts);
    });
  case scMulExpr:
    return makeProductMultiple(cast<SCEVMulExpr>(value), log2, facts);
  case scTruncate:
  case scZeroExtend:
  case scSignExtend:
    return makeMultiple(*cast<SCEVCastExpr>(value).getOperand(), log2, facts);
  case scUnknown: {
    const Value &unknown = *cast<SCEVUnknown>(value).getValue();
    std::optional<GuardFact> source = guardSource(unknown, layout);
    bool isWide = source && source->bitWidth >= 32 && source->bitWidth <= 64;
    if (!isWide || log2 > kRoundsLog2)
      return false;
    source->kind = GuardKind::Multiple;
    source->alignLog2 = kRoundsLog2;
    facts.push_back(*source);
    return true;
  }
  default:
    return false;
  }
}

/// Adds to \p facts what aligns the byte \p offset behind the pointer of
/// \p access to 2^\p log2.
bool AccessFinder::makeAligned(const Access &access, const SCEV &offset,
                               unsigned log2, GuardFacts &facts) {
  if (!makeMultiple(offset, log2, facts))
    return false;
  const Argument *argument = kernel.getArg(access.base.parameter);
  if (!access.base.isPart &&
      argument->getParamAlign().valueOrOne() >= Align(uint64_t(1) << log2))
    return true;
  GuardFact aligned = access.base;
  aligned.kind = GuardKind::Multiple;
  aligned.alignLog2 = kVectorLog2;
  facts.push_back(aligned);
  return true;
}

//===----------------------------------------------------------------------===//
// Runs in a block
//===----------------------------------------------------------------------===//

void AccessFinder::visitBlock(BasicBlock &block) {
  using Key = std::tuple<GuardFact, bool, uint64_t>;
  std::map<Key, std::vector<Access>> groups;
  for (Instruction &instruction : block)
    if (std::optional<Access> access = accessOf(instruction))
      groups[{access->base, access->isStore, access->bytes}].push_back(*access);
  for (auto &[key, accesses] : groups)
    if (accesses.size() > 1 && accesses.size() <= kMaxRunAccesses)
      findRuns(accesses);
}

/// Returns \p offset as the sum of something and a constant. Offsets that
/// differ by a constant have the same something. (To subtract each from each
/// would build an expression for each two of them.)
std::pair<const SCEV *, int64_t>
AccessFinder::splitConstant(const SCEV &offset) {
  if (auto *constant = dyn_cast<SCEVConstant>(&offset))
    return {evolution.getZero(offset.getType()),
            constant->getAPInt().getSExtValue()};
  if (auto *sum = dyn_cast<SCEVAddExpr>(&offset)) {
    auto *constant = dyn_cast<SCEVConstant>(sum->getOperand(0));
    if (!constant)
      return {&offset, 0};
    SmallVector<const SCEV *, 4> others(drop_begin(sum->operands()));
    return {evolution.getAddExpr(others), constant->getAPInt().getSExtValue()};
  }
  if (auto *recurrence = dyn_cast<SCEVAddRecExpr>(&offset)) {
    auto [start, distance] = splitConstant(*recurrence->getStart());
    SmallVector<const SCEV *, 2> operands(recurrence->operands());
    operands[0] = start;
    return {evolution.getAddRecExpr(operands, recurrence->getLoop(),
                                    SCEV::FlagAnyWrap),
            distance};
  }
  return {&offset, 0};
}

/// Finds accesses next to each other among \p accesses, which are of one
/// pointer, size and kind.
void AccessFinder::findRuns(ArrayRef<Access> accesses) {
  // Accesses at constant distances, by the distance to what they share.
  MapVector<const SCEV *, std::map<int64_t, const Access *>> groups;
  for (const Access &access : accesses) {
    auto [shared, distance] = splitConstant(*access.offset);
    groups[shared].try_emplace(distance, &access);
  }
  for (const auto &[shared, group] : groups) {
    SmallVector<const Access *, 8> run;
    int64_t next = 0;
    for (auto [distance, access] : group) {
      if (!run.empty() && distance != next) {
        addRun(run);
        run.clear();
      }
      run.push_back(access);
      next = distance + static_cast<int64_t>(access->bytes);
    }
    addRun(run);
  }
}

/// Adds what joins \p run, neighbors in ascending order, to vectors.
void AccessFinder::addRun(ArrayRef<const Access *> run) {
  if (run.size() < 2)
    return;
  const Access &first = *run.front();
  size_t perVector = kVectorBytes / first.bytes;
  if (run.size() < perVector)
    perVector = 2;
  uint64_t bytes = perVector * first.bytes;
  unsigned log2 = Log2_64(bytes);
  if (first.align >= Align(bytes))
    return; // code generation joins them as it is
  GuardFacts facts;
  if (!makeAligned(first, *first.offset, log2, facts))
    return;
  const Instruction *begin = first.instruction, *end = begin;
  for (const Access *access : run) {
    if (access->instruction->comesBefore(begin))
      begin = access->instruction;
    if (end->comesBefore(access->instruction))
      end = access->instruction;
  }
  auto isOfRun = [&](const Instruction *other) {
    return any_of(run, [&](const Access *access) {
      return access->instruction == other;
    });
  };
  for (const Instruction *other = begin; other != end;
       other = other->getNextNode())
    if (!isOfRun(other) && !isHarmless(*other, first, facts))
      return;
  size_t vectors = run.size() / perVector;
  chances.add(facts, vectors * (perVector - 1) * kAccessGain,
              frequencies.of(*begin->getParent()));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Whether \p loop can be unrolled, and is small enough.
bool mayUnroll(const Loop &loop) {
  unsigned size = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      if (isa<DbgInfoIntrinsic>(instruction))
        continue;
      auto *call = dyn_cast<CallBase>(&instruction);
      if (call && (call->isConvergent() || call->cannotDuplicate() ||
                   !isa<IntrinsicInst>(call)))
        return false;
      ++size;
    }
  return size * kRounds <= kMaxUnrolled &&
         hasUnrollTransformation(&loop) == TM_Unspecified;
}

void AccessFinder::visitLoop(Loop &loop) {
  const BasicBlock *latch = loop.getLoopLatch();
  const SCEV *taken = evolution.getBackedgeTakenCount(&loop);
  if (!latch || loop.getExitingBlock() != latch || !mayUnroll(loop) ||
      isa<SCEVCouldNotCompute>(taken))
    return;
  const SCEV *rounds =
      evolution.getTripCountFromExitCount(taken, taken->getType(), &loop);
  GuardFacts facts;
  if (!makeMultiple(*rounds, kRoundsLog2, facts))
    return;
  // Counting and branching: a round's share, and tests of what is left over.
  constexpr uint64_t kRoundGain = 1, kRestGain = 4;
  chances.add(facts, kRoundGain, frequencies.of(*loop.getHeader()));
  if (const BasicBlock *before = loop.getLoopPreheader())
    chances.add(facts, kRestGain, frequencies.of(*before));
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (std::optional<Access> access = accessOf(instruction);
          access && dominators.dominates(block, latch))
        visitLoopAccess(loop, *access, facts);
}

/// Adds what joins \p access, which \p loop makes in each round, with those of
/// the next rounds. \p facts are those of the loop.
void AccessFinder::visitLoopAccess(Loop &loop, const Access &access,
                                   GuardFacts facts) {
  auto *offset = dyn_cast<SCEVAddRecExpr>(access.offset);
  if (!offset || offset->getLoop() != &loop || !offset->isAffine())
    return;
  const SCEV *bytes = evolution.getConstant(offset->getType(), access.bytes);
  const SCEV *step = offset->getStepRecurrence(evolution);
  if (step != bytes) {
    // The size times a parameter?
    auto *product = dyn_cast<SCEVMulExpr>(step);
    if (!product || product->getNumOperands() != 2 ||
        product->getOperand(0) != bytes)
      return;
    const SCEV *factor = product->getOperand(1);
    while (auto *cast = dyn_cast<SCEVCastExpr>(factor))
      factor = cast->getOperand();
    auto *unknown = dyn_cast<SCEVUnknown>(factor);
    std::optional<GuardFact> source =
        unknown ? guardSource(*unknown->getValue(), layout) : std::nullopt;
    if (!source || source->bitWidth < 32)
      return;
    source->kind = GuardKind::One;
    facts.push_back(*source);
  }
  if (!makeAligned(access, *offset->getStart(), kVectorLog2, facts))
    return;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &other : *block)
      if (!isHarmless(other, access, facts))
        return;
  // Of kRounds accesses of 4 bytes one is left, of 8 bytes two.
  uint64_t left = kRounds * access.bytes / kVectorBytes;
  chances.add(facts, kAccessGain,
              frequencies.of(*access.instruction->getParent()) *
                  (kRounds - left) / kRounds);
}

} // namespace

void findVectorGuards(LgenContext &context, Function &kernel,
                      EntryFrequencies &frequencies, GuardChances &chances) {
  AccessFinder(context, kernel, frequencies, chances).run();
}

} // namespace gpulto
