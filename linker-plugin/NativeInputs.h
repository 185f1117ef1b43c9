//===- NativeInputs.h - Inputs that are not optimized -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A linker tells its door of the objects that it links as they are. The stamp
// lists them with the reason, and -Wgpulto-skipped speaks of those that the
// user could have compiled with -flto=gpu.
//
// Of the system are objects below a lib directory of / or /usr (of the sysroot,
// too), below .../lib/gcc and .../lib/clang, and of the CUDA toolkit. The stamp
// has their file names only, and of archives how many members were linked.
// Shared libraries and linker scripts are no inputs of the stamp. Linkers do
// not tell of them: they are found on the command line.
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

/// Returns what the stamp says of the object \p file at \p where, whose native
/// code is linked. \p isJoined: and its bitcode is kept beside it (-r).
/// \p why: what keeps the linker from reading its bitcode; empty: find out.
/// Unless it is joined, its device code is added to \p deviceCode, if given.
StampInput describeNative(llvm::MemoryBufferRef file,
                          const InputLocation &where, bool isJoined,
                          llvm::StringRef why,
                          DeviceSections *deviceCode = nullptr);

/// Says which files are not the user's.
class SystemFiles {
public:
  /// \p cudaPath, \p sysroot: may be empty.
  SystemFiles(llvm::StringRef cudaPath, llvm::StringRef sysroot);

  /// Whether \p path, as a linker opened it, is of the system.
  bool contains(llvm::StringRef path);

private:
  std::vector<std::string> roots;
  llvm::StringMap<bool> known; ///< by directory, as given
};

/// Names like those of CUDA's runtime and driver that others see in a file.
struct CudaNames {
  std::vector<std::string> defined, used;
};

/// The native inputs of one link.
class NativeInputs {
public:
  /// Adds \p input. \p isReported: a warning said already that it is not
  /// optimized.
  void add(StampInput input, bool isReported);

  /// Adds the object \p file; for \p isJoined and \p why see describeNative. If
  /// there is a reason, a warning has said it.
  void addObject(llvm::MemoryBufferRef file, const InputLocation &where,
                 bool isJoined, llvm::StringRef why);

  /// Adds the shared libraries among \p files that are not of the system, and
  /// scripts that may name some. Errors: one is there and cannot be read.
  llvm::Error addLibraries(llvm::ArrayRef<LinkerInput> files,
                           const ParsedLinkOptions &options,
                           llvm::StringRef sysroot);

  /// Returns the EM_ constant of the first ELF object of 64 bits; none.
  std::optional<uint16_t> machine() const { return elfMachine; }
  /// Whether there is an object of another kind, which no note of ours can be
  /// linked with.
  bool hasOtherKind() const { return otherKind; }

  /// Warns of inputs that are not optimized though they could be, or makes
  /// them errors, as \p options say.
  void report(const ParsedLinkOptions &options, llvm::StringRef sysroot,
              Diagnostics &diagnostics) const;

  /// Names one that is not of the system, in a clause; empty: there is none.
  std::string foreignCode(const ParsedLinkOptions &options,
                          llvm::StringRef sysroot) const;

  /// Returns the names of CUDA's runtime that inputs define which are not of
  /// the system.
  std::set<std::string> runtimeFunctions(const ParsedLinkOptions &options,
                                         llvm::StringRef sysroot) const;

  /// Returns the names of CUDA's runtime and driver that such inputs use.
  std::set<std::string> usedFunctions(const ParsedLinkOptions &options,
                                      llvm::StringRef sysroot) const;

  /// Returns the device code in native objects.
  const DeviceSections &deviceSections() const { return deviceCode; }

  /// Adds the inputs to \p stamp, whose inputs are those that were optimized,
  /// gives all of them the names under which the stamp has them, and sorts
  /// them.
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
