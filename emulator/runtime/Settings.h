//===- Settings.h - The user's settings for the emulator --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The options of gpulto-run, which reach the replacement libcudart in the
/// program by one environment variable, GPULTO_EMULATOR:
///
///     GPULTO_EMULATOR="arch=90;threads=1;counters=/tmp/c.json"
///
/// Names are those of gpulto-run's options without the dashes. In a value
/// `%3B` stands for a semicolon and `%25` for a percent sign. Both sides use
/// the one table in Settings.cpp.
///
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_SETTINGS_H
#define GPULTO_EMULATOR_RUNTIME_SETTINGS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpulto::emu {

/// The environment variable's name.
inline constexpr const char *kSettingsVariable = "GPULTO_EMULATOR";

/// A second one, only for the number of devices; the first takes precedence.
inline constexpr const char *kDevicesVariable = "GPULTO_EMU_DEVICES";

/// All settings; the defaults are those of an empty variable.
struct Settings {
  /// Emulated compute capability times ten.
  unsigned arch = 90;
  /// Worker threads; 0 takes one per core.
  unsigned threads = 0;
  /// Emulated devices.
  unsigned devices = 1;
  /// Emulated multiprocessors; 0 takes the device's default.
  unsigned smCount = 0;
  /// Emulated device memory in MiB; 0 takes the device's default.
  uint64_t memoryMiB = 0;
  /// If not 0: perturbs the order of warps and blocks.
  uint64_t scheduleSeed = 0;
  /// If not 0: stops a launch after this many warp instructions.
  uint64_t maxInstructions = 0;
  /// Reports races on shared memory on stderr.
  bool raceCheck = false;
  /// A second host stub for one device function is an error.
  bool refuseDoubleStub = false;
  /// Kernels may use all memory of the program.
  bool hmm = false;
  /// New memory holds kPoison, not zeros.
  bool poison = false;
  /// Work of streams runs when somebody must wait for it, not when it is
  /// submitted.
  bool deferred = false;
  /// With `deferred`: asynchronous copies from and to pageable memory are
  /// staged or done in the call.
  bool pageableSync = false;
  /// Reports loads and launches on stderr.
  bool verbose = false;
  /// PTX that replaces every image of the program; empty: none.
  std::string deviceCode;
  /// File for the counters at exit; empty: none are gathered.
  std::string counters;
  /// Rows of access instructions in that file.
  bool accesses = false;
  /// File for the log of copies and waits; empty: none.
  std::string transfers;
};

/// One option, for parsing and for --help.
struct SettingSpec {
  const char *name;
  /// Name of the value in the help; null: a switch without a value.
  const char *valueName;
  const char *help;
};

/// All options, in the order of the help text.
const std::vector<SettingSpec> &settingSpecs();

/// Applies one option. Returns an empty string, or an error. A switch takes an
/// empty value or `1`.
std::string applySetting(Settings &settings, std::string_view name,
                         std::string_view value);

/// Reads the environment variable's text and applies it to \p settings. Returns
/// mistakes in \p errors, one line each.
Settings parseSettings(std::string_view text, std::vector<std::string> &errors,
                       Settings settings = {});

/// Escapes \p value for the environment variable.
std::string escapeSetting(std::string_view value);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_SETTINGS_H
