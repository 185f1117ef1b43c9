//===- LinkReader.h - The summaries of a link's inputs ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_READ_LINKREADER_H
#define GPULTO_LTO_READ_LINKREADER_H

#include "lto/link/LinkInputs.h"
#include "lto/link/LinkOptions.h"
#include "lto/read/NvccCode.h"
#include "lto/tables/Stamp.h"
#include "lto/wpa/Wpa.h"
#include "support/Statistics.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace gpulto {

/// The modules of a link, and the memory that their names point into.
struct LinkModules {
  std::vector<WpaModule> modules; // in input order
  NvccCode nvcc;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> files;
  /// Summaries made by this link, for objects without one.
  std::vector<std::unique_ptr<std::string>> computed;
  /// Names that --wrap gave to symbols.
  std::vector<std::unique_ptr<std::string>> names;
  /// The stamp of this link, with its inputs, then those that inputs carry.
  std::vector<Stamp> stamps;
};

/// Reads the summaries of \p inputs in \p threads threads, then takes from the
/// archives the device halves of members that the host did not need but that
/// define device symbols still undefined. Summarizes objects without a summary
/// (stock clang's), with a remark that says what it cost; writes device bitcode
/// that is not in a file of its own to \p directory. Errors: those of all
/// inputs, collected.
llvm::Expected<LinkModules>
readLinkInputs(const LinkInputs &inputs, llvm::StringRef directory,
               const CudaTools &tools, unsigned threads,
               Diagnostics &diagnostics, Statistics &statistics);

} // namespace gpulto

#endif
