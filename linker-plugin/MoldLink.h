//===- MoldLink.h - The last step of a link with mold -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// mold loads plugins for GCC's objects only, so it gets none of ours. Symbols
// are resolved by our ld.lld; when the objects are made, mold links them in
// place of the inputs that they were made of:
//
//   an object          is taken off the command line
//   an archive         is replaced by one without the members that were taken
//   the first of them  gives its place to the new objects; without one they
//                      come last
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LINKER_PLUGIN_MOLDLINK_H
#define GPULTO_LINKER_PLUGIN_MOLDLINK_H

#include "lto/Pipeline.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace gpulto {

/// Runs the program \p mold with \p words, a command line without response
/// files, in which \p outputs stand for the objects of \p inputs (both may be
/// empty). Its messages go where ours go. Returns its exit status. Errors: an
/// input that the command line does not name (a linker script does); mold
/// cannot be started; what cannot be read or written.
llvm::Expected<int> linkWithMold(llvm::StringRef mold,
                                 llvm::ArrayRef<const char *> words,
                                 const LinkInputs &inputs,
                                 const LinkOutputs &outputs);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_MOLDLINK_H
