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

/// Returns the digest of what the plain build of \p cut depends on, besides the
/// programs that make it. \p cut holds the kernels of a partition of \p job
/// that are to be compared, cut out of it and not yet optimized. \p suffix: see
/// digestOfModule.
Digest keyOfPlainBuild(const llvm::Module &cut, llvm::StringRef suffix,
                       const LtransJob &job);

/// Returns the digest of what the figures of \p kernels of a plain build depend
/// on, which ptxas gives for them alone; \p build: keyOfPlainBuild.
Digest keyOfFigures(const Digest &build, const std::set<std::string> &kernels);

/// Returns the data to keep of \p variant, a generated plain build.
std::string encodePlainBuild(const DeviceVariant &variant);

/// Decodes \p bytes from encodePlainBuild; returns nothing if they are
/// something else.
std::optional<DeviceVariant> decodePlainBuild(llvm::StringRef bytes);

std::string encodeFigures(const KernelUsages &usages);

/// Decodes \p bytes from encodeFigures; returns nothing if they are something
/// else.
std::optional<KernelUsages> decodeFigures(llvm::StringRef bytes);

} // namespace gpulto

#endif
