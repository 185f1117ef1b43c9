//===- DriverFrontend.cpp - clang's front end inside the driver -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// `-cc1`: one source to one object, bitcode, text. clang's libraries contain
// all of it except what surrounds it: options, messages, timers. It differs
// from other clangs for CUDA sources: it declares annotations for kernel
// attributes that only nvcc knows (tools/driver/cuda-shim), with LGEN or
// without; and it skips nvcc's pragmas, most of them about messages that clang
// lacks, without a warning.
//
//===----------------------------------------------------------------------===//
#include "lto/lgen/ModuleRepair.h"
#include "tools/driver/DriverClang.h"

#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/Stack.h"
#include "clang/CodeGen/ObjectFilePCHContainerWriter.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Frontend/Utils.h"
#include "clang/FrontendTool/Utils.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Options/OptionUtils.h"
#include "clang/Serialization/ObjectFilePCHContainerReader.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/IR/PassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/BuryPointer.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/Timer.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <sys/resource.h>

using namespace llvm;

namespace gpulto::driver {

/// Called by LLVM for an error after which it cannot continue.
static void reportFatalError(void *diagnostics, const char *message,
                             bool isBug) {
  static_cast<clang::DiagnosticsEngine *>(diagnostics)
          ->Report(clang::diag::err_fe_error_backend)
      << message;
  sys::RunInterruptHandlers(); // removes what was being written
  // By this status clang's driver knows that it has to help to report a bug.
  constexpr int kSoftwareError = 70;
  sys::Process::Exit(isBug ? kSoftwareError : 1);
}

/// Deep recursion of the parser is expected to fit into the stack.
static void raiseStackLimit() {
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      limit.rlim_cur >= clang::DesiredStackSize)
    return;
  limit.rlim_cur =
      std::min<rlim_t>(limit.rlim_max, rlim_t{clang::DesiredStackSize});
  setrlimit(RLIMIT_STACK, &limit);
}

static void initializeTargets() {
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmPrinters();
  InitializeAllAsmParsers();
}

static std::shared_ptr<clang::PCHContainerOperations> makeContainers() {
  auto operations = std::make_shared<clang::PCHContainerOperations>();
  operations->registerWriter(
      std::make_unique<clang::ObjectFilePCHContainerWriter>());
  operations->registerReader(
      std::make_unique<clang::ObjectFilePCHContainerReader>());
  return operations;
}

/// Prints what -ftime-report and the like have measured.
static void printTimers(const clang::CodeGenOptions &options) {
  std::unique_ptr<raw_ostream> out = CreateInfoOutputFile();
  if (options.TimePassesJson) {
    *out << "{\n";
    TimerGroup::printAllJSONValues(*out, "");
    *out << "\n}\n";
  } else if (!options.TimePassesStatsFile) {
    TimerGroup::printAll(*out);
  }
  TimerGroup::clearAll();
}

/// Writes what -ftime-trace has recorded to \p path.
static void writeTimeTrace(clang::CompilerInstance &compiler, StringRef path) {
  if (!timeTraceProfilerEnabled())
    return;
  if (auto out = compiler.createOutputFile(path, /*Binary=*/false,
                                           /*RemoveFileOnSignal=*/false,
                                           /*useTemporary=*/false))
    timeTraceProfilerWrite(*out);
  compiler.clearOutputFiles(/*EraseFiles=*/false);
  timeTraceProfilerCleanup();
}

/// Runs the front end's actions. Returns whether all went well.
static bool compile(clang::CompilerInstance &compiler) {
  TimeTraceScope scope("ExecuteCompiler");
  bool isTimed = compiler.getCodeGenOpts().TimePasses;
  if (isTimed)
    compiler.createFrontendTimer();
  TimeRegion timer(isTimed ? &compiler.getFrontendTimer() : nullptr);
  return clang::ExecuteCompilerInvocation(&compiler);
}

/// Makes file system and diagnostics of \p compiler, and says there what \p
/// early holds.
static void setUp(clang::CompilerInstance &compiler,
                  clang::TextDiagnosticBuffer &early,
                  const Installation &installation) {
  clang::HeaderSearchOptions &headers = compiler.getHeaderSearchOpts();
  if (headers.UseBuiltinIncludes && headers.ResourceDir.empty())
    headers.ResourceDir = installation.resources.empty()
                              ? clang::GetResourcesPath(installation.stockClang)
                              : installation.resources;
  compiler.createVirtualFileSystem(vfs::getRealFileSystem(), &early);
  compiler.createDiagnostics();
  install_fatal_error_handler(reportFatalError, &compiler.getDiagnostics());
  early.FlushDiagnostics(compiler.getDiagnostics());
}

namespace {

struct NvccAttributesPass : PassInfoMixin<NvccAttributesPass> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    return declareNvccAttributes(module) ? PreservedAnalyses::none()
                                         : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

/// Lets the attributes count that the headers make annotations of.
static void takeNvccAttributes(clang::CompilerInvocation &invocation) {
  if (!invocation.getLangOpts().CUDA)
    return;
  invocation.getPreprocessorOpts().addMacroDef("__GPULTO_CLANG__");
  if (!invocation.getLangOpts().CUDAIsDevice)
    return;
  invocation.getCodeGenOpts().PassBuilderCallbacks.push_back(
      [](PassBuilder &builder) {
        builder.registerPipelineStartEPCallback(
            [](ModulePassManager &passes, OptimizationLevel) {
              passes.addPass(NvccAttributesPass());
            });
      });
}

bool hasLgenInside() { return &llvmGetPassPluginInfo != nullptr; }

/// Whether LGEN is to summarize the module of this compile.
static bool isForLgen(clang::CompilerInvocation &invocation) {
  return any_of(invocation.getFrontendOpts().LLVMArgs, [](StringRef argument) {
    return argument.starts_with("-gpulto-summary-out=");
  });
}

/// Runs LGEN where it is part of this program.
static void addLgen(clang::CompilerInvocation &invocation) {
  if (hasLgenInside() && isForLgen(invocation))
    invocation.getCodeGenOpts().PassBuilderCallbacks.push_back(
        llvmGetPassPluginInfo().RegisterPassBuilderCallbacks);
}

/// Records lines in device code without debug information, for LGEN: messages
/// of links about loops have them. LGEN drops them again.
static void trackLines(clang::CompilerInvocation &invocation) {
  clang::CodeGenOptions &options = invocation.getCodeGenOpts();
  std::vector<std::string> &arguments = invocation.getFrontendOpts().LLVMArgs;
  if (!isForLgen(invocation) || !invocation.getLangOpts().CUDAIsDevice ||
      options.getDebugInfo() != codegenoptions::NoDebugInfo)
    return;
  options.setDebugInfo(codegenoptions::LocTrackingOnly);
  arguments.push_back("-gpulto-drop-lines");
}

namespace {

/// The hook by which something is told of the preprocessor before it starts.
struct NvccPragmas : clang::DependencyCollector {
  void attachToPreprocessor(clang::Preprocessor &preprocessor) override {
    for (const char *name :
         {"nv_diag_suppress", "nv_diag_warning", "nv_diag_error",
          "nv_diag_default", "nv_diag_once", "nv_diagnostic", "nv_abi",
          "nv_exec_check_disable", "hd_warning_disable"})
      preprocessor.AddPragmaHandler(new clang::EmptyPragmaHandler(name));
  }
};

} // namespace

/// Lets nvcc's pragmas pass, but into the preprocessor's output.
static void takeNvccPragmas(clang::CompilerInstance &compiler) {
  if (compiler.getLangOpts().CUDA &&
      compiler.getFrontendOpts().ProgramAction !=
          clang::frontend::PrintPreprocessedInput)
    compiler.addDependencyCollector(std::make_shared<NvccPragmas>());
}

/// Whether \p options ask for a list of what a target has.
static bool asksForTarget(const clang::FrontendOptions &options) {
  return options.PrintSupportedCPUs || options.PrintSupportedExtensions ||
         options.PrintEnabledExtensions;
}

/// Prints the processors of \p options' target, which LLVM does for this
/// feature. Returns the exit status.
static int printProcessors(const clang::TargetOptions &options) {
  std::string why;
  Triple triple(options.Triple);
  const Target *target = TargetRegistry::lookupTarget(triple, why);
  if (!target) {
    errs() << why;
    return 1;
  }
  std::unique_ptr<MCSubtargetInfo> printed(
      target->createMCSubtargetInfo(triple, "", "+cpuhelp"));
  return 0;
}

int runFrontend(ArrayRef<const char *> words, const char *program,
                const Installation &installation) {
  raiseStackLimit();
  initializeTargets();
  // Messages about options wait for the options that say how to print them.
  clang::DiagnosticOptions plain;
  auto *early = new clang::TextDiagnosticBuffer;
  clang::DiagnosticsEngine engine(clang::DiagnosticIDs::create(), plain, early);
  if (is_contained(words, StringRef("-Rround-trip-cc1-args")))
    engine.setSeverity(clang::diag::remark_cc1_round_trip_generated,
                       clang::diag::Severity::Remark, {});
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  bool succeeded = clang::CompilerInvocation::CreateFromArgs(*invocation, words,
                                                             engine, program);
  bool isQuestion = asksForTarget(invocation->getFrontendOpts());
  if (isQuestion && installation.stockClang.empty())
    return printProcessors(invocation->getTargetOpts());
  if (isQuestion) {
    SmallVector<StringRef, 64> all = {installation.stockClang, "-cc1"};
    all.append(words.begin(), words.end());
    return sys::ExecuteAndWait(installation.stockClang, all);
  }
  addLgen(*invocation);
  takeNvccAttributes(*invocation);
  trackLines(*invocation);
  auto compiler = std::make_unique<clang::CompilerInstance>(
      std::move(invocation), makeContainers());
  const clang::FrontendOptions &options = compiler->getFrontendOpts();
  if (!options.TimeTracePath.empty())
    timeTraceProfilerInitialize(options.TimeTraceGranularity, program,
                                options.TimeTraceVerbose);
  setUp(*compiler, *early, installation);
  if (!succeeded)
    return 1;
  takeNvccPragmas(*compiler);
  succeeded = compile(*compiler);
  printTimers(compiler->getCodeGenOpts());
  writeTimeTrace(*compiler, options.TimeTracePath);
  remove_fatal_error_handler();
  if (options.DisableFree) { // it ends with the process
    compiler->getDiagnosticClient().~DiagnosticConsumer();
    BuryPointer(std::move(compiler));
  }
  return succeeded ? 0 : 1;
}

} // namespace gpulto::driver
