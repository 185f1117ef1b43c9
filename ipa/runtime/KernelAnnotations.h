//===- KernelAnnotations.h - Declarations for kernels -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_RUNTIME_KERNELANNOTATIONS_H
#define GPULTO_IPA_RUNTIME_KERNELANNOTATIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace gpulto {

struct FunctionSummary;

/// The attribute of managed variables in device modules, which follows them
/// into partitions, also on declarations (lto/lgen/ManagedVariables).
inline constexpr llvm::StringLiteral kManagedAttribute = "gpulto-managed";

/// What a module declares about one device function.
class KernelAnnotations {
public:
  explicit KernelAnnotations(llvm::Function &function) : function(function) {}

  bool isKernel();
  /// Returns the size of the only block it may be launched with (.reqntid), in
  /// threads; 0 if none is declared.
  uint64_t requiredThreads();
  /// Returns the most threads a block may have (.maxntid); 0: not declared.
  uint64_t maxThreads();
  /// Copies the declarations for launches to \p kernel.
  void describe(FunctionSummary &kernel) const;

  /// Declares \p block (x, y, z) as the only block size, instead of a bound.
  void requireBlock(std::array<uint32_t, 3> block);
  /// Declares \p threads as the most a block has, instead of another bound.
  void limitThreads(uint64_t threads);
  /// Declares \p registers as the most a thread may have, if none is declared.
  void limitRegisters(uint32_t registers);
  /// Declares that at least \p blocks blocks of the declared number of threads
  /// must be resident (.minnctapersm).
  void keepResident(uint32_t blocks);

  /// Declares \p blocks (x, y, z) as the blocks of a cluster.
  void requireCluster(std::array<uint32_t, 3> blocks);

private:
  /// Returns the numbers of the attribute \p name, as many as there are.
  llvm::SmallVector<uint32_t, 3> numbersOf(llvm::StringRef name) const;
  /// Returns their product; 0: none.
  uint64_t product(llvm::StringRef name) const;
  void set(llvm::StringRef name, llvm::ArrayRef<uint32_t> numbers);

  llvm::Function &function;
};

} // namespace gpulto

#endif
