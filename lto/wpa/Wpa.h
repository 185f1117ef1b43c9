//===- Wpa.h - Whole-program analysis ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// From summaries and resolutions to LTRANS jobs. Reads no function body: no
// header of LLVM's IR may be included here (tools/checks/check_layers.py).
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_WPA_WPA_H
#define GPULTO_LTO_WPA_WPA_H

#include "icf/Fold.h"
#include "lto/job/LinkJobs.h"
#include "lto/link/LinkOptions.h"
#include "lto/tables/FoldTable.h"
#include "lto/tables/InlineTable.h"
#include "lto/tables/TransferTable.h"
#include "partitioner/Partition.h"
#include "summary/CombinedModule.h"
#include "summary/CombinedSummary.h"
#include "summary/NativeCode.h"
#include "support/Diagnostics.h"
#include "support/Statistics.h"

#include "llvm/Support/Error.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gpulto {

/// A bitcode module as WPA gets it: its summary, with resolutions, and where
/// LTRANS finds its bodies.
struct WpaModule {
  CombinedModule module;
  /// Path, bytes and digest; tag and symbols are filled by WPA.
  JobInput bitcode;
};

/// Options and facts of the link for analysis.
struct WpaOptions {
  LinkOptions user;
  /// `-r`: nothing is internalized.
  bool isRelocatable = false;
  HostCodegenOptions host;
  std::vector<std::string> llvmOptions; ///< as in LtransJob
  RemarkRequest remarks;                ///< as in LtransJob
  /// With ptxas, if there is one.
  DeviceCodegenOptions device;
  /// The possible forms of device code; if the user did not specify, the
  /// objects choose among them.
  EmbedKind embed = EmbedKind::Both;
  NativeHostCode native;
  unsigned threads = 1; ///< as in WpaContext
};

/// What the rest of the link does; see lto/Pipeline.cpp.
struct LinkPlan {
  /// Host jobs, then those of each architecture in order; it owns all that WPA
  /// knows, from which it makes them.
  std::unique_ptr<LinkJobs> jobs;
  std::vector<std::string> architectures;
  /// For each architecture, the forms of its code that the program carries.
  std::vector<EmbedKind> forms;
  /// The compression that objects ask for.
  ImageCompression compression = ImageCompression::Zstd;
  std::vector<RegistrationEntry> registration;
  bool usesManaged = false; ///< see makeRegistrationObject
  /// By job: the device module that gets its results.
  std::vector<uint32_t> deviceModules;
  uint32_t deviceModuleCount = 1;
  FoldTable folds;
  InlineTable inlining;
  TransferTable transfers;
  /// By the names of kernels while bodies move: their launches, with places.
  std::map<std::string, KernelLaunches> launches;
  std::string hostTriple;
  std::string hostDataLayout;
};

/// Runs whole-program analysis over \p modules, which are in input order, and
/// the device code \p native, which will be linked to theirs. Deterministic:
/// the plan depends only on the arguments. The bytes of the summaries and \p
/// diagnostics must outlive it. Errors: duplicate or undefined device symbols.
/// Counts go to \p statistics.
llvm::Expected<LinkPlan> planLink(std::vector<WpaModule> modules,
                                  llvm::ArrayRef<NativeCode> native,
                                  const WpaOptions &options,
                                  Diagnostics &diagnostics,
                                  Statistics &statistics);

} // namespace gpulto

#endif
