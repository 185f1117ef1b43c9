//===- Installation.h - Locations of gpulto's programs ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GPULTO_LINKER_PLUGIN_INSTALLATION_H
#define GPULTO_LINKER_PLUGIN_INSTALLATION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gpulto {

/// Returns the path of `gpulto` in the installation of this code, which may run
/// in a program of ours, or as the plugin of a linker installed elsewhere.
/// Errors: it does not exist.
llvm::Expected<std::string> findOwnProgram();

/// Returns the directory of distributors that come with \p program, `gpulto`.
std::string adapterDirectory(llvm::StringRef program);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_INSTALLATION_H
