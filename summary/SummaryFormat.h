//===- SummaryFormat.h - Bytes of a module summary --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Summaries are stored raw, but for what they tell of copies (every link reads
// all of them), and small: numbers are LEB128, and names in the string table of
// the module's bitcode are referred to there instead of being stored again.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_SUMMARYFORMAT_H
#define GPULTO_SUMMARY_SUMMARYFORMAT_H

#include "support/Error.h"

#include "llvm/Support/Error.h"

#include <string>

namespace gpulto {

struct ModuleSummary;

/// Returns the bytes of \p summary. Names found in \p bitcodeNames (the STRTAB
/// blob of the module's bitcode; empty if reading it would need decompression)
/// are stored as references into it, the others in a string table of the
/// summary's own. Deterministic: a pure function of its arguments.
std::string writeSummary(const ModuleSummary &summary,
                         llvm::StringRef bitcodeNames);

/// Reads what writeSummary wrote. The result's names point into \p bytes and
/// \p bitcodeNames, which must outlive it. Every index is checked against its
/// table and every range against its bounds, so that WPA can use them without
/// checks. Errors: InputError with \p location and the offset in \p bytes.
llvm::Expected<ModuleSummary> readSummary(llvm::StringRef bytes,
                                          llvm::StringRef bitcodeNames,
                                          const InputLocation &location);

} // namespace gpulto

#endif
