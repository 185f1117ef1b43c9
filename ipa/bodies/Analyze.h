//===- Analyze.h - The LGEN stage of the interprocedural passes -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Each function fills its part of LgenContext::summary, for all bodies of the
// module. They run in the order of lto/link/Passes.def; later ones use what
// earlier ones filled. None changes the module.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_BODIES_ANALYZE_H
#define GPULTO_IPA_BODIES_ANALYZE_H

#include "ipa/bodies/LgenContext.h"

#include "llvm/Support/Error.h"

namespace gpulto {

/// Fills symbols, COMDATs, atoms, variables with what their initializers refer
/// to, aliases and structors; makes an empty FunctionSummary per body.
void analyzeVisibility(LgenContext &context);

/// Returns whether \p call is an edge of the summary: neither an intrinsic nor
/// inline assembly. LTRANS counts calls by the same rule.
bool isCallEdge(const llvm::CallBase &call);

/// Fills FunctionSummary::flags, line, launch bounds and attributesDigest.
void analyzeFunctionFacts(LgenContext &context);

/// Fills parameters, call edges with the jump functions of their arguments, and
/// the jump function of the result.
void analyzeCalls(LgenContext &context);

/// Fills offload entries, kernel stubs, launch sites and stub arguments.
/// Errors: an offload entry that does not have the shape that clang gives it.
llvm::Error analyzeLaunches(LgenContext &context);

/// Fills launch sites of device code; a part of analyzeLaunches.
void analyzeDeviceLaunches(LgenContext &context);

/// Fills references, memory effects, address-taken flags and what bodies do
/// with the memory that their pointer parameters lead to.
void analyzeEffects(LgenContext &context);

/// Fills size, time, frequencies of calls, stack, registers, loop depth.
void analyzeCosts(LgenContext &context);

/// Host: marks calls that are rarely reached, and those in loops.
void analyzeColdness(LgenContext &context);

/// Host: fills types of functions, and what prevents a change of signature.
void analyzeSignatures(LgenContext &context);

/// Fills the guards of device kernels: facts that would pay off in them.
void analyzeGuards(LgenContext &context);

} // namespace gpulto

#endif
