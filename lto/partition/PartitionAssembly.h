//===- PartitionAssembly.h - Inline assembly of a partition -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PARTITION_PARTITIONASSEMBLY_H
#define GPULTO_LTO_PARTITION_PARTITIONASSEMBLY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace gpulto {

/// Keeps assembly correct when bodies of several modules meet in one: inlining
/// and unrolling neither duplicate its labels nor bring equal ones into one
/// function, and symbols that it names keep their names. WPA has put host
/// locals into the partition of the assembly that names them
/// (partitioner/BalancedPropagate.cpp); on the device a partition has at least
/// a declaration of what its assembly names.
class PartitionAssembly {
public:
  PartitionAssembly(llvm::Module &partition, bool isDevice)
      : partition(partition), isDevice(isDevice) {}

  /// Prepares \p bodies, which have been read, but are still in \p source; its
  /// module-level assembly counts if \p withModule. Returns the identifiers in
  /// that assembly.
  llvm::StringSet<> add(const llvm::Module &source, bool withModule,
                        llvm::ArrayRef<llvm::GlobalValue *> bodies);

  /// The identifiers in all assembly so far.
  const llvm::StringSet<> &words() const { return allWords; }

  /// Adds to \p used what is in the partition only for its assembly.
  void addNamed(llvm::SmallVectorImpl<llvm::GlobalValue *> &used) const;

  /// Keeps functions that define the same names from being inlined: in PTX, a
  /// label or a register belongs to its function. On the host, WPA keeps them
  /// in separate partitions.
  void separateDefinitions() const;

private:
  void noteDefinition(llvm::StringRef name, llvm::StringRef function);
  void declareLike(const llvm::GlobalValue &value);

  llvm::Module &partition;
  bool isDevice;
  llvm::StringSet<> allWords;
  /// Device symbols that assembly names, in the order of use.
  std::vector<std::string> named;
  /// Functions by the names that their assembly defines. They are only marked,
  /// so the order does not matter.
  llvm::StringMap<std::vector<std::string>> definersOf;
};

} // namespace gpulto

#endif
