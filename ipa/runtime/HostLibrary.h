//===- HostLibrary.h - Functions that touch no device -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_RUNTIME_HOSTLIBRARY_H
#define GPULTO_IPA_RUNTIME_HOSTLIBRARY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

namespace gpulto {

/// The names of the C and C++ library and of the compiler's run-time support,
/// of which nothing touches a device. A program may define them otherwise.
class HostLibrary {
public:
  HostLibrary();
  /// Whether \p name is mangled and of the C++ library, of the run-time support
  /// of the language or of a built-in type, and so is whatever it names in
  /// arguments of templates and of functions: std::swap<Mine> is the program's.
  static bool isOfCxx(llvm::StringRef name);
  /// Returns whether \p name, mangled, is one of them.
  bool contains(llvm::StringRef name) const;

private:
  llvm::StringSet<> names;
};

} // namespace gpulto

#endif // GPULTO_IPA_RUNTIME_HOSTLIBRARY_H
