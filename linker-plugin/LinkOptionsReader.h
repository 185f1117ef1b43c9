//===- LinkOptionsReader.h - A link's options, parsed -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts gpulto's options of a link for the pipeline. Shared by all doors:
// our ld.lld, `gpulto lto`, the linker plugin.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_LINKER_PLUGIN_LINKOPTIONSREADER_H
#define GPULTO_LINKER_PLUGIN_LINKOPTIONSREADER_H

#include "lto/Pipeline.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace gpulto {

/// Messages about inputs that are not optimized.
enum class SkippedMode : uint8_t {
  Default, ///< warnings for objects with unusable bitcode
  Warn,    ///< warnings for all but the system's
  Error,   ///< the same are errors
  Ignore   ///< no messages
};

struct SkippedOptions {
  SkippedMode mode = SkippedMode::Default;
  /// Patterns of inputs that may be native.
  std::vector<std::string> allowed;
};

/// gpulto's own options for one link.
struct ParsedLinkOptions {
  LinkOptions link;
  /// Filters of printed remarks; the door adds prefix, limits and color.
  DiagnosticsOptions diagnostics;
  /// With -r: make native code now instead of joining the objects.
  bool nativeRelocatable = false;
  /// File of all remarks; empty: none is written.
  std::string remarksFile;
  llvm::remarks::Format remarksFormat = llvm::remarks::Format::YAML;
  SkippedOptions skipped;
  /// Replacements for the start of a path in the stamp, in the order given:
  /// each applies to the result of the one before.
  std::vector<std::pair<std::string, std::string>> prefixMaps;
  /// For a repeated link: where copies of its inputs lie, as below the root,
  /// and the directory in which it ran. Empty: none.
  std::string inputCopies, inputDirectory;
};

/// Reads \p args, options of Options.td that are visible when linking.
/// \p outputFile names the program: for messages, and the directory of
/// `--gpulto-save-temps` without a value is `<outputFile>.gpulto-temps`. The
/// last occurrence of an option counts, except for options that accumulate
/// (`--gpulto-ptxas-arg=`, `--gpulto-param=`). Errors: a value that is not a
/// number or out of range, an unknown parameter, a malformed regular
/// expression; each names the option.
llvm::Expected<ParsedLinkOptions>
readLinkOptions(const llvm::opt::ArgList &args, llvm::StringRef outputFile);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_LINKOPTIONSREADER_H
