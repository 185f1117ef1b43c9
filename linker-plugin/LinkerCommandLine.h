//===- LinkerCommandLine.h - What a linker does not tell us -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The plugin interface says of an archive only which members were needed, of
// --wrap nothing (bfd), of symbols that options use not always, and of the
// order of inputs nothing that holds with threads (gold). All of it stands on
// the command line of the process that the plugin is loaded into.
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

/// A file that is linked.
struct LinkerInput {
  std::string path;
  /// Which words of the command line name it.
  size_t firstWord = 0;
  size_t endWord = 0;
};

struct LinkerCommandLine : LinkerSettings {
  /// Symbols that options use: -e, -init, -fini, --defsym, linker scripts, ...
  /// Holds all words of a script or an expression, whatever they mean.
  llvm::StringSet<> used;
  /// Files named as inputs and found for -l, in order, as the linker opens
  /// them. May hold values of options that we do not know: who uses it looks
  /// whether a file is what it should be.
  std::vector<LinkerInput> inputs;
  /// Plugins, as named.
  std::vector<std::string> plugins;
};

/// Returns whether \p problem, of looking for a file, leaves open whether it is
/// there.
bool mayBeThere(std::error_code problem);

/// Reads \p arguments of a GNU-compatible linker, without the program's name;
/// response files are expanded, and words are counted then. -l is looked for in
/// the directories of -L alone: archives of the linker's own search path are
/// not found. A script that cannot be read is the linker's to report. Errors:
/// an unreadable response file, a directory that cannot be asked.
llvm::Expected<LinkerCommandLine>
readLinkerCommandLine(llvm::ArrayRef<const char *> arguments);

/// Reads the command line of this process. Errors: as above; /proc is not
/// there.
llvm::Expected<LinkerCommandLine> readOwnCommandLine();

/// Returns the files of \p inputs that are archives, each once, in order.
std::vector<std::string> archivesAmong(llvm::ArrayRef<LinkerInput> inputs);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_LINKERCOMMANDLINE_H
