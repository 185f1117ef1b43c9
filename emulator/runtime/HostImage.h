//===- HostImage.h - Memory of the program around a pointer ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file A program passes pointers to its device code without sizes. To read it
/// with bounds checks, this finds the end of the memory at a pointer.
///
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_HOSTIMAGE_H
#define GPULTO_EMULATOR_RUNTIME_HOSTIMAGE_H

#include "emulator/runtime/FatBinary.h"

#include <cstdint>
#include <span>
#include <string>

namespace gpulto::emu {

/// Readable memory that starts at a pointer, and its file.
struct HostMemory {
  /// Empty if the pointer is invalid.
  std::span<const uint8_t> bytes;
  /// File name of the executable or shared library; empty for other memory.
  std::string file;
};

/// Finds the readable memory from \p pointer to the end of its ELF segment or
/// mapping.
HostMemory readableFrom(const void *pointer);

/// Reads every container that \p wrapper leads to (see FatBinary.h). Returns an
/// empty string or an error.
std::string readWrapper(const void *wrapper, DeviceImages &images,
                        std::string &file);

/// Returns the result of cuLinkComplete: all of the texts, in a form for
/// readCode.
std::string writeLinkedImage(const std::vector<std::string> &texts);

/// Reads device code in any form that cudaLibraryLoadData accepts: a wrapper, a
/// container, a linked image or PTX text ending in a zero byte. Cubins become
/// an image without text.
std::string readCode(const void *code, DeviceImages &images);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_HOSTIMAGE_H
