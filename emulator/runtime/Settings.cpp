//===- Settings.cpp - The user's settings for the emulator ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Settings.h"

#include <charconv>

namespace gpulto::emu {
namespace {

/// Parses a whole decimal number between the limits.
template <typename T>
std::string parseNumber(std::string_view name, std::string_view text, T low,
                        T high, T &into) {
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low ||
      value > high)
    return std::string(name) + ": '" + std::string(text) +
           "' is not a number from " + std::to_string(low) + " to " +
           std::to_string(high);
  into = static_cast<T>(value);
  return "";
}

std::string parseSwitch(std::string_view name, std::string_view text,
                        bool &into) {
  if (!text.empty() && text != "1" && text != "0")
    return std::string(name) + ": takes no value";
  into = text != "0";
  return "";
}

std::string parsePath(std::string_view name, std::string_view text,
                      std::string &into) {
  if (text.empty())
    return std::string(name) + ": a file name is missing";
  into = text;
  return "";
}

std::string unescape(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 3) == "%3B" || text.substr(i, 3) == "%25") {
      result += text.substr(i, 3) == "%3B" ? ';' : '%';
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

} // namespace

const std::vector<SettingSpec> &settingSpecs() {
  static const std::vector<SettingSpec> specs = {
      {"device-code", "FILE.ptx",
       "run this PTX in place of every image of the program"},
      {"arch", "NN", "compute capability times ten of the device (90)"},
      {"devices", "N", "number of devices, all alike (1)"},
      {"sm-count", "N", "multiprocessors of a device"},
      {"memory", "MIB", "memory of a device in MiB"},
      {"threads", "N",
       "worker threads; 1 makes kernels that spin deterministic (0: one per "
       "core, with --counters 1)"},
      {"schedule-seed", "N",
       "shake the order of warps and blocks by this seed"},
      {"max-instructions", "N",
       "stop a launch after N warp instructions (0: never)"},
      {"hmm", nullptr, "kernels may use all memory of the program"},
      {"poison", nullptr, "new memory holds NaNs and large numbers, not zeros"},
      {"deferred", nullptr,
       "run work of streams as late as CUDA allows, not when it is submitted"},
      {"pageable-sync", nullptr,
       "with --deferred, use pageable memory in the calls of asynchronous "
       "copies"},
      {"race-check", nullptr, "report races on shared memory"},
      {"counters", "FILE.json", "write performance counters at exit"},
      {"accesses", nullptr,
       "with --counters, count each instruction that accesses memory"},
      {"transfers", "FILE.json",
       "write what copies and waits need not have been at exit"},
      {"refuse-double-stub", nullptr,
       "two host stubs registered for one device function are an error"},
      {"verbose", nullptr, "report loads and launches on standard error"},
  };
  return specs;
}

std::string applySetting(Settings &settings, std::string_view name,
                         std::string_view value) {
  constexpr uint64_t kAny = ~uint64_t(0);
  if (name == "device-code")
    return parsePath(name, value, settings.deviceCode);
  if (name == "counters")
    return parsePath(name, value, settings.counters);
  if (name == "transfers")
    return parsePath(name, value, settings.transfers);
  if (name == "arch")
    return parseNumber(name, value, 50u, 999u, settings.arch);
  if (name == "devices")
    return parseNumber(name, value, 1u, 16u, settings.devices);
  if (name == "sm-count")
    return parseNumber(name, value, 1u, 1024u, settings.smCount);
  if (name == "memory")
    return parseNumber(name, value, uint64_t(1), uint64_t(1) << 24,
                       settings.memoryMiB);
  if (name == "threads")
    return parseNumber(name, value, 0u, 1024u, settings.threads);
  if (name == "schedule-seed")
    return parseNumber(name, value, uint64_t(0), kAny, settings.scheduleSeed);
  if (name == "max-instructions")
    return parseNumber(name, value, uint64_t(0), kAny,
                       settings.maxInstructions);
  if (name == "hmm")
    return parseSwitch(name, value, settings.hmm);
  if (name == "poison")
    return parseSwitch(name, value, settings.poison);
  if (name == "deferred")
    return parseSwitch(name, value, settings.deferred);
  if (name == "pageable-sync")
    return parseSwitch(name, value, settings.pageableSync);
  if (name == "race-check")
    return parseSwitch(name, value, settings.raceCheck);
  if (name == "accesses")
    return parseSwitch(name, value, settings.accesses);
  if (name == "refuse-double-stub")
    return parseSwitch(name, value, settings.refuseDoubleStub);
  if (name == "verbose")
    return parseSwitch(name, value, settings.verbose);
  return "unknown setting '" + std::string(name) + "'";
}

Settings parseSettings(std::string_view text, std::vector<std::string> &errors,
                       Settings settings) {
  while (!text.empty()) {
    size_t end = text.find(';');
    std::string_view item = text.substr(0, end);
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
    if (item.empty())
      continue;
    size_t equals = item.find('=');
    std::string value = equals == std::string_view::npos
                            ? ""
                            : unescape(item.substr(equals + 1));
    std::string error = applySetting(settings, item.substr(0, equals), value);
    if (!error.empty())
      errors.push_back(error);
  }
  return settings;
}

std::string escapeSetting(std::string_view value) {
  std::string result;
  for (char c : value) {
    if (c == ';')
      result += "%3B";
    else if (c == '%')
      result += "%25";
    else
      result += c;
  }
  return result;
}

} // namespace gpulto::emu
