//===- DeviceLink.h - Join device partitions, register with the host ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICELINK_DEVICELINK_H
#define GPULTO_LTO_DEVICELINK_DEVICELINK_H

#include "fatobj/DeviceImage.h"
#include "lto/job/JobResults.h"
#include "lto/link/DeviceTools.h"
#include "summary/NativeCode.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gpulto {

/// The code of one architecture.
struct DeviceProgram {
  std::string arch;
  std::string ptx;                   // all partitions as one module
  std::string cubin;                 // empty when not wanted or not possible
  EmbedKind embed = EmbedKind::Both; // which of them the program carries
};

/// Relocatable device code of another compiler, of one unit.
struct NativePart {
  NativeCode code;
  std::string cubin;
  std::string ptx; // empty: there is none
};

/// Joins the partitions \p results (in partition order) of one architecture and
/// the code \p native: concatenates their PTX into one module and links their
/// cubins with nvlink when there is more than one. Errors: PTX that cannot be
/// merged, a failing tool with its command and messages.
llvm::Expected<DeviceProgram>
linkDevicePartitions(llvm::StringRef arch,
                     llvm::ArrayRef<LtransResultPaths> results,
                     llvm::ArrayRef<NativePart> native, const CudaTools &tools,
                     EmbedKind embed, llvm::StringRef tempDirectory);

/// An ELF object with a fat binary, and the fat binary's hidden symbol.
struct FatbinaryObject {
  std::string symbol;
  std::string object;
  bool isKept = false; ///< it comes from the cache
};

/// Packs \p programs, one for each architecture and not empty, for a host of \p
/// targetTriple, compressed as \p compression says in up to \p threads threads;
/// the symbol's name is derived from the contents. Errors: no cubin for a
/// program that is to be embedded as a cubin.
llvm::Expected<FatbinaryObject>
makeFatbinaryObject(std::vector<DeviceProgram> programs,
                    llvm::StringRef targetTriple, ImageCompression compression,
                    unsigned threads);

/// A unit of registration with the runtime.
struct RegistrationUnit {
  llvm::StringRef fatbinary; ///< its symbol
  llvm::ArrayRef<RegistrationEntry> entries;
  /// nvcc's ids of units whose host code registers their kernels and variables
  /// itself (fatobj/NvccObject.h).
  llvm::ArrayRef<std::string> nvccIds;
  /// Those among them whose host code the linker must take from an archive.
  llvm::ArrayRef<std::string> absentNvccIds;
};

/// Returns the ELF object that registers the fat binary of each of \p units and
/// their entries with the CUDA runtime at start-up through explicit tables. \p
/// usesManaged: it defines kInitManaged (lto/lgen/ManagedVariables). Generates
/// host code for \p targetTriple as \p codegen says.
llvm::Expected<std::string>
makeRegistrationObject(llvm::ArrayRef<RegistrationUnit> units, bool usesManaged,
                       const HostCodegenOptions &codegen,
                       llvm::StringRef targetTriple,
                       llvm::StringRef dataLayout);

} // namespace gpulto

#endif
