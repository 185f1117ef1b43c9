//===- LaneValues.h - What the lanes of a warp compute ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_ACCESS_LANEVALUES_H
#define GPULTO_IPA_ACCESS_LANEVALUES_H

#include "ipa/access/LaneArithmetic.h"
#include "summary/Facts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <memory>
#include <vector>

namespace llvm {
class AssumptionCache;
class BasicBlock;
class BranchInst;
class CallBase;
class DominatorTree;
class Function;
class GEPOperator;
class LoopInfo;
class Operator;
class PHINode;
class PostDominatorTree;
class SCEV;
class ScalarEvolution;
class Value;
template <typename> class GenericSSAContext;
template <typename> class GenericUniformityInfo;
using SSAContext = GenericSSAContext<Function>;
using UniformityInfo = GenericUniformityInfo<SSAContext>;
} // namespace llvm

namespace gpulto {

/// Warps of a block whose threads have the same indices, apart from a number
/// that is added in all lanes.
struct WarpClass {
  struct Axis {
    /// Index of each lane, less that of lane 0.
    Lanes offsets{};
    /// Indices of lane 0, one for each warp.
    std::vector<int64_t> origins;
  };
  std::array<Axis, 3> axes;
  /// Threads of a warp; below 32 in the last warp of some blocks.
  unsigned lanes = kWarpLanes;
  unsigned warps() const { return axes[0].origins.size(); }
};

/// Returns the classes of the warps of \p block, or each warp as a class of its
/// own. By the first warp of each.
std::vector<WarpClass> warpClassesOf(const std::array<uint32_t, 3> &block,
                                     bool apart);

/// LLVM's analyses of a function of device code.
struct LaneAnalyses {
  llvm::DominatorTree &dominators;
  llvm::PostDominatorTree &postDominators;
  llvm::LoopInfo &loops;
  llvm::ScalarEvolution &evolution;
  llvm::AssumptionCache &assumptions;
  const llvm::UniformityInfo &uniformity;
};

/// What the bodies that the warps of one class run share.
struct WarpContext {
  /// Returns the analyses of a function, which are kept.
  using Analyses = llvm::function_ref<LaneAnalyses(const llvm::Function &)>;
  WarpContext(const LaunchShape &shape,
              llvm::ArrayRef<CountingParameter> counting,
              const WarpClass &warps, Analyses analyses);

  const LaunchShape &shape;
  const llvm::ArrayRef<CountingParameter> counting; // of the kernel
  Analyses analyses;
  LaneSymbols symbols;
  LaneArithmetic arithmetic;
  std::array<LaneValue, 3> threads; // indices
  std::array<LaneSum, 3> blocks;    // indices
  unsigned bodies = 0;              // calls that were followed
};

/// Computes the values of a function in the warps of one class, on demand: of a
/// kernel, or of what one call runs. Linear in the values and in the branches
/// whose joins they meet.
class LaneValues {
public:
  LaneValues(const llvm::Function &kernel, WarpContext &context);

  /// Returns what the lanes that use \p value in \p user have in it.
  LaneValue at(const llvm::Value &value, const llvm::BasicBlock &user);
  /// Returns conditions that the active lanes of \p block fulfil, and no others
  /// that reach the function. One that is no sum stands for what is not known.
  const std::vector<LaneValue> &masksOf(const llvm::BasicBlock &block);
  /// Returns what \p call runs; null if that is no function of the module,
  /// calls itself, or if too many calls are followed already.
  LaneValues *bodyOf(const llvm::CallBase &call);
  const llvm::Function &body() const { return function; }
  /// Loops around \p block, those of callers too.
  unsigned loopDepth(const llvm::BasicBlock &block) const;
  const LaneSymbols &symbols() const { return table; }

private:
  /// A variable of a loop that lanes may change alike.
  struct Alike {
    const llvm::PHINode *phi = nullptr;
    LaneSum start;
    LaneValue value; // then
  };
  /// How much had been found before something was taken for true.
  struct Trial {
    size_t values = 0, blocks = 0, loops = 0, calls = 0, tried = 0;
  };
  LaneValues(const llvm::CallBase &call, LaneValues &caller);
  void orderBlocks();
  const llvm::Loop *loopAt(const llvm::Value &value) const;
  LaneValue of(const llvm::Value &value);
  LaneValue compute(const llvm::Value &value);
  LaneValue ofOperator(const llvm::Operator &operation);
  LaneValue ofBinary(const llvm::Operator &operation);
  LaneValue ofCast(const llvm::Operator &operation);
  LaneValue ofPointer(const llvm::GEPOperator &operation);
  LaneValue ofLoad(const llvm::Value &load);
  LaneValue ofCall(const llvm::CallBase &call);
  LaneValue ofResult(const llvm::CallBase &call);
  LaneValue ofGeometry(unsigned component, bool isIndex);
  LaneValue ofShuffle(const llvm::CallBase &call);
  LaneValue ofVote(const llvm::CallBase &call);
  LaneValue ofMinMax(const llvm::CallBase &call);
  LaneValue offBorders(const LaneValue &result,
                       llvm::ArrayRef<LaneValue> choices) const;
  LaneValue ofPhi(const llvm::PHINode &phi);
  LaneValue ofRounds(const llvm::PHINode &phi, const llvm::Loop &loop);
  LaneValue ofGrowing(const llvm::PHINode &phi, const llvm::Loop &loop,
                      const LaneValue &start);
  llvm::SmallVector<Alike, 4> provenOf(llvm::ArrayRef<Alike> phis,
                                       const llvm::Loop &loop);
  void findAlike(const llvm::Loop &loop);
  void forgetSince(const Trial &before);
  const llvm::Value *startOf(const llvm::PHINode &phi,
                             const llvm::Loop &loop) const;
  LaneValue ofJoin(const llvm::PHINode &phi);
  LaneValue oneOf(llvm::ArrayRef<LaneValue> incoming);
  LaneValue ofScev(const llvm::SCEV &expression);
  /// The value of an operation that is known by its operands alone.
  LaneValue ofOperands(const llvm::Value &value);
  const CountingParameter *countingOf(const llvm::Value &value) const;
  LaneValue sameEverywhere(const llvm::Value &value);
  bool areUniform(const LaneValue &value) const;
  LaneValue operand(const llvm::Operator &operation, unsigned i);
  LaneValue loadConstants(const llvm::Value &load, const LaneValue &address);

  /// The condition of the lanes that go from \p from to \p to.
  LaneValue edge(const llvm::BasicBlock &from, const llvm::BasicBlock &to);
  /// From a block to another one.
  using Way = std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>;
  std::optional<Way> wayFrom(const llvm::BasicBlock &from,
                             const llvm::BasicBlock &to) const;
  std::optional<llvm::SmallVector<Way, 4>>
  waysInto(const llvm::BasicBlock &to) const;
  /// By block between the dominator of another one and that: who gets there.
  using Reached = llvm::DenseMap<const llvm::BasicBlock *, LaneValue>;
  /// Returns who gets to \p join by which way; nothing if there are too many,
  /// or loops that lanes leave in several ways.
  std::optional<Reached> waysTo(const llvm::BasicBlock &join);
  LaneValue takes(const Way &way, const Reached &reached);
  LaneValue arrival(const llvm::BasicBlock &from, const llvm::BasicBlock &to,
                    const llvm::BasicBlock &block);
  bool findRegion(const llvm::BasicBlock &head, const llvm::BasicBlock &join,
                  llvm::SmallVectorImpl<const llvm::BasicBlock *> &region);
  unsigned widthOf(const llvm::Value &value) const;
  const LaneSum &roundsOf(const llvm::Loop &loop);
  /// In which rounds the lanes of a warp leave a loop.
  enum class Leaving : uint8_t {
    Together,
    /// In rounds that are one apart at most.
    Nearly,
    Apart,
    /// Apart, and data decides.
    ByData
  };
  Leaving leavingOf(const llvm::Loop &loop);
  std::optional<LaneNumbers> lastRoundsOf(const llvm::Loop &loop);
  std::optional<LaneSum> whereLeft(const LaneSum &sum, const llvm::Loop &loop);
  bool areNearly(const llvm::BranchInst &branch, const LaneSum &round);

  const llvm::Function &function;
  WarpContext &context;
  LaneSymbols &table;
  LaneArithmetic &arithmetic;
  LaneAnalyses analyses;
  const LaneValues *caller = nullptr;
  const llvm::Loop *outer = nullptr; // around the call
  unsigned outerDepth = 0;           // loops around the call
  std::vector<LaneValue> entryMasks; // of the call
  llvm::DenseMap<const llvm::Value *, LaneValue> known;
  llvm::DenseMap<const llvm::BasicBlock *, std::vector<LaneValue>> masks;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> order;
  llvm::DenseMap<const llvm::Loop *, Leaving> leaving;
  llvm::DenseMap<const llvm::Loop *, LaneSum> rounds;
  llvm::DenseMap<const llvm::Loop *, std::optional<LaneNumbers>> lastRounds;
  llvm::DenseMap<const llvm::CallBase *, std::unique_ptr<LaneValues>> callees;
  /// Values that are being computed: the known ones are placeholders.
  std::vector<const llvm::Value *> underWay;
  llvm::SmallPtrSet<const llvm::Loop *, 4> tried; // by findAlike()
  /// How often something is taken for true now, and has been, and the keys of
  /// what was found since.
  unsigned openTrials = 0, trials = 0;
  std::vector<const llvm::Value *> newValues;
  std::vector<const llvm::BasicBlock *> newBlocks;
  std::vector<const llvm::Loop *> newLoops, newlyTried;
  std::vector<const llvm::CallBase *> newCalls;
};

} // namespace gpulto

#endif
