//===- DeviceCheck.h - Checks of device code --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPULTO_IPA_SYMBOLS_DEVICECHECK_H
#define GPULTO_IPA_SYMBOLS_DEVICECHECK_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace gpulto {

struct WpaContext;

/// Returns whether ptxas provides the device function \p name, or LLVM
/// generates code for it.
bool isDeviceBuiltin(llvm::StringRef name);

/// Checks the device half of a program whose live symbols are known: no device
/// linker runs after us that would complain. Errors, one for each name:
/// undefined symbols that live device code uses, with every object that refers
/// to them; kernels whose parameters differ from what their stubs pass; kernels
/// in a program without device code. A kernel that some architecture lacks is a
/// warning.
llvm::Error checkDeviceProgram(const WpaContext &context);

} // namespace gpulto

#endif
