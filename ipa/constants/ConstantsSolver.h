//===- ConstantsSolver.h - Lattices over calls and launches -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CONSTANTS_CONSTANTSSOLVER_H
#define GPULTO_IPA_CONSTANTS_CONSTANTSSOLVER_H

#include "ipa/callers/Callers.h"
#include "ipa/constants/Pointees.h"
#include "ipa/constants/ValueLattice.h"
#include "ipa/runtime/GeometryLimits.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <deque>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace gpulto {

/// A known part of a by-value aggregate.
struct PartLattice {
  PartOffset byteOffset;
  ValueLattice value;
};

/// One formal parameter.
struct ParameterLattice {
  ValueLattice whole;
  /// By-value aggregates, and what pointers of the host point to: the parts
  /// that every context knows, by offset; meaningful once hasParts is set by
  /// the first context.
  std::vector<PartLattice> parts;
  bool hasParts = false;
  /// Pointers of the host: in every context so far, nobody reaches what it
  /// points to but those that got the pointer from a function whose variable
  /// that is; see Pointees::isPrivate.
  bool isPrivate = true;
};

/// Lowers \p known to what \p actual is too. Returns whether it changed.
bool meetParameter(ParameterLattice &known, const ParameterLattice &actual);
/// Returns a number that differs, as a rule, if \p known does.
uint64_t hashOf(const ParameterLattice &known);
/// Lowers the parts of \p known to those that \p actual has too. Returns
/// whether they changed.
bool meetParts(ParameterLattice &known, const ParameterLattice &actual);

/// Returns the value of \p width bits at byte \p offset of an aggregate of
/// which \p parts are known.
ValueLattice readParts(llvm::ArrayRef<PartLattice> parts, uint64_t offset,
                       unsigned width);
/// Adds \p value at byte \p offset to \p parts. Calling conventions pass two
/// fields in one register, so what is known of 64 bits is kept in halves. What
/// is too far for a PartOffset is left out: not known.
void addPart(std::vector<PartLattice> &parts, uint64_t offset,
             const ValueLattice &value);

/// Returns the size in bytes of a value of \p width bits in memory, 0 for a
/// pointer.
uint64_t bytesOf(unsigned width);

/// Bytes [begin, end).
struct ByteWindow {
  uint64_t begin = 0;
  uint64_t end = 0;
};
constexpr ByteWindow kAllBytes = {0, uint64_t(1) << 32};

/// Index of a body in a ConstantsSolver: a definition or a clone of one.
using BodyIndex = uint32_t;

/// What is known of one body.
struct BodyLattice {
  /// The definition, and the number of the clone (0: none).
  GlobalId id = kNone;
  uint32_t clone = 0;
  /// Where it stands in ConstantsSolver::bodies.
  BodyIndex index = kNone;
  /// While one call of it is looked into: that call.
  EnteringCalls entered;
  /// All of its callers are known.
  bool isKnown = true;
  /// Entered by something that was visited, or by something unknown.
  bool isReached = false;
  bool isQueued = false;
  /// Who entered it first, if that is known.
  BodyIndex firstCaller = kNone;
  /// Empty for functions with unknown callers.
  std::vector<ParameterLattice> parameters;
  /// Device functions with known callers: kDimensions elements.
  std::vector<ValueLattice> geometry;
};

/// A call, or a launch, of a body: the how manieth of its function.
struct CallSite {
  BodyIndex caller = kNone;
  uint32_t number = 0;
  bool isLaunch = false;
};

/// A call that lowered what is known of its callee.
struct Lowering {
  BodyIndex caller = kNone;
  uint32_t number = 0; ///< of the call in its function
  BodyIndex callee = kNone;
};

/// Propagates what callers pass over calls and launches of all live bodies, to
/// the greatest fixed point.
class ConstantsSolver {
public:
  ConstantsSolver(const WpaContext &context, const Callers &callers,
                  const Pointees &pointees);

  /// Solves for the bodies and redirections there are now: the first time from
  /// the top on, then what has changed since
  /// (ipa/constants/SolverAgainPropagate.cpp). Deterministic.
  void solve();

  /// Adds a clone of the definition \p id; returns its index. Its callers are
  /// those that redirect() gives it.
  BodyIndex addClone(GlobalId id);
  /// Lets call \p site, of the definition that \p clone is one of, enter
  /// \p clone instead.
  void redirect(CallSite site, BodyIndex clone);

  /// Adds a clone of the stub \p stub and of its kernel in every image; returns
  /// the stub's. All have the same number. Each kernel is of no other stub.
  BodyIndex addKernelClone(GlobalId stub);
  /// Lets the launches of call \p number of \p caller launch what \p stubClone
  /// stands for.
  void redirectLaunch(BodyIndex caller, uint32_t number, BodyIndex stubClone);

  const std::vector<BodyLattice> &bodies() const { return allBodies; }
  /// Returns the definition \p id or, if \p clone is not 0, that clone of it;
  /// null when there is no such body.
  const BodyLattice *find(GlobalId id, uint32_t clone) const;
  /// Number of clones of the definition \p id.
  uint32_t cloneCount(GlobalId id) const;
  /// Returns the number of calls in \p body.
  uint32_t callCount(BodyIndex body) const {
    return callers.calleesOf(callers.bodyIndex(allBodies[body].id)).size();
  }
  /// Returns the body that call \p number of \p caller enters, or kNone.
  BodyIndex calleeOf(BodyIndex caller, uint32_t number) const;
  /// Returns what every call of \p body that this link sees returns.
  ValueLattice returned(const BodyLattice &body) const;
  /// Returns the clone that call \p number of \p caller was redirected to, or
  /// kNone.
  BodyIndex redirected(BodyIndex caller, uint32_t number) const;

  /// Whether any call of \p caller was redirected, or launches what stands for
  /// a clone.
  bool hasRedirections(BodyIndex caller) const { return isRedirecting(caller); }

  /// Returns the clone of the stub that stands for what call \p number of
  /// \p caller launches, or kNone.
  BodyIndex launched(BodyIndex caller, uint32_t number) const;

  /// Returns what the body that call \p number of \p caller enters, which is
  /// one, knows there: of its parameters, not those of its other calls.
  BodyLattice entry(BodyIndex caller, uint32_t number) const;

  /// Returns what argument \p index of call \p number of \p caller is.
  ValueLattice argument(BodyIndex caller, uint32_t number,
                        uint32_t index) const;
  /// Returns whether argument() has depended on what is stored in variables
  /// since this was asked last.
  bool hasAskedVariables() const { return std::exchange(asksVariables, false); }
  /// Returns what \p function, of the module of \p caller, is in that body.
  ValueLattice valueOf(const BodyLattice &caller,
                       const JumpFunction &function) const {
    return evaluate(caller, program.moduleRef(caller.id), function);
  }
  /// Returns the stubs that \p launch, which stands in \p caller, may launch,
  /// as far as their launches are known.
  llvm::SmallVector<GlobalId, 2> stubsOf(const BodyLattice &caller,
                                         const LaunchSite &launch) const;
  /// Whether all that \p launch may launch, unknown kernels included, is the
  /// one stub of stubsOf().
  bool launchesOne(const BodyLattice &caller, const LaunchSite &launch) const;
  /// Returns what \p launch, which stands in \p caller, passes to \p kernel by
  /// way of \p stub, by parameter.
  std::vector<ParameterLattice> launchArguments(const BodyLattice &caller,
                                                const LaunchSite &launch,
                                                GlobalId stub,
                                                GlobalId kernel) const;
  /// Returns the kDimensions components of the geometry of \p launch, which
  /// stands in \p caller.
  std::vector<ValueLattice> launchGeometry(const BodyLattice &caller,
                                           const LaunchSite &launch) const;

private:
  /// One look back from a place over the calls that got an address.
  struct Walk {
    /// Calls, their arguments and bytes behind these that are being looked for.
    std::set<std::tuple<uint32_t, uint32_t, uint64_t, uint64_t>> inProgress;
    /// If the body was entered by a call that is looked into: the walk that
    /// came to it there.
    const BodyLattice *caller = nullptr;
    uint32_t call = 0;
    Walk *outer = nullptr;
  };

  BodyIndex indexOf(GlobalId id, uint32_t clone) const;
  GlobalId knownHandle(const BodyLattice &caller,
                       const LaunchSite &launch) const;
  /// What may know more than before, and variables of which more may be known.
  struct Rising {
    llvm::BitVector bodies;
    llvm::DenseSet<GlobalId> variables; // the order of visits is not theirs
  };

  void noteBody(const BodyLattice &body);
  void noteLoss(BodyIndex body);
  void noteUnfounded();
  void solveAgain();
  Rising findRising();
  void raise(const Rising &rising);
  void enterRising(const Rising &rising);
  bool passesOn(const BodyLattice &caller, uint32_t number) const;
  void forEachLaunched(const BodyLattice &caller, const LaunchSite &launch,
                       llvm::function_ref<void(BodyIndex)> visit) const;
  void reset(BodyLattice &body);
  void enqueue(BodyLattice &body);
  bool reach(BodyLattice &callee, const BodyLattice &from);
  void runWorklist();
  void visit(BodyIndex index);
  void visitCall(BodyIndex caller, uint32_t number, const CallEdge &call);
  bool meetArguments(BodyIndex index, const BodyLattice &from,
                     llvm::ArrayRef<JumpFunction> actuals);
  void visitLaunch(BodyIndex caller, const LaunchSite &launch);
  void visitKernels(const BodyLattice &caller, const LaunchSite &launch,
                    GlobalId stub, uint32_t clone,
                    llvm::ArrayRef<ValueLattice> geometry);
  ValueLattice evaluate(const BodyLattice &caller, const CombinedModule &module,
                        const JumpFunction &function) const;
  ValueLattice evaluateOnce(const BodyLattice &caller,
                            const CombinedModule &module,
                            const JumpFunction &function) const;
  uint64_t leastAllocated(const BodyLattice &caller, uint32_t number) const;
  ParameterLattice evaluateResult(const BodyLattice &caller,
                                  const JumpFunction &function) const;
  void addReturned(const BodyLattice &caller, const AggregatePart &part,
                   ParameterLattice &result) const;
  BodyIndex enteredBy(const BodyLattice &caller, uint32_t number) const;
  llvm::ArrayRef<JumpFunction> actualsOf(const BodyLattice &caller,
                                         uint32_t number) const;
  BodyLattice enter(const BodyLattice &caller, uint32_t number,
                    const BodyLattice &callee, const llvm::BitVector &used,
                    bool asksAll = false) const;
  bool keepsPointee(const BodyLattice &body, uint32_t source) const;
  bool isPrivateVariable(const BodyLattice &body, uint64_t number) const;
  bool isPrivateFormal(const BodyLattice &body, uint32_t source) const;
  bool leadsToPrivate(const BodyLattice &caller,
                      const JumpFunction &actual) const;
  std::optional<ParameterLattice>
  evaluateBefore(const BodyLattice &caller, uint32_t number, uint32_t parameter,
                 ByteWindow window, Walk &walk) const;
  std::optional<ParameterLattice> evaluateParts(const BodyLattice &caller,
                                                Range parts, ByteWindow window,
                                                Walk &walk) const;
  std::optional<ParameterLattice> evaluateEntry(const BodyLattice &body,
                                                uint32_t source,
                                                ByteWindow window,
                                                Walk &walk) const;
  std::optional<ParameterLattice> evaluateLeft(const BodyLattice &caller,
                                               const JumpFunction &function,
                                               ByteWindow window,
                                               Walk &walk) const;
  std::optional<ParameterLattice> evaluateChoices(const BodyLattice &body,
                                                  const JumpFunction &function,
                                                  ByteWindow window,
                                                  Walk &walk) const;
  ParameterLattice evaluateMemory(const BodyLattice &body,
                                  const JumpFunction &function) const;
  bool addBytes(const BodyLattice &body, const AggregatePart &part,
                ByteWindow window, Walk &walk, ParameterLattice &result) const;
  void visitStores(const BodyLattice &body);
  ValueLattice evaluateVariable(const BodyLattice &body,
                                const JumpFunction &function) const;
  ValueLattice evaluateAddress(const CombinedModule &module,
                               const JumpFunction &function) const;
  ParameterLattice evaluateAggregate(const BodyLattice &caller,
                                     const CombinedModule &module,
                                     const JumpFunction &function) const;
  ParameterLattice evaluatePieces(const BodyLattice &caller,
                                  const CombinedModule &module,
                                  llvm::ArrayRef<const StubArgument *> pieces,
                                  llvm::ArrayRef<JumpFunction> actuals) const;
  ValueLattice fit(GlobalId callee, const ParameterRecord &formal,
                   const BodyLattice &caller, ValueLattice value) const;
  ParameterLattice evaluateArgument(GlobalId callee, uint32_t index,
                                    const BodyLattice &caller,
                                    const JumpFunction &actual,
                                    bool asksParts = true) const;
  bool meetGeometry(BodyLattice &callee, llvm::ArrayRef<ValueLattice> actual);

  const WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  const Pointees &pointees;
  std::vector<BodyLattice> allBodies; // Callers::bodies, then clones
  /// By BodyIndex: what is known of it does not depend on calls any more.
  llvm::BitVector settled;
  /// By BodyIndex: it launches kernels, or stores to variables.
  llvm::BitVector active;
  bool isSolved = false;
  /// Of the last solution: the calls that made it what it is.
  std::vector<Lowering> lowerings;
  /// Bodies that some call has entered, but enters no more, and new clones.
  std::vector<BodyIndex> changed;
  // Looked up only, never iterated.
  llvm::DenseMap<GlobalId, uint32_t> cloneCounts;
  llvm::DenseMap<std::pair<GlobalId, uint32_t>, BodyIndex> clones;
  llvm::DenseMap<std::pair<BodyIndex, uint32_t>, BodyIndex> redirections,
      launchRedirections;
  /// By BodyIndex: bodies with calls in these.
  llvm::BitVector redirecting;
  void noteRedirection(BodyIndex caller) {
    if (redirecting.size() <= caller)
      redirecting.resize(allBodies.size());
    redirecting.set(caller);
  }
  bool isRedirecting(BodyIndex caller) const {
    return caller < redirecting.size() && redirecting.test(caller);
  }
  std::deque<BodyIndex> worklist;
  /// What visited bodies have stored in a variable.
  struct StoredValue {
    uint32_t byteOffset = 0;
    uint32_t sizeBytes = 0;
    ValueLattice value;
  };
  /// By variable; looked up only.
  llvm::DenseMap<GlobalId, std::vector<StoredValue>> stored;
  /// By variable: bodies that were visited when its contents were asked for.
  mutable llvm::DenseMap<GlobalId, std::set<BodyIndex>> readers;
  BodyIndex visited = kNone;
  mutable bool asksVariables = false;
  /// How deep results of calls are being looked into.
  mutable unsigned resultDepth = 0;
  /// How deep memory is in terms of other memory, and how many calls one
  /// question has looked behind.
  mutable unsigned memoryDepth = 0;
  mutable unsigned lookups = 0;
};

} // namespace gpulto

#endif
