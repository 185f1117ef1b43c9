//===- DriverNvcc.cpp - nvcc's command line, for gpulto-clang++ -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: `make NVCC=gpulto-nvcc` builds what nvcc builds.
//
// The command line is parsed with a table of nvcc's options (NvccOptions.td,
// which also says what becomes of each) and translated for gpulto-clang++.
// Options that cannot be translated are refused by name; nothing is guessed.
//
//===----------------------------------------------------------------------===//
#include "tools/driver/DriverNvcc.h"

#include "support/CudaToolkit.h"
#include "support/CudaVersion.h"
#include "support/Error.h"
#include "tools/driver/DriverNvccTranslator.h"
#include "tools/driver/DriverTimeTable.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdlib>

using namespace llvm;
using llvm::opt::Arg;

namespace gpulto::driver {

namespace nvcc {

#define OPTTABLE_STR_TABLE_CODE
#include "tools/driver/NvccOptions.inc"
#undef OPTTABLE_STR_TABLE_CODE
#define OPTTABLE_PREFIXES_TABLE_CODE
#include "tools/driver/NvccOptions.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

static constexpr unsigned DefaultVis =
    opt::DefaultVis; // as the table spells it

static constexpr opt::OptTable::Info kInfos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "tools/driver/NvccOptions.inc"
#undef OPTION
};

NvccTable::NvccTable()
    : GenericOptTable(OptionStrTable, OptionPrefixesTable, kInfos) {}

StringRef whyRefused(const Arg &arg) {
  StringRef help = kInfos[arg.getOption().getID() - 1].HelpText;
  help.consume_front("Refused");
  if (!help.consume_front(": "))
    help.consume_front("; ");
  return help.empty() ? "gpulto has nothing like it" : help;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Error Translator::readFile(StringRef path) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return makeError(path + ": cannot read options (" +
                     file.getError().message() + ")");
  cl::TokenizeGNUCommandLine((*file)->getBuffer(), saver, words);
  return Error::success();
}

/// The environment's options come before and after those of the command line.
Error Translator::readWords(ArrayRef<const char *> argv) {
  auto addVariable = [&](const char *name) {
    if (const char *value = std::getenv(name))
      cl::TokenizeGNUCommandLine(value, saver, words);
  };
  addVariable("NVCC_PREPEND_FLAGS");
  for (size_t i = 1; i < argv.size(); ++i) {
    StringRef word = argv[i];
    bool isFile = word.consume_front("--options-file=") ||
                  word.consume_front("-optf=") || word.consume_front("@");
    if (!isFile && i + 1 < argv.size() &&
        (word == "--options-file" || word == "-optf")) {
      isFile = true;
      word = argv[++i];
    }
    if (!isFile) {
      words.push_back(argv[i]);
      continue;
    }
    for (const std::string &path : splitList(word))
      if (Error error = readFile(path))
        return error;
  }
  addVariable("NVCC_APPEND_FLAGS");
  unsigned missingIndex = 0, missingCount = 0;
  args = std::make_unique<opt::InputArgList>(
      table.ParseArgs(words, missingIndex, missingCount));
  if (missingCount)
    return makeError("argument to '" + Twine(args->getArgString(missingIndex)) +
                     "' is missing");
  return Error::success();
}

/// The toolkit is the tree in which \p program, the name that we are called by,
/// is nvcc; else where gpulto-clang++ will find it.
Error Translator::findToolkit(StringRef program) {
  std::string root;
  if (const Arg *path = args->getLastArg(OPT_cuda_path))
    root = path->getValue();
  else if (root = cudaHomeOf(program); !root.empty())
    add("--cuda-path=" + root);
  std::string option = "--cuda-path=" + root;
  SmallVector<const char *> asClang = {"gpulto-clang++"};
  if (!root.empty())
    asClang.push_back(option.c_str());
  auto line = CommandLine::parse(asClang);
  if (!line)
    return line.takeError();
  toolkit = findCudaToolkit(**line);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Whether \p input, given with -run, is what a link has made already.
bool Translator::isProgram(StringRef input) const {
  StringRef extension = sys::path::extension(input);
  bool isLinked = extension == ".o" || extension == ".a" ||
                  extension.starts_with(".so") || !languageOf(input).empty();
  return product == Product::Program && !isLinked;
}

Expected<int> Translator::runProgram() const {
  if (product != Product::Program)
    return makeError("'-run' runs programs, but none is made");
  Command command;
  SmallString<128> path(inputs.size() == 1 && isProgram(inputs.front())
                            ? StringRef(inputs.front())
                            : args->getLastArgValue(OPT_output, "a.out"));
  if (std::error_code code = sys::fs::make_absolute(path))
    return makeError(path + ": " + code.message());
  command.program = path.str();
  for (const std::string &list : args->getAllArgValues(OPT_run_args))
    command.addAll(splitList(list));
  return execute(command);
}

/// Build systems read the release from the line that nvcc has. From clang's
/// they know what takes the options (CMake's FindCUDAToolkit), so it comes too.
Expected<int> Translator::printVersion() const {
  outs() << "gpulto-nvcc: takes the options of nvcc, runs gpulto-clang++\n";
  if (auto version = cudaCompilerVersion(toolkit.root))
    outs() << "Cuda compilation tools, release " << version->getMajor() << '.'
           << version->getMinor().value_or(0) << ", V" << version->getAsString()
           << '\n';
  outs().flush();
  Command command;
  command.program = installation.bin + "/gpulto-clang++";
  command.add("--version");
  return runAndWait(command);
}

/// nvcc says first where its toolkit is, and build systems ask it that way
/// (CMake's FindCUDAToolkit).
void Translator::printPlaces() const {
  if (!toolkit)
    return;
  errs() << "#$ TOP=" << toolkit.root << '\n'
         << "#$ INCLUDES=\"-I" << toolkit.include() << "\"\n";
  if (sys::fs::is_directory(toolkit.cccl()))
    errs() << "#$ SYSTEM_INCLUDES=\"-isystem\" \"" << toolkit.cccl() << "\"\n";
}

int Translator::printHelp() const {
  table.printHelp(outs(), "gpulto-nvcc [options] file...",
                  "gpulto-nvcc: nvcc's options, and what becomes of them");
  return 0;
}

/// Runs \p command, and writes to the table of -time how long it took.
Expected<int> Translator::runOne(const Command &command) const {
  auto start = std::chrono::steady_clock::now();
  Expected<int> status = runAndWait(command);
  const Arg *table = args->getLastArg(OPT_time);
  if (!status || !table)
    return status;
  std::chrono::duration<double, std::milli> wall =
      std::chrono::steady_clock::now() - start;
  if (Error error = appendTime(table->getValue(), {command, wall.count()}))
    return error;
  return status;
}

Expected<int> Translator::run(ArrayRef<const char *> argv) {
  if (Error error = readWords(argv))
    return error;
  if (Error error = findToolkit(argv.front()))
    return error;
  if (args->hasArg(OPT_version))
    return printVersion();
  if (args->hasArg(OPT_help))
    return printHelp();
  if (Error error = translate())
    return error;
  if (args->getLastArgValue(OPT_host_linker_script) == "gen-lcs") {
    if (Error error = printLinkerScript())
      return error;
    return 0;
  }
  if (inputs.empty())
    return makeError("no input files");
  bool runs = args->hasArg(OPT_run) && !args->hasArg(OPT_dryrun);
  if (runs && inputs.size() == 1 && isProgram(inputs.front()))
    return runProgram();
  if (args->hasArg(OPT_dryrun, OPT_verbose))
    printPlaces();
  Expected<std::vector<Command>> all = commands();
  if (!all)
    return all.takeError();
  for (const Command &command : *all) {
    if (args->hasArg(OPT_dryrun, OPT_verbose))
      printCommand(errs(), command);
    if (args->hasArg(OPT_dryrun))
      continue;
    bool isLast = all->size() == 1 && !runs && temporary.path().empty();
    if (isLast && !args->hasArg(OPT_time))
      return execute(command);
    Expected<int> status = runOne(command);
    if (!status || *status != 0)
      return status;
  }
  return runs ? runProgram() : Expected<int>(0);
}

} // namespace nvcc

bool isOptionOfNvcc(StringRef word, size_t known) {
  static const nvcc::NvccTable table;
  const char *words[] = {word.data(), ""}; // with a value, where it wants one
  unsigned index = 0;
  std::unique_ptr<Arg> arg = table.ParseOneArg(
      opt::InputArgList(std::begin(words), std::end(words)), index);
  if (!arg || arg->getOption().matches(nvcc::OPT_INPUT) ||
      arg->getOption().matches(nvcc::OPT_UNKNOWN))
    return false;
  return nvcc::nameOf(*arg).size() > known;
}

Expected<int> nvccMain(ArrayRef<const char *> argv,
                       const Installation &installation) {
  return nvcc::Translator(installation).run(argv);
}

} // namespace gpulto::driver
