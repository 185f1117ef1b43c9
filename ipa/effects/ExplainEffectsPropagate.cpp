//===- ExplainEffectsPropagate.cpp - What effects were proven -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/callers/ImageRemarks.h"
#include "ipa/effects/Effects.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace llvm;

namespace gpulto {

namespace {

constexpr StringLiteral kPass = "gpulto-effects";

class Explainer {
public:
  Explainer(WpaContext &context, const Callers &callers)
      : context(context), program(context.program), callers(callers),
        remarks(context, callers) {}

  void run() {
    for (GlobalId id : callers.bodies()) {
      if (const FunctionEffects *effects = context.decisions.effectsOf(id))
        explain(id, *effects);
      noteUses(id);
    }
    for (auto &[id, users] : uses)
      explainVariable(id, users);
    remarks.say();
  }

private:
  void explain(GlobalId id, const FunctionEffects &effects);
  void explainKernel(GlobalId id, const FunctionEffects &effects);
  void explainUnknownCall(GlobalId id);
  void noteUses(GlobalId id);
  void explainVariable(GlobalId id, ArrayRef<GlobalId> users);
  std::string nameOf(GlobalId id) const { return quotedName(program, id); }
  void add(RemarkKind kind, StringRef name, GlobalId id, std::string text);

  WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  ImageRemarks remarks;
  /// Who mentions a variable of which something was proven.
  std::map<GlobalId, SmallVector<GlobalId, 4>> uses;
};

} // namespace

void Explainer::add(RemarkKind kind, StringRef name, GlobalId id,
                    std::string text) {
  remarks.add(kind, kPass, name, id, std::move(text));
}

/// Returns "reads memory behind its arguments, ..." or "touches no memory".
static std::string describeMemory(uint32_t may) {
  struct Place {
    uint32_t reads, writes;
    StringLiteral name;
  };
  static constexpr Place kPlaces[] = {
      {kReadsArguments, kWritesArguments, "what its arguments point to"},
      {kReadsGlobals | kReadsOther, kWritesGlobals | kWritesOther,
       "other memory"},
      {kReadsInaccessible, kWritesInaccessible,
       "memory that the program cannot see"}};
  std::vector<std::string> parts;
  for (const Place &place : kPlaces) {
    bool reads = may & place.reads, writes = may & place.writes;
    if (reads || writes)
      parts.push_back(((reads && writes ? "reads and writes "
                        : reads         ? "reads "
                                        : "writes ") +
                       place.name)
                          .str());
  }
  return parts.empty() ? "touches no memory" : "only " + join(parts, ", ");
}

void Explainer::explain(GlobalId id, const FunctionEffects &effects) {
  constexpr uint32_t kAnywhere = kReadsOther | kWritesOther;
  std::vector<std::string> parts;
  if ((effects.may & kAnywhere) != kAnywhere)
    parts.push_back(describeMemory(effects.may));
  if (!(effects.may & kUnwinds))
    parts.push_back("does not throw");
  if (effects.neverReturns)
    parts.push_back("never returns");
  if (effects.alwaysReturns)
    parts.push_back("always comes back");
  if (!(effects.may & kFrees))
    parts.push_back("frees nothing");
  if (program.symbol(id).has(kKernel))
    return explainKernel(id, effects);
  if (parts.empty())
    return explainUnknownCall(id);
  uint32_t calls = program.function(id)->calls.count;
  add(RemarkKind::Passed, "Effects", id,
      nameOf(id) + " " + join(parts, ", ") + ": " +
          (calls ? "its body and what it calls (" + std::to_string(calls) +
                       (calls == 1 ? " call)" : " calls)")
                 : "its body"));
}

/// Says what a kernel does to its pointers and to device variables.
void Explainer::explainKernel(GlobalId id, const FunctionEffects &effects) {
  auto describeAccess = [](bool reads, bool writes, bool isKept) {
    if (isKept)
      return "keeps";
    return reads && writes ? "reads and writes"
           : reads         ? "reads"
           : writes        ? "writes"
                           : "does not touch";
  };
  std::vector<std::string> parts;
  for (auto [i, formal] : enumerate(program.parameters(id))) {
    uint32_t access = effects.parameters[i];
    if ((formal.flags & kParamIsPointer) && !(formal.flags & kParamByVal))
      parts.push_back(std::string(describeAccess(access & kParamMayRead,
                                                 access & kParamMayWrite,
                                                 access & kParamMayEscape)) +
                      " " + parameterName(program, id, i));
  }
  for (const VariableUse &use : effects.variables)
    parts.push_back(
        std::string(describeAccess(use.flags & kReads, use.flags & kWrites,
                                   use.flags & kTakesAddress)) +
        " " + nameOf(use.variable));
  if (effects.may & (kReadsOther | kWritesOther))
    parts.push_back("may touch memory through other pointers");
  if (!parts.empty())
    add(RemarkKind::Passed, "KernelEffects", id,
        "kernel " + nameOf(id) + " " + join(parts, ", "));
}

/// Names the first call that makes \p id do anything.
void Explainer::explainUnknownCall(GlobalId id) {
  const CombinedModule &module = program.moduleRef(id);
  for (const CallEdge &call :
       slice(module.summary.calls, program.function(id)->calls)) {
    GlobalId callee = callers.calleeOf(id, call.callee);
    if (context.decisions.effectsOf(callee) || (call.flags & kKnownMemorySite))
      continue;
    std::string what =
        call.callee == kNone
            ? "an indirect call"
            : "the call of '" + module.summary.symbols[call.callee].name.str() +
                  "'";
    std::string where = call.place.isKnown()
                            ? " (" + placeText(program, id, call.place) + ")"
                            : "";
    return add(RemarkKind::Missed, "UnknownEffects", id,
               nameOf(id) + " may do anything: nothing is known of " + what +
                   where);
  }
}

void Explainer::noteUses(GlobalId id) {
  const Decisions &decisions = context.decisions;
  for (const ReferenceEdge &edge :
       slice(program.moduleRef(id).summary.references,
             program.function(id)->references))
    if (GlobalId variable = program.definitionFor(id, edge.symbol);
        variable != kNone &&
        (decisions.isNeverWritten(variable) || decisions.isNeverRead(variable)))
      uses[variable].push_back(id);
}

void Explainer::explainVariable(GlobalId id, ArrayRef<GlobalId> users) {
  constexpr size_t kShown = 4;
  bool isConstant = context.decisions.isNeverWritten(id);
  std::vector<std::string> names;
  for (GlobalId user : users.take_front(kShown))
    names.push_back(nameOf(user));
  if (users.size() > kShown)
    names.push_back("...");
  add(RemarkKind::Passed, isConstant ? "NeverWritten" : "NeverRead", id,
      nameOf(id) + " is never " + (isConstant ? "written" : "read") + ": " +
          std::to_string(users.size()) +
          (users.size() == 1 ? " function mentions" : " functions mention") +
          " it, " + join(names, ", "));
}

void explainEffects(WpaContext &context, const Callers &callers) {
  if (context.diagnostics.wantsRemark(RemarkKind::Passed, kPass) ||
      context.diagnostics.wantsRemark(RemarkKind::Missed, kPass))
    Explainer(context, callers).run();
}

} // namespace gpulto
