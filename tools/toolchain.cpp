//===- toolchain.cpp - All tools in one program ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a package holds: LLVM, clang and lld, once. launcher.c starts it under
// the name of a tool; what is neither gpulto nor ld.lld is the compiler, which
// people call by many names.
//
//===----------------------------------------------------------------------===//
#include "linker-plugin/LldLinker.h"
#include "tools/commands/Commands.h"
#include "tools/driver/Driver.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

int main(int argc, char **argv) {
  llvm::ArrayRef<const char *> words(argv, static_cast<size_t>(argc));
  llvm::StringRef name = llvm::sys::path::filename(argv[0]);
  if (name != "gpulto" && name != "ld.lld")
    return gpulto::driver::compilerMain(words);
  llvm::InitLLVM init(argc, argv);
  return name == "gpulto" ? gpulto::commandMain(words)
                          : gpulto::linkWithLld(words);
}
