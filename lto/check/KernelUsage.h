//===- KernelUsage.h - Resources of kernels, from ptxas ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_CHECK_KERNELUSAGE_H
#define GPULTO_LTO_CHECK_KERNELUSAGE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace gpulto {

/// Resources that a kernel takes, including the functions compiled into it.
struct KernelUsage {
  unsigned registers = 0; ///< per thread
  uint64_t stackBytes = 0;
  uint64_t spillStoreBytes = 0;
  uint64_t spillLoadBytes = 0;
  uint64_t sharedBytes = 0; ///< declared statically, per block
  uint64_t codeBytes = 0;

  uint64_t spillBytes() const { return spillStoreBytes + spillLoadBytes; }
  bool operator==(const KernelUsage &) const = default;
};

/// By the kernel's name in PTX.
using KernelUsages = std::map<std::string, KernelUsage>;

/// Reads what `ptxas -v` wrote to stderr when it compiled a whole program (also
/// with -ewp, not with -c), which lacks code sizes. Errors: a named kernel
/// without figures, or no figures at all: another version's format.
llvm::Expected<KernelUsages> parsePtxasInfo(llvm::StringRef text);

/// As parsePtxasInfo, for what ptxas wrote with -c, when it made \p cubin. It
/// then compiles functions separately and does not say which of them a kernel
/// calls, so each kernel gets the stack and spills of all of them and the
/// registers of the largest. Errors: also a malformed cubin.
llvm::Expected<KernelUsages> parseSeparateInfo(llvm::StringRef text,
                                               llvm::StringRef cubin);

/// Returns the kernels of \p cubin, an ELF file that ptxas made from a whole
/// program, into which functions are compiled, including ptxas's own for
/// division; all kernels if there is a function outside of kernels. Errors:
/// malformed.
llvm::Expected<std::set<std::string>>
kernelsWithFunctions(llvm::StringRef cubin);

/// Adds the code sizes of \p cubin, an ELF file, to \p usages. Errors: not an
/// ELF file, or it lacks a kernel.
llvm::Error addCodeSizes(llvm::StringRef cubin, KernelUsages &usages);

} // namespace gpulto

#endif
