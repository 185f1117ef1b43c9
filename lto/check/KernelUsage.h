//===- KernelUsage.h - What ptxas says a kernel takes -----------*- C++ -*-===//
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

/// What a kernel takes, with the functions that are compiled into it.
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
/// with -ewp, not with -c). Code sizes are not in it. Errors: a kernel without
/// figures, or none at all, in a text that names one: another version's format.
llvm::Expected<KernelUsages> parsePtxasInfo(llvm::StringRef text);

/// As parsePtxasInfo, of what ptxas wrote with -c, when it made \p cubin: it
/// then compiles functions by themselves, and which of them a kernel calls is
/// not said, so each kernel has the stack and spills of all of them and the
/// registers of the largest. Errors: also those of a malformed cubin.
llvm::Expected<KernelUsages> parseSeparateInfo(llvm::StringRef text,
                                               llvm::StringRef cubin);

/// Returns the kernels of \p cubin, an ELF file that ptxas made of a whole
/// program, that functions are compiled into, its own for division among them;
/// all kernels if there is a function outside of kernels. Errors: malformed.
llvm::Expected<std::set<std::string>>
kernelsWithFunctions(llvm::StringRef cubin);

/// Adds the code sizes of \p cubin, an ELF file, to \p usages. Errors: no ELF
/// file, or it lacks a kernel.
llvm::Error addCodeSizes(llvm::StringRef cubin, KernelUsages &usages);

} // namespace gpulto

#endif
