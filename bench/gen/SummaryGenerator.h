//===- SummaryGenerator.h - Summaries of programs that do not exist -*- C++
//-*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole-program analysis reads summaries alone, so that a program of any size
// can be analyzed without being compiled. The shape is that of large C++ code:
// few functions that many call, inline functions that many files have copies
// of, kernels with a stub, a few launches and helpers of their own.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_BENCH_GEN_SUMMARYGENERATOR_H
#define GPULTO_BENCH_GEN_SUMMARYGENERATOR_H

#include "summary/CombinedModule.h"
#include "summary/CombinedSummary.h"

#include "llvm/ADT/StringSet.h"

#include <cstdint>
#include <string>

namespace gpulto {

/// The size and shape of a program.
struct GeneratorOptions {
  uint32_t files = 1000;
  /// Host functions with a body, copies of inline functions included.
  uint32_t functions = 100000;
  /// Kernels; they lie in the first files that have room for them, at most
  /// eight each.
  uint32_t kernels = 1000;
  uint64_t seed = 1;
  /// Families of kernels, as the instances of a template are: kernels of one
  /// family lie in many files, share helpers that no other family uses, and
  /// differ in size. 0: all kernels draw from 64 helpers, some of which nearly
  /// all use.
  uint32_t families = 0;
};

/// One translation unit: summaries as an object file holds them, which bring
/// their own names.
struct GeneratedUnit {
  std::string host;
  std::string device; ///< empty: the file has no device code
};

/// Returns translation unit \p file, below options.files. A pure function of
/// its arguments, on every machine; units fit each other.
GeneratedUnit generateUnit(const GeneratorOptions &options, uint32_t file);

/// Reads \p bytes, a summary of unit \p file, as a link does.
CombinedModule readGenerated(llvm::StringRef bytes, uint32_t file);

/// Adds to \p module what a linker says of an executable: the first definition
/// prevails; \p defined has the symbols of the units before.
void resolveGenerated(CombinedModule &module, llvm::StringSet<> &defined);

} // namespace gpulto

#endif
