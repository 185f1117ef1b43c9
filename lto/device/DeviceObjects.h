//===- DeviceObjects.h - Local objects in registers -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICEOBJECTS_H
#define GPULTO_LTO_DEVICE_DEVICEOBJECTS_H

#include "llvm/IR/PassManager.h"

namespace gpulto {

/// Makes LLVM's inliner inline larger callees than it would, if they are all
/// that keeps a local object of the caller in memory. Runs before the inliner.
struct PreferRegistersPass : llvm::PassInfoMixin<PreferRegistersPass> {
  llvm::PreservedAnalyses run(llvm::Module &module,
                              llvm::ModuleAnalysisManager &analyses);
};

} // namespace gpulto

#endif
