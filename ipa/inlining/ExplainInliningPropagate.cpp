//===- ExplainInliningPropagate.cpp - Why a call is inlined, or not -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/inlining/InlineCalls.h"
#include "summary/Remarks.h"

using namespace llvm;

namespace gpulto {

static constexpr StringLiteral kPass = "gpulto-inlining";

StringRef reasonOf(InlineVerdict verdict) {
  switch (verdict) {
  case InlineVerdict::TooLarge:
    return "it is too large";
  case InlineVerdict::Cold:
    return "the call is cold, and code would grow";
  case InlineVerdict::ForSize:
    return "the caller is optimized for size, and would grow";
  case InlineVerdict::Recursive:
    return "it would be inlined into itself";
  case InlineVerdict::CallerFull:
    return "the caller would become too large";
  case InlineVerdict::ModuleFull:
    return "other calls are worth the growth of the module more";
  case InlineVerdict::LittleGain:
    return "calls are too small a part of its time";
  case InlineVerdict::StackFull:
    return "its frame would become too large";
  case InlineVerdict::Folded:
    return "it is folded and jumps to what does the same";
  case InlineVerdict::Weak:
    return "it is weak, so another definition may take its place";
  case InlineVerdict::Redefined:
    return "the linker gives its name another meaning (--wrap, --defsym)";
  case InlineVerdict::NoInline:
    return "it is marked noinline";
  case InlineVerdict::NoInlineSite:
    return "the call is marked noinline";
  case InlineVerdict::NotOptimized:
    return "it is compiled without optimization (-O0, optnone)";
  case InlineVerdict::VariableArguments:
    return "it has variable arguments";
  case InlineVerdict::Naked:
    return "it is marked naked";
  case InlineVerdict::ReturnsTwice:
    return "it returns twice, as setjmp does";
  case InlineVerdict::AssemblyLabels:
    return "its assembly defines labels, so there is one copy only";
  case InlineVerdict::ComputedGoto:
    return "it has computed gotos, so there is one copy only";
  case InlineVerdict::OtherOptions:
    return "its file is compiled with another -mcmodel=, -fcf-protection= or "
           "the like, which holds for all of a file";
  case InlineVerdict::Undecided:
  case InlineVerdict::Inlined:
    break;
  }
  return "";
}

std::string describe(const InlineOutcome &outcome) {
  if (!outcome.isWeighed())
    return reasonOf(outcome.verdict).str();
  constexpr uint32_t kOnce = 256;
  std::string text;
  if (!outcome.isInlined())
    text = reasonOf(outcome.verdict).str() + "; ";
  else if (outcome.copies)
    text = std::to_string(outcome.copies) + " times, " +
           std::to_string(outcome.depth) + " deep; ";
  else if (outcome.isForced)
    text = "it asks for it; ";
  else if (outcome.isOnlyUse)
    text = "nothing else uses it; ";
  text += "growth " + std::to_string(outcome.growth) + " of at most " +
          std::to_string(outcome.allowed) + " instructions; saves " +
          std::to_string(outcome.saved);
  if (outcome.constantGain)
    text += " (" + std::to_string(outcome.constantGain) + " by constants)";
  text += " each time, " + std::to_string(outcome.frequency / kOnce) + "." +
          std::to_string(outcome.frequency % kOnce * 10 / kOnce) +
          " times for each run of the caller";
  return text;
}

static void explain(const WpaContext &context, const InlineOutcome &outcome) {
  RemarkKind kind =
      outcome.isInlined() ? RemarkKind::Passed : RemarkKind::Missed;
  if (!context.diagnostics.wantsRemark(kind, kPass))
    return;
  const CombinedSummary &program = context.program;
  Remark remark = remarkOn(program, outcome.caller);
  remark.kind = kind;
  remark.pass = kPass.str();
  remark.name = outcome.isInlined() ? "Inlined" : "NotInlined";
  remark.where = locationOf(program, outcome.caller, outcome.place);
  remark.text = quotedName(program, outcome.callee) + " is ";
  remark.text += outcome.isInlined() ? "inlined" : "not inlined";
  remark.text +=
      " into " + quotedName(program, outcome.caller) + ": " + describe(outcome);
  context.diagnostics.remark(std::move(remark));
}

void explainInlining(const WpaContext &context,
                     ArrayRef<InlineOutcome> outcomes) {
  for (const InlineOutcome &outcome : outcomes)
    explain(context, outcome);
}

} // namespace gpulto
