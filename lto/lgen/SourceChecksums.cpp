//===- SourceChecksums.cpp - Checksums of sources in debug info -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/lgen/SourceChecksums.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>

using namespace llvm;

namespace gpulto {

static bool hasChecksums(const Module &module) {
  return any_of(module.debug_compile_units(), [](DICompileUnit *unit) {
    return unit->getFile() && unit->getFile()->getChecksum();
  });
}

bool dropSourceChecksums(Module &module) {
  if (!hasChecksums(module))
    return false;
  // What prints modules knows all of their metadata, once it prints some.
  ModuleSlotTracker tracker(&module, /*ShouldInitializeAllMetadata=*/true);
  (*module.debug_compile_units_begin())
      ->printAsOperand(nulls(), tracker, &module);
  ModuleSlotTracker::MachineMDNodeListType nodes;
  tracker.collectMDNodes(nodes, 0, UINT32_MAX);
  for (const auto &[slot, node] : nodes)
    for (unsigned i = 0; i < node->getNumOperands(); ++i) {
      auto *file = dyn_cast_or_null<DIFile>(node->getOperand(i).get());
      if (file && file->getChecksum())
        const_cast<MDNode *>(node)->replaceOperandWith(
            i,
            DIFile::get(module.getContext(), file->getFilename(),
                        file->getDirectory(), std::nullopt, file->getSource()));
    }
  return true;
}

} // namespace gpulto
