//===- DeviceCodegen.h - Optimize a device module, make PTX -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICECODEGEN_H
#define GPULTO_LTO_DEVICE_DEVICECODEGEN_H

#include "ipa/access/MemoryRow.h"
#include "lto/device/DeviceLoops.h"
#include "lto/job/LtransJob.h"
#include "support/Subprocess.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <optional>
#include <string>

namespace gpulto {

/// Returns the NVPTX machine for \p module on \p arch ("sm_90"), with the
/// newest PTX version for which its functions were compiled. Errors: unknown
/// arch.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createDeviceMachine(const llvm::Module &module, llvm::StringRef arch,
                    unsigned optLevel);

/// Runs the passes that follow ThinLTO's compile step. A function that neither
/// the merge nor inlining changed is optimized as in a plain compile. Loops of
/// the others are unrolled up to \p most; returns Sparing if that would have
/// given the same.
Unrolling optimizeDevice(llvm::Module &module, llvm::TargetMachine &machine,
                         unsigned optLevel, unsigned sizeLevel, Unrolling most);

/// Returns the PTX text of \p module, which it changes. Debug information is
/// reduced to line tables. Operations without `contract` are not fused, neither
/// here nor by ptxas. Adds what its kernels access to \p accesses, unless that
/// is null. Errors: the target emits no text.
llvm::Expected<std::string> emitPtx(llvm::Module &module,
                                    llvm::TargetMachine &machine,
                                    std::vector<MemoryRow> *accesses);

/// Runs the CUDA tool \p program in \p directory, with large pages of memory if
/// the C library and the system have them. Errors: those of runProcess.
llvm::Expected<ProcessResult> runTool(llvm::StringRef program,
                                      llvm::ArrayRef<std::string> arguments,
                                      llvm::StringRef directory,
                                      const ToolOptions &options);

/// Returns why \p cubin, which a tool wrote to \p directory, is not a complete
/// ELF file, for a message; empty if it is one. ptxas (13.0) succeeds even if
/// the disk is full.
std::string findCubinDamage(llvm::StringRef cubin, llvm::StringRef directory);

/// The output of ptxas.
struct AssembledPtx {
  /// The assembled text, if it differs from the given one.
  std::optional<std::string> ptx;
  std::string cubin;
  /// Its messages, with the output of `ptxas -v` for each kernel; see
  /// lto/check/KernelUsage.h.
  std::string info;
};

/// Assembles \p ptx with ptxas. \p optLevel: 0-3. The cubin does not depend on
/// where it is made. If ptxas says that inline assembly needs a newer version
/// of PTX than the text names, the text is changed to name that version.
/// Errors: ptxas cannot be run, fails (its command and messages), or ignores an
/// external variable.
llvm::Expected<AssembledPtx> assemblePtx(llvm::StringRef ptx,
                                         llvm::StringRef arch,
                                         const DeviceCodegenOptions &options,
                                         unsigned optLevel);

} // namespace gpulto

#endif
