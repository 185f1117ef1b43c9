//===- CallSites.h - Where the program calls the runtime --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Numbers the places from which the program calls functions of the runtime. A
/// place is the function, the return address, and those of a few callers, so
/// that the uses of a wrapper are told apart. Addresses are kept as a file and
/// an offset in it, which a symbolizer turns into lines.
///
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_CALLSITES_H
#define GPULTO_EMULATOR_RUNTIME_CALLSITES_H

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gpulto::emu {

/// A place, the innermost address first.
struct HostCall {
  std::string call; ///< The function, without the ending of a special form.
  std::vector<uint64_t> stack;
  auto operator<=>(const HostCall &) const = default;
};

/// An address in a file that is loaded: where to look in its symbols.
struct CodePlace {
  std::string file;
  uint64_t address = 0;
};

/// Not thread-safe.
class CallSites {
public:
  /// Returns the number of the place that called the emulator, from 1.
  uint32_t current();
  const HostCall &operator[](uint32_t number) const {
    return *byNumber[number];
  }
  /// Finds the call that returns to \p address.
  static CodePlace placeOf(uint64_t address);

private:
  bool isOurs(void *address);

  std::map<HostCall, uint32_t> numbers;
  std::vector<const HostCall *> byNumber{nullptr};
  std::unordered_map<void *, bool> ours;
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_CALLSITES_H
