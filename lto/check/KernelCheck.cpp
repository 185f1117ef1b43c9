//===- KernelCheck.cpp - Decisions must not cost a kernel -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: no kernel gets slower because of what whole-program analysis knows
// about it. For example, a constant trip count lets LLVM unroll a loop until
// the kernel spills. Only ptxas can tell the effect on registers, so it is run.
//
// The plain build is the same partition without facts, clones and redirected
// calls, but with the same visible and live symbols. In a job:
//
// 1. The partition is built with all decisions. findTouchedKernels: the kernels
//    that reach a body changed by a decision. If there are none, done.
// 2. cannotBeWorse: kernels that spill nothing and whose resident blocks are
//    limited by neither registers nor shared memory are as good as any build.
// 3. If others are left, the plain partition is reduced to them (KernelCut),
//    optimized, and compiled to PTX. Kernels whose PTX equals that of the
//    product (sameKernels) have the same figures; the others go to ptxas.
//    whyWorse compares each: more bytes spilled, or fewer resident blocks for
//    one of the block sizes that it may have.
// 4. unrollLess: if the decisions let loops be unrolled far, the kernels that
//    are worse are built once more with decisions, but Unrolling::Sparing.
//    Those that are then as good as plain ones are taken from that build.
// 5. The kernels that are worse are exchanged, with all that they refer to, in
//    the text of the partition (PtxSplice), which goes to ptxas again: ptxas
//    compiles each kernel separately, so the others do not change. Functions
//    and constants that have an address stay unique (sharedFixtures). If there
//    must not be a second copy of what they refer to (whyNotApart), the
//    decisions of the whole partition are taken back.
//
// Symbol and parameters of a kernel stay in any case, so that host jobs need
// not wait for the result. Everything depends only on the job, so the result is
// the same with any number of jobs.
//
// Cost: optimization and code generation of the kernels that step 2 leaves,
// ptxas of those that step 3 leaves (check-kernels-cpu-ms in the statistics),
// and, of partitions with kernels that got worse, of these if step 4 is taken,
// and a second run of ptxas over all.
//
// Plain builds are kept in the link's cache, if there is one
// (lto/check/PlainBuild).
//
// Limits: only static figures. Stack and code size are reported, not judged;
// dynamic shared memory does not count, since it is the same in both builds.
//
//===----------------------------------------------------------------------===//

#include "lto/check/KernelCheck.h"

#include "ipa/runtime/KernelAnnotations.h"
#include "lto/device/DeviceCodegen.h"
#include "lto/job/JobRemarks.h"
#include "lto/ptx/PtxNames.h"
#include "lto/ptx/PtxSplice.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetOperations.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TimeProfiler.h"

using namespace llvm;

namespace gpulto {

static constexpr StringLiteral kPass = "gpulto-check-kernels";

//===----------------------------------------------------------------------===//
// Which kernels
//===----------------------------------------------------------------------===//

/// Returns whether \p kernel refers, itself or by what it refers to, to a body
/// that a decision touched.
static bool reachesPlanned(Function &kernel) {
  return any_of(reachedFrom(kernel), [](GlobalValue *value) {
    auto *function = dyn_cast<Function>(value);
    return function && function->hasFnAttribute(kPlannedAttribute);
  });
}

static BlockRange blockRange(Function &kernel) {
  KernelAnnotations annotations(kernel);
  auto clamp = [](uint64_t threads) {
    return unsigned(std::clamp<uint64_t>(threads, 1, kMaxBlockThreads));
  };
  if (uint64_t threads = annotations.requiredThreads())
    return {clamp(threads), clamp(threads)};
  if (uint64_t threads = annotations.maxThreads())
    return {1, clamp(threads)};
  return {};
}

std::vector<TouchedKernel> findTouchedKernels(Module &partition,
                                              const LtransJob &job) {
  std::vector<TouchedKernel> touched;
  std::optional<JobNames> names;
  for (Function *found : kernelsOf(partition)) {
    Function &function = *found;
    if (!reachesPlanned(function))
      continue;
    if (!names)
      names.emplace(job);
    TouchedKernel kernel;
    kernel.name = ptxName(function.getName());
    kernel.function = function.getName().str();
    kernel.block = blockRange(function);
    kernel.remark = names->remarkOn(function);
    touched.push_back(std::move(kernel));
  }
  return touched;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// Returns whether a block of some size in \p block can be launched.
static bool isLaunchable(const KernelUsage &usage,
                         const MultiprocessorLimits &limits, BlockRange block) {
  return residentBlocks(limits, block.low, usage.registers,
                        usage.sharedBytes) != 0;
}

/// Calls \p visit with a block size of each number of warps that blocks in
/// \p block may have, until it returns false. Sizes with the same number of
/// warps are as good.
static void forEachBlockSize(BlockRange block,
                             function_ref<bool(unsigned threads)> visit) {
  for (unsigned warps = divideCeil(block.low, kWarpThreads);
       warps <= divideCeil(block.high, kWarpThreads); ++warps)
    if (!visit(std::min(warps * kWarpThreads, block.high)))
      return;
}

bool cannotBeWorse(const KernelUsage &optimized,
                   const MultiprocessorLimits &limits, BlockRange block) {
  bool isBest = optimized.spillBytes() == 0;
  forEachBlockSize(block, [&](unsigned threads) {
    isBest &= residentBlocks(limits, threads, optimized.registers,
                             optimized.sharedBytes) ==
              residentBlocks(limits, threads, /*registers=*/0,
                             /*sharedBytes=*/0);
    return isBest;
  });
  return isBest;
}

std::optional<std::string> whyWorse(const KernelUsage &plain,
                                    const KernelUsage &optimized,
                                    const MultiprocessorLimits &limits,
                                    BlockRange block) {
  if (!isLaunchable(plain, limits, block))
    return std::nullopt;
  if (optimized.spillBytes() > plain.spillBytes())
    return formatv("{0} bytes are spilled instead of {1}",
                   optimized.spillBytes(), plain.spillBytes())
        .str();
  std::optional<std::string> why;
  forEachBlockSize(block, [&](unsigned threads) {
    unsigned before =
        residentBlocks(limits, threads, plain.registers, plain.sharedBytes);
    unsigned after = residentBlocks(limits, threads, optimized.registers,
                                    optimized.sharedBytes);
    if (after < before)
      why = formatv("{0} blocks of {1} threads are resident instead of {2}",
                    after, threads, before)
                .str();
    return !why;
  });
  return why;
}

static std::string describe(const KernelUsage &usage) {
  return formatv("{0} registers, {1} bytes of stack, {2} + {3} bytes spilled, "
                 "{4} bytes of shared memory, {5} bytes of code",
                 usage.registers, usage.stackBytes, usage.spillStoreBytes,
                 usage.spillLoadBytes, usage.sharedBytes, usage.codeBytes)
      .str();
}

//===----------------------------------------------------------------------===//
// Taking back
//===----------------------------------------------------------------------===//

namespace {
/// Kernels by their names in PTX.
using KernelNames = std::set<std::string>;

class KernelChecker {
public:
  KernelChecker(ArrayRef<TouchedKernel> touched,
                const MultiprocessorLimits &limits, const VariantTools &tools,
                LtransReport &report)
      : touched(touched), limits(limits), tools(tools), report(report) {}

  Expected<DeviceVariant> run(DeviceVariant product);

  /// Why a variant cannot be compared; empty if all could.
  std::string problem;

private:
  Error buildKernels(const VariantRequest &request,
                     const DeviceVariant &product, DeviceVariant &built,
                     std::string &why);
  Error measurePlain(const DeviceVariant &product);
  std::optional<std::string> whyWorse(const TouchedKernel &kernel,
                                      const KernelUsages &usages) const;
  struct Remedy;
  Error tryRemedy(const VariantRequest &request, Remedy &remedy,
                  const DeviceVariant &product);
  VariantRequest withFewerRegisters(const DeviceVariant &product) const;
  Error limitRegisters(const DeviceVariant &product);
  Error unrollLess(const DeviceVariant &product);
  bool takeBackWorse(const KernelUsages &usages);
  bool isSettled(const DeviceVariant &variant);
  Expected<std::optional<std::string>> exchangeWorse(DeviceVariant &product);
  void explain(const TouchedKernel &kernel, StringRef name, std::string text,
               RemarkKind kind = RemarkKind::Missed);
  void explainCosts(const DeviceVariant &product);
  void explainTakenBack(const TouchedKernel &kernel, const std::string &why);

  ArrayRef<TouchedKernel> touched;
  const MultiprocessorLimits &limits;
  /// Of the kernels for which figures of the product do not suffice.
  DeviceVariant plain;
  const VariantTools &tools;
  LtransReport &report;
  /// Whose bodies are to be those of `plain`.
  KernelNames takenBack;

  /// Another build of kernels that are worse, with decisions.
  struct Remedy {
    StringRef remark; ///< its name
    StringRef counter;
    StringRef before, after; ///< the sentence, around the kernel's name
    StringRef made;          ///< what kernels are then
    DeviceVariant variant{};
    KernelNames cured{}; ///< whose bodies are to be of `variant`
  };
  Remedy fewerRegisters{"RegistersLimited", "kernels-registers-limited",
                        "registers of '", "' are limited: ", "limited"};
  Remedy sparing{"UnrolledLess", "kernels-unrolled-less", "loops of '",
                 "' are unrolled less: ", "unrolled less"};
};
} // namespace

void KernelChecker::explain(const TouchedKernel &kernel, StringRef name,
                            std::string text, RemarkKind kind) {
  Remark remark = kernel.remark;
  remark.kind = kind;
  remark.pass = kPass.str();
  remark.name = name.str();
  remark.text = std::move(text);
  report.remarks.push_back(std::move(remark));
}

/// Says of each kernel that was built plain, too, what both builds take.
void KernelChecker::explainCosts(const DeviceVariant &product) {
  for (const TouchedKernel &kernel : touched)
    if (auto before = plain.usages.find(kernel.name);
        before != plain.usages.end())
      explain(kernel, "Costs",
              "'" + kernel.function + "' takes " +
                  describe(product.usages.at(kernel.name)) +
                  "; plain: " + describe(before->second),
              RemarkKind::Analysis);
}

void KernelChecker::explainTakenBack(const TouchedKernel &kernel,
                                     const std::string &why) {
  explain(kernel, "TakenBack",
          "decisions about '" + kernel.function + "' are taken back: " + why);
  ++report.counters["kernels-taken-back"];
}

/// Returns why \p kernel is worse by \p usages than a plain one; nothing if it
/// is not, or cannot be.
std::optional<std::string>
KernelChecker::whyWorse(const TouchedKernel &kernel,
                        const KernelUsages &usages) const {
  auto found = plain.usages.find(kernel.name);
  if (found == plain.usages.end())
    return std::nullopt;
  const KernelUsage &before = found->second;
  const KernelUsage &after = usages.at(kernel.name);
  auto why = gpulto::whyWorse(before, after, limits, kernel.block);
  if (why)
    *why += "; optimized: " + describe(after) + "; plain: " + describe(before);
  return why;
}

/// Adds the kernels that are worse by \p usages than plain ones to takenBack;
/// says why of those that were not there. Returns whether there are any.
bool KernelChecker::takeBackWorse(const KernelUsages &usages) {
  bool isAnyWorse = false;
  for (const TouchedKernel &kernel : touched)
    if (auto why = whyWorse(kernel, usages)) {
      isAnyWorse = true;
      if (takenBack.insert(kernel.name).second)
        explainTakenBack(kernel, *why);
    }
  return isAnyWorse;
}

/// Returns why \p variant cannot be compared; empty if it can.
static std::string comparisonProblem(const DeviceVariant &variant,
                                     const KernelNames &kernels) {
  if (!variant.problem.empty())
    return variant.problem;
  for (const std::string &kernel : kernels)
    if (!variant.usages.count(kernel))
      return "ptxas -v gives no figures for '" + kernel + "'";
  return "";
}

static KernelNames namesOf(ArrayRef<TouchedKernel> kernels) {
  KernelNames names;
  for (const TouchedKernel &kernel : kernels)
    names.insert(kernel.name);
  return names;
}

/// Puts the kernels of \p request, if there are any, and what they take into
/// \p built; or says in \p why they cannot be compared. Those that are the same
/// in \p product take what they take there.
Error KernelChecker::buildKernels(const VariantRequest &request,
                                  const DeviceVariant &product,
                                  DeviceVariant &built, std::string &why) {
  if (request.only.empty())
    return Error::success();
  Expected<DeviceVariant> variant = tools.generate(request);
  if (!variant)
    return variant.takeError();
  auto same = sameKernels(product.ptx, variant->ptx, request.only);
  if (!same)
    return same.takeError();
  KernelNames others = request.only;
  set_subtract(others, *same);
  if (!others.empty())
    if (Error error = tools.measure(*variant, others, request))
      return error;
  for (const std::string &name : *same)
    variant->usages[name] = product.usages.at(name);
  report.counters["kernels-unchanged"] += same->size();
  why = comparisonProblem(*variant, request.only);
  if (why.empty())
    built = std::move(*variant);
  return Error::success();
}

/// Builds the kernels for which the figures of \p product do not suffice
/// without decisions.
Error KernelChecker::measurePlain(const DeviceVariant &product) {
  VariantRequest request{PlanUse::None, Unrolling::Full, {}};
  for (const TouchedKernel &kernel : touched)
    if (!cannotBeWorse(product.usages.at(kernel.name), limits, kernel.block))
      request.only.insert(kernel.name);
  return buildKernels(request, product, plain, problem);
}

/// Builds kernels of \p product that are worse than plain ones as \p request
/// says. Adds those to \p remedy for which that suffices.
Error KernelChecker::tryRemedy(const VariantRequest &request, Remedy &remedy,
                               const DeviceVariant &product) {
  DeviceVariant &variant = remedy.variant;
  std::string why; // does not matter: there are plain ones
  if (Error error = buildKernels(request, product, variant, why))
    return error;
  for (const TouchedKernel &kernel : touched) {
    if (!variant.usages.count(kernel.name) || whyWorse(kernel, variant.usages))
      continue;
    remedy.cured.insert(kernel.name);
    explain(kernel, remedy.remark,
            (Twine(remedy.before) + kernel.function + remedy.after +
             *whyWorse(kernel, product.usages) + "; " + remedy.made + ": " +
             describe(variant.usages.at(kernel.name)))
                .str());
    ++report.counters[remedy.counter.str()];
  }
  return Error::success();
}

/// Returns the request for the kernels of \p product of which fewer blocks are
/// resident than of plain ones for their registers alone.
VariantRequest
KernelChecker::withFewerRegisters(const DeviceVariant &product) const {
  VariantRequest request{PlanUse::All, Unrolling::Full, {}};
  for (const TouchedKernel &kernel : touched) {
    bool isBounded = kernel.block.high < kMaxBlockThreads ||
                     kernel.block.low == kernel.block.high;
    if (!isBounded || !whyWorse(kernel, product.usages))
      continue; // without a bound, ptxas heeds no number of blocks
    const KernelUsage &before = plain.usages.at(kernel.name);
    const KernelUsage &after = product.usages.at(kernel.name);
    auto resident = [&](unsigned registers, uint64_t sharedBytes) {
      return residentBlocks(limits, kernel.block.high, registers, sharedBytes);
    };
    unsigned wanted = resident(before.registers, before.sharedBytes);
    if (after.spillBytes() > before.spillBytes() ||
        resident(before.registers, after.sharedBytes) < wanted ||
        resident(after.registers, after.sharedBytes) >= wanted)
      continue;
    request.only.insert(kernel.name);
    request.residentBlocks[kernel.name] = wanted;
  }
  return request;
}

Error KernelChecker::limitRegisters(const DeviceVariant &product) {
  return tryRemedy(withFewerRegisters(product), fewerRegisters, product);
}

Error KernelChecker::unrollLess(const DeviceVariant &product) {
  if (product.unrolling == Unrolling::Sparing)
    return Error::success();
  VariantRequest request{PlanUse::All, Unrolling::Sparing, {}};
  for (const TouchedKernel &kernel : touched)
    if (!fewerRegisters.cured.count(kernel.name) &&
        whyWorse(kernel, product.usages))
      request.only.insert(kernel.name);
  return tryRemedy(request, sparing, product);
}

/// Returns why the kernels \p names cannot be taken from \p other while all
/// others are those of \p product; nothing if they can.
static std::optional<std::string> whyNotApart(const KernelNames &names,
                                              const DeviceVariant &product,
                                              const DeviceVariant &other) {
  std::set<std::string> variables;
  for (const std::string &name : names) {
    if (!product.reaches.at(name).isSeparable ||
        !other.reaches.at(name).isSeparable)
      return "it shares what must be there once: a function that other cubins "
             "call";
    set_union(variables, other.reaches.at(name).variables);
    set_union(variables, product.reaches.at(name).variables);
  }
  for (const auto &[name, reach] : product.reaches)
    if (!names.count(name))
      for (const std::string &variable : reach.variables)
        if (variables.count(variable))
          return "it shares the variable '" + variable + "' with '" + name +
                 "'";
  return std::nullopt;
}

/// Returns the unique definitions to which the kernels \p names of \p variant
/// refer.
static KernelNames fixturesOf(const KernelNames &names,
                              const DeviceVariant &variant) {
  KernelNames fixtures;
  for (const std::string &name : names)
    set_union(fixtures, variant.reaches.at(name).fixtures);
  return fixtures;
}

/// Returns what the kernels \p names of \p other find in \p product if that
/// has it. A function at which nothing points in one of the builds any more may
/// be another one there; nobody there can tell it from a copy.
static KernelNames sharedFixtures(const KernelNames &names,
                                  const DeviceVariant &product,
                                  const DeviceVariant &other) {
  KernelNames fixtures = fixturesOf(names, other);
  std::erase_if(fixtures, [&](const std::string &name) {
    return !product.lasting.count(name) || !other.lasting.count(name);
  });
  return fixtures;
}

/// Returns whether no kernel of \p variant is known to be worse, or may be.
bool KernelChecker::isSettled(const DeviceVariant &variant) {
  return !takeBackWorse(variant.usages) &&
         all_of(touched, [&](const TouchedKernel &kernel) {
           return plain.usages.count(kernel.name) ||
                  cannotBeWorse(variant.usages.at(kernel.name), limits,
                                kernel.block);
         });
}

/// Puts the other bodies of the kernels that are worse into \p product. Returns
/// why that cannot be done, with \p product unchanged; nothing if it is.
Expected<std::optional<std::string>>
KernelChecker::exchangeWorse(DeviceVariant &product) {
  const std::pair<const KernelNames *, const DeviceVariant *> others[] = {
      {&fewerRegisters.cured, &fewerRegisters.variant},
      {&sparing.cured, &sparing.variant},
      {&takenBack, &plain}};
  KernelNames fixtures;
  DeviceVariant mixed;
  mixed.ptx = product.ptx;
  for (auto [names, other] : others) {
    if (names->empty())
      continue;
    KernelNames own = fixturesOf(*names, product);
    for (const std::string &name : own)
      if (!fixtures.insert(name).second)
        return "it shares '" + name +
               "', whose address is taken, with one of another build";
    if (auto why = whyNotApart(*names, product, *other))
      return why;
    Expected<std::string> ptx = splicePtx(
        mixed.ptx, other->ptx, *names, sharedFixtures(*names, product, *other));
    if (!ptx)
      return ptx.takeError();
    mixed.ptx = std::move(*ptx);
  }
  if (Error error = tools.assemble(mixed))
    return std::move(error);
  if (std::string why = comparisonProblem(mixed, namesOf(touched));
      !why.empty())
    return why;
  if (!isSettled(mixed))
    return "it is assembled together with kernels that are taken back";
  product = std::move(mixed);
  return std::nullopt;
}

Expected<DeviceVariant> KernelChecker::run(DeviceVariant product) {
  if (Error error = measurePlain(product))
    return std::move(error);
  if (!problem.empty())
    return product;
  explainCosts(product);
  if (Error error = limitRegisters(product))
    return std::move(error);
  if (Error error = unrollLess(product))
    return std::move(error);
  KernelUsages usages = product.usages;
  KernelNames cured;
  for (const Remedy *remedy : {&fewerRegisters, &sparing})
    for (const std::string &name : remedy->cured) {
      usages[name] = remedy->variant.usages.at(name);
      cured.insert(name);
    }
  bool isAnyWorse = takeBackWorse(usages);
  if (!isAnyWorse && cured.empty())
    return product;
  auto whyNot = exchangeWorse(product);
  if (!whyNot)
    return whyNot.takeError();
  if (!*whyNot)
    return product;
  std::string worst = takenBack.empty() ? *cured.begin() : *takenBack.begin();
  for (const TouchedKernel &kernel : touched)
    if (!takenBack.count(kernel.name))
      explainTakenBack(kernel,
                       "'" + worst + "' is worse with any, and " + **whyNot);
  Expected<DeviceVariant> all =
      tools.generate({PlanUse::None, Unrolling::Full, {}});
  if (all)
    if (Error error = tools.assemble(*all))
      return std::move(error);
  return all;
}

Expected<DeviceVariant> checkKernels(const LtransJob &job,
                                     DeviceVariant optimized,
                                     const VariantTools &tools,
                                     LtransReport &report) {
  TimeTraceScope trace("Check kernels");
  auto warn = [&](const Twine &why) {
    report.mishaps.push_back(
        ("kernels for " + job.arch +
         " are not compared with their plain builds: " + why)
            .str());
  };
  auto giveUp = [&](const Twine &why) {
    warn(why);
    return std::move(optimized);
  };
  auto limits = multiprocessorLimits(job.arch);
  if (!limits)
    return giveUp("the limits of this architecture are not known");
  std::vector<TouchedKernel> touched = optimized.touched;
  if (std::string why = comparisonProblem(optimized, namesOf(touched));
      !why.empty())
    return giveUp(why);
  report.counters["kernels-checked"] += touched.size();
  KernelChecker checker(touched, *limits, tools, report);
  Expected<DeviceVariant> checked = checker.run(std::move(optimized));
  if (!checker.problem.empty())
    warn(checker.problem);
  return checked;
}

} // namespace gpulto
