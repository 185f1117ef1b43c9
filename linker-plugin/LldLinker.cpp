//===- LldLinker.cpp - The door for lld: take over its LTO step -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lld has no plugin API. But it has an exact interface: it uses LTO only
// through llvm::lto::LTO, resolves every symbol before and links native objects
// afterwards. The program is linked with -Wl,--wrap= for these functions, so
// lld's calls arrive here (names from lld's own archive, see LldSymbols.h):
//
//   LTO::getRuntimeLibcallSymbols  wrapRuntimeSymbols: fat archive members that
//                                  only generated code needs join before LTO;
//                                  what it will use of --wrap is announced
//   InputFile::create              wrapCreateInput: checks the symbol table,
//                                  which LLVM trusts
//   Archive::create                wrapCreateArchive: notes the archives
//   findBitcodeInMemBuffer         wrapFindBitcode: chooses what lld reads of
//                                  an object, the native half or the bitcode
//   LTO::LTO                       wrapConstructor: how to generate code
//   LTO::add                       wrapAdd: one input and its resolutions
//   LTO::getMaxTasks               wrapMaxTasks: the inputs are complete: runs
//                                  the pipeline, so the number of objects is
//                                  exact and no limit has to be guessed
//   LTO::run                       wrapRun: hands the objects to lld
//
// So resolution (archives, groups, COMDAT, versions, --wrap, scripts) is
// exactly lld's. Why not define the functions ourselves: the constructor must
// still run, because lld destroys the object.
//
// Limits: the interface is C++ and internal, hence one exact LLVM release,
// checked when configuring.
//
//===----------------------------------------------------------------------===//

#include "linker-plugin/LldLinker.h"

#include "fatobj/GccObject.h"
#include "fatobj/NvccObject.h"
#include "linker-plugin/BitcodeSymtab.h"
#include "linker-plugin/Door.h"
#include "linker-plugin/GccInputs.h"
#include "linker-plugin/HostHalf.h"
#include "linker-plugin/InputLocator.h"
#include "linker-plugin/LinkOptionsReader.h"
#include "linker-plugin/LldCommandLine.h"
#include "linker-plugin/LldFiles.h"
#include "linker-plugin/LldNatives.h"
#include "linker-plugin/LldSymbols.h"
#include "linker-plugin/MoldLink.h"
#include "linker-plugin/NativeInputs.h"
#include "linker-plugin/OptionTable.h"
#include "lto/Pipeline.h"
#include "lto/link/VersionText.h"
#include "support/Error.h"
#include "support/Jobserver.h"
#include "support/Subprocess.h"

#include "lld/Common/Driver.h"
#include "lld/Common/ErrorHandler.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/LTO/LTO.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/Error.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/Caching.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/StringSaver.h"

#include <cassert>
#include <csignal>
#include <optional>
#include <sys/prctl.h>
#include <unistd.h>

using namespace llvm;

LLD_HAS_DRIVER(elf)

namespace gpulto {
namespace {

/// One run of the linker. Owned by linkWithLld.
struct LinkSession {
  ParsedLinkOptions options;
  LldCommandLine commandLine;
  InputLocator locator;
  HostHalves halves;
  /// Why the bitcode of an object cannot be read, by where it starts.
  DenseMap<const char *, std::string> whyNative;
  NativeInputs natives;
  LinkInputs inputs;
  /// Where `--save-temps=resolution` wants the resolutions, as in stock lld.
  std::unique_ptr<raw_ostream> resolutionFile;
  /// Set once lld has passed all inputs.
  bool inputsComplete = false;
  LinkOutputs outputs;
  std::vector<NativeObject> behind; ///< DoorOutputs::behind
  /// Why the pipeline made no outputs; reported by run.
  std::optional<Error> failure;
  /// Not empty: the program that links in place of lld, and its command line.
  std::string mold;
  SmallVector<const char *, 64> moldWords;
  /// What the command line names.
  std::vector<LinkerInput> files;
  /// With -r: lld joins the objects as they are, native code and bitcode.
  bool joinsObjects = false;
  /// Not empty: why that cannot be done with these objects.
  std::string whyNotJoined;
};

/// The functions lld calls have no context argument and the objects they are
/// called on are LLVM's, so the session is reached through this pointer. Set
/// only while linkWithLld runs, and only by it.
LinkSession *session = nullptr;

/// What the registration object refers to. lld resolves such references after
/// LTO by itself, except into members with bitcode: those must join before.
constexpr const char *kRegistrationSymbols[] = {
    "atexit",
    "__cudaRegisterFatBinary",
    "__cudaRegisterFatBinaryEnd",
    "__cudaRegisterFunction",
    "__cudaRegisterManagedVar",
    "__cudaRegisterVar",
    "__cudaUnregisterFatBinary",
};

StringRef nameOf(Reloc::Model model) {
  switch (model) {
  case Reloc::Static:
    return "static";
  case Reloc::PIC_:
    return "pic";
  case Reloc::DynamicNoPIC:
    return "dynamic-no-pic";
  case Reloc::ROPI:
  case Reloc::RWPI:
  case Reloc::ROPI_RWPI:
    return "";
  }
  return "";
}

StringRef nameOf(CodeModel::Model model) {
  switch (model) {
  case CodeModel::Tiny:
    return "tiny";
  case CodeModel::Small:
    return "small";
  case CodeModel::Kernel:
    return "kernel";
  case CodeModel::Medium:
    return "medium";
  case CodeModel::Large:
    return "large";
  }
  return "";
}

/// Takes from lld's configuration of LTO what code generation needs. Under -r
/// lld names no relocation model: the modules say.
HostCodegenOptions codegenOptions(const lto::Config &config) {
  HostCodegenOptions codegen;
  codegen.optLevel = static_cast<uint8_t>(config.CGOptLevel);
  if (config.RelocModel)
    codegen.relocationModel = nameOf(*config.RelocModel).str();
  if (config.CodeModel)
    codegen.codeModel = nameOf(*config.CodeModel).str();
  codegen.cpu = config.CPU;
  codegen.features = config.MAttrs;
  codegen.functionSections = config.Options.FunctionSections;
  codegen.dataSections = config.Options.DataSections;
  codegen.uniqueSectionNames = config.Options.UniqueSectionNames;
  return codegen;
}

/// Writes one input in the format of LLVM's resolution file.
void writeResolutions(raw_ostream &os, const lto::InputFile &input,
                      ArrayRef<lto::SymbolResolution> resolutions) {
  os << input.getName() << '\n';
  for (auto [symbol, resolution] : zip_equal(input.symbols(), resolutions)) {
    os << "-r=" << input.getName() << ',' << symbol.getName() << ',';
    if (resolution.Prevailing)
      os << 'p';
    if (resolution.FinalDefinitionInLinkageUnit)
      os << 'l';
    if (resolution.VisibleToRegularObj)
      os << 'x';
    if (resolution.LinkerRedefined)
      os << 'r';
    os << '\n';
  }
  os.flush();
}

/// Records \p input with lld's \p resolutions.
Error addInput(LinkSession &link, lto::InputFile &input,
               ArrayRef<lto::SymbolResolution> resolutions) {
  if (link.resolutionFile)
    writeResolutions(*link.resolutionFile, input, resolutions);
  // Of joined bitcode this is the first module.
  StringRef bitcode = input.getSingleBitcodeModule().getBuffer();
  const JoinedBitcode *joined = link.halves.findJoined(bitcode);
  Expected<LinkObject> object =
      link.locator.locate(input.getName(), joined ? joined->section : bitcode);
  if (!object)
    return object.takeError();
  addInput(link.inputs, std::move(*object), input, resolutions, joined);
  return Error::success();
}

/// Returns where messages about \p file say that it is.
InputLocation locationOf(const LinkSession &link, MemoryBufferRef file) {
  StringRef name = file.getBufferIdentifier();
  Expected<LinkObject> object = link.locator.locate(name, file.getBuffer());
  if (object)
    return InputLocation(object->path, object->member);
  consumeError(object.takeError());
  return InputLocation(name);
}

/// Reports \p file if it is an object of GCC's that nobody here reads.
void checkSlim(MemoryBufferRef file, const InputLocation &where) {
  if (!isSlimGccObject(file))
    return;
  std::string message = where.str() + ": " + kSlimGccText.str();
  // A member that nobody needs does no harm; whether somebody does lld cannot
  // tell, since it has no symbols.
  if (where.member.empty())
    lld::error(message);
  else
    lld::warn(message);
}

/// Chooses what lld reads of the object \p file: its bitcode, or the error that
/// tells lld that there is none. Reports problems.
Expected<MemoryBufferRef> chooseHalf(LinkSession &link, MemoryBufferRef file) {
  InputLocation where = locationOf(link, file);
  Expected<HostHalf> half = link.halves.choose(file, where);
  if (!half)
    lld::error(toString(half.takeError()));
  else if (link.joinsObjects)
    ; // the native half has the bitcode beside it
  else if (!half->bitcode.getBuffer().empty())
    return half->bitcode;
  else if (half->warning.empty()) {
    checkSlim(file, where);
  } else {
    if (link.options.skipped.mode != SkippedMode::Ignore)
      lld::warn(where.str() + ": " + half->warning);
    link.whyNative[file.getBufferStart()] = half->warning;
  }
  return errorCodeToError(object::object_error::bitcode_section_not_found);
}

/// Returns where lld's messages go.
raw_ostream &lldErrors() { return lld::errorHandler().errs(); }

/// Returns how messages look: as lld was told on the command line.
DiagnosticsOptions diagnosticsOptions(const LinkSession &link) {
  const lld::ErrorHandler &handler = lld::errorHandler();
  DiagnosticsOptions options = link.options.diagnostics;
  options.prefix = handler.logName.str();
  options.errorLimit = static_cast<unsigned>(handler.errorLimit);
  options.fatalWarnings = handler.fatalWarnings;
  options.noWarnings = handler.suppressWarnings;
  options.color = lldErrors().colors_enabled();
  options.demangles = link.commandLine.demangles;
  return options;
}

/// Prints what \p diagnostics has, and has lld fail after errors.
void print(Diagnostics &diagnostics) {
  lld::errorHandler().errorCount += diagnostics.errorCount();
  diagnostics.print(lldErrors());
}

/// Runs the pipeline on the complete inputs of \p link. Warnings and remarks
/// are printed here; what stops the link is returned.
Error makeObjects(LinkSession &link) {
  link.inputs.archives = link.locator.archivePaths();
  link.inputs.output = link.commandLine.output;
  if (Error error = link.natives.addLibraries(link.files, link.options,
                                              link.commandLine.sysroot))
    return error;
  Diagnostics diagnostics(diagnosticsOptions(link));
  Expected<DoorOutputs> outputs = runPipeline(
      link.inputs, link.natives, link.commandLine, link.options, diagnostics);
  print(diagnostics);
  if (!outputs)
    return outputs.takeError();
  if (!outputs->link.buildFile.empty() && lld::errorCount() == 0)
    lld::exitLld(0); // somebody else goes on
  link.outputs = std::move(outputs->link);
  link.behind = std::move(outputs->behind);
  return Error::success();
}

/// Notes the object \p file, if nvcc made it, whose native code lld links.
void noteNvcc(LinkSession &link, MemoryBufferRef file) {
  if (link.joinsObjects || link.inputsComplete || !isNvccObject(file))
    return;
  Expected<LinkObject> object =
      link.locator.locate(file.getBufferIdentifier(), file.getBuffer());
  if (object)
    link.inputs.nvccObjects.push_back(std::move(*object));
  else
    lld::error(toString(object.takeError()));
}

/// Notes the object \p file, whose native code lld links.
void noteNative(MemoryBufferRef file) {
  LinkSession &link = *session;
  NativeInputs late;
  NativeInputs &natives = link.inputsComplete ? late : link.natives;
  natives.addObject(file, locationOf(link, file), link.joinsObjects,
                    link.whyNative.lookup(file.getBufferStart()));
  noteNvcc(link, file);
  if (!link.inputsComplete)
    return;
  // The stamp is made: there is only the report.
  Diagnostics diagnostics(diagnosticsOptions(link));
  late.report(link.options, link.commandLine.sysroot, diagnostics);
  print(diagnostics);
}

/// Returns the objects that lld links behind all others.
std::vector<MemoryBufferRef> objectsBehind() {
  std::vector<MemoryBufferRef> buffers;
  for (const NativeObject &object : session->behind)
    buffers.push_back(object.contents->getMemBufferRef());
  return buffers;
}

constexpr LldHooks kHooks = {noteNative, objectsBehind};

/// Copies the objects into the streams that \p addStream opens.
Error handOver(LinkSession &link, const AddStreamFn &addStream) {
  unsigned task = 0;
  for (NativeObject &object : link.outputs.objects) {
    Expected<std::unique_ptr<CachedFileStream>> stream =
        addStream(task++, object.name);
    if (!stream)
      return stream.takeError();
    *(*stream)->OS << object.contents->getBuffer();
    object.contents.reset();
    if (Error error = (*stream)->commit())
      return error;
  }
  return Error::success();
}

/// Runs mold in place of the rest of lld's link, and ends the process.
[[noreturn]] void leaveToMold(LinkSession &link) {
  llvm::move(link.behind, std::back_inserter(link.outputs.objects));
  Expected<int> status =
      linkWithMold(link.mold, link.moldWords, link.inputs, link.outputs);
  if (!status)
    errs() << "ld.lld: error: " << toString(status.takeError()) << '\n';
  lld::exitLld(status ? *status : 1);
}

} // namespace

//===----------------------------------------------------------------------===//
// What lld calls. A reference parameter stands for a class passed by value:
// the platform's ABI passes such objects by address.
//===----------------------------------------------------------------------===//

/// lld's symbol table and two of its functions; symbols are passed on only.
void *findSymbol(void *table,
                 StringRef name) asm("__real_" GPULTO_LLD_FIND_SYMBOL);
void *wrapFindSymbol(void *table,
                     StringRef name) asm("__wrap_" GPULTO_LLD_FIND_SYMBOL);
/// Noted when lld asks for a symbol to be wrapped, before LTO.
static void *symbolTable = nullptr;

void *wrapFindSymbol(void *table, StringRef name) {
  symbolTable = table;
  return findSymbol(table, name);
}
void *addUndefined(void *table, StringRef name,
                   uint8_t binding) asm(GPULTO_LLD_ADD_UNDEFINED);

#define GPULTO_REAL(name) asm("__real_" name)
#define GPULTO_WRAP(name) asm("__wrap_" name)

void realConstructor(lto::LTO *self, lto::Config &config,
                     lto::ThinBackend &backend, unsigned parallelism,
                     lto::LTO::LTOKind kind)
    GPULTO_REAL(GPULTO_LLD_LTO_CONSTRUCTOR);
SmallVector<const char *> realRuntimeSymbols(const Triple &triple)
    GPULTO_REAL(GPULTO_LLD_LTO_RUNTIME_SYMBOLS);
Expected<std::unique_ptr<object::Archive>>
realCreateArchive(MemoryBufferRef buffer)
    GPULTO_REAL(GPULTO_LLD_ARCHIVE_CREATE);
Expected<MemoryBufferRef> realFindBitcode(MemoryBufferRef file)
    GPULTO_REAL(GPULTO_LLD_FIND_BITCODE);

Expected<std::unique_ptr<lto::InputFile>>
realCreateInput(MemoryBufferRef buffer) GPULTO_REAL(GPULTO_LLD_INPUT_CREATE);

Expected<std::unique_ptr<lto::InputFile>>
wrapCreateInput(MemoryBufferRef buffer) GPULTO_WRAP(GPULTO_LLD_INPUT_CREATE);
void wrapConstructor(lto::LTO *self, lto::Config &config,
                     lto::ThinBackend &backend, unsigned parallelism,
                     lto::LTO::LTOKind kind)
    GPULTO_WRAP(GPULTO_LLD_LTO_CONSTRUCTOR);
SmallVector<const char *> wrapRuntimeSymbols(const Triple &triple)
    GPULTO_WRAP(GPULTO_LLD_LTO_RUNTIME_SYMBOLS);
Expected<std::unique_ptr<object::Archive>>
wrapCreateArchive(MemoryBufferRef buffer)
    GPULTO_WRAP(GPULTO_LLD_ARCHIVE_CREATE);
Expected<MemoryBufferRef> wrapFindBitcode(MemoryBufferRef file)
    GPULTO_WRAP(GPULTO_LLD_FIND_BITCODE);
Error wrapAdd(lto::LTO *self, std::unique_ptr<lto::InputFile> input,
              ArrayRef<lto::SymbolResolution> resolutions)
    GPULTO_WRAP(GPULTO_LLD_LTO_ADD);
unsigned wrapMaxTasks(const lto::LTO *self)
    GPULTO_WRAP(GPULTO_LLD_LTO_MAX_TASKS);
Error wrapRun(lto::LTO *self, AddStreamFn addStream, FileCache cache)
    GPULTO_WRAP(GPULTO_LLD_LTO_RUN);

void wrapConstructor(lto::LTO *self, lto::Config &config,
                     lto::ThinBackend &backend, unsigned parallelism,
                     lto::LTO::LTOKind kind) {
  if (session) {
    session->inputs.codegen = codegenOptions(config);
    // mold leaves --wrap of bitcode to us; lld does not.
    if (!session->mold.empty())
      session->inputs.codegen.wrapped = session->commandLine.wrapped;
    session->inputs.llvmOptions = config.MllvmArgs;
    session->resolutionFile = std::move(config.ResolutionFile);
  }
  realConstructor(self, config, backend, parallelism, kind);
}

SmallVector<const char *> wrapRuntimeSymbols(const Triple &triple) {
  SmallVector<const char *> symbols = realRuntimeSymbols(triple);
  if (!session)
    return symbols;
  // lld wraps what it knows of before LTO.
  for (StringRef name : wrappedRuntime(session->commandLine.wrapped, triple))
    if (!findSymbol(symbolTable, name))
      addUndefined(symbolTable, name, ELF::STB_GLOBAL);
  append_range(symbols, kRegistrationSymbols);
  return symbols;
}

Expected<std::unique_ptr<object::Archive>>
wrapCreateArchive(MemoryBufferRef buffer) {
  Expected<std::unique_ptr<object::Archive>> archive =
      realCreateArchive(buffer);
  // The pipeline opens archives too. lld itself reports malformed members.
  if (archive && session && !session->inputsComplete)
    consumeError(session->locator.addArchive(**archive));
  return archive;
}

Expected<MemoryBufferRef> wrapFindBitcode(MemoryBufferRef file) {
  bool isObject =
      identify_magic(file.getBuffer()) == file_magic::elf_relocatable;
  if (!session || session->inputsComplete || !isObject)
    return realFindBitcode(file);
  return chooseHalf(*session, file);
}

Expected<std::unique_ptr<lto::InputFile>>
wrapCreateInput(MemoryBufferRef buffer) {
  if (Error error = checkBitcodeSymtab(buffer))
    return error;
  return realCreateInput(buffer);
}

Error wrapAdd(lto::LTO *, std::unique_ptr<lto::InputFile> input,
              ArrayRef<lto::SymbolResolution> resolutions) {
  assert(session && "lld runs only inside linkWithLld");
  return addInput(*session, *input, resolutions);
}

unsigned wrapMaxTasks(const lto::LTO *) {
  assert(session && "lld runs only inside linkWithLld");
  session->inputsComplete = true;
  if (session->joinsObjects && !session->inputs.objects.empty())
    session->whyNotJoined = session->inputs.objects.front().path +
                            " is bitcode without native code";
  // lld continues to here after an error; then there is nothing left to gain.
  else if (lld::errorCount() == 0)
    session->failure = makeObjects(*session);
  // Without bitcode lld does not ask for objects.
  if (session->inputs.objects.empty() && session->failure && *session->failure)
    lld::error(toString(std::move(*session->failure)));
  // lld looks at the first object's buffer even when there is none.
  return std::max<size_t>(1, session->outputs.objects.size());
}

Error wrapRun(lto::LTO *, AddStreamFn addStream, FileCache) {
  assert(session && "lld runs only inside linkWithLld");
  if (session->failure && *session->failure)
    return std::move(*session->failure);
  if (lld::errorCount() == 0 && !session->mold.empty())
    leaveToMold(*session);
  return handOver(*session, addStream);
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

namespace {

/// Has lld resolve symbols for a link that mold does: it writes nothing.
void resolveOnly(SmallVectorImpl<const char *> &argv) {
  dropUnknownToLld(argv);
  argv.append({"-o", "/dev/null"});
}

/// Takes our options out of \p argv, which keeps lld's, into \p link.
Error readOptions(LinkSession &link, SmallVectorImpl<const char *> &argv,
                  StringSaver &saver) {
  const SmallVector<const char *, 256> words(argv.begin(), argv.end());
  const unsigned visible = options::LinkOption | options::LinkerOption;
  Expected<options::OwnArgs> own =
      options::takeOwnOptions(ArrayRef(argv).drop_front(), visible);
  if (!own)
    return own.takeError();
  argv.resize(1);
  // Objects carry both bitcode and native code; an option that says otherwise
  // comes later and wins.
  argv.push_back("--fat-lto-objects");
  argv.append({"-z", "lrodata-after-bss"}); // FarDeviceCode
  append_range(argv, own->rest);
  if (own->args->hasArg(options::OPT_end_with_parent))
    prctl(PR_SET_PDEATHSIG, SIGTERM);
  link.commandLine = readLldCommandLine(ArrayRef(argv).drop_front());
  if (!link.commandLine.unsupported.empty())
    return makeError(link.commandLine.unsupported);
  Expected<ParsedLinkOptions> parsed =
      readLinkOptions(*own->args, link.commandLine.outputFile);
  if (!parsed)
    return parsed.takeError();
  link.options = std::move(*parsed);
  if (link.options.link.remote.emit != BuildFileKind::None)
    link.options.link.remote.linkCommand =
        finalLinkCommand(link.options.link.remote.jobDirectory, words);
  link.joinsObjects = link.commandLine.output == OutputKind::Relocatable &&
                      !link.options.nativeRelocatable;
  Expected<LinkerCommandLine> line = readLinkerCommandLine(own->rest);
  if (!line)
    return line.takeError();
  link.files = std::move(line->inputs);
  link.mold = own->args->getLastArgValue(options::OPT_mold);
  if (link.mold.empty()) {
    link.commandLine.farDeviceCode = FarDeviceCode::ByFlag;
  } else {
    link.moldWords = withoutLtoOptions(own->rest);
    resolveOnly(argv);
  }
  return saveLldLink(link.options.link.saveLinkDirectory, *own->args, argv,
                     saver);
}

/// Takes the output of a link that joined objects if it can be linked again.
bool checkJoined(MemoryBufferRef output) {
  if (session->whyNotJoined.empty())
    session->whyNotJoined = HostHalves::whyNotLinkedAgain(
        output, InputLocation(output.getBufferIdentifier()));
  return session->whyNotJoined.empty();
}

/// Starts the linker anew, with \p arguments, to make native code of objects
/// that cannot be joined. Returns false if it cannot.
bool linkNatively(const LinkSession &link, ArrayRef<const char *> arguments) {
  const std::string &output = link.commandLine.outputFile;
  lld::warn(output + ": " + link.whyNotJoined +
            "; the objects are optimized now, not with the program that this "
            "one is linked into (--gpulto-relocatable=native)");
  if (lld::errorCount()) // --fatal-warnings
    return false;
  std::vector<char *> argv;
  for (const char *argument : arguments)
    argv.push_back(const_cast<char *>(argument));
  std::string option = "--gpulto-relocatable=native";
  argv.push_back(option.data());
  argv.push_back(nullptr);
  execv("/proc/self/exe", argv.data());
  lld::error(
      toString(fileError(output, "cannot start the linker again", errno)));
  return false;
}

/// Reports errors after which LLVM cannot continue (such as a map file on a
/// full disk) like any other error. LLVM ends the process then, without
/// destructors.
void onFatalError(void *, const char *reason, bool) {
  errs() << "ld.lld: error: " << reason << '\n';
  JobserverClient::releaseAllHeldTokens();
  removeTemporaries();
}

/// Prints what follows lld's own help.
void printOwnHelp() {
  options::optionTable().printHelp(
      outs(), "ld.lld [lld's and gpulto's options] file...",
      "gpulto's options, beside those of lld above", /*ShowHidden=*/false,
      /*ShowAllAliases=*/true, opt::Visibility(options::LinkOption));
}

} // namespace

int linkWithLld(ArrayRef<const char *> arguments) {
  BumpPtrAllocator allocator;
  StringSaver saver(allocator);
  SmallVector<const char *, 256> argv(arguments);
  expandLldResponseFiles(saver, argv);

  LinkSession link;
  if (Error error = readOptions(link, argv, saver)) {
    handleAllErrors(std::move(error), [](const ErrorInfoBase &info) {
      errs() << "ld.lld: error: " << info.message() << '\n';
    });
    return 1;
  }
  session = &link;
  if (link.joinsObjects)
    checkOutputs(checkJoined);
  install_fatal_error_handler(onFatalError);
  setBugReportMsg("ld.lld: error: the linker crashed; to make a reproducer, "
                  "link again with --gpulto-save-link=DIR\n");
  setLldHooks(&kHooks);
  bool good = lld::elf::link(argv, outs(), errs(), /*exitEarly=*/true,
                             /*disableOutput=*/false);
  setLldHooks(nullptr);
  session = nullptr;
  if (good && !link.whyNotJoined.empty())
    good = linkNatively(link, arguments);
  bool isLink = !link.commandLine.wantsHelp && !link.commandLine.wantsVersion;
  if (good && isLink && !link.mold.empty())
    leaveToMold(link); // nothing but native code
  if (link.commandLine.wantsHelp)
    printOwnHelp();
  else if (link.commandLine.wantsVersion)
    outs() << versionText() << '\n';
  // Leaves without running destructors: lld's take long and do nothing.
  lld::exitLld(good ? 0 : 1);
}

} // namespace gpulto
