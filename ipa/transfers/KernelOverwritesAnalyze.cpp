//===- KernelOverwritesAnalyze.cpp - What kernels surely write (LGEN) -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: what a kernel writes whatever it reads, so that what was there before
// is known to be dead.
//
//   i = blockIdx.x * blockDim.x + threadIdx.x;
//   if (i < n) out[i] = ...;          out: the first n elements, if there are
//                                     that many threads
//   for (; i < n; i += gridDim.x * blockDim.x) out[i] = ...;
//                                     out: the first n elements
//
//  1. elementOf     stores whose address is a pointer parameter plus the index
//                   of the thread times the size of what is stored.
//  2. findGuard     the store runs in every thread, or in each whose index is
//                   below a parameter or a constant: it post-dominates the
//                   entry, or the one branch that asks this.
//  3. Kernels with calls or assembly that may not come back have none.
//
// Whether there are enough threads is for WPA to prove
// (ipa/transfers/TransferSizesPropagate.cpp).
//
// Linear in instructions; post-dominators where there is such a store.
//
// Source: must-definitions, as in array data-flow analysis (P. Feautrier,
// "Dataflow Analysis of Array and Scalar References", IJPP 1991), for the
// simplest index.
//
//===----------------------------------------------------------------------===//

#include "ipa/runtime/GeometryLimits.h"
#include "ipa/runtime/GeometryReads.h"
#include "ipa/transfers/KernelOverwrites.h"
#include "summary/Launches.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace gpulto {

namespace {

/// The index of a thread in x, or of its first round in a loop over the grid.
struct ThreadIndex {
  /// The index itself, before it is made wider.
  const Value *value = nullptr;
  /// Of a loop: what it is in the first round.
  const Value *first = nullptr;
  const Loop *loop = nullptr;
  /// Threads of a block, if the kernel does not ask the launch; else 0.
  uint32_t block = 0;
  bool isSignExtended = false;
};

/// A branch that leads on where an index is below \c count.
struct Guard {
  const Value *count = nullptr;
  bool isSigned = false;
};

class OverwriteCollector {
public:
  OverwriteCollector(LgenContext &context, Function &kernel)
      : kernel(kernel), layout(kernel.getParent()->getDataLayout()),
        loops(context.analyses.getResult<LoopAnalysis>(kernel)),
        dominators(context.analyses.getResult<DominatorTreeAnalysis>(kernel)) {}

  std::vector<KernelOverwrite> run();

private:
  std::optional<ThreadIndex> indexOf(const Value &value) const;
  std::optional<ThreadIndex> loopIndexOf(const PHINode &phi) const;
  void addStore(const StoreInst &store);
  bool findGuard(const StoreInst &store, const ThreadIndex &index,
                 std::optional<Guard> &guard);
  std::optional<Guard> guardOf(const BranchInst &branch, bool isTrue,
                               const Value &index) const;
  bool isWholeLoop(const StoreInst &store, const ThreadIndex &index,
                   const Guard &guard) const;
  bool postDominates(const BasicBlock &later, const BasicBlock &earlier);

  Function &kernel;
  const DataLayout &layout;
  const LoopInfo &loops;
  const DominatorTree &dominators;
  std::optional<PostDominatorTree> postDominators;
  std::vector<KernelOverwrite> found;
};

} // namespace

static const Value *withoutExtension(const Value *value) {
  return isa<SExtInst, ZExtInst>(value) ? cast<CastInst>(value)->getOperand(0)
                                        : value;
}

/// Whether \p value is the index, or the size, \p component of the launch.
static bool isGeometry(const Value &value, Geometry component, bool isIndex) {
  auto *call = dyn_cast<IntrinsicInst>(withoutExtension(&value));
  std::optional<GeometryRead> read =
      call ? geometryRead(call->getIntrinsicID()) : std::nullopt;
  return read && read->component == component && read->isIndex == isIndex;
}

/// Returns the threads of a block, 0 for what the launch says, if \p value is
/// the number of threads in the blocks before the thread's.
static std::optional<uint32_t> blockOfProduct(const Value &value) {
  using namespace PatternMatch;
  constexpr uint32_t kMaxBlock = kGeometryLimits[kBlockX];
  const Value *left, *right;
  const APInt *number;
  const Value *product = withoutExtension(&value);
  if (match(product, m_Shl(m_Value(left), m_APInt(number))) &&
      isGeometry(*left, kGridX, true) && number->ule(Log2_32(kMaxBlock)))
    return 1u << number->getZExtValue();
  if (!match(product, m_Mul(m_Value(left), m_Value(right))))
    return std::nullopt;
  if (!isGeometry(*left, kGridX, true))
    std::swap(left, right);
  if (!isGeometry(*left, kGridX, true))
    return std::nullopt;
  if (isGeometry(*right, kBlockX, false))
    return 0;
  if (match(right, m_APInt(number)) && number->ule(kMaxBlock) &&
      !number->isZero())
    return static_cast<uint32_t>(number->getZExtValue());
  return std::nullopt;
}

/// Whether \p value is the number of threads of the grid in x.
static bool isGridSize(const Value &value) {
  using namespace PatternMatch;
  const Value *left, *right;
  if (!match(withoutExtension(&value), m_Mul(m_Value(left), m_Value(right))))
    return false;
  if (!isGeometry(*left, kGridX, false))
    std::swap(left, right);
  return isGeometry(*left, kGridX, false) && isGeometry(*right, kBlockX, false);
}

std::optional<ThreadIndex>
OverwriteCollector::indexOf(const Value &value) const {
  using namespace PatternMatch;
  ThreadIndex index;
  index.value = withoutExtension(&value);
  if (auto *phi = dyn_cast<PHINode>(index.value)) {
    std::optional<ThreadIndex> inLoop = loopIndexOf(*phi);
    if (inLoop)
      inLoop->isSignExtended = isa<SExtInst>(value);
    return inLoop;
  }
  const Value *left, *right;
  if (!match(index.value, m_AddLike(m_Value(left), m_Value(right))))
    return std::nullopt;
  if (!isGeometry(*right, kBlockX, true))
    std::swap(left, right);
  std::optional<uint32_t> block = blockOfProduct(*left);
  if (!isGeometry(*right, kBlockX, true) || !block)
    return std::nullopt;
  index.block = *block;
  index.isSignExtended = isa<SExtInst>(value);
  return index;
}

/// Returns the index if \p phi goes from a thread's to those that are whole
/// grids away.
std::optional<ThreadIndex>
OverwriteCollector::loopIndexOf(const PHINode &phi) const {
  using namespace PatternMatch;
  const Loop *loop = loops.getLoopFor(phi.getParent());
  if (!loop || loop->getHeader() != phi.getParent() ||
      !loop->getLoopPreheader() || !loop->getLoopLatch())
    return std::nullopt;
  const Value *next = phi.getIncomingValueForBlock(loop->getLoopLatch());
  const Value *step;
  if (!match(next, m_c_Add(m_Specific(&phi), m_Value(step))) ||
      !isGridSize(*step))
    return std::nullopt;
  const Value *first = phi.getIncomingValueForBlock(loop->getLoopPreheader());
  std::optional<ThreadIndex> index = indexOf(*first);
  // Blocks of another size than the launch's would leave gaps.
  if (!index || index->loop || index->block)
    return std::nullopt;
  index->value = &phi;
  index->first = withoutExtension(first);
  index->loop = loop;
  return index;
}

bool OverwriteCollector::postDominates(const BasicBlock &later,
                                       const BasicBlock &earlier) {
  if (!postDominators)
    postDominators.emplace(kernel);
  return postDominators->dominates(&later, &earlier);
}

/// Returns what \p branch asks of \p index where it leads on, if its condition
/// \p isTrue.
std::optional<Guard> OverwriteCollector::guardOf(const BranchInst &branch,
                                                 bool isTrue,
                                                 const Value &index) const {
  auto *test = dyn_cast<ICmpInst>(branch.getCondition());
  if (!test)
    return std::nullopt;
  CmpInst::Predicate predicate = test->getPredicate();
  const Value *left = test->getOperand(0), *right = test->getOperand(1);
  if (withoutExtension(left) != &index) {
    std::swap(left, right);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  if (!isTrue)
    predicate = CmpInst::getInversePredicate(predicate);
  if (withoutExtension(left) != &index ||
      (predicate != CmpInst::ICMP_SLT && predicate != CmpInst::ICMP_ULT))
    return std::nullopt;
  Guard guard;
  guard.isSigned = predicate == CmpInst::ICMP_SLT;
  guard.count = withoutExtension(right);
  // What is compared is the parameter itself, as a number of the same sign.
  bool isSame = guard.count == right ||
                (guard.isSigned ? isa<SExtInst>(right) : isa<ZExtInst>(right));
  bool isIndexSame = left == &index || isa<ZExtInst>(left) || guard.isSigned;
  auto *number = dyn_cast<ConstantInt>(guard.count);
  bool isCount = number ? !number->isNegative() : isa<Argument>(guard.count);
  if (!isSame || !isIndexSame || !isCount)
    return std::nullopt;
  return guard;
}

/// Whether \p store runs in each round of the loop of \p index, which ends
/// where \p guard no longer holds.
bool OverwriteCollector::isWholeLoop(const StoreInst &store,
                                     const ThreadIndex &index,
                                     const Guard &guard) const {
  const BasicBlock *latch = index.loop->getLoopLatch();
  auto *branch = dyn_cast<BranchInst>(latch->getTerminator());
  if (index.loop->getExitingBlock() != latch || !branch ||
      !branch->isConditional() ||
      loops.getLoopFor(store.getParent()) != index.loop ||
      !dominators.dominates(store.getParent(), latch))
    return false;
  const Value &next =
      *cast<PHINode>(index.value)->getIncomingValueForBlock(latch);
  bool isTrue = index.loop->contains(branch->getSuccessor(0));
  std::optional<Guard> again = guardOf(*branch, isTrue, next);
  return again && again->count == guard.count &&
         again->isSigned == guard.isSigned;
}

/// Whether \p store runs in each thread of which \p guard holds; without one,
/// in each.
bool OverwriteCollector::findGuard(const StoreInst &store,
                                   const ThreadIndex &index,
                                   std::optional<Guard> &guard) {
  const BasicBlock &block = *store.getParent();
  const BasicBlock &entry = kernel.getEntryBlock();
  if (!index.loop && postDominates(block, entry))
    return true;
  const Value &asked = index.loop ? *index.first : *index.value;
  for (const BasicBlock &before : kernel) {
    auto *branch = dyn_cast<BranchInst>(before.getTerminator());
    if (!branch || !branch->isConditional() || !postDominates(before, entry))
      continue;
    for (unsigned way : {0u, 1u}) {
      const BasicBlock &next = *branch->getSuccessor(way);
      if (next.getSinglePredecessor() != &before || !postDominates(block, next))
        continue;
      guard = guardOf(*branch, way == 0, asked);
      return guard && (!index.loop || isWholeLoop(store, index, *guard));
    }
  }
  return false;
}

void OverwriteCollector::addStore(const StoreInst &store) {
  auto *place = dyn_cast<GEPOperator>(store.getPointerOperand());
  TypeSize bytes = layout.getTypeStoreSize(store.getValueOperand()->getType());
  if (!place || !store.isSimple() || bytes.isScalable())
    return;
  auto *pointer =
      dyn_cast<Argument>(place->getPointerOperand()->stripPointerCasts());
  SmallMapVector<Value *, APInt, 4> parts;
  unsigned width = layout.getIndexTypeSizeInBits(place->getType());
  APInt constant(width, 0);
  if (!pointer || pointer->hasByValAttr() ||
      !place->collectOffset(layout, width, parts, constant) ||
      parts.size() != 1 || !constant.isZero() ||
      parts.front().second != bytes.getFixedValue())
    return;
  std::optional<ThreadIndex> index = indexOf(*parts.front().first);
  std::optional<Guard> guard;
  if (!index || !findGuard(store, *index, guard))
    return;
  // Beyond 2^31 a signed index is another element.
  if (index->isSignExtended && guard && !guard->isSigned)
    return;
  KernelOverwrite result;
  result.parameter = pointer->getArgNo();
  result.elementBytes = static_cast<uint32_t>(bytes.getFixedValue());
  result.block = index->block;
  result.isAnyGrid = index->loop != nullptr;
  result.indexBits =
      static_cast<uint16_t>(index->value->getType()->getIntegerBitWidth());
  if (guard) {
    result.isSigned = guard->isSigned;
    if (auto *formal = dyn_cast<Argument>(guard->count))
      result.count = formal->getArgNo();
    else
      result.number = cast<ConstantInt>(guard->count)->getZExtValue();
    result.isGuarded = true;
  }
  if (!is_contained(found, result))
    found.push_back(result);
}

/// Whether what comes behind \p instruction may never run.
static bool mayEnd(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  if (!call)
    return false;
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(call))
    return intrinsic->getIntrinsicID() == Intrinsic::nvvm_exit;
  return call->isInlineAsm() || !call->doesNotThrow() ||
         !call->hasFnAttr(Attribute::WillReturn);
}

std::vector<KernelOverwrite> OverwriteCollector::run() {
  if (any_of(instructions(kernel), mayEnd))
    return {};
  for (const Instruction &instruction : instructions(kernel))
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      addStore(*store);
  return std::move(found);
}

void addKernelOverwrites(LgenContext &context, Function &kernel,
                         FunctionSummary &result) {
  std::vector<KernelOverwrite> found =
      OverwriteCollector(context, kernel).run();
  if (found.empty())
    return;
  std::vector<KernelOverwrite> &all = context.summary.overwrites;
  result.overwrites = {static_cast<uint32_t>(all.size()),
                       static_cast<uint32_t>(found.size())};
  append_range(all, found);
}

} // namespace gpulto
