//===- Accesses.h - Rows of access instructions, and taint ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_MACHINE_ACCESSES_H
#define GPULTO_EMULATOR_MACHINE_ACCESSES_H

#include "emulator/machine/Machine.h"

namespace gpulto::emu {

/// The lanes of an access by the memory they touch. Lanes in none of the masks
/// access parameters, other blocks, or nothing at all.
struct AccessLanes {
  uint32_t masks[kAccessSpaces] = {};
  uint64_t at[kLanes]; ///< Addresses, or offsets in shared and local memory.
};

/// Finds out where the lanes \p m of \p place (operand, offset, space) access
/// memory.
void locateAccess(Warp &w, const Insn &place, uint32_t m, AccessLanes &lanes);

/// Counts the access of \p insn, \p bytes (32 at most) for each lane; \p
/// tainted are the lanes whose address is, \p chosen those that tainted values
/// chose.
void countAccess(Warp &w, const Insn &insn, const AccessLanes &lanes,
                 unsigned bytes, uint32_t tainted, uint32_t chosen);

/// Counts a bulk copy's access to global memory by one lane.
void countBulkAccess(Warp &w, const Insn &insn, uint64_t address,
                     uint32_t bytes, bool isTainted, bool isChosen);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_MACHINE_ACCESSES_H
