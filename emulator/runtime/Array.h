//===- Array.h - CUDA arrays -----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file The object behind cudaArray_t. Its elements lie row by row in device
/// memory, without hardware's tiling, which no program can see.
///
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_ARRAY_H
#define GPULTO_EMULATOR_RUNTIME_ARRAY_H

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <map>
#include <memory>

namespace gpulto::emu {

struct Array {
  cudaChannelFormatDesc format{};
  /// As requested: height and depth may be 0.
  cudaExtent extent{};
  unsigned flags = 0;
  uint64_t address = 0;
  size_t elementBytes = 0;

  size_t rowBytes() const { return extent.width * elementBytes; }
  size_t rows() const { return extent.height ? extent.height : 1; }
  size_t slices() const { return extent.depth ? extent.depth : 1; }
};

/// All arrays of the process by handle; guarded by the runtime's mutex.
std::map<const void *, std::unique_ptr<Array>> &arrays();

/// Returns the array of a handle, or null if there is none.
Array *findArray(cudaArray_const_t handle);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_ARRAY_H
