//===- Contents.h - Constants without identity ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_BODIES_CONTENTS_H
#define GPULTO_IPA_BODIES_CONTENTS_H

namespace llvm {
class GlobalVariable;
} // namespace llvm

namespace gpulto {

/// Whether only the contents of \p variable matter, so that there may be any
/// number of copies: a local constant whose address is not significant and
/// without an explicit section.
bool isContentsOnly(const llvm::GlobalVariable &variable);

} // namespace gpulto

#endif
