//===- DriverFatbinary.h - A fat binary by itself ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVERFATBINARY_H
#define GPULTO_TOOLS_DRIVER_DRIVERFATBINARY_H

#include "tools/driver/DriverCuda.h"
#include "tools/driver/DriverProcess.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gpulto::driver {

/// What a fat binary is made of and with.
struct FatbinaryRequest {
  Command compile; ///< gpulto-clang++ with all options but what to make
  std::vector<std::string> input; ///< the source, behind its language
  std::string output;             ///< empty: the images alone
  std::string directory;          ///< for the images
  std::string compression; ///< fatbinary's --compress-mode=; empty: its default
};

/// Returns the commands that make the images of what nvcc's -fatbin makes,
/// without link-time optimization, under the names that nvcc's -keep gives
/// them, and, if
/// \p request names an output, join them by \p toolkit's fatbinary.
/// Errors: an architecture that \p toolkit does not know.
llvm::Expected<std::vector<Command>>
fatbinaryCommands(const FatbinaryRequest &request, const CudaToolkit &toolkit);

} // namespace gpulto::driver

#endif
