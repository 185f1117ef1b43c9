//===- DriverTimeTable.cpp - How long the driver's commands took ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/driver/DriverTimeTable.h"

#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gpulto::driver {

/// Returns the word of \p command behind the last \p option; empty if there is
/// none.
static StringRef valueOf(const Command &command, StringRef option) {
  StringRef value;
  for (size_t i = 0; i + 1 < command.args.size(); ++i)
    if (command.args[i] == option)
      value = command.args[i + 1];
  return value;
}

/// Returns the source that \p command compiles: behind -x and its language.
static StringRef sourceOf(const Command &command) {
  for (size_t i = 0; i + 2 < command.args.size(); ++i)
    if (command.args[i] == "-x" && command.args[i + 1] != "none")
      return command.args[i + 2];
  return "";
}

/// Returns the columns of nvcc's, which name phases of its own.
static std::string rowOf(const TimedCommand &timed) {
  const Command &command = timed.command;
  StringRef source = sourceOf(command);
  bool compiles =
      is_contained(command.args, "-c") || is_contained(command.args, "-S");
  std::string row;
  raw_string_ostream stream(row);
  stream << source << " , " << sys::path::filename(command.program)
         << (compiles ? " (compiling)" : " (linking)") << " , " << source
         << " , " << valueOf(command, "-o") << " ,  , nvcc , "
         << format("%.4f", timed.wallMs) << " , ms\n";
  return row;
}

Error appendTime(StringRef path, const TimedCommand &timed) {
  constexpr StringLiteral kHeadings =
      "source file name , phase name , phase input files , phase output file , "
      "arch , tool, metric , unit\n";
  uint64_t sizeBytes = 0;
  bool isEmpty = sys::fs::file_size(path, sizeBytes) || sizeBytes == 0;
  std::error_code code;
  raw_fd_ostream stream(path, code, sys::fs::OF_Append);
  if (code)
    return makeError(path + ": cannot write the times (" + code.message() +
                     ")");
  if (isEmpty && path != "-")
    stream << kHeadings;
  stream << rowOf(timed);
  stream.flush();
  return Error::success();
}

} // namespace gpulto::driver
