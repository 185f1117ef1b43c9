//===- ExplainPropagate.cpp - What constant propagation proved ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/callers/ImageRemarks.h"
#include "ipa/plans/Explain.h"
#include "ipa/runtime/CudaRuntime.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <charconv>

using namespace llvm;

namespace gpulto {

namespace {

constexpr StringLiteral kPass = "gpulto-constants";

/// Says of each function what was proven of it, and from which contexts.
class Explainer {
public:
  Explainer(WpaContext &context, const Callers &callers,
            const ConstantsSolver &solver)
      : context(context), program(context.program), callers(callers),
        solver(solver), remarks(context, callers) {}

  void run() {
    collectSites();
    for (GlobalId id : callers.bodies()) {
      if (program.symbol(id).has(kKernelStub))
        continue; // the kernel's remarks say it
      for (const BodyPlan &plan : context.decisions.plansOf(id))
        explain(id, plan);
      if (!program.symbol(id).has(kKernel))
        continue;
      explainLaunches(id);
      if (callers.unknown(id) != UnknownCaller::None)
        explainUnknown(id);
    }
    remarks.say();
  }

private:
  void collectSites();
  void explain(GlobalId id, const BodyPlan &plan);
  void explainUnknown(GlobalId id);
  void explainLaunches(GlobalId id);
  bool addsNodes(GlobalId function) const;
  void addSite(GlobalId callee, uint32_t clone, GlobalId caller,
               const SourcePlace &place) {
    sites[{callee, clone}].push_back({caller, place});
  }
  std::string contextsOf(GlobalId id, uint32_t clone, StringRef noun) const;
  std::string describe(GlobalId id, const ValueFact &fact) const;
  void add(RemarkKind kind, StringRef name, GlobalId id, std::string text);
  StringRef passOf(GlobalId id) const {
    return program.symbol(id).has(kKernel) ? kLaunchPass : kPass;
  }

  WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  const ConstantsSolver &solver;
  ImageRemarks remarks;
  /// Calls or launches of a body (definition and clone): caller, place.
  DenseMap<std::pair<GlobalId, uint32_t>,
           SmallVector<std::pair<GlobalId, SourcePlace>, 2>>
      sites;
};

} // namespace

void Explainer::collectSites() {
  for (auto [i, body] : enumerate(solver.bodies())) {
    if (!body.isReached)
      continue;
    const CombinedModule &module = program.moduleRef(body.id);
    const FunctionSummary &function = *program.function(body.id);
    for (auto [number, call] :
         enumerate(slice(module.summary.calls, function.calls)))
      if (BodyIndex callee = solver.calleeOf(i, number); callee != kNone)
        addSite(solver.bodies()[callee].id, solver.bodies()[callee].clone,
                body.id, call.place);
    for (const LaunchSite &launch :
         slice(module.summary.launches, function.launches)) {
      BodyIndex clone = solver.launched(i, launch.call);
      for (GlobalId stub : solver.stubsOf(body, launch))
        for (GlobalId kernel : program.kernelsOf(stub))
          addSite(kernel, clone == kNone ? 0 : solver.bodies()[clone].clone,
                  body.id, launch.place);
    }
  }
}

/// Returns "the only launch (a.cu:7:3)" or "all 3 launches ...".
std::string Explainer::contextsOf(GlobalId id, uint32_t clone,
                                  StringRef noun) const {
  constexpr size_t kShown = 4;
  auto found = sites.find({id, clone});
  size_t count = found == sites.end() ? 0 : found->second.size();
  std::string text = count == 1
                         ? ("the only " + noun).str()
                         : "all " + std::to_string(count) + " " + noun.str() +
                               (noun == "launch" ? "es" : "s");
  if (count == 0)
    return text;
  std::vector<std::string> places;
  for (const auto &[caller, place] : ArrayRef(found->second).take_front(kShown))
    places.push_back(placeText(program, caller, place));
  if (count > kShown)
    places.push_back("...");
  return text + " (" + join(places, ", ") + ")";
}

/// Returns the shortest text that means \p number and no other one of its type,
/// and is no integer's.
template <typename T> static std::string floatText(T number) {
  constexpr size_t kEnough = 32;
  char buffer[kEnough];
  std::to_chars_result end = std::to_chars(buffer, buffer + kEnough, number);
  std::string text(buffer, end.ptr);
  bool looksWhole = text.find_first_not_of("-0123456789") == std::string::npos;
  return looksWhole ? text + ".0" : text;
}

/// Returns the size of a grid or block as the source has it, "256" or "16 x 8",
/// with a question mark for what is not known: "? x 1 x 1". Empty if nothing
/// is.
static std::string sizeText(ArrayRef<GeometryFact> dimensions) {
  auto isKnown = [](const GeometryFact &size) { return size.isConstant(); };
  if (none_of(dimensions, isKnown))
    return "";
  // A last dimension of 1 goes without saying if all are known.
  if (all_of(dimensions, isKnown))
    while (dimensions.size() > 1 && dimensions.back().low == 1)
      dimensions = dimensions.drop_back();
  std::vector<std::string> sizes;
  for (const GeometryFact &size : dimensions)
    sizes.push_back(isKnown(size) ? std::to_string(size.low) : "?");
  return join(sizes, " x ");
}

/// Returns what CUDA calls the memory of an address space of PTX.
static std::string memoryText(uint32_t addressSpace) {
  switch (addressSpace) {
  case 1:
    return "global memory";
  case 3:
    return "shared memory";
  case 4:
    return "constant memory";
  case 5:
    return "local memory";
  default:
    return "address space " + std::to_string(addressSpace);
  }
}

std::string Explainer::describe(GlobalId id, const ValueFact &fact) const {
  const ParameterRecord &formal = program.parameters(id)[fact.parameter];
  std::string what = parameterName(
      program, id, {fact.parameter, fact.isPart, fact.byteOffset});
  switch (fact.kind) {
  case ValueKind::Constant:
    if (fact.bitWidth == 0)
      return what + " is null";
    if ((formal.flags & kParamIsFloat) && fact.bitWidth == 32)
      return what + " is " + floatText(bit_cast<float>(uint32_t(fact.value)));
    if ((formal.flags & kParamIsFloat) && fact.bitWidth == 64)
      return what + " is " + floatText(bit_cast<double>(fact.value));
    return what + " is " + std::to_string(fact.value) + " (" +
           std::to_string(fact.bitWidth) + " bits)";
  case ValueKind::Address: {
    std::string text =
        what + " is the address of " + quotedName(program, fact.symbol);
    if (fact.value)
      text += " + " + std::to_string(fact.value);
    return text;
  }
  case ValueKind::Bounds:
    break;
  }
  std::vector<std::string> known;
  if (fact.bitWidth) {
    known.push_back("is in [" + std::to_string(fact.low) + ", " +
                    std::to_string(fact.high) + "]");
    if (unsigned zeros = countr_one(fact.knownZeros))
      known.push_back("is a multiple of " +
                      std::to_string(uint64_t(1) << std::min(zeros, 63u)));
  }
  if (fact.addressSpace)
    known.push_back("points into " + memoryText(fact.addressSpace));
  if (fact.alignLog2)
    known.push_back("is aligned to " +
                    std::to_string(uint64_t(1) << fact.alignLog2));
  if (fact.isNonNull)
    known.push_back("is not null");
  if (fact.dereferenceableBytes)
    known.push_back("leads to " + std::to_string(fact.dereferenceableBytes) +
                    " bytes that can be read");
  if (fact.isNoAlias)
    known.push_back("is apart from all other pointers");
  if (fact.isUnwritten)
    known.push_back("is written through by nothing while the kernel runs");
  return what + " " + join(known, " and ");
}

void Explainer::add(RemarkKind kind, StringRef name, GlobalId id,
                    std::string text) {
  remarks.add(kind, passOf(id), name, id, std::move(text));
}

/// Whether \p fact is of a byte of the part that \p number is of.
static bool isByteOf(const ValueFact &number, const ValueFact &fact) {
  constexpr unsigned kByteBits = 8;
  return number.isPart && fact.isPart && number.parameter == fact.parameter &&
         fact.bitWidth == kByteBits && number.bitWidth > kByteBits &&
         fact.byteOffset >= number.byteOffset &&
         fact.byteOffset < number.byteOffset + number.bitWidth / kByteBits;
}

void Explainer::explain(GlobalId id, const BodyPlan &plan) {
  if (!context.diagnostics.wantsRemark(RemarkKind::Passed, passOf(id)))
    return;
  bool isKernel = program.symbol(id).has(kKernel);
  std::string contexts =
      contextsOf(id, plan.clone, isKernel ? "launch" : "call");
  std::string owner = bodyName(program, id, plan.clone);
  if (plan.clone)
    add(RemarkKind::Passed, "Clone", id, owner + " for " + contexts);
  const FunctionFacts &facts = plan.facts;
  const ValueFact *last = nullptr;
  for (const ValueFact &fact : facts.values) {
    if (last && isByteOf(*last, fact))
      continue;
    last = &fact;
    add(RemarkKind::Passed,
        fact.kind == ValueKind::Bounds ? "ParameterBounds"
                                       : "ParameterConstant",
        id, describe(id, fact) + " in " + owner + ": " + contexts);
  }
  for (const ApartPair &pair : facts.apart)
    add(RemarkKind::Passed, "ApartPointers", id,
        parameterName(program, id, pair.first) + " and " +
            parameterName(program, id, pair.second) +
            " lead into different allocations in " + owner + ": " + contexts);
  std::vector<std::string> known;
  ArrayRef<GeometryFact> geometry(facts.geometry);
  size_t half = geometry.size() / 2;
  for (auto [name, sizes] : {std::pair{"grid ", geometry.take_front(half)},
                             std::pair{"block ", geometry.drop_front(half)}})
    if (std::string text = sizeText(sizes); !text.empty())
      known.push_back(name + text);
  if (!known.empty())
    add(RemarkKind::Passed, "LaunchGeometry", id,
        "geometry of " + owner + " is " + join(known, ", ") + ": " + contexts);
}

/// Whether \p function adds nodes to graphs, which may be kernels.
bool Explainer::addsNodes(GlobalId function) const {
  const CombinedModule &module = program.moduleRef(function);
  return any_of(program.calls(function), [&](const CallEdge &call) {
    if (call.callee == kNone)
      return false;
    StringRef name = module.summary.symbols[call.callee].name;
    return isRuntime(name, RuntimeFunction::AddsKernelNode) ||
           isRuntime(name, RuntimeFunction::AddsAnyNode);
  });
}

void Explainer::explainUnknown(GlobalId id) {
  if (!context.diagnostics.wantsRemark(RemarkKind::Missed, kLaunchPass))
    return;
  std::string text =
      "launches of " + quotedName(program, id) +
      " are unknown: " + gpulto::describe(callers.unknown(id)).str();
  if (GlobalId by = callers.takenBy(id); by != kNone) {
    text += " in " + quotedName(program, by);
    if (program.function(by) && addsNodes(by))
      text += ", which adds nodes with unknown parameters to a graph";
  }
  if (callers.unknown(id) == UnknownCaller::Captured)
    text += ": " + callers.whoCaptures().str() +
            "; if nobody changes them, say so (--gpulto-graph-nodes=unchanged)";
  add(RemarkKind::Missed, "UnknownLaunches", id, std::move(text));
}

/// Says who launches the kernel \p id, its clones included, and where.
void Explainer::explainLaunches(GlobalId id) {
  if (!context.diagnostics.wantsRemark(RemarkKind::Analysis, kLaunchPass))
    return;
  for (const BodyPlan &plan : context.decisions.plansOf(id)) {
    auto found = sites.find({id, plan.clone});
    if (found == sites.end())
      continue;
    for (const auto &[caller, place] : found->second)
      add(RemarkKind::Analysis, "Launch", id,
          bodyName(program, id, plan.clone) + " is launched by " +
              quotedName(program, caller) + " (" +
              placeText(program, caller, place) + ")");
  }
}

void explainConstants(WpaContext &context, const Callers &callers,
                      const ConstantsSolver &solver) {
  const Diagnostics &diagnostics = context.diagnostics;
  if (diagnostics.wantsRemark(RemarkKind::Passed, kPass) ||
      diagnostics.wantsRemark(RemarkKind::Passed, kLaunchPass) ||
      diagnostics.wantsRemark(RemarkKind::Missed, kLaunchPass) ||
      diagnostics.wantsRemark(RemarkKind::Analysis, kLaunchPass))
    Explainer(context, callers, solver).run();
}

} // namespace gpulto
