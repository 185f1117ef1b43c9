//===- LaunchCounts.h - How much is known of launches -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_PLANS_LAUNCHCOUNTS_H
#define GPULTO_IPA_PLANS_LAUNCHCOUNTS_H

#include "ipa/constants/ConstantsSolver.h"
#include "support/Statistics.h"

namespace gpulto {

/// Counts, for --gpulto-stats, what \p solver proved of the launches of the
/// program and of the kernels that they launch. Changes nothing.
void countLaunches(const WpaContext &context, const Callers &callers,
                   const ConstantsSolver &solver, Statistics &statistics);

} // namespace gpulto

#endif
