//===- HostPages.cpp - Accessible memory of the process -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/HostPages.h"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace gpulto::emu {

/// Reads one line: `begin-end rwxp ...`. False when it is none, or the mapping
/// cannot be read.
static bool parseLine(std::string_view line, HostMapping &mapping) {
  const char *begin = line.data(), *end = begin + line.size();
  auto [dash, beginError] =
      std::from_chars(begin, end, mapping.range.begin, 16);
  if (beginError != std::errc() || dash == end || *dash != '-')
    return false;
  auto [space, endError] =
      std::from_chars(dash + 1, end, mapping.range.end, 16);
  if (endError != std::errc() || end - space < 3)
    return false;
  mapping.isWritable = space[2] == 'w';
  return space[1] == 'r';
}

std::vector<HostMapping> parseHostMappings(std::string_view text) {
  std::vector<HostMapping> mappings;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    HostMapping mapping;
    if (parseLine(text.substr(0, end), mapping))
      mappings.push_back(mapping);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return mappings;
}

/// Without buffers of the C library: the program may hold its locks.
static std::string readMappings() {
  std::string text;
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return text;
  char buffer[16384];
  ssize_t count;
  while ((count = read(file, buffer, sizeof(buffer))) > 0)
    text.append(buffer, static_cast<size_t>(count));
  close(file);
  return text;
}

std::vector<HostMapping> readHostMappings() {
  return parseHostMappings(readMappings());
}

bool HostPages::findKnown(uint64_t address, HostMapping &mapping) const {
  auto next = std::upper_bound(
      known.begin(), known.end(), address,
      [](uint64_t a, const HostMapping &m) { return a < m.range.begin; });
  if (next == known.begin() || address >= std::prev(next)->range.end)
    return false;
  mapping = *std::prev(next);
  return true;
}

bool HostPages::find(uint64_t address, HostMapping &mapping) {
  if (findKnown(address, mapping))
    return true;
  known = readHostMappings();
  return findKnown(address, mapping);
}

} // namespace gpulto::emu
