//===- Optimizer.cpp - LLVM's pass manager, set up as clang's -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The tuning options are those that clang 22 derives from the -O level for a
// compile of its own (Driver/ToolChains/CommonArgs.cpp, BackendUtil.cpp):
//
//                      O0   O1   O2   O3   Os   Oz
//   loop vectorizer    no   no   yes  yes  yes  no
//   SLP vectorizer     no   no   yes  yes  yes  yes
//   unrolling          no   no   yes  yes  yes  yes
//   interleaving       as unrolling
//   call graph profile yes (integrated assembler)
//
//===----------------------------------------------------------------------===//

#include "lto/codegen/Optimizer.h"

#include "ipa/bodies/MemoryOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Operator.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace gpulto {

OptimizationLevel toLlvmLevel(unsigned optLevel, unsigned sizeLevel) {
  switch (optLevel) {
  case 0:
    return OptimizationLevel::O0;
  case 1:
    return OptimizationLevel::O1;
  case 2:
    return sizeLevel == 0   ? OptimizationLevel::O2
           : sizeLevel == 1 ? OptimizationLevel::Os
                            : OptimizationLevel::Oz;
  default:
    return OptimizationLevel::O3;
  }
}

CodeGenOptLevel toCodegenLevel(unsigned optLevel) {
  switch (optLevel) {
  case 0:
    return CodeGenOptLevel::None;
  case 1:
    return CodeGenOptLevel::Less;
  case 2:
    return CodeGenOptLevel::Default;
  default:
    return CodeGenOptLevel::Aggressive;
  }
}

static PipelineTuningOptions tuning(OptimizationLevel level) {
  PipelineTuningOptions options;
  bool isFull = level.getSpeedupLevel() > 1;
  options.LoopVectorization = isFull && level != OptimizationLevel::Oz;
  options.SLPVectorization = isFull;
  options.LoopUnrolling = isFull;
  options.LoopInterleaving = isFull;
  options.CallGraphProfile = true;
  return options;
}

/// Returns \p effects of a function, of which memory that its arguments point
/// to may become what they point to indirectly.
static MemoryEffects promotable(MemoryEffects effects) {
  return effects.getWithModRef(IRMemLocation::ArgMem,
                               effects.getModRef(IRMemLocation::ArgMem) |
                                   effects.getModRef(IRMemLocation::Other));
}

/// Runs before LLVM's ArgumentPromotion, which passes what arguments point to
/// in their place. That makes "other" memory that of an argument, without
/// updating attributes: `memory(readwrite, argmem: read)` of a function that
/// writes through a loaded pointer would become a lie.
static void weakenBeforePromotion(StringRef pass, Any unit) {
  if (pass != "ArgumentPromotionPass")
    return;
  const auto **component = any_cast<const LazyCallGraph::SCC *>(&unit);
  if (!component)
    return;
  for (LazyCallGraph::Node &node : **component) {
    Function &function = node.getFunction();
    if (!function.hasLocalLinkage())
      continue;
    function.setMemoryEffects(promotable(function.getMemoryEffects()));
    for (User *user : function.users())
      if (auto *call = dyn_cast<CallBase>(user))
        if (call->getAttributes().hasFnAttr(Attribute::Memory))
          call->setMemoryEffects(
              promotable(call->getAttributes().getMemoryEffects()));
  }
}

/// Returns whether \p pass may run over \p unit: it may not take back what
/// doubtNarrowEffects did.
static bool mayRun(StringRef pass, const Any &unit) {
  const auto *component = any_cast<const LazyCallGraph::SCC *>(&unit);
  return !component || pass != "PostOrderFunctionAttrsPass" ||
         none_of(**component, [](LazyCallGraph::Node &node) {
           return ordersThreads(node.getFunction());
         });
}

/// Returns whether \p pass may run on the device: it may not make relative
/// pointers of tables in constant memory, which is invalid code there, and
/// saves nothing.
static bool mayRunOnDevice(StringRef pass, const Any &) {
  return pass != "RelLookupTableConverterPass";
}

/// Returns clang's alias analyses except GlobalsAA, which says that a function
/// that waits for another thread writes only what its body names. Source:
/// LLVM's PassBuilder::buildDefaultAAPipeline.
static AAManager aliasesWithoutGlobals(TargetMachine &machine) {
  AAManager aliases;
  machine.registerEarlyDefaultAliasAnalyses(aliases);
  aliases.registerFunctionAnalysis<BasicAA>();
  aliases.registerFunctionAnalysis<ScopedNoAliasAA>();
  aliases.registerFunctionAnalysis<TypeBasedAA>();
  machine.registerDefaultAliasAnalyses(aliases);
  return aliases;
}

void runPasses(Module &module, TargetMachine &machine, OptimizationLevel level,
               function_ref<ModulePassManager(PassBuilder &)> build) {
  PassInstrumentationCallbacks callbacks;
  StandardInstrumentations instrumentations(module.getContext(),
                                            /*DebugLogging=*/false);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  callbacks.registerBeforeNonSkippedPassCallback(weakenBeforePromotion);
  callbacks.registerShouldRunOptionalPassCallback(mayRun);
  if (machine.getTargetTriple().isNVPTX())
    callbacks.registerShouldRunOptionalPassCallback(mayRunOnDevice);
  if (timeTraceProfilerEnabled())
    instrumentations.registerCallbacks(callbacks, &modules);

  PassBuilder builder(&machine, tuning(level), std::nullopt, &callbacks);
  TargetLibraryInfoImpl library{Triple(module.getTargetTriple())};
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  if (any_of(module, [](const Function &each) { return ordersThreads(each); }))
    functions.registerPass([&] { return aliasesWithoutGlobals(machine); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  build(builder).run(module, modules);
}

bool addCodegenPasses(TargetMachine &machine, legacy::PassManager &passes,
                      raw_pwrite_stream &stream, CodeGenFileType type,
                      function_ref<void(TargetPassConfig &)> adapt,
                      Pass *last) {
  auto *functions = new MachineModuleInfoWrapperPass(&machine);
  TargetPassConfig *config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  passes.add(config);
  passes.add(functions);
  adapt(*config);
  if (config->addISelPasses())
    return true;
  config->addMachinePasses();
  config->setInitialized();
  if (last)
    passes.add(last);
  if (machine.addAsmPrinter(passes, stream, nullptr, type,
                            functions->getMMI().getContext()))
    return true;
  passes.add(createFreeMachineFunctionPass());
  return false;
}

} // namespace gpulto
