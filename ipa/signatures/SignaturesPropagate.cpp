//===- SignaturesPropagate.cpp - Needless parameters of host functions ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: remove unused and constant parameters, and unused results, of host
// functions that several partitions use, and pass them what they would only
// load (ipa/signatures/LoadedPartsAnalyze.cpp).
//
//   a.cpp: report(stderr, "a", n);               report(n)
//   b.cpp: report(stderr, "a", 2 * n);           report(2 * n)
//   c.cpp: int report(FILE *to, const char *what, int n) { ... return n; }
//
//   Constant propagation knows `to` and `what`, and no call uses the result.
//
// A function keeps its signature unless all can follow (findCandidates): every
// caller is an edge of the graph and optimized, its calls are plain, every
// module knows the function by the same type, and no other body stands for it.
// Clones have their own parameters, since they know more constants.
//
// LLVM does it for internal functions; whether a function is internal depends
// on the cut, but this does not. Linear in calls and symbols.
//
// Source: M. Jambor, GCC's ipa-sra.cc and ipa-param-manipulation.cc.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "ipa/callers/Callers.h"
#include "summary/CombinedModule.h"
#include "summary/Remarks.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gpulto {

namespace {

constexpr StringLiteral kPass = "gpulto-signatures";

class SignatureChooser {
public:
  SignatureChooser(WpaContext &context, const Callers &callers)
      : context(context), program(context.program), callers(callers),
        candidates(program.symbolCount()), used(program.symbolCount()),
        calls(program.symbolCount(), 0) {}

  void run() {
    findCandidates();
    checkSymbols();
    checkCalls();
    for (GlobalId id : callers.bodies())
      if (calls[id] && program.imageOf(id) == kHostImage)
        decide(id);
  }

private:
  void findCandidates();
  StringRef whyFixed(GlobalId id) const;
  void refuse(GlobalId id, StringRef reason);
  bool isOptimized(GlobalId id) const;
  void checkSymbols();
  void checkCalls();
  void decide(GlobalId id);
  SignatureChange changeOf(GlobalId id, const BodyPlan *plan) const;
  ArrayRef<LoadedPart> partsOf(GlobalId id, uint32_t number) const;
  ArrayRef<LoadedPart> loadedParts(GlobalId id, uint32_t number) const;
  std::string whyPointer(GlobalId id, uint32_t number) const;
  void explainPointers(GlobalId id, const SignatureChange &change);
  void explain(GlobalId id, const SignatureChange &change, RemarkKind kind);

  WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  /// By GlobalId: functions whose signature may change, those whose result
  /// somebody uses, and how many calls there are.
  BitVector candidates, used;
  std::vector<uint32_t> calls;
  /// Why others cannot. Looked up only.
  DenseMap<GlobalId, StringRef> refusals;
};

} // namespace

bool SignatureChooser::isOptimized(GlobalId id) const {
  return program.moduleRef(id).summary.optLevel > 0 &&
         !program.function(id)->has(kOptNone);
}

/// Returns why the signature of \p id cannot change, as far as that can be told
/// from itself; empty: it may.
StringRef SignatureChooser::whyFixed(GlobalId id) const {
  constexpr uint32_t kNever =
      kVarArg | kNaked | kHasAsmLabels | kBlockAddressTaken;
  if (callers.unknown(id) != UnknownCaller::None)
    return gpulto::describe(callers.unknown(id));
  if (!callers.isFinal(id))
    return "another definition may take its place";
  if (!isOptimized(id))
    return "it is not optimized";
  if ((program.function(id)->flags & kNever) ||
      program.symbol(id).has(kKernelStub))
    return "its body needs it";
  return "";
}

void SignatureChooser::refuse(GlobalId id, StringRef reason) {
  if (candidates.test(id))
    refusals[id] = reason;
  candidates.reset(id);
}

void SignatureChooser::findCandidates() {
  for (GlobalId id : callers.bodies())
    if (program.imageOf(id) == kHostImage) {
      candidates.set(id);
      if (StringRef reason = whyFixed(id); !reason.empty())
        refuse(id, reason);
    }
  // Members' callers may mean another type by the same bits.
  for (auto [member, leader] : program.folds())
    refuse(leader, "others are folded into it");
  for (auto [member, leader] : program.jumps()) {
    refuse(member, "its body is another's");
    refuse(leader, "others jump to it");
  }
}

/// Leaves out functions that a module declares with another type, or needs
/// unchanged.
void SignatureChooser::checkSymbols() {
  for (GlobalId id = 0; id < program.symbolCount(); ++id) {
    GlobalId definition = program.definition(id);
    if (definition == kNone || !candidates.test(definition))
      continue;
    const SymbolRecord &symbol = program.symbol(id);
    if (symbol.has(kSignatureFixed))
      refuse(definition, "a call, or its body, needs it as it is");
    else if (symbol.typeHash != program.symbol(definition).typeHash)
      refuse(definition, "a module declares it with another type");
  }
}

/// Examines all calls: their callers, and uses of their results.
void SignatureChooser::checkCalls() {
  for (GlobalId id : callers.bodies()) {
    const ModuleSummary &module = program.moduleRef(id).summary;
    if (module.side != Side::Host)
      continue;
    bool isFollowing = isOptimized(id);
    for (const CallEdge &call :
         slice(module.calls, program.function(id)->calls)) {
      GlobalId callee = program.definitionFor(id, call.callee);
      if (callee == kNone)
        continue;
      ++calls[callee];
      if (!isFollowing)
        refuse(callee, "a caller is not optimized");
      if (!(call.flags & kIgnoresResultSite))
        used.set(callee);
    }
  }
}

/// Returns whether LTRANS puts what \p fact says in the place of \p formal.
static bool isReplaced(const ValueFact &fact, const ParameterRecord &formal) {
  if (fact.isPart)
    return false;
  if (formal.flags & kParamIsPointer)
    return fact.kind == ValueKind::Address ||
           (fact.kind == ValueKind::Constant && fact.value == 0 &&
            fact.bitWidth == 0);
  constexpr unsigned kMostBits = 64;
  return fact.kind == ValueKind::Constant && fact.bitWidth != 0 &&
         fact.bitWidth == formal.bitWidth && fact.bitWidth <= kMostBits;
}

/// Returns what the body of \p id that \p plan is about (null: the definition,
/// of which nothing is known) can do without.
SignatureChange SignatureChooser::changeOf(GlobalId id,
                                           const BodyPlan *plan) const {
  SignatureChange change;
  change.clone = plan ? plan->clone : 0;
  change.dropsResult = !used.test(id);
  for (auto [i, formal] : enumerate(program.parameters(id))) {
    bool isDropped = formal.flags & kParamUnused;
    if (plan)
      for (const ValueFact &fact : plan->facts.values)
        isDropped |= fact.parameter == i && isReplaced(fact, formal);
    if (formal.flags & kParamIsSpecial)
      continue;
    if (isDropped)
      change.dropped.push_back(i);
    else
      append_range(change.loaded, loadedParts(id, i));
  }
  return change;
}

/// Returns the parts that parameter \p number of \p id can be passed as; none
/// if it cannot.
ArrayRef<LoadedPart> SignatureChooser::partsOf(GlobalId id,
                                               uint32_t number) const {
  ArrayRef<LoadedPart> all = slice(program.moduleRef(id).summary.loadedParts,
                                   program.function(id)->loadedParts);
  return all
      .drop_until([&](const LoadedPart &p) { return p.parameter == number; })
      .take_while([&](const LoadedPart &p) { return p.parameter == number; });
}

static uint64_t sizeOf(ArrayRef<LoadedPart> parts) {
  uint64_t bytes = 0;
  for (const LoadedPart &part : parts)
    bytes += part.sizeBytes();
  return bytes;
}

/// As partsOf, but none if they are too large.
ArrayRef<LoadedPart> SignatureChooser::loadedParts(GlobalId id,
                                                   uint32_t number) const {
  ArrayRef<LoadedPart> parts = partsOf(id, number);
  return sizeOf(parts) <= context.params.loadedPartsBytes
             ? parts
             : ArrayRef<LoadedPart>();
}

void SignatureChooser::decide(GlobalId id) {
  std::vector<SignatureChange> changes;
  ArrayRef<BodyPlan> plans = context.decisions.plansOf(id);
  if (plans.empty() || plans.front().clone)
    changes.push_back(changeOf(id, nullptr));
  for (const BodyPlan &plan : plans)
    changes.push_back(changeOf(id, &plan));
  if (candidates.test(id))
    explainPointers(id, changes.front());
  erase_if(changes, [](const SignatureChange &change) {
    return change.dropped.empty() && change.loaded.empty() &&
           !change.dropsResult;
  });
  if (changes.empty())
    return;
  bool isCandidate = candidates.test(id);
  RemarkKind kind = isCandidate ? RemarkKind::Passed : RemarkKind::Missed;
  if (context.diagnostics.wantsRemark(kind, kPass))
    for (const SignatureChange &change : changes)
      explain(id, change, kind);
  if (isCandidate)
    context.decisions.signatures[id] = std::move(changes);
}

/// Returns why parameter \p number of \p id, through which it only loads, is
/// not passed as what it loads; empty: nothing is to be said.
std::string SignatureChooser::whyPointer(GlobalId id, uint32_t number) const {
  switch (program.parameters(id)[number].pointerNeed) {
  case PointerNeed::None:
    break;
  case PointerNeed::HandedOn:
    return "it is handed on to another function";
  case PointerNeed::Copied:
    return "it is copied as a whole";
  case PointerNeed::Compared:
    return "its address is compared";
  case PointerNeed::Volatile:
    return "a load is volatile or atomic";
  case PointerNeed::AnyPlace:
    return "what is loaded is at a distance that is not constant";
  case PointerNeed::OtherType:
    return "what is loaded is no integer, float or pointer of a usual size";
  case PointerNeed::Overlaps:
    return "what is loaded overlaps, or has several types";
  case PointerNeed::TooMany:
    return "there are too many loads";
  case PointerNeed::Condition:
    return "a load depends on a condition, and not every call is known to pass "
           "what can be read";
  case PointerNeed::Changed:
    return "it may be written before it is loaded";
  }
  uint64_t bytes = sizeOf(partsOf(id, number));
  uint64_t most = context.params.loadedPartsBytes;
  if (bytes <= most)
    return "";
  return std::to_string(bytes) + " bytes are loaded, more than " +
         "loadedPartsBytes, " + std::to_string(most);
}

/// Says which pointers the definition \p id, which \p change is about, is
/// passed though it only loads through them.
void SignatureChooser::explainPointers(GlobalId id,
                                       const SignatureChange &change) {
  if (!context.diagnostics.wantsRemark(RemarkKind::Missed, kPass) ||
      program.function(id)->has(kAlwaysInline))
    return;
  for (uint32_t i = 0; i < program.parameters(id).size(); ++i) {
    if (is_contained(change.dropped, i))
      continue;
    if (std::string why = whyPointer(id, i); !why.empty())
      addRemark(context, RemarkKind::Missed, kPass, "PointerStays", id,
                quotedName(program, id) + " only loads through " +
                    parameterName(program, id, i) +
                    ", but is passed the pointer: " + why);
  }
}

static std::string bytesOf(const LoadedPart &part) {
  return std::to_string(part.byteOffset) + "-" +
         std::to_string(part.byteOffset + part.sizeBytes() - 1);
}

void SignatureChooser::explain(GlobalId id, const SignatureChange &change,
                               RemarkKind kind) {
  std::vector<std::string> parts;
  for (uint32_t i : change.dropped)
    parts.push_back(parameterName(program, id, i));
  for (ArrayRef<LoadedPart> rest = change.loaded; !rest.empty();) {
    uint32_t parameter = rest.front().parameter;
    std::vector<std::string> bytes;
    for (; !rest.empty() && rest.front().parameter == parameter;
         rest = rest.drop_front())
      bytes.push_back(bytesOf(rest.front()));
    parts.push_back(parameterName(program, id, parameter) + " (only bytes " +
                    join(bytes, ", ") + " behind it are used)");
  }
  if (change.dropsResult)
    parts.push_back("its result");
  std::string owner = bodyName(program, id, change.clone);
  std::string what = join(parts, ", ");
  if (kind == RemarkKind::Missed)
    return addRemark(context, kind, kPass, "SignatureStays", id,
                     owner + " keeps " + what +
                         ", which nobody needs: " + refusals.lookup(id).str());
  addRemark(context, kind, kPass, "Signature", id,
            owner + " drops " + what + ": " +
                (calls[id] == 1
                     ? "the only call follows"
                     : "all " + std::to_string(calls[id]) + " calls follow"));
}

void propagateSignatures(WpaContext &context, const Callers &callers) {
  SignatureChooser(context, callers).run();
}

} // namespace gpulto
