//===- DeviceAccesses.h - Report what kernels access ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICEACCESSES_H
#define GPULTO_LTO_DEVICE_DEVICEACCESSES_H

#include "ipa/access/MemoryRow.h"

#include "llvm/Target/TargetMachine.h"

#include <vector>

namespace llvm {
class Module;
class TargetPassConfig;
} // namespace llvm

namespace gpulto {

/// Adds the rows of each kernel of \p module, which is not optimized, to \p rows:
/// those of a copy in which variables are registers and callees are inlined, as
/// they stand in the source.
void reportPlainAccesses(const llvm::Module &module,
                         llvm::TargetMachine &machine,
                         std::vector<MemoryRow> &rows);

/// Has code generation for \p machine, as \p config makes it, add the rows of
/// each kernel to \p rows before instructions are selected. It optimizes; \p
/// rows must outlive it.
void insertAccessReport(llvm::TargetPassConfig &config,
                        llvm::TargetMachine &machine,
                        std::vector<MemoryRow> &rows);

} // namespace gpulto

#endif
