//===- Clones.h - Which contexts get their own body -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CLONES_CLONES_H
#define GPULTO_IPA_CLONES_CLONES_H

#include "ipa/constants/ConstantsSolver.h"

namespace gpulto {

/// Returns, by image, the instructions that copies of bodies may add: \p
/// percent of those in \p solver; small images count as larger ones.
std::vector<uint64_t> allowedGrowth(const WpaContext &context,
                                    const ConstantsSolver &solver,
                                    unsigned percent);

/// Adds clones to \p solver where calls of a function pass different constants,
/// functions or address spaces and knowing them is worth the growth; solves
/// again after each round. Deterministic.
void chooseClones(const WpaContext &context, const Callers &callers,
                  ConstantsSolver &solver);

} // namespace gpulto

#endif
