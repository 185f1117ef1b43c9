//===- LinkerSettings.h - What options do to symbols ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Options that change symbols after resolution. A linker applies them to the
// objects that its inputs name; the objects that it gets for all bitcode belong
// to no archive, and refer to names that no bitcode has (memcpy). So the doors
// do their part:
//
//   --wrap          f, __wrap_f and __real_f stay as they are, and __wrap_f is
//                   asked for before there is code: generated code may be the
//                   only one that uses it
//   --exclude-libs  what an archive of that name defines becomes hidden in the
//                   objects that are made of it
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LINKER_PLUGIN_LINKERSETTINGS_H
#define GPULTO_LINKER_PLUGIN_LINKERSETTINGS_H

#include "linker-plugin/FarDeviceCode.h"
#include "lto/Pipeline.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"

#include <string>
#include <vector>

namespace gpulto {

/// The archives that --exclude-libs names.
struct ExcludedLibs {
  std::vector<std::string> names; ///< as given; ALL: every archive
  /// `libx` means `libx.a`: with gold and bfd.
  bool suffixIsOptional = false;

  /// Adds the names in \p value of one option, with commas or colons between.
  void add(llvm::StringRef value);

  /// Returns whether the archive \p path is meant; not if that is empty.
  bool contains(llvm::StringRef path) const;
};

/// The options of a linker's command line for the whole link.
struct LinkerSettings {
  std::string sysroot; ///< empty: none
  /// Names given to --wrap, in order, each once.
  std::vector<std::string> wrapped;
  ExcludedLibs excludedLibs;
  FarDeviceCode farDeviceCode = FarDeviceCode::Impossible;
};

/// Returns those of \p wrapped that code generated for \p triple may call
/// without any bitcode that does: memcpy, _Unwind_Resume, ...
std::vector<llvm::StringRef> wrappedRuntime(llvm::ArrayRef<std::string> wrapped,
                                            const llvm::Triple &triple);

/// Marks as visible to native code what --wrap of \p wrapped speaks of: linkers
/// do not know which of it generated code uses.
void markWrapped(llvm::ArrayRef<std::string> wrapped, LinkInputs &inputs);

/// Marks definitions in archives of \p excluded as final, since nothing
/// replaces hidden symbols. Returns their names. Under -r nothing is hidden.
llvm::StringSet<> markExcluded(const ExcludedLibs &excluded,
                               LinkInputs &inputs);

/// Hides the definitions of \p names in \p object. Errors: malformed.
llvm::Error hideSymbols(const llvm::StringSet<> &names, NativeObject &object);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_LINKERSETTINGS_H
