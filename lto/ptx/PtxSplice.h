//===- PtxSplice.h - Choose, exchange kernels of a PTX module ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PTX_PTXSPLICE_H
#define GPULTO_LTO_PTX_PTXSPLICE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <set>
#include <string>

namespace gpulto {

/// Returns \p ptx with only the kernels \p names and those that they launch; of
/// the rest, only what they refer to and what is not local stays. \p path is
/// used in messages. Errors: those of parsePtx.
llvm::Expected<std::string> keepKernels(llvm::StringRef ptx,
                                        llvm::StringRef path,
                                        const std::set<std::string> &names);

/// Returns those of the kernels \p names that are the same in \p product and \p
/// other, including all that they refer to: ptxas, which compiles each kernel
/// separately, gives the same code for them. Both were compiled for one
/// architecture with the same options. Errors: those of parsePtx.
llvm::Expected<std::set<std::string>>
sameKernels(llvm::StringRef product, llvm::StringRef other,
            const std::set<std::string> &names);

/// Returns \p product with the kernels \p names taken from \p other, with the
/// local functions and variables that they refer to; drops what only the old
/// kernels referred to. Both were compiled from the same partition: a symbol
/// that is not local means the same in both, and \p product defines it. The
/// same holds for \p fixtures, if \p product still has them: their address
/// distinguishes them from a copy. Deterministic. Errors: those of mergePtx; \p
/// other lacks a kernel.
llvm::Expected<std::string>
splicePtx(llvm::StringRef product, llvm::StringRef other,
          const std::set<std::string> &names,
          const std::set<std::string> &fixtures = {});

} // namespace gpulto

#endif
