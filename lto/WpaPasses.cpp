//===- WpaPasses.cpp - Run the passes of whole-program analysis -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/WpaPasses.h"

#include "icf/FoldRoles.h"
#include "ipa/Coldness.h"
#include "ipa/Constants.h"
#include "ipa/Inlining.h"
#include "ipa/ModRef.h"
#include "ipa/Signatures.h"
#include "ipa/Visibility.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

static StringRef withoutEscape(StringRef name) {
  name.consume_front("\1");
  return name;
}

/// Returns the row of the class \p fold in the table of folds.
static FoldTableClass describeFold(const WpaContext &context,
                                   const Callers &callers,
                                   const FoldClass &fold) {
  const CombinedSummary &program = context.program;
  FoldTableClass row;
  row.arch = program.images()[program.imageOf(fold.leader)].arch;
  auto add = [&](GlobalId id, FoldState state) {
    const FunctionSummary *function = program.function(id);
    bool keepsSymbol = state == FoldState::Jumps || state == FoldState::Stays;
    row.members.push_back(
        {withoutEscape(program.symbol(id).name).str(), state,
         function ? function->instructionCount : 0,
         function ? function->sizeBytes
                  : static_cast<uint32_t>(program.variable(id)->sizeBytes),
         keepsSymbol ? whyItStays(context, callers, id).str() : std::string()});
  };
  add(fold.leader, FoldState::Leads);
  for (GlobalId id : fold.members)
    add(id, FoldState::Folded);
  for (GlobalId id : fold.jumps)
    add(id, FoldState::Jumps);
  for (GlobalId id : fold.stays)
    add(id, FoldState::Stays);
  return row;
}

/// Numbers what becomes one body of the host, as the table of folds counts its
/// rows, from \p first on.
static void numberFold(const CombinedSummary &program, const FoldClass &fold,
                       uint32_t first, FoldNumbers &numbers) {
  if (program.imageOf(fold.leader) != kHostImage ||
      !program.function(fold.leader))
    return;
  uint32_t next = first;
  numbers[fold.leader] = next;
  for (GlobalId id : concat<const GlobalId>(fold.members, fold.jumps))
    numbers[id] = ++next;
}

/// Decides visibility, and with it who calls whom.
static Error findVisible(WpaState &state) {
  if (Error error = propagateVisibility(state.context))
    return error;
  state.callers = std::make_unique<Callers>(state.context);
  return Error::success();
}

/// Lets one definition stand for all that do the same, and notes it in the
/// table of folds.
static Error foldIdentical(WpaState &state) {
  CombinedSummary &program = state.program;
  std::vector<FoldTableClass> &table = state.folds.classes;
  uint32_t rows = 0;
  for (const FoldClass &fold :
       findFolds(state.context, *state.callers, state.icf)) {
    table.push_back(describeFold(state.context, *state.callers, fold));
    numberFold(program, fold, rows, state.foldNumbers);
    rows += table.back().members.size();
    for (GlobalId member : fold.members)
      program.fold(member, fold.leader);
    for (GlobalId member : fold.jumps)
      program.jump(member, fold.leader);
  }
  program.applyFolds();
  if (program.folds().empty() && program.jumps().empty())
    return Error::success();
  state.graph = CallGraph(program, state.context.threads);
  return findVisible(state);
}

/// Chooses calls that are to be inlined, and notes them for people.
static Error inlineCalls(WpaState &state) {
  state.inlining = makeInlineTable(
      state.context, propagateInlining(state.context, *state.callers));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The entries that passes have
//===----------------------------------------------------------------------===//

static Error run(std::nullptr_t, WpaState &) { return Error::success(); }

static Error run(Error (*propagate)(WpaState &), WpaState &state) {
  return propagate(state);
}

static Error run(void (*propagate)(WpaContext &, const Callers &),
                 WpaState &state) {
  propagate(state.context, *state.callers);
  return Error::success();
}

static Error run(void (*propagate)(WpaContext &, const Callers &, Statistics &),
                 WpaState &state) {
  propagate(state.context, *state.callers, state.statistics);
  return Error::success();
}

/// Runs the pass \p name; one without \p propagate takes no time.
template <typename Propagate>
static Error runTimed(StringRef name, Propagate propagate, WpaState &state) {
  if constexpr (std::is_null_pointer_v<Propagate>)
    return Error::success();
  PhaseTimer timer(&state.statistics, "wpa-" + name.lower());
  return run(propagate, state);
}

Error propagateAll(WpaState &state) {
#define GPULTO_PASS(NAME, ANALYZE, PROPAGATE, TRANSFORM, REMARK, SENTENCE)     \
  if (Error error = runTimed(#NAME, PROPAGATE, state))                         \
    return error;
#include "lto/Passes.def"
  return Error::success();
}

} // namespace gpulto
