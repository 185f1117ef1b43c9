//===- DeviceAccesses.cpp - Report what kernels access --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The report is made of the body that instruction selection gets: what NVPTX's
// own vectorizer of loads and stores, the last pass that joins accesses, has
// left. At -O0 it is made of a copy that is simplified: variables in memory say
// nothing about indices.
//
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceAccesses.h"

#include "ipa/access/AccessReport.h"
#include "ipa/access/MemoryTransform.h"
#include "lto/codegen/Optimizer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/Module.h"
#include "llvm/InitializePasses.h"
#include "llvm/Pass.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <memory>

using namespace llvm;

namespace gpulto {

/// Adds the rows of \p function, if it is a kernel.
static void addRows(Function &function, TargetMachine &machine,
                    std::vector<MemoryRow> &rows) {
  if (function.getCallingConv() == CallingConv::PTX_Kernel &&
      !function.isDeclaration())
    append_range(rows, reportAccesses(function, launchesOf(function),
                                      machine.getTargetIRAnalysis()));
}

namespace {
class AccessReportPass : public FunctionPass {
public:
  AccessReportPass(TargetMachine &machine, std::vector<MemoryRow> &rows)
      : FunctionPass(ID), machine(machine), rows(rows) {}
  bool runOnFunction(Function &function) override {
    addRows(function, machine, rows);
    return false;
  }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
  }
  StringRef getPassName() const override { return "Report accesses"; }
  static char ID;

private:
  TargetMachine &machine;
  std::vector<MemoryRow> &rows;
};
char AccessReportPass::ID = 0;
} // namespace

void reportPlainAccesses(const Module &module, TargetMachine &machine,
                         std::vector<MemoryRow> &rows) {
  std::unique_ptr<Module> copy = CloneModule(module);
  for (Function &function : *copy) {
    function.removeFnAttr(Attribute::OptimizeNone);
    function.removeFnAttr(Attribute::NoInline);
  }
  runPasses(*copy, machine, OptimizationLevel::O1, [](PassBuilder &builder) {
    ModulePassManager passes;
    passes.addPass(builder.buildInlinerPipeline(
        OptimizationLevel::O1, ThinOrFullLTOPhase::ThinLTOPreLink));
    return passes;
  });
  for (Function &function : *copy)
    addRows(function, machine, rows);
}

void insertAccessReport(TargetPassConfig &config, TargetMachine &machine,
                        std::vector<MemoryRow> &rows) {
  PassRegistry &registry = *PassRegistry::getPassRegistry();
  initializeLoadStoreVectorizerLegacyPassPass(registry);
  const PassInfo *last =
      registry.getPassInfo(StringRef("load-store-vectorizer"));
  config.insertPass(last->getTypeInfo(), new AccessReportPass(machine, rows));
}

} // namespace gpulto
