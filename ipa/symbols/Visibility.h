//===- Visibility.h - What the program needs, and visibility --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_SYMBOLS_VISIBILITY_H
#define GPULTO_IPA_SYMBOLS_VISIBILITY_H

#include "llvm/Support/Error.h"

namespace gpulto {
struct WpaContext;

/// Decides Decisions::visibleOutside and Decisions::live, on both sides.
/// Errors: a live device function uses a device symbol that nothing defines.
llvm::Error findVisible(WpaContext &context);

} // namespace gpulto

#endif
