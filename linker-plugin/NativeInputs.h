//===- NativeInputs.h - Inputs that are not optimized -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A linker tells its door which objects it links natively. The stamp lists them
// with the reason, and -Wgpulto-skipped warns about those that the user could
// have compiled with -flto=gpu.
//
// Objects of the system are those below a lib directory of / or /usr (or in the
// sysroot), below .../lib/gcc and .../lib/clang, and in the CUDA toolkit. The
// stamp has only their file names, and for archives the number of linked
// members. Shared libraries and linker scripts are not inputs in the stamp.
// Linkers do not report them; they are found on the command line.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LINKER_PLUGIN_NATIVEINPUTS_H
#define GPULTO_LINKER_PLUGIN_NATIVEINPUTS_H

#include "linker-plugin/FarDeviceCode.h"
#include "linker-plugin/LinkOptionsReader.h"
#include "linker-plugin/LinkerCommandLine.h"
#include "lto/tables/Stamp.h"
#include "support/Diagnostics.h"
#include "support/Error.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpulto {

/// Returns the stamp's entry for the object \p file at \p where, whose native
/// code is linked. \p isJoined: its bitcode is kept as well (-r). \p why: why
/// the linker does not read its bitcode; if empty, finds out. Unless it is
/// joined, adds its device code to \p deviceCode, if given.
StampInput describeNative(llvm::MemoryBufferRef file,
                          const InputLocation &where, bool isJoined,
                          llvm::StringRef why,
                          DeviceSections *deviceCode = nullptr);

/// Recognizes files that are not the user's.
class SystemFiles {
public:
  /// \p cudaPath, \p sysroot: may be empty.
  SystemFiles(llvm::StringRef cudaPath, llvm::StringRef sysroot);

  /// Whether \p path, as a linker opened it, belongs to the system.
  bool contains(llvm::StringRef path);

private:
  std::vector<std::string> roots;
  llvm::StringMap<bool> known; ///< by directory, as given
};

/// Names like those of CUDA's runtime and driver that a file exports.
struct CudaNames {
  std::vector<std::string> defined, used;
};

/// The native inputs of one link.
class NativeInputs {
public:
  /// Adds \p input. \p isReported: a warning has already said that it is not
  /// optimized.
  void add(StampInput input, bool isReported);

  /// Adds the object \p file; for \p isJoined and \p why see describeNative. If
  /// there is a reason, a warning has already given it.
  void addObject(llvm::MemoryBufferRef file, const InputLocation &where,
                 bool isJoined, llvm::StringRef why);

  /// Adds the shared libraries among \p files that are not of the system, and
  /// scripts that may name some. Errors: one exists but cannot be read.
  llvm::Error addLibraries(llvm::ArrayRef<LinkerInput> files,
                           const ParsedLinkOptions &options,
                           llvm::StringRef sysroot);

  /// Returns the EM_ constant of the first 64-bit ELF object, if any.
  std::optional<uint16_t> machine() const { return elfMachine; }
  /// Whether there is an object of another kind, with which our note cannot be
  /// linked.
  bool hasOtherKind() const { return otherKind; }

  /// Warns about inputs that are not optimized though they could be, or makes
  /// these errors, as \p options say.
  void report(const ParsedLinkOptions &options, llvm::StringRef sysroot,
              Diagnostics &diagnostics) const;

  /// Names an input that is not of the system, in a clause; empty if there is
  /// none.
  std::string foreignCode(const ParsedLinkOptions &options,
                          llvm::StringRef sysroot) const;

  /// Returns the names of CUDA's runtime that inputs outside the system define.
  std::set<std::string> runtimeFunctions(const ParsedLinkOptions &options,
                                         llvm::StringRef sysroot) const;

  /// Returns the names of CUDA's runtime and driver that inputs outside the
  /// system use.
  std::set<std::string> usedFunctions(const ParsedLinkOptions &options,
                                      llvm::StringRef sysroot) const;

  /// Returns the device code in native objects.
  const DeviceSections &deviceSections() const { return deviceCode; }

  /// Adds the inputs to \p stamp, which has those that were optimized, gives
  /// all inputs their names in the stamp, and sorts them.
  void complete(Stamp &stamp, const ParsedLinkOptions &options,
                llvm::StringRef sysroot) const;

private:
  struct Entry {
    StampInput input;
    bool isReported = false;
    CudaNames names;
  };
  struct Library {
    std::string path;
    CudaNames names;
  };
  void forEachForeign(const ParsedLinkOptions &options, llvm::StringRef sysroot,
                      llvm::function_ref<void(const CudaNames &)> visit) const;

  std::vector<Entry> inputs;
  std::vector<Library> libraries; ///< not of the system
  DeviceSections deviceCode;
  std::optional<uint16_t> elfMachine;
  bool otherKind = false;
};

/// Returns the name of \p path in a stamp: without the prefixes that
/// --gpulto-prefix-map= replaces, relative if it is below \p directory, the
/// current one.
std::string stampName(llvm::StringRef path, const ParsedLinkOptions &options,
                      llvm::StringRef directory);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_NATIVEINPUTS_H
