//===- CallSites.cpp - Where the program calls the runtime ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/CallSites.h"

#include <algorithm>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <string_view>

namespace gpulto::emu {

/// Addresses that are looked at, and those of the program that are kept.
constexpr int kMostFrames = 48;
constexpr size_t kKeptFrames = 4;

/// The directory of the file that holds \p address.
static std::string_view directoryOf(const void *address) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname)
    return {};
  std::string_view path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

/// The libraries of the emulator lie in one directory.
bool CallSites::isOurs(void *address) {
  auto [found, isNew] = ours.try_emplace(address, false);
  if (isNew)
    found->second =
        directoryOf(address) ==
        directoryOf(reinterpret_cast<const void *>(&CallSites::placeOf));
  return found->second;
}

/// The exported function that \p address is in. Forms with a default stream for
/// each thread have the address of the plain ones.
static std::string functionAt(void *address) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_sname)
    return "";
  std::string_view name = info.dli_sname;
  for (std::string_view end : {"_ptds", "_ptsz", "_v2"})
    if (name.ends_with(end))
      name.remove_suffix(end.size());
  return std::string(name);
}

uint32_t CallSites::current() {
  void *frames[kMostFrames];
  int count = backtrace(frames, kMostFrames);
  int first = 0;
  while (first < count && isOurs(frames[first]))
    ++first;
  HostCall site;
  if (first)
    site.call = functionAt(frames[first - 1]);
  for (int i = first; i < count && site.stack.size() < kKeptFrames; ++i)
    site.stack.push_back(reinterpret_cast<uint64_t>(frames[i]));
  auto [found, isNew] = numbers.try_emplace(
      std::move(site), static_cast<uint32_t>(byNumber.size()));
  if (isNew)
    byNumber.push_back(&found->first);
  return found->second;
}

CodePlace CallSites::placeOf(uint64_t address) {
  Dl_info info;
  link_map *map = nullptr;
  // The call is before the address to which it returns.
  --address;
  if (!dladdr1(reinterpret_cast<void *>(address), &info,
               reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) ||
      !map)
    return {"", address};
  return {info.dli_fname, address - map->l_addr};
}

} // namespace gpulto::emu
