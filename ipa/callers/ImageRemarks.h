//===- ImageRemarks.h - Remarks on code of several architectures -*- C++ -*-==//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CALLERS_IMAGEREMARKS_H
#define GPULTO_IPA_CALLERS_IMAGEREMARKS_H

#include "ipa/callers/Callers.h"
#include "summary/Remarks.h"

#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace gpulto {

/// The pass that remarks on launches name.
inline constexpr llvm::StringLiteral kLaunchPass = "gpulto-launches";

/// Adds a remark of gpulto-launches about the kernel \p kernel.
void addKernelRemark(const WpaContext &context, RemarkKind kind,
                     llvm::StringRef name, GlobalId kernel, std::string text);

/// Gathers remarks. One on device code names its architecture unless the same
/// is said of the function in all images that have it.
class ImageRemarks {
public:
  ImageRemarks(const WpaContext &context, const Callers &callers);

  /// Keeps a remark about the definition \p id until say().
  void add(RemarkKind kind, llvm::StringRef pass, llvm::StringRef name,
           GlobalId id, std::string text);

  /// Says all, in the order in which they came.
  void say();

private:
  struct Kept {
    RemarkKind kind = RemarkKind::Passed;
    std::string pass, name;
    GlobalId id = kNone;
    std::string text;
  };
  std::string functionKey(GlobalId id) const;
  std::string remarkKey(const Kept &remark) const;

  const WpaContext &context;
  const CombinedSummary &program;
  std::vector<Kept> kept;
  /// Images that have a function; looked up only.
  llvm::StringMap<unsigned> functions;
};

} // namespace gpulto

#endif
