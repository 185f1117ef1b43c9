//===- Passes.h - The entries of the interprocedural passes -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// All that lto/link/Passes.def names of ipa/, in its order; lto/ calls it.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_BODIES_PASSES_H
#define GPULTO_IPA_BODIES_PASSES_H

#include "ipa/bodies/LgenContext.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace gpulto {

class Callers;
class Statistics;
struct FunctionDecisions;
struct KnownValues;
struct WpaContext;

//===----------------------------------------------------------------------===//
// LGEN
//
// Each fills its part of LgenContext::summary, for all bodies of the module,
// from what those above it have filled. None changes the module.
//===----------------------------------------------------------------------===//

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

/// Host: fills the events of functions around copies.
void analyzeTransfers(LgenContext &context);

/// Fills the guards of device kernels: facts that would pay off in them.
void analyzeGuards(LgenContext &context);

//===----------------------------------------------------------------------===//
// WPA
//
// Each decides a part of WpaContext::decisions. The entries that need more are
// in lto/wpa/WpaPasses.cpp.
//===----------------------------------------------------------------------===//

/// Decides effects of functions, neverWritten and neverRead. Needs live and
/// visibleOutside. Remarks: pass `gpulto-effects`.
void propagateEffects(WpaContext &context, const Callers &callers);

/// Decides FunctionDecisions::coldness. Needs live and visibleOutside. Remarks:
/// pass `gpulto-coldness`.
void propagateColdness(WpaContext &context, const Callers &callers);

/// Decides facts in Decisions::plans: what the parameters of each live
/// function, and the launch geometry that device code can ask for, are in all
/// contexts. Needs live, visibleOutside and effects. Remarks: pass
/// `gpulto-constants` for functions, `gpulto-launches` for kernels. Counts what
/// is known of launches in \p statistics. Returns what it found, for passes
/// after it.
std::unique_ptr<KnownValues> propagateConstants(WpaContext &context,
                                                const Callers &callers,
                                                Statistics &statistics);

/// Gives kernels a second version for facts that the host tests at the launch,
/// where that pays: adds to Decisions::plans. Remarks: pass `gpulto-launches`,
/// GuardedKernel.
void propagateGuards(WpaContext &context, const Callers &callers,
                     const KnownValues &values);

/// Decides launches of live kernels: the shapes of launches whose blocks are
/// constant, up to kMostShapes, and the parameters' names.
void propagateMemory(WpaContext &context, const Callers &callers,
                     const KnownValues &values);

/// Decides which copies between host and device go: adds to Decisions::plans.
/// Remarks: pass `gpulto-transfers`.
void propagateTransfers(WpaContext &context, const Callers &callers,
                        const KnownValues &values);

/// Decides Decisions::signatures. Needs the plans. Remarks: pass
/// `gpulto-signatures`.
void propagateSignatures(WpaContext &context, const Callers &callers);

//===----------------------------------------------------------------------===//
// LTRANS
//
// Each puts a part of what was decided of a function on its definition or
// declaration, before plans are applied, so that clones inherit it. The entries
// that need more of the job are in lto/partition/.
//===----------------------------------------------------------------------===//

/// Puts FunctionDecisions::coldness into attributes of the host function \p
/// function. Code generation gives functions that hardly ever run a separate
/// section (`.text.unlikely`), and calls of them make their blocks cold.
void transformColdness(llvm::Function &function,
                       const FunctionDecisions &decisions);

} // namespace gpulto

#endif
