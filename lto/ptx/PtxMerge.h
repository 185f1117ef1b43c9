//===- PtxMerge.h - Make one PTX module of several --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PTX_PTXMERGE_H
#define GPULTO_LTO_PTX_PTXMERGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gpulto {

/// The PTX of one partition.
struct PtxPart {
  std::string name; ///< for messages: its file
  llvm::StringRef text;
};

/// Returns one module with the contents of \p parts, each in text form as
/// written by LLVM's NVPTX back end. Deterministic. Errors, with file and line:
/// malformed PTX, different targets, a symbol with two strong definitions or
/// two unlike declarations, DWARF sections.
llvm::Expected<std::string> mergePtx(llvm::ArrayRef<PtxPart> parts);

} // namespace gpulto

#endif
