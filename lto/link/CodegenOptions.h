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
  /// -O level of code generation, 0-3, if the modules do not say otherwise.
  uint8_t optLevel = 2;
  /// "static", "pic" or "dynamic-no-pic"; empty: from the modules' PIC level.
  std::string relocationModel;
  /// The output fixes the levels of position independence in the module flags;
  /// otherwise (-r) they are the modules'.
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
  /// Names given to --wrap, if the linker leaves wrapping of bitcode to us.
  std::vector<std::string> wrapped;
  bool operator==(const HostCodegenOptions &) const = default;
};

template <typename A> void transfer(A &a, HostCodegenOptions &o) {
  a.field("optLevel", o.optLevel);
  a.field("relocationModel", o.relocationModel);
  a.field("outputKnown", o.outputKnown);
  a.field("picLevel", o.picLevel);
  a.field("pieLevel", o.pieLevel);
  a.field("codeModel", o.codeModel);
  a.field("cpu", o.cpu);
  a.field("features", o.features);
  a.field("functionSections", o.functionSections);
  a.field("dataSections", o.dataSections);
  a.field("uniqueSectionNames", o.uniqueSectionNames);
  a.field("wrapped", o.wrapped);
}

/// --gpulto-check-kernels. Auto: at -O2 and above.
enum class KernelCheckMode : uint8_t { Auto, Ptxas, Off };

/// How to run ptxas and nvlink. Results do not depend on it, so it is not part
/// of a job file.
struct ToolOptions {
  /// 0: no limit. The default is meant for hanging tools: ptxas may take tens
  /// of minutes for the largest kernels on a loaded machine.
  unsigned timeoutSeconds = 7200;
  /// See ProcessOptions::ownGroup. Not in jobs, whose group is ended as a
  /// whole.
  bool ownGroup = false;
  bool operator==(const ToolOptions &) const = default;
};

/// How device code is generated.
struct DeviceCodegenOptions {
  /// Absolute path of ptxas; empty if not needed.
  std::string ptxas;
  /// Digest of that program; none if there is none.
  Digest ptxasDigest;
  std::vector<std::string> ptxasArguments;
  bool wantCubin = false;
  /// Compare kernels that decisions touched with their plain builds; see
  /// lto/check/KernelCheck.h. Requires ptxas.
  bool checkKernels = false;
  /// nvlink will join the cubin with others: `ptxas -ewp`, or `-c`.
  bool relocatable = false;
  /// It calls functions of other cubins, or they call it: `ptxas -c`.
  bool open = false;
  ToolOptions tool;
  bool operator==(const DeviceCodegenOptions &) const = default;
};

template <typename A> void transfer(A &a, DeviceCodegenOptions &o) {
  a.field("ptxas", o.ptxas);
  a.field("ptxasDigest", o.ptxasDigest);
  a.field("ptxasArguments", o.ptxasArguments);
  a.field("wantCubin", o.wantCubin);
  a.field("checkKernels", o.checkKernels);
  a.field("relocatable", o.relocatable);
  a.field("open", o.open);
}

/// Which of LLVM's remarks a job reports, as regexes for names of passes;
/// empty: none.
struct RemarkRequest {
  std::string passed;
  std::string missed;
  std::string analysis;
  /// Remarks of any kind, for a file.
  std::string kept;
  bool operator==(const RemarkRequest &) const = default;
};

template <typename A> void transfer(A &a, RemarkRequest &r) {
  a.field("passed", r.passed);
  a.field("missed", r.missed);
  a.field("analysis", r.analysis);
  a.field("kept", r.kept);
}

} // namespace gpulto

#endif // GPULTO_LTO_LINK_CODEGENOPTIONS_H
