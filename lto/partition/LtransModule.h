//===- LtransModule.h - Build the module of a partition ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PARTITION_LTRANSMODULE_H
#define GPULTO_LTO_PARTITION_LTRANSMODULE_H

#include "lto/job/JobRemarks.h"
#include "lto/job/LtransJob.h"
#include "lto/job/LtransReport.h"
#include "lto/partition/LtransPlans.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpulto {

/// Keeps the errors that LLVM reports through a context, instead of printing
/// them and ending the process, and the warnings. Drops remarks unless they are
/// collected.
class DiagnosticCollector : public llvm::DiagnosticHandler {
public:
  explicit DiagnosticCollector(std::vector<JobWarning> &warnings)
      : warnings(warnings) {}

  /// Installs a collector in \p context, which owns it; warnings are added to
  /// \p warnings.
  static DiagnosticCollector &install(llvm::LLVMContext &context,
                                      std::vector<JobWarning> &warnings);

  /// From now on adds the remarks requested of \p job to \p remarks.
  void collectRemarks(const LtransJob &job, std::vector<Remark> &remarks);

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override;
  bool isAnalysisRemarkEnabled(llvm::StringRef pass) const override;
  bool isMissedOptRemarkEnabled(llvm::StringRef pass) const override;
  bool isPassedOptRemarkEnabled(llvm::StringRef pass) const override;
  bool isAnyRemarkEnabled() const override { return remarks.has_value(); }
  void warn(std::string text) { warnings.push_back({std::move(text)}); }
  /// Returns the errors reported since the last call, or success.
  llvm::Error take();

private:
  std::vector<JobWarning> &warnings;
  std::vector<std::string> errors;
  std::optional<JobRemarks> remarks;
};

/// Reads the bitcode that \p input names, decompressed. Errors: the file cannot
/// be read, has become shorter, or its contents have changed.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readJobInput(const JobInput &input);

/// Builds the module of \p job in \p context: the bodies it names, promoted
/// and with their final linkage, constructors and used lists; what was decided
/// of them is carried out as far as \p use says, with remarks in \p report.
/// \p diagnostics is \p context's. \p bodies, if not null, becomes the digest
/// of all that was read of the inputs: equal jobs with equal digests build
/// equal modules for any use. Errors: inputs missing or changed, invalid
/// bitcode, a job that does not fit its inputs, modules that cannot be merged.
llvm::Expected<std::unique_ptr<llvm::Module>>
buildPartition(const LtransJob &job, llvm::LLVMContext &context,
               DiagnosticCollector &diagnostics, LtransReport &report,
               PlanUse use, Digest *bodies = nullptr);

} // namespace gpulto

#endif
