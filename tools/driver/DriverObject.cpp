//===- DriverObject.cpp - Assemble a fat object ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/driver/DriverObject.h"

#include "fatobj/FatObjectReader.h"
#include "fatobj/FatObjectWriter.h"
#include "summary/ModuleSummary.h"
#include "summary/SummaryFormat.h"
#include "support/Error.h"
#include "support/Subprocess.h"
#include "tools/driver/DriverSymbolOrder.h"

#include "llvm/Support/MemoryBuffer.h"

#include <deque>
#include <memory>

using namespace llvm;

namespace gpulto::driver {

using Buffers = std::vector<std::unique_ptr<MemoryBuffer>>;

/// Reads \p path; the bytes live as long as \p buffers.
static Expected<StringRef> read(const std::string &path, StringRef what,
                                StringRef source, Buffers &buffers) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return inputError(InputLocation(source),
                      "the compiler wrote no " + what + " (" +
                          buffer.getError().message() + ")");
  buffers.push_back(std::move(*buffer));
  return buffers.back()->getBuffer();
}

/// Makes the object \p path, just compiled, one that every run of the compiler
/// would make.
static Error makeReproducible(const std::string &path,
                              const InputLocation &where) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> object = MemoryBuffer::getFile(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!object)
    return Error::success(); // its reader reports that
  Expected<StringRef> bitcode =
      hostBitcodeOf((*object)->getMemBufferRef(), where);
  if (!bitcode)
    return bitcode.takeError();
  if (bitcode->empty())
    return Error::success();
  Expected<std::string> sorted = sortAssemblySymbols(*bitcode);
  if (!sorted)
    return inputError(where, toString(sorted.takeError()));
  if (sorted->empty())
    return Error::success();
  std::string bytes = (*object)->getBuffer().str();
  bytes.replace(bitcode->data() - (*object)->getBufferStart(), sorted->size(),
                *sorted);
  object->reset();
  return writeFileAtomically(path, bytes);
}

/// Returns \p summary with its names as references into the symbol name table
/// of the host bitcode in \p object.
static Expected<std::string> summaryForObject(StringRef summary,
                                              MemoryBufferRef object,
                                              const InputLocation &where) {
  Expected<ModuleSummary> parsed = readSummary(summary, "", where);
  if (!parsed)
    return parsed.takeError();
  Expected<StringRef> bitcode = hostBitcodeOf(object, where);
  if (!bitcode)
    return bitcode.takeError();
  if (bitcode->empty())
    return inputError(where, "no host bitcode in the object clang wrote");
  Expected<StrtabRange> names = findHostStrtab(*bitcode, where);
  if (!names)
    return names.takeError();
  return writeSummary(*parsed, bitcode->substr(names->offset, names->size));
}

/// Returns \p summary with what the module does not say itself: which
/// architecture it was compiled for, and what of it is to be embedded.
static Expected<std::string> summaryForDevice(StringRef summary,
                                              const DeviceFiles &device,
                                              const InputLocation &where) {
  Expected<ModuleSummary> parsed = readSummary(summary, "", where);
  if (!parsed)
    return parsed.takeError();
  parsed->arch = device.arch;
  if (device.form)
    parsed->flags |= *device.form == EmbedKind::Ptx     ? kNoCubin
                     : *device.form == EmbedKind::Cubin ? kNoPtx
                                                        : kBothForms;
  if (device.compression)
    parsed->flags |= (uint32_t(*device.compression) + 1) << kCompressionShift;
  return writeSummary(*parsed, "");
}

Error assembleFatObject(const ObjectFiles &files, const std::string &output) {
  Buffers buffers;
  InputLocation where(files.source);
  FatObjectContents contents;
  contents.optionDigest = files.optionDigest;
  if (Error error = makeReproducible(files.hostObject, where))
    return error;
  Expected<StringRef> object =
      read(files.hostObject, "object", files.source, buffers);
  if (!object)
    return object.takeError();
  Expected<StringRef> summary =
      read(files.hostSummary, "host summary", files.source, buffers);
  if (!summary)
    return summary.takeError();
  Expected<std::string> hostSummary = summaryForObject(
      *summary, MemoryBufferRef(*object, files.hostObject), where);
  if (!hostSummary)
    return hostSummary.takeError();
  contents.hostSummary = *hostSummary;
  std::deque<std::string> deviceSummaries;
  for (const DeviceFiles &device : files.devices) {
    Expected<StringRef> bitcode =
        read(device.bitcode, device.arch + " bitcode", files.source, buffers);
    if (!bitcode)
      return bitcode.takeError();
    Expected<StringRef> deviceSummary =
        read(device.summary, device.arch + " summary", files.source, buffers);
    if (!deviceSummary)
      return deviceSummary.takeError();
    Expected<std::string> encoded =
        summaryForDevice(*deviceSummary, device, where);
    if (!encoded)
      return encoded.takeError();
    deviceSummaries.push_back(std::move(*encoded));
    contents.devices.push_back({device.arch, deviceSummaries.back(), *bitcode});
  }
  FatObjectOptions options;
  options.slim = files.slim;
  return writeFatObject(files.hostObject, contents, output, options);
}

} // namespace gpulto::driver
