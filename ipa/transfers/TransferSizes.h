//===- TransferSizes.h - Whether a launch writes all of a copy --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_TRANSFERSIZES_H
#define GPULTO_IPA_TRANSFERS_TRANSFERSIZES_H

#include "ipa/transfers/TransferGraph.h"

namespace gpulto {

/// Whether \p overwrite, of a launch that starts, writes all bytes of \p copy,
/// a copy or fill that succeeded, from where it begins. See
/// TransferSizesPropagate.cpp.
bool writesAll(const TransferGraph &graph, const TransferOverwrite &overwrite,
               const TransferNode &copy);

} // namespace gpulto

#endif
