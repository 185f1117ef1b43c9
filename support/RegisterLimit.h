//===- RegisterLimit.h - ptxas's --maxrregcount -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUPPORT_REGISTERLIMIT_H
#define GPULTO_SUPPORT_REGISTERLIMIT_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>

namespace gpulto {

/// Returns the value of the last --maxrregcount of \p arguments, which are
/// ptxas's, in any of the spellings that it takes; unit: registers a thread.
/// 0: there is none.
uint32_t registerLimit(llvm::ArrayRef<std::string> arguments);

} // namespace gpulto

#endif
