//===- WpaPasses.cpp - Run the passes of whole-program analysis -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/wpa/WpaPasses.h"

#include "icf/FoldRoles.h"
#include "ipa/bodies/Passes.h"
#include "ipa/inlining/Inlining.h"
#include "ipa/runtime/ReplacedRuntime.h"
#include "ipa/symbols/Visibility.h"
#include "summary/CombinedModule.h"
#include "support/StableHash.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace llvm;

namespace gpulto {

static StringRef withoutEscape(StringRef name) {
  name.consume_front("\1");
  return name;
}

/// Returns the row of the class \p fold in the table of folds.
static FoldTableClass describeFold(const WpaContext &context,
                                   const Callers &callers,
                                   const FoldClass &fold,
                                   const FoldNumbers &numbers) {
  const CombinedSummary &program = context.program;
  FoldTableClass row;
  row.arch = program.images()[program.imageOf(fold.leader)].arch;
  auto add = [&](GlobalId id, FoldState state) {
    const FunctionSummary *function = program.function(id);
    bool keepsSymbol = state == FoldState::Jumps || state == FoldState::Stays;
    auto number = numbers.find(id);
    row.members.push_back(
        {withoutEscape(program.symbol(id).name).str(), state,
         function ? function->instructionCount : 0,
         function ? function->sizeBytes
                  : static_cast<uint32_t>(std::min<uint64_t>(
                        program.variable(id)->sizeBytes, UINT32_MAX)),
         keepsSymbol ? whyItStays(context, callers, id).str() : std::string(),
         number == numbers.end() ? kNone : number->second});
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

namespace {
/// Numbers what becomes one body of the host. Numbers come of names, in a space
/// that leaves most of it free: what else is folded changes few of them, and
/// with them the objects of few jobs.
class FoldNumbering {
public:
  FoldNumbering(const CombinedSummary &program, ArrayRef<FoldClass> folds)
      : program(program) {
    uint64_t members = 0;
    for (const FoldClass &fold : folds)
      members += 1 + fold.members.size() + fold.jumps.size();
    space = std::max(kLeastSpace, PowerOf2Ceil(members * kSpacePerMember));
  }

  uint32_t number(GlobalId id) {
    const SymbolRecord &symbol = program.symbol(id);
    StableHasher hasher;
    hasher.add(symbol.name);
    if (symbol.isLocal())
      hasher.add(program.moduleRef(id).tag);
    uint32_t result = hasher.finish().lo & (space - 1);
    while (!taken.insert(result).second)
      result = (result + 1) & (space - 1);
    return result;
  }

private:
  /// Three bytes of ULEB128.
  static constexpr uint64_t kLeastSpace = 1 << 21;
  static constexpr uint64_t kSpacePerMember = 4;

  const CombinedSummary &program;
  uint64_t space;
  DenseSet<uint32_t> taken;
};
} // namespace

/// Decides visibility, then finds the callers of functions.
static Error propagateVisibility(WpaState &state) {
  if (Error error = findVisible(state.context))
    return error;
  state.callers = std::make_unique<Callers>(state.context);
  return Error::success();
}

/// Lets one definition stand for all that do the same, and notes it in the
/// table of folds.
static Error propagateFold(WpaState &state) {
  CombinedSummary &program = state.program;
  std::vector<FoldTableClass> &table = state.folds.classes;
  std::vector<FoldClass> folds =
      findFolds(state.context, *state.callers, state.icf);
  FoldNumbering numbering(program, folds);
  for (const FoldClass &fold : folds) {
    if (program.imageOf(fold.leader) == kHostImage &&
        program.function(fold.leader))
      for (GlobalId id : concat<const GlobalId>(ArrayRef(fold.leader),
                                                fold.members, fold.jumps))
        state.foldNumbers[id] = numbering.number(id);
    table.push_back(
        describeFold(state.context, *state.callers, fold, state.foldNumbers));
    for (GlobalId member : fold.members)
      program.fold(member, fold.leader);
    for (GlobalId member : fold.jumps)
      program.jump(member, fold.leader);
  }
  program.applyFolds();
  if (program.folds().empty() && program.jumps().empty())
    return Error::success();
  state.graph = CallGraph(program, state.context.threads);
  return propagateVisibility(state);
}

/// Chooses calls that are to be inlined, and notes them for people.
static Error propagateInlining(WpaState &state) {
  state.inlining = makeInlineTable(
      state.context, chooseInlining(state.context, *state.callers));
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

static Error run(std::unique_ptr<KnownValues> (*propagate)(WpaContext &,
                                                           const Callers &,
                                                           Statistics &),
                 WpaState &state) {
  state.values = propagate(state.context, *state.callers, state.statistics);
  return Error::success();
}

static Error run(void (*propagate)(WpaContext &, const Callers &,
                                   const KnownValues &),
                 WpaState &state) {
  assert(state.values && "a row after Constants that trusts the runtime");
  propagate(state.context, *state.callers, *state.values);
  return Error::success();
}

/// What a pass takes for granted.
enum class Trusts { Nothing, Runtime };

/// Runs the pass \p name; one without \p propagate takes no time.
template <Trusts kTrusts, typename Propagate>
static Error runTimed(StringRef name, Propagate propagate, WpaState &state) {
  if constexpr (std::is_null_pointer_v<Propagate>)
    return Error::success();
  if (kTrusts == Trusts::Runtime && !state.context.replacedRuntime.empty())
    return Error::success();
  PhaseTimer timer(&state.statistics, "wpa-" + name.lower());
  return run(propagate, state);
}

/// Finds out whether CUDA's runtime is what its names say, and says so if not.
static void checkRuntime(WpaContext &context) {
  context.replacedRuntime = findReplacedRuntime(context).str();
  if (context.replacedRuntime.empty())
    return;
  Remark remark;
  remark.kind = RemarkKind::Missed;
  remark.pass = "gpulto-constants";
  remark.name = "RuntimeReplaced";
  remark.text = "neither values nor memory are followed: '" +
                context.replacedRuntime +
                "' is no function of the CUDA runtime in this program";
  context.diagnostics.remark(std::move(remark));
}

Error propagateAll(WpaState &state) {
  checkRuntime(state.context);
#define GPULTO_PASS(NAME, ANALYZE, PROPAGATE, TRANSFORM, TRUSTS, REMARK,       \
                    SENTENCE)                                                  \
  if (Error error = runTimed<Trusts::TRUSTS>(#NAME, PROPAGATE, state))         \
    return error;
#include "lto/link/Passes.def"
  return Error::success();
}

} // namespace gpulto
