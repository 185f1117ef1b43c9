//===- AssemblyGroups.h - Modules whose assembly clashes --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_PARTITIONER_ASSEMBLYGROUPS_H
#define GPULTO_PARTITIONER_ASSEMBLYGROUPS_H

#include "summary/WpaContext.h"

#include "llvm/ADT/DenseSet.h"

#include <utility>
#include <vector>

namespace gpulto {

/// Which host modules may share a partition as far as assembly goes.
struct AssemblyGroups {
  /// By ModuleIndex: modules of one number may.
  std::vector<uint32_t> groupOf;
  /// Modules and groups: a body of the module means something else by a name
  /// that assembly of the group defines for itself.
  llvm::DenseSet<std::pair<ModuleIndex, uint32_t>> barred;
};

/// Groups the host modules of the program; few programs need more than one
/// group. An assembler reads one file for each partition. So module-level
/// assembly of one source file must not continue that of another (its section,
/// its macros), and a name that assembly defines for its own file, a label, a
/// macro or a static symbol, is in one module of a group alone: others neither
/// define it nor mean a global symbol by it.
AssemblyGroups separateAssembly(const WpaContext &context);

} // namespace gpulto

#endif
