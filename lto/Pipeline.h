//===- Pipeline.h - One link, from resolutions to native objects ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The border between a linker and the optimizer. A door (our ld.lld, the gold
// plugin) fills LinkInputs from what its linker resolved, calls runLink, and
// hands the resulting objects to the linker.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PIPELINE_H
#define GPULTO_LTO_PIPELINE_H

#include "lto/link/LinkInputs.h"
#include "lto/link/LinkOptions.h"
#include "lto/tables/Stamp.h"
#include "support/Diagnostics.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gpulto {

/// A native object for the linker.
struct NativeObject {
  std::string name; // for messages and maps
  std::unique_ptr<llvm::MemoryBuffer> contents;
};

struct LinkOutputs {
  std::vector<NativeObject> objects; // in partition order
  /// How many of their bytes are embedded device code.
  uint64_t deviceBytes = 0;
  /// What was done with the inputs of the pipeline, in their order, then the
  /// stamps of links (-r) that made some of them.
  std::vector<Stamp> stamps;
  /// RemoteOptions::emit: the path of the build file, the only output.
  std::string buildFile;
};

/// Runs WPA and LTRANS over \p inputs. Deterministic: the objects' bytes depend
/// only on inputs and options, not on the number of jobs, directory or time.
/// Diagnostics that do not stop the link go to \p diagnostics. Errors:
/// everything that does.
llvm::Expected<LinkOutputs> runLink(const LinkInputs &inputs,
                                    const LinkOptions &options,
                                    Diagnostics &diagnostics);

} // namespace gpulto

#endif
