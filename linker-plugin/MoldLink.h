//===- MoldLink.h - The last step of a link with mold -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// mold loads plugins only for GCC's objects, so it cannot use ours. Our ld.lld
// resolves symbols; mold then links the generated objects in place of the
// inputs that they were made from:
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
/// files, in which \p outputs replace the objects of \p inputs (both may be
/// empty). Its messages go where ours go. Returns its exit status. Errors: an
/// input that the command line does not name (a linker script does); mold
/// cannot be started; a file cannot be read or written.
llvm::Expected<int> linkWithMold(llvm::StringRef mold,
                                 llvm::ArrayRef<const char *> words,
                                 const LinkInputs &inputs,
                                 const LinkOutputs &outputs);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_MOLDLINK_H
