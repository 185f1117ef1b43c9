//===- AccessReport.h - Access instructions of a program ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_MACHINE_ACCESSREPORT_H
#define GPULTO_EMULATOR_MACHINE_ACCESSREPORT_H

#include "emulator/machine/Machine.h"

#include <map>
#include <string>
#include <vector>

namespace gpulto::emu {

/// Rows of access instructions, added up over the launches of a kernel with one
/// shape of blocks. Has no lock of its own.
class AccessReport {
public:
  /// Adds one launch; \p functions finds the function of an id.
  void add(const Launch &launch, const AccessTable &table,
           const std::vector<const Function *> &functions);

  /// The elements of an array, in the order of their keys.
  std::string json() const;

private:
  struct Key {
    std::string kernel;
    std::array<uint32_t, 3> block;
    std::string function, source; ///< The PTX function and its source's name.
    size_t insn;
    AccessSpace space;
    auto operator<=>(const Key &) const = default;
  };
  struct Row {
    std::string about; ///< Members that say where and what it is.
    uint64_t launches = 0;
    AccessRow counts;
  };
  std::map<Key, Row> rows;
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_MACHINE_ACCESSREPORT_H
