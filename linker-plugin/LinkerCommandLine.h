//===- LinkerCommandLine.h - What a linker does not tell us -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The plugin interface gives only the needed members of an archive, nothing
// about --wrap (bfd), not always the symbols that options use, and no order of
// inputs that is reliable with threads (gold). The command line of the process
// into which the plugin is loaded has all of this.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LINKER_PLUGIN_LINKERCOMMANDLINE_H
#define GPULTO_LINKER_PLUGIN_LINKERCOMMANDLINE_H

#include "linker-plugin/LinkerSettings.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <string>
#include <system_error>
#include <vector>

namespace gpulto {

/// A linked file.
struct LinkerInput {
  std::string path;
  /// Which words of the command line name it.
  size_t firstWord = 0;
  size_t endWord = 0;
};

struct LinkerCommandLine : LinkerSettings {
  /// Symbols that options use: -e, -init, -fini, --defsym, linker scripts, ...
  /// Contains all words of a script or an expression, whatever they mean.
  llvm::StringSet<> used;
  /// Files named as inputs and found for -l, in order, as the linker opens
  /// them. May contain values of options that we do not know, so users check
  /// that a file is of the right kind.
  std::vector<LinkerInput> inputs;
  /// Plugins, as named.
  std::vector<std::string> plugins;
};

/// Returns whether a file may exist although looking for it failed with \p
/// problem.
bool mayBeThere(std::error_code problem);

/// Reads \p arguments of a GNU-compatible linker, without the program's name;
/// expands response files and counts words afterwards. Looks for -l only in the
/// directories of -L: it does not find archives in the linker's own search
/// path. Leaves it to the linker to report a script that cannot be read.
/// Errors: an unreadable response file, a directory that cannot be searched.
llvm::Expected<LinkerCommandLine>
readLinkerCommandLine(llvm::ArrayRef<const char *> arguments);

/// Reads the command line of this process. Errors: as above; /proc does not
/// exist.
llvm::Expected<LinkerCommandLine> readOwnCommandLine();

/// Returns the files of \p inputs that are archives, without duplicates, in
/// order.
std::vector<std::string> archivesAmong(llvm::ArrayRef<LinkerInput> inputs);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_LINKERCOMMANDLINE_H
