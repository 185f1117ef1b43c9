//===- AccessTable.h - Counts of access instructions, and taint -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_MACHINE_ACCESSTABLE_H
#define GPULTO_EMULATOR_MACHINE_ACCESSTABLE_H

#include <cstdint>
#include <memory>
#include <vector>

namespace gpulto::emu {

/// The memories that rows of accesses tell apart.
enum AccessSpace : uint8_t {
  kAccessGlobal,
  kAccessShared,
  kAccessLocal,
  kAccessConst,
  kAccessSpaces
};

/// What the requests of one kind come to. A request is one execution of an
/// instruction by the lanes of a warp that are active.
struct AccessSums {
  uint64_t requests = 0, lanes = 0;
  uint64_t tainted = 0; ///< Requests with a tainted address.
  uint64_t chosen = 0;  ///< Requests by lanes that tainted values chose.
  uint64_t sectors = 0, idealSectors = 0, lines = 0;
  uint64_t overIdeal = 0;    ///< Requests with more sectors than ideal.
  uint64_t severalLines = 0; ///< Requests of more than one line.
  /// Shared: turns beyond the first. Constant: addresses beyond the first.
  uint64_t conflicts = 0;
  uint32_t minSectors = ~0u, maxSectors = 0, maxConflicts = 0;
};

/// Which warps and lanes made a request.
enum AccessGroup : uint8_t {
  kFullWarp,        ///< All lanes of a warp of 32 threads.
  kPartialWarp,     ///< Some of its lanes.
  kLastFullWarp,    ///< All lanes of a block's last warp, which has fewer.
  kLastPartialWarp, ///< Some of its lanes.
  kAccessGroups
};

/// One instruction in one space.
struct AccessRow {
  AccessSums groups[kAccessGroups];
};

/// The rows of a function: by instruction and space; null: no request.
using FunctionAccesses = std::vector<std::unique_ptr<AccessRow>>;
/// By Function::globalId.
using AccessTable = std::vector<FunctionAccesses>;

/// Add \p from to \p to.
void addRow(AccessRow &to, const AccessRow &from);
void addAccesses(AccessTable &to, const AccessTable &from);

/// A warp's taint, a bit a lane; see Taint.cpp.
struct TaintShadow {
  std::vector<uint32_t> registers; ///< By a quarter of the offset in regs.
  std::vector<uint32_t> local;     ///< By offset in local memory.
  uint32_t carry = 0;              ///< Of CC.CF.
  /// Groups of lanes that a tainted value split, and that are not together yet.
  std::vector<uint32_t> splits;
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_MACHINE_ACCESSTABLE_H
