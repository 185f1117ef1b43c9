//===- DriverObject.h - Assemble a fat object -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVEROBJECT_H
#define GPULTO_TOOLS_DRIVER_DRIVEROBJECT_H

#include "fatobj/DeviceImage.h"
#include "lto/devicelink/DeviceLink.h"
#include "support/StableHash.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulto::driver {

/// Output of the device compile for one architecture.
struct DeviceFiles {
  std::string arch;    ///< `sm_90`
  std::string bitcode; ///< path
  std::string summary; ///< path
  /// The forms of the code that a program must carry, if specified.
  std::optional<EmbedKind> form;
  std::optional<ImageCompression> compression;
};

/// Output of the compiles of one source.
struct ObjectFiles {
  std::string source;      ///< for messages
  std::string hostObject;  ///< path of clang's object, with .llvm.lto
  std::string hostSummary; ///< path
  std::vector<DeviceFiles> devices;
  Digest optionDigest;
  bool slim = false;
};

/// Writes the fat object of \p files to \p output (which may be the host
/// object), atomically. The host summary, which LGEN wrote with its own names,
/// is rewritten to refer to the names in the host bitcode. Errors: a missing or
/// malformed file; then nothing is written.
llvm::Error assembleFatObject(const ObjectFiles &files,
                              const std::string &output);

} // namespace gpulto::driver

#endif
