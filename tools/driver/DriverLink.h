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

/// Returns clang's command that links \p line's inputs with our ld.lld.
/// \p objects: for an input that was compiled in this call (its index in
/// CommandLine::inputs()), the object. Errors: a linker we do not support.
llvm::Expected<Command>
linkCommand(const CommandLine &line, const Installation &installation,
            const CudaToolkit &toolkit,
            const std::map<unsigned, std::string> &objects);

/// Returns the linker's command that clang would run for \p clang, a command of
/// linkCommand for \p installation, and says on stderr what clang would say of
/// it. Nothing, and nothing said: clang has to run, because it finds errors or
/// does more.
std::optional<Command> linkerCommand(const Command &clang,
                                     const Installation &installation);

} // namespace gpulto::driver

#endif
