//===- DumpCommand.cpp - gpulto dump --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tools/commands/DumpCommand.h"

#include "fatobj/FatObjectReader.h"
#include "lto/job/LtransJob.h"
#include "lto/lgen/Lgen.h"
#include "summary/ModuleSummary.h"
#include "summary/SummaryFormat.h"
#include "support/Error.h"
#include "tools/commands/DumpFolds.h"
#include "tools/commands/DumpSummary.h"

#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

using namespace llvm;

namespace gpulto {

namespace {

const char kUsage[] =
    "usage: gpulto dump [OPTION]... FILE...\n"
    "\n"
    "Prints what objects, archives, summary files, bitcode and job files "
    "hold.\n"
    "Without an option: --header --symbols --summary.\n"
    "\n"
    "  --header      records, sizes, architectures\n"
    "  --symbols     symbols, COMDATs, aliases, constructors, offload entries\n"
    "  --summary     functions and variables with parameters, calls, launches\n"
    "  --call-graph  edges of the call graph, one a line\n"
    "  --dot         the call graph for Graphviz\n"
    "  --digests     content digests too\n"
    "  --folds       of a linked program: functions that do the same, and "
    "what\n"
    "                became of each\n";

struct DumpOptions {
  bool header = false;
  bool symbols = false;
  bool summary = false;
  bool callGraph = false;
  bool dot = false;
  bool digests = false;
  bool folds = false;
  std::vector<StringRef> files;

  /// Whether anything is asked of what objects hold.
  bool wantsObjects() const {
    return header || symbols || summary || callGraph || dot;
  }
};

class Dumper {
public:
  Dumper(const DumpOptions &options, raw_ostream &out)
      : options(options), out(out) {}

  Error file(StringRef path);

private:
  Error buffer(MemoryBufferRef data, const InputLocation &where);
  Error object(MemoryBufferRef data, const InputLocation &where);
  Error record(const FatRecord &record, size_t number);
  Error bytes(StringRef summary, StringRef names, const InputLocation &where);
  void module(const ModuleSummary &summary);

  const DumpOptions &options;
  raw_ostream &out;
  unsigned modules = 0;
};

void Dumper::module(const ModuleSummary &summary) {
  if (options.header)
    printHeader(out, summary);
  if (options.symbols)
    printSymbols(out, summary);
  if (options.summary)
    printBodies(out, summary, options.digests);
  if (options.callGraph)
    printCallGraph(out, summary);
  if (options.dot)
    printDot(out, summary, "m" + std::to_string(modules) + ":");
  ++modules;
}

Error Dumper::bytes(StringRef summary, StringRef names,
                    const InputLocation &where) {
  Expected<ModuleSummary> parsed = readSummary(summary, names, where);
  if (!parsed)
    return parsed.takeError();
  module(*parsed);
  return Error::success();
}

Error Dumper::record(const FatRecord &record, size_t number) {
  if (options.header) {
    out << "record " << number << " llvm " << record.llvmMajor << '.'
        << record.llvmMinor << '.' << record.llvmPatch
        << (record.slim ? " slim" : " fat") << '\n';
    out << "record " << number << " host summary " << record.hostSummary.size()
        << " bytes bitcode " << record.hostBitcode.size() << " bytes"
        << (record.hostBitcodeLost ? " lost" : "") << '\n';
    for (const DeviceRecord &device : record.devices)
      out << "record " << number << " device " << device.arch << " summary "
          << device.summary.size() << " bytes bitcode "
          << device.bitcode.rawSize << " bytes"
          << (device.bitcode.compressed
                  ? " stored " + std::to_string(device.bitcode.storedSize)
                  : "")
          << '\n';
  }
  if (!record.hostSummary.empty())
    if (Error error =
            bytes(record.hostSummary, record.hostNames, record.location))
      return error;
  for (const DeviceRecord &device : record.devices)
    if (!device.summary.empty())
      if (Error error = bytes(device.summary, {}, record.location))
        return error;
  return Error::success();
}

Error Dumper::object(MemoryBufferRef data, const InputLocation &where) {
  if (options.folds) {
    Expected<FoldTable> table = readFoldTable(data, where);
    if (!table)
      return table.takeError();
    printFolds(out, *table);
    if (!options.wantsObjects())
      return Error::success();
  }
  Expected<FatObject> object = readFatObject(data, where);
  if (!object)
    return object.takeError();
  if (object->records.empty() && options.header)
    out << "no record of gpulto\n";
  for (size_t i = 0; i < object->records.size(); ++i)
    if (Error error = record(object->records[i], i))
      return error;
  return Error::success();
}

Error Dumper::buffer(MemoryBufferRef data, const InputLocation &where) {
  StringRef text = data.getBuffer();
  if (!options.dot)
    out << "file " << where.str() << '\n';
  if (text.starts_with("GSUM"))
    return bytes(text, {}, where);
  if (text.starts_with("{")) {
    Expected<LtransJob> job = readJob(text, where.path);
    if (!job)
      return job.takeError();
    out << writeJob(*job);
    return Error::success();
  }
  switch (identify_magic(text)) {
  case file_magic::bitcode: {
    Expected<std::string> computed = summarizeBitcode(data, LgenOptions());
    if (!computed)
      return computed.takeError();
    return bytes(*computed, {}, where);
  }
  case file_magic::elf_relocatable:
  case file_magic::elf:
  case file_magic::elf_executable:
  case file_magic::elf_shared_object:
    return object(data, where);
  default:
    return inputError(where, "neither an ELF object, an archive, bitcode, a "
                             "summary nor a job file");
  }
}

Error Dumper::file(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> data = MemoryBuffer::getFile(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!data)
    return fileError(path, "cannot read", data.getError().value());
  if (identify_magic((*data)->getBuffer()) != file_magic::archive)
    return buffer(**data, InputLocation(path));
  return forEachArchiveMember(path, [&](const ArchiveMember &member) {
    return buffer(member.data, InputLocation(path, member.name));
  });
}

/// Returns false on a usage error, which has been printed.
bool parse(ArrayRef<const char *> arguments, DumpOptions &options) {
  for (StringRef argument : arguments) {
    if (argument == "--header")
      options.header = true;
    else if (argument == "--symbols")
      options.symbols = true;
    else if (argument == "--summary")
      options.summary = true;
    else if (argument == "--call-graph")
      options.callGraph = true;
    else if (argument == "--dot")
      options.dot = true;
    else if (argument == "--digests")
      options.digests = options.summary = true;
    else if (argument == "--folds")
      options.folds = true;
    else if (argument.starts_with("-") && argument != "-") {
      errs() << "gpulto dump: unknown option '" << argument << "'\n" << kUsage;
      return false;
    } else
      options.files.push_back(argument);
  }
  if (!options.wantsObjects() && !options.folds)
    options.header = options.symbols = options.summary = true;
  if (options.files.empty())
    errs() << "gpulto dump: no file given\n" << kUsage;
  return !options.files.empty();
}

} // namespace

int dumpCommand(ArrayRef<const char *> arguments) {
  if (arguments.size() == 1 && StringRef(arguments[0]) == "--help") {
    outs() << kUsage;
    return 0;
  }
  DumpOptions options;
  if (!parse(arguments, options))
    return 2;
  InitializeAllTargetInfos();
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmParsers();
  Dumper dumper(options, outs());
  bool failed = false;
  if (options.dot)
    outs() << "digraph calls {\n";
  for (StringRef file : options.files)
    if (Error error = dumper.file(file)) {
      outs().flush();
      logAllUnhandledErrors(std::move(error), errs(), "gpulto dump: ");
      failed = true;
    }
  if (options.dot)
    outs() << "}\n";
  return failed ? 1 : 0;
}

} // namespace gpulto
