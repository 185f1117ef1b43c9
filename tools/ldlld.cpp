//===- ldlld.cpp - Our ld.lld ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/LldLinker.h"

#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  return gpulto::linkWithLld(
      llvm::ArrayRef<const char *>(argv, static_cast<size_t>(argc)));
}
