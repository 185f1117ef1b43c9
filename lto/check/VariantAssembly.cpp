//===- VariantAssembly.cpp - Run ptxas over a device partition ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// ptxas compiles a partition that no other calls into as a whole: a function
// gets the registers that its callers leave, and the calls are cheap. If a
// kernel then spills, that is not always better: with -c, which makes functions
// follow the ABI, it may spill half as much (CUDA 13.0; in kernels that call
// ptxas's own functions for double-precision division and roots). So ptxas runs
// once more on the kernels that spill and call functions, and if they spill
// less, on the partition; the result that spills less is taken, if it makes no
// kernel worse. Without functions ptxas gives the same code for a kernel with
// and without -c.
//
// Then the functions' registers and spills count for all kernels, even if they
// do not call them, so the result is no worse than it looks.
//
//===----------------------------------------------------------------------===//

#include "lto/check/VariantAssembly.h"

#include "lto/check/KernelUsage.h"
#include "lto/check/Occupancy.h"
#include "lto/device/DeviceCodegen.h"
#include "lto/ptx/PtxSplice.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <numeric>

using namespace llvm;

namespace gpulto {

static uint64_t spillBytes(const KernelUsages &usages) {
  return std::accumulate(usages.begin(), usages.end(), uint64_t(0),
                         [](uint64_t sum, const auto &entry) {
                           return sum + entry.second.spillBytes();
                         });
}

/// Returns those of \p usages, from ptxas for \p cubin, that may be lower with
/// -c.
static Expected<KernelUsages> mayGainApart(StringRef cubin,
                                           const KernelUsages &usages) {
  KernelUsages spilling;
  Expected<std::set<std::string>> calling = kernelsWithFunctions(cubin);
  if (!calling)
    return calling.takeError();
  for (const auto &[name, usage] : usages)
    if (usage.spillBytes() && calling->count(name))
      spilling.emplace(name, usage);
  return spilling;
}

/// Returns whether all kernels of \p whole are in \p separate, no worse, and
/// these spill less.
static bool isBetter(const KernelUsages &separate, const KernelUsages &whole,
                     const MultiprocessorLimits &limits) {
  return spillBytes(separate) < spillBytes(whole) &&
         all_of(
             whole,
             [&](const auto &entry) {
               auto other = separate.find(entry.first);
               return other != separate.end() &&
                      !whyWorse(entry.second, other->second, limits,
                                BlockRange());
             });
}

static Expected<KernelUsages> usagesOf(const AssembledPtx &assembled,
                                       bool isSeparate) {
  Expected<KernelUsages> usages =
      isSeparate ? parseSeparateInfo(assembled.info, assembled.cubin)
                 : parsePtxasInfo(assembled.info);
  if (usages)
    if (Error error = addCodeSizes(assembled.cubin, *usages))
      return error;
  return usages;
}

/// Puts what ptxas makes of \p ptx with -c into \p assembled, and returns what
/// its kernels take.
static Expected<KernelUsages> assembleApart(const LtransJob &job, StringRef ptx,
                                            AssembledPtx &assembled) {
  DeviceCodegenOptions options = job.device;
  options.open = true;
  if (Error error =
          assemblePtx(ptx, job.arch, options, job.optLevel).moveInto(assembled))
    return std::move(error);
  return usagesOf(assembled, /*isSeparate=*/true);
}

/// Takes what ptxas makes of \p variant, which has spills, with -c if that is
/// better. Errors: ptxas, or its figures, fail.
static Error assembleSeparately(const LtransJob &job,
                                const MultiprocessorLimits &limits,
                                DeviceVariant &variant) {
  Expected<KernelUsages> before = mayGainApart(variant.cubin, variant.usages);
  if (!before)
    return before.takeError();
  if (before->empty())
    return Error::success();
  AssembledPtx assembled;
  if (before->size() < variant.usages.size()) {
    std::set<std::string> names;
    for (const auto &[name, usage] : *before)
      names.insert(name);
    Expected<std::string> some =
        keepKernels(variant.ptx, nameOfJob(job), names);
    if (!some)
      return some.takeError();
    Expected<KernelUsages> after = assembleApart(job, *some, assembled);
    if (!after)
      return after.takeError();
    if (!isBetter(*after, *before, limits))
      return Error::success();
  }
  Expected<KernelUsages> usages = assembleApart(job, variant.ptx, assembled);
  if (!usages)
    return usages.takeError();
  if (!isBetter(*usages, variant.usages, limits))
    return Error::success();
  variant.whySeparate =
      ("kernels are assembled with -c: " + Twine(spillBytes(*usages)) +
       " bytes are spilled instead of " + Twine(spillBytes(variant.usages)))
          .str();
  variant.cubin = std::move(assembled.cubin);
  variant.messages = std::move(assembled.info);
  variant.usages = std::move(*usages);
  return Error::success();
}

/// Puts what the kernels of \p variant take, by \p assembled, into it, and
/// chooses how they are assembled. A part's do as the product's do.
static Error compareAssembly(const LtransJob &job,
                             const AssembledPtx &assembled, VariantRole role,
                             DeviceVariant &variant) {
  Expected<KernelUsages> usages = usagesOf(assembled, /*isSeparate=*/false);
  if (!usages)
    return usages.takeError();
  variant.usages = std::move(*usages);
  std::optional<MultiprocessorLimits> limits = multiprocessorLimits(job.arch);
  if (role == VariantRole::Part || !limits || job.device.open ||
      !job.device.wantCubin || spillBytes(variant.usages) == 0)
    return Error::success();
  return assembleSeparately(job, *limits, variant);
}

Error assembleVariant(const LtransJob &job, VariantRole role,
                      DeviceVariant &variant) {
  variant.whySeparate.clear();
  variant.messages.clear();
  auto assembled = assemblePtx(variant.ptx, job.arch, job.device, job.optLevel);
  if (!assembled) {
    if (role == VariantRole::Product && job.device.wantCubin)
      return makeError(nameOfJob(job) + ": " + toString(assembled.takeError()));
    variant.problem = toString(assembled.takeError());
    return Error::success();
  }
  if (assembled->ptx)
    variant.ptx = *assembled->ptx;
  variant.cubin = assembled->cubin;
  variant.messages = assembled->info;
  if (!job.device.checkKernels)
    return Error::success();
  if (Error error = compareAssembly(job, *assembled, role, variant))
    variant.problem = toString(std::move(error));
  return Error::success();
}

} // namespace gpulto
