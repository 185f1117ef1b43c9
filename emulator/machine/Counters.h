//===- Counters.h - Performance counters ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_MACHINE_COUNTERS_H
#define GPULTO_EMULATOR_MACHINE_COUNTERS_H

#include "emulator/machine/AccessReport.h"
#include "emulator/machine/Machine.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace gpulto::emu {

/// Gathers the counts of launches and copies. All numbers are integers, or
/// quotients of integers with fixed digits, so that the document has the same
/// bytes in every run.
class Counters {
public:
  /// Adds one launch: \p counts by Function::globalId and instruction;
  /// \p functions finds the function of an id.
  void addLaunch(const Launch &launch, uint32_t registers,
                 const std::vector<std::vector<InsnCounts>> &counts,
                 const std::vector<const Function *> &functions,
                 uint64_t barriers);
  /// Adds one copy between host and device.
  void addCopy(CopyDirection direction, uint64_t bytes, bool isRedundant);

  /// Adds the access instructions of one launch.
  void addAccesses(const Launch &launch, const AccessTable &table,
                   const std::vector<const Function *> &functions);

  /// The document; with the rows of access instructions if \p hasAccesses.
  std::string json(bool hasAccesses) const;

private:
  struct LineCounts {
    std::string source; ///< "file.cu:12", or empty.
    InsnCounts counts;
  };
  struct LaunchCounts {
    std::string kernel;
    unsigned device = 0;
    uint32_t grid[3], block[3];
    uint32_t shared = 0, registers = 0;
    uint64_t barriers = 0;
    InsnCounts total;
    InsnCounts classes[static_cast<size_t>(InsnClass::Count)];
    uint64_t bytesRead[3] = {}, bytesWritten[3] = {}; ///< global shared local
    uint64_t uncoalesced = 0;
    /// Accesses to global memory and conflicts by (PTX source, line).
    std::map<std::pair<std::string, uint32_t>, LineCounts> lines;
  };
  static void addBytes(LaunchCounts &l, const Insn &insn, const InsnCounts &c);

  // Parts of the document.
  static std::string launch(const LaunchCounts &l);
  static std::string totals(const LaunchCounts &l);
  static std::string bytesBySpace(const LaunchCounts &l);
  static std::string classCounts(const LaunchCounts &l);
  static std::string linesOf(const LaunchCounts &l,
                             std::string (*describe)(const InsnCounts &));
  std::string copyCounts() const;
  std::string redundantCopies() const;

  struct CopyCounts {
    uint64_t copies = 0, bytes = 0, redundantCopies = 0, redundantBytes = 0;
  };

  mutable std::mutex mutex;
  struct RedundantCopies {
    uint64_t first = 0;  ///< Ordinal of the first among all copies, from 1.
    size_t launches = 0; ///< Launches before it.
    uint64_t copies = 0;
  };

  std::vector<LaunchCounts> launches;
  AccessReport accesses;
  CopyCounts copies[4];
  /// By direction and size, which mostly tell one call of the program from
  /// another.
  std::map<std::pair<unsigned, uint64_t>, RedundantCopies> redundant;
};

/// Adds \p from to \p to.
void addCounts(InsnCounts &to, const InsnCounts &from);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_MACHINE_COUNTERS_H
