//===- SummaryChecks.h - What holds between tables --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_SUMMARYCHECKS_H
#define GPULTO_SUMMARY_SUMMARYCHECKS_H

#include <string>

namespace gpulto {

struct ModuleSummary;

/// Checks the relations between the tables of \p summary, each of which is
/// consistent in itself: jump functions name parameters of their function;
/// summaries belong to symbols of their kind. Returns what is wrong, or an
/// empty string.
std::string findInconsistency(const ModuleSummary &summary);

} // namespace gpulto

#endif
