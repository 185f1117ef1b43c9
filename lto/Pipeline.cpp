//===- Pipeline.cpp - One link, from resolutions to native objects --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Read this first: linkOnce is the whole link, stage by stage, with what holds
// after each. The argument list of a stage has all that it needs; nothing is
// global.
//
//===----------------------------------------------------------------------===//

#include "lto/Pipeline.h"

#include "fatobj/SectionObject.h"
#include "lto/cache/CachedJobs.h"
#include "lto/cache/FatbinaryCache.h"
#include "lto/check/KernelCheck.h"
#include "lto/job/JobRemarks.h"
#include "lto/job/JobResults.h"
#include "lto/job/LtransReport.h"
#include "lto/job/ToolIdentity.h"
#include "lto/link/Progress.h"
#include "lto/link/TimeTrace.h"
#include "lto/partition/LtransFolds.h"
#include "lto/read/LinkReader.h"
#include "lto/read/LinkStamp.h"
#include "lto/read/NvccCode.h"
#include "lto/run/JobCommands.h"
#include "lto/run/JobReceipt.h"
#include "lto/run/JobRunner.h"
#include "lto/run/SavedLink.h"
#include "lto/run/Scheduler.h"
#include "lto/tables/KernelTable.h"
#include "lto/tables/MemoryReport.h"
#include "lto/tables/ProgramTable.h"
#include "lto/wpa/Wpa.h"
#include "support/CudaVersion.h"
#include "support/FreeMemory.h"
#include "support/Statistics.h"
#include "support/Subprocess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>

using namespace llvm;

namespace gpulto {

/// Returns the path of a program of the toolkit; empty when there is none.
/// Errors: it exists but cannot be run. Continuing without it would make a
/// different program than usual.
static Expected<std::string> findCudaTool(StringRef root, StringRef name) {
  SmallString<128> path(root);
  sys::path::append(path, "bin", name);
  std::error_code code = sys::fs::access(path, sys::fs::AccessMode::Exist);
  if (code == errc::no_such_file_or_directory || code == errc::not_a_directory)
    return std::string();
  if (!code)
    code = sys::fs::access(path, sys::fs::AccessMode::Execute);
  if (code)
    return makeError(path + ": cannot be run (" + code.message() + ")");
  return path.str().str();
}

static Expected<CudaTools> findCudaTools(const LinkOptions &options) {
  StringRef root = options.cudaPath;
  CudaTools tools;
  tools.run = {options.toolTimeoutSeconds, /*ownGroup=*/true};
  if (root.empty())
    return tools;
  tools.root = root.str();
  for (auto [tool, name] :
       {std::pair(&tools.ptxas, "ptxas"), std::pair(&tools.nvlink, "nvlink")}) {
    Expected<std::string> path = findCudaTool(root, name);
    if (!path)
      return path.takeError();
    *tool = std::move(*path);
  }
  return tools;
}

/// Whether \p a and \p b are in one directory, links followed.
static bool areSideBySide(StringRef a, StringRef b) {
  SmallString<128> first, second;
  return !sys::fs::real_path(a, first) && !sys::fs::real_path(b, second) &&
         sys::path::parent_path(first) == sys::path::parent_path(second);
}

/// Does without an nvlink of another release than ptxas: it refuses cubins that
/// ptxas made with -ewp, and those of architectures it does not know. Both are
/// asked only where a toolkit has been put together of several.
static void checkNvlinkRelease(CudaTools &tools, Diagnostics &diagnostics) {
  if (tools.nvlink.empty() || areSideBySide(tools.ptxas, tools.nvlink))
    return;
  std::optional<VersionTuple> ptxas = cudaToolRelease(tools.ptxas),
                              nvlink = cudaToolRelease(tools.nvlink);
  if (!ptxas || !nvlink || *ptxas == *nvlink)
    return;
  diagnostics.warning(InputLocation(),
                      "nvlink in " + tools.root + "/bin is of CUDA " +
                          nvlink->getAsString() + ", ptxas of CUDA " +
                          ptxas->getAsString() +
                          ": device code is joined as PTX, without nvlink");
  tools.nvlink.clear();
}

/// Warns of a toolkit that nobody has tried with gpulto, and of one whose
/// programs do not belong together.
static void checkCudaVersion(CudaTools &tools, Diagnostics &diagnostics) {
  if (tools.ptxas.empty())
    return;
  checkNvlinkRelease(tools, diagnostics);
  if (std::optional<VersionTuple> version = cudaVersion(tools.root)) {
    std::string warning = cudaVersionWarning(tools.root, *version);
    if (!warning.empty())
      diagnostics.warning(InputLocation(), warning);
  }
}

/// Chooses what is embedded: cubins need ptxas. Errors: the user asked for
/// cubins and there is no ptxas.
static Expected<EmbedKind> chooseEmbedding(const LinkOptions &options,
                                           const CudaTools &tools) {
  if (options.embed == EmbedKind::Ptx || !tools.ptxas.empty())
    return options.embed;
  if (options.embedGiven)
    return makeError("--gpulto-embed asks for cubins, but no ptxas was found" +
                     (tools.root.empty()
                          ? Twine("; give --gpulto-cuda-path=DIR")
                          : " in " + Twine(tools.root) + "/bin"));
  return EmbedKind::Ptx;
}

/// Sets the levels that clang would give to a unit of such an output alone. A
/// unit compiled with -fPIC is as good in an executable, but has not to be told
/// there that it might be in a library.
static void fixOutputLevels(OutputKind output, HostCodegenOptions &host) {
  constexpr uint8_t kLarge = 2;
  host.outputKnown = output != OutputKind::Relocatable;
  bool isPie = output == OutputKind::PieExecutable;
  host.picLevel = isPie || output == OutputKind::Shared ? kLarge : 0;
  host.pieLevel = isPie ? kLarge : 0;
}

static WpaOptions wpaOptions(const LinkInputs &inputs,
                             const LinkOptions &options, const CudaTools &tools,
                             EmbedKind embed,
                             const DiagnosticsOptions &diagnostics) {
  WpaOptions result;
  result.user = options;
  result.isRelocatable = inputs.output == OutputKind::Relocatable;
  result.host = inputs.codegen;
  result.llvmOptions = inputs.llvmOptions;
  result.remarks = requestRemarks(diagnostics);
  result.native = inputs.native;
  if (inputs.output == OutputKind::Shared && result.native.foreignCode.empty())
    result.native.foreignCode = "programs load this library";
  fixOutputLevels(inputs.output, result.host);
  result.embed = embed;
  result.device.ptxas = tools.ptxas;
  result.device.ptxasArguments = options.ptxasArguments;
  result.device.tool.timeoutSeconds = options.toolTimeoutSeconds;
  return result;
}

/// Runs whole-program analysis, in as many threads as jobs might run, of
/// programs that are worth more than one.
static Expected<LinkPlan> analyzeProgram(std::vector<WpaModule> modules,
                                         ArrayRef<NativeCode> native,
                                         WpaOptions wpa,
                                         Diagnostics &diagnostics,
                                         Statistics &statistics) {
  constexpr size_t kLargeProgram = 100000; // symbols; about 0.1 s
  size_t symbols = 0;
  for (const WpaModule &module : modules)
    symbols += module.module.summary.symbols.size();
  ThreadSlots slots;
  if (symbols >= kLargeProgram)
    slots = takeThreadSlots(wpa.user.jobserver, wpa.user.jobs);
  wpa.threads = slots.count;
  return planLink(std::move(modules), native, wpa, diagnostics, statistics);
}

/// Says in the jobs which program their ptxas is, if they leave this link: the
/// cache, other machines, or a directory that is kept.
static Error identifyTools(const LinkOptions &options, LinkPlan &plan) {
  const RemoteOptions &remote = options.remote;
  if (options.cache.directory.empty() && remote.distributor.empty() &&
      remote.resultsDirectory.empty() && remote.emit == BuildFileKind::None &&
      options.saveTempsDirectory.empty() && options.saveLinkDirectory.empty())
    return Error::success(); // reading 40 MB for nothing
  auto user = llvm::find_if(
      *plan.jobs, [](const JobHead &job) { return !job.device.ptxas.empty(); });
  if (user == plan.jobs->end())
    return Error::success();
  Expected<Digest> digest = digestOfFile(user->device.ptxas);
  if (!digest)
    return digest.takeError();
  plan.jobs->changeHeads([&](JobHead &job) {
    if (!job.device.ptxas.empty())
      job.device.ptxasDigest = *digest;
  });
  return Error::success();
}

static JobRunnerOptions runnerOptions(const LinkOptions &options,
                                      StringRef directory) {
  JobRunnerOptions runner = {SchedulerOptions{options}};
  runner.local.outputDirectory = directory.str();
  return runner;
}

/// Asks the cache for all jobs in as many threads as jobs might run. Results
/// made elsewhere stay unchanged: their maker knows the files.
static Error findCached(CachedJobs &cached, const LinkOptions &options) {
  ThreadSlots slots = takeThreadSlots(options.jobserver, options.jobs);
  auto isMade = [&](const LtransJob &job, StringRef prefix) {
    if (options.remote.resultsDirectory.empty())
      return false;
    Expected<JobReceipt> receipt =
        checkReceipt(job, prefix, options.isTraced());
    if (receipt)
      return true;
    consumeError(receipt.takeError());
    return false;
  };
  return cached.findAll(slots.count, isMade);
}

static Expected<std::vector<JobStatistics>>
runLtrans(const LinkPlan &plan, const LinkOptions &options, StringRef directory,
          CachedJobs *cached, Progress &progress, Diagnostics &diagnostics,
          Statistics &statistics) {
  JobRunnerOptions runner = runnerOptions(options, directory);
  runner.local.diagnostics = &diagnostics;
  runner.local.progress = [&](const JobProgress &jobs) { progress.show(jobs); };
  if (cached) {
    if (Error error = findCached(*cached, options))
      return std::move(error);
    runner.local.skip = cached->found();
    runner.local.run = [&](const LtransJob &job, const std::string &prefix,
                           const std::string &saveTempsPrefix) {
      return cached->run(job, prefix, saveTempsPrefix);
    };
    runner.local.finished = [&](size_t index, StringRef messages) {
      cached->finished(index, messages);
    };
    runner.cameBack = [&](size_t index, const JobReceipt &receipt) {
      cached->cameBack(index, receipt, options.remote.program);
    };
  }
  JobMemoryUse memory;
  runner.local.memoryUse = &memory;
  auto results = runLtransJobs(*plan.jobs, runner, diagnostics);
  countMemory(memory, statistics);
  return results;
}

/// Writes the jobs for somebody else to run, without those that are \p cached.
static Expected<LinkOutputs> emitLtrans(const LinkPlan &plan,
                                        const LinkOptions &options,
                                        StringRef directory,
                                        CachedJobs *cached) {
  JobRunnerOptions runner = runnerOptions(options, directory);
  if (cached) {
    if (Error error = findCached(*cached, options))
      return std::move(error);
    runner.local.skip = cached->found();
  }
  Expected<std::string> file = emitLtransJobs(*plan.jobs, runner);
  if (!file)
    return file.takeError();
  LinkOutputs outputs;
  outputs.buildFile = std::move(*file);
  return outputs;
}

/// Returns the cache that \p options ask for. One that cannot be used is a
/// warning, and none.
static std::optional<Cache> openCache(const LinkOptions &options,
                                      Diagnostics &diagnostics) {
  if (options.cache.directory.empty())
    return std::nullopt;
  Expected<Digest> optimizer = identityOfOptimizer();
  Expected<Cache> cache = optimizer ? Cache::open(options.cache, *optimizer)
                                    : Expected<Cache>(optimizer.takeError());
  if (cache)
    return std::move(*cache);
  diagnostics.warning("there is no cache for this link: " +
                      toString(cache.takeError()));
  return std::nullopt;
}

static void countCached(ArrayRef<CacheState> states, Statistics &statistics) {
  statistics.set("cache-hits-inputs",
                 llvm::count(states, CacheState::HitInputs));
  statistics.set("cache-hits-bodies",
                 llvm::count(states, CacheState::HitBodies));
  statistics.set("cache-misses", llvm::count(states, CacheState::Redone));
}

static void printCached(ArrayRef<CacheState> states) {
  errs() << "LTRANS units: " << llvm::count(states, CacheState::HitInputs)
         << " in the cache by their inputs, "
         << llvm::count(states, CacheState::HitBodies) << " by their bodies, "
         << llvm::count(states, CacheState::Redone) << " run\n";
}

/// Returns the jobs whose results were not there before they were started.
static std::vector<std::string> startedPrefixes(const LinkPlan &plan,
                                                StringRef directory,
                                                const CachedJobs *cached) {
  std::vector<std::string> prefixes;
  for (auto [i, job] : enumerate(*plan.jobs))
    if (!cached || !cached->found().test(i))
      prefixes.push_back(jobPrefix(directory, job));
  return prefixes;
}

/// Returns the directory of files that job files name: where they are kept, or
/// \p temporary.
static StringRef keptOr(const LinkOptions &options, StringRef temporary) {
  return options.saveTempsDirectory.empty() ? temporary
                                            : options.saveTempsDirectory;
}

/// Reads the host objects that the jobs wrote.
static Expected<std::vector<NativeObject>>
collectHostObjects(const LinkPlan &plan, StringRef directory) {
  std::vector<NativeObject> objects;
  for (const JobHead &job : *plan.jobs) {
    if (job.side != Side::Host)
      continue;
    std::string path = resultPaths(job, jobPrefix(directory, job)).object;
    Expected<std::unique_ptr<MemoryBuffer>> file = readWholeFile(path);
    if (!file)
      return file.takeError();
    objects.push_back(
        {"gpulto." + std::to_string(job.index) + ".o", std::move(*file)});
  }
  return objects;
}

/// Returns the names in what \p nvcc joins to our code.
static std::vector<NativeCode> joinedNames(const NvccPlan &nvcc) {
  std::vector<NativeCode> names;
  if (nvcc.isJoined)
    for (const NativePart &part : nvcc.parts)
      names.push_back(part.code);
  return names;
}

/// Returns the code in \p nvcc that is joined to ours for \p arch.
static ArrayRef<NativePart> joinedParts(const NvccPlan &nvcc, StringRef arch) {
  auto isOther = [&](const NativePart &part) { return part.code.arch != arch; };
  if (!nvcc.isJoined)
    return {};
  return ArrayRef(nvcc.parts).drop_while(isOther).take_until(isOther);
}

namespace {
/// What is loaded, and registered with the runtime, as one.
struct DeviceModule {
  FatbinaryObject fatbinary;
  std::vector<RegistrationEntry> entries;
};
} // namespace

/// Links module \p number of device code, for each architecture.
static Expected<std::vector<DeviceProgram>>
linkDeviceModule(const LinkPlan &plan, uint32_t number, const NvccPlan &nvcc,
                 const JobDirectories &directories, const CudaTools &tools) {
  std::vector<DeviceProgram> programs;
  std::string temporary =
      directories.temporary.path() + "/module-" + std::to_string(number);
  for (auto [arch, embed] : zip_equal(plan.architectures, plan.forms)) {
    std::vector<LtransResultPaths> results;
    for (const JobHead &job : *plan.jobs)
      if (job.side == Side::Device && job.arch == arch &&
          plan.deviceModules[job.index] == number)
        results.push_back(resultPaths(job, jobPrefix(directories.jobs, job)));
    if (results.empty() && joinedParts(nvcc, arch).empty())
      continue; // no live device code
    Expected<DeviceProgram> program = linkDevicePartitions(
        arch, results, joinedParts(nvcc, arch), tools, embed, temporary);
    if (!program)
      return program.takeError();
    program->ptx += describeFoldedKernels(program->ptx, arch, plan.folds);
    programs.push_back(std::move(*program));
  }
  return programs;
}

/// Keeps the programs of module \p number, if intermediate files are wanted.
static Error keepPrograms(ArrayRef<DeviceProgram> programs, uint32_t number,
                          const LinkOptions &options) {
  if (options.saveTempsDirectory.empty())
    return Error::success();
  for (const DeviceProgram &program : programs) {
    std::string prefix = options.saveTempsDirectory + "/" + program.arch +
                         (number ? "." + std::to_string(number) : "");
    if (Error error = writeFileAtomically(prefix + ".ptx", program.ptx))
      return error;
    if (!program.cubin.empty())
      if (Error error = writeFileAtomically(prefix + ".cubin", program.cubin))
        return error;
  }
  return Error::success();
}

/// Links the device code, and nvcc's if it is linked apart; returns its
/// modules, without empty ones. Of each, only what is embedded stays in memory.
/// Several programs are compressed in as many threads as jobs might run.
static Expected<std::vector<DeviceModule>>
linkDevices(const LinkPlan &plan, const NvccPlan &nvcc, EmbedKind nvccEmbed,
            const JobDirectories &directories, const CudaTools &tools,
            const LinkOptions &options, const Cache *cache) {
  std::vector<DeviceModule> modules;
  auto add = [&](std::vector<DeviceProgram> programs) -> Error {
    ThreadSlots slots;
    if (programs.size() > 1)
      slots = takeThreadSlots(options.jobserver, options.jobs);
    auto fatbinary = findOrMakeFatbinaryObject(
        std::move(programs), plan.hostTriple,
        options.compression.value_or(plan.compression), slots.count, cache);
    if (!fatbinary)
      return fatbinary.takeError();
    modules.push_back({std::move(*fatbinary), {}});
    return Error::success();
  };
  for (uint32_t m = 0; m < plan.deviceModuleCount; ++m) {
    auto programs = linkDeviceModule(plan, m, nvcc, directories, tools);
    if (!programs)
      return programs.takeError();
    if (programs->empty())
      continue;
    if (Error error = keepPrograms(*programs, m, options))
      return std::move(error);
    if (Error error = add(std::move(*programs)))
      return std::move(error);
    copy_if(plan.registration, std::back_inserter(modules.back().entries),
            [&](const auto &entry) { return entry.deviceModule == m; });
  }
  if (nvcc.isJoined)
    return modules;
  auto programs =
      linkNvccCode(nvcc, nvccEmbed, tools, directories.temporary.path());
  if (!programs)
    return programs.takeError();
  if (!programs->empty())
    if (Error error = add(std::move(*programs)))
      return std::move(error);
  return modules;
}

/// Adds to \p objects what the program carries for tools.
static Error addTables(const LinkPlan &plan, const KernelTable &kernels,
                       const MemoryTable &memory,
                       std::vector<NativeObject> &objects) {
  if (plan.hostTriple.empty())
    return Error::success();
  auto add = [&](const std::string &name, StringRef section,
                 const std::string &contents) -> Error {
    Expected<uint16_t> machine = elfMachine(plan.hostTriple);
    if (!machine)
      return machine.takeError();
    Expected<std::string> object = makeTableObject(section, contents, *machine);
    if (!object)
      return object.takeError();
    objects.push_back({name, MemoryBuffer::getMemBufferCopy(*object, name)});
    return Error::success();
  };
  if (!plan.folds.classes.empty())
    if (Error error =
            add("gpulto.folds.o", kFoldSection, encodeFoldTable(plan.folds)))
      return error;
  if (plan.inlining.callCount())
    if (Error error = add("gpulto.inlining.o", kInlineSection,
                          encodeInlineTable(plan.inlining)))
      return error;
  if (!kernels.kernels.empty())
    if (Error error =
            add("gpulto.kernels.o", kKernelSection, encodeKernelTable(kernels)))
      return error;
  if (!plan.transfers.rows.empty())
    if (Error error = add("gpulto.transfers.o", kTransferSection,
                          encodeTransferTable(plan.transfers)))
      return error;
  if (!memory.images.empty())
    return add("gpulto.memory.o", kMemorySection, encodeMemoryTable(memory));
  return Error::success();
}

/// Adds the fat binaries of \p modules to \p outputs, and the object that
/// registers them. nvcc's host code registers with the last of them.
static Error addDeviceModules(std::vector<DeviceModule> modules,
                              const LinkPlan &plan, const NvccCode &nvcc,
                              const HostCodegenOptions &codegen,
                              LinkOutputs &outputs) {
  if (modules.empty())
    return Error::success();
  auto add = [&](const std::string &name, StringRef contents) {
    outputs.objects.push_back(
        {name, MemoryBuffer::getMemBufferCopy(contents, name)});
  };
  std::vector<RegistrationUnit> units;
  for (auto [m, module] : enumerate(modules)) {
    add("gpulto.fatbin" + std::to_string(m) + ".o", module.fatbinary.object);
    outputs.deviceBytes += module.fatbinary.object.size();
    module.fatbinary.object = std::string(); // one at a time
    units.push_back({module.fatbinary.symbol, module.entries, {}, {}});
  }
  units.back().nvccIds = nvcc.ids;
  units.back().absentNvccIds = nvcc.absent;
  auto registration = makeRegistrationObject(
      units, plan.usesManaged, codegen, plan.hostTriple, plan.hostDataLayout);
  if (!registration)
    return registration.takeError();
  add("gpulto.registration.o", *registration);
  return Error::success();
}

static json::Value describePhases(ArrayRef<JobPhase> phases) {
  json::Array result;
  for (const JobPhase &phase : phases)
    result.push_back(json::Object{
        {"name", phase.name}, {"cpu-ms", int64_t(phase.cpuSeconds * 1000)}});
  return result;
}

/// Counts what the check of kernels cost, over all jobs.
static void countKernelCheck(ArrayRef<JobStatistics> jobs,
                             Statistics &statistics) {
  double seconds = 0;
  for (const JobStatistics &job : jobs)
    for (const JobPhase &phase : job.phases)
      if (phase.name == kCheckKernelsPhase)
        seconds += phase.cpuSeconds;
  statistics.set("check-kernels-cpu-ms", uint64_t(seconds * 1000));
}

/// Takes over what the jobs reported, in their order; of warnings with the same
/// words, as of one loop in several kernels, the first; and in \p memory what
/// kernels access. Errors: FoldMismatchError, if bodies that were to be folded
/// differ.
static Error collectReports(const LinkPlan &plan, StringRef directory,
                            Diagnostics &diagnostics, Statistics &statistics,
                            MemoryTable &memory) {
  std::vector<FoldMismatch> mismatches;
  StringSet<> said;
  auto warn = [&](const std::string &text) {
    if (said.insert(text).second)
      diagnostics.warning(text);
  };
  for (auto [i, job] : enumerate(*plan.jobs)) {
    Expected<LtransReport> report =
        readReport(resultPaths(job, jobPrefix(directory, job)).report);
    if (!report)
      return report.takeError();
    for (const JobWarning &warning : report->warnings)
      warn(warning.needsJob
               ? nameOfJob(plan.jobs->make(i)) + ": " + warning.text
               : warning.text);
    for_each(report->mishaps, warn);
    for (const std::string &line : report->output)
      errs() << line << '\n';
    for (Remark &remark : report->remarks)
      diagnostics.remark(std::move(remark));
    for (const auto &[name, count] : report->counters)
      statistics.add(name, count);
    // Without accesses, too: such programs are told from those without kernels.
    if (!job.arch.empty())
      addAccesses(job.arch, std::move(report->accesses), plan.launches, memory);
    llvm::append_range(mismatches, report->mismatches);
  }
  if (!mismatches.empty())
    return make_error<FoldMismatchError>(std::move(mismatches));
  return Error::success();
}

static json::Value describeJobs(const LinkPlan &plan,
                                ArrayRef<JobStatistics> jobs,
                                const CachedJobs *cached) {
  json::Array result;
  for (auto [job, used] : zip(*plan.jobs, jobs)) {
    json::Object row{
        {"index", int64_t(job.index)},
        {"arch", job.side == Side::Host ? "host" : job.arch},
        {"ran", used.place == JobPlace::Here ? "here" : "elsewhere"},
        {"modules", int64_t(plan.jobs->inputCount(job.index))},
        {"weight", int64_t(job.weight)},
        {"wall-ms", int64_t(used.wallSeconds * 1000)},
        {"cpu-ms", int64_t(used.cpuSeconds * 1000)},
        {"phases", describePhases(used.phases)},
        {"peak-memory-bytes", int64_t(used.peakMemoryBytes)},
        {"expected-memory-bytes", int64_t(used.expectedMemoryBytes)},
        {"taken-memory-bytes", int64_t(used.takenMemoryBytes)}};
    if (cached)
      row["cache"] = wordFor(cached->states()[job.index]);
    result.push_back(std::move(row));
  }
  return result;
}

/// Reads the inputs in as many threads as jobs might run.
static Expected<LinkModules>
readInputs(const LinkInputs &inputs, const LinkOptions &options,
           StringRef jobDirectory, const CudaTools &tools,
           Diagnostics &diagnostics, Statistics &statistics) {
  ThreadSlots slots = takeThreadSlots(options.jobserver, options.jobs);
  return readLinkInputs(inputs, keptOr(options, jobDirectory), tools,
                        slots.count, diagnostics, statistics);
}

/// The link, stage by stage. Errors: FoldMismatchError, when it is to be done
/// again without some folds; else the user's.
static Expected<LinkOutputs> linkOnce(const LinkInputs &inputs,
                                      const LinkOptions &options,
                                      Diagnostics &diagnostics) {
  Statistics statistics;
  TimeTrace trace(options.timeTraceFile);
  Progress progress(options.progress, options.outputFile);
  Expected<CudaTools> tools = findCudaTools(options);
  if (!tools)
    return tools.takeError();
  Expected<EmbedKind> embed = chooseEmbedding(options, *tools);
  if (!embed)
    return embed.takeError();

  if (!options.saveTempsDirectory.empty())
    if (Error error = makeDirectories(options.saveTempsDirectory))
      return error;
  Expected<JobDirectories> directories =
      makeJobDirectories(options.remote, options.outputFile);
  if (!directories)
    return directories.takeError();
  StringRef jobDirectory = directories->jobs;

  // 1. Read: the summaries of all inputs; bodies stay on disk.
  PhaseTimer readTimer(&statistics, "read");
  progress.begin("reading");
  Expected<LinkModules> modules = readInputs(inputs, options, jobDirectory,
                                             *tools, diagnostics, statistics);
  if (!modules)
    return modules.takeError();
  Expected<NvccPlan> nvcc = planNvccLink(modules->modules, modules->nvcc,
                                         options, *embed, *tools, diagnostics);
  readTimer.stop();
  if (!nvcc)
    return nvcc.takeError();
  // From here on no input is added.

  // 2. WPA: resolve, decide, cut.
  PhaseTimer wpaTimer(&statistics, "wpa");
  progress.begin("WPA");
  Expected<LinkPlan> plan = analyzeProgram(
      std::move(modules->modules), joinedNames(*nvcc),
      wpaOptions(inputs, options, *tools, *embed, diagnostics.options()),
      diagnostics, statistics);
  wpaTimer.stop();
  if (!plan)
    return plan.takeError();
  if (Error error = identifyTools(options, *plan))
    return error;
  if (!plan->architectures.empty())
    checkCudaVersion(*tools, diagnostics);
  if (!options.saveTempsDirectory.empty())
    if (Error error = writeJobFiles(*plan->jobs, options.saveTempsDirectory))
      return error;
  if (!options.saveLinkDirectory.empty())
    if (Error error = saveJobs(*plan->jobs, options.saveLinkDirectory))
      return error;
  // From here on the jobs are fixed: a job's result depends on the job alone.

  // 3. LTRANS: the jobs, in parallel, the largest first, here or elsewhere.
  PhaseTimer ltransTimer(&statistics, "ltrans");
  progress.begin("LTRANS");
  bool emitsJobs = options.remote.emit != BuildFileKind::None;
  std::optional<Cache> cache = openCache(options, diagnostics);
  std::optional<CachedJobs> cached;
  if (cache) // results that jobs find there are the later link's to take
    cached.emplace(*cache, *plan->jobs,
                   emitsJobs ? directories->temporary.path()
                             : jobDirectory.str(),
                   !options.saveTempsDirectory.empty(), diagnostics);
  CachedJobs *const cachedJobs = cached ? &*cached : nullptr;
  if (emitsJobs)
    return emitLtrans(*plan, options, jobDirectory, cachedJobs);
  returnFreedMemory();
  Expected<std::vector<JobStatistics>> jobs =
      runLtrans(*plan, options, jobDirectory, cachedJobs, progress, diagnostics,
                statistics);
  if (cached && jobs) {
    cached->end(options.outputFile);
    countCached(cached->states(), statistics);
    if (options.verbose)
      printCached(cached->states());
  }
  ltransTimer.stop();
  if (!jobs)
    return jobs.takeError();
  countKernelCheck(*jobs, statistics);
  MemoryTable memory;
  if (Error error =
          collectReports(*plan, jobDirectory, diagnostics, statistics, memory))
    return error;
  reportAccesses(memory, options.memoryReport, diagnostics);
  // From here on results are used in the order of the jobs.

  // 4. Device link: modules with one program per architecture.
  PhaseTimer deviceTimer(&statistics, "device-link");
  progress.begin("device link");
  Expected<std::vector<DeviceModule>> deviceModules =
      linkDevices(*plan, *nvcc, *embed, *directories, *tools, options,
                  cache ? &*cache : nullptr);
  if (!deviceModules)
    return deviceModules.takeError();
  statistics.set("cache-hits-fatbinaries",
                 count_if(*deviceModules, [](const DeviceModule &module) {
                   return module.fatbinary.isKept;
                 }));

  // 5. Join: host objects, then device code and what registers it.
  Expected<std::vector<NativeObject>> objects =
      collectHostObjects(*plan, jobDirectory);
  if (!objects)
    return objects.takeError();
  LinkOutputs outputs;
  outputs.objects = std::move(*objects);
  if (Error error = addDeviceModules(std::move(*deviceModules), *plan,
                                     modules->nvcc, inputs.codegen, outputs))
    return error;
  KernelTable kernels = makeKernelTable(diagnostics.takeStories());
  if (Error error = addTables(*plan, kernels, memory, outputs.objects))
    return error;
  deviceTimer.stop();
  // From here on nothing is decided: the linker lays out what it was given.

  // 6. Report.
  if (Error error =
          trace.write(startedPrefixes(*plan, jobDirectory, cachedJobs)))
    return error;
  if (!options.statsFile.empty()) {
    statistics.attach("jobs", describeJobs(*plan, *jobs, cachedJobs));
    if (Error error = statistics.writeJson(options.statsFile))
      return error;
  }
  modules->stamps.front().stages = describeStages(*plan, inputs, options);
  outputs.stamps = std::move(modules->stamps);
  return outputs;
}

/// Splits what \p mismatch names off its classes in \p options, and adds to
/// \p warnings.
static void splitClasses(const FoldMismatchError &mismatch,
                         LinkOptions &options,
                         std::vector<std::string> &warnings) {
  for (const FoldMismatch &found : mismatch.mismatches) {
    ++options.icf.apart[{found.tag, found.name}];
    warnings.push_back("internal error: " + found.text +
                       "; linked again without this fold, please report it");
  }
}

Expected<LinkOutputs> runLink(const LinkInputs &inputs,
                              const LinkOptions &options,
                              Diagnostics &diagnostics) {
  LinkOptions current = options;
  std::vector<std::string> warnings;
  Diagnostics::Mark start = diagnostics.mark();
  Expected<LinkOutputs> outputs = linkOnce(inputs, current, diagnostics);
  // Digests are not proofs. Each round splits classes, and nothing is split off
  // more than kMostFoldSplits times.
  while (outputs.errorIsA<FoldMismatchError>()) {
    handleAllErrors(outputs.takeError(), [&](const FoldMismatchError &found) {
      splitClasses(found, current, warnings);
    });
    diagnostics.forgetSince(start);
    outputs = linkOnce(inputs, current, diagnostics);
  }
  for (const std::string &warning : warnings)
    diagnostics.warning(warning);
  return outputs;
}

} // namespace gpulto
