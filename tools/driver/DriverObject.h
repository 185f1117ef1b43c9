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

/// What the device compile for one architecture wrote.
struct DeviceFiles {
  std::string arch;    ///< `sm_90`
  std::string bitcode; ///< path
  std::string summary; ///< path
  /// Which forms of the code a program is to carry, if somebody says.
  std::optional<EmbedKind> form;
  std::optional<ImageCompression> compression;
};

/// What the compiles of one source wrote.
struct ObjectFiles {
  std::string source;      ///< for messages
  std::string hostObject;  ///< path of clang's object, with .llvm.lto
  std::string hostSummary; ///< path
  std::vector<DeviceFiles> devices;
  Digest optionDigest;
  bool slim = false;
};

/// Writes the fat object of \p files to \p output (which may be the host
/// object), atomically. The host summary, which LGEN wrote with names of its
/// own, is rewritten to refer to the names in the host bitcode.
/// Errors: a missing or malformed file; nothing is written then.
llvm::Error assembleFatObject(const ObjectFiles &files,
                              const std::string &output);

} // namespace gpulto::driver

#endif
