//===- DeviceLink.h - Join device partitions, register with the host ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICELINK_H
#define GPULTO_LTO_DEVICELINK_H

#include "lto/Ltrans.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gpulto {

enum class EmbedKind : uint8_t { Ptx, Cubin, Both };

/// The CUDA tools a link may use; empty paths: not there.
struct CudaTools {
  std::string root;
  std::string ptxas;
  std::string nvlink;
  ToolOptions run; ///< of what runs in the linker itself
};

/// One live kernel or variable to be registered, as symbol names after
/// promotion.
struct RegistrationEntry {
  OffloadEntry::Kind kind = OffloadEntry::Kind::Kernel;
  std::string hostSymbol;
  /// Managed variables: the host pointer that the runtime fills.
  std::string managedPointer;
  std::string deviceName;
  uint64_t sizeBytes = 0;
  bool isExtern = false;
  bool isConstant = false;
  bool isNormalized = false;
  uint32_t textureType = 0;
};

/// The code of one architecture.
struct DeviceProgram {
  std::string arch;
  std::string ptx;                   // all partitions as one module
  std::string cubin;                 // empty when not wanted or not possible
  EmbedKind embed = EmbedKind::Both; // which of them the program carries
};

/// Joins the partitions \p results (in partition order) of one architecture:
/// concatenates their PTX into one module and links their cubins with nvlink
/// when there is more than one. Errors: PTX that cannot be merged, a failing
/// tool with its command and messages.
llvm::Expected<DeviceProgram> linkDevicePartitions(
    llvm::StringRef arch, llvm::ArrayRef<LtransResultPaths> results,
    const CudaTools &tools, EmbedKind embed, llvm::StringRef tempDirectory);

/// Returns the ELF object that holds the fat binary of \p programs and
/// registers \p entries with the CUDA runtime at start-up through explicit
/// tables. Host code is generated as \p codegen says for \p targetTriple.
llvm::Expected<std::string>
makeRegistrationObject(llvm::ArrayRef<DeviceProgram> programs,
                       llvm::ArrayRef<RegistrationEntry> entries,
                       const HostCodegenOptions &codegen,
                       llvm::StringRef targetTriple,
                       llvm::StringRef dataLayout);

} // namespace gpulto

#endif
