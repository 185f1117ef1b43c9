//===- PluginMain.cpp - The door for gold and bfd -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// gpulto-plugin.so implements binutils' linker plugin interface (plugin-api.h,
// gcc.gnu.org/wiki/whopr/driver). The linker calls
//
//   onload            with what it offers: PluginLinker
//   claimFile         for each object that it opens: we take those whose
//                     bitcode is to be read (HostHalf) and say their symbols
//   allSymbolsRead    when symbols are resolved: the pipeline runs, its objects
//                     become inputs of the link
//   cleanUp           at the end, after errors too: the objects are removed
//
// The linker hides the native half of a file that we take. After allSymbolsRead
// nothing more is taken: files that only generated code needs link natively,
// and if they also have device code, their guard symbol stops the link.
//
// With -r nothing is taken either: the linker joins bitcode and records as well
// as the native code (see HostHalf), unless --gpulto-relocatable=native.
//
// ar, nm and ranlib load plugins from bfd-plugins only to learn the symbols of
// files that they do not read; they read objects with native code themselves.
//
// Limits: gold calls claimFile from several threads (--threads), so it locks,
// and the order of inputs is taken from the command line. In archives that a
// linker script names, members that only device code needs are not found.
//
//===----------------------------------------------------------------------===//

#include "fatobj/FatObjectReader.h"
#include "fatobj/GccObject.h"
#include "fatobj/NvccObject.h"
#include "linker-plugin/BitcodeSymtab.h"
#include "linker-plugin/Door.h"
#include "linker-plugin/GccInputs.h"
#include "linker-plugin/HostHalf.h"
#include "linker-plugin/LinkerCommandLine.h"
#include "linker-plugin/NativeInputs.h"
#include "linker-plugin/OptionTable.h"
#include "linker-plugin/PluginLinker.h"
#include "linker-plugin/PluginSymbols.h"
#include "support/Jobserver.h"
#include "support/Subprocess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <map>
#include <mutex>
#include <optional>
#include <sys/prctl.h>
#include <sys/stat.h>

using namespace llvm;

namespace gpulto {
namespace {

/// A file, or an archive member, that we took.
struct ClaimedFile {
  std::string path;
  uint64_t offset = 0; ///< of an archive member's contents; else 0
  void *handle = nullptr;
  std::unique_ptr<MemoryBuffer> contents;
  std::unique_ptr<lto::InputFile> input;
  const JoinedBitcode *joined = nullptr;
  std::unique_ptr<PluginSymbols> symbols;
};

/// One link.
struct PluginSession {
  PluginLinker linker;
  HostCodegenOptions codegen;
  ParsedLinkOptions options;
  bool joinsObjects = false;

  std::mutex claiming;
  HostHalves halves;
  std::vector<ClaimedFile> files;
  NativeInputs natives;
  LinkerCommandLine commandLine;
  std::vector<LinkObject> nvccObjects;
  bool inputsComplete = false;
  TempDir objects;

  Error readArguments();
  Error readCommandLine();
  Expected<bool> claim(const ld_plugin_input_file &file);
  Expected<bool> declineLate(const ld_plugin_input_file &file);
  Error makeObjects();

private:
  Expected<HostHalf> chooseHalf(MemoryBufferRef file,
                                const InputLocation &where);
  Error noteForeign(const ld_plugin_input_file &file, MemoryBufferRef contents,
                    const InputLocation &where);
  void orderFiles(ArrayRef<LinkerInput> inputs);
  void nameArchives(LinkInputs &inputs) const;
  Expected<LinkInputs> gatherInputs();
  void noteNative(MemoryBufferRef file, const InputLocation &where,
                  StringRef why);
  Error handOver(Diagnostics &diagnostics);
  void chooseCommons(LinkInputs &inputs) const;
  Error addObjects(DoorOutputs &outputs);
};

/// The interface has no context argument. Made by onload, never destroyed: the
/// linker may leave by exit from within our calls.
PluginSession *session = nullptr;

/// The outermost function of a hook calls it, when everything is unwound: the
/// linker leaves the process in it.
void report(Error error) {
  std::vector<std::string> texts;
  handleAllErrors(std::move(error), [&](const ErrorInfoBase &info) {
    texts.push_back(info.message());
  });
  for (const std::string &text : ArrayRef(texts).drop_back())
    session->linker.message(LDPL_ERROR, "%s", text.c_str());
  removeTemporaries();
  session->linker.message(LDPL_FATAL, "%s", texts.back().c_str());
}

/// Reports errors after which LLVM cannot continue (such as no memory).
void onFatalError(void *, const char *reason, bool) {
  JobserverClient::releaseAllHeldTokens();
  removeTemporaries();
  session->linker.message(LDPL_FATAL, "%s", reason);
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Takes what clang tells LLVM's own plugin, of which our code generation
/// needs some. Returns whether \p option is of that kind.
bool takeLlvmOption(StringRef option, HostCodegenOptions &codegen) {
  constexpr unsigned kMaxLevel = 3;
  unsigned level = 0;
  if (option.consume_front("mcpu=")) {
    codegen.cpu = option.str();
    return true;
  }
  if (option.consume_front("O") && !option.getAsInteger(10, level)) {
    codegen.optLevel = static_cast<uint8_t>(std::min(level, kMaxLevel));
    return true;
  }
  return false;
}

Error PluginSession::readArguments() {
  std::vector<const char *> words;
  for (const std::string &argument : linker.arguments)
    words.push_back(argument.c_str());
  Expected<options::OwnArgs> own = options::takeOwnOptions(
      words, options::LinkOption | options::LinkerOption);
  if (!own)
    return own.takeError();
  for (const char *word : own->rest)
    if (!takeLlvmOption(word, codegen))
      return makeError("unknown plugin option '" + Twine(word) + "'");
  if (own->args->hasArg(options::OPT_end_with_parent))
    prctl(PR_SET_PDEATHSIG, SIGTERM);
  Expected<ParsedLinkOptions> parsed =
      readLinkOptions(*own->args, linker.outputFile);
  if (!parsed)
    return parsed.takeError();
  options = std::move(*parsed);
  if (linker.output == OutputKind::Executable)
    codegen.relocationModel = "static";
  else if (linker.output != OutputKind::Relocatable)
    codegen.relocationModel = "pic";
  joinsObjects =
      linker.output == OutputKind::Relocatable && !options.nativeRelocatable;
  return Error::success();
}

/// Reads the command line of the linker, which says which symbols it wraps or
/// leaves that to its command line.
Error PluginSession::readCommandLine() {
  Expected<LinkerCommandLine> line = readOwnCommandLine();
  if (!line)
    return line.takeError();
  commandLine = std::move(*line);
  if (!linker.isGold)
    commandLine.farDeviceCode = FarDeviceCode::ByScript;
  if (!linker.getWrapSymbols)
    return Error::success();
  uint64_t count = 0;
  const char **names = nullptr;
  if (linker.getWrapSymbols(&count, &names) != LDPS_OK)
    return makeError("the linker does not say which symbols it wraps");
  commandLine.wrapped.assign(names, names + count);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Taking files
//===----------------------------------------------------------------------===//

/// Returns whether \p file can be of ours: bitcode or an ELF object of 64 bits
/// and little-endian. Everything else is the linker's business.
bool mayBeOurs(StringRef file) {
  file_magic magic = identify_magic(file);
  return magic == file_magic::bitcode ||
         (magic == file_magic::elf_relocatable &&
          file.size() >= sizeof(ELF::Elf64_Ehdr) &&
          file[ELF::EI_CLASS] == ELF::ELFCLASS64 &&
          file[ELF::EI_DATA] == ELF::ELFDATA2LSB);
}

/// Returns the contents of \p file, checked to be those under its name: the
/// pipeline and its jobs open it by name.
Expected<std::unique_ptr<MemoryBuffer>>
readInput(const ld_plugin_input_file &file) {
  struct stat open = {}, named = {};
  if (fstat(file.fd, &open) != 0 || stat(file.name, &named) != 0)
    return fileError(file.name, "cannot find this input again", errno);
  if (open.st_dev != named.st_dev || open.st_ino != named.st_ino)
    return inputError(InputLocation(file.name),
                      "this input is another file than when it was opened");
  ErrorOr<std::unique_ptr<MemoryBuffer>> contents =
      MemoryBuffer::getOpenFileSlice(
          sys::fs::convertFDToNativeFile(file.fd), file.name,
          static_cast<uint64_t>(file.filesize), file.offset);
  if (!contents)
    return inputError(InputLocation(file.name), contents.getError().message());
  return std::move(*contents);
}

/// Returns where messages say that \p file is.
InputLocation locationOf(const ld_plugin_input_file &file) {
  if (file.offset == 0)
    return InputLocation(file.name);
  Expected<LocatedMember> member =
      locateMember(file.name, static_cast<uint64_t>(file.offset));
  if (member)
    return InputLocation(file.name, member->member);
  consumeError(member.takeError());
  return InputLocation(file.name);
}

/// Returns whether the object \p file has bitcode but no native code.
bool isSlim(MemoryBufferRef file, const InputLocation &where) {
  Expected<FatObject> fat = readFatObject(file, where);
  if (!fat) {
    consumeError(fat.takeError());
    return false;
  }
  return any_of(fat->records,
                [](const FatRecord &record) { return record.slim; });
}

Expected<HostHalf> PluginSession::chooseHalf(MemoryBufferRef file,
                                             const InputLocation &where) {
  bool isBitcode = identify_magic(file.getBuffer()) == file_magic::bitcode;
  if (joinsObjects && isBitcode)
    return inputError(where, "bitcode without native code cannot be joined by "
                             "-r; --gpulto-relocatable=native makes native "
                             "code of all inputs now");
  if (joinsObjects)
    return HostHalf();
  if (isBitcode)
    return HostHalf{file, ""};
  bool isForTools = !linker.registerAllSymbolsRead;
  if (isForTools && !isSlim(file, where))
    return HostHalf();
  return halves.choose(file, where);
}

/// Notes an object of nvcc's or GCC's, whose native code the linker links.
Error PluginSession::noteForeign(const ld_plugin_input_file &file,
                                 MemoryBufferRef contents,
                                 const InputLocation &where) {
  bool isForTools = !linker.registerAllSymbolsRead;
  if (isForTools || joinsObjects)
    return Error::success();
  if (isSlimGccObject(contents))
    return inputError(where, kSlimGccText);
  if (!isNvccObject(contents))
    return Error::success();
  LinkObject &object = nvccObjects.emplace_back();
  object.path = where.path;
  object.member = where.member;
  object.memberOffset = static_cast<uint64_t>(file.offset);
  return Error::success();
}

/// Notes that the linker links the native code of \p file.
void PluginSession::noteNative(MemoryBufferRef file, const InputLocation &where,
                               StringRef why) {
  bool isForTools = !linker.registerAllSymbolsRead;
  if (!isForTools &&
      identify_magic(file.getBuffer()) == file_magic::elf_relocatable)
    natives.addObject(file, where, joinsObjects, why);
}

/// Leaves \p file, which only generated code needs, to the linker. The stamp is
/// made: there is only the report.
Expected<bool> PluginSession::declineLate(const ld_plugin_input_file &file) {
  bool isOwn = sys::path::parent_path(file.name) == objects.path();
  if (isOwn || options.skipped.mode == SkippedMode::Default ||
      options.skipped.mode == SkippedMode::Ignore)
    return false;
  Expected<std::unique_ptr<MemoryBuffer>> contents = readInput(file);
  if (!contents)
    return contents.takeError();
  if (identify_magic((*contents)->getBuffer()) != file_magic::elf_relocatable)
    return false;
  NativeInputs late;
  late.addObject((*contents)->getMemBufferRef(), locationOf(file), joinsObjects,
                 "");
  Diagnostics diagnostics(options.diagnostics);
  late.report(options, commandLine.sysroot, diagnostics);
  if (Error error = handOver(diagnostics))
    return std::move(error);
  return false;
}

Expected<bool> PluginSession::claim(const ld_plugin_input_file &file) {
  std::lock_guard guard(claiming);
  if (inputsComplete)
    return declineLate(file);
  Expected<std::unique_ptr<MemoryBuffer>> contents = readInput(file);
  if (!contents)
    return contents.takeError();
  InputLocation where = locationOf(file);
  if (!mayBeOurs((*contents)->getBuffer())) {
    noteNative((*contents)->getMemBufferRef(), where, "");
    return false;
  }
  Expected<HostHalf> half = chooseHalf((*contents)->getMemBufferRef(), where);
  if (!half)
    return half.takeError();
  if (!half->warning.empty() && options.skipped.mode != SkippedMode::Ignore)
    linker.message(LDPL_WARNING, "%s",
                   (where.str() + ": " + half->warning).c_str());
  if (half->bitcode.getBuffer().empty()) {
    noteNative((*contents)->getMemBufferRef(), where, half->warning);
    if (Error error = noteForeign(file, (*contents)->getMemBufferRef(), where))
      return std::move(error);
    return false;
  }
  if (Error error = checkBitcodeSymtab(half->bitcode))
    return inputError(where, toString(std::move(error)));
  Expected<std::unique_ptr<lto::InputFile>> input =
      lto::InputFile::create(half->bitcode);
  if (!input)
    return inputError(where, toString(input.takeError()));
  ClaimedFile claimed;
  claimed.path = file.name;
  claimed.offset = static_cast<uint64_t>(file.offset);
  claimed.handle = file.handle;
  claimed.joined = halves.findJoined(half->bitcode.getBuffer());
  claimed.contents = std::move(*contents);
  claimed.input = std::move(*input);
  claimed.symbols = std::make_unique<PluginSymbols>(*claimed.input);
  Triple triple(claimed.input->getTargetTriple());
  for (StringRef name : wrappedRuntime(commandLine.wrapped, triple))
    claimed.symbols->ask(("__wrap_" + name).str());
  std::vector<ld_plugin_symbol> &table = claimed.symbols->table();
  if (linker.addSymbols(file.handle, static_cast<int>(table.size()),
                        table.data()) != LDPS_OK)
    return inputError(where, "the linker does not take the symbols");
  files.push_back(std::move(claimed));
  return true;
}

//===----------------------------------------------------------------------===//
// The link
//===----------------------------------------------------------------------===//

/// Puts the files into the order of the command line, which is the order of
/// start-up code. Members of one archive stay as they came.
void PluginSession::orderFiles(ArrayRef<LinkerInput> inputs) {
  StringMap<size_t> positions;
  for (auto [position, input] : enumerate(inputs))
    positions.try_emplace(input.path, position);
  auto positionOf = [&](const auto &file) {
    auto found = positions.find(file.path);
    return found == positions.end() ? inputs.size() : found->second;
  };
  // Files that no input names come from scripts or thin archives.
  auto isBefore = [&](const auto &a, const auto &b) {
    size_t first = positionOf(a), second = positionOf(b);
    if (first != second || first != inputs.size())
      return first < second;
    return a.path < b.path;
  };
  llvm::stable_sort(files, isBefore);
  llvm::stable_sort(nvccObjects, isBefore);
}

/// Sees to it that one definition stays of each common symbol, the largest:
/// linkers say that any of them prevails, and gold takes the size of a native
/// one even if that is smaller. Unless only bitcode knows the name, it stays
/// common, and the linker joins it with native ones.
void PluginSession::chooseCommons(LinkInputs &inputs) const {
  struct Common {
    LinkSymbol *symbol;
    size_t sizeBytes;
  };
  std::map<StringRef, std::vector<Common>> commons;
  StringSet<> defined, ironly;
  for (auto [object, file] : zip_equal(inputs.objects, files))
    for (auto [to, from] : zip_equal(object.symbols, file.input->symbols())) {
      if (from.isCommon()) {
        commons[to.name].push_back({&to, from.getCommonSize()});
        if (to.prevailing && !to.visibleToRegularObject)
          ironly.insert(to.name);
      } else if (to.prevailing)
        defined.insert(to.name);
    }
  for (auto &[name, list] : commons) {
    if (defined.contains(name))
      continue;
    auto largest = max_element(list, [](const Common &a, const Common &b) {
      return a.sizeBytes < b.sizeBytes;
    });
    for (const Common &common : list) {
      common.symbol->prevailing = &common == &*largest;
      if (ironly.contains(name))
        continue;
      common.symbol->visibleToRegularObject = true;
      common.symbol->finalDefinition = false;
    }
  }
}

/// Notes which archives \p inputs come from, if --exclude-libs asks for it. Of
/// a member of a thin one the linker says only its own file.
void PluginSession::nameArchives(LinkInputs &inputs) const {
  if (commandLine.excludedLibs.names.empty())
    return;
  std::map<sys::fs::UniqueID, std::string> thin;
  for (const std::string &archive : inputs.archives)
    consumeError(
        forEachArchiveMember(archive, [&](const ArchiveMember &member) {
          sys::fs::UniqueID file;
          if (!member.path.empty() && !sys::fs::getUniqueID(member.path, file))
            thin.try_emplace(file, archive);
          return Error::success();
        }));
  for (LinkObject &object : inputs.objects) {
    sys::fs::UniqueID file;
    if (!object.member.empty())
      object.archive = object.path;
    else if (!sys::fs::getUniqueID(object.path, file))
      if (auto found = thin.find(file); found != thin.end())
        object.archive = found->second;
  }
}

Expected<LinkInputs> PluginSession::gatherInputs() {
  LinkInputs inputs;
  inputs.output = linker.output;
  inputs.codegen = codegen;
  if (linker.isGold)
    orderFiles(commandLine.inputs);
  inputs.nvccObjects = nvccObjects;
  if (files.empty())
    return inputs;
  inputs.archives = archivesAmong(commandLine.inputs);
  inputs.codegen.wrapped = commandLine.wrapped;
  auto warn = [&](const std::string &text) {
    linker.message(LDPL_WARNING, "%s", text.c_str());
  };
  if (Error error = checkGccInputs(commandLine, warn))
    return std::move(error);
  StringSet<> used = commandLine.used;
  // What -init and -fini are without being given.
  used.insert("_init");
  used.insert("_fini");
  ProgramSymbols program;
  for (ClaimedFile &file : files) {
    std::vector<ld_plugin_symbol> &table = file.symbols->table();
    ld_plugin_status status = linker.getSymbols(
        file.handle, static_cast<int>(table.size()), table.data());
    if (status != LDPS_OK && status != LDPS_NO_SYMS)
      return inputError(InputLocation(file.path),
                        "the linker does not say how it resolved the symbols");
    if (status == LDPS_OK)
      addToProgram(*file.input, program);
    else
      file.input = nullptr; // the linker has no use for it
  }
  erase_if(files, [](const ClaimedFile &file) { return !file.input; });
  for (const ClaimedFile &file : files) {
    LinkObject object;
    object.path = file.path;
    object.memberOffset = file.offset;
    if (file.offset) {
      Expected<LocatedMember> member = locateMember(file.path, file.offset);
      if (!member)
        return member.takeError();
      object.member = member->member;
    }
    addInput(
        inputs, std::move(object), *file.input,
        resolutionsOf(*file.input, *file.symbols, program, used, linker.output),
        file.joined);
  }
  chooseCommons(inputs);
  nameArchives(inputs);
  return inputs;
}

Error PluginSession::addObjects(DoorOutputs &outputs) {
  Expected<TempDir> directory = TempDir::create("gpulto");
  if (!directory)
    return directory.takeError();
  objects = std::move(*directory);
  llvm::move(outputs.behind, std::back_inserter(outputs.link.objects));
  for (NativeObject &object : outputs.link.objects) {
    std::string path = objects.file(object.name);
    if (Error error = writeFileAtomically(path, object.contents->getBuffer()))
      return error;
    object.contents.reset();
    if (linker.addInputFile(path.c_str()) != LDPS_OK)
      return inputError(InputLocation(path), "the linker does not take it");
  }
  return Error::success();
}

/// Prints the warnings and remarks of \p diagnostics and returns its errors.
Error PluginSession::handOver(Diagnostics &diagnostics) {
  Error errors = Error::success();
  diagnostics.handOver([&](Diagnostics::Severity severity, StringRef text) {
    if (severity == Diagnostics::Severity::Error)
      errors = joinErrors(std::move(errors), makeError(text));
    else if (severity == Diagnostics::Severity::Warning)
      linker.message(LDPL_WARNING, "%s", text.str().c_str());
    else
      errs() << text << '\n'; // as a compiler does; bfd would use stdout
  });
  return errors;
}

Error PluginSession::makeObjects() {
  inputsComplete = true;
  if (Error error = natives.addLibraries(commandLine.inputs, options,
                                         commandLine.sysroot))
    return error;
  Expected<LinkInputs> inputs = gatherInputs();
  if (!inputs)
    return inputs.takeError();
  Diagnostics diagnostics(options.diagnostics);
  Expected<DoorOutputs> outputs =
      runPipeline(*inputs, natives, commandLine, options, diagnostics);
  Error errors = handOver(diagnostics);
  if (!outputs)
    return joinErrors(std::move(errors), outputs.takeError());
  if (errors)
    return errors;
  for (ClaimedFile &file : files)
    file.contents.reset();
  return addObjects(*outputs);
}

//===----------------------------------------------------------------------===//
// Hooks
//===----------------------------------------------------------------------===//

ld_plugin_status claimFile(const ld_plugin_input_file *file, int *claimed) {
  *claimed = 0;
  Expected<bool> taken = session->claim(*file);
  if (!taken) {
    report(taken.takeError());
    return LDPS_ERR;
  }
  *claimed = *taken;
  return LDPS_OK;
}

ld_plugin_status allSymbolsRead() {
  if (Error error = session->makeObjects()) {
    report(std::move(error));
    return LDPS_ERR;
  }
  return LDPS_OK;
}

ld_plugin_status cleanUp() {
  session->objects = TempDir();
  return LDPS_OK;
}

ld_plugin_status load(const ld_plugin_tv *tags) {
  session = new PluginSession();
  for (; tags->tv_tag != LDPT_NULL; ++tags)
    session->linker.offer(*tags);
  const PluginLinker &linker = session->linker;
  if (!linker.message || !linker.registerClaimFile || !linker.addSymbols)
    return LDPS_ERR;
  if (Error error = session->readArguments()) {
    report(std::move(error));
    return LDPS_ERR;
  }
  linker.registerClaimFile(claimFile);
  if (!linker.registerAllSymbolsRead)
    return LDPS_OK; // ar, nm, ranlib
  if (!linker.registerCleanup || !linker.addInputFile ||
      linker.getSymbolsVersion < 2) {
    report(makeError("this linker is too old: get_symbols of version 2 or "
                     "newer is needed (binutils 2.25)"));
    return LDPS_ERR;
  }
  if (Error error = session->readCommandLine()) {
    report(std::move(error));
    return LDPS_ERR;
  }
  install_fatal_error_handler(onFatalError);
  linker.registerAllSymbolsRead(allSymbolsRead);
  linker.registerCleanup(cleanUp);
  return LDPS_OK;
}

} // namespace
} // namespace gpulto

extern "C" ld_plugin_status onload(ld_plugin_tv *tags) {
  return gpulto::load(tags);
}
