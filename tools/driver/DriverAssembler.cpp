//===- DriverAssembler.cpp - clang's assembler inside the driver ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// `-cc1as`: one assembly source to one object. clang's libraries do not contain
// it; LLVM's, which do all of the work, are set up here:
//
//   1. the options, by clang's own table (readOptions). One that is not for
//      assembling an object of this machine is refused, never dropped;
//   2. what the source says beside them: debug information, where it was
//      compiled (describe);
//   3. LLVM's parser, which tells LLVM's writer what it reads (assemble). The
//      object appears under its name when it is complete.
//
//===----------------------------------------------------------------------===//
#include "support/Error.h"
#include "tools/driver/DriverClang.h"

#include "clang/Options/Options.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
namespace opts = clang::options;

namespace gpulto::driver {

namespace {

/// What the command line says.
struct AssemblerOptions {
  Triple triple;
  std::string cpu;
  std::string features;
  std::string input;
  std::string output;
  std::vector<std::string> includePaths;
  std::vector<std::string> definitions; ///< "name=number" each
  std::string mainFile;
  std::string directory; ///< of the compilation, in debug information
  std::vector<std::pair<std::string, std::string>> prefixMap;
  std::string debugProducer;
  std::string debugFlags;
  uint16_t dwarfVersion = 0;
  bool makesDebugInfo = false;
  bool isPositionIndependent = false;
  MCTargetOptions target;
};

} // namespace

static Error readDefinitions(const opt::ArgList &args,
                             AssemblerOptions &result) {
  result.definitions = args.getAllArgValues(opts::OPT_defsym);
  for (StringRef definition : result.definitions) {
    auto [name, value] = definition.split('=');
    int64_t number = 0;
    if (name.empty() || value.getAsInteger(0, number))
      return makeError("invalid '--defsym " + definition +
                       "', expected NAME=NUMBER");
  }
  for (StringRef map : args.getAllArgValues(opts::OPT_fdebug_prefix_map_EQ)) {
    auto [from, to] = map.split('=');
    result.prefixMap.emplace_back(from, to);
  }
  return Error::success();
}

static Error readDebugOptions(const opt::ArgList &args,
                              AssemblerOptions &result) {
  result.mainFile = args.getLastArgValue(opts::OPT_main_file_name);
  result.directory = args.getLastArgValue(opts::OPT_fdebug_compilation_dir_EQ);
  result.debugProducer = args.getLastArgValue(opts::OPT_dwarf_debug_producer);
  result.debugFlags = args.getLastArgValue(opts::OPT_dwarf_debug_flags);
  result.makesDebugInfo = args.hasArg(opts::OPT_debug_info_kind_EQ);
  result.target.Dwarf64 = args.hasArg(opts::OPT_gdwarf64);
  StringRef version = args.getLastArgValue(opts::OPT_dwarf_version_EQ, "0");
  if (version.getAsInteger(10, result.dwarfVersion))
    return makeError("invalid DWARF version '" + version + "'");
  using Compression = DebugCompressionType;
  StringRef name =
      args.getLastArgValue(opts::OPT_compress_debug_sections_EQ, "none");
  auto compression = StringSwitch<std::optional<Compression>>(name)
                         .Case("none", Compression::None)
                         .Case("zlib", Compression::Zlib)
                         .Case("zstd", Compression::Zstd)
                         .Default(std::nullopt);
  if (!compression)
    return makeError("invalid compression of debug sections '" + name + "'");
  result.target.CompressDebugSections = *compression;
  return readDefinitions(args, result);
}

static void readCodeOptions(const opt::ArgList &args,
                            AssemblerOptions &result) {
  result.triple =
      Triple(Triple::normalize(args.getLastArgValue(opts::OPT_triple)));
  result.cpu = args.getLastArgValue(opts::OPT_target_cpu);
  result.features = join(args.getAllArgValues(opts::OPT_target_feature), ",");
  result.includePaths = args.getAllArgValues(opts::OPT_I);
  result.isPositionIndependent =
      args.getLastArgValue(opts::OPT_mrelocation_model, "pic") == "pic";
  MCTargetOptions &target = result.target;
  target.MCNoExecStack = args.hasArg(opts::OPT_mno_exec_stack);
  target.MCFatalWarnings = args.hasArg(opts::OPT_massembler_fatal_warnings);
  target.MCNoWarn = args.hasArg(opts::OPT_massembler_no_warn);
  target.MCRelaxAll = args.hasArg(opts::OPT_mrelax_all);
  target.MCSaveTempLabels = args.hasArg(opts::OPT_msave_temp_labels);
  target.X86RelaxRelocations = !args.hasArg(opts::OPT_mrelax_relocations_no);
  target.X86Sse2Avx = args.hasArg(opts::OPT_msse2avx);
  target.Crel = args.hasArg(opts::OPT_crel);
  target.ABIName = args.getLastArgValue(opts::OPT_target_abi);
  // Names in debug information of formats that no object here has.
  args.claimAllArgs(opts::OPT_object_file_name_EQ, opts::OPT_object_file_name,
                    opts::OPT_tune_cpu, opts::OPT_debugger_tuning_EQ);
}

/// Errors: options that are unknown, malformed, or not for an object.
static Expected<AssemblerOptions> readOptions(ArrayRef<const char *> words) {
  unsigned missingIndex = 0, missingCount = 0;
  opt::InputArgList args = clang::getDriverOptTable().ParseArgs(
      words, missingIndex, missingCount, opt::Visibility(opts::CC1AsOption));
  if (missingCount)
    return makeError("argument to '" +
                     StringRef(args.getArgString(missingIndex)) +
                     "' is missing");
  AssemblerOptions result;
  readCodeOptions(args, result);
  if (Error error = readDebugOptions(args, result))
    return std::move(error);
  result.output = args.getLastArgValue(opts::OPT_o, "-");
  if (args.getLastArgValue(opts::OPT_filetype, "obj") != "obj")
    return makeError("it makes objects only");
  std::vector<std::string> inputs = args.getAllArgValues(opts::OPT_INPUT);
  if (inputs.size() != 1)
    return makeError("expected one source");
  result.input = inputs.front();
  std::vector<std::string> llvmOptions = args.getAllArgValues(opts::OPT_mllvm);
  std::vector<const char *> llvmWords = {"clang (LLVM option parsing)"};
  for (const std::string &option : llvmOptions)
    llvmWords.push_back(option.c_str());
  if (!llvmOptions.empty())
    cl::ParseCommandLineOptions(static_cast<int>(llvmWords.size()),
                                llvmWords.data());
  for (const opt::Arg *arg : args)
    if (!arg->isClaimed())
      return makeError("unknown argument '" + arg->getAsString(args) + "'");
  return result;
}

/// Tells \p context what is not in the source itself.
static void describe(MCContext &context, const AssemblerOptions &options,
                     StringRef source) {
  context.setGenDwarfForAssembly(options.makesDebugInfo);
  if (!options.debugFlags.empty())
    context.setDwarfDebugFlags(options.debugFlags);
  if (!options.debugProducer.empty())
    context.setDwarfDebugProducer(options.debugProducer);
  if (!options.directory.empty())
    context.setCompilationDir(options.directory);
  for (const auto &[from, to] : options.prefixMap)
    context.addDebugPrefixMapEntry(from, to);
  if (!options.mainFile.empty())
    context.setMainFileName(options.mainFile);
  context.setDwarfFormat(options.target.Dwarf64 ? dwarf::DWARF64
                                                : dwarf::DWARF32);
  if (options.dwarfVersion)
    context.setDwarfVersion(options.dwarfVersion);
  if (options.makesDebugInfo)
    context.setGenDwarfRootFile(options.input, source);
}

static void define(MCContext &context, MCStreamer &streamer,
                   ArrayRef<std::string> definitions) {
  for (StringRef definition : definitions) {
    auto [name, value] = definition.split('=');
    int64_t number = 0;
    value.getAsInteger(0, number); // readDefinitions has seen that it is one
    context.setSymbolValue(streamer, name, number);
  }
}

/// Writes the object of \p sources to \p out. Returns whether all went well;
/// messages are printed.
static bool assemble(const AssemblerOptions &options, const Target &target,
                     SourceMgr &sources, raw_pwrite_stream &out) {
  const Triple &triple = options.triple;
  std::unique_ptr<MCRegisterInfo> registers(target.createMCRegInfo(triple));
  std::unique_ptr<MCAsmInfo> asmInfo(
      target.createMCAsmInfo(*registers, triple, options.target));
  std::unique_ptr<MCSubtargetInfo> subtarget(
      target.createMCSubtargetInfo(triple, options.cpu, options.features));
  std::unique_ptr<MCInstrInfo> instructions(target.createMCInstrInfo());
  if (!subtarget) {
    errs() << "error: unknown target CPU '" << options.cpu << "'\n";
    return false;
  }
  MCContext context(triple, asmInfo.get(), registers.get(), subtarget.get(),
                    &sources, &options.target);
  std::unique_ptr<MCObjectFileInfo> sections(
      target.createMCObjectFileInfo(context, options.isPositionIndependent));
  context.setObjectFileInfo(sections.get());
  describe(context, options,
           sources.getMemoryBuffer(sources.getMainFileID())->getBuffer());
  std::unique_ptr<MCAsmBackend> backend(
      target.createMCAsmBackend(*subtarget, *registers, options.target));
  std::unique_ptr<MCObjectWriter> writer = backend->createObjectWriter(out);
  std::unique_ptr<MCCodeEmitter> emitter(
      target.createMCCodeEmitter(*instructions, context));
  std::unique_ptr<MCStreamer> streamer(target.createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer),
      std::move(emitter), *subtarget));
  std::unique_ptr<MCAsmParser> parser(
      createMCAsmParser(sources, context, *streamer, *asmInfo));
  std::unique_ptr<MCTargetAsmParser> targetParser(target.createMCAsmParser(
      *subtarget, *parser, *instructions, options.target));
  parser->setTargetParser(*targetParser);
  define(context, *streamer, options.definitions);
  return !parser->Run(/*NoInitialTextSection=*/false);
}

/// Assembles into memory, so that an error leaves no output.
static Error assembleFile(const AssemblerOptions &options, bool &good) {
  std::string why;
  const Target *target = TargetRegistry::lookupTarget(options.triple, why);
  if (!target)
    return makeError(why);
  auto source = MemoryBuffer::getFileOrSTDIN(options.input, /*IsText=*/true);
  if (!source)
    return makeError(options.input + ": " + source.getError().message());
  SourceMgr sources;
  sources.setVirtualFileSystem(vfs::getRealFileSystem());
  sources.setIncludeDirs(options.includePaths);
  sources.AddNewSourceBuffer(std::move(*source), SMLoc());
  SmallString<0> object;
  raw_svector_ostream out(object);
  good = assemble(options, *target, sources, out);
  if (!good)
    return Error::success();
  return writeToOutput(options.output, [&](raw_ostream &file) {
    file << object;
    return Error::success();
  });
}

int runAssembler(ArrayRef<const char *> words) {
  InitializeAllTargetInfos();
  InitializeAllTargetMCs();
  InitializeAllAsmParsers();
  Expected<AssemblerOptions> options = readOptions(words);
  bool good = false;
  Error failure = options ? assembleFile(*options, good) : options.takeError();
  if (!failure)
    return good ? 0 : 1;
  errs() << "error: " << toString(std::move(failure)) << '\n';
  return 1;
}

} // namespace gpulto::driver
