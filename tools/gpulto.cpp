//===- gpulto.cpp - The gpulto command ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/commands/Commands.h"

#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  return gpulto::commandMain(
      llvm::ArrayRef<const char *>(argv, static_cast<size_t>(argc)));
}
