//===- LldNatives.h - Native objects in a link by lld -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LINKER_PLUGIN_LLDNATIVES_H
#define GPULTO_LINKER_PLUGIN_LLDNATIVES_H

#include "llvm/Support/MemoryBufferRef.h"

#include <vector>

namespace gpulto {

/// The door's hooks in lld besides LTO. Both functions must be set.
struct LldHooks {
  /// Called once for each object whose native code is linked, when lld opens it
  /// or takes it from an archive; not called for the objects that LTO makes.
  void (*onNative)(llvm::MemoryBufferRef file) = nullptr;
  /// Returns objects to be linked after those that LTO makes, even if there is
  /// nothing for LTO to do. They must live as long as lld runs.
  std::vector<llvm::MemoryBufferRef> (*addedObjects)() = nullptr;
};

/// Makes lld call \p hooks from now on; null: none.
void setLldHooks(const LldHooks *hooks);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_LLDNATIVES_H
