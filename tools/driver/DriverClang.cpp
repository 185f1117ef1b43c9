//===- DriverClang.cpp - clang inside the driver --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// This program is also clang, made from clang's libraries: where nvcc accepts
// what clang refuses and no plugin can change that, functions of clang are
// replaced when this program is linked (DriverSharedVariables). It also starts
// once where a driver that runs clang starts twice.
//
// clang's main function, which its libraries do not contain, is here and in
// DriverFrontend. It behaves like the installed clang (same resource directory,
// same search paths, same messages), which still does what this one cannot (in
// a package there is no other, and these are errors):
//
//   - plugins for clang (-fplugin=): they come with or need libclang-cpp;
//   - clang-cl and the like.
//
//===----------------------------------------------------------------------===//
#include "tools/driver/DriverClang.h"

#include "support/Error.h"

#include "clang/Basic/HeaderInclude.h"
#include "clang/Basic/Stack.h"
#include "clang/Config/config.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/ToolChain.h"
#include "clang/Driver/Types.h"
#include "clang/Frontend/ChainedDiagnosticConsumer.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/SerializedDiagnosticPrinter.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Options/Options.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/BuryPointer.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/Timer.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <csignal>
#include <cstdlib>

using namespace llvm;
namespace opts = clang::options;

namespace gpulto::driver {

using Words = SmallVectorImpl<const char *>;

/// The path from which clang derives its directories. It follows links unless
/// it is told not to.
static std::string nominalPath(ArrayRef<const char *> words,
                               const Installation &installation) {
  bool canonical = true;
  for (StringRef word : words) {
    if (word == "-canonical-prefixes")
      canonical = true;
    else if (word == "-no-canonical-prefixes")
      canonical = false;
  }
  const std::string &path = installation.stockClang.empty()
                                ? installation.clang
                                : installation.stockClang;
  SmallString<128> real;
  if (canonical && !sys::fs::real_path(path, real))
    return real.str().str();
  return path;
}

/// Makes clang's printer of messages, named as the program is.
static clang::TextDiagnosticPrinter *makePrinter(raw_ostream &messages,
                                                 StringRef program,
                                                 clang::DiagnosticOptions &of) {
  auto *printer = new clang::TextDiagnosticPrinter(messages, of);
  printer->setPrefix(sys::path::stem(program).str());
  return printer;
}

/// Has the package's own lld link where \p words do not choose a linker: where
/// it is installed there need not be another.
static void chooseOwnLinker(Words &words) {
  bool isChosen = any_of(words, [](StringRef word) {
    return word.starts_with("-fuse-ld=") || word.starts_with("--ld-path=");
  });
  if (isChosen)
    return;
  const char *own[] = {"--start-no-unused-arguments", "-fuse-ld=lld",
                       "--end-no-unused-arguments"};
  words.insert(words.begin() + 1, std::begin(own), std::end(own));
}

ClangDriver::ClangDriver(Words &words, const Installation &installation,
                         raw_ostream &messages)
    : options(clang::CreateAndPopulateDiagOpts(words)),
      diagnostics(clang::DiagnosticIDs::create(), *options,
                  makePrinter(messages, words.front(), *options)),
      driver(nominalPath(words, installation), sys::getDefaultTargetTriple(),
             diagnostics) {
  // The front end's business; for the driver they would come too early.
  options->DiagnosticSuppressionMappingsFile.clear();
  if (!options->DiagnosticSerializationFile.empty())
    diagnostics.setClient(new clang::ChainedDiagnosticConsumer(
        diagnostics.takeClient(),
        clang::serialized_diags::create(options->DiagnosticSerializationFile,
                                        *options, /*MergeChildRecords=*/true)));
  clang::ProcessWarningOptions(diagnostics, *options, *vfs::getRealFileSystem(),
                               /*ReportDiags=*/false);
  clang::driver::ParsedClangName name =
      clang::driver::ToolChain::getTargetAndModeFromProgramName(words.front());
  driver.setTargetAndMode(name);
  if (name.DriverMode)
    words.insert(words.begin() + 1, name.DriverMode);
  if (!installation.resources.empty()) {
    driver.ResourceDir = installation.resources;
    chooseOwnLinker(words);
  }
  // Directories are those of the installed clang; what runs is this program.
  // The name is one that stands for no mode.
  SmallString<128> self(installation.clang);
  sys::path::remove_filename(self);
  sys::path::append(self, "clang");
  driver.ClangExecutable = std::string(self);
}

/// Whether the installed clang has to do it; see the head of this file. Our own
/// plugin needs LLVM only.
static bool needsStockClang(ArrayRef<const char *> words,
                            const Installation &installation) {
  static constexpr StringLiteral kModes[] = {
      "--driver-mode=cl", "--driver-mode=dxc", "--driver-mode=flang"};
  for (size_t i = 0; i != words.size(); ++i) {
    StringRef word = words[i];
    // A pass plugin would bring another LLVM into a package's program.
    bool isPlugin = word.consume_front("-fplugin=") ||
                    (installation.stockClang.empty() &&
                     word.consume_front("-fpass-plugin="));
    if (word == "-load" && i + 1 != words.size()) { // of -cc1
      isPlugin = true;
      word = words[i + 1];
      if (word == "-Xclang" && i + 2 != words.size())
        word = words[i + 2];
    }
    if ((isPlugin && word != installation.lgenPlugin) ||
        is_contained(kModes, word))
      return true;
  }
  return false;
}

/// Reports what would need the installed clang, where there is none.
static int refuse() {
  errs() << "error: the clang of this package has no plugins (-fplugin=, "
            "-fpass-plugin=), and no command lines but those of clang and "
            "clang++\n";
  return 1;
}

/// Becomes the installed clang; returns, with an exit status, only when that
/// fails.
static int becomeStockClang(ArrayRef<const char *> words,
                            const Installation &installation) {
  if (installation.stockClang.empty())
    return refuse();
  Command command;
  command.program = installation.stockClang;
  command.addWords(words.drop_front());
  handleAllErrors(execute(command), [](const ErrorInfoBase &info) {
    errs() << "error: " << info.message() << '\n';
  });
  return 1;
}

/// Runs the installed clang for a command of the driver, in a separate process.
/// Returns its exit status, negative if it could not run.
static int runStockClang(ArrayRef<const char *> words,
                         const Installation &installation) {
  if (installation.stockClang.empty())
    return refuse();
  SmallVector<StringRef, 64> views(words.begin(), words.end());
  views.front() = installation.stockClang;
  std::string message;
  int status = sys::ExecuteAndWait(installation.stockClang, views, std::nullopt,
                                   {}, 0, 0, &message);
  if (!message.empty())
    errs() << "error: " << installation.stockClang << ": " << message << '\n';
  return status;
}

/// Runs an integrated tool (-cc1, -cc1as) in this process, for the driver.
static int runTool(Words &words, const Installation &installation) {
  cl::ResetAllOptionOccurrences();
  if (StringRef(words[1]) == "-cc1as")
    return runAssembler(ArrayRef(words).drop_front(2));
  if (StringRef(words[1]) != "-cc1" || needsStockClang(words, installation))
    return runStockClang(words, installation);
  return runFrontend(ArrayRef(words).drop_front(2), words[0], installation);
}

/// Reads a pair of environment variables: whether to print something, and to
/// which file.
static bool readEnvironment(const char *name, std::string &file) {
  if (!std::getenv(name))
    return false;
  if (const char *value = std::getenv((std::string(name) + "_FILE").c_str()))
    file = value;
  return true;
}

/// Reads CC_PRINT_HEADERS_FORMAT and what belongs to it. False, with an error
/// reported, if that is wrong.
static bool readHeaderFormat(clang::driver::Driver &driver) {
  const char *format = std::getenv("CC_PRINT_HEADERS_FORMAT");
  if (!format)
    return true;
  if (const char *file = std::getenv("CC_PRINT_HEADERS_FILE"))
    driver.CCPrintHeadersFilename = file;
  const char *filter = std::getenv("CC_PRINT_HEADERS_FILTERING");
  driver.CCPrintHeadersFormat = clang::stringToHeaderIncludeFormatKind(format);
  if (!driver.CCPrintHeadersFormat) {
    driver.Diag(clang::diag::err_drv_print_header_env_var) << 0 << format;
    return false;
  }
  if (!filter || !clang::stringToHeaderIncludeFiltering(
                     filter, driver.CCPrintHeadersFiltering)) {
    driver.Diag(filter
                    ? clang::diag::err_drv_print_header_env_var
                    : clang::diag::err_drv_print_header_env_var_invalid_format)
        << (filter ? "1" : "") << (filter ? filter : format);
    return false;
  }
  bool isJson = driver.CCPrintHeadersFormat == clang::HIFMT_JSON;
  bool isFiltered = driver.CCPrintHeadersFiltering != clang::HIFIL_None;
  if (isJson != isFiltered) {
    driver.Diag(clang::diag::err_drv_print_header_env_var_combination)
        << format << filter;
    return false;
  }
  return true;
}

/// Reads the environment variables by which clang's driver is told to print
/// what it does. False, with an error reported, if one is wrong.
static bool readEnvironment(clang::driver::Driver &driver) {
  driver.CCPrintOptions =
      readEnvironment("CC_PRINT_OPTIONS", driver.CCPrintOptionsFilename);
  driver.CCLogDiagnostics =
      readEnvironment("CC_LOG_DIAGNOSTICS", driver.CCLogDiagnosticsFilename);
  driver.CCPrintProcessStats =
      readEnvironment("CC_PRINT_PROC_STAT", driver.CCPrintStatReportFilename);
  driver.CCPrintInternalStats = readEnvironment(
      "CC_PRINT_INTERNAL_STAT", driver.CCPrintInternalStatReportFilename);
  if (!readEnvironment("CC_PRINT_HEADERS", driver.CCPrintHeadersFilename))
    return readHeaderFormat(driver);
  driver.CCPrintHeadersFormat = clang::HIFMT_Textual;
  driver.CCPrintHeadersFiltering = clang::HIFIL_None;
  return true;
}

namespace {

/// What became of the commands that clang's driver ran.
struct Outcome {
  using Driver = clang::driver::Driver;

  int status = 1;
  int failedStatus = 0; ///< of the command below; 0 if all did their work
  const clang::driver::Command *failed = nullptr;

  /// Whether a command died. Those of status 70 gave up on purpose.
  bool isCrash() const {
    constexpr int kSoftwareError = 70;
    return failedStatus < 0 || failedStatus > 128 ||
           failedStatus == kSoftwareError;
  }
  Driver::CommandStatus kind() const {
    if (failedStatus == 0)
      return Driver::CommandStatus::Ok;
    return isCrash() ? Driver::CommandStatus::Crash
                     : Driver::CommandStatus::Error;
  }
};

} // namespace

/// Runs the commands of \p compilation.
static Outcome runCommands(clang::driver::Driver &driver,
                           clang::driver::Compilation &compilation) {
  Outcome outcome;
  if (!compilation.getJobs().empty())
    outcome.failed = &*compilation.getJobs().begin();
  if (compilation.containsError())
    return outcome;
  SmallVector<std::pair<int, const clang::driver::Command *>, 4> failed;
  outcome.status = driver.ExecuteCompilation(compilation, failed);
  for (auto [status, command] : failed) {
    outcome.failedStatus = status;
    outcome.failed = command;
    if (outcome.status == 0)
      outcome.status = status;
    if (outcome.isCrash())
      break;
  }
  return outcome;
}

/// Returns when sources that repeat a failure are to be written; nothing for a
/// value that clang does not know.
static std::optional<clang::driver::Driver::ReproLevel>
reproducerLevel(const opt::ArgList &args) {
  using Level = clang::driver::Driver::ReproLevel;
  std::optional<Level> level = Level::OnCrash;
  if (const opt::Arg *arg = args.getLastArg(opts::OPT_gen_reproducer_eq)) {
    StringRef value = arg->getValue();
    level = StringSwitch<std::optional<Level>>(value)
                .Case("off", Level::Off)
                .Case("crash", Level::OnCrash)
                .Case("error", Level::OnError)
                .Case("always", Level::Always)
                .Default(std::nullopt);
    if (!level)
      errs() << "Unknown value for " << arg->getSpelling() << ": '" << value
             << "'\n";
  }
  if (level && std::getenv("FORCE_CLANG_DIAGNOSTICS_CRASH"))
    level = Level::Always;
  return level;
}

/// Ends by the signal that ended a command, so that our parent sees it.
static void endByTheSameSignal(int status) {
  constexpr int kNoSignal = 255;
  int signal = 0;
  if (status > 128 && status != kNoSignal)
    signal = status - 128;
  else if (status == -2) // another process, of whose signal nothing is known
    signal = SIGABRT;
  if (signal == 0)
    return;
  sys::unregisterHandlers();
  std::raise(signal);
}

/// Runs clang's driver on \p words.
static int runDriver(Words &words, const Installation &installation) {
  // What is the last to say so decides whether the front end runs here.
  bool inProcess = true;
  for (StringRef word : words)
    if (word == "-fno-integrated-cc1" || word == "-fintegrated-cc1")
      inProcess = word == "-fintegrated-cc1";
  ClangDriver driver(words, installation, errs());
  if (!readEnvironment(*driver))
    return 1;
  auto tool = [&](Words &command) { return runTool(command, installation); };
  if (inProcess) {
    driver->CC1Main = tool;
    CrashRecoveryContext::Enable();
  }
  std::unique_ptr<clang::driver::Compilation> compilation(
      driver->BuildCompilation(words));
  auto level = reproducerLevel(compilation->getArgs());
  if (!level)
    return 1;
  Outcome outcome = runCommands(*driver, *compilation);
  if (std::getenv("FORCE_CLANG_DIAGNOSTICS_CRASH"))
    dbgs() << getBugReportMsg();
  if (outcome.failed &&
      driver->maybeGenerateCompilationDiagnostics(
          outcome.kind(), *level, *compilation, *outcome.failed))
    outcome.status = 1;
  driver.engine().getClient()->finish();
  if (inProcess && outcome.isCrash()) {
    // They may lie in stack frames that are gone.
    BuryPointer(TimerGroup::acquireTimerGlobals());
  } else {
    TimerGroup::printAll(errs());
    TimerGroup::clearAll();
  }
  endByTheSameSignal(outcome.failedStatus);
  return outcome.status;
}

int runClang(ArrayRef<const char *> argv, const Installation &installation) {
  clang::noteBottomOfStack();
  setBugReportMsg("PLEASE submit a bug report to " BUG_REPORT_URL
                  " and include the crash backtrace, preprocessed "
                  "source, and associated run script.\n");
  PrettyStackTraceProgram trace(static_cast<int>(argv.size()), argv.data());
  if (sys::Process::FixupStandardFileDescriptors())
    return 1;
  if (needsStockClang(argv, installation))
    return becomeStockClang(argv, installation);
  InitializeAllTargets();
  SmallVector<const char *, 256> words(argv);
  BumpPtrAllocator allocator;
  if (Error failure = clang::driver::expandResponseFiles(
          words, /*ClangCLMode=*/false, allocator)) {
    errs() << toString(std::move(failure)) << '\n';
    return 1;
  }
  if (needsStockClang(words, installation)) // in a response file
    return becomeStockClang(argv, installation);
  if (words.size() > 1 && StringRef(words[1]) == "-cc1as")
    return runAssembler(ArrayRef(words).drop_front(2));
  if (words.size() > 1 && StringRef(words[1]).starts_with("-cc1"))
    return StringRef(words[1]) == "-cc1"
               ? runFrontend(ArrayRef(words).drop_front(2), words[0],
                             installation)
               : becomeStockClang(argv, installation);
  StringSet<> changed;
  if (const char *changes = std::getenv("CCC_OVERRIDE_OPTIONS"))
    clang::driver::applyOverrideOptions(words, changes, changed,
                                        "CCC_OVERRIDE_OPTIONS", &errs());
  return runDriver(words, installation);
}

Command clangCommand(const Installation &installation) {
  Command command;
  command.program = installation.clang;
  command.builtIn = [&installation](ArrayRef<const char *> argv) {
    return runClang(argv, installation);
  };
  return command;
}

} // namespace gpulto::driver
