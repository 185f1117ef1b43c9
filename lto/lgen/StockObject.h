//===- StockObject.h - Objects that stock clang made ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// `clang -flto[=thin] [-ffat-lto-objects] --offload-new-driver -fgpu-rdc
// -foffload-lto` leaves host bitcode in .llvm.lto (or bitcode instead of an
// object) and device bitcode in .llvm.offloading and again inside the host
// bitcode. There is no summary; the link computes it.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LGEN_STOCKOBJECT_H
#define GPULTO_LTO_LGEN_STOCKOBJECT_H

#include "support/Error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <string>
#include <vector>

namespace gpulto {

/// Device bitcode of one translation unit for one architecture.
struct StockDevice {
  std::string arch;      ///< `sm_90`
  llvm::StringRef bytes; ///< the bitcode
  InputLocation location;
};

/// Returns the module of \p bitcode. Errors: malformed; several modules; made
/// by an LLVM newer than this one.
llvm::Expected<llvm::BitcodeModule>
findSingleModule(llvm::MemoryBufferRef bitcode, const InputLocation &where);

/// Returns the contents of the sections `.llvm.offloading` that the module \p
/// bitcode carries as data; empty if it has none. Reads no body. Errors:
/// malformed bitcode.
llvm::Expected<std::string> readEmbeddedOffloading(llvm::StringRef bitcode,
                                                   const InputLocation &where);

/// Returns the CUDA device bitcode in \p section, the contents of
/// `.llvm.offloading`, in its order. Errors: malformed; device code that is not
/// bitcode, which cannot be optimized.
llvm::Expected<std::vector<StockDevice>>
readStockDevices(llvm::StringRef section, const InputLocation &where);

} // namespace gpulto

#endif
