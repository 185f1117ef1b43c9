//===- CapturesPropagate.cpp - Launches that others may capture (WPA) -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: know which launches run with the parameters with which they were made.
//
//   cudaStreamBeginCapture(s, ...); enqueue(p, n, s);       not seen
//   cudaStreamEndCapture(s, &graph);
//   cudaGraphExecKernelNodeSetParams(exec, node, &others);
//
//   void enqueue(int *p, int n, cudaStream_t s) { fill<<<1, 32, 0, s>>>(p, n);
//   }
//
// A launch in a stream that is being captured becomes a node, and code that has
// the graph can run it with any parameters. For a capture, code only needs the
// stream, the caller's thread (per-thread default streams), or an event that
// the stream waits for. Only the legacy default stream is safe: it cannot be
// captured, nor wait for a captured stream, and joining it to a capture fails.
// So if there is unseen code, or bitcode hands out graphs of its captures,
// launches that are not proven to be in that stream may be captured.
//
// 1. findAsked: parameters that are streams of launches.
// 2. visit: what calls pass there: null, a caller's own parameter, or others.
// 3. spread: parameters that get others pass them on.
//
// Not followed: streams in variables and structures, and streams that the
// program makes itself and does not pass on.
//
// Linear in calls.
//
// Source: CUDA Runtime API 13.0, cudaStreamBeginCapture; CUDA C++ Programming
// Guide, "Prohibited and Unhandled Operations" of stream capture.
//
//===----------------------------------------------------------------------===//

#include "ipa/callers/Callers.h"
#include "ipa/callers/Captures.h"
#include "ipa/callers/Graphs.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/runtime/UnseenCode.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

/// Whether some launch of the program, in the null stream, is in that of its
/// thread.
static bool launchesPerThread(const CombinedSummary &program) {
  return any_of(program.images()[kHostImage].modules, [&](ModuleIndex m) {
    return any_of(
        program.modules()[m].summary.symbols, [](const SymbolRecord &symbol) {
          return symbol.name.ends_with("_ptsz") && launchKindOf(symbol.name);
        });
  });
}

Captures::Captures(const WpaContext &context, const Callers &callers)
    : program(context.program), callers(callers),
      reason(context.options.areNodesUnchanged ? "" : findUnseenCode(context)) {
  if (reason.empty() && capturesLaunches(program) && mayHandOutGraphs(context))
    reason = "the program captures launches, and others may get the graph";
  if (reason.empty())
    return;
  isPerThread = launchesPerThread(program);
  std::vector<Parameter> asked = findAsked();
  if (asked.empty())
    return;
  std::vector<std::vector<Call>> calls = findCalls();
  while (!asked.empty()) {
    Parameter parameter = asked.back();
    asked.pop_back();
    if (known.insert(parameter).second)
      visit(parameter, calls[parameter.first], asked);
  }
  spread();
}

Captures::Stream Captures::kindOf(const JumpFunction &stream) const {
  using Kind = JumpFunction::Kind;
  constexpr uint64_t kLegacy = 1; // cudaStreamLegacy
  if (stream.kind == Kind::PassThrough &&
      stream.operation == JumpOperation::None)
    return Stream::OfCaller;
  bool isNull = stream.kind == Kind::Null ||
                (stream.kind == Kind::Constant && stream.value == 0);
  bool isLegacy = stream.kind == Kind::Constant && stream.value == kLegacy;
  return isLegacy || (isNull && !isPerThread) ? Stream::Legacy : Stream::Other;
}

JumpFunction Captures::streamOf(GlobalId caller,
                                const LaunchSite &launch) const {
  ArrayRef<JumpFunction> geometry =
      slice(program.moduleRef(caller).summary.jumpFunctions, launch.geometry);
  return geometry.empty() ? JumpFunction() : geometry[kStream];
}

std::vector<Captures::Parameter> Captures::findAsked() {
  std::vector<Parameter> asked;
  for (auto [place, id] : enumerate(callers.bodies()))
    for (const LaunchSite &launch : program.launches(id))
      if (JumpFunction stream = streamOf(id, launch);
          kindOf(stream) == Stream::OfCaller)
        asked.push_back({uint32_t(place), stream.source});
  return asked;
}

/// Returns the calls that enter each of the bodies.
std::vector<std::vector<Captures::Call>> Captures::findCalls() const {
  std::vector<std::vector<Call>> calls(callers.bodies().size());
  for (uint32_t place = 0; place < calls.size(); ++place)
    for (auto [number, callee] : enumerate(callers.calleesOf(place)))
      if (callee != kNone)
        calls[callee].push_back({place, uint32_t(number)});
  return calls;
}

/// Looks at what \p calls pass to \p parameter, and asks for more.
void Captures::visit(Parameter parameter, ArrayRef<Call> calls,
                     std::vector<Parameter> &asked) {
  auto isOther = [&](Call call) {
    GlobalId caller = callers.bodies()[call.first];
    const ModuleSummary &module = program.moduleRef(caller).summary;
    ArrayRef<JumpFunction> actuals =
        slice(module.jumpFunctions,
              slice(module.calls, program.function(caller)->calls)[call.second]
                  .arguments);
    if (parameter.second >= actuals.size())
      return true;
    const JumpFunction &actual = actuals[parameter.second];
    Stream kind = kindOf(actual);
    if (kind == Stream::OfCaller) {
      Parameter from{call.first, actual.source};
      passedTo[from].push_back(parameter);
      asked.push_back(from);
    }
    return kind == Stream::Other;
  };
  bool isKnown =
      callers.unknown(callers.bodies()[parameter.first]) == UnknownCaller::None;
  bool anyOther = !isKnown;
  for (Call call : calls)
    anyOther |= isOther(call);
  if (anyOther && other.insert(parameter).second)
    worklist.push_back(parameter);
}

void Captures::spread() {
  while (!worklist.empty()) {
    Parameter parameter = worklist.back();
    worklist.pop_back();
    for (Parameter to : passedTo.lookup(parameter))
      if (other.insert(to).second)
        worklist.push_back(to);
  }
}

bool Captures::mayCapture(GlobalId caller, const LaunchSite &launch) const {
  JumpFunction stream = streamOf(caller, launch);
  Stream kind = kindOf(stream);
  return kind == Stream::Other ||
         (kind == Stream::OfCaller &&
          other.contains({callers.bodyIndex(caller), stream.source}));
}

} // namespace gpulto
