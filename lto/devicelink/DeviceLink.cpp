//===- DeviceLink.cpp - Join the device partitions of an architecture -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// PTX is always joined as text (lto/ptx/PtxMerge): the driver links nothing.
// Cubins are joined by nvlink, which keeps each partition's code as ptxas made
// it. Without nvlink, the joined PTX is assembled as a whole instead: slower,
// with the same meaning. Code of another compiler is joined in the same ways.
//
//===----------------------------------------------------------------------===//

#include "lto/devicelink/DeviceLink.h"

#include "lto/device/DeviceCodegen.h"
#include "lto/devicelink/CubinSymbols.h"
#include "lto/ptx/PtxMerge.h"
#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TimeProfiler.h"

#include <memory>
#include <vector>

using namespace llvm;

namespace gpulto {

static Expected<std::string> joinPtx(ArrayRef<LtransResultPaths> results,
                                     ArrayRef<NativePart> native) {
  TimeTraceScope trace("Merge PTX");
  std::vector<std::unique_ptr<MemoryBuffer>> buffers;
  std::vector<PtxPart> parts;
  for (const LtransResultPaths &result : results) {
    auto buffer = readWholeFile(result.ptx);
    if (!buffer)
      return buffer.takeError();
    buffers.push_back(std::move(*buffer));
    parts.push_back(
        {sys::path::filename(result.ptx).str(), buffers.back()->getBuffer()});
  }
  for (const NativePart &part : native)
    if (!part.ptx.empty()) // the device runtime has none
      parts.push_back({part.code.location.str(), part.ptx});
  if (parts.size() == 1)
    return parts.front().text.str();
  return mergePtx(parts);
}

/// Returns the names that \p cubin defines for others: kernels and variables.
static Expected<StringSet<>> definedNames(StringRef cubin,
                                          const InputLocation &where) {
  auto symbols = readCubinSymbols(cubin, where);
  if (!symbols)
    return symbols.takeError();
  StringSet<> names;
  for (const NativeSymbol &symbol : *symbols)
    if (symbol.isDefined && symbol.kind != NativeSymbol::Kind::Function)
      names.insert(symbol.name);
  return names;
}

/// Checks that all kernels and variables of the files \p cubins are in \p
/// linked: nvlink (13.0) leaves an input out that it cannot read, and succeeds.
static Error checkNothingLost(ArrayRef<std::string> cubins, StringRef linked,
                              StringRef command) {
  auto present = definedNames(linked, InputLocation("nvlink's output"));
  if (!present)
    return present.takeError();
  for (auto [i, path] : enumerate(cubins)) {
    auto cubin = readWholeFile(path);
    if (!cubin)
      return cubin.takeError();
    auto wanted =
        definedNames((*cubin)->getBuffer(),
                     InputLocation("cubin of device partition " + utostr(i)));
    if (!wanted)
      return wanted.takeError();
    for (const auto &name : *wanted)
      if (!present->contains(name.getKey()))
        return makeError(
            "nvlink succeeded, but left out all of " + Twine(i) +
            ".cubin, which it could not read\n  command: " + command);
  }
  return Error::success();
}

/// Returns which objects the cubins of \p native, numbered from \p first on,
/// are of: nvlink's messages name them.
static std::string describeInputs(ArrayRef<NativePart> native, size_t first) {
  std::string text;
  for (auto [i, part] : enumerate(native))
    text += "\n>>> " + utostr(first + i) + ".cubin is the code of " +
            part.code.location.str();
  return text;
}

/// Puts the cubins of \p results, then those of \p native, into \p directory as
/// 0.cubin, 1.cubin...; returns their paths.
static Expected<std::vector<std::string>>
collectCubins(ArrayRef<LtransResultPaths> results, ArrayRef<NativePart> native,
              StringRef directory) {
  std::vector<std::string> paths;
  auto next = [&] {
    return paths.emplace_back(
        (directory + "/" + Twine(paths.size()) + ".cubin").str());
  };
  for (const LtransResultPaths &result : results) {
    SmallString<128> target(result.cubin);
    std::string path = next();
    std::error_code code = sys::fs::make_absolute(target);
    if (!code)
      code = sys::fs::create_link(target, path);
    if (code)
      return makeError(path + ": " + code.message());
  }
  for (const NativePart &part : native)
    if (Error error = writeFileAtomically(next(), part.cubin))
      return std::move(error);
  return paths;
}

/// Runs nvlink in a directory of our own under names that do not vary.
static Expected<std::string> runNvlink(StringRef arch,
                                       ArrayRef<LtransResultPaths> results,
                                       ArrayRef<NativePart> native,
                                       const CudaTools &tools,
                                       StringRef tempDirectory) {
  TimeTraceScope trace("nvlink");
  SmallString<128> directory(tempDirectory);
  sys::path::append(directory, "nvlink-" + arch);
  if (std::error_code error = sys::fs::create_directories(directory))
    return makeError(directory + ": " + error.message());
  static constexpr StringLiteral kOutput = "linked.cubin";
  auto cubins = collectCubins(results, native, directory);
  if (!cubins)
    return cubins.takeError();
  std::vector<std::string> arguments = {("-arch=" + arch).str()};
  for (const std::string &path : *cubins)
    arguments.push_back(sys::path::filename(path).str());
  arguments.push_back("-o");
  arguments.push_back(kOutput.str());
  auto done = runTool(tools.nvlink, arguments, directory, tools.run);
  if (!done)
    return makeError(toString(done.takeError()) +
                     describeInputs(native, results.size()));
  auto linked = readWholeFile((directory + "/" + kOutput).str());
  if (!linked)
    return linked.takeError();
  std::string damage = findCubinDamage((*linked)->getBuffer(), directory);
  if (!damage.empty())
    return makeError("nvlink succeeded, but " + damage +
                     "\n  command: " + shellQuote(tools.nvlink, arguments));
  if (Error error = checkNothingLost(*cubins, (*linked)->getBuffer(),
                                     shellQuote(tools.nvlink, arguments)))
    return error;
  return (*linked)->getBuffer().str();
}

static bool haveCubins(ArrayRef<LtransResultPaths> results) {
  return all_of(results, [](const LtransResultPaths &result) {
    return !result.cubin.empty();
  });
}

/// Makes the cubin of a program: \p ptx is all of it, as PTX.
static Expected<std::string> makeCubin(StringRef arch, StringRef ptx,
                                       ArrayRef<LtransResultPaths> results,
                                       ArrayRef<NativePart> native,
                                       const CudaTools &tools,
                                       StringRef tempDirectory) {
  if (results.size() == 1 && native.empty()) {
    auto only = readWholeFile(results.front().cubin);
    if (!only)
      return only.takeError();
    file_magic kind = identify_magic((*only)->getBuffer());
    if (kind != file_magic::elf_relocatable)
      return (*only)->getBuffer().str();
  }
  if (!tools.nvlink.empty())
    return runNvlink(arch, results, native, tools, tempDirectory);
  DeviceCodegenOptions options;
  options.ptxas = tools.ptxas;
  options.tool = tools.run;
  auto assembled = assemblePtx(ptx, arch, options, /*optLevel=*/3);
  if (!assembled)
    return assembled.takeError();
  return std::move(assembled->cubin);
}

Expected<DeviceProgram>
linkDevicePartitions(StringRef arch, ArrayRef<LtransResultPaths> results,
                     ArrayRef<NativePart> native, const CudaTools &tools,
                     EmbedKind embed, StringRef tempDirectory) {
  size_t inputs = results.size() + native.size();
  if (!inputs)
    return makeError("no device partition for " + arch);
  DeviceProgram program;
  program.arch = arch.str();
  program.embed = embed;
  bool wantsCubin = embed != EmbedKind::Ptx && haveCubins(results);
  bool needsPtx = embed != EmbedKind::Cubin || tools.nvlink.empty();
  if (needsPtx) {
    auto ptx = joinPtx(results, native);
    if (!ptx)
      return ptx.takeError();
    program.ptx = std::move(*ptx);
  }
  if (!wantsCubin)
    return program;
  auto cubin =
      makeCubin(arch, program.ptx, results, native, tools, tempDirectory);
  if (!cubin)
    return cubin.takeError();
  program.cubin = std::move(*cubin);
  return program;
}

} // namespace gpulto
