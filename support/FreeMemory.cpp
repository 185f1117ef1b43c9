//===- FreeMemory.cpp - Memory that is still available --------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Control groups: cgroups(7), and the kernel's Documentation/admin-guide/
// cgroup-v1/memory.rst and cgroup-v2.rst. /proc/self/cgroup names the group,
// /proc/self/mountinfo where its hierarchy is mounted and which part of it: in
// a container the mount may begin at the group, which then is the topmost
// readable one.
//
//===----------------------------------------------------------------------===//

#include "support/FreeMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cstdint>
#include <malloc.h>
#include <optional>
#include <string>
#include <unistd.h>

using namespace llvm;

namespace gpulto {
namespace {

constexpr uint64_t kUnlimited = UINT64_MAX;

/// Returns the contents of \p path; empty when it cannot be read.
std::string contentsOf(const Twine &path) {
  auto file = MemoryBuffer::getFileAsStream(path);
  return file ? (*file)->getBuffer().str() : std::string();
}

/// Returns the number behind \p key in \p text, lines of `KEY NUMBER`.
std::optional<uint64_t> findNumber(StringRef text, StringRef key) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    uint64_t number = 0;
    if (line.consume_front(key) && line.starts_with(" ") &&
        !line.ltrim().consumeInteger(10, number))
      return number;
  }
  return std::nullopt;
}

/// Returns the number in the file \p path; none: "max", or no such file.
std::optional<uint64_t> readNumber(const Twine &path) {
  uint64_t number = 0;
  if (StringRef(contentsOf(path)).trim().getAsInteger(10, number))
    return std::nullopt;
  return number;
}

/// What one version of the memory controller calls its files.
struct ControllerFiles {
  SmallVector<StringRef, 2> limits;
  StringRef usage;
  /// Counters in memory.stat of file caches, groups below included.
  SmallVector<StringRef, 2> caches;
};

ControllerFiles controllerFiles(bool isUnified) {
  if (isUnified)
    return {{"memory.max", "memory.high"},
            "memory.current",
            {"inactive_file", "active_file"}};
  return {{"memory.limit_in_bytes"},
          "memory.usage_in_bytes",
          {"total_inactive_file", "total_active_file"}};
}

/// Returns what the limits of the group in \p directory leave.
uint64_t roomOfGroup(StringRef directory, const ControllerFiles &files) {
  uint64_t limit = kUnlimited;
  for (StringRef name : files.limits)
    limit = std::min(limit,
                     readNumber(directory + "/" + name).value_or(kUnlimited));
  std::optional<uint64_t> usage = readNumber(directory + "/" + files.usage);
  if (limit == kUnlimited || !usage)
    return limit;
  std::string counters = contentsOf(directory + "/memory.stat");
  uint64_t cached = 0;
  for (StringRef name : files.caches)
    cached += findNumber(counters, name).value_or(0);
  uint64_t used = *usage - std::min(*usage, cached);
  return limit - std::min(limit, used);
}

/// Where a hierarchy of control groups is mounted.
struct GroupMount {
  std::string root;  ///< the group that the mount shows
  std::string point; ///< where
};

/// Finds the mount of the memory controller in \p mounts, the text of
/// /proc/self/mountinfo; see proc_pid_mountinfo(5).
std::optional<GroupMount> findMount(StringRef mounts, bool isUnified) {
  SmallVector<StringRef> lines;
  mounts.split(lines, '\n');
  for (StringRef line : lines) {
    auto [where, what] = line.split(" - ");
    SmallVector<StringRef> place, kind;
    where.split(place, ' ');
    what.split(kind, ' '); // type, source, options of the file system
    if (place.size() < 5 || kind.size() < 3)
      continue;
    SmallVector<StringRef> options;
    kind[2].split(options, ',');
    if (isUnified ? kind[0] == "cgroup2"
                  : kind[0] == "cgroup" && is_contained(options, "memory"))
      return GroupMount{place[3].str(), place[4].str()};
  }
  return std::nullopt;
}

/// Returns what \p group and the groups that hold it leave.
uint64_t roomOfGroups(StringRef group, const GroupMount &mount, StringRef root,
                      bool isUnified) {
  ControllerFiles files = controllerFiles(isUnified);
  StringRef below = group;
  if (mount.root != "/" && !below.consume_front(mount.root))
    below = "";
  std::string top = (root + mount.point).str();
  uint64_t room = kUnlimited;
  for (;;) {
    room = std::min(room, roomOfGroup(top + below.str(), files));
    below = below.rtrim('/');
    if (below.empty())
      return room;
    below = below.substr(0, below.rfind('/'));
  }
}

/// Returns what the control groups of this process leave.
uint64_t roomOfOwnGroups(StringRef root) {
  std::string groups = contentsOf(root + "/proc/self/cgroup");
  std::string mounts = contentsOf(root + "/proc/self/mountinfo");
  uint64_t room = kUnlimited;
  SmallVector<StringRef> lines;
  StringRef(groups).split(lines, '\n');
  for (StringRef line : lines) {
    // HIERARCHY:CONTROLLERS:GROUP; version 2 is hierarchy 0.
    auto [hierarchy, rest] = line.split(':');
    auto [names, group] = rest.split(':');
    SmallVector<StringRef> controllers;
    names.split(controllers, ',');
    bool isUnified = hierarchy == "0";
    if (!isUnified && !is_contained(controllers, "memory"))
      continue;
    if (std::optional<GroupMount> mount = findMount(mounts, isUnified))
      room = std::min(room, roomOfGroups(group, *mount, root, isUnified));
  }
  return room;
}

} // namespace

uint64_t freeMemoryBytes(StringRef root) {
  uint64_t free = kUnlimited;
  std::string machine = contentsOf(root + "/proc/meminfo");
  if (auto kilobytes = findNumber(machine, "MemAvailable:"))
    free = *kilobytes * 1024;
  return std::min(free, roomOfOwnGroups(root));
}

uint64_t ownMemoryBytes(pid_t process) {
  // Pages: size, resident, those of files and shared ones, ...; proc(5).
  std::string text = contentsOf("/proc/" + Twine(process) + "/statm");
  SmallVector<StringRef> fields;
  StringRef(text).split(fields, ' ');
  uint64_t resident = 0, shared = 0;
  if (fields.size() < 3 || fields[1].getAsInteger(10, resident) ||
      fields[2].getAsInteger(10, shared))
    return 0;
  return (resident - std::min(resident, shared)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void returnFreedMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

} // namespace gpulto
