//===- InlineCallsPropagate.cpp - Calls that may be inlined, estimated ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/CloneGains.h"
#include "ipa/InlineCalls.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

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
  void countUses();
  void addBody(GlobalId id);
  void addEdge(InlineBody &caller, uint32_t number, const CallEdge &call);
  InlineVerdict whyNever(GlobalId caller, GlobalId callee,
                         const CallEdge &call) const;
  void estimate(InlineEdge &edge, const CallEdge &call);
  uint64_t constantGainOf(GlobalId callee, const CombinedModule &module,
                          const CallEdge &call);

  const WpaContext &context;
  const CombinedSummary &program;
  const Params &params;
  const Callers &callers;
  CloneGains gains;
  InlineGraph graph;
  DenseMap<GlobalId, InlineBody *> bodyOf;
  /// Calls of each function by host code. Looked up only.
  DenseMap<GlobalId, uint32_t> uses;
};

} // namespace

/// Returns why the call may not be inlined, whatever it saves; Undecided when
/// it may.
InlineVerdict Collector::whyNever(GlobalId caller, GlobalId callee,
                                  const CallEdge &call) const {
  constexpr uint32_t kFixed = kNaked | kReturnsTwice | kHasAsmLabels |
                              kBlockAddressTaken | kHasIndirectBranch;
  const FunctionSummary &function = *program.function(callee);
  if (program.jumpTarget(callee) != kNone)
    return InlineVerdict::Folded;
  if (!program.isExact(callee))
    return InlineVerdict::Replaceable;
  if (function.has(kNoInline) || (call.flags & kNoInlineSite))
    return InlineVerdict::NoInline;
  if (function.has(kOptNone))
    return InlineVerdict::NotOptimized;
  if (function.has(kVarArg))
    return InlineVerdict::VariableArguments;
  if (function.flags & kFixed)
    return InlineVerdict::FixedBody;
  if (program.moduleRef(callee).summary.codegenDigest !=
      program.moduleRef(caller).summary.codegenDigest)
    return InlineVerdict::OtherOptions;
  return InlineVerdict::Undecided;
}

/// Returns what the constants that \p call passes save in \p callee.
uint64_t Collector::constantGainOf(GlobalId callee,
                                   const CombinedModule &module,
                                   const CallEdge &call) {
  uint64_t gain = 0;
  ArrayRef<ParameterRecord> formals = program.parameters(callee);
  for (auto [i, actual] :
       enumerate(slice(module.summary.jumpFunctions, call.arguments)))
    if (i < formals.size() &&
        (actual.kind == JumpFunction::Kind::Constant ||
         actual.kind == JumpFunction::Kind::Null ||
         actual.kind == JumpFunction::Kind::SymbolAddress))
      gain += gains.ofParameter(callee, i);
  return gain;
}

void Collector::estimate(InlineEdge &edge, const CallEdge &call) {
  GlobalId callee = edge.callee->id;
  const FunctionSummary &function = *program.function(callee);
  const FunctionSummary &caller = *program.function(edge.caller->id);
  uint64_t arguments = program.parameters(callee).size();
  InlineOutcome &outcome = edge.outcome;
  outcome.frequency = std::min<uint64_t>(call.frequency, kMaxFrequency);
  edge.callSize = kCallSize + arguments;
  // More than half of a body is never seen to fold.
  outcome.constantGain = std::min<uint64_t>(
      constantGainOf(callee, program.moduleRef(edge.caller->id), call),
      edge.callee->ownSize / 2);
  outcome.saved = kCallTime + arguments + outcome.constantGain;
  outcome.isForced =
      function.has(kAlwaysInline) || (call.flags & kAlwaysInlineSite);
  outcome.isOnlyUse = uses.lookup(callee) == 1 &&
                      callers.unknown(callee) == UnknownCaller::None;
  bool isHinted = outcome.saved * 100 >=
                  (edge.callee->time + kCallTime) * params.inlineSpeedupPercent;
  outcome.allowed = params.inlineInstructions;
  if (isHinted)
    outcome.allowed = outcome.allowed * params.inlineHintPercent / 100;
  if ((call.flags & kColdSite) || function.has(kCold) ||
      context.decisions.isCold(callee) ||
      context.decisions.isCold(edge.caller->id))
    outcome.verdict = InlineVerdict::Cold;
  else if (caller.flags & (kOptSize | kMinSize))
    outcome.verdict = InlineVerdict::ForSize;
  if (outcome.verdict != InlineVerdict::Undecided)
    outcome.allowed = 0;
}

void Collector::addEdge(InlineBody &caller, uint32_t number,
                        const CallEdge &call) {
  GlobalId callee = program.definitionFor(caller.id, call.callee);
  InlineBody *body = callee == kNone ? nullptr : bodyOf.lookup(callee);
  if (!body || program.symbol(callee).has(kKernelStub))
    return;
  bool isForeign = body->module != caller.module;
  InlineVerdict never = whyNever(caller.id, callee, call);
  if (never != InlineVerdict::Undecided && !isForeign)
    return;
  InlineEdge &edge = graph.edges.emplace_back();
  edge.caller = &caller;
  edge.callee = body;
  edge.number = number;
  edge.isForeign = isForeign;
  edge.outcome.caller = caller.id;
  edge.outcome.callee = callee;
  edge.outcome.line = call.line;
  edge.outcome.verdict = never;
  if (never != InlineVerdict::Undecided)
    return;
  estimate(edge, call);
  if (body == &caller)
    caller.selfCalls.push_back(&edge);
  else
    caller.edges.push_back(&edge);
}

void Collector::countUses() {
  for (GlobalId id : callers.bodies()) {
    // Clones of the caller call, too.
    uint32_t copies = 1 + llvm::count_if(context.decisions.plansOf(id),
                                         [](const BodyPlan &plan) {
                                           return plan.clone != 0;
                                         });
    for (const CallEdge &call : slice(program.moduleRef(id).summary.calls,
                                      program.function(id)->calls))
      if (GlobalId callee = program.definitionFor(id, call.callee);
          callee != kNone)
        uses[callee] += copies;
  }
}

void Collector::addBody(GlobalId id) {
  const FunctionSummary &function = *program.function(id);
  InlineBody &body = graph.bodies.emplace_back();
  body.id = id;
  body.module = program.moduleOf(id);
  body.ownSize = body.size = function.instructionCount;
  body.stackBytes = function.stackBytes;
  body.time =
      function.timeCycles ? function.timeCycles : function.instructionCount;
  bodyOf[id] = &body;
}

InlineGraph Collector::run() {
  countUses();
  for (GlobalId id : callers.bodies())
    if (program.imageOf(id) == kHostImage && program.definition(id) == id)
      addBody(id);
  for (InlineBody &body : graph.bodies) {
    const FunctionSummary &function = *program.function(body.id);
    if (function.has(kOptNone) || program.jumpTarget(body.id) != kNone)
      continue;
    for (auto [number, call] : enumerate(
             slice(program.moduleRef(body.id).summary.calls, function.calls)))
      addEdge(body, number, call);
  }
  return std::move(graph);
}

InlineGraph collectInlineCalls(const WpaContext &context,
                               const Callers &callers) {
  return Collector(context, callers).run();
}

} // namespace gpulto
