//===- WpaUnits.h - Device symbols that are a unit's own --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_WPA_WPAUNITS_H
#define GPULTO_LTO_WPA_WPAUNITS_H

#include "lto/wpa/Wpa.h"
#include "summary/NativeCode.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/StringSaver.h"

#include <vector>

namespace gpulto {

/// Makes several of the device symbols of one name that units of \p modules
/// define each for itself: in all units but one they get other names
/// (JobInput::renamed), and host symbols that stand for them become local where
/// the linker chose another unit's (JobInput::localized). Tags must be there.
/// \p native: device code that refers to names as they are. \p isRelocatable:
/// the result is linked with others. \p strings keeps
/// new names. Errors: a use in another unit, which may mean either of two.
llvm::Error separateUnits(std::vector<WpaModule> &modules,
                          llvm::ArrayRef<NativeCode> native, bool isRelocatable,
                          llvm::StringSaver &strings);

} // namespace gpulto

#endif
