//===- LinkOptions.h - The user's options for a link ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LINK_LINKOPTIONS_H
#define GPULTO_LTO_LINK_LINKOPTIONS_H

#include "fatobj/DeviceImage.h"
#include "icf/Fold.h"
#include "lto/link/CodegenOptions.h"
#include "lto/link/DeviceTools.h"
#include "lto/link/Progress.h"
#include "lto/link/RemoteOptions.h"
#include "partitioner/Partition.h"
#include "summary/AnalysisOptions.h"
#include "support/Jobserver.h"
#include "support/Params.h"

#include "llvm/Support/CachePruning.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpulto {

/// --gpulto-memory=: memory that the jobs of all links of this machine may
/// take.
struct MemoryLimit {
  /// 0: a share of the free memory, including what jobs have taken.
  uint64_t bytes = 0;
  /// Leaves a fifth for other programs, and for wrong estimates.
  unsigned freePercent = 80;
  /// As the user wrote it; empty if not given.
  std::string text{};
  bool operator==(const MemoryLimit &) const = default;
};

/// --gpulto-cache-dir= and its like.
struct CacheOptions {
  std::string directory; // empty: no cache
  llvm::CachePruningPolicy policy;
};

/// -Werror=gpulto-uncoalesced and --gpulto-allow-uncoalesced=.
struct MemoryReportOptions {
  bool isError = false;
  /// Patterns of kernels and source files that may waste bandwidth.
  std::vector<std::string> allowed;
};

/// The user's options for a link; see linker-plugin/Options.td.
struct LinkOptions {
  unsigned jobs = 0; // 0: jobserver, else cores
  JobserverMode jobserver = JobserverMode::Auto;
  MemoryLimit memory;
  RemoteOptions remote;
  EmbedKind embed = EmbedKind::Both;
  bool embedGiven = false;
  std::optional<ImageCompression> compression; ///< else as the objects say
  KernelCheckMode kernelCheck = KernelCheckMode::Auto;
  FoldOptions icf;
  AnalysisOptions analysis;
  MemoryReportOptions memoryReport;
  PartitionOptions partitions;
  std::string cudaPath;
  std::vector<std::string> ptxasArguments;
  unsigned toolTimeoutSeconds = ToolOptions().timeoutSeconds;
  std::string statsFile;
  std::string timeTraceFile;
  std::string saveTempsDirectory; // empty: keep nothing
  std::string saveLinkDirectory;  // empty: as above
  std::string outputFile;         // for messages
  CacheOptions cache;
  ProgressMode progress = ProgressMode::Auto;
  bool verbose = false;
  Params params;

  /// Whether jobs write time traces, too.
  bool isTraced() const { return !timeTraceFile.empty(); }
};

} // namespace gpulto

#endif // GPULTO_LTO_LINK_LINKOPTIONS_H
