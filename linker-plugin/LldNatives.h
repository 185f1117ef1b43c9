//===- LldNatives.h - Native objects in a link by lld -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LINKER_PLUGIN_LLDNATIVES_H
#define GPULTO_LINKER_PLUGIN_LLDNATIVES_H

#include "llvm/Support/MemoryBufferRef.h"

#include <vector>

namespace gpulto {

/// What the door wants of lld beside LTO. Both functions must be given.
struct LldHooks {
  /// Is told of each object whose native code is linked, once: when lld opens
  /// it or takes it out of an archive. The objects that LTO makes are not among
  /// them.
  void (*onNative)(llvm::MemoryBufferRef file) = nullptr;
  /// Returns objects to be linked behind those that LTO makes, also where there
  /// is nothing for LTO to do. They must stay as long as lld runs.
  std::vector<llvm::MemoryBufferRef> (*addedObjects)() = nullptr;
};

/// Has lld call \p hooks from now on; null: nobody.
void setLldHooks(const LldHooks *hooks);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_LLDNATIVES_H
