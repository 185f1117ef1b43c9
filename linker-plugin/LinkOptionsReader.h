//===- LinkOptionsReader.h - A link's options, parsed -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns gpulto's options of a link into what the pipeline wants. Shared by all
// doors: our ld.lld, `gpulto lto`, the linker plugin.
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

/// What is said of inputs that are not optimized.
enum class SkippedMode : uint8_t {
  Default, ///< warnings of objects whose bitcode cannot be used
  Warn,    ///< of all that are not the system's
  Error,   ///< the same are errors
  Ignore   ///< nothing
};

struct SkippedOptions {
  SkippedMode mode = SkippedMode::Default;
  /// Patterns of those that may be native.
  std::vector<std::string> allowed;
};

/// Everything that gpulto's own options say about one link.
struct ParsedLinkOptions {
  LinkOptions link;
  /// Filters of printed remarks; the door adds prefix, limits and colour.
  DiagnosticsOptions diagnostics;
  /// With -r: make native code now instead of joining the objects.
  bool nativeRelocatable = false;
  /// YAML file of all remarks; empty: none is written.
  std::string remarksFile;
  SkippedOptions skipped;
  /// What stands for the start of a path in the stamp, in the order given: each
  /// applies to what the one before made.
  std::vector<std::pair<std::string, std::string>> prefixMaps;
  /// Of a link that is repeated: where copies of its inputs lie, as below the
  /// root, and the directory in which it ran. Empty: none.
  std::string inputCopies, inputDirectory;
};

/// Reads \p args, options of Options.td that are visible when linking.
/// \p outputFile names the program: for messages, and the directory of
/// `--gpulto-save-temps` without a value is `<outputFile>.gpulto-temps`. Of an
/// option given several times the last one counts, except those that gather
/// (`--gpulto-ptxas-arg=`, `--gpulto-param=`).
/// Errors: a value that is no number or out of range, an unknown parameter, a
/// malformed regular expression; each names the option.
llvm::Expected<ParsedLinkOptions>
readLinkOptions(const llvm::opt::ArgList &args, llvm::StringRef outputFile);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_LINKOPTIONSREADER_H
