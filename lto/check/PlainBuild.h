//===- PlainBuild.h - Plain builds of kernels, kept -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_CHECK_PLAINBUILD_H
#define GPULTO_LTO_CHECK_PLAINBUILD_H

#include "lto/check/KernelCheck.h"
#include "lto/job/LtransJob.h"
#include "support/StableHash.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <set>
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace gpulto {

/// Returns what the plain build of \p cut depends on, beside the programs that
/// make it: the kernels of a partition of \p job that are to be compared, cut
/// out of it and not optimized yet. \p suffix: see digestOfModule.
Digest keyOfPlainBuild(const llvm::Module &cut, llvm::StringRef suffix,
                       const LtransJob &job);

/// Returns what the figures of \p kernels of a plain build depend on, which
/// ptxas says of them alone; \p build: keyOfPlainBuild.
Digest keyOfFigures(const Digest &build, const std::set<std::string> &kernels);

/// Returns what is to be known again of \p variant, a plain build that was
/// generated.
std::string encodePlainBuild(const DeviceVariant &variant);

/// Returns what \p bytes, of encodePlainBuild, say; nothing if they are not
/// that.
std::optional<DeviceVariant> decodePlainBuild(llvm::StringRef bytes);

std::string encodeFigures(const KernelUsages &usages);

/// Returns what \p bytes, of encodeFigures, say; nothing if they are not that.
std::optional<KernelUsages> decodeFigures(llvm::StringRef bytes);

} // namespace gpulto

#endif
