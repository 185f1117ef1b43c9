//===- DriverCuda.cpp - CUDA toolkits newer than clang --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// clang 22 knows CUDA up to 12.9. Three things keep it from working with 13.0:
//
//   1. ptxas 13.0 starts at sm_75, clang's default is sm_52, and build systems
//      probe with sm_20 to sm_52: architectures are raised to the lowest one
//      that ptxas itself lists;
//   2. Thrust, CUB and libcu++ moved to include/cccl, and headers of the
//      runtime (cooperative_groups.h) include them: the folder is searched
//      where nvcc searches it, behind what the user names and before the
//      system's own;
//   3. it writes PTX 8.8 for toolkits that it does not know, though LLVM
//      has 9.0, which sm_110 needs: it is told the newest version that both
//      have (deviceWords).
//
// clang searches the toolkit's headers after /usr/local/include, which on some
// machines holds those of another release. They must be those of the tools, so
// the folder is named like cccl's.
//
// With any toolkit, sources get what nvcc declares and defines and clang does
// not: gpulto-nvcc.h in tools/driver/cuda-shim and __CUDA_ARCH_LIST__, from
// which CUB learns which kernels to instantiate.
//
//===----------------------------------------------------------------------===//
#include "tools/driver/DriverCuda.h"

#include "support/CudaToolkit.h"
#include "support/Error.h"
#include "support/Subprocess.h"
#include "tools/driver/DriverClang.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

#include <set>

using namespace llvm;
namespace opts = clang::driver::options;

namespace gpulto::driver {

void warn(const Twine &message) {
  WithColor::warning(errs(), "gpulto-clang") << message << '\n';
}

static std::string joined(StringRef directory, const Twine &rest) {
  SmallString<128> path(directory);
  sys::path::append(path, rest);
  return std::string(path);
}

/// Returns the root of the tree that the program \p file is in. One program for
/// all tools lies in libexec/gpulto, others in bin.
static StringRef prefixOf(StringRef file) {
  StringRef directory = sys::path::parent_path(file);
  if (directory.ends_with("/libexec/gpulto"))
    directory = sys::path::parent_path(directory);
  return sys::path::parent_path(directory);
}

Expected<Installation> Installation::find(const char *argv0, bool cxx) {
  // The address of any function of the program serves to find its file.
  std::string self = sys::fs::getMainExecutable(
      argv0, reinterpret_cast<void *>(&Installation::find));
  std::string prefix = prefixOf(self).str();
  Installation result;
  result.bin = joined(prefix, "bin");
  result.linker = joined(prefix, "libexec/gpulto/ld.lld");
  result.linkerPlugin = joined(prefix, "lib/gpulto/gpulto-plugin.so");
  result.linkerScript = joined(prefix, "lib/gpulto/far-device-code.ld");
  result.traceLibrary = joined(prefix, "lib/gpulto/libgpulto-trace.a");
  if (!hasLgenInside())
    result.lgenPlugin = joined(prefix, "lib/gpulto/gpulto-lgen.so");
  result.cudaShim = joined(prefix, "lib/gpulto/cuda-shim");
  std::string name = cxx ? "clang++" : "clang";
  result.clang = joined(prefix, "libexec/gpulto/" + name);
  constexpr StringLiteral kStockClangs = GPULTO_CLANG_DIRECTORY;
  if (kStockClangs.empty()) {
    result.resources =
        joined(prefix, "lib/clang/" + std::to_string(LLVM_VERSION_MAJOR));
    return result;
  }
  result.stockClang = joined(kStockClangs, name);
  if (sys::fs::can_execute(result.stockClang))
    return result;
  Expected<std::string> found =
      findProgram(name + "-" + std::to_string(LLVM_VERSION_MAJOR));
  if (!found)
    return found.takeError();
  result.stockClang = *found;
  return result;
}

CudaToolkit findCudaToolkit(const CommandLine &line) {
  // Given explicitly: used unchanged, so that clang reports a wrong one.
  StringRef given = line.clangArgs().getLastArgValue(opts::OPT_cuda_path_EQ);
  given = line.ownValue(options::OPT_cuda_path, given);
  return {given.empty() ? defaultCudaToolkit(GPULTO_CONFIGURED_CUDA)
                        : given.rtrim('/').str()};
}

std::string CudaToolkit::libraries() const {
  std::string usual = root + "/lib64";
  return sys::fs::is_directory(usual) ? usual : root + "/lib";
}

/// Whether \p argument names a library of the toolkit to the linker.
static bool namesToolkitLibrary(const DriverArg &argument) {
  if (!argument.is(opts::OPT_l))
    return false;
  StringRef name = argument.arg->getValue();
  return name == "cudart" || name == "cudart_static" || name == "cudadevrt";
}

/// Returns the name of the one runtime in \p directory, or empty.
static std::string versionedRuntime(StringRef directory) {
  std::string result;
  std::error_code code;
  sys::fs::directory_iterator entry(directory, code), end;
  for (; !code && entry != end; entry.increment(code)) {
    StringRef name = sys::path::filename(entry->path());
    if (name.starts_with("libcudart.so.") &&
        (result.empty() || name.size() < result.size()))
      result = name.str();
  }
  return result;
}

WheelLibraries::WheelLibraries(const CommandLine &line) : line(line) {
  if (line.finalStep() != FinalStep::Link ||
      none_of(line.arguments(), namesToolkitLibrary))
    return;
  CudaToolkit toolkit = findCudaToolkit(line);
  if (!toolkit || sys::fs::exists(toolkit.libraries() + "/libcudart.so"))
    return;
  runtime = versionedRuntime(toolkit.libraries());
  if (!runtime.empty())
    directory = toolkit.libraries();
}

void WheelLibraries::add(Command &command, const DriverArg &argument) const {
  if (directory.empty() || !namesToolkitLibrary(argument)) {
    command.addWords(line.wordsOf(argument));
    return;
  }
  bool isRuntime = StringRef(argument.arg->getValue()) == "cudart";
  command.add("-l" + (isRuntime ? ":" + runtime
                                : std::string(argument.arg->getValue())));
  command.add("-L" + directory);
}

std::string archList(ArrayRef<std::string> architectures) {
  constexpr unsigned kPerNumber = 10;
  std::set<unsigned> numbers;
  for (StringRef name : architectures) {
    unsigned number = 0;
    if (name.consume_front("sm_") && !name.consumeInteger(10, number))
      numbers.insert(number * kPerNumber);
  }
  return join(map_range(numbers, [](unsigned n) { return utostr(n); }), ",");
}

/// Returns the words for what nvcc gives to each source and clang does not.
static std::vector<std::string>
nvccSurroundings(const CommandLine &line, const Installation &installation,
                 ArrayRef<std::string> architectures) {
  const opt::InputArgList &args = line.clangArgs();
  std::vector<std::string> words;
  if (!architectures.empty())
    words.insert(words.end(),
                 {"-U__CUDA_ARCH_LIST__", // clang 22's: of this pass
                  "-D__CUDA_ARCH_LIST__=" + archList(architectures)});
  // clang is told -fgpu-rdc with -flto=gpu; libraries ask what the user says.
  if (line.wantsGpuLto() &&
      !args.hasFlag(opts::OPT_fgpu_rdc, opts::OPT_fno_gpu_rdc, false))
    words.push_back("-U__CLANG_RDC__");
  bool includes =
      args.hasFlag(opts::OPT_offload_inc, opts::OPT_no_offload_inc, true);
  if (includes)
    words.insert(words.end(), {"-isystem", installation.cudaShim + "/nvcc",
                               "-include", "gpulto-nvcc.h", "-idirafter",
                               installation.cudaShim + "/absent"});
  return words;
}

std::string askPtxas(const CudaToolkit &toolkit, StringRef option) {
  if (!toolkit || !sys::fs::can_execute(toolkit.ptxas()))
    return "";
  constexpr unsigned kAnswerSeconds = 60;
  ProcessOptions process;
  process.timeoutSeconds = kAnswerSeconds;
  process.ownGroup = true;
  Expected<ProcessResult> answer =
      runProcess(toolkit.ptxas(), {option.str()}, process);
  if (answer)
    return answer->output;
  consumeError(answer.takeError());
  return "";
}

std::vector<std::string> cudaRepairs(const CommandLine &line,
                                     const CudaToolkit &toolkit,
                                     const Installation &installation,
                                     ArrayRef<std::string> architectures) {
  if (!toolkit)
    return {};
  std::vector<std::string> words =
      nvccSurroundings(line, installation, architectures);
  if (!line.clangArgs().hasArg(opts::OPT_cuda_path_EQ))
    words.push_back("--cuda-path=" + toolkit.root);
  words.push_back("-Wno-unknown-cuda-version");
  if (sys::fs::is_directory(toolkit.cccl()))
    words.push_back("-cxx-isystem" + toolkit.cccl());
  if (line.clangArgs().hasFlag(opts::OPT_offload_inc, opts::OPT_no_offload_inc,
                               true))
    words.push_back("-cxx-isystem" + toolkit.include());
  return words;
}

} // namespace gpulto::driver
