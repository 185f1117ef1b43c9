//===- CodegenOptions.h - How code is generated -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LINK_CODEGENOPTIONS_H
#define GPULTO_LTO_LINK_CODEGENOPTIONS_H

#include "support/StableHash.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpulto {

/// How host code is generated; from the linker's command line.
struct HostCodegenOptions {
  /// -O level of code generation, 0-3, when the modules do not say otherwise.
  uint8_t optLevel = 2;
  /// "static", "pic" or "dynamic-no-pic"; empty: from the modules' PIC level.
  std::string relocationModel;
  /// The output fixes the levels of position independence, as module flags say
  /// them; else (-r) they are the modules'.
  bool outputKnown = false;
  uint8_t picLevel = 0;
  uint8_t pieLevel = 0;
  /// "small", "medium", "large", ... ; empty: the modules'.
  std::string codeModel;
  std::string cpu;
  std::vector<std::string> features;
  bool functionSections = true;
  bool dataSections = true;
  bool uniqueSectionNames = true;
  /// Names given to --wrap, if the linker leaves it to us on bitcode.
  std::vector<std::string> wrapped;
  bool operator==(const HostCodegenOptions &) const = default;
};

/// --gpulto-check-kernels. Auto: at -O2 and above.
enum class KernelCheckMode : uint8_t { Auto, Ptxas, Off };

/// How ptxas and nvlink are run. Results do not depend on it, so it is no part
/// of a job file.
struct ToolOptions {
  /// 0: no limit. The default is for what hangs: ptxas may take tens of minutes
  /// for the largest kernels on a loaded machine.
  unsigned timeoutSeconds = 7200;
  /// See ProcessOptions::ownGroup. Not in jobs: their group is ended as a
  /// whole.
  bool ownGroup = false;
  bool operator==(const ToolOptions &) const = default;
};

/// How device code is generated.
struct DeviceCodegenOptions {
  /// Absolute path of ptxas; empty: it is not needed.
  std::string ptxas;
  /// Of the program of that name; none if there is none.
  Digest ptxasDigest;
  std::vector<std::string> ptxasArguments;
  bool wantCubin = false;
  /// Kernels that decisions touched are compared with their plain builds; see
  /// lto/check/KernelCheck.h. ptxas is there.
  bool checkKernels = false;
  /// The cubin is to be joined with others by nvlink: `ptxas -ewp`.
  bool relocatable = false;
  /// It calls functions of other cubins, or these call it: `ptxas -c`.
  bool open = false;
  ToolOptions tool;
  bool operator==(const DeviceCodegenOptions &) const = default;
};

/// Which of LLVM's remarks a job reports, as regexes of the names of their
/// passes; empty: none.
struct RemarkRequest {
  std::string passed;
  std::string missed;
  std::string analysis;
  /// Of any kind, for a file.
  std::string kept;
  bool operator==(const RemarkRequest &) const = default;
};

} // namespace gpulto

#endif // GPULTO_LTO_LINK_CODEGENOPTIONS_H
