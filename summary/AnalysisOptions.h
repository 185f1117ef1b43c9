//===- AnalysisOptions.h - The user's options for passes of WPA -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_ANALYSISOPTIONS_H
#define GPULTO_SUMMARY_ANALYSISOPTIONS_H

namespace gpulto {

/// The options of the link that passes of whole-program analysis look at, as
/// WpaContext::options; a part of LinkOptions. See linker-plugin/Options.td.
struct AnalysisOptions {
  /// Kernels may get versions that the host chooses at the launch.
  bool guardsKernels = true;
  /// Copies that need not be made are not made.
  bool removesCopies = true;
  /// Copies that may be the same as the last time ask when the program runs.
  bool recordsCopies = false;
  /// The user's word that code which is not seen runs nodes of graphs with the
  /// parameters that the program gave them.
  bool areNodesUnchanged = false;
};

} // namespace gpulto

#endif
