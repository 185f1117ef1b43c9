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

/// Which host modules may share a partition, as far as assembly is concerned.
struct AssemblyGroups {
  /// By ModuleIndex: modules with the same number may share one.
  std::vector<uint32_t> groupOf;
  /// Pairs of a module and a group: a body of the module gives another meaning
  /// to a name that assembly of the group defines locally.
  llvm::DenseSet<std::pair<ModuleIndex, uint32_t>> barred;
};

/// Groups the host modules of the program; few programs need more than one
/// group. The assembler reads one file for each partition. So module-level
/// assembly of one source file must not continue that of another (its section,
/// its macros). A name that assembly defines for its own file (a label, a macro
/// or a static symbol) occurs in only one module of a group: others neither
/// define it nor use a global symbol of that name.
AssemblyGroups separateAssembly(const WpaContext &context);

} // namespace gpulto

#endif
