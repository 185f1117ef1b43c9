//===- DriverLink.h - Link with gpulto's linker -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVERLINK_H
#define GPULTO_TOOLS_DRIVER_DRIVERLINK_H

#include "tools/driver/DriverCommandLine.h"
#include "tools/driver/DriverCuda.h"
#include "tools/driver/DriverProcess.h"

#include <map>
#include <optional>
#include <string>

namespace gpulto::driver {

/// Returns clang's command that links \p line's inputs with our ld.lld. \p
/// objects: maps inputs compiled in this call (by index in
/// CommandLine::inputs()) to their objects. Errors: an unsupported linker.
llvm::Expected<Command>
linkCommand(const CommandLine &line, const Installation &installation,
            const CudaToolkit &toolkit,
            const std::map<unsigned, std::string> &objects);

/// Returns the linker command that clang would run for \p clang, a command of
/// linkCommand for \p installation, and prints clang's messages about it on
/// stderr. Returns nothing, and prints nothing, if clang has to run because it
/// finds errors or does more.
std::optional<Command> linkerCommand(const Command &clang,
                                     const Installation &installation);

} // namespace gpulto::driver

#endif
