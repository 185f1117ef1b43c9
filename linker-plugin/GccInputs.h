//===- GccInputs.h - Objects of GCC's link-time optimizer -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Objects of GCC's -flto next to ours:
//
//   with native code (-ffat-lto-objects)   that is linked, where GCC's own
//                                          plugin is not there
//   slim                                   refused: nobody here reads them
//   GCC's plugin is there (gold, bfd)      refused: each plugin is told that
//                                          nobody but bitcode refers to what
//                                          the other one's objects use
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LINKER_PLUGIN_GCCINPUTS_H
#define GPULTO_LINKER_PLUGIN_GCCINPUTS_H

#include "linker-plugin/LinkerCommandLine.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gpulto {

/// The problem with a slim object of GCC, and what to do.
inline constexpr llvm::StringLiteral kSlimGccText =
    "an object of gcc -flto without native code, which only GCC can link; "
    "compile it with -ffat-lto-objects or without -flto";

/// Looks among the inputs of \p line, a link by gold or bfd with our objects,
/// for GCC's objects that the linker has not shown us. Calls \p warn for
/// archive members that may or may not be needed. Errors: objects that GCC's
/// plugin has taken, by name.
llvm::Error checkGccInputs(const LinkerCommandLine &line,
                           llvm::function_ref<void(const std::string &)> warn);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_GCCINPUTS_H
