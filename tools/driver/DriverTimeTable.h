//===- DriverTimeTable.h - How long the driver's commands took --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVERTIMETABLE_H
#define GPULTO_TOOLS_DRIVER_DRIVERTIMETABLE_H

#include "tools/driver/DriverProcess.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gpulto::driver {

/// A row of nvcc's -time table: a command, and how long it took.
struct TimedCommand {
  const Command &command;
  double wallMs;
};

/// Appends a row for \p timed to the table at \p path, with its headings if it
/// is empty; `-`: to stdout. Errors: it cannot be written.
llvm::Error appendTime(llvm::StringRef path, const TimedCommand &timed);

} // namespace gpulto::driver

#endif
