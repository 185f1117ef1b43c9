//===- DriverCuda.cpp - CUDA toolkits newer than clang --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// clang 22 knows CUDA up to 12.9. Two things keep it from working with 13.0:
//
//   1. ptxas 13.0 starts at sm_75, clang's default is sm_52, and build systems
//      probe with sm_20 to sm_52: architectures are raised to the lowest one
//      that ptxas itself lists;
//   2. Thrust, CUB and libcu++ moved to include/cccl, and headers of the
//      runtime (cooperative_groups.h) include them: the folder is searched
//      where nvcc searches it, behind what the user names and before the
//      system's own.
//
// Whatever the toolkit, sources get what nvcc declares and defines for all and
// clang does not: gpulto-nvcc.h in tools/cuda-shim and __CUDA_ARCH_LIST__, from
// which CUB learns which kernels to instantiate.
//
//===----------------------------------------------------------------------===//
#include "tools/DriverCuda.h"

#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

#include <map>
#include <set>

using namespace llvm;
namespace opts = clang::driver::options;

namespace gpulto::driver {

/// What clang compiles for when nothing is said (clang 22).
constexpr unsigned kClangDefaultArch = 52;
/// The default where no ptxas tells what it supports.
constexpr unsigned kFallbackDefaultArch = 75;

void warn(const Twine &message) {
  WithColor::warning(errs(), "gpulto-clang") << message << '\n';
}

static std::string joined(StringRef directory, const Twine &rest) {
  SmallString<128> path(directory);
  sys::path::append(path, rest);
  return std::string(path);
}

Expected<Installation> Installation::find(const char *argv0, bool cxx) {
  // The address of any function of the program serves to find its file.
  std::string self = sys::fs::getMainExecutable(
      argv0, reinterpret_cast<void *>(&Installation::find));
  Installation result;
  result.bin = sys::path::parent_path(self).str();
  std::string prefix = sys::path::parent_path(result.bin).str();
  result.linker = joined(prefix, "libexec/gpulto/ld.lld");
  result.linkerPlugin = joined(prefix, "lib/gpulto/gpulto-plugin.so");
  result.lgenPlugin = joined(prefix, "lib/gpulto/gpulto-lgen.so");
  result.cudaShim = joined(prefix, "lib/gpulto/cuda-shim");
  std::string name = cxx ? "clang++" : "clang";
  result.clang = joined(GPULTO_CLANG_DIRECTORY, name);
  if (sys::fs::can_execute(result.clang))
    return result;
  Expected<std::string> found =
      findProgram(name + "-" + std::to_string(LLVM_VERSION_MAJOR));
  if (!found)
    return found.takeError();
  result.clang = *found;
  return result;
}

static bool isToolkit(const Twine &root) {
  return sys::fs::exists(root + "/include/cuda_runtime.h") ||
         sys::fs::exists(root + "/include/cuda.h");
}

/// Returns the toolkit that nvcc on PATH belongs to, or empty.
static std::string toolkitOfNvcc() {
  Expected<std::string> nvcc = findProgram("nvcc");
  if (!nvcc) {
    consumeError(nvcc.takeError());
    return "";
  }
  SmallString<128> real;
  if (sys::fs::real_path(*nvcc, real))
    return "";
  return sys::path::parent_path(sys::path::parent_path(real)).str();
}

/// Returns the toolkit that is used when the command line names none.
static CudaToolkit defaultToolkit() {
  std::string fromEnvironment;
  if (const char *path = std::getenv("CUDA_PATH"))
    fromEnvironment = StringRef(path).rtrim('/').str();
  for (const std::string &root :
       {fromEnvironment, toolkitOfNvcc(), std::string("/usr/local/cuda"),
        std::string(GPULTO_CONFIGURED_CUDA)})
    if (!root.empty() && isToolkit(root))
      return {root};
  return {};
}

CudaToolkit findCudaToolkit(const CommandLine &line) {
  // Given explicitly: taken as it is, so that clang reports a wrong one.
  StringRef given = line.clangArgs().getLastArgValue(opts::OPT_cuda_path_EQ);
  given = line.ownValue(options::OPT_cuda_path, given);
  return given.empty() ? defaultToolkit() : CudaToolkit{given.rtrim('/').str()};
}

std::vector<unsigned> supportedArchitectures(const CudaToolkit &toolkit) {
  if (!toolkit || !sys::fs::can_execute(toolkit.ptxas()))
    return {};
  constexpr unsigned kAnswerSeconds = 60;
  ProcessOptions process;
  process.timeoutSeconds = kAnswerSeconds;
  process.ownGroup = true;
  Expected<ProcessResult> help =
      runProcess(toolkit.ptxas(), {"--help"}, process);
  if (!help) {
    consumeError(help.takeError());
    return {};
  }
  // The list of allowed values: 'sm_75','sm_80',...,'sm_90a'.
  std::set<unsigned> found;
  SmallVector<StringRef, 128> words;
  StringRef(help->output).split(words, '\'');
  for (StringRef word : words) {
    unsigned number = 0;
    if (word.consume_front("sm_") && !word.getAsInteger(10, number))
      found.insert(number);
  }
  return {found.begin(), found.end()};
}

bool choosesArchitecture(const DriverArg &argument) {
  return argument.is(opts::OPT_offload_arch_EQ) ||
         argument.is(opts::OPT_no_offload_arch_EQ);
}

namespace {

/// Orders sm_75 before sm_80 before sm_100 before sm_100a.
struct ArchOrder {
  static std::pair<unsigned, StringRef> key(StringRef name) {
    StringRef digits = name;
    digits.consume_front("sm_");
    unsigned number = 0;
    digits.consumeInteger(10, number);
    return {number, digits};
  }
  bool operator()(StringRef a, StringRef b) const {
    return std::pair(key(a), a) < std::pair(key(b), b);
  }
};

} // namespace

/// Returns \p name, or the lowest supported architecture if \p name is older
/// than all \p supported.
static std::string raised(StringRef name, ArrayRef<unsigned> supported) {
  StringRef digits = name;
  unsigned number = 0;
  bool plain = digits.consume_front("sm_") && !digits.getAsInteger(10, number);
  if (!plain || supported.empty() || number >= supported.front())
    return name.str();
  std::string lowest = "sm_" + std::to_string(supported.front());
  warn("this CUDA toolkit does not support " + name + ", compiling for " +
       lowest + " instead");
  return lowest;
}

/// Takes --cuda-include-ptx=\p name off the list of architectures without PTX.
static void includePtx(StringRef name,
                       std::set<std::string, ArchOrder> &withoutPtx) {
  if (name == "all")
    withoutPtx.clear();
  else
    withoutPtx.erase(name.str());
}

OffloadArchitectures offloadArchitectures(const CommandLine &line,
                                          const CudaToolkit &toolkit) {
  OffloadArchitectures result;
  std::vector<unsigned> supported = supportedArchitectures(toolkit);
  std::set<std::string, ArchOrder> wanted, withoutPtx;
  for (const DriverArg &argument : line.arguments()) {
    if (argument.is(opts::OPT_no_cuda_include_ptx_EQ))
      withoutPtx.insert(argument.arg->getValue());
    else if (argument.is(opts::OPT_cuda_include_ptx_EQ))
      includePtx(argument.arg->getValue(), withoutPtx);
    if (!choosesArchitecture(argument))
      continue;
    bool add = argument.is(opts::OPT_offload_arch_EQ);
    // --cuda-gpu-arch= has a list as one value.
    for (StringRef name : split(join(argument.arg->getValues(), ","), ',')) {
      if (add)
        wanted.insert(name.str());
      else if (name == "all")
        wanted.clear();
      else
        wanted.erase(name.str());
    }
  }
  result.native = wanted.count("native") != 0;
  // The forms asked for, as bits.
  constexpr unsigned kPtx = 1, kCubin = 2;
  std::map<std::string, unsigned, ArchOrder> final;
  for (const std::string &name : wanted) {
    StringRef number = name;
    bool isVirtual = line.wantsGpuLto() && number.consume_front("compute_");
    std::string real = isVirtual ? ("sm_" + number).str() : name;
    std::string possible = raised(real, supported);
    result.changed |= possible != name;
    bool excluded = withoutPtx.count("all") || withoutPtx.count(name);
    final[possible] |= isVirtual ? kPtx : excluded ? kCubin : kPtx | kCubin;
  }
  if (final.empty()) {
    unsigned lowest =
        supported.empty() ? kFallbackDefaultArch : supported.front();
    result.changed |= lowest > kClangDefaultArch;
    final["sm_" + std::to_string(lowest)] =
        withoutPtx.count("all") ? kCubin : kPtx | kCubin;
  }
  for (const auto &[name, forms] : final) {
    result.names.push_back(name);
    result.forms.push_back(forms == kPtx     ? EmbedKind::Ptx
                           : forms == kCubin ? EmbedKind::Cubin
                                             : EmbedKind::Both);
  }
  return result;
}

/// Returns __CUDA_ARCH_LIST__ of \p architectures (sm_80, sm_90a): "800,900".
static std::string archList(ArrayRef<std::string> architectures) {
  constexpr unsigned kPerNumber = 10;
  std::set<unsigned> numbers;
  for (const std::string &name : architectures)
    numbers.insert(ArchOrder::key(name).first * kPerNumber);
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
                               "-include", "gpulto-nvcc.h"});
  return words;
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
  return words;
}

} // namespace gpulto::driver
