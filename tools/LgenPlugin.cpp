//===- LgenPlugin.cpp - LGEN inside clang ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The pass plugin that gpulto-clang++ passes to clang:
//
//   -fplugin=SO -fpass-plugin=SO -mllvm -gpulto-summary-out=FILE
//   and for a device compile -mllvm -gpulto-arch=ARCH
//
// Where it runs, and what it does there:
//
//  PipelineStart   host: kernel stubs become noinline, so that a launch stays a
//                  call of the stub beside its configuration, each gets a word
//                  of its own, and launches in several places are not joined;
//                  without -fgpu-rdc, what is registered is confined to the
//                  program. Device: names that clang changed midway are joined,
//                  and what the C++ runtime would have is defined. Both: debug
//                  info loses the checksums of sources.
//  OptimizerLast   first call, the end of the pre-link pipeline: a launch that
//                  chooses its block becomes one for each; the passes
//                  that clang runs between here and the bitcode writer
//                  (aliases, names) run now; then the module is summarized and
//                  FILE is written. Device: __nvvm_reflect is resolved and the
//                  module flag nvvm-reflect-ftz dropped, because modules that
//                  disagree on it cannot be linked. Host: a module with kernels
//                  gets the guard, a reference that no link but ours can do
//                  without; it is in the bitcode, too, for links by stock LLVM.
//                  What inline assembly names is declared. Lines that nobody
//                  has asked for are dropped, but those of some loops. With
//                  -gpulto-trace-host host code tells what it accesses.
//                  second call (after the bitcode has been embedded): nothing.
//  OptimizerEarly  second call, with -gpulto-slim: only the symbol table is
//                  wanted of what follows, so bodies are dropped.
//
// With -disable-llvm-passes nothing runs and no file is written; the driver
// reports this.
//
//===----------------------------------------------------------------------===//

#include "fatobj/Format.h"
#include "ipa/bodies/Identities.h"
#include "ipa/bodies/SourcePlaces.h"
#include "ipa/runtime/OffloadEntries.h"
#include "lto/device/DeviceUnrolling.h"
#include "lto/lgen/AssemblyDeclarations.h"
#include "lto/lgen/LaunchChoices.h"
#include "lto/lgen/Lgen.h"
#include "lto/lgen/ManagedVariables.h"
#include "lto/lgen/ModuleRepair.h"
#include "lto/lgen/SourceChecksums.h"
#include "lto/lgen/TraceHost.h"
#include "summary/SummaryFormat.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/CanonicalizeAliases.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/NameAnonGlobals.h"

#include <optional>
#include <utility>

using namespace gpulto;

namespace {

// LLVM's way of giving a plugin an option; set once, while clang starts.
llvm::cl::opt<std::string> summaryPath(
    "gpulto-summary-out", llvm::cl::value_desc("file"),
    llvm::cl::desc("Write gpulto's summary of the module to <file>"));

// A module without functions does not say for which architecture it is.
llvm::cl::opt<std::string>
    archName("gpulto-arch", llvm::cl::value_desc("arch"),
             llvm::cl::desc("The device architecture of this compile"));

llvm::cl::opt<bool>
    isSlim("gpulto-slim",
           llvm::cl::desc("The object is to have symbols but no native code"));

// clang maps paths in debug information and macros, but not this name, which
// stands in bitcode, in the symbol table and in summaries.
llvm::cl::opt<std::string>
    sourceName("gpulto-source-name", llvm::cl::value_desc("name"),
               llvm::cl::desc("What objects call the source"));

llvm::cl::opt<bool> isWholeProgramMode(
    "gpulto-no-rdc",
    llvm::cl::desc("The unit's device symbols are not for other units"));

llvm::cl::opt<unsigned> registerLimit(
    "gpulto-register-limit", llvm::cl::value_desc("N"),
    llvm::cl::desc("The most registers of a thread of the unit's kernels"));

llvm::cl::opt<bool> isWithoutLines(
    "gpulto-drop-lines",
    llvm::cl::desc("Debug information is only there for LGEN to look at"));

llvm::cl::opt<bool>
    isHostTraced("gpulto-trace-host",
                 llvm::cl::desc("Host code is to tell what it accesses"));

constexpr llvm::StringLiteral kFtzFlag = "nvvm-reflect-ftz";
constexpr llvm::StringLiteral kGuardSection = ".gpulto.guard";

bool isDevice(const llvm::Module &module) {
  return llvm::Triple(module.getTargetTriple()).isNVPTX();
}

bool hasSection(const llvm::Module &module, llvm::StringRef section) {
  return llvm::any_of(module.globals(), [&](const llvm::GlobalVariable &v) {
    return v.getSection() == section;
  });
}

/// Keeps launches recognizable; see the head of this file.
struct KeepStubsPass : llvm::PassInfoMixin<KeepStubsPass> {
  llvm::PreservedAnalyses run(llvm::Module &module,
                              llvm::ModuleAnalysisManager &) {
    if (isDevice(module))
      return llvm::PreservedAnalyses::all();
    bool changed = makeStubsUnique(module);
    changed |= keepLaunchesApart(module);
    for (llvm::Function &function : module) {
      if (function.isDeclaration() || !isStubName(function.getName()))
        continue;
      function.removeFnAttr(llvm::Attribute::AlwaysInline);
      function.removeFnAttr(llvm::Attribute::InlineHint);
      function.addFnAttr(llvm::Attribute::NoInline);
      changed = true;
    }
    return changed ? llvm::PreservedAnalyses::none()
                   : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

/// Repairs what clang leaves wrong.
struct RepairPass : llvm::PassInfoMixin<RepairPass> {
  llvm::PreservedAnalyses run(llvm::Module &module,
                              llvm::ModuleAnalysisManager &) {
    bool changed = sortExternallyUsed(module);
    if (isDevice(module)) {
      changed |= markManaged(module);
      changed |= joinRenamed(module);
      changed |= definePureVirtual(module);
      changed |= declareNvccAttributes(module);
      if (registerLimit)
        changed |= limitRegisters(module, registerLimit);
      changed |= replaceVideoInstructions(module);
      changed |= dropNeedlessConvergence(module);
    } else {
      changed |= pointToManaged(module);
      changed |= placeByPragmas(module);
      changed |= doubtForeignConstants(module);
      if (isWholeProgramMode)
        changed |= confineRegistered(module);
    }
    return changed ? llvm::PreservedAnalyses::none()
                   : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct DropSourceChecksumsPass : llvm::PassInfoMixin<DropSourceChecksumsPass> {
  llvm::PreservedAnalyses run(llvm::Module &module,
                              llvm::ModuleAnalysisManager &) {
    return dropSourceChecksums(module) ? llvm::PreservedAnalyses::none()
                                       : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

/// The value of `__nvvm_reflect(name)` in this module.
uint64_t reflectedValue(const llvm::Module &module,
                        const llvm::Function &caller, llvm::StringRef name) {
  if (name == "__CUDA_FTZ") {
    auto *flag = llvm::mdconst::extract_or_null<llvm::ConstantInt>(
        module.getModuleFlag(kFtzFlag));
    return flag ? flag->getZExtValue() : 0;
  }
  if (name == "__CUDA_ARCH") {
    llvm::StringRef cpu =
        caller.getFnAttribute("target-cpu").getValueAsString();
    unsigned version = 0;
    constexpr unsigned kArchPerVersion = 10;
    if (cpu.consume_front("sm_") && !cpu.consumeInteger(10, version))
      return version * kArchPerVersion;
  }
  return 0;
}

/// Resolves what is left of __nvvm_reflect (clang's own pass has run early)
/// and drops the flag that it reads.
bool resolveReflection(llvm::Module &module) {
  bool changed = false;
  for (llvm::StringRef name : {"__nvvm_reflect", "llvm.nvvm.reflect"}) {
    llvm::Function *reflect = module.getFunction(name);
    if (!reflect)
      continue;
    for (llvm::User *user : llvm::make_early_inc_range(reflect->users())) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(user);
      if (!call || call->getCalledOperand() != reflect)
        continue;
      auto *text = llvm::dyn_cast<llvm::GlobalVariable>(
          call->getArgOperand(0)->stripPointerCasts());
      auto *characters = text && text->hasInitializer()
                             ? llvm::dyn_cast<llvm::ConstantDataSequential>(
                                   text->getInitializer())
                             : nullptr;
      if (!characters || !characters->isCString())
        continue;
      call->replaceAllUsesWith(llvm::ConstantInt::get(
          call->getType(), reflectedValue(module, *call->getFunction(),
                                          characters->getAsCString())));
      call->eraseFromParent();
      changed = true;
    }
    if (!reflect->use_empty())
      return changed;
  }
  llvm::NamedMDNode *flags = module.getModuleFlagsMetadata();
  if (!flags)
    return changed;
  llvm::SmallVector<llvm::MDNode *, 8> kept;
  for (llvm::MDNode *flag : flags->operands()) {
    auto *key = llvm::dyn_cast<llvm::MDString>(flag->getOperand(1));
    if (!key || key->getString() != kFtzFlag)
      kept.push_back(flag);
  }
  if (kept.size() == flags->getNumOperands())
    return changed;
  flags->clearOperands();
  for (llvm::MDNode *flag : kept)
    flags->addOperand(flag);
  return true;
}

/// Adds the guard to a host module with kernels or device variables. Our links
/// move neither it nor what it refers to (kRegistration).
void addGuard(llvm::Module &module) {
  llvm::Type *byte = llvm::Type::getInt8Ty(module.getContext());
  auto *symbol = llvm::cast<llvm::GlobalVariable>(
      module.getOrInsertGlobal(kGuardSymbol, byte));
  symbol->setVisibility(llvm::GlobalValue::HiddenVisibility);
  auto *guard = new llvm::GlobalVariable(
      module, symbol->getType(), /*isConstant=*/false,
      llvm::GlobalValue::PrivateLinkage, symbol, "gpulto.guard");
  guard->setSection(kGuardSection);
  // In llvm.used it also survives --gc-sections.
  llvm::appendToUsed(module, {guard});
}

/// Names a private member of a class: an explicit instantiation may.
template <auto Member> struct PrivateMember {
  friend auto memberOf(llvm::PassBuilder &builder) { return builder.*Member; }
};
auto memberOf(llvm::PassBuilder &builder);
template struct PrivateMember<&llvm::PassBuilder::TM>;

/// Whether clang's back end would fuse all additions and multiplications,
/// marked or not (-ffp-contract=fast). No module says so, but the machine that
/// clang would generate code with, which LLVM's PassBuilder shows to nobody.
std::optional<bool> fusesAll(llvm::PassBuilder &builder) {
  const llvm::TargetMachine *machine = memberOf(builder);
  if (!machine)
    return std::nullopt;
  return machine->Options.AllowFPOpFusion == llvm::FPOpFusion::Fast;
}

struct TraceHostPass : llvm::PassInfoMixin<TraceHostPass> {
  llvm::PreservedAnalyses run(llvm::Module &module,
                              llvm::ModuleAnalysisManager &analyses) {
    llvm::FunctionAnalysisManager &functions =
        analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module)
            .getManager();
    auto libraryOf =
        [&](llvm::Function &function) -> const llvm::TargetLibraryInfo & {
      return functions.getResult<llvm::TargetLibraryAnalysis>(function);
    };
    return !isDevice(module) && traceHost(module, libraryOf)
               ? llvm::PreservedAnalyses::none()
               : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

/// Computes and writes the summary.
class SummarizePass : public llvm::PassInfoMixin<SummarizePass> {
public:
  SummarizePass(llvm::OptimizationLevel level, std::optional<bool> fusesAll)
      : level(level), fusesAll(fusesAll) {}

  llvm::PreservedAnalyses run(llvm::Module &module,
                              llvm::ModuleAnalysisManager &analyses) {
    // Not earlier: profiles know static functions by the name as given.
    if (!sourceName.empty())
      module.setSourceFileName(sourceName);
    if (summaryPath.empty())
      return llvm::PreservedAnalyses::all();
    if (hasSection(module, kHostBitcodeSection))
      return llvm::PreservedAnalyses::all();
    llvm::TimeTraceScope scope("gpulto LGEN");
    bool changed =
        isDevice(module) ? resolveReflection(module) : keepIdentities(module);
    if (!isDevice(module) && llvm::any_of(module.globals(), isOffloadEntry)) {
      addGuard(module);
      changed = true;
    }
    // Both also run between here and the bitcode writer: then in vain.
    auto run = [&](auto pass) {
      changed |= !pass.run(module, analyses).areAllPreserved();
    };
    run(llvm::CanonicalizeAliasesPass());
    run(llvm::NameAnonGlobalPass());
    if (llvm::Error error = write(module, analyses, changed))
      module.getContext().emitError("gpulto: " +
                                    llvm::toString(std::move(error)));
    return changed ? llvm::PreservedAnalyses::none()
                   : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  llvm::Error write(llvm::Module &module, llvm::ModuleAnalysisManager &analyses,
                    bool &changed) {
    LgenOptions options;
    options.arch = archName;
    options.fusesAll = fusesAll;
    options.optLevel = static_cast<uint8_t>(level.getSpeedupLevel());
    options.sizeLevel = static_cast<uint8_t>(level.getSizeLevel());
    options.wholeProgramMode = isWholeProgramMode;
    options.dropsLines = isWithoutLines;
    llvm::FunctionAnalysisManager &functions =
        analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module)
            .getManager();
    ModuleSummaryStorage storage;
    if (llvm::Error error =
            summarizeModule(module, options, functions, storage))
      return error;
    changed |= isWithoutLines;
    if (module.getContext().shouldDiscardValueNames())
      changed |= dropLocalNames(module);
    if (storage.summary.side == Side::Host)
      changed |= declareAssemblyNames(module, storage.summary);
    std::string bytes = writeSummary(storage.summary, {});
    return llvm::writeToOutput(summaryPath, [&](llvm::raw_ostream &out) {
      out << bytes;
      return llvm::Error::success();
    });
  }

  llvm::OptimizationLevel level;
  std::optional<bool> fusesAll;
};

/// Empties the functions of a module whose bitcode has been embedded. What they
/// refer to stays, referenced by one function, so that the object has the
/// symbols that it would have had, except for those that code generation
/// creates (memcpy).
class DropBodiesPass : public llvm::PassInfoMixin<DropBodiesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module,
                              llvm::ModuleAnalysisManager &) {
    if (!module.getNamedMetadata("llvm.embedded.objects"))
      return llvm::PreservedAnalyses::all();
    llvm::SetVector<llvm::GlobalValue *> used;
    for (llvm::Function &function : module)
      if (!function.isDeclaration())
        empty(function, used);
    refer(module, used.getArrayRef());
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

private:
  static void collect(llvm::Value &value,
                      llvm::SetVector<llvm::GlobalValue *> &used) {
    if (auto *global = llvm::dyn_cast<llvm::GlobalValue>(&value)) {
      auto *function = llvm::dyn_cast<llvm::Function>(global);
      if (!function || !function->isIntrinsic())
        used.insert(global);
    } else if (auto *constant = llvm::dyn_cast<llvm::Constant>(&value)) {
      for (llvm::Use &operand : constant->operands())
        collect(*operand, used);
    }
  }

  static void empty(llvm::Function &function,
                    llvm::SetVector<llvm::GlobalValue *> &used) {
    for (llvm::Instruction &instruction : llvm::instructions(function))
      for (llvm::Use &operand : instruction.operands())
        collect(*operand, used);
    llvm::GlobalValue::LinkageTypes linkage = function.getLinkage();
    llvm::Comdat *comdat = function.getComdat();
    function.deleteBody();
    if (linkage == llvm::GlobalValue::AvailableExternallyLinkage)
      return;
    function.setLinkage(linkage);
    function.setComdat(comdat);
    auto *block =
        llvm::BasicBlock::Create(function.getContext(), "", &function);
    new llvm::UnreachableInst(function.getContext(), block);
  }

  static void refer(llvm::Module &module,
                    llvm::ArrayRef<llvm::GlobalValue *> used) {
    llvm::LLVMContext &context = module.getContext();
    auto *function = llvm::Function::Create(
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
        llvm::GlobalValue::InternalLinkage, "gpulto.references", module);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
    auto *slot = builder.CreateAlloca(builder.getPtrTy());
    for (llvm::GlobalValue *value : used) {
      llvm::Value *address = value;
      if (value->isThreadLocal())
        address = builder.CreateThreadLocalAddress(value);
      builder.CreateStore(address, slot, /*isVolatile=*/true);
    }
    builder.CreateRetVoid();
    llvm::appendToCompilerUsed(module, {function});
  }
};

/// Adds SummarizePass as the last of all: clang registers sanitizers and
/// profiling at the same point, but after its plugins. When the start of the
/// pipeline is built all of them are registered.
void summarizeLast(llvm::PassBuilder &builder) {
  builder.registerOptimizerLastEPCallback(
      [fusesAll = fusesAll(builder)](llvm::ModulePassManager &passes,
                                     llvm::OptimizationLevel level, auto...) {
        if (level.getSpeedupLevel() > 1 && level.getSizeLevel() == 0)
          passes.addPass(
              llvm::createModuleToFunctionPassAdaptor(SplitLaunchesPass()));
        if (isHostTraced)
          passes.addPass(TraceHostPass());
        passes.addPass(SummarizePass(level, fusesAll));
      });
}

/// Before LLVM's first unrolling.
void limitUnrolling(llvm::PassBuilder &builder) {
  builder.registerLateLoopOptimizationsEPCallback(
      [](llvm::LoopPassManager &passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 1)
          passes.addPass(LimitUnrollingPass());
      });
}

void dropBodies(llvm::PassBuilder &builder) {
  builder.registerOptimizerEarlyEPCallback(
      [](llvm::ModulePassManager &passes, llvm::OptimizationLevel, auto...) {
        passes.addPass(DropBodiesPass());
      });
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {
      LLVM_PLUGIN_API_VERSION, "gpulto-lgen", LLVM_VERSION_STRING,
      [](llvm::PassBuilder &builder) {
        limitUnrolling(builder);
        builder.registerPipelineStartEPCallback(
            [&builder, registered = false](llvm::ModulePassManager &passes,
                                           llvm::OptimizationLevel) mutable {
              passes.addPass(KeepStubsPass());
              passes.addPass(RepairPass());
              passes.addPass(DropSourceChecksumsPass());
              if (!std::exchange(registered, true)) {
                summarizeLast(builder);
                if (isSlim)
                  dropBodies(builder);
              }
            });
      }};
}
