//===- NvccCode.h - Relocatable device code of nvcc -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Objects of `nvcc -rdc=true` wait for a device link. The link does it, as
// `nvcc -dlink` would:
//
//   no symbol is shared with device code of ours    a program of its own beside
//                                                   ours, for the architectures
//                                                   that all its objects have
//   some symbol is shared                           one program with ours, for
//                                                   our architectures
//
// Code that nvcc links itself (without -rdc, or by -dlink) is left alone.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_READ_NVCCCODE_H
#define GPULTO_LTO_READ_NVCCCODE_H

#include "fatobj/NvccObject.h"
#include "lto/devicelink/DeviceLink.h"
#include "lto/link/LinkInputs.h"
#include "lto/link/LinkOptions.h"
#include "lto/wpa/Wpa.h"
#include "summary/NativeCode.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gpulto {

/// Relocatable device code of one translation unit.
struct NvccUnit {
  InputLocation location;
  Fatbinary code;
  /// Part of a library: used only for its device code, without influence on the
  /// choice of architectures.
  bool isLibrary = false;
  /// Symbols of one of its architectures.
  std::vector<NativeSymbol> symbols;
};

/// All code that waits for a device link.
struct NvccCode {
  std::vector<NvccUnit> units; // in link order
  /// Ids of the units whose host code registers them with the program.
  std::vector<std::string> ids;
  /// Those among them from archive members that only device code needs: their
  /// host code is not yet part of the program.
  std::vector<std::string> absent;
};

/// Reads the code for a device link in the archive member \p file, whose host
/// code the program does not need: nothing if it is NVVM IR. \p arch: the
/// architecture whose symbols are read, if there is code for it; may be empty.
/// Errors: malformed; only PTX, and there is no ptxas.
llvm::Expected<NvccCode> readNvccMember(llvm::MemoryBufferRef file,
                                        const InputLocation &where,
                                        llvm::StringRef arch,
                                        const CudaTools &tools);

/// Checks that none of \p objects waits for a device link. Errors: one for each
/// that does, with what to do; malformed.
llvm::Error refuseWaiting(llvm::ArrayRef<LinkObject> objects);

/// Reads the code in \p objects that waits for a device link. \p arch as above.
/// Errors: as above, and NVVM IR alone; those of all objects, collected.
llvm::Expected<NvccCode> readNvccObjects(llvm::ArrayRef<LinkObject> objects,
                                         llvm::StringRef arch,
                                         const CudaTools &tools);

/// The device link of nvcc's code, prepared.
struct NvccPlan {
  /// Whether it becomes one program with our code.
  bool isJoined = false;
  /// By architecture, then unit.
  std::vector<NativePart> parts;
};

/// Chooses the architectures for which \p code is linked, and whether it is
/// linked with the device code in \p modules. \p options say what is embedded.
/// Errors: a unit without code for an architecture, without PTX where PTX is
/// asked for, a symbol that nothing defines, or that two units define.
llvm::Expected<NvccPlan> planNvccLink(llvm::ArrayRef<WpaModule> modules,
                                      const NvccCode &code,
                                      const LinkOptions &options,
                                      EmbedKind embed, const CudaTools &tools,
                                      Diagnostics &diagnostics);

/// Links \p plan, which is not joined with other code. Deterministic. Errors:
/// those of linkDevicePartitions.
llvm::Expected<std::vector<DeviceProgram>>
linkNvccCode(const NvccPlan &plan, EmbedKind embed, const CudaTools &tools,
             llvm::StringRef tempDirectory);

} // namespace gpulto

#endif
