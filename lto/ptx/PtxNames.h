//===- PtxNames.h - Names in PTX --------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PTX_PTXNAMES_H
#define GPULTO_LTO_PTX_PTXNAMES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gpulto {

/// Returns \p name with only the letters, digits, _ and $ that PTX allows;
/// NVPTX cleans the names of locals in the same way.
std::string ptxName(llvm::StringRef name);

} // namespace gpulto

#endif // GPULTO_LTO_PTX_PTXNAMES_H
