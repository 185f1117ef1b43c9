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

/// Returns \p ptx with no other kernels than \p names and those that they
/// launch; of the rest stays what they refer to and what is not local. \p path
/// is used in messages. Errors: those of parsePtx.
llvm::Expected<std::string> keepKernels(llvm::StringRef ptx,
                                        llvm::StringRef path,
                                        const std::set<std::string> &names);

/// Returns those of the kernels \p names that are the same in \p product and
/// \p other, with all that they refer to: ptxas, which compiles each kernel for
/// itself, makes the same of them. Both were compiled for one architecture with
/// the same options. Errors: those of parsePtx.
llvm::Expected<std::set<std::string>>
sameKernels(llvm::StringRef product, llvm::StringRef other,
            const std::set<std::string> &names);

/// Returns \p product with the kernels \p names as \p other has them, with the
/// local functions and variables that they refer to; what only the former ones
/// referred to is dropped. Both were compiled from the same partition: a symbol
/// that is not local means the same in both, and \p product defines it; so does
/// what \p fixtures names, where \p product still has it: its address tells it
/// from a copy.
/// Deterministic. Errors: those of mergePtx; \p other lacks a kernel.
llvm::Expected<std::string>
splicePtx(llvm::StringRef product, llvm::StringRef other,
          const std::set<std::string> &names,
          const std::set<std::string> &fixtures = {});

} // namespace gpulto

#endif
