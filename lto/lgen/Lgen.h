//===- Lgen.h - The compile-time stage --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// LGEN runs in the compiler, while the module is in memory, at the end of the
// pre-link pipeline (tools/LgenPlugin.cpp), or at link time for objects of
// stock clang.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LGEN_LGEN_H
#define GPULTO_LTO_LGEN_LGEN_H

#include "summary/ModuleSummary.h"

#include "llvm/IR/PassManager.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/StringSaver.h"

#include <memory>
#include <optional>

namespace llvm {
class Module;
}

namespace gpulto {

/// Facts about a compile that the module itself does not hold.
struct LgenOptions {
  /// -O level (0-3) and size level (0-2).
  uint8_t optLevel = 2;
  uint8_t sizeLevel = 0;
  /// Device: the architecture; empty: from the functions' target-cpu.
  std::string arch;
  /// Whether code generation would fuse all additions and multiplications
  /// (kFusesAll). If unknown, on the device: whether any instruction is marked
  /// so.
  std::optional<bool> fusesAll = std::nullopt;
  /// Without relocatable device code; see kWholeProgramMode.
  bool wholeProgramMode = false;
  /// The module has its debug information for the summary only.
  bool dropsLines = false;
};

/// A summary and those of its strings that are in no file. Move-only. Its other
/// names point into the module, which must outlive it.
struct ModuleSummaryStorage {
  ModuleSummary summary;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver strings{allocator};

  ModuleSummaryStorage() = default;
  ModuleSummaryStorage(const ModuleSummaryStorage &) = delete;
  ModuleSummaryStorage &operator=(const ModuleSummaryStorage &) = delete;
};

/// Returns whether an operation of \p module is marked `contract`.
bool hasContraction(const llvm::Module &module);

/// Fills \p storage with the summary of \p module as it stands; \p analyses are
/// those of its functions. The module is not changed, but that it loses its
/// debug information if \p options say so. Deterministic. Errors: a triple that
/// is neither a 64-bit host's nor nvptx64, a malformed offload entry.
llvm::Error summarizeModule(llvm::Module &module, const LgenOptions &options,
                            llvm::FunctionAnalysisManager &analyses,
                            ModuleSummaryStorage &storage);

/// As above, with its own analyses (the target must be linked in and
/// initialized, otherwise default costs are used).
llvm::Error summarizeModule(llvm::Module &module, const LgenOptions &options,
                            ModuleSummaryStorage &storage);

/// Returns the encoded summary of the bitcode \p bitcode, computed here: for
/// modules of stock clang, which are repaired first (lto/lgen/ModuleRepair.h).
/// All names are in the summary itself. A level in \p options above 0 is
/// lowered to the level at which all functions of the module were compiled, if
/// they say so (-O0, -Os, -Oz). \p analyses as above. Errors: malformed
/// bitcode, with its identifier; as above.
llvm::Expected<std::string> summarizeBitcode(llvm::MemoryBufferRef bitcode,
                                             const LgenOptions &options);

} // namespace gpulto

#endif
