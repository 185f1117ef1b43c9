//===- clang.cpp - gpulto-clang++ and its other names ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/driver/Driver.h"

int main(int argc, char **argv) {
  return gpulto::driver::compilerMain(
      llvm::ArrayRef<const char *>(argv, static_cast<size_t>(argc)));
}
