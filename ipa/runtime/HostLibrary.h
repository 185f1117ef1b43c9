//===- HostLibrary.h - Functions that touch no device -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_RUNTIME_HOSTLIBRARY_H
#define GPULTO_IPA_RUNTIME_HOSTLIBRARY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

namespace gpulto {

/// The names of the C and C++ library and of the compiler's run-time support,
/// none of which touches a device. A program may define them differently.
class HostLibrary {
public:
  HostLibrary();
  /// Whether \p name is mangled and belongs to the C++ library, the run-time
  /// support of the language or a built-in type, as does everything that its
  /// template and function arguments name: std::swap<Mine> is the program's.
  static bool isOfCxx(llvm::StringRef name);
  /// Returns whether \p name, mangled, is one of them.
  bool contains(llvm::StringRef name) const;
  /// Whether the function \p name of the library touches no memory of the
  /// program but what its arguments lead to.
  static bool touchesArgumentsOnly(llvm::StringRef name);
  /// Whether the function \p name returns new memory of the heap.
  static bool allocates(llvm::StringRef name);
  /// Whether the function \p name frees what its first argument points to.
  static bool frees(llvm::StringRef name);

private:
  llvm::StringSet<> names;
};

} // namespace gpulto

#endif // GPULTO_IPA_RUNTIME_HOSTLIBRARY_H
