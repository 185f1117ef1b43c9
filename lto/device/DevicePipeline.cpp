//===- DevicePipeline.cpp - The passes over a device partition ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: optimize again what whole-program knowledge changes, and leave the rest
// exactly as in a plain compile.
//
// The input has been through LLVM's simplification pipeline once, at compile
// time. Running it again over every function, as ThinLTO does, gains nothing
// for a kernel without inlined calls, and changes its code at random: over 94
// kernels of HeCBench (sm_90, -O3) it moved the registers of 14, lulesh's
// calcKinematicsForElems from 124 to 144. So:
//
// 1. InferAddressSpaces over functions with proven facts. Interprocedural
//    passes (constants, globals) over the partition. RememberBodies and
//    MarkUnchanged find out which functions they changed.
// 2. The inliner, with simplification of functions on the way up the call
//    graph, but only of those changed in step 1 or by inlining, or with
//    kChangedAttribute. LLVM's own mark for "simplified since it last changed",
//    ShouldNotRunFunctionPassesAnalysis, does this. Before, PreferRegisters
//    chooses calls that keep local objects in memory.
// 3. The rest of the pipeline (unrolling, vectorizers) over all functions: the
//    compile step has not run it. Before the vectorizers, NarrowIndexes over
//    functions with proven facts: 64-bit arithmetic that fits 32 bits.
// 4. StraightLinePass over functions with proven facts: splits addresses, after
//    NarrowIndexes of unrolled code.
//
// In simplification, InferAddressSpaces follows each InstCombine: an inlined
// helper's generic pointer becomes one to shared or global memory while GVN and
// LICM can still use it. So do marks of accesses through pointers that a kernel
// gets in an aggregate (ipa/pointers/ApartPointersTransform.cpp).
//
// At the end of simplification, NarrowDivisions uses facts of loops. Before
// unrolling, LimitUnrolling keeps large rounds that run seldom from being
// copied, and ChooseUnrolling raises LLVM's limits, in changed functions and
// for short loops; at the end, WidenCopies expands small copies, PermuteBytes
// makes pairs of 16 bits and masks of bytes by one instruction, and
// RestateConvergence says which shuffles whole warps execute.
//
//===----------------------------------------------------------------------===//

#include "ipa/pointers/ApartPointersTransform.h"
#include "lto/codegen/Optimizer.h"
#include "lto/device/DeviceAddresses.h"
#include "lto/device/DeviceCodegen.h"
#include "lto/device/DeviceConvergence.h"
#include "lto/device/DeviceIndexes.h"
#include "lto/device/DeviceKnownBits.h"
#include "lto/device/DeviceLaunches.h"
#include "lto/device/DeviceLoops.h"
#include "lto/device/DeviceObjects.h"
#include "lto/device/DeviceSpaces.h"
#include "lto/device/DeviceUnrolling.h"
#include "lto/lgen/DeviceBytes.h"
#include "lto/lgen/ModuleRepair.h"
#include "lto/partition/LtransPlans.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Transforms/IPO/CalledValuePropagation.h"
#include "llvm/Transforms/IPO/DeadArgumentElimination.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/GlobalOpt.h"
#include "llvm/Transforms/IPO/SCCP.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SeparateConstOffsetFromGEP.h"
#include "llvm/Transforms/Scalar/SpeculativeExecution.h"
#include "llvm/Transforms/Scalar/StraightLineStrengthReduce.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

#include <memory>

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// Which functions have changed
//===----------------------------------------------------------------------===//

namespace {

/// What a body was at some time: its instructions and their operands. A change
/// that this misses (of metadata, of a constant expression's inside) costs a
/// second simplification, nothing else.
class BodyHash {
public:
  static uint64_t of(const Function &function) {
    BodyHash hash;
    unsigned number = 0;
    for (const BasicBlock &block : function) {
      hash.numbers[&block] = number++;
      for (const Instruction &instruction : block)
        hash.numbers[&instruction] = number++;
    }
    for (const Instruction &instruction : instructions(function))
      hash.add(instruction);
    return hash.state.finish().lo;
  }

private:
  void add(const Instruction &instruction) {
    state.add(instruction.getOpcode());
    state.add(instruction.getRawSubclassOptionalData());
    state.add(static_cast<unsigned>(instruction.getType()->getTypeID()));
    if (auto *compare = dyn_cast<CmpInst>(&instruction))
      state.add(static_cast<unsigned>(compare->getPredicate()));
    state.add(instruction.getNumOperands());
    for (const Use &operand : instruction.operands())
      add(*operand.get());
    // Not among the operands.
    if (auto *choice = dyn_cast<SwitchInst>(&instruction))
      for (const auto &option : choice->cases())
        add(*option.getCaseValue());
  }
  void add(const Value &operand) {
    state.add(operand.getValueID());
    if (auto *argument = dyn_cast<Argument>(&operand))
      state.add(argument->getArgNo());
    else if (auto *global = dyn_cast<GlobalValue>(&operand))
      state.add(global->getName());
    else if (auto *integer = dyn_cast<ConstantInt>(&operand))
      state.add(integer->getValue().getRawData()[0]);
    else if (auto *real = dyn_cast<ConstantFP>(&operand))
      state.add(real->getValueAPF().bitcastToAPInt().getRawData()[0]);
    else if (auto found = numbers.find(&operand); found != numbers.end())
      state.add(found->second);
  }

  StableHasher state;
  DenseMap<const Value *, unsigned> numbers;
};

using Bodies = DenseMap<const Function *, uint64_t>;

struct RememberBodiesPass : PassInfoMixin<RememberBodiesPass> {
  explicit RememberBodiesPass(std::shared_ptr<Bodies> bodies)
      : bodies(std::move(bodies)) {}
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    for (const Function &function : module)
      if (!function.isDeclaration())
        (*bodies)[&function] = BodyHash::of(function);
    return PreservedAnalyses::all();
  }
  std::shared_ptr<Bodies> bodies;
};

struct MarkUnchangedPass : PassInfoMixin<MarkUnchangedPass> {
  explicit MarkUnchangedPass(std::shared_ptr<Bodies> bodies)
      : bodies(std::move(bodies)) {}
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses) {
    auto &functions =
        analyses.getResult<FunctionAnalysisManagerModuleProxy>(module)
            .getManager();
    for (Function &function : module) {
      if (function.isDeclaration() ||
          function.hasFnAttribute(kChangedAttribute))
        continue;
      auto before = bodies->find(&function);
      if (before != bodies->end() && before->second == BodyHash::of(function))
        (void)functions.getResult<ShouldNotRunFunctionPassesAnalysis>(function);
    }
    return PreservedAnalyses::all();
  }
  std::shared_ptr<Bodies> bodies;
};

/// Carries the address spaces that whole-program analysis proved on entry into
/// the body, before InstCombine removes the casts that say so.
struct InferChangedPass : PassInfoMixin<InferChangedPass> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    return function.hasFnAttribute(kChangedAttribute)
               ? InferSpacesPass().run(function, analyses)
               : PreservedAnalyses::all();
  }
};

/// Marks accesses in kernels, including those of inlined callees, with what is
/// known of their pointers. It invalidates no analysis: earlier results only
/// know less.
struct MarkAccessesPass : PassInfoMixin<MarkAccessesPass> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    markPointerAccesses(function);
    return PreservedAnalyses::all();
  }
};

/// The joining of neighboring accesses, while it is known which pointers are
/// apart and how they are aligned, and the passes of gpucc that make neighbors
/// of them. Code generation runs all of them too, but no longer knows. It is
/// soon enough for gpucc's others, StraightLineStrengthReduce and
/// NaryReassociate, which ask for neither: here they changed no byte of a
/// generated program of 40 files and no figure of bench/ipa, and took half of
/// the optimization of unrolled hash functions. The first looks through
/// extensions with a sign only, so it runs here where there are to be none.
struct StraightLinePass : PassInfoMixin<StraightLinePass> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    if (!function.hasFnAttribute(kChangedAttribute))
      return PreservedAnalyses::all();
    FunctionPassManager passes;
    passes.addPass(NarrowIndexesPass());
    passes.addPass(SpeculativeExecutionPass(/*OnlyIfDivergentTarget=*/true));
    distributeShifts(function);
    bool isExtended = extendBySign(function, analyses);
    passes.addPass(SeparateConstOffsetFromGEPPass());
    if (isExtended) {
      passes.addPass(StraightLineStrengthReducePass());
      passes.addPass(ExtendByZeroPass());
    }
    passes.addPass(EarlyCSEPass());
    passes.addPass(InferSpacesPass());
    passes.addPass(RestateAlignmentPass());
    passes.addPass(InferAlignmentPass());
    passes.addPass(LoadStoreVectorizerPass());
    return passes.run(function, analyses);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

static ModulePassManager buildPipeline(PassBuilder &builder,
                                       OptimizationLevel level, Unrolling most,
                                       Unrolling &reached) {
  ModulePassManager passes;
  passes.addPass(GlobalDCEPass());
  if (level == OptimizationLevel::O0) {
    passes.addPass(
        builder.buildThinLTODefaultPipeline(level, /*ImportSummary=*/nullptr));
    return passes;
  }
  builder.registerPeepholeEPCallback(
      [](FunctionPassManager &manager, OptimizationLevel) {
        manager.addPass(InferSpacesPass());
        manager.addPass(MarkAccessesPass());
      });
  builder.registerScalarOptimizerLateEPCallback(
      [](FunctionPassManager &manager, OptimizationLevel) {
        manager.addPass(NarrowDivisionsPass());
      });
  builder.registerVectorizerStartEPCallback(
      [](FunctionPassManager &manager, OptimizationLevel) {
        manager.addPass(NarrowIndexesPass());
        manager.addPass(createFunctionToLoopPassAdaptor(LimitUnrollingPass()));
      });
  builder.registerLateLoopOptimizationsEPCallback(
      [&](LoopPassManager &manager, OptimizationLevel given) {
        manager.addPass(LimitUnrollingPass());
        manager.addPass(
            ChooseUnrollingPass(most, given.getSpeedupLevel() > 1, reached));
      });
  passes.addPass(createModuleToFunctionPassAdaptor(InferChangedPass()));
  auto bodies = std::make_shared<Bodies>();
  bool isForSpeed = level.getSizeLevel() == 0;
  passes.addPass(RememberBodiesPass(bodies));
  passes.addPass(IPSCCPPass(IPSCCPOptions(/*AllowFuncSpec=*/isForSpeed)));
  passes.addPass(CalledValuePropagationPass());
  passes.addPass(GlobalOptPass());
  passes.addPass(MarkUnchangedPass(bodies));
  if (isForSpeed)
    passes.addPass(PreferRegistersPass());
  passes.addPass(
      builder.buildInlinerPipeline(level, ThinOrFullLTOPhase::ThinLTOPostLink));
  passes.addPass(DeadArgumentEliminationPass());
  passes.addPass(GlobalOptPass());
  passes.addPass(GlobalDCEPass());
  passes.addPass(builder.buildModuleOptimizationPipeline(
      level, ThinOrFullLTOPhase::ThinLTOPostLink));
  passes.addPass(createModuleToFunctionPassAdaptor(WidenCopiesPass()));
  if (level.getSpeedupLevel() > 1)
    passes.addPass(createModuleToFunctionPassAdaptor(StraightLinePass()));
  passes.addPass(createModuleToFunctionPassAdaptor(PermuteBytesPass()));
  passes.addPass(createModuleToFunctionPassAdaptor(RestateConvergencePass()));
  return passes;
}

Unrolling optimizeDevice(Module &module, TargetMachine &machine,
                         unsigned optLevel, unsigned sizeLevel,
                         Unrolling most) {
  TimeTraceScope trace("Optimize device");
  OptimizationLevel level = toLlvmLevel(optLevel, sizeLevel);
  Unrolling reached = Unrolling::Sparing;
  // LGEN's passes have done so; modules of stock clang come without.
  replaceVideoInstructions(module);
  dropNeedlessConvergence(module);
  launchInSecondForm(module);
  runPasses(module, machine, level, [&](PassBuilder &builder) {
    return buildPipeline(builder, level, most, reached);
  });
  return reached;
}

} // namespace gpulto
