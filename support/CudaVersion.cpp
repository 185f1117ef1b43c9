//===- CudaVersion.cpp - The version of a CUDA toolkit --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A release counts as tested if the test suite has run with it. Others are
// used, with a warning: an older ptxas may not know the PTX version that the
// objects were compiled for, a newer one may have dropped an option or
// architecture.
//
//===----------------------------------------------------------------------===//

#include "support/CudaVersion.h"

#include "support/Subprocess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace gpulto {

static const VersionTuple kOldestTested(12, 9);
static const VersionTuple kNewestTested(13, 5);

static std::unique_ptr<MemoryBuffer> open(const Twine &path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path);
  return file ? std::move(*file) : nullptr;
}

static std::optional<VersionTuple> parsed(StringRef text) {
  VersionTuple version;
  if (text.empty() || version.tryParse(text))
    return std::nullopt;
  return version;
}

/// \p version without what is behind the minor number.
static std::optional<VersionTuple>
release(const std::optional<VersionTuple> &version) {
  if (!version)
    return std::nullopt;
  return VersionTuple(version->getMajor(), version->getMinor().value_or(0));
}

static std::optional<VersionTuple> fromJson(StringRef text) {
  Expected<json::Value> value = json::parse(text);
  if (!value) {
    consumeError(value.takeError());
    return std::nullopt;
  }
  const json::Object *top = value->getAsObject();
  const json::Object *cuda = top ? top->getObject("cuda") : nullptr;
  if (!cuda)
    return std::nullopt;
  return release(parsed(cuda->getString("version").value_or("")));
}

/// `#define CUDA_VERSION 13000`
static std::optional<VersionTuple> fromHeader(StringRef text) {
  constexpr StringLiteral kDefine = "#define CUDA_VERSION ";
  constexpr unsigned kPerMajor = 1000, kPerMinor = 10;
  StringRef rest = text.substr(text.find(kDefine));
  unsigned number = 0;
  if (!rest.consume_front(kDefine) || rest.consumeInteger(10, number))
    return std::nullopt;
  return VersionTuple(number / kPerMajor, number % kPerMajor / kPerMinor);
}

/// `Cuda compilation tools, release 13.0, V13.0.88`
static std::optional<VersionTuple> fromPtxas(StringRef text) {
  StringRef behind = text.split(", V").second;
  return parsed(
      behind.take_while([](char c) { return isDigit(c) || c == '.'; }));
}

/// Asks \p program, ptxas or another that answers as it does.
static std::optional<VersionTuple> askTool(StringRef program) {
  if (!sys::fs::can_execute(program))
    return std::nullopt;
  constexpr unsigned kAnswerSeconds = 60;
  ProcessOptions process;
  process.timeoutSeconds = kAnswerSeconds;
  process.ownGroup = true;
  Expected<ProcessResult> said = runProcess(program, {"--version"}, process);
  if (said)
    return fromPtxas(said->output);
  consumeError(said.takeError());
  return std::nullopt;
}

/// Asks the ptxas of \p root.
static std::optional<VersionTuple> askPtxas(StringRef root) {
  return askTool((root + "/bin/ptxas").str());
}

std::optional<VersionTuple> cudaToolRelease(StringRef program) {
  return release(askTool(program));
}

std::optional<VersionTuple> cudaVersion(StringRef root) {
  if (auto file = open(root + "/version.json"))
    if (auto version = fromJson(file->getBuffer()))
      return version;
  if (auto file = open(root + "/include/cuda.h"))
    if (auto version = fromHeader(file->getBuffer()))
      return version;
  return release(askPtxas(root));
}

std::optional<VersionTuple> cudaCompilerVersion(StringRef root) {
  if (auto version = askPtxas(root))
    return version;
  return cudaVersion(root);
}

std::string cudaVersionWarning(StringRef root, const VersionTuple &version) {
  if (version >= kOldestTested && version <= kNewestTested)
    return "";
  bool isOlder = version < kOldestTested;
  std::string text = "CUDA " + version.getAsString() + " in " + root.str() +
                     " is " + (isOlder ? "older" : "newer") + " than CUDA " +
                     (isOlder ? kOldestTested : kNewestTested).getAsString() +
                     ", the " + (isOlder ? "oldest" : "newest") +
                     " that gpulto was tested with";
  return text + (isOlder ? "; its ptxas may not know the PTX of the objects"
                         : "; its tools may have other options");
}

} // namespace gpulto
