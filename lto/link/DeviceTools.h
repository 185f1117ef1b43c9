//===- DeviceTools.h - What device code is linked with ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LINK_DEVICETOOLS_H
#define GPULTO_LTO_LINK_DEVICETOOLS_H

#include "lto/link/CodegenOptions.h"
#include "summary/Symbols.h"

#include <cstdint>
#include <string>

namespace gpulto {

/// Which forms of device code a program carries.
enum class EmbedKind : uint8_t { Ptx, Cubin, Both };

/// The CUDA tools that a link may use; an empty path: not available.
struct CudaTools {
  std::string root;
  std::string ptxas;
  std::string nvlink;
  ToolOptions run; ///< for tools run in the linker itself
};

/// One live kernel or variable to be registered, as symbol names after
/// promotion.
struct RegistrationEntry {
  OffloadEntry::Kind kind = OffloadEntry::Kind::Kernel;
  std::string hostSymbol;
  std::string deviceName;
  uint64_t sizeBytes = 0;
  bool isExtern = false;
  bool isConstant = false;
  bool isNormalized = false;
  uint32_t textureType = 0;
  /// The device module that has it.
  uint32_t deviceModule = 0;
};

} // namespace gpulto

#endif // GPULTO_LTO_LINK_DEVICETOOLS_H
