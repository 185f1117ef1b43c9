//===- WpaUnits.h - Device symbols of a single unit -------------*- C++ -*-===//
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

/// Separates device symbols of one name that several units of \p modules each
/// define for themselves: in all units but one they get new names
/// (JobInput::renamed), and host symbols that stand for them become local where
/// the linker chose another unit's (JobInput::localized). Tags must be set. \p
/// native: device code that refers to the original names. \p isRelocatable: the
/// result is linked with others. \p strings keeps new names. Errors: a use in
/// another unit, which is ambiguous.
llvm::Error separateUnits(std::vector<WpaModule> &modules,
                          llvm::ArrayRef<NativeCode> native, bool isRelocatable,
                          llvm::StringSaver &strings);

} // namespace gpulto

#endif
