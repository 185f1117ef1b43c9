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

/// The inputs and options for making a fat binary.
struct FatbinaryRequest {
  Command compile; ///< gpulto-clang++ with all options but what to make
  std::vector<std::string> input; ///< the source, preceded by its language
  std::string output;             ///< empty: only the images
  std::string directory;          ///< for the images
  std::string compression; ///< fatbinary's --compress-mode=; empty: its default
};

/// Returns the commands that make the images of nvcc's -fatbin, without
/// link-time optimization, under the names of nvcc's -keep, and, if \p request
/// names an output, join them with \p toolkit's fatbinary. Errors: an
/// architecture that \p toolkit does not know.
llvm::Expected<std::vector<Command>>
fatbinaryCommands(const FatbinaryRequest &request, const CudaToolkit &toolkit);

} // namespace gpulto::driver

#endif
