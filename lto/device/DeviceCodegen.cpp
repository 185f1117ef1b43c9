//===- DeviceCodegen.cpp - Optimize a device module, make PTX -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Of gpucc's passes, SeparateConstOffsetFromGEP, StraightLineStrengthReduce,
// NaryReassociate and EarlyCSE run in NVPTX's own code generation, after
// unrolling, the second behind our DeviceDistances and not in large functions;
// InferAddressSpaces runs there and in lto/device/DevicePipeline.
//
// ptxas is called without -c: with launch bounds it raises the number of
// registers, and nvlink does not lower it again. A partition that nvlink joins
// with others is assembled with -ewp instead, or with -c if it has constant
// memory.
//
// Source: J. Wu et al., "gpucc: An Open-Source GPGPU Compiler", CGO 2016.
//
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceCodegen.h"

#include "ipa/plans/ConstantsTransform.h"
#include "ipa/runtime/KernelAnnotations.h"
#include "lto/codegen/Optimizer.h"
#include "lto/codegen/TargetLibraries.h"
#include "lto/device/DeviceAccesses.h"
#include "lto/device/DeviceAssembly.h"
#include "lto/device/DeviceAtomics.h"
#include "lto/device/DeviceDistances.h"
#include "lto/device/DeviceReductions.h"
#include "lto/device/DeviceRematerialize.h"
#include "lto/lgen/ManagedVariables.h"
#include "lto/ptx/PtxStores.h"
#include "support/Error.h"
#include "support/LargePages.h"
#include "support/Subprocess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/VersionTuple.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <map>
#include <optional>

using namespace llvm;

namespace gpulto {

/// Returns the newest PTX version ("+ptx85") that a function was compiled for;
/// 0 when none says.
static unsigned ptxVersion(const Module &module) {
  unsigned newest = 0;
  for (const Function &function : module) {
    StringRef features =
        function.getFnAttribute("target-features").getValueAsString();
    for (StringRef feature : split(features, ',')) {
      unsigned version = 0;
      if (feature.consume_front("+ptx") && !feature.getAsInteger(10, version))
        newest = std::max(newest, version);
    }
  }
  return newest;
}

Expected<std::unique_ptr<TargetMachine>>
createDeviceMachine(const Module &module, StringRef arch, unsigned optLevel) {
  std::string message;
  const Triple &triple = module.getTargetTriple();
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return makeError(message);
  std::string features;
  if (unsigned version = ptxVersion(module))
    features = "+ptx" + utostr(version);
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Fast; // see pinRounding
  // At the highest level, GVN takes the place of EarlyCSE: a sixth of code
  // generation for ggml's kernels, whose code it left as it was.
  CodeGenOptLevel level =
      std::min(toCodegenLevel(optLevel), CodeGenOptLevel::Default);
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, arch, features, options, std::nullopt, std::nullopt, level));
  if (!machine)
    return makeError("no code generator for " + triple.str());
  if (!machine->getMCSubtargetInfo()->isCPUStringValid(arch))
    return makeError("this LLVM does not know the architecture " + arch);
  return machine;
}

//===----------------------------------------------------------------------===//
// Fused multiply-add
//===----------------------------------------------------------------------===//
//
// Code generation has one switch for a whole module: fuse everything, or only
// what is marked, and then each unmarked operation is written as `add.rn`,
// which ptxas does not fuse. Plain CUDA compiles fuse everything. A partition
// may hold units of both kinds, so everything is fused, in every partition, and
// operations that must not be are written in a way that says so. Those of units
// that fuse everything are marked (markContraction in
// lto/partition/LtransModule).

static bool isContractible(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
    return true;
  default:
    return false;
  }
}

/// Returns the intrinsic for a scalar operation that is rounded by itself.
static Intrinsic::ID roundedIntrinsic(bool isMultiplication, bool isDouble,
                                      bool flushes) {
  if (isMultiplication)
    return isDouble  ? Intrinsic::nvvm_mul_rn_d
           : flushes ? Intrinsic::nvvm_mul_rn_ftz_f
                     : Intrinsic::nvvm_mul_rn_f;
  return isDouble  ? Intrinsic::nvvm_add_rn_d
         : flushes ? Intrinsic::nvvm_add_rn_ftz_f
                   : Intrinsic::nvvm_add_rn_f;
}

/// Returns whether \p function flushes single-precision denormals to zero.
static bool flushesDenormals(const Function &function) {
  return function.getDenormalMode(APFloat::IEEEsingle()).Output ==
         DenormalMode::PreserveSign;
}

namespace {
/// Writes operations of scalars so that each is rounded by itself.
class RoundedOperations {
public:
  RoundedOperations(unsigned smVersion, bool flushes)
      : smVersion(smVersion), flushes(flushes) {}

  /// Returns \p left OP \p right; vectors element by element.
  Value *make(IRBuilder<> &builder, unsigned opcode, Value *left,
              Value *right) const;

private:
  Value *makeHalf(IRBuilder<> &builder, unsigned opcode, Value *left,
                  Value *right) const;

  unsigned smVersion;
  bool flushes;
};
} // namespace

/// Numbers of 16 bits have no intrinsics, but instructions.
Value *RoundedOperations::makeHalf(IRBuilder<> &builder, unsigned opcode,
                                   Value *left, Value *right) const {
  bool isBrain = left->getType()->isBFloatTy();
  std::string text = opcode == Instruction::FMul   ? "mul.rn"
                     : opcode == Instruction::FSub ? "sub.rn"
                                                   : "add.rn";
  text += isBrain ? ".bf16" : flushes ? ".ftz.f16" : ".f16";
  Type *word = builder.getInt16Ty();
  auto *assembly =
      InlineAsm::get(FunctionType::get(word, {word, word}, /*isVarArg=*/false),
                     text + " $0, $1, $2;", "=h,h,h", /*hasSideEffects=*/false);
  CallInst *result =
      builder.CreateCall(assembly, {builder.CreateBitCast(left, word),
                                    builder.CreateBitCast(right, word)});
  result->setDoesNotAccessMemory();
  result->setDoesNotThrow();
  return builder.CreateBitCast(result, left->getType());
}

Value *RoundedOperations::make(IRBuilder<> &builder, unsigned opcode,
                               Value *left, Value *right) const {
  constexpr unsigned kBrainArithmetic = 90; // sm_90 has it; else in `float`
  if (auto *type = dyn_cast<FixedVectorType>(left->getType())) {
    Value *result = PoisonValue::get(type);
    for (unsigned i = 0; i < type->getNumElements(); ++i)
      result = builder.CreateInsertElement(
          result,
          make(builder, opcode, builder.CreateExtractElement(left, i),
               builder.CreateExtractElement(right, i)),
          i);
    return result;
  }
  Type *type = left->getType();
  if (type->isHalfTy() || (type->isBFloatTy() && smVersion >= kBrainArithmetic))
    return makeHalf(builder, opcode, left, right);
  if (type->isBFloatTy())
    return builder.CreateFPTrunc(
        make(builder, opcode, builder.CreateFPExt(left, builder.getFloatTy()),
             builder.CreateFPExt(right, builder.getFloatTy())),
        type);
  if (opcode == Instruction::FSub)
    right = builder.CreateFNeg(right);
  Intrinsic::ID id = roundedIntrinsic(opcode == Instruction::FMul,
                                      type->isDoubleTy(), flushes);
  return builder.CreateIntrinsic(id, {}, {left, right});
}

/// Returns 90 of sm_90a.
static unsigned smVersionOf(StringRef arch) {
  unsigned smVersion = 0;
  arch.consume_front("sm_");
  arch.consumeInteger(10, smVersion);
  return smVersion;
}

/// Keeps unmarked operations of \p module from being fused.
static void pinRounding(Module &module, unsigned smVersion) {
  for (Function &function : module) {
    RoundedOperations rounded(smVersion, flushesDenormals(function));
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      if (!isContractible(instruction) || instruction.hasAllowContract())
        continue;
      IRBuilder<> builder(&instruction);
      instruction.replaceAllUsesWith(
          rounded.make(builder, instruction.getOpcode(),
                       instruction.getOperand(0), instruction.getOperand(1)));
      instruction.eraseFromParent();
    }
  }
}

//===----------------------------------------------------------------------===//
// Line tables
//===----------------------------------------------------------------------===//

/// Makes every compile unit one that gives .loc and .file directives and
/// nothing else. DWARF sections in PTX would have to be joined when partitions
/// are, and optimized device code is debugged by lines.
static void keepLineTablesOnly(Module &module) {
  NamedMDNode *units = module.getNamedMetadata("llvm.dbg.cu");
  if (!units)
    return;
  DebugInfoFinder finder;
  finder.processModule(module);
  std::map<DICompileUnit *, DICompileUnit *> replaced;
  std::vector<DICompileUnit *> kept;
  for (MDNode *node : units->operands()) {
    auto *unit = cast<DICompileUnit>(node);
    DICompileUnit *lines = unit;
    if (unit->getEmissionKind() == DICompileUnit::FullDebug ||
        unit->getEmissionKind() == DICompileUnit::LineTablesOnly)
      lines = DICompileUnit::getDistinct(
          module.getContext(), unit->getSourceLanguage(), unit->getFile(),
          unit->getProducer(), unit->isOptimized(), unit->getFlags(),
          unit->getRuntimeVersion(), unit->getSplitDebugFilename(),
          DICompileUnit::DebugDirectivesOnly, nullptr, nullptr, nullptr,
          nullptr, nullptr, unit->getDWOId(), unit->getSplitDebugInlining(),
          unit->getDebugInfoForProfiling(), unit->getNameTableKind(),
          unit->getRangesBaseAddress(), unit->getSysRoot(), unit->getSDK());
    replaced[unit] = lines;
    kept.push_back(lines);
  }
  units->clearOperands();
  for (DICompileUnit *unit : kept)
    units->addOperand(unit);
  for (DISubprogram *subprogram : finder.subprograms())
    if (auto found = replaced.find(subprogram->getUnit());
        found != replaced.end())
      subprogram->replaceUnit(found->second);
}

/// Returns 1 / \p divisor if both are known normal numbers, or null.
static Constant *reciprocal(const Value *divisor) {
  auto *constant = dyn_cast<ConstantFP>(divisor);
  if (!constant || !constant->getValueAPF().isNormal())
    return nullptr;
  APFloat inverse(constant->getValueAPF().getSemantics(), 1);
  inverse.divide(constant->getValueAPF(), APFloat::rmNearestTiesToEven);
  return inverse.isNormal() ? ConstantFP::get(divisor->getType(), inverse)
                            : nullptr;
}

/// Where the source lets single-precision numbers be divided approximately
/// (`afn`), a constant divisor becomes a factor; LLVM does the rest.
static void multiplyByReciprocals(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      if (instruction.getOpcode() != Instruction::FDiv ||
          !instruction.getType()->isFloatTy() || !instruction.hasApproxFunc())
        continue;
      Constant *factor = reciprocal(instruction.getOperand(1));
      if (!factor)
        continue;
      IRBuilder<> builder(&instruction);
      builder.setFastMathFlags(instruction.getFastMathFlags());
      instruction.replaceAllUsesWith(
          builder.CreateFMul(instruction.getOperand(0), factor));
      instruction.eraseFromParent();
    }
}

Expected<std::string> emitPtx(Module &module, TargetMachine &machine,
                              std::vector<MemoryRow> *accesses) {
  TimeTraceScope trace("Generate PTX");
  bool isOptimized = machine.getOptLevel() != CodeGenOptLevel::None;
  if (accesses && !isOptimized)
    reportPlainAccesses(module, machine, *accesses);
  multiplyByReciprocals(module);
  for (Function &function : module)
    dropInferredNoAlias(function);
  unsigned smVersion = smVersionOf(machine.getTargetCPU());
  pinRounding(module, smVersion);
  lowerAtomics(module, smVersion);
  declareManaged(module);
  if (module.getNamedMetadata("llvm.dbg.cu")) {
    stripNonLineTableDebugInfo(module);
    keepLineTablesOnly(module);
  }
  SmallString<0> text;
  raw_svector_ostream stream(text);
  ReductionGate gate(module.getContext());
  legacy::PassManager passes;
  addTargetLibraries(passes, module, machine);
  auto adapt = [&](TargetPassConfig &config) {
    // Behind MachineLICM and MachineCSE, which would undo it.
    config.insertPass(&PeepholeOptimizerLegacyID, createRematerializePass());
    if (accesses && isOptimized)
      insertAccessReport(config, machine, *accesses);
    if (isOptimized) {
      insertAssemblyOffsets(config);
      insertSharing(config);
      insertReductionGate(config, gate);
    }
  };
  if (addCodegenPasses(machine, passes, stream, CodeGenFileType::AssemblyFile,
                       adapt))
    return makeError("no assembly text for " + machine.getTargetTriple().str());
  passes.run(module);
  return takeBitsOfNumbers(text);
}

//===----------------------------------------------------------------------===//
// ptxas
//===----------------------------------------------------------------------===//

Expected<ProcessResult> runTool(StringRef program,
                                ArrayRef<std::string> arguments,
                                StringRef directory,
                                const ToolOptions &options) {
  ProcessOptions process;
  process.cwd = directory.str();
  process.ownGroup = options.ownGroup;
  process.timeoutSeconds = options.timeoutSeconds;
  process.timeoutAdvice = "--gpulto-tool-timeout=SECONDS sets the limit";
  askForLargePages(process.environment);
  return runProcess(program, arguments, process);
}

/// Whether a section of type \p type has no bytes in the file. Cubins that are
/// to be linked have types of NVIDIA's own for what is not initialized:
/// .nv.global, .nv.local, .nv.shared and .nv.shared.reserved (as ptxas 13.0
/// writes them).
static bool hasNoBytes(uint32_t type) {
  return type == ELF::SHT_NOBITS || type == ELF::SHT_LOPROC + 0x7 ||
         type == ELF::SHT_LOPROC + 0x9 || type == ELF::SHT_LOPROC + 0xa ||
         type == ELF::SHT_LOPROC + 0x15;
}

std::string findCubinDamage(StringRef cubin, StringRef directory) {
  std::string damage;
  auto check = [&]() -> Error {
    if (!cubin.starts_with(ELF::ElfMagic))
      return makeError("wrote no ELF file");
    auto file = object::ELF64LEFile::create(cubin);
    if (!file)
      return file.takeError();
    auto sections = file->sections();
    if (!sections)
      return sections.takeError();
    for (const auto &section : *sections)
      if (!hasNoBytes(section.sh_type))
        if (auto contents = file->getSectionContents(section); !contents)
          return contents.takeError();
    auto segments = file->program_headers(); // behind the sections
    if (!segments)
      return segments.takeError();
    for (const auto &segment : *segments)
      if (auto contents = file->getSegmentContents(segment); !contents)
        return contents.takeError();
    return Error::success();
  };
  if (Error error = check())
    damage = toString(std::move(error));
  ErrorOr<sys::fs::space_info> space = sys::fs::disk_space(directory);
  constexpr uint64_t kNothing = 4096;
  if (!damage.empty() && space && space->available < kNothing)
    damage += " (No space left on device)";
  return damage;
}

/// Whether \p ptx names variables in constant memory, its own or others'.
static bool hasConstantVariables(StringRef ptx) {
  for (StringRef line : split(ptx, '\n'))
    if (line.starts_with(".") &&
        line.take_until([](char c) { return c == '=' || c == '['; })
            .contains(".const "))
      return true;
  return false;
}

/// Returns the option by which ptxas makes a cubin that is linked; "" if it is
/// not. With -ewp (of 13.0) each access to a constant is to where the constant
/// is in this cubin alone, and nvlink moves all but the first cubin's.
static StringRef linkingOption(StringRef ptx,
                               const DeviceCodegenOptions &options) {
  if (options.open || (options.relocatable && hasConstantVariables(ptx)))
    return "-c";
  return options.relocatable ? "-ewp" : "";
}

/// Whether \p ptx says which lines its instructions come from.
static bool hasLines(StringRef ptx) {
  return ptx.contains("\n\t.loc\t") || ptx.contains("\n.loc\t");
}

/// Returns \p ptx with a time and a size of each source file. Where PTX has
/// none, ptxas looks at the file, if it is still there, and a link would depend
/// on when a source was written. A time of 0 is none, too.
static std::string withFileTimes(StringRef ptx) {
  std::string result;
  result.reserve(ptx.size());
  for (StringRef rest = ptx; !rest.empty();) {
    StringRef line = rest.take_until([](char c) { return c == '\n'; });
    rest = rest.drop_front(line.size());
    result += line;
    StringRef text = line.trim();
    if (text.starts_with(".file") && text.ends_with("\""))
      result += ", 1, 0";
    if (rest.consume_front("\n"))
      result += '\n';
  }
  return result;
}

/// Assembles \p ptx as it is, but for times of source files; see assemblePtx.
static Expected<AssembledPtx> assembleText(StringRef ptx, StringRef arch,
                                           const DeviceCodegenOptions &options,
                                           unsigned optLevel) {
  TimeTraceScope trace("ptxas");
  if (options.ptxas.empty())
    return makeError("a cubin is wanted, but the job names no ptxas");
  Expected<TempDir> directory = TempDir::create("gpulto-ptxas");
  if (!directory)
    return directory.takeError();
  // ptxas writes its command into the cubin: the names must not vary.
  static constexpr StringLiteral kInput = "device.ptx",
                                 kOutput = "device.cubin";
  bool isLocated = hasLines(ptx);
  std::string timed = isLocated ? withFileTimes(ptx) : "";
  if (Error error = writeFileAtomically(directory->file(kInput),
                                        isLocated ? StringRef(timed) : ptx))
    return error;
  static const char *const kLevels[] = {"-O0", "-O1", "-O3", "-O3"};
  std::vector<std::string> arguments = {kLevels[std::min(optLevel, 3u)],
                                        ("-arch=" + arch).str(), "-v"};
  if (StringRef option = linkingOption(ptx, options); !option.empty())
    arguments.push_back(option.str());
  if (isLocated)
    arguments.push_back("-lineinfo");
  append_range(arguments, options.ptxasArguments);
  append_range(arguments,
               ArrayRef<std::string>{kInput.str(), "-o", kOutput.str()});
  Expected<ProcessResult> result =
      runTool(options.ptxas, arguments, directory->path(), options.tool);
  if (!result)
    return result.takeError();
  StringRef messages = result->errors;
  if (messages.contains("ignoring extern qualifier"))
    return makeError("ptxas would not share a variable\n  command: " +
                     shellQuote(options.ptxas, arguments) + "\n" +
                     messages.rtrim());
  auto cubin = MemoryBuffer::getFile(directory->file(kOutput));
  if (!cubin)
    return makeError("ptxas succeeded, but its cubin cannot be read (" +
                     cubin.getError().message() +
                     ")\n  command: " + shellQuote(options.ptxas, arguments));
  std::string damage =
      findCubinDamage((*cubin)->getBuffer(), directory->path());
  if (!damage.empty())
    return makeError("ptxas succeeded, but " + damage +
                     "\n  command: " + shellQuote(options.ptxas, arguments));
  return AssembledPtx{std::nullopt, (*cubin)->getBuffer().str(),
                      std::move(result->errors)};
}

/// Returns the newest version of PTX that ptxas asks for in \p messages:
///   Feature 'add.s8x4' requires PTX ISA .version 9.2 or later
static VersionTuple neededPtx(StringRef messages) {
  constexpr StringLiteral kNeeds = "requires PTX ISA .version ";
  VersionTuple newest;
  while (messages.contains(kNeeds)) {
    messages = messages.split(kNeeds).second;
    VersionTuple version;
    if (!version.tryParse(messages.take_until(isSpace)))
      newest = std::max(newest, version);
  }
  return newest;
}

/// Returns \p ptx with \p version, if that is newer than its own.
static std::optional<std::string> raisePtx(StringRef ptx,
                                           const VersionTuple &version) {
  constexpr StringLiteral kDirective = ".version ";
  size_t at = ptx.find(kDirective);
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef head = ptx.take_front(at + kDirective.size());
  StringRef own = ptx.drop_front(head.size()).take_until(isSpace);
  VersionTuple old;
  if (old.tryParse(own) || version <= old)
    return std::nullopt;
  return (head + version.getAsString() +
          ptx.drop_front(head.size() + own.size()))
      .str();
}

// LLVM writes the version that it generates code for. Inline assembly, of which
// it knows nothing, may need a newer one; nvcc names the newest that it knows,
// which drivers older than the toolkit refuse to compile.
Expected<AssembledPtx> assemblePtx(StringRef ptx, StringRef arch,
                                   const DeviceCodegenOptions &options,
                                   unsigned optLevel) {
  auto assembled = assembleText(ptx, arch, options, optLevel);
  std::optional<std::string> raised;
  while (!assembled) {
    std::string messages = toString(assembled.takeError());
    std::optional<std::string> next =
        raisePtx(raised ? *raised : ptx, neededPtx(messages));
    if (!next)
      return makeError(messages);
    raised = std::move(next);
    assembled = assembleText(*raised, arch, options, optLevel);
  }
  assembled->ptx = std::move(raised);
  return assembled;
}

} // namespace gpulto
