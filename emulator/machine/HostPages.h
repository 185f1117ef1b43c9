//===- HostPages.h - Accessible memory of the process ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With DeviceLimits::accessesHostMemory kernels use unregistered memory:
// malloc'ed, on a stack, variables of the program. If an address is in no known
// mapping, the mappings are read from the system.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_MACHINE_HOSTPAGES_H
#define GPULTO_EMULATOR_MACHINE_HOSTPAGES_H

#include "emulator/machine/Memory.h"

#include <string_view>
#include <vector>

namespace gpulto::emu {

/// A mapping of the process that can be read.
struct HostMapping {
  Range range;
  bool isWritable = false;
};

/// Reads the text of /proc/self/maps: readable mappings, in order.
std::vector<HostMapping> parseHostMappings(std::string_view text);

/// Returns those of this process; none if they cannot be read.
std::vector<HostMapping> readHostMappings();

/// The mappings of this process known to one thread of an emulated device. Not
/// thread-safe.
class HostPages {
public:
  /// Finds the readable mapping that holds \p address; reads the mappings again
  /// if it is in no known one.
  bool find(uint64_t address, HostMapping &mapping);

private:
  bool findKnown(uint64_t address, HostMapping &mapping) const;

  std::vector<HostMapping> known;
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_MACHINE_HOSTPAGES_H
