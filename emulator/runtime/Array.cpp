//===- Array.cpp - CUDA arrays --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Array.h"

namespace gpulto::emu {

std::map<const void *, std::unique_ptr<Array>> &arrays() {
  static auto *all = new std::map<const void *, std::unique_ptr<Array>>;
  return *all;
}

Array *findArray(cudaArray_const_t handle) {
  auto found = arrays().find(handle);
  return found == arrays().end() ? nullptr : found->second.get();
}

} // namespace gpulto::emu
