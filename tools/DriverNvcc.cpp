//===- DriverNvcc.cpp - nvcc's command line, for gpulto-clang++ -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: `make NVCC=gpulto-nvcc` builds what nvcc builds.
//
// The command line is parsed with a table of nvcc's options (NvccOptions.td,
// which also says what becomes of each) and written anew for gpulto-clang++.
// What cannot be translated is refused by name; nothing is guessed.
//
//===----------------------------------------------------------------------===//
#include "tools/DriverNvcc.h"

#include "support/CudaVersion.h"
#include "support/Error.h"
#include "tools/DriverHostCompiler.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <set>

using namespace llvm;
using llvm::opt::Arg;

namespace gpulto::driver {

namespace {

enum ID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "tools/NvccOptions.inc"
#undef OPTION
};

#define OPTTABLE_STR_TABLE_CODE
#include "tools/NvccOptions.inc"
#undef OPTTABLE_STR_TABLE_CODE
#define OPTTABLE_PREFIXES_TABLE_CODE
#include "tools/NvccOptions.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

constexpr unsigned DefaultVis = opt::DefaultVis; // as the table spells it

constexpr opt::OptTable::Info kInfos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "tools/NvccOptions.inc"
#undef OPTION
};

struct NvccTable : opt::GenericOptTable {
  NvccTable() : GenericOptTable(OptionStrTable, OptionPrefixesTable, kInfos) {}
};

/// What is made, of what the last such option says.
enum class Product { Program, Object, DeviceLink, Library, Ptx, Cubin, Text };

/// Which forms of one architecture's code are asked for.
struct Forms {
  bool ptx = false;
  bool cubin = false;
};

/// What is written for an option: its words, then its value.
struct Rule {
  enum Form { Flag, Joined, Separate, JoinedEach, SeparateEach, Words };
  unsigned id;
  Form form; ///< Words: of another tool, a list in which quotes count
  StringLiteral word;
  StringLiteral before = ""; ///< a word of its own
};

constexpr Rule kRules[] = {
    {OPT_preprocess, Rule::Flag, "-E"},
    {OPT_dependencies, Rule::Flag, "-M"},
    {OPT_nonsystem_dependencies, Rule::Flag, "-MM"},
    {OPT_dependencies_too, Rule::Flag, "-MD"},
    {OPT_nonsystem_dependencies_too, Rule::Flag, "-MMD"},
    {OPT_dependency_phony, Rule::Flag, "-MP"},
    {OPT_dependency_output, Rule::Separate, "-MF"},
    {OPT_dependency_target, Rule::Separate, "-MT"},
    {OPT_shared, Rule::Flag, "-shared"},
    {OPT_relocatable_link, Rule::Flag, "-r"},
    {OPT_debug, Rule::Flag, "-g"},
    {OPT_profile, Rule::Flag, "-pg"},
    {OPT_no_exceptions, Rule::Flag, "-fno-exceptions"},
    {OPT_no_warnings, Rule::Flag, "-w"},
    {OPT_warning_reorder, Rule::Flag, "-Wreorder"},
    {OPT_warning_declarations, Rule::Flag, "-Wno-deprecated-declarations"},
    {OPT_std, Rule::Joined, "-std="},
    {OPT_template_backtrace, Rule::Joined, "-ftemplate-backtrace-limit="},
    {OPT_template_depth, Rule::Joined, "-ftemplate-depth="},
    {OPT_define_macro, Rule::JoinedEach, "-D"},
    {OPT_undefine_macro, Rule::JoinedEach, "-U"},
    {OPT_include_path, Rule::JoinedEach, "-I"},
    {OPT_pre_include, Rule::SeparateEach, "-include"},
    {OPT_isystem, Rule::SeparateEach, "-isystem"},
    {OPT_library, Rule::JoinedEach, "-l"},
    {OPT_library_path, Rule::JoinedEach, "-L"},
    {OPT_compiler_options, Rule::Words, ""},
    {OPT_linker_options, Rule::Words, "-Xlinker"},
    {OPT_ptxas_options, Rule::Words, "-Xcuda-ptxas"},
    {OPT_maxrregcount, Rule::Joined, "--maxrregcount=", "-Xcuda-ptxas"},
    {OPT_lineinfo, Rule::Flag, "-gline-tables-only", "-Xarch_device"},
    {OPT_relaxed_constexpr, Rule::Flag, "-D__CUDACC_RELAXED_CONSTEXPR__=1"},
    {OPT_extended_lambda, Rule::Flag, "-D__CUDACC_EXTENDED_LAMBDA__=1"},
    {OPT_device_debug, Rule::Flag, "-D__CUDACC_DEBUG__=1"},
    {OPT_dlto, Rule::Flag, "-fgpu-rdc"},
    {OPT_fast_math, Rule::Flag, "-fgpu-approx-transcendentals",
     "-fgpu-flush-denormals-to-zero"},
    {OPT_keep, Rule::Flag, "--gpulto-save-temps"},
    {OPT_keep_directory, Rule::Joined, "--gpulto-save-temps="},
    {OPT_verbose, Rule::Flag, "-v"},
    {OPT_offload_arch, Rule::Joined, "--offload-arch="},
    {OPT_cuda_gpu_arch, Rule::Joined, "--cuda-gpu-arch="},
    {OPT_cuda_path, Rule::Joined, "--cuda-path="},
};

class Translator {
public:
  explicit Translator(const Installation &installation)
      : installation(installation) {}

  /// Returns the exit status.
  Expected<int> run(ArrayRef<const char *> argv);

private:
  Error readWords(ArrayRef<const char *> argv);
  Error readFile(StringRef path);
  Error findToolkit();
  Error translate();
  Error translateOne(const Arg &arg);
  Error translateUnknown(const Arg &arg);
  Error addArchitectures();
  Error addCode(StringRef virtualArch, StringRef code);
  Error addGencode(StringRef specification);
  Error addArch(StringRef value, const Arg *codes);
  Error checkFatbinaryOptions(const Arg &arg);
  Error addHostCompiler();
  void addLevels();
  Expected<bool> isPrecise(unsigned id) const;
  Error addPrecision();
  Expected<std::vector<Command>> commands() const;
  Expected<Command> archive() const;
  Expected<Command> start(ArrayRef<std::string> files) const;
  void addVersions(Command &command) const;
  void addInputs(Command &command, ArrayRef<std::string> files) const;
  std::string sourceLanguage(StringRef path) const;
  std::string outputOf(StringRef input, StringRef extension) const;
  bool isProgram(StringRef input) const;
  Expected<int> runProgram() const;
  Expected<int> printVersion() const;
  int printHelp() const;

  void add(const Twine &word) { translated.push_back(word.str()); }
  std::vector<std::string> splitWords(StringRef list);
  void apply(const Rule &rule, StringRef value);
  Expected<bool> truth(const Arg &arg) const;
  Error addChoice(const Arg &arg, StringRef yes, StringRef no);

  const Installation &installation;
  CudaToolkit toolkit;
  NvccTable table;
  BumpPtrAllocator allocator;
  StringSaver saver{allocator};
  SmallVector<const char *> words;
  std::unique_ptr<opt::InputArgList> args;

  Product product = Product::Program;
  std::vector<std::string> inputs;
  std::vector<std::string> translated; // options of gpulto-clang++
  std::string language;                // empty: by name
  MapVector<StringRef, Forms> architectures;
  std::string cudart = "static";
  bool linksDeviceRuntime = true;
};

} // namespace

/// Splits \p value at its commas, as nvcc does: `\,` is a comma of a part.
static std::vector<std::string> splitList(StringRef value) {
  std::vector<std::string> parts(1);
  for (size_t i = 0; i < value.size(); ++i) {
    if (value.substr(i).starts_with("\\,"))
      parts.back() += value[++i];
    else if (value[i] == ',')
      parts.emplace_back();
    else
      parts.back() += value[i];
  }
  llvm::erase(parts, "");
  return parts;
}

/// Returns the name of \p arg as the user wrote it.
static StringRef nameOf(const Arg &arg) {
  const Arg *given = arg.getAlias() ? arg.getAlias() : &arg;
  return given->getSpelling().rtrim('=');
}

static Error refuse(const Arg &arg, const Twine &why) {
  return makeError("'" + nameOf(arg) + "' cannot be translated: " + why);
}

/// Returns why the table refuses \p arg.
static StringRef whyRefused(const Arg &arg) {
  StringRef help = kInfos[arg.getOption().getID() - 1].HelpText;
  help.consume_front("Refused");
  if (!help.consume_front(": "))
    help.consume_front("; ");
  return help.empty() ? "gpulto has nothing like it" : help;
}

/// Returns the words of \p list, which nvcc hands to a tool through a shell.
std::vector<std::string> Translator::splitWords(StringRef list) {
  std::vector<std::string> result;
  for (const std::string &part : splitList(list)) {
    SmallVector<const char *> unquoted;
    cl::TokenizeGNUCommandLine(part, saver, unquoted);
    append_range(result, unquoted);
  }
  return result;
}

/// Writes what \p rule says of an option with \p value.
void Translator::apply(const Rule &rule, StringRef value) {
  if (!rule.before.empty())
    add(rule.before);
  std::vector<std::string> parts = {value.str()};
  switch (rule.form) {
  case Rule::Flag:
    return add(rule.word);
  case Rule::JoinedEach:
  case Rule::SeparateEach:
    parts = splitList(value);
    break;
  case Rule::Words:
    parts = splitWords(value);
    break;
  default:
    break;
  }
  bool isJoined = rule.form == Rule::Joined || rule.form == Rule::JoinedEach;
  for (const std::string &part : parts) {
    if (!isJoined && !rule.word.empty())
      add(rule.word);
    add(isJoined ? rule.word + Twine(part) : Twine(part));
  }
}

Expected<bool> Translator::truth(const Arg &arg) const {
  StringRef value = arg.getValue();
  if (value == "true" || value == "false")
    return value == "true";
  return makeError("invalid value '" + value + "' in '" + nameOf(arg) +
                   "', expected one of: true, false");
}

/// Adds \p yes or \p no, as the value of \p arg says.
Error Translator::addChoice(const Arg &arg, StringRef yes, StringRef no) {
  Expected<bool> isOn = truth(arg);
  if (!isOn)
    return isOn.takeError();
  add(*isOn ? yes : no);
  return Error::success();
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

/// The toolkit is where gpulto-clang++ will find it.
Error Translator::findToolkit() {
  SmallVector<const char *> asClang = {"gpulto-clang++"};
  if (const Arg *path = args->getLastArg(OPT_cuda_path))
    asClang.push_back(
        saver.save("--cuda-path=" + Twine(path->getValue())).data());
  auto line = CommandLine::parse(asClang);
  if (!line)
    return line.takeError();
  toolkit = findCudaToolkit(**line);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// What gpulto and clang know and nvcc does not.
Error Translator::translateUnknown(const Arg &arg) {
  std::string word = arg.getAsString(*args);
  bool isOwn = StringRef(word).starts_with("--gpulto-");
  if (!isOwn && !args->hasArg(OPT_forward_compiler, OPT_forward_linker,
                              OPT_forward_options))
    return options::unknownOption(table, word, opt::Visibility());
  add(word);
  return Error::success();
}

Error Translator::translateOne(const Arg &arg) {
  const opt::Option &option = arg.getOption();
  StringRef value = arg.getNumValues() ? arg.getValue() : "";
  if (option.matches(OPT_Ignored))
    return Error::success();
  if (option.matches(OPT_Refused))
    return refuse(arg, whyRefused(arg));
  for (const Rule &rule : kRules)
    if (rule.id == option.getID())
      apply(rule, value);
  switch (option.getID()) {
  case OPT_INPUT: // Meson quotes the program that it wants to be run
    inputs.push_back(StringRef(arg.getValue()).trim('"').str());
    break;
  case OPT_UNKNOWN:
    return translateUnknown(arg);

  // What is made.
  case OPT_device_c:
    add("-fgpu-rdc");
    product = Product::Object;
    break;
  case OPT_compile:
  case OPT_device_w:
    product = Product::Object;
    break;
  case OPT_link:
    product = Product::Program;
    break;
  case OPT_device_link:
    product = Product::DeviceLink;
    break;
  case OPT_lib:
    product = Product::Library;
    break;
  case OPT_ptx:
    product = Product::Ptx;
    break;
  case OPT_cubin:
    product = Product::Cubin;
    break;
  case OPT_preprocess:
  case OPT_dependencies:
  case OPT_nonsystem_dependencies:
    product = Product::Text;
    break;

  // Device code.
  case OPT_ftz:
    return addChoice(arg, "-fgpu-flush-denormals-to-zero",
                     "-fno-gpu-flush-denormals-to-zero");
  case OPT_fmad:
    add("-Xarch_device");
    return addChoice(arg, "-ffp-contract=fast", "-ffp-contract=off");
  case OPT_default_stream:
    if (value != "legacy" && value != "null" && value != "per-thread")
      return refuse(arg, "no stream '" + value + "'");
    // clang's driver hands it on for HIP only.
    add("-Xclang");
    add(Twine("-fgpu-default-stream=") +
        (value == "per-thread" ? "per-thread" : "legacy"));
    break;
  case OPT_fatbin_options:
    return checkFatbinaryOptions(arg);
  case OPT_gencode:
    return addGencode(value);
  case OPT_relocatable:
    return addChoice(arg, "-fgpu-rdc", "-fno-gpu-rdc");

  // Other.
  case OPT_language:
    if (value != "cu" && value != "c" && value != "c++")
      return refuse(arg, "no language '" + value + "'");
    language = value == "cu" ? "cuda" : value.str();
    break;
  case OPT_cudadevrt:
    if (value != "none" && value != "static")
      return refuse(arg, "no library '" + value + "'");
    linksDeviceRuntime = value == "static";
    break;
  case OPT_cudart:
    if (value != "none" && value != "shared" && value != "static")
      return refuse(arg, "no library '" + value + "'");
    cudart = value.str();
    break;
  case OPT_threads:
  case OPT_split_compile:
  case OPT_split_compile_extended: {
    unsigned count;
    if (value.getAsInteger(10, count))
      return refuse(arg, "'" + value + "' is no number");
    if (count)
      add("--gpulto-jobs=" + value);
    break;
  }
  case OPT_errors:
    if (is_contained(splitList(value), "all-warnings"))
      add("-Werror");
    break;
  default: // of kRules, or read as a whole elsewhere
    break;
  }
  return Error::success();
}

/// How fat binaries are compressed is ours to choose; what else can be said to
/// fatbinary, which is not run, changes what a program holds.
Error Translator::checkFatbinaryOptions(const Arg &arg) {
  for (StringRef word : splitWords(arg.getValue())) {
    StringRef name = word.ltrim('-').split('=').first;
    if (!is_contained(
            {"compress", "compress-all", "compress-mode", "no-compress"}, name))
      return refuse(arg,
                    "fatbinary, whose option '" + word + "' is, is not run");
  }
  return Error::success();
}

/// nvcc compiles device code at level 3 whatever the level of host code is.
void Translator::addLevels() {
  bool isDebug = args->hasArg(OPT_debug, OPT_device_debug);
  StringRef level = args->getLastArgValue(OPT_optimize, isDebug ? "0" : "3");
  add("-O" + level);
  if (args->hasArg(OPT_device_debug)) {
    for (StringRef word : {"-g", "-O0"}) {
      add("-Xarch_device");
      add(word);
    }
  } else if (level != "3") {
    add("-Xarch_device");
    add("-O3");
  }
}

/// Returns whether option \p id, --prec-div or --prec-sqrt, is true.
Expected<bool> Translator::isPrecise(unsigned id) const {
  const Arg *arg = args->getLastArg(id);
  return arg ? truth(*arg) : !args->hasArg(OPT_fast_math);
}

Error Translator::addPrecision() {
  Expected<bool> division = isPrecise(OPT_prec_div);
  if (!division)
    return division.takeError();
  if (!*division)
    // The second counts where clang generates code: for --ptx and --cubin.
    for (StringRef word : {"-fapprox-func", "-mllvm=-nvptx-prec-divf32=0"}) {
      add("-Xarch_device");
      add(word);
    }
  Expected<bool> squareRoot = isPrecise(OPT_prec_sqrt);
  if (!squareRoot)
    return squareRoot.takeError();
  // clang's sqrtf calls the former, in which LLVM 19 never takes the precise
  // one (__CUDA_PREC_SQRT in NVVMReflect).
  if (*squareRoot)
    add("-D__nv_sqrtf=__nv_fsqrt_rn");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Architectures
//===----------------------------------------------------------------------===//

/// Adds code \p code (sm_90, compute_90, lto_90) of source compiled for
/// \p virtualArch (compute_90).
Error Translator::addCode(StringRef virtualArch, StringRef code) {
  StringRef wanted = virtualArch, number = code;
  if (!wanted.consume_front("compute_") && !wanted.consume_front("sm_"))
    return makeError("architecture '" + virtualArch +
                     "' cannot be translated: name one, as sm_90");
  bool isPtx = number.consume_front("compute_");
  if (!isPtx && !number.consume_front("sm_") && !number.consume_front("lto_"))
    return makeError("code '" + code +
                     "' cannot be translated: expected sm_, compute_ or lto_");
  if (wanted != number)
    return makeError("code '" + code + "' of architecture '" + virtualArch +
                     "' cannot be translated: the source is compiled for the "
                     "architecture of its code; write arch=compute_" +
                     number);
  Forms &forms = architectures[number];
  (isPtx ? forms.ptx : forms.cubin) = true;
  return Error::success();
}

/// Reads `arch=compute_90,code=[sm_90,compute_90]`.
Error Translator::addGencode(StringRef specification) {
  auto malformed = [&] {
    return makeError("'-gencode " + specification +
                     "' cannot be translated: expected "
                     "arch=compute_<N>,code=<code>");
  };
  StringRef rest = specification;
  if (!rest.consume_front("arch="))
    return malformed();
  auto [virtualArch, codes] = rest.split(',');
  if (!codes.consume_front("code="))
    return malformed();
  codes = codes.trim("[]\"");
  for (const std::string &code : splitList(codes))
    if (Error error = addCode(virtualArch, saver.save(code)))
      return error;
  return Error::success();
}

/// Adds what -arch=\p value asks for, with -code \p codes if given.
Error Translator::addArch(StringRef value, const Arg *codes) {
  if (value == "native" || value == "all" || value == "all-major") {
    if (codes)
      return refuse(*codes, "'-arch=" + value + "' says which code it is");
    add("--offload-arch=" + value);
    return Error::success();
  }
  if (codes) {
    for (const std::string &code : splitList(codes->getValue()))
      if (Error error = addCode(value, saver.save(code)))
        return error;
    return Error::success();
  }
  StringRef number = value;
  if (number.consume_front("lto_"))
    return addCode(saver.save("compute_" + number), value);
  if (Error error = addCode(value, value))
    return error;
  if (!number.consume_front("sm_"))
    return Error::success();
  // Beside sm_90a, PTX of sm_90 too, as nvcc does it.
  architectures[number].ptx = true;
  architectures[number.rtrim("af")].ptx = true;
  return Error::success();
}

Error Translator::addArchitectures() {
  if (const Arg *arg = args->getLastArg(OPT_arch))
    if (Error error = addArch(arg->getValue(), args->getLastArg(OPT_gpu_code)))
      return error;
  for (const auto &[number, forms] : architectures) {
    add(Twine("--offload-arch=") + (forms.cubin ? "sm_" : "compute_") + number);
    if (forms.cubin)
      add(Twine(forms.ptx ? "--cuda-include-ptx=sm_"
                          : "--no-cuda-include-ptx=sm_") +
          number);
  }
  return Error::success();
}

/// The last -ccbin counts, before that of the environment.
Error Translator::addHostCompiler() {
  const char *variable = std::getenv("NVCC_CCBIN");
  const Arg *arg = args->getLastArg(OPT_compiler_bindir);
  if (!arg && (!variable || !*variable))
    return Error::success();
  Expected<std::vector<std::string>> words = wordsForHostCompiler(
      arg ? arg->getValue() : variable, arg ? nameOf(*arg) : "NVCC_CCBIN");
  if (!words)
    return words.takeError();
  append_range(translated, *words);
  return Error::success();
}

Error Translator::translate() {
  for (const Arg *arg : *args)
    if (Error error = translateOne(*arg))
      return error;
  if (Error error = addHostCompiler())
    return error;
  addLevels();
  if (Error error = addPrecision())
    return error;
  return addArchitectures();
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

/// Returns the language of the source \p path as clang's -x has it, or "" for
/// what the linker takes.
static StringRef languageOf(StringRef path) {
  return StringSwitch<StringRef>(sys::path::extension(path))
      .Case(".cu", "cuda")
      .Case(".c", "c")
      .Cases(".cc", ".cpp", ".cxx", ".C", "c++")
      .Default("");
}

/// Returns the language of \p path by -x or by its name, as languageOf.
std::string Translator::sourceLanguage(StringRef path) const {
  StringRef own = languageOf(path);
  return own.empty() || language.empty() ? own.str() : language;
}

/// Adds \p files; each source after its language, which holds until another is
/// given.
void Translator::addInputs(Command &command,
                           ArrayRef<std::string> files) const {
  std::string current = "none";
  for (const std::string &path : files) {
    std::string wanted = sourceLanguage(path);
    if (wanted.empty())
      wanted = "none";
    if (wanted != current)
      command.addAll({"-x", wanted});
    current = std::move(wanted);
    command.add(path);
  }
}

/// The name of what is made of \p input alone.
std::string Translator::outputOf(StringRef input, StringRef extension) const {
  if (const Arg *output = args->getLastArg(OPT_output))
    return output->getValue();
  SmallString<128> path(args->getLastArgValue(OPT_output_directory));
  sys::path::append(path, sys::path::stem(input) + extension);
  return path.str().str();
}

/// nvcc says to all sources which one it is.
void Translator::addVersions(Command &command) const {
  std::optional<VersionTuple> version = cudaCompilerVersion(toolkit.root);
  if (!version)
    return;
  auto define = [&](StringRef name, unsigned number) {
    command.add(("-D__" + name + "__=" + std::to_string(number)).str());
  };
  unsigned major = version->getMajor(), minor = version->getMinor().value_or(0);
  define("CUDACC_VER_MAJOR", major);
  define("CUDACC_VER_MINOR", minor);
  if (std::optional<unsigned> build = version->getSubminor())
    define("CUDACC_VER_BUILD", *build);
  define("CUDA_API_VER_MAJOR", major);
  define("CUDA_API_VER_MINOR", minor);
}

/// Returns a command for \p files without them: what comes before them.
/// Errors: no command does for all of them.
Expected<Command> Translator::start(ArrayRef<std::string> files) const {
  Command command;
  command.program = installation.bin + "/gpulto-clang++";
  // nvcc takes what concerns device code with host sources, too.
  command.add("--start-no-unused-arguments");
  std::set<std::string> languages;
  for (const std::string &path : files)
    if (std::string own = sourceLanguage(path); !own.empty())
      languages.insert(std::move(own));
  bool hasC = languages.count("c");
  if (!languages.empty())
    addVersions(command);
  // An error for clang, a warning for GCC.
  if (languages.size() > hasC)
    command.add("-Wno-error=register");
  for (const std::string &word : translated) {
    bool isForCxx = StringRef(word).starts_with("-std=c++");
    if (isForCxx && hasC && languages.size() > 1)
      return makeError("'" + word +
                       "' cannot be translated for C and other "
                       "sources in one command: compile them one by one");
    if (!isForCxx || !hasC)
      command.add(word);
  }
  command.add("--end-no-unused-arguments");
  return command;
}

Expected<Command> Translator::archive() const {
  Expected<std::string> archiver = findProgram("ar");
  if (!archiver)
    return archiver.takeError();
  Command command;
  command.program = std::move(*archiver);
  command.add("rcs");
  command.add(args->getLastArgValue(OPT_output, "a.a").str());
  for (const std::string &input : inputs) {
    if (!languageOf(input).empty())
      return makeError("'-lib' of the source '" + input +
                       "' cannot be translated: compile it first");
    command.add(input);
  }
  return command;
}

Expected<std::vector<Command>> Translator::commands() const {
  std::vector<Command> result;
  if (product == Product::Library) {
    Expected<Command> command = archive();
    if (!command)
      return command.takeError();
    result.push_back(std::move(*command));
    return result;
  }
  if (product == Product::DeviceLink) {
    // nvcc's users hand it to the link of the program.
    Command command;
    command.program = installation.bin + "/gpulto-clang++";
    command.addAll({"-c", "-x", "c", "/dev/null", "-o",
                    args->getLastArgValue(OPT_output, "a_dlink.o").str()});
    result.push_back(std::move(command));
    return result;
  }
  bool hasHeaders = !toolkit.root.empty();
  auto finish = [&](Command &command) {
    // Host sources find cuda_runtime.h, too.
    if (hasHeaders)
      command.addAll({"-idirafter", toolkit.root + "/include"});
    result.push_back(std::move(command));
  };
  if (product == Product::Program || product == Product::Text) {
    Expected<Command> started = start(inputs);
    if (!started)
      return started.takeError();
    Command &command = *started;
    if (product == Product::Program)
      command.add("-flto=gpu");
    addInputs(command, inputs);
    if (product == Product::Program && !args->hasArg(OPT_relocatable_link)) {
      std::string libraries = toolkit.root + "/lib64";
      bool hasDeviceRuntime =
          linksDeviceRuntime && sys::fs::exists(libraries + "/libcudadevrt.a");
      if (hasHeaders && (cudart != "none" || hasDeviceRuntime))
        command.add("-L" + libraries);
      if (hasDeviceRuntime)
        command.add("-lcudadevrt");
      if (cudart == "shared")
        command.add("-lcudart");
      else if (cudart == "static")
        command.addAll({"-lcudart_static", "-lrt", "-lpthread", "-ldl"});
    }
    if (const Arg *output = args->getLastArg(OPT_output))
      command.addAll({"-o", output->getValue()});
    finish(command);
    return result;
  }
  if (inputs.size() > 1 && args->hasArg(OPT_output))
    return makeError("'-o' names one file, but there are several inputs");
  for (const std::string &input : inputs) {
    Expected<Command> started = start(input);
    if (!started)
      return started.takeError();
    Command &command = *started;
    bool isObject = product == Product::Object;
    if (isObject)
      command.addAll({"-flto=gpu", "-c"});
    else
      command.addAll(
          {"--offload-device-only", product == Product::Ptx ? "-S" : "-c"});
    addInputs(command, input);
    StringRef extension = isObject                  ? ".o"
                          : product == Product::Ptx ? ".ptx"
                                                    : ".cubin";
    command.addAll({"-o", outputOf(input, extension)});
    finish(command);
  }
  return result;
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

int Translator::printHelp() const {
  table.printHelp(outs(), "gpulto-nvcc [options] file...",
                  "gpulto-nvcc: nvcc's options, and what becomes of them");
  return 0;
}

Expected<int> Translator::run(ArrayRef<const char *> argv) {
  if (Error error = readWords(argv))
    return error;
  if (Error error = findToolkit())
    return error;
  if (args->hasArg(OPT_version))
    return printVersion();
  if (args->hasArg(OPT_help))
    return printHelp();
  if (Error error = translate())
    return error;
  if (inputs.empty())
    return makeError("no input files");
  bool runs = args->hasArg(OPT_run) && !args->hasArg(OPT_dryrun);
  if (runs && inputs.size() == 1 && isProgram(inputs.front()))
    return runProgram();
  Expected<std::vector<Command>> all = commands();
  if (!all)
    return all.takeError();
  for (const Command &command : *all) {
    if (args->hasArg(OPT_dryrun, OPT_verbose))
      printCommand(errs(), command);
    if (args->hasArg(OPT_dryrun))
      continue;
    if (all->size() == 1 && !runs)
      return execute(command);
    Expected<int> status = runAndWait(command);
    if (!status || *status != 0)
      return status;
  }
  return runs ? runProgram() : Expected<int>(0);
}

bool isOptionOfNvcc(StringRef word, size_t known) {
  static const NvccTable table;
  const char *words[] = {word.data(), ""}; // with a value, where it wants one
  unsigned index = 0;
  std::unique_ptr<Arg> arg = table.ParseOneArg(
      opt::InputArgList(std::begin(words), std::end(words)), index);
  if (!arg || arg->getOption().matches(OPT_INPUT) ||
      arg->getOption().matches(OPT_UNKNOWN))
    return false;
  return nameOf(*arg).size() > known;
}

Expected<int> nvccMain(ArrayRef<const char *> argv,
                       const Installation &installation) {
  return Translator(installation).run(argv);
}

} // namespace gpulto::driver
