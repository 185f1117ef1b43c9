//===- DeviceCheck.h - What no linker checks of device code -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPULTO_IPA_SYMBOLS_DEVICECHECK_H
#define GPULTO_IPA_SYMBOLS_DEVICECHECK_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace gpulto {

struct WpaContext;

/// Returns whether ptxas provides the device function \p name, or LLVM makes
/// code of it.
bool isDeviceBuiltin(llvm::StringRef name);

/// Checks the device half of a program whose live symbols are known: the device
/// has no linker behind us that would complain. Errors, one for each name:
/// what live device code uses and nothing defines, with every object that
/// refers to it; kernels whose parameters are not what their stubs pass, and
/// kernels in a program without device code. A kernel that some architecture
/// lacks is a warning.
llvm::Error checkDeviceProgram(const WpaContext &context);

} // namespace gpulto

#endif
