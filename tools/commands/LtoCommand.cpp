//===- LtoCommand.cpp - gpulto lto ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The whole pipeline without a linker, for tests and bug reports: a linker's
// resolutions are given on the command line, as for llvm-lto2, or in the file
// that `ld.lld --save-temps=resolution` writes.
//
//===----------------------------------------------------------------------===//

#include "tools/commands/LtoCommand.h"

#include "fatobj/FatObjectReader.h"
#include "linker-plugin/BitcodeSymtab.h"
#include "linker-plugin/Door.h"
#include "linker-plugin/InputLocator.h"
#include "linker-plugin/LinkOptionsReader.h"
#include "linker-plugin/OptionTable.h"
#include "lto/Pipeline.h"
#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/LTO/LTO.h"
#include "llvm/Object/IRObjectFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileOutputBuffer.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace llvm;

namespace gpulto {

static const char kUsage[] =
    "usage: gpulto lto INPUT... -r=INPUT,SYMBOL,FLAGS... -o PREFIX [options]\n"
    "\n"
    "Runs the link-time optimizer without a linker and writes the native\n"
    "objects to PREFIX.0.o, PREFIX.1.o and so on.\n"
    "\n"
    "  INPUT                  an object, or a member as 'lib.a(m.o at "
    "OFFSET)'\n"
    "  -r=INPUT,SYMBOL,FLAGS  what a linker resolved of a symbol: p its\n"
    "                         definition here prevails, l it is final in this\n"
    "                         program, x native objects see it, d it is "
    "exported\n"
    "                         dynamically, r the linker redefined it\n"
    "  --resolutions=FILE     inputs and resolutions, as in the file written "
    "by\n"
    "                         ld.lld --save-temps=resolution\n"
    "  --archive=FILE         search FILE for device code that is still "
    "missing\n"
    "  --output-kind=KIND     executable (default), pie, shared or "
    "relocatable\n"
    "  --relocation-model=M   static or pic; the default follows from the "
    "kind\n"
    "  -O0 -O1 -O2 -O3        level of code generation (default 2)\n"
    "  -o PREFIX              where to write\n"
    "  @FILE                  more arguments\n"
    "  --gpulto-...           as for ld.lld, see ld.lld --help\n";

namespace {

/// The resolutions of one input: SYMBOL to its FLAGS, in the order given, since
/// module assembly can bring a name twice.
using Resolutions = std::map<std::string, std::deque<std::string>>;

struct LtoArguments {
  bool help = false;
  std::string prefix;
  std::vector<std::string> names; // of the inputs, in link order
  std::map<std::string, Resolutions> resolutions; // by input
  LinkInputs inputs;
  ParsedLinkOptions options;
};

/// Takes `INPUT,SYMBOL,FLAGS` apart and adds it. \p input, when known, may hold
/// commas.
Error addResolution(StringRef text, StringRef input, LtoArguments &to) {
  StringRef rest = text;
  if (input.empty() || !rest.consume_front((input + ",").str()))
    std::tie(input, rest) = text.split(',');
  auto [symbol, flags] = rest.rsplit(',');
  if (input.empty() || symbol.empty() || !rest.contains(','))
    return makeError("malformed resolution '" + text +
                     "', expected INPUT,SYMBOL,FLAGS");
  if (flags.find_first_not_of("plxr") != StringRef::npos)
    return makeError("unknown flag in resolution '" + text +
                     "', expected letters of plxr");
  to.resolutions[input.str()][symbol.str()].push_back(flags.str());
  return Error::success();
}

/// Reads a file that ld.lld --save-temps=resolution wrote.
Error readResolutionFile(StringRef path, LtoArguments &to) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path);
  if (!file)
    return inputError(InputLocation(path), file.getError().message());
  for (line_iterator line(**file, /*SkipBlanks=*/true); !line.is_at_eof();
       ++line) {
    StringRef text = *line;
    if (!text.consume_front("-r=")) {
      to.names.push_back(text.str());
      continue;
    }
    StringRef input = to.names.empty() ? "" : StringRef(to.names.back());
    if (Error error = addResolution(text, input, to))
      return joinErrors(
          inputError(InputLocation(path), "line " + Twine(line.line_number())),
          std::move(error));
  }
  return Error::success();
}

Error readOutputKind(StringRef value, OutputKind &kind) {
  std::optional<OutputKind> found =
      StringSwitch<std::optional<OutputKind>>(value)
          .Case("executable", OutputKind::Executable)
          .Case("pie", OutputKind::PieExecutable)
          .Case("shared", OutputKind::Shared)
          .Case("relocatable", OutputKind::Relocatable)
          .Default(std::nullopt);
  if (!found)
    return makeError("invalid value '" + value +
                     "' in '--output-kind=" + value +
                     "', expected executable, pie, shared or relocatable");
  kind = *found;
  return Error::success();
}

/// Handles one argument that is not gpulto's own; \p next is what follows it,
/// and is cleared when it was used.
Error readArgument(StringRef argument, std::optional<StringRef> &next,
                   LtoArguments &to) {
  if (argument == "--help" || argument == "-h") {
    to.help = true;
  } else if (argument == "-o") {
    if (!next)
      return makeError("-o needs an argument");
    to.prefix = next->str();
    next.reset();
  } else if (argument.consume_front("-r=")) {
    return addResolution(argument, "", to);
  } else if (argument.consume_front("--resolutions=")) {
    return readResolutionFile(argument, to);
  } else if (argument.consume_front("--archive=")) {
    to.inputs.archives.push_back(argument.str());
  } else if (argument.consume_front("--output-kind=")) {
    return readOutputKind(argument, to.inputs.output);
  } else if (argument.consume_front("--relocation-model=")) {
    if (argument != "static" && argument != "pic")
      return makeError("invalid relocation model '" + argument +
                       "', expected static or pic");
    to.inputs.codegen.relocationModel = argument.str();
  } else if (argument.size() == 3 && argument.starts_with("-O") &&
             argument[2] >= '0' && argument[2] <= '3') {
    to.inputs.codegen.optLevel = static_cast<uint8_t>(argument[2] - '0');
  } else if (argument.starts_with("-")) {
    return makeError("unknown option '" + argument + "'");
  } else {
    to.names.push_back(argument.str());
  }
  return Error::success();
}

Expected<LtoArguments> readArguments(ArrayRef<const char *> argv) {
  LtoArguments result;
  Expected<options::OwnArgs> own = options::takeOwnOptions(
      argv, options::LinkOption | options::LinkerOption);
  if (!own)
    return own.takeError();
  ArrayRef<const char *> rest = own->rest;
  for (size_t i = 0; i < rest.size(); ++i) {
    std::optional<StringRef> next;
    if (i + 1 < rest.size())
      next = rest[i + 1];
    bool hadNext = next.has_value();
    if (Error error = readArgument(rest[i], next, result))
      return error;
    if (hadNext && !next)
      ++i;
  }
  if (result.help)
    return result;
  if (result.names.empty())
    return makeError("no inputs");
  if (result.prefix.empty())
    return makeError("no -o");
  std::string &model = result.inputs.codegen.relocationModel;
  if (model.empty() && result.inputs.output == OutputKind::Executable)
    model = "static";
  else if (model.empty() && result.inputs.output != OutputKind::Relocatable)
    model = "pic";
  Expected<ParsedLinkOptions> parsed =
      readLinkOptions(*own->args, result.prefix);
  if (!parsed)
    return parsed.takeError();
  result.options = std::move(*parsed);
  return result;
}

/// Maps the object \p input or the file it is.
Expected<LocatedMember> openInput(const LinkObject &input) {
  if (!input.member.empty())
    return locateMember(input.path, input.memberOffset);
  Expected<std::unique_ptr<MemoryBuffer>> file = readWholeFile(input.path);
  if (!file)
    return file.takeError();
  LocatedMember result;
  result.owner = std::move(*file);
  result.data = result.owner->getMemBufferRef();
  return result;
}

/// Fills the symbols of \p input, called \p name, with \p resolutions, which
/// are used up.
Error resolveSymbols(StringRef name, const lto::InputFile &bitcode,
                     Resolutions &resolutions, LinkObject &input) {
  for (const lto::InputFile::Symbol &symbol : bitcode.symbols()) {
    auto found = resolutions.find(symbol.getName().str());
    if (found == resolutions.end())
      return inputError(InputLocation(name),
                        "no resolution for symbol '" + symbol.getName() + "'");
    StringRef flags = found->second.front();
    LinkSymbol to;
    to.irName = symbol.getIRName().str();
    to.name = symbol.getName().str();
    to.prevailing = flags.contains('p');
    to.finalDefinition = flags.contains('l');
    to.visibleToRegularObject = flags.contains('x');
    to.linkerRedefined = flags.contains('r');
    input.symbols.push_back(std::move(to));
    found->second.pop_front();
    if (found->second.empty())
      resolutions.erase(found);
  }
  if (resolutions.empty())
    return Error::success();
  return inputError(InputLocation(name), "there is a resolution for '" +
                                             resolutions.begin()->first +
                                             "', which is no symbol of it");
}

Error addInput(StringRef name, LtoArguments &arguments) {
  Expected<LinkObject> input = locateByName(name);
  if (!input)
    return input.takeError();
  Expected<LocatedMember> file = openInput(*input);
  if (!file)
    return file.takeError();
  Expected<MemoryBufferRef> bitcode =
      object::IRObjectFile::findBitcodeInMemBuffer(file->data);
  if (!bitcode)
    return inputError(InputLocation(name), toString(bitcode.takeError()));
  if (Error error = checkBitcodeSymtab(*bitcode))
    return inputError(InputLocation(name), toString(std::move(error)));
  Expected<std::unique_ptr<lto::InputFile>> symbols =
      lto::InputFile::create(*bitcode);
  if (!symbols)
    return inputError(InputLocation(name), toString(symbols.takeError()));
  if (Error error = resolveSymbols(name, **symbols,
                                   arguments.resolutions[name.str()], *input))
    return error;
  arguments.inputs.objects.push_back(std::move(*input));
  return Error::success();
}

/// Writes \p contents to \p path, whole or not at all.
Error writeFile(StringRef path, StringRef contents) {
  Expected<std::unique_ptr<FileOutputBuffer>> file =
      FileOutputBuffer::create(path, contents.size());
  if (!file)
    return inputError(InputLocation(path), toString(file.takeError()));
  std::copy(contents.begin(), contents.end(), (*file)->getBufferStart());
  return (*file)->commit();
}

Error runLto(LtoArguments &arguments, Diagnostics &diagnostics) {
  for (const std::string &name : arguments.names)
    if (Error error = addInput(name, arguments))
      return error;
  for (const auto &[name, resolutions] : arguments.resolutions)
    if (!is_contained(arguments.names, name))
      return makeError("there are resolutions for '" + name +
                       "', which is no input");
  // What else is linked nobody knows here, so there is no use for a stamp.
  Expected<DoorOutputs> outputs =
      runPipeline(arguments.inputs, NativeInputs(), LinkerSettings(),
                  arguments.options, diagnostics);
  if (!outputs)
    return outputs.takeError();
  unsigned index = 0;
  for (const NativeObject &object : outputs->link.objects)
    if (Error error =
            writeFile(arguments.prefix + "." + std::to_string(index++) + ".o",
                      object.contents->getBuffer()))
      return error;
  return Error::success();
}

} // namespace

int ltoCommand(ArrayRef<const char *> arguments) {
  BumpPtrAllocator allocator;
  StringSaver saver(allocator);
  SmallVector<const char *, 64> argv(arguments);
  cl::ExpandResponseFiles(saver, cl::TokenizeGNUCommandLine, argv);
  Expected<LtoArguments> parsed = readArguments(argv);
  if (!parsed) {
    errs() << "gpulto lto: error: " << toString(parsed.takeError()) << '\n';
    return 1;
  }
  if (parsed->help) {
    outs() << kUsage;
    return 0;
  }
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmPrinters();
  InitializeAllAsmParsers();
  DiagnosticsOptions options = parsed->options.diagnostics;
  options.prefix = "gpulto lto";
  options.color = errs().has_colors();
  Diagnostics diagnostics(options);
  diagnostics.report(runLto(*parsed, diagnostics));
  diagnostics.print(errs());
  return diagnostics.hasErrors() ? 1 : 0;
}

} // namespace gpulto
