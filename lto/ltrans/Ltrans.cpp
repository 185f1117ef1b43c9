//===- Ltrans.cpp - Run one LTRANS job ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A job is a pure function of the job file and the inputs that it names: the
// directory, the time and the process do not affect its outputs.
//
//===----------------------------------------------------------------------===//

#include "lto/ltrans/Ltrans.h"

#include "ipa/runtime/KernelAnnotations.h"
#include "lto/check/KernelCheck.h"
#include "lto/check/PlainBuild.h"
#include "lto/check/VariantAssembly.h"
#include "lto/device/DeviceCodegen.h"
#include "lto/device/DeviceRecursion.h"
#include "lto/host/CallSites.h"
#include "lto/host/HostCodegen.h"
#include "lto/job/LtransReport.h"
#include "lto/lgen/LaunchChoices.h"
#include "lto/partition/LtransFolds.h"
#include "lto/partition/LtransModule.h"
#include "lto/partition/ModuleDigest.h"
#include "lto/ptx/PtxNames.h"
#include "lto/ptx/PtxSplice.h"
#include "support/Error.h"
#include "support/FreeMemory.h"
#include "support/Subprocess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace llvm;

namespace gpulto {

/// Writes \p module as bitcode to `PREFIX.STAGE.bc`, if a prefix is given.
static Error saveBitcode(const Module &module, StringRef prefix,
                         StringRef stage) {
  if (prefix.empty())
    return Error::success();
  std::string bytes;
  raw_string_ostream stream(bytes);
  WriteBitcodeToFile(module, stream);
  return writeFileAtomically((prefix + "." + stage + ".bc").str(), bytes);
}

static Error compileHost(const LtransJob &job, Module &module,
                         DiagnosticCollector &diagnostics, StringRef prefix,
                         StringRef saveTempsPrefix,
                         function_ref<void(StringRef)> onPhase) {
  onPhase("optimizing");
  auto machine = createHostMachine(module, job.host, job.optLevel);
  if (!machine)
    return machine.takeError();
  carryCallMarks(module);
  letLaunchesJoin(module);
  optimizeHost(module, **machine, job.optLevel, job.sizeLevel);
  if (Error error = saveBitcode(module, saveTempsPrefix, "opt"))
    return error;
  onPhase("generating code");
  Expected<std::string> object = emitHostObject(module, **machine);
  if (!object)
    return object.takeError();
  if (Error error = diagnostics.take())
    return error;
  return writeFileAtomically(resultPaths(job, prefix).object, *object);
}

namespace {
/// Everything that compiling a partition depends on.
struct JobRun {
  const LtransJob &job;
  StringRef prefix;
  StringRef saveTempsPrefix;
  function_ref<void(StringRef)> onPhase;
  JobCache *cache; // or null
  LtransReport &report;
};
} // namespace

/// Reads the bodies of the job into \p context, as far as \p plans lets
/// decisions be carried out. Returns null if the results are there; only who
/// makes them, which \p isProduct says, is told.
static Expected<std::unique_ptr<Module>>
readPartition(const JobRun &run, LLVMContext &context,
              DiagnosticCollector &diagnostics, PlanUse plans, bool isProduct) {
  context.enableDebugTypeODRUniquing();
  context.setDiscardValueNames(true);
  bool mayBeThere = run.cache && isProduct;
  Digest bodies;
  auto module = buildPartition(run.job, context, diagnostics, run.report, plans,
                               mayBeThere ? &bodies : nullptr);
  if (!module)
    return module.takeError();
  if (mayBeThere) {
    Expected<bool> found = run.cache->findResults(bodies);
    if (!found)
      return found.takeError();
    if (*found)
      return nullptr;
  }
  if (Error error = saveBitcode(**module, run.saveTempsPrefix, "in"))
    return error;
  return module;
}

static Error runHost(const JobRun &run) {
  LLVMContext context;
  DiagnosticCollector &diagnostics =
      DiagnosticCollector::install(context, run.report.warnings);
  auto module = readPartition(run, context, diagnostics, PlanUse::All,
                              /*isProduct=*/true);
  if (!module)
    return module.takeError();
  if (!*module)
    return Error::success();
  diagnostics.collectRemarks(run.job, run.report.remarks);
  if (Error error = compileHost(run.job, **module, diagnostics, run.prefix,
                                run.saveTempsPrefix, run.onPhase))
    return error;
  return writeReport(run.report, resultPaths(run.job, run.prefix).report);
}

/// Keeps the PTX of \p variant if temporary files are wanted; done before ptxas
/// can fail on it.
static Error savePtx(const JobRun &run, const DeviceVariant &variant) {
  if (run.saveTempsPrefix.empty())
    return Error::success();
  return writeFileAtomically((run.saveTempsPrefix + ".ptx").str(), variant.ptx);
}

/// Optimizes \p module, of which \p cut is wanted if it is given, and puts its
/// PTX into \p variant, and what its kernels access into \p accesses, if given.
static Error generatePtx(const JobRun &run, Module &module,
                         TargetMachine &machine, Unrolling unrolling,
                         std::optional<KernelCut> &cut,
                         DeviceVariant &variant,
                         std::vector<MemoryRow> *accesses) {
  variant.unrolling = optimizeDevice(module, machine, run.job.optLevel,
                                     run.job.sizeLevel, unrolling);
  if (cut)
    cut->finish();
  variant.lasting = findLasting(module);
  if (Error error = saveBitcode(module, run.saveTempsPrefix, "opt"))
    return error;
  run.onPhase("generating code");
  return emitPtx(module, machine, accesses).moveInto(variant.ptx);
}

/// Unrolls recursions of \p module whose depth is known, and says so in
/// \p remarks.
static void unroll(const LtransJob &job, Module &module, TargetMachine &machine,
                   std::vector<Remark> &remarks) {
  std::vector<RecursionAttempt> attempts =
      unrollRecursions(module, machine, job.optLevel);
  if (attempts.empty())
    return;
  JobNames names(job);
  for (const RecursionAttempt &attempt : attempts) {
    Remark &remark = remarks.emplace_back(
        names.remarkOn(*attempt.caller, attempt.where.get()));
    remark.kind = attempt.isUnrolled ? RemarkKind::Passed : RemarkKind::Missed;
    remark.pass = "gpulto-inlining";
    remark.name = attempt.isUnrolled ? "Unrolled" : "NotUnrolled";
    remark.text = "recursion of '" + names.withoutTags(attempt.callee) +
                  "' in '" + remark.function + "' is ";
    remark.text += attempt.isUnrolled
                       ? "unrolled: " + std::to_string(attempt.instructions) +
                             (attempt.instructions == 1 ? " instruction"
                                                        : " instructions") +
                             " when inlined"
                       : "not unrolled: " + attempt.reason;
  }
}

/// Has ptxas limit registers so that as many blocks as \p wanted says, by names
/// in PTX, of kernels of \p partition are resident.
static void keepResident(Module &partition,
                         const std::map<std::string, unsigned> &wanted) {
  if (wanted.empty())
    return;
  for (Function *kernel : kernelsOf(partition))
    if (auto found = wanted.find(ptxName(kernel->getName()));
        found != wanted.end())
      KernelAnnotations(*kernel).keepResident(found->second);
}

/// Generates the PTX of the device partition of \p run as \p request says, with
/// remarks and warnings. Returns nothing if the results are there.
static Expected<std::optional<DeviceVariant>>
generateDevice(const JobRun &run, const VariantRequest &request) {
  const LtransJob &job = run.job;
  LLVMContext context; // of its own: no variant sees another's types
  DiagnosticCollector &diagnostics =
      DiagnosticCollector::install(context, run.report.warnings);
  auto module =
      readPartition(run, context, diagnostics, request.plans,
                    request.plans == PlanUse::All && request.only.empty());
  if (!module)
    return module.takeError();
  if (!*module)
    return std::nullopt;
  auto machine = createDeviceMachine(**module, job.arch, job.optLevel);
  if (!machine)
    return machine.takeError();
  run.onPhase("optimizing");
  if (request.plans == PlanUse::All)
    unroll(job, **module, **machine, run.report.remarks);
  DeviceVariant variant;
  if (job.device.checkKernels) {
    variant.touched = findTouchedKernels(**module, job);
    if (!variant.touched.empty() || request.plans == PlanUse::None)
      variant.reaches = findReaches(**module);
  }
  keepResident(**module, request.residentBlocks);
  std::optional<KernelCut> cut;
  if (!request.only.empty()) {
    cut.emplace(**module, **machine, request.only);
    std::string suffix = nextSuffix(**module); // with a cache and without
    if (run.cache && request.plans == PlanUse::None)
      variant.key = keyOfPlainBuild(**module, suffix, job);
    auto kept = variant.key ? run.cache->find(*variant.key) : std::nullopt;
    if (auto known = kept ? decodePlainBuild(*kept) : std::nullopt) {
      variant.ptx = std::move(known->ptx);
      variant.lasting = std::move(known->lasting);
      return variant;
    }
  }
  bool isProduct = request == VariantRequest();
  if (isProduct)
    diagnostics.collectRemarks(job, run.report.remarks);
  if (Error error = generatePtx(run, **module, **machine, request.unrolling,
                                cut, variant,
                                isProduct ? &run.report.accesses : nullptr))
    return error;
  if (Error error = diagnostics.take())
    return error;
  if (variant.key)
    run.cache->keep(*variant.key, encodePlainBuild(variant));
  if (Error error = savePtx(run, variant))
    return error;
  return variant;
}

/// Returns with what names of temporary files of \p request begin; empty if
/// they are not wanted.
static std::string tempsPrefixOf(const JobRun &run,
                                 const VariantRequest &request) {
  if (run.saveTempsPrefix.empty() || request.only.empty())
    return run.saveTempsPrefix.str();
  StringRef kind = request.plans == PlanUse::None   ? "plain"
                   : request.residentBlocks.empty() ? "unrolled-less"
                                                    : "fewer-registers";
  return (run.saveTempsPrefix + "." + kind).str();
}

/// Compiles the device partition of \p run, with remarks and warnings. Returns
/// nothing if the results are there.
static Expected<std::optional<DeviceVariant>> compileDevice(const JobRun &run) {
  auto variant = generateDevice(run, {});
  if (!variant || !*variant)
    return variant;
  if (run.job.device.wantCubin || !(*variant)->touched.empty()) {
    run.onPhase("running ptxas");
    returnFreedMemory(); // the module's, while ptxas takes its own
    if (Error error = assembleVariant(run.job, VariantRole::Product, **variant))
      return error;
  }
  return variant;
}

/// Generates what \p request says for the check of kernels of \p run.
static Expected<DeviceVariant> generateForCheck(const JobRun &run,
                                                const VariantRequest &request) {
  LtransReport said; // as of the product
  std::string saveTempsPrefix = tempsPrefixOf(run, request);
  auto ignorePhase = [](StringRef) {};
  auto variant = generateDevice(
      {run.job, run.prefix, saveTempsPrefix, ignorePhase, run.cache, said},
      request);
  if (!variant)
    return variant.takeError();
  return std::move(**variant); // nobody was asked for results
}

/// Has ptxas, or the cache of \p run, say what \p kernels of \p variant take.
static Error measureForCheck(const JobRun &run, DeviceVariant &variant,
                             const std::set<std::string> &kernels,
                             const VariantRequest &request) {
  std::optional<Digest> key;
  if (variant.key)
    key = keyOfFigures(*variant.key, kernels);
  auto kept = key ? run.cache->find(*key) : std::nullopt;
  if (auto known = kept ? decodeFigures(*kept) : std::nullopt) {
    variant.usages = std::move(*known);
    return Error::success();
  }
  Expected<std::string> ptx =
      keepKernels(variant.ptx, nameOfJob(run.job), kernels);
  if (!ptx)
    return ptx.takeError();
  DeviceVariant measured;
  measured.ptx = std::move(*ptx);
  returnFreedMemory(); // the module's, while ptxas takes its own
  VariantRole role = request.plans == PlanUse::None ? VariantRole::Reference
                                                    : VariantRole::Part;
  if (Error error = assembleVariant(run.job, role, measured))
    return error;
  variant.problem = std::move(measured.problem);
  variant.usages = std::move(measured.usages);
  if (key && variant.problem.empty())
    run.cache->keep(*key, encodeFigures(variant.usages));
  return Error::success();
}

/// Checks the kernels of \p product, what \p run compiled.
static Expected<DeviceVariant> checkProduct(const JobRun &run,
                                            DeviceVariant product) {
  run.onPhase(kCheckKernelsPhase);
  auto generate = [&](const VariantRequest &request) {
    return generateForCheck(run, request);
  };
  auto measure = [&](DeviceVariant &variant,
                     const std::set<std::string> &kernels,
                     const VariantRequest &request) {
    return measureForCheck(run, variant, kernels, request);
  };
  auto assemble = [&](DeviceVariant &variant) -> Error {
    if (Error error = savePtx(run, variant))
      return error;
    return assembleVariant(run.job, VariantRole::Product, variant);
  };
  return checkKernels(run.job, std::move(product),
                      {generate, measure, assemble}, run.report);
}

/// Whether \p line of ptxas is a warning for the user of \p job.
static bool isWarning(const LtransJob &job, StringRef line) {
  // Behind the colon it may be a kernel's name.
  if (!line.split(':').first.contains("warning"))
    return false;
  // Of recursion, said with -ewp only: whether the program is cut is our
  // business, and the results can be kept.
  return !job.device.relocatable || !line.contains("Stack size for entry");
}

/// Collects ptxas's messages about \p product: warnings, and what the user
/// asked for with -v.
static void reportMessages(const LtransJob &job, const DeviceVariant &product,
                           LtransReport &report) {
  if (!job.device.wantCubin)
    return; // only the check of kernels has run it
  bool asks = any_of(job.device.ptxasArguments, [](StringRef argument) {
    return argument == "-v" || argument == "--verbose";
  });
  for (StringRef line : split(product.messages, '\n')) {
    if (isWarning(job, line))
      report.warnings.push_back({line.trim().str(), /*needsJob=*/true});
    else if (asks && !line.trim().empty())
      report.output.push_back(line.str());
  }
}

static Error runDevice(const JobRun &run) {
  const LtransJob &job = run.job;
  LtransReport &report = run.report;
  Expected<std::optional<DeviceVariant>> compiled = compileDevice(run);
  if (!compiled)
    return compiled.takeError();
  if (!*compiled)
    return Error::success();
  Expected<DeviceVariant> product = std::move(**compiled);
  if (job.device.checkKernels && !product->touched.empty())
    product = checkProduct(run, std::move(*product));
  if (!product)
    return product.takeError();
  if (!product->whySeparate.empty()) {
    Remark &remark = report.remarks.emplace_back();
    remark.kind = RemarkKind::Passed;
    remark.pass = "gpulto-check-kernels";
    remark.name = "AssembledSeparately";
    remark.text = product->whySeparate;
    ++report.counters["partitions-assembled-separately"];
  }
  reportMessages(job, *product, report);
  LtransResultPaths paths = resultPaths(job, run.prefix);
  if (Error error = writeReport(report, paths.report))
    return error;
  if (job.device.wantCubin)
    if (Error error = writeFileAtomically(paths.cubin, product->cubin))
      return error;
  return writeFileAtomically(paths.ptx, product->ptx);
}

Error runLtransJob(const LtransJob &job, StringRef prefix,
                   StringRef saveTempsPrefix,
                   function_ref<void(StringRef)> onPhase, JobCache *cache) {
  TimeTraceScope trace("LTRANS", prefix);
  onPhase(kReadInputsPhase);
  initializeTargets();
  LtransReport report;
  JobRun run{job, prefix, saveTempsPrefix, onPhase, cache, report};
  // What the link can repair is a result.
  return handleErrors(job.side == Side::Host ? runHost(run) : runDevice(run),
                      [&](FoldMismatchError &error) {
                        report.mismatches = std::move(error.mismatches);
                        return writeReport(report,
                                           resultPaths(job, prefix).report);
                      });
}

} // namespace gpulto
