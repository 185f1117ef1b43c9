//===- DriverNvccCommands.cpp - What gpulto-nvcc runs ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "support/CudaVersion.h"
#include "support/Error.h"
#include "tools/driver/DriverCuda.h"
#include "tools/driver/DriverFatbinary.h"
#include "tools/driver/DriverNvccTranslator.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace llvm;
using llvm::opt::Arg;

namespace gpulto::driver::nvcc {

/// Puts device code, which may be large, where no code has to reach across it.
constexpr StringLiteral kLinkerScript =
    "SECTIONS {\n"
    "  .nvFatBinSegment : { *(.nvFatBinSegment) }\n"
    "  __nv_relfatbin : { *(__nv_relfatbin) }\n"
    "  .nv_fatbin : { *(.nv_fatbin) }\n"
    "}\n"
    "INSERT AFTER .bss;\n";

StringRef languageOf(StringRef path) {
  return StringSwitch<StringRef>(sys::path::extension(path))
      .Case(".cu", "cuda")
      .Case(".c", "c")
      .Cases({".cc", ".cpp", ".cxx", ".C"}, "c++")
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

/// The name of the output made from \p input alone.
std::string Translator::outputOf(StringRef input, StringRef extension) const {
  if (const Arg *output = args->getLastArg(OPT_output))
    return output->getValue();
  SmallString<128> path(args->getLastArgValue(OPT_output_directory));
  sys::path::append(path, sys::path::stem(input) + extension);
  return path.str().str();
}

/// Whether \p files are what CMake asks compilers who they are with. It is to
/// take gpulto-nvcc for clang and write clang's options: of nvcc it wants to
/// know which programs that runs.
static bool isQuestionOfCMake(ArrayRef<std::string> files) {
  return any_of(files, [](StringRef path) {
    return sys::path::filename(path) == "CMakeCUDACompilerId.cu";
  });
}

/// nvcc says to all sources that it is nvcc, and which one. Libraries ask who
/// they are compiled by; CUDA sources get the answer from gpulto-clang++.
void Translator::addVersions(Command &command, ArrayRef<std::string> files,
                             bool hasHost) const {
  if (!isQuestionOfCMake(files))
    command.add("-D__NVCC__");
  // What they name is in tools/driver/cuda-shim and in DriverFrontend.
  command.addAll({"-D__NVCC_DIAG_PRAGMA_SUPPORT__=1",
                  "-D__CUDACC_DEVICE_ATOMIC_BUILTINS__=1"});
  if (hasHost)
    command.addAll({"-isystem", installation.cudaShim + "/nvcc", "-include",
                    "gpulto-nvcc-libraries.h"});
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

/// Tells host sources the architectures of the CUDA sources next to them, which
/// gpulto-clang++ tells the latter. Does nothing if only gpulto-clang++ knows
/// them (native, all).
void Translator::addArchList(Command &command) const {
  std::vector<std::string> names;
  for (const auto &[number, forms] : architectures)
    names.push_back(("sm_" + number).str());
  if (!names.empty())
    command.add("-D__CUDA_ARCH_LIST__=" + archList(names));
}

/// Whether device code is relocatable, as nvcc has it.
bool Translator::isRelocatable() const {
  for (const std::string &word : reverse(translated))
    if (word == "-fgpu-rdc" || word == "-fno-gpu-rdc")
      return word == "-fgpu-rdc";
  return false;
}

/// Has clang's headers call what is fast of libdevice where -use_fast_math does
/// so for nvcc and clang's own flag does not.
void Translator::addFastMath(Command &command) const {
  if (!is_contained(translated, "-fgpu-approx-transcendentals"))
    return;
  for (StringRef name : {"expf", "exp10f", "log10f", "powf", "tanf"})
    command.add(("-D__nv_" + name + "=__nv_fast_" + name).str());
  std::optional<VersionTuple> version = cudaCompilerVersion(toolkit.root);
  if (version && version->getMajor() >= 13) // __tanhf is new there
    command.add("-D__nv_tanhf=__gpulto_fast_tanhf");
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
    addVersions(command, files, languages.count("c++"));
  if (languages.size() > languages.count("cuda"))
    addArchList(command);
  if (languages.count("cuda"))
    addFastMath(command);
  // Where it is, CCCL's algorithms are for device code, too.
  if (languages.count("cuda") && isRelocatable())
    command.add("-D__CUDACC_RDC__=1");
  // Errors for clang, warnings for nvcc and GCC.
  if (languages.size() > hasC)
    command.addAll({"-Wno-error=register", "-Wno-error=c++11-narrowing"});
  if (hasC)
    command.addAll({"-Wno-error=implicit-function-declaration",
                    "-Wno-error=implicit-int", "-Wno-error=int-conversion",
                    "-Wno-error=incompatible-pointer-types",
                    "-Wno-error=incompatible-function-pointer-types",
                    "-Wno-error=return-mismatch"});
  // Of GCC's, with -Werror.
  if (args->hasArg(OPT_compiler_options))
    command.addAll(
        {"-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument"});
  bool isForHost = !languages.empty() && !languages.count("cuda");
  bool isOptimizedAtLink =
      product == Product::Program || product == Product::Object;
  for (const std::string &word : translated) {
    if (!isOptimizedAtLink && StringRef(word).starts_with("--gpulto-"))
      continue;
    // With -fopenmp, clang offloads host sources to them.
    if (isForHost && StringRef(word).starts_with("--offload-arch="))
      continue;
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

Error Translator::printLinkerScript() const {
  StringRef path = args->getLastArgValue(OPT_output, "-");
  std::error_code code;
  raw_fd_ostream stream(path, code);
  if (code)
    return makeError(path + ": cannot write (" + code.message() + ")");
  stream << kLinkerScript;
  return Error::success();
}

/// Returns a directory that lasts as long as this process; of -dryrun, a name.
Expected<std::string> Translator::temporaryPath() {
  if (args->hasArg(OPT_dryrun))
    return "/tmp/gpulto-XXXXXX";
  if (temporary.path().empty()) {
    Expected<TempDir> made = TempDir::create("gpulto");
    if (!made)
      return made.takeError();
    temporary = std::move(*made);
  }
  return temporary.path();
}

Error Translator::useLinkerScript(Command &command) {
  Expected<std::string> directory = temporaryPath();
  if (!directory)
    return directory.takeError();
  std::string path = *directory + "/host-linker-script.ld";
  command.addAll({"-Xlinker", "-T", "-Xlinker", path});
  if (args->hasArg(OPT_dryrun))
    return Error::success();
  return writeFileAtomically(path, kLinkerScript);
}

/// Returns the directory of -keep, where nvcc leaves files; nothing without it.
std::optional<std::string> Translator::keptDirectory() const {
  if (const Arg *directory = args->getLastArg(OPT_keep_directory))
    return directory->getValue();
  if (args->hasArg(OPT_keep))
    return "";
  return std::nullopt;
}

/// Adds the commands for the images of \p input, of which \p command is the
/// beginning, and for their fat binary \p output, if it is not empty.
Error Translator::addImages(const Command &command, const std::string &input,
                            const std::string &output,
                            std::vector<Command> &result) {
  if (!toolkit)
    return makeError("there is no CUDA toolkit for images of '" + input + "'");
  FatbinaryRequest request;
  if (std::optional<std::string> kept = keptDirectory()) {
    request.directory = *kept;
  } else {
    Expected<std::string> directory = temporaryPath();
    if (!directory)
      return directory.takeError();
    request.directory = *directory;
  }
  request.compile = command;
  request.compile.addAll({"-idirafter", toolkit.root + "/include"});
  request.input = {"-x", "cuda", input};
  request.output = output;
  request.compression = args->getLastArgValue(OPT_compress_mode);
  Expected<std::vector<Command>> made = fatbinaryCommands(request, toolkit);
  if (!made)
    return made.takeError();
  llvm::append_range(result, *made);
  return Error::success();
}

/// With -keep, tools look for the PTX and the cubins of each file under nvcc's
/// names; gpulto's own code is of the program, so they are made for that.
Error Translator::addKeptImages(std::vector<Command> &result) {
  std::optional<std::string> directory = keptDirectory();
  if (!directory)
    return Error::success();
  if (!directory->empty() && !args->hasArg(OPT_dryrun))
    if (std::error_code code = sys::fs::create_directories(*directory))
      return makeError(*directory + ": cannot make the directory (" +
                       code.message() + ")");
  for (const std::string &input : inputs) {
    if (sourceLanguage(input) != "cuda")
      continue;
    Expected<Command> started = start(input);
    if (!started)
      return started.takeError();
    started->add("-w"); // the compile of the object says it
    if (Error error = addImages(*started, input, /*output=*/"", result))
      return error;
  }
  return Error::success();
}

/// nvcc's users hand it to the link of the program.
Command Translator::deviceLink() const {
  Command command;
  command.program = installation.bin + "/gpulto-clang++";
  command.addAll({"-c", "-x", "c", "/dev/null", "-o",
                  args->getLastArgValue(OPT_output, "a_dlink.o").str()});
  return command;
}

/// Host sources find cuda_runtime.h and libcu++, too.
void Translator::addHeaders(Command &command) const {
  if (!toolkit.root.empty())
    command.addAll({"-idirafter", toolkit.root + "/include", "-idirafter",
                    toolkit.cccl()});
}

/// Adds the libraries of CUDA's that nvcc links.
void Translator::addRuntimes(Command &command) const {
  std::string libraries = toolkit.libraries();
  bool hasDeviceRuntime =
      linksDeviceRuntime && sys::fs::exists(libraries + "/libcudadevrt.a");
  if (!toolkit.root.empty() && (cudart != "none" || hasDeviceRuntime))
    command.add("-L" + libraries);
  if (hasDeviceRuntime)
    command.add("-lcudadevrt");
  if (cudart == "shared")
    command.add("-lcudart");
  else if (cudart == "static")
    command.addAll({"-lcudart_static", "-lrt", "-lpthread", "-ldl"});
}

/// Returns the command that makes the program, or the text, of all inputs.
Expected<Command> Translator::link() {
  Expected<Command> started = start(inputs);
  if (!started)
    return started.takeError();
  Command &command = *started;
  command.add("-flto=gpu"); // text is of every pass, too
  if (none_of(inputs, [&](const std::string &input) {
        return !sourceLanguage(input).empty();
      }))
    command.addAll(linkWords);
  addInputs(command, inputs);
  bool isLinked = product == Product::Program;
  if (isLinked && !args->hasArg(OPT_relocatable_link))
    addRuntimes(command);
  if (const Arg *output = args->getLastArg(OPT_output))
    command.addAll({"-o", output->getValue()});
  if (isLinked && args->hasArg(OPT_host_linker_script))
    if (Error error = useLinkerScript(command))
      return std::move(error);
  addHeaders(command);
  return started;
}

/// Returns the command that makes one file of \p input.
Expected<Command> Translator::compile(const std::string &input) const {
  Expected<Command> started = start(input);
  if (!started)
    return started.takeError();
  Command &command = *started;
  bool isObject = product == Product::Object;
  bool isPtx = product == Product::Ptx;
  if (isObject)
    command.addAll({"-flto=gpu", "-c"});
  else
    command.addAll({"--offload-device-only", isPtx ? "-S" : "-c"});
  addInputs(command, input);
  StringRef extension = isObject ? ".o" : isPtx ? ".ptx" : ".cubin";
  command.addAll({"-o", outputOf(input, extension)});
  addHeaders(command);
  return started;
}

/// Adds the commands that make a fat binary of \p input.
Error Translator::addFatbinary(const std::string &input,
                               std::vector<Command> &result) {
  Expected<Command> started = start(input);
  if (!started)
    return started.takeError();
  return addImages(*started, input, outputOf(input, ".fatbin"), result);
}

/// Adds the commands that make files of each input.
Error Translator::addEach(std::vector<Command> &result) {
  if (inputs.size() > 1 && args->hasArg(OPT_output))
    return makeError("'-o' names one file, but there are several inputs");
  for (const std::string &input : inputs) {
    if (product == Product::Fatbin) {
      if (Error error = addFatbinary(input, result))
        return error;
      continue;
    }
    Expected<Command> command = compile(input);
    if (!command)
      return command.takeError();
    result.push_back(std::move(*command));
  }
  return Error::success();
}

/// Returns the command that makes one file of all inputs.
Expected<Command> Translator::commandOfAll() {
  if (product == Product::Library)
    return archive();
  if (product == Product::DeviceLink)
    return deviceLink();
  return link();
}

Expected<std::vector<Command>> Translator::commands() {
  std::vector<Command> result;
  if (product == Product::Program || product == Product::Object)
    if (Error error = addKeptImages(result))
      return std::move(error);
  if (!is_contained({Product::Program, Product::Text, Product::Library,
                     Product::DeviceLink},
                    product)) {
    if (Error error = addEach(result))
      return std::move(error);
    return result;
  }
  Expected<Command> command = commandOfAll();
  if (!command)
    return command.takeError();
  result.push_back(std::move(*command));
  return result;
}

} // namespace gpulto::driver::nvcc
