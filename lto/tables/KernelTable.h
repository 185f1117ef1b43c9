//===- KernelTable.h - What a link says of each kernel ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The linked program carries, in a section that is not loaded, what the link's
// remarks say of its kernels; `gpulto explain KERNEL PROGRAM` tells it.
// docs/formats.md describes the bytes.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_TABLES_KERNELTABLE_H
#define GPULTO_LTO_TABLES_KERNELTABLE_H

#include "support/Diagnostics.h"
#include "support/Error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <string>
#include <vector>

namespace gpulto {

/// Name of the section.
inline constexpr llvm::StringLiteral kKernelSection = ".gpulto.kernels";

/// Regex of the passes whose remarks are about kernels, for
/// DiagnosticsOptions::stories.
inline constexpr llvm::StringLiteral kStoryPasses =
    "^gpulto-(launches|check-kernels)$";

/// One remark about a kernel.
struct KernelFact {
  RemarkKind kind = RemarkKind::Analysis;
  std::string name; ///< of the remark: "LaunchGeometry"
  std::string text; ///< with linkage names between quotes
  bool operator==(const KernelFact &) const = default;
};

struct KernelStory {
  std::string kernel; ///< linkage name
  std::string file;   ///< where it is defined; "" and 0 if not known
  uint32_t line = 0;
  std::vector<KernelFact> facts;
  bool operator==(const KernelStory &) const = default;
};

struct KernelTable {
  std::vector<KernelStory> kernels; ///< by name
  bool operator==(const KernelTable &) const = default;
};

/// Returns the table of \p remarks, which are sorted and about kernels. What is
/// said twice, as of several architectures, is there once.
KernelTable makeKernelTable(llvm::ArrayRef<Remark> remarks);

/// Returns the contents of the section.
std::string encodeKernelTable(const KernelTable &table);

/// Reads what encodeKernelTable wrote. Errors: damaged, or of another version;
/// they name \p where.
llvm::Expected<KernelTable> decodeKernelTable(llvm::StringRef bytes,
                                              const InputLocation &where);

/// Returns the table of the linked program \p file. Errors: it is not an ELF
/// file, has no table, or a damaged one.
llvm::Expected<KernelTable> readKernelTable(llvm::MemoryBufferRef file,
                                            const InputLocation &where);

} // namespace gpulto

#endif
