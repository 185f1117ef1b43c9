//===- AccessReport.h - Which accesses of a kernel waste --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_ACCESS_ACCESSREPORT_H
#define GPULTO_IPA_ACCESS_ACCESSREPORT_H

#include "ipa/access/MemoryRow.h"
#include "summary/Facts.h"

#include <vector>

namespace llvm {
class Function;
class TargetIRAnalysis;
} // namespace llvm

namespace gpulto {

/// Returns a row for each access of \p kernel in each shape, in the order of
/// the body. Instructions of one place in the source, or without line tables of
/// one pattern, share a row. Linear in the body, times the classes of warps.
std::vector<MemoryRow> reportAccesses(llvm::Function &kernel,
                                      const KernelLaunches &launches,
                                      const llvm::TargetIRAnalysis &target);

} // namespace gpulto

#endif
