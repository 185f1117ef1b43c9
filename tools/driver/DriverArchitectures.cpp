//===- DriverArchitectures.cpp - Which GPUs a compile is for --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A program holds exactly the requested images. Options that request a form of
// an architecture's code:
//
//   --offload-arch=sm_90          a cubin; whether PTX too, is not said
//   --offload-arch=compute_90     PTX
//   --cuda-include-ptx=sm_90      PTX beside the cubin
//   --no-cuda-include-ptx=sm_90   no PTX beside the cubin
//   --offload-arch=native         cubins for the GPUs of this machine
//   --offload-arch=all            cubins for all, PTX of the newest sm_N0
//   --offload-arch=all-major      the same, of sm_N0 and the lowest
//   CMake's list, 80;86-real;90-virtual
//                                 both, a cubin, PTX
//
// If PTX of any architecture is requested, an unspecified architecture gets
// none. If nothing is specified at all, the link decides (JobBuilder::formOf).
//
// CMake writes --cuda-gpu-arch= for clang whatever its list says, so the
// toolchain file passes the list, and then these words have no effect.
//
//===----------------------------------------------------------------------===//
#include "tools/driver/DriverArchitectures.h"

#include "fatobj/DeviceImage.h"
#include "support/Error.h"
#include "tools/driver/DriverDevices.h"

#include "clang/Basic/OffloadArch.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/VersionTuple.h"

#include <map>
#include <set>

using namespace llvm;
namespace opts = clang::driver::options;

namespace gpulto::driver {

/// The default where no ptxas tells what it supports.
constexpr StringLiteral kFallbackDefaultArch = "sm_75";

namespace {

struct ArchLess {
  bool operator()(StringRef a, StringRef b) const { return archNameLess(a, b); }
};

// What is wanted of an architecture's code, as bits.
constexpr unsigned kPtx = 1;
constexpr unsigned kCubin = 2;
constexpr unsigned kSaid = 4; ///< somebody says whether there is to be PTX

/// Reads the options of one command line.
class Chooser {
public:
  Chooser(const CommandLine &line, const CudaToolkit &toolkit)
      : line(line), toolkit(toolkit),
        supported(supportedArchitectures(toolkit)) {}

  Expected<OffloadArchitectures> run();

private:
  Error readOptions();
  Error readOffloadArch(const DriverArg &argument);
  void readIncludePtx(const DriverArg &argument);
  Error readCmakeList(StringRef list);
  Error wantSet(StringRef name);
  Error wantAll(bool onlyMajor);
  Error wantNative();
  Error readCmakeEntry(StringRef entry);
  void want(StringRef name, unsigned forms) { wanted[name.str()] |= forms; }
  unsigned formsOf(StringRef name, unsigned asked) const;
  Expected<std::string> possible(StringRef name) const;
  std::string lowest() const;

  const CommandLine &line;
  const CudaToolkit &toolkit;
  std::vector<std::string> supported; ///< ascending; empty: not known
  std::map<std::string, unsigned, ArchLess> wanted;
  /// What --[no-]cuda-include-ptx= say about a name, or about `all`.
  std::map<std::string, bool> includesPtx;
};

} // namespace

std::vector<std::string> supportedArchitectures(const CudaToolkit &toolkit) {
  std::string help = askPtxas(toolkit, "--help");
  // The list of allowed values: 'sm_75','sm_80',...,'sm_90a'.
  std::set<std::string, ArchLess> found;
  SmallVector<StringRef, 128> words;
  StringRef(help).split(words, '\'');
  for (StringRef word : words)
    if (Expected<DeviceArch> arch = parseArch(word); !arch)
      consumeError(arch.takeError());
    else if (!arch->isVirtual)
      found.insert(word.str());
  return {found.begin(), found.end()};
}

bool choosesArchitecture(const DriverArg &argument) {
  return argument.is(opts::OPT_offload_arch_EQ) ||
         argument.is(opts::OPT_no_offload_arch_EQ);
}

/// Whether \p argument is in the words that CMake writes for clang.
static bool isAsCmakeWrites(const DriverArg &argument) {
  const opt::Arg *given = argument.arg->getAlias();
  return given && given->getSpelling() == "--cuda-gpu-arch=";
}

/// Whether \p name stands for several architectures.
static bool isSet(StringRef name) {
  return name == "native" || name == "all" || name == "all-major";
}

/// Wants what nvcc's -arch=all and -arch=all-major stand for.
Error Chooser::wantAll(bool onlyMajor) {
  std::string newestMajor;
  for (const std::string &name : supported) {
    bool isMajor = StringRef(name).ends_with("0");
    if (!isDigit(name.back()) ||
        clang::StringToOffloadArch(name) == clang::OffloadArch::UNKNOWN)
      continue;
    if (isMajor)
      newestMajor = name;
    if (isMajor || !onlyMajor || name == supported.front())
      want(name, kCubin | kSaid);
  }
  if (newestMajor.empty())
    return makeError("no ptxas was found that says which architectures there "
                     "are, for 'all' or 'all-major'; give --cuda-path=");
  want(newestMajor, kPtx | kSaid);
  return Error::success();
}

Error Chooser::wantNative() {
  Expected<std::vector<std::string>> found = nativeArchitectures(toolkit);
  if (!found)
    return found.takeError();
  for (const std::string &name : *found)
    want(name, kCubin | kSaid);
  return Error::success();
}

/// Wants the architectures for which \p name stands.
Error Chooser::wantSet(StringRef name) {
  return name == "native" ? wantNative() : wantAll(name == "all-major");
}

Error Chooser::readOffloadArch(const DriverArg &argument) {
  bool adds = argument.is(opts::OPT_offload_arch_EQ);
  // --cuda-gpu-arch= has a list as one value.
  std::string names = join(argument.arg->getValues(), ",");
  for (StringRef name : split(names, ',')) {
    bool isPtx = line.wantsGpuLto() && name.starts_with("compute_");
    if (adds && isSet(name)) {
      if (Error error = wantSet(name))
        return error;
    } else if (adds)
      want(name, isPtx ? kPtx | kSaid : kCubin);
    else if (name == "all")
      wanted.clear();
    else
      wanted.erase(name.str());
  }
  return Error::success();
}

void Chooser::readIncludePtx(const DriverArg &argument) {
  StringRef name = argument.arg->getValue();
  if (name == "all")
    includesPtx.clear();
  includesPtx[name.str()] = argument.is(opts::OPT_cuda_include_ptx_EQ);
}

/// Reads `80`, `86-real`, `90-virtual`.
Error Chooser::readCmakeEntry(StringRef entry) {
  if (isSet(entry))
    return wantSet(entry);
  auto [number, kind] = entry.split('-');
  Expected<DeviceArch> arch = parseArch(("sm_" + number).str());
  bool isKnown = kind.empty() || kind == "real" || kind == "virtual";
  if (!arch || !isKnown) {
    consumeError(arch.takeError());
    return makeError("invalid value '" + entry +
                     "' in '--gpulto-cmake-architectures=', expected native, "
                     "all, all-major, or a number, as 90 or 90a, with -real, "
                     "-virtual or nothing behind it");
  }
  want(arch->name(),
       kSaid | (kind == "virtual" ? 0 : kCubin) | (kind == "real" ? 0 : kPtx));
  return Error::success();
}

Error Chooser::readCmakeList(StringRef list) {
  for (StringRef entry : split(list, ','))
    if (Error error = readCmakeEntry(entry))
      return error;
  return Error::success();
}

/// Returns the forms of \p name of which \p asked are asked for by name.
unsigned Chooser::formsOf(StringRef name, unsigned asked) const {
  if (asked & kSaid)
    return asked;
  auto said = includesPtx.find(name.str());
  if (said == includesPtx.end())
    said = includesPtx.find("all");
  if (said == includesPtx.end())
    return asked;
  return asked | kSaid | (said->second ? kPtx : 0);
}

std::string Chooser::lowest() const {
  return supported.empty() ? kFallbackDefaultArch.str() : supported.front();
}

/// Returns \p name, or the lowest supported architecture if \p name is older
/// than all that are supported.
Expected<std::string> Chooser::possible(StringRef name) const {
  Expected<DeviceArch> arch = parseArch(name);
  if (!arch) { // clang says it
    consumeError(arch.takeError());
    return name.str();
  }
  std::string real = arch->realName();
  if (supported.empty() || is_contained(supported, real))
    return line.wantsGpuLto() ? real : name.str();
  if (archNameLess(real, lowest())) {
    warn("this CUDA toolkit does not support " + real + ", compiling for " +
         lowest() + " instead");
    return lowest();
  }
  return makeError("this CUDA toolkit does not support " + real +
                   "; its ptxas compiles for " + join(supported, ", "));
}

Error Chooser::readOptions() {
  StringRef list = line.ownValue(options::OPT_cmake_architectures);
  for (const DriverArg &argument : line.arguments()) {
    if (argument.is(opts::OPT_no_cuda_include_ptx_EQ) ||
        argument.is(opts::OPT_cuda_include_ptx_EQ))
      readIncludePtx(argument);
    if (choosesArchitecture(argument) &&
        (list.empty() || !isAsCmakeWrites(argument)))
      if (Error error = readOffloadArch(argument))
        return error;
  }
  if (!list.empty())
    if (Error error = readCmakeList(list))
      return error;
  if (wanted.empty())
    want(lowest(), kCubin);
  return Error::success();
}

Expected<OffloadArchitectures> Chooser::run() {
  if (Error error = readOptions())
    return error;
  std::map<std::string, unsigned, ArchLess> final;
  bool asksForPtx = false;
  for (const auto &[name, asked] : wanted) {
    Expected<std::string> real = possible(name);
    if (!real)
      return real.takeError();
    unsigned forms = formsOf(name, asked);
    final[*real] |= forms;
    asksForPtx |= forms & kPtx;
  }
  OffloadArchitectures result;
  for (const auto &[name, forms] : final) {
    result.names.push_back(name);
    result.forms.emplace_back();
    if (forms & kSaid || asksForPtx)
      result.forms.back() = !(forms & kCubin) ? EmbedKind::Ptx
                            : forms & kPtx    ? EmbedKind::Both
                                              : EmbedKind::Cubin;
  }
  return result;
}

std::string frontEndArch(StringRef name) {
  name.consume_back("f");
  return name.str();
}

Error checkIsOfClang(StringRef name) {
  std::string plain = frontEndArch(name);
  if (plain == name)
    return Error::success();
  return makeError("only links make code of " + name +
                   ", a family that clang does not know; name " + plain +
                   " or " + plain + "a");
}

/// Returns the newest version of PTX (90) that LLVM writes and \p toolkit's
/// ptxas reads; nothing when there is no ptxas that says.
static std::optional<unsigned> ptxVersion(const CudaToolkit &toolkit) {
  constexpr unsigned kNewestOfLlvm = 90; // LLVM 22
  std::optional<unsigned> newest;
  // 8.8, 9.0 and older ones, a line each.
  for (StringRef word : split(askPtxas(toolkit, "--list-version"), '\n')) {
    VersionTuple version;
    if (version.tryParse(word.trim()) || !version.getMinor())
      continue;
    unsigned number = version.getMajor() * 10 + *version.getMinor();
    newest = std::max(newest.value_or(0), number);
  }
  if (newest)
    newest = std::min(*newest, kNewestOfLlvm);
  return newest;
}

/// Returns the words that define what nvcc defines in device code for \p name
/// (sm_100a, sm_120f) and clang does not.
static std::vector<std::string> architectureMacros(StringRef name) {
  Expected<DeviceArch> arch = parseArch(name);
  if (!arch || !arch->suffix) {
    consumeError(arch.takeError());
    return {};
  }
  std::string version = std::to_string(arch->number) + "0";
  std::vector<std::string> macros = {"-D__CUDA_ARCH_FAMILY_SPECIFIC__=" +
                                     version};
  if (arch->suffix == 'a') {
    macros.push_back("-D__CUDA_ARCH_SPECIFIC__=" + version);
    macros.push_back("-D__CUDA_ARCH_FEAT_SM" + std::to_string(arch->number) +
                     "_ALL");
  }
  std::vector<std::string> words;
  for (std::string &macro : macros) {
    words.push_back("-Xarch_" + frontEndArch(name));
    words.push_back(std::move(macro));
  }
  return words;
}

std::vector<std::string> deviceWords(const CommandLine &line,
                                     const CudaToolkit &toolkit,
                                     ArrayRef<std::string> names) {
  std::vector<std::string> words;
  for (const std::string &name : names)
    append_range(words, architectureMacros(name));
  if (!line.clangArgs().hasArg(opts::OPT_cuda_feature_EQ))
    if (std::optional<unsigned> version = ptxVersion(toolkit))
      words.push_back("--cuda-feature=+ptx" + std::to_string(*version));
  return words;
}

Expected<OffloadArchitectures>
offloadArchitectures(const CommandLine &line, const CudaToolkit &toolkit) {
  return Chooser(line, toolkit).run();
}

} // namespace gpulto::driver
