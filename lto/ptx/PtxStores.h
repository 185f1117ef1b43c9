//===- PtxStores.h - Stores of parts of numbers -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PTX_PTXSTORES_H
#define GPULTO_LTO_PTX_PTXSTORES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gpulto {

/// Returns LLVM's \p ptx, where each store of the low bits of a floating-point
/// number takes them from a register of an integer.
///
/// LLVM stores from the register that holds the number, which PTX permits:
/// `add.f64 %rd4, ...; st.global.b32 [%rd1], %rd4`. ptxas (13.0) stores the
/// number converted to an integer instead of its low bits.
std::string takeBitsOfNumbers(llvm::StringRef ptx);

} // namespace gpulto

#endif // GPULTO_LTO_PTX_PTXSTORES_H
