//===- Lgen.cpp - The compile-time stage ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/lgen/Lgen.h"

#include "icf/BodyDigests.h"
#include "icf/FoldForm.h"
#include "ipa/bodies/Passes.h"
#include "lto/lgen/LoopPlaces.h"
#include "lto/lgen/ModuleFlags.h"
#include "lto/lgen/ModuleRepair.h"
#include "lto/lgen/StockObject.h"
#include "summary/ModuleSummary.h"
#include "summary/SummaryFormat.h"
#include "support/Error.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

namespace gpulto {

bool hasContraction(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return llvm::any_of(
        llvm::instructions(function), [](const llvm::Instruction &i) {
          return llvm::isa<llvm::FPMathOperator>(i) && i.hasAllowContract();
        });
  });
}

namespace {

llvm::StringRef archOf(const llvm::Module &module, llvm::StringRef given,
                       llvm::StringSaver &strings) {
  if (!given.empty())
    return strings.save(given);
  for (const llvm::Function &function : module)
    if (function.hasFnAttribute("target-cpu"))
      return strings.save(
          function.getFnAttribute("target-cpu").getValueAsString());
  return {};
}

uint32_t moduleFlags(const llvm::Module &module) {
  uint32_t flags = 0;
  for (const llvm::DICompileUnit *unit : module.debug_compile_units()) {
    if (unit->getEmissionKind() != llvm::DICompileUnit::NoDebug)
      flags |= kHasDebugInfo;
    if (unit->getEmissionKind() == llvm::DICompileUnit::FullDebug)
      flags |= kFullDebugInfo;
  }
  if (module.getSemanticInterposition())
    flags |= kSemanticInterposition;
  if (module.getProfileSummary(/*IsCS=*/false) ||
      module.getProfileSummary(/*IsCS=*/true))
    flags |= kHasProfile;
  if (module.getUwtable() != llvm::UWTableKind::None)
    flags |= kUnwindTables;
  return flags;
}

llvm::Error fillHeader(const llvm::Module &module, const LgenOptions &options,
                       ModuleSummaryStorage &storage) {
  ModuleSummary &summary = storage.summary;
  const llvm::Triple &triple = module.getTargetTriple();
  if (triple.isNVPTX() && triple.isArch64Bit())
    summary.side = Side::Device;
  else if (triple.isArch64Bit() && !triple.isAMDGPU() && !triple.isSPIRV())
    summary.side = Side::Host;
  else
    return inputError(InputLocation(module.getSourceFileName()),
                      "target '" + triple.str() +
                          "', expected nvptx64 or a 64-bit host");
  if (summary.side == Side::Device)
    summary.arch = archOf(module, options.arch, storage.strings);
  summary.sourceName = storage.strings.save(module.getSourceFileName());
  summary.targetTriple = storage.strings.save(triple.str());
  summary.dataLayout = storage.strings.save(module.getDataLayoutStr());
  summary.flags = moduleFlags(module);
  bool fusesAll = options.fusesAll ? *options.fusesAll
                                   : triple.isNVPTX() && hasContraction(module);
  if (fusesAll)
    summary.flags |= kFusesAll;
  if (options.wholeProgramMode)
    summary.flags |= kWholeProgramMode;
  summary.optLevel = options.optLevel;
  summary.sizeLevel = options.sizeLevel;
  summary.picLevel = static_cast<uint8_t>(module.getPICLevel());
  summary.pieLevel = static_cast<uint8_t>(module.getPIELevel());
  summary.codegenDigest = digestOfModuleFlags(module);
  return llvm::Error::success();
}

/// Refuses what needs a pass over the whole program that is not there: the
/// tests of types that -fsanitize=cfi makes. Those of -fwhole-program-vtables
/// only tell something to the optimizer.
llvm::Error checkTypeTests(const llvm::Module &module) {
  for (llvm::StringRef name : {"llvm.type.test", "llvm.type.checked.load"})
    if (const llvm::Function *test = module.getFunction(name))
      for (const llvm::User *call : test->users())
        for (const llvm::User *user : call->users())
          if (!llvm::isa<llvm::AssumeInst>(user))
            return inputError(InputLocation(module.getSourceFileName()),
                              "compiled with -fsanitize=cfi or "
                              "-fvirtual-function-elimination, which are not "
                              "supported; recompile without");
  return llvm::Error::success();
}

/// Calls \p visit with each variable that has a summary, and that.
void forEachVariable(
    LgenContext &context,
    llvm::function_ref<void(const llvm::GlobalVariable &, VariableSummary &)>
        visit) {
  std::vector<VariableSummary> &variables = context.summary.variables;
  size_t next = 0;
  for (const llvm::GlobalVariable &variable : context.module.globals())
    if (next < variables.size() &&
        context.indexOf(variable) == variables[next].symbol)
      visit(variable, variables[next++]);
}

void analyzeBodyDigests(LgenContext &context) {
  ContentDigester digester(context.module);
  ModuleSummary &summary = context.summary;
  for (size_t i = 0; i < context.bodies.size(); ++i)
    summary.functions[i].contentDigest = digester.digestOf(*context.bodies[i]);
  forEachVariable(context, [&](const llvm::GlobalVariable &variable,
                               VariableSummary &result) {
    result.contentDigest = digester.digestOf(variable);
  });
  summary.contextDigest = digester.digestOfContext();
}

void analyzeFold(LgenContext &context) {
  FoldFormer former(context.module, context.summary.has(kFusesAll));
  ModuleSummary &summary = context.summary;
  auto note = [&](const FoldForm &form, auto &result) {
    auto indexOf = [&](const llvm::GlobalValue *value) {
      return context.indexOf(*value);
    };
    llvm::SmallVector<SymbolIndex, 8> symbols(
        llvm::map_range(form.symbols, indexOf));
    if (form.hash.isNone() || llvm::is_contained(symbols, kNone))
      return;
    result.foldHash = form.hash;
    if (symbols.empty())
      return;
    result.foldSymbols = {static_cast<uint32_t>(summary.foldSymbols.size()),
                          static_cast<uint32_t>(symbols.size())};
    llvm::append_range(summary.foldSymbols, symbols);
  };
  forEachVariable(context, [&](const llvm::GlobalVariable &variable,
                               VariableSummary &result) {
    note(former.formOf(variable), result);
  });
  for (size_t i = 0; i < context.bodies.size(); ++i)
    note(former.formOf(*context.bodies[i]), summary.functions[i]);
}

// The entries that passes have.

llvm::Error run(std::nullptr_t, LgenContext &) {
  return llvm::Error::success();
}

llvm::Error run(void (*analyze)(LgenContext &), LgenContext &context) {
  analyze(context);
  return llvm::Error::success();
}

llvm::Error run(llvm::Error (*analyze)(LgenContext &), LgenContext &context) {
  return analyze(context);
}

} // namespace

llvm::Error summarizeModule(llvm::Module &module, const LgenOptions &options,
                            llvm::FunctionAnalysisManager &analyses,
                            ModuleSummaryStorage &storage) {
  if (llvm::Error error = fillHeader(module, options, storage))
    return error;
  if (llvm::Error error = checkTypeTests(module))
    return error;
  SourcePlaces places(module, storage.summary, storage.strings);
  if (options.dropsLines)
    keepLoopPlaces(module);
  LgenContext context(module, storage.summary, storage.strings, analyses,
                      places);
#define GPULTO_PASS(NAME, ANALYZE, PROPAGATE, TRANSFORM, TRUSTS, REMARK,       \
                    SENTENCE)                                                  \
  if (llvm::Error error = run(ANALYZE, context))                               \
    return error;
#include "lto/link/Passes.def"
  return llvm::Error::success();
}

llvm::Error summarizeModule(llvm::Module &module, const LgenOptions &options,
                            ModuleSummaryStorage &storage) {
  std::string unused;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(module.getTargetTriple(), unused);
  std::unique_ptr<llvm::TargetMachine> machine;
  if (target)
    machine.reset(target->createTargetMachine(
        module.getTargetTriple(), options.arch, "", llvm::TargetOptions(), {}));
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  return summarizeModule(module, options, functions, storage);
}

/// The -O level is not in bitcode, but functions say when they are not to be
/// optimized, or for size. Levels do not mix in a partition, so what all
/// functions say is the module's level.
static void lowerLevels(const llvm::Module &module, LgenOptions &options) {
  bool any = false, noneOptimized = true, allSmall = true, allSmallest = true;
  for (const llvm::Function &function : module) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage())
      continue;
    any = true;
    noneOptimized &= function.hasOptNone();
    allSmall &= function.hasOptSize();
    allSmallest &= function.hasMinSize();
  }
  if (!any)
    return;
  if (noneOptimized) {
    options.optLevel = options.sizeLevel = 0;
  } else if (allSmall || allSmallest) {
    options.optLevel = std::min<uint8_t>(options.optLevel, 2);
    options.sizeLevel = allSmallest ? 2 : 1;
  }
}

llvm::Expected<std::string> summarizeBitcode(llvm::MemoryBufferRef bitcode,
                                             const LgenOptions &options) {
  InputLocation where(bitcode.getBufferIdentifier());
  llvm::Expected<llvm::BitcodeModule> found = findSingleModule(bitcode, where);
  if (!found)
    return found.takeError();
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> module =
      found->parseModule(context);
  if (!module)
    return inputError(where, llvm::toString(module.takeError()));
  upgradeStockModule(**module);
  repairStockModule(**module);
  LgenOptions adjusted = options;
  lowerLevels(**module, adjusted);
  ModuleSummaryStorage storage;
  if (llvm::Error error = summarizeModule(**module, adjusted, storage))
    return std::move(error);
  storage.summary.bitcodeDigest = digestOf(bitcode.getBuffer());
  return writeSummary(storage.summary, {});
}

} // namespace gpulto
