//===- RegisterLimit.h - ptxas's --maxrregcount -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUPPORT_REGISTERLIMIT_H
#define GPULTO_SUPPORT_REGISTERLIMIT_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>

namespace gpulto {

/// Returns the value of the last --maxrregcount in \p arguments, those of
/// ptxas, in any spelling that ptxas accepts, in registers per thread; 0 if
/// there is none.
uint32_t registerLimit(llvm::ArrayRef<std::string> arguments);

} // namespace gpulto

#endif
