//===- LldCommandLine.h - lld's command line --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GPULTO_LINKER_PLUGIN_LLDCOMMANDLINE_H
#define GPULTO_LINKER_PLUGIN_LLDCOMMANDLINE_H

#include "linker-plugin/LinkerSettings.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/StringSaver.h"

#include <string>
#include <vector>

namespace gpulto {

/// The parts of lld's command line that the pipeline needs.
struct LldCommandLine : LinkerSettings {
  OutputKind output = OutputKind::Executable;
  std::string outputFile = "a.out";
  bool wantsHelp = false;
  bool wantsVersion = false;
  bool demangles = true;
  /// Why an option of LTO cannot be followed, with its name; empty: none is
  /// there.
  std::string unsupported;
};

/// Replaces `@file` in \p argv by the file's contents, quoted as lld's
/// --rsp-quoting says.
void expandLldResponseFiles(llvm::StringSaver &saver,
                            llvm::SmallVectorImpl<const char *> &argv);

/// Reads \p argv, lld's part of a command line. Leaves it to lld to report
/// mistakes.
LldCommandLine readLldCommandLine(llvm::ArrayRef<const char *> argv);

/// Removes options that lld does not know from \p argv: another linker gets
/// them.
void dropUnknownToLld(llvm::SmallVectorImpl<const char *> &argv);

/// Returns \p words without lld's options for its LTO step, which clang passes
/// to it: another linker may not know them.
llvm::SmallVector<const char *, 64>
withoutLtoOptions(llvm::ArrayRef<const char *> words);

/// Returns the command that links after the jobs that --gpulto-emit= wrote to
/// \p jobDirectory. \p words: the command line of the link that wrote them,
/// with the program's name, without response files.
std::vector<std::string> finalLinkCommand(llvm::StringRef jobDirectory,
                                          llvm::ArrayRef<const char *> words);

/// Makes lld write its inputs to \p directory, unless that is empty, and writes
/// a script next to them that repeats the link with \p own, gpulto's options.
/// The jobs are added once they are known. Errors: a file cannot be written.
llvm::Error saveLldLink(llvm::StringRef directory,
                        const llvm::opt::ArgList &own,
                        llvm::SmallVectorImpl<const char *> &argv,
                        llvm::StringSaver &saver);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_LLDCOMMANDLINE_H
