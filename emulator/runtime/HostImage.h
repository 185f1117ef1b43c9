//===- HostImage.h - Memory of the program around a pointer ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A program hands over pointers to its device code without sizes. To read it
/// with bounds checks, this finds out how far the memory behind a pointer goes.
///
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_HOSTIMAGE_H
#define GPULTO_EMULATOR_RUNTIME_HOSTIMAGE_H

#include "emulator/runtime/FatBinary.h"

#include <cstdint>
#include <span>
#include <string>

namespace gpulto::emu {

/// Readable memory that starts at a pointer, and whose it is.
struct HostMemory {
  /// Empty when the pointer leads nowhere.
  std::span<const uint8_t> bytes;
  /// File name of the executable or shared library; empty for other memory.
  std::string file;
};

/// Finds the readable memory from \p pointer to the end of its ELF segment or
/// mapping.
HostMemory readableFrom(const void *pointer);

/// Reads every container that \p wrapper leads to (see FatBinary.h). Returns
/// an empty string or what is wrong.
std::string readWrapper(const void *wrapper, DeviceImages &images,
                        std::string &file);

/// Returns what cuLinkComplete hands out: all of the texts, for readCode.
std::string writeLinkedImage(const std::vector<std::string> &texts);

/// Reads device code of unknown form, as cudaLibraryLoadData takes it: a
/// wrapper, a container, a linked image or PTX text ending in a zero byte.
/// Cubins become an image without text.
std::string readCode(const void *code, DeviceImages &images);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_HOSTIMAGE_H
