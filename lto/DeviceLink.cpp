//===- DeviceLink.cpp - Join the device partitions of an architecture -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// PTX is always joined as text (lto/PtxMerge): the driver links nothing.
// Cubins are joined by nvlink, which keeps each partition's code as ptxas made
// it. Without nvlink, the joined PTX is assembled as a whole instead: slower,
// same meaning.
//
//===----------------------------------------------------------------------===//

#include "lto/DeviceLink.h"

#include "lto/DeviceCodegen.h"
#include "lto/PtxMerge.h"
#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TimeProfiler.h"

#include <memory>
#include <vector>

using namespace llvm;

namespace gpulto {

static Expected<std::unique_ptr<MemoryBuffer>> readResult(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return inputError(InputLocation(path), buffer.getError().message());
  return std::move(*buffer);
}

static Expected<std::string> joinPtx(ArrayRef<LtransResultPaths> results) {
  TimeTraceScope trace("Merge PTX");
  std::vector<std::unique_ptr<MemoryBuffer>> buffers;
  std::vector<PtxPart> parts;
  for (const LtransResultPaths &result : results) {
    auto buffer = readResult(result.ptx);
    if (!buffer)
      return buffer.takeError();
    buffers.push_back(std::move(*buffer));
    parts.push_back(
        {sys::path::filename(result.ptx).str(), buffers.back()->getBuffer()});
  }
  if (parts.size() == 1)
    return parts.front().text.str();
  return mergePtx(parts);
}

/// Returns the names that \p cubin defines for others: kernels and variables.
static Expected<StringSet<>> definedNames(StringRef cubin,
                                          const InputLocation &where) {
  constexpr uint8_t kEntry = 0x10; // STO_CUDA_ENTRY, in st_other
  StringSet<> names;
  auto file = object::ELF64LEFile::create(cubin);
  if (!file)
    return inputError(where, toString(file.takeError()));
  auto sections = file->sections();
  if (!sections)
    return inputError(where, toString(sections.takeError()));
  for (const auto &section : *sections) {
    if (section.sh_type != ELF::SHT_SYMTAB)
      continue;
    auto symbols = file->symbols(&section);
    auto strings = file->getStringTableForSymtab(section);
    if (!symbols || !strings)
      return inputError(where, toString(joinErrors(symbols.takeError(),
                                                   strings.takeError())));
    for (const auto &symbol : *symbols) {
      bool isFunction = symbol.getType() == ELF::STT_FUNC;
      if (symbol.getBinding() != ELF::STB_GLOBAL || symbol.isUndefined() ||
          symbol.getType() == ELF::STT_NOTYPE ||
          (isFunction && !(symbol.st_other & kEntry)))
        continue;
      Expected<StringRef> name = symbol.getName(*strings);
      if (!name)
        return inputError(where, toString(name.takeError()));
      names.insert(*name);
    }
  }
  return names;
}

/// Checks that all kernels and variables of \p cubins are in \p linked: nvlink
/// (13.0) leaves an input out that it cannot read, and succeeds.
static Error checkNothingLost(ArrayRef<std::string> cubins, StringRef linked,
                              StringRef command) {
  auto present = definedNames(linked, InputLocation("nvlink's output"));
  if (!present)
    return present.takeError();
  for (auto [i, cubin] : enumerate(cubins)) {
    auto wanted = definedNames(
        cubin, InputLocation("cubin of device partition " + utostr(i)));
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

/// Runs nvlink in a directory of our own under names that do not vary.
static Expected<std::string> runNvlink(StringRef arch,
                                       ArrayRef<LtransResultPaths> results,
                                       const CudaTools &tools,
                                       StringRef tempDirectory) {
  TimeTraceScope trace("nvlink");
  SmallString<128> directory(tempDirectory);
  sys::path::append(directory, "nvlink-" + arch);
  if (std::error_code error = sys::fs::create_directories(directory))
    return makeError(directory + ": " + error.message());
  static constexpr StringLiteral kOutput = "linked.cubin";
  std::vector<std::string> arguments = {("-arch=" + arch).str()};
  std::vector<std::string> cubins;
  for (size_t i = 0; i < results.size(); ++i) {
    auto cubin = readResult(results[i].cubin);
    if (!cubin)
      return cubin.takeError();
    std::string name = std::to_string(i) + ".cubin";
    cubins.push_back((*cubin)->getBuffer().str());
    if (Error error =
            writeFileAtomically((directory + "/" + name).str(), cubins.back()))
      return error;
    arguments.push_back(name);
  }
  arguments.push_back("-o");
  arguments.push_back(kOutput.str());
  auto done = runTool(tools.nvlink, arguments, directory, tools.run);
  if (!done)
    return done.takeError();
  auto linked = readResult((directory + "/" + kOutput).str());
  if (!linked)
    return linked.takeError();
  std::string damage = findCubinDamage((*linked)->getBuffer(), directory);
  if (!damage.empty())
    return makeError("nvlink succeeded, but " + damage +
                     "\n  command: " + shellQuote(tools.nvlink, arguments));
  if (Error error = checkNothingLost(cubins, (*linked)->getBuffer(),
                                     shellQuote(tools.nvlink, arguments)))
    return error;
  return (*linked)->getBuffer().str();
}

static bool haveCubins(ArrayRef<LtransResultPaths> results) {
  return all_of(results, [](const LtransResultPaths &result) {
    return !result.cubin.empty();
  });
}

Expected<DeviceProgram>
linkDevicePartitions(StringRef arch, ArrayRef<LtransResultPaths> results,
                     const CudaTools &tools, EmbedKind embed,
                     StringRef tempDirectory) {
  if (results.empty())
    return makeError("no device partition for " + arch);
  DeviceProgram program;
  program.arch = arch.str();
  program.embed = embed;
  bool wantsCubin = embed != EmbedKind::Ptx && haveCubins(results);
  bool needsPtx =
      embed != EmbedKind::Cubin || (results.size() > 1 && tools.nvlink.empty());
  if (needsPtx) {
    auto ptx = joinPtx(results);
    if (!ptx)
      return ptx.takeError();
    program.ptx = std::move(*ptx);
  }
  if (!wantsCubin)
    return program;
  Expected<std::string> cubin = std::string();
  if (results.size() == 1) {
    auto only = readResult(results.front().cubin);
    if (!only)
      return only.takeError();
    cubin = (*only)->getBuffer().str();
  } else if (!tools.nvlink.empty()) {
    cubin = runNvlink(arch, results, tools, tempDirectory);
  } else {
    DeviceCodegenOptions options;
    options.ptxas = tools.ptxas;
    options.tool = tools.run;
    auto assembled = assemblePtx(program.ptx, arch, options, /*optLevel=*/3);
    if (!assembled)
      return assembled.takeError();
    cubin = std::move(assembled->cubin);
  }
  if (!cubin)
    return cubin.takeError();
  program.cubin = std::move(*cubin);
  return program;
}

} // namespace gpulto
