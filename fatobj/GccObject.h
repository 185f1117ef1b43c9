//===- GccObject.h - Objects of GCC's link-time optimizer -------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_FATOBJ_GCCOBJECT_H
#define GPULTO_FATOBJ_GCCOBJECT_H

#include "llvm/Support/MemoryBufferRef.h"

namespace gpulto {

/// Returns whether \p file is an ELF object with GCC's intermediate code, from
/// `gcc -flto`. False for anything malformed. Reads headers only.
bool isGccLtoObject(llvm::MemoryBufferRef file);

/// Returns whether that is its only code, so that only GCC can link it.
bool isSlimGccObject(llvm::MemoryBufferRef file);

} // namespace gpulto

#endif // GPULTO_FATOBJ_GCCOBJECT_H
