//===- LoopPlaces.h - Where loops stand in the source -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LGEN_LOOPPLACES_H
#define GPULTO_LTO_LGEN_LOOPPLACES_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class BasicBlock;
class Module;
} // namespace llvm

namespace gpulto {

/// Attaches to each loop of \p module with a transformation pragma (`#pragma
/// unroll`) its file, line and column as text, and drops all debug information.
/// Returns whether it changed something.
bool keepLoopPlaces(llvm::Module &module);

/// Returns the text that keepLoopPlaces() attached to the loop with \p header;
/// empty if there is none. It lives as long as the module.
llvm::StringRef placeOfLoop(const llvm::BasicBlock &header);

} // namespace gpulto

#endif // GPULTO_LTO_LGEN_LOOPPLACES_H
