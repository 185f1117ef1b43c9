//===- InlineCallsPropagate.cpp - Calls that may be inlined, estimated ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/clones/CloneGains.h"
#include "ipa/inlining/InlineCalls.h"
#include "summary/CombinedModule.h"
#include "support/Parallel.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <algorithm>

using namespace llvm;

namespace gpulto {

namespace {

constexpr uint64_t kMaxFrequency = uint64_t(1) << 20;
/// Calls are worth 25 in LLVM's InlineCost.h, instructions 5.
constexpr uint64_t kCallTime = 5;
/// The call and the return.
constexpr uint64_t kCallSize = 2;

class Collector {
public:
  Collector(const WpaContext &context, const Callers &callers)
      : context(context), program(context.program), params(context.params),
        callers(callers), gains(context, callers) {}

  InlineGraph run();

private:
  void addBodies();
  void countUses();
  InlineVerdict whyNever(GlobalId id) const;
  InlineVerdict whyNever(const InlineEdge &edge, const CallEdge &call) const;
  void addEdges(uint32_t place, std::vector<InlineEdge> &found);
  void estimate(InlineEdge &edge, const CallEdge &call) const;
  uint64_t constantGainOf(const InlineEdge &edge, const CallEdge &call) const;

  const WpaContext &context;
  const CombinedSummary &program;
  const Params &params;
  const Callers &callers;
  CloneGains gains;
  InlineGraph graph;
};

} // namespace

uint32_t InlineEdge::callSize() const { return kCallSize + callee->parameters; }

int64_t InlineEdge::growth() const {
  int64_t gone = callSize() + outcome.constantGain;
  return outcome.isOnlyUse ? -gone : int64_t(callee->size) - gone;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Returns why calls of \p id may not be inlined, whatever they save; Undecided
/// when they may.
InlineVerdict Collector::whyNever(GlobalId id) const {
  struct Premise {
    FunctionFlags flags;
    InlineVerdict verdict;
  };
  // clang marks what it compiles at -O0, and what is naked, noinline, too.
  static constexpr Premise kPremises[] = {
      {kOptNone, InlineVerdict::NotOptimized},
      {kNaked, InlineVerdict::Naked},
      {kNoInline, InlineVerdict::NoInline},
      {kVarArg, InlineVerdict::VariableArguments},
      {kReturnsTwice, InlineVerdict::ReturnsTwice},
      {kHasAsmLabels, InlineVerdict::AssemblyLabels},
      {kBlockAddressTaken | kHasIndirectBranch, InlineVerdict::ComputedGoto}};
  if (program.jumpTarget(id) != kNone)
    return InlineVerdict::Folded;
  if (!program.isExact(id))
    return program.resolution(id) & kLinkerRedefined ? InlineVerdict::Redefined
                                                     : InlineVerdict::Weak;
  for (const Premise &premise : kPremises)
    if (program.function(id)->flags & premise.flags)
      return premise.verdict;
  return InlineVerdict::Undecided;
}

/// Gathers what calls ask of their callees, which are anywhere, in one place.
void Collector::addBodies() {
  DenseMap<std::pair<uint64_t, uint64_t>, uint32_t> options;
  graph.bodies.resize(callers.bodies().size());
  for (auto [body, id] : zip(graph.bodies, callers.bodies())) {
    body.id = id;
    if (program.imageOf(id) != kHostImage || program.definition(id) != id)
      continue;
    const FunctionSummary &function = *program.function(id);
    Digest codegen = program.moduleRef(id).summary.codegenDigest;
    body.module = program.moduleOf(id);
    body.ownSize = body.size = function.instructionCount;
    body.stackBytes = function.stackBytes;
    body.time =
        function.timeCycles ? function.timeCycles : function.instructionCount;
    body.parameters = function.parameters.count;
    body.codegen = options.try_emplace({codegen.lo, codegen.hi}, options.size())
                       .first->second;
    body.never = whyNever(id);
    body.isHost = !program.has(id, kKernelStub);
    body.mayInline =
        !function.has(kOptNone) && body.never != InlineVerdict::Folded;
    body.isForced = function.has(kAlwaysInline);
    body.isCold = context.decisions.isCold(id);
    body.isMarkedCold = function.has(kCold);
    body.isForSize = function.flags & (kOptSize | kMinSize);
    body.hasUnknownCallers = callers.unknown(id) != UnknownCaller::None;
  }
}

void Collector::countUses() {
  for (auto [place, id] : enumerate(callers.bodies())) {
    // Clones of the caller call, too.
    uint32_t copies = 1 + llvm::count_if(context.decisions.plansOf(id),
                                         [](const BodyPlan &plan) {
                                           return plan.clone != 0;
                                         });
    for (uint32_t number : seq<uint32_t>(0, callers.calleesOf(place).size()))
      if (uint32_t callee = callers.namedCalleeOf(place, number);
          callee != kNone)
        graph.bodies[callee].uses += copies;
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Returns why \p call may not be inlined, whatever it saves; Undecided when it
/// may.
InlineVerdict Collector::whyNever(const InlineEdge &edge,
                                  const CallEdge &call) const {
  InlineVerdict never = edge.callee->never;
  if (never == InlineVerdict::Folded || never == InlineVerdict::Weak ||
      never == InlineVerdict::Redefined)
    return never;
  if (never == InlineVerdict::Undecided && (call.flags & kNoInlineSite))
    return InlineVerdict::NoInlineSite;
  if (never != InlineVerdict::Undecided)
    return never;
  return edge.callee->codegen == edge.caller->codegen
             ? InlineVerdict::Undecided
             : InlineVerdict::OtherOptions;
}

/// Returns what the constants that \p call passes save in the callee.
uint64_t Collector::constantGainOf(const InlineEdge &edge,
                                   const CallEdge &call) const {
  uint64_t gain = 0;
  for (auto [i, actual] :
       enumerate(program.jumpFunctions(edge.caller->id, call.arguments)))
    if (actual.kind == JumpFunction::Kind::Constant ||
        actual.kind == JumpFunction::Kind::Null ||
        actual.kind == JumpFunction::Kind::SymbolAddress)
      gain += gains.ofParameter(edge.callee->id, i);
  return gain;
}

void Collector::estimate(InlineEdge &edge, const CallEdge &call) const {
  const InlineBody &caller = *edge.caller, &callee = *edge.callee;
  InlineOutcome &outcome = edge.outcome;
  outcome.frequency = std::min<uint64_t>(call.frequency, kMaxFrequency);
  // More than half of a body is never seen to fold.
  outcome.constantGain =
      std::min<uint64_t>(constantGainOf(edge, call), callee.ownSize / 2);
  outcome.saved = kCallTime + callee.parameters + outcome.constantGain;
  outcome.isForced = callee.isForced || (call.flags & kAlwaysInlineSite);
  outcome.isOnlyUse = callee.uses == 1 && !callee.hasUnknownCallers;
  bool isHinted = outcome.saved * 100 >=
                  (callee.time + kCallTime) * params.inlineSpeedupPercent;
  outcome.allowed = params.inlineInstructions;
  if (isHinted)
    outcome.allowed = outcome.allowed * params.inlineHintPercent / 100;
  if ((call.flags & kColdSite) || callee.isMarkedCold || callee.isCold ||
      caller.isCold)
    outcome.verdict = InlineVerdict::Cold;
  else if (caller.isForSize)
    outcome.verdict = InlineVerdict::ForSize;
  if (outcome.verdict != InlineVerdict::Undecided)
    outcome.allowed = 0;
}

/// Whether \p edge may be inlined, as far as is known so far: the callee can
/// only become larger.
static bool mayFit(const InlineEdge &edge) {
  return edge.outcome.isForced ||
         edge.growth() <= static_cast<int64_t>(edge.outcome.allowed);
}

/// Adds the calls of the body at \p place to \p found.
void Collector::addEdges(uint32_t place, std::vector<InlineEdge> &found) {
  InlineBody &caller = graph.bodies[place];
  if (!caller.mayInline)
    return;
  for (auto [number, call] : enumerate(program.calls(caller.id))) {
    uint32_t callee = callers.namedCalleeOf(place, number);
    if (callee == kNone || !graph.bodies[callee].isHost)
      continue;
    InlineEdge edge;
    edge.caller = &caller;
    edge.callee = &graph.bodies[callee];
    edge.number = number;
    edge.outcome.caller = caller.id;
    edge.outcome.callee = edge.callee->id;
    edge.outcome.place = call.place;
    edge.outcome.verdict = whyNever(edge, call);
    edge.isOpen = edge.outcome.verdict == InlineVerdict::Undecided;
    if (edge.isOpen)
      estimate(edge, call);
    if (edge.isForeign() || (edge.isOpen && (edge.isSelf() || mayFit(edge))))
      found.push_back(edge);
  }
}

InlineGraph Collector::run() {
  addBodies();
  countUses();
  graph.edges = collectInPieces<InlineEdge>(
      context.threads, graph.bodies.size(),
      [&](size_t place, std::vector<InlineEdge> &found) {
        addEdges(place, found);
      });
  return std::move(graph);
}

InlineGraph collectInlineCalls(const WpaContext &context,
                               const Callers &callers) {
  return Collector(context, callers).run();
}

} // namespace gpulto
