//===- Contents.h - Constants that are nothing but contents -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_BODIES_CONTENTS_H
#define GPULTO_IPA_BODIES_CONTENTS_H

namespace llvm {
class GlobalVariable;
} // namespace llvm

namespace gpulto {

/// Whether nothing counts of \p variable but what it holds, so that there may
/// be any number of it: a local constant without an address or a section of its
/// own.
bool isContentsOnly(const llvm::GlobalVariable &variable);

} // namespace gpulto

#endif
