//===- Constants.h - Interprocedural constant propagation -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_PLANS_CONSTANTS_H
#define GPULTO_IPA_PLANS_CONSTANTS_H

#include <memory>

namespace gpulto {
class Callers;
class Statistics;
struct KnownValues;
struct WpaContext;

/// Decides Decisions::facts: what the parameters of each live function, and
/// the launch geometry that device code can ask for, are in all contexts. Needs
/// Decisions::live, visibleOutside and effects. Remarks: pass
/// `gpulto-constants` for functions, `gpulto-launches` for kernels. Counts what
/// is known of launches in \p statistics. Returns what it found, for passes
/// after it.
std::unique_ptr<KnownValues> propagateConstants(WpaContext &context,
                                                const Callers &callers,
                                                Statistics &statistics);

} // namespace gpulto

#endif
