//===- DriverArchitectures.h - Which GPUs a compile is for ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVERARCHITECTURES_H
#define GPULTO_TOOLS_DRIVER_DRIVERARCHITECTURES_H

#include "lto/devicelink/DeviceLink.h"
#include "tools/driver/DriverCommandLine.h"
#include "tools/driver/DriverCuda.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulto::driver {

/// Returns the architectures (sm_75, sm_90a, ...) that \p toolkit's ptxas
/// compiles for, ascending; empty if there is no ptxas. Runs ptxas.
std::vector<std::string> supportedArchitectures(const CudaToolkit &toolkit);

/// The architectures of --offload-arch and related options.
struct OffloadArchitectures {
  std::vector<std::string> names; ///< canonical order, without duplicates
  /// For each name, the forms of its code that a program must carry; nothing if
  /// no option says.
  std::vector<std::optional<EmbedKind>> forms;
};

/// Returns the architectures to compile \p line for: as given, raised to the
/// lowest one \p toolkit knows (with a warning), without duplicates. With
/// -flto=gpu, compute_90 asks for PTX of sm_90's code, and
/// --no-cuda-include-ptx= for cubins alone. Errors: one that \p toolkit does
/// not know.
llvm::Expected<OffloadArchitectures>
offloadArchitectures(const CommandLine &line, const CudaToolkit &toolkit);

/// Returns the architecture to pass to clang's front end for \p name: it does
/// not know families (sm_120f), so it gets the plain one.
std::string frontEndArch(llvm::StringRef name);

/// Errors: clang does not know \p name (sm_120f), so only links generate code
/// for it.
llvm::Error checkIsOfClang(llvm::StringRef name);

/// Returns words for the device compiles of the architectures \p names: macros
/// of nvcc that clang lacks, and the newest PTX version that \p toolkit can
/// read.
std::vector<std::string> deviceWords(const CommandLine &line,
                                     const CudaToolkit &toolkit,
                                     llvm::ArrayRef<std::string> names);

/// Whether \p argument is --offload-arch, --no-offload-arch or an alias.
bool choosesArchitecture(const DriverArg &argument);

} // namespace gpulto::driver

#endif
