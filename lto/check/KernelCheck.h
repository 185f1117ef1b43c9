//===- KernelCheck.h - Decisions must not cost a kernel ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_CHECK_KERNELCHECK_H
#define GPULTO_LTO_CHECK_KERNELCHECK_H

#include "lto/check/KernelCut.h"
#include "lto/check/KernelUsage.h"
#include "lto/check/Occupancy.h"
#include "lto/device/DeviceLoops.h"
#include "lto/job/LtransJob.h"
#include "lto/job/LtransReport.h"
#include "lto/partition/LtransPlans.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpulto {

/// The phase of a job that checks; see lto/job/JobPhases.h.
inline constexpr llvm::StringLiteral kCheckKernelsPhase = "checking kernels";

/// Block sizes that a kernel may be launched with, in threads, inclusive.
struct BlockRange {
  unsigned low = 1;
  unsigned high = kMaxBlockThreads;
};

/// A kernel such that a decision touched it or something that it may call.
struct TouchedKernel {
  std::string name;     ///< in PTX
  std::string function; ///< linkage name
  BlockRange block;
  Remark remark; ///< on it, without a text
};

/// A device partition, compiled in some way.
struct DeviceVariant {
  std::string ptx;
  std::string cubin; ///< empty if ptxas was not needed
  /// Of all kernels of the cubin.
  KernelUsages usages;
  /// Why there are no usages though they were requested; otherwise empty.
  std::string problem;
  /// Messages of ptxas about this cubin.
  std::string messages;
  /// Why ptxas compiled functions separately from kernels (-c); empty if it did
  /// not.
  std::string whySeparate;
  std::vector<TouchedKernel> touched; ///< in the order of the module
  KernelReaches reaches;              ///< if there is something to compare
  std::set<std::string> lasting;      ///< see findLasting
  /// Sparing: asking for less unrolling would change no loop.
  Unrolling unrolling = Unrolling::Sparing;
  /// The cache key of what was generated, if the cache keeps it.
  std::optional<Digest> key;
};

/// How a variant is made.
struct VariantRequest {
  PlanUse plans = PlanUse::All;
  Unrolling unrolling = Unrolling::Full;
  /// If not empty, only these kernels are compiled, by their names in PTX.
  std::set<std::string> only;
  /// How many blocks of a kernel must be resident, whatever ptxas gives up to
  /// save registers.
  std::map<std::string, unsigned> residentBlocks{};
  bool operator==(const VariantRequest &) const = default;
};

/// The operations of a job that its check uses.
struct VariantTools {
  /// Makes a variant, as PTX.
  llvm::function_ref<llvm::Expected<DeviceVariant>(const VariantRequest &)>
      generate;
  /// Adds to a variant from `generate` the usage of its `kernels`, or a
  /// problem.
  llvm::function_ref<llvm::Error(DeviceVariant &,
                                 const std::set<std::string> &kernels,
                                 const VariantRequest &)>
      measure;
  /// Runs ptxas on the PTX of a variant that becomes the product.
  llvm::function_ref<llvm::Error(DeviceVariant &)> assemble;
};

/// Returns the kernels of \p partition, built for \p job and not yet optimized,
/// that applyPlans touched.
std::vector<TouchedKernel> findTouchedKernels(llvm::Module &partition,
                                              const LtransJob &job);

/// Returns whether whyWorse can find no build better than \p optimized for
/// blocks in \p block: nothing is spilled, and neither registers nor shared
/// memory limit the number of resident blocks.
bool cannotBeWorse(const KernelUsage &optimized,
                   const MultiprocessorLimits &limits, BlockRange block);

/// Returns why a kernel with usage \p optimized is worse than one with usage \p
/// plain: it spills more, or fewer of its blocks are resident for a size in \p
/// block. Nothing if it is not worse. A plain kernel that cannot be launched at
/// all is never better.
std::optional<std::string> whyWorse(const KernelUsage &plain,
                                    const KernelUsage &optimized,
                                    const MultiprocessorLimits &limits,
                                    BlockRange block);

/// Returns \p optimized, which is \p job built with all decisions, after
/// replacing kernels that decisions made worse by other builds from \p tools:
/// with fewer registers or less unrolled loops if that helps, otherwise plain
/// ones. Remarks, warnings and counters go to \p report. Errors: those of \p
/// tools.
llvm::Expected<DeviceVariant> checkKernels(const LtransJob &job,
                                           DeviceVariant optimized,
                                           const VariantTools &tools,
                                           LtransReport &report);

} // namespace gpulto

#endif
