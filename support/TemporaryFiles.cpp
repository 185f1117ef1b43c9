//===- TemporaryFiles.cpp - TempDir, atomic writing -----------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Directories to be removed on a fatal signal are in a fixed table, because a
// signal handler may neither lock nor allocate. Removing a tree needs readdir,
// which is not async-signal-safe; the handler therefore reads directories with
// getdents64 into a buffer on its own stack.
//
//===----------------------------------------------------------------------===//

#include "support/Error.h"
#include "support/FatalSignals.h"
#include "support/Subprocess.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace gpulto;

//===----------------------------------------------------------------------===//
// Removing, async-signal-safe
//===----------------------------------------------------------------------===//

namespace {

constexpr size_t kMaxTempDirs = 64;
constexpr unsigned kMaxDepth = 32; ///< directories we make are flat

/// What is to be removed: a heap copy of a path, never freed while listed.
struct Removal {
  std::atomic<const char *> path;
  std::atomic<pid_t> owner;
};

std::array<Removal, kMaxTempDirs> removals;

/// struct linux_dirent64, which no header declares.
struct RawDirent {
  uint64_t inode;
  int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[1];
};

bool isDots(const char *name) {
  return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

/// Removes what is in the directory \p fd; closes it.
void removeContents(int fd, unsigned depth) {
  // Entries vanish while we read, so start again until nothing goes away.
  bool progress = true;
  while (progress && depth < kMaxDepth) {
    progress = false;
    lseek(fd, 0, SEEK_SET);
    alignas(RawDirent) char buffer[2048];
    long size = 0;
    while ((size = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
      for (long at = 0; at < size;) {
        auto *entry = reinterpret_cast<RawDirent *>(buffer + at);
        at += entry->size;
        if (isDots(entry->name))
          continue;
        if (unlinkat(fd, entry->name, 0) == 0) {
          progress = true;
          continue;
        }
        int child = openat(fd, entry->name,
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (child >= 0)
          removeContents(child, depth + 1);
        if (unlinkat(fd, entry->name, AT_REMOVEDIR) == 0)
          progress = true;
      }
    }
  }
  close(fd);
}

/// Removes a file or a directory with all it holds. What fails is tried again:
/// descriptors, say, may be short for a moment.
void removeTree(const char *path) {
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i) {
    if (unlink(path) == 0 || errno == ENOENT)
      return;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0)
      removeContents(fd, 0);
    if (rmdir(path) == 0 || errno == ENOENT)
      return;
  }
}

/// Lists a path; returns false when the table is full (then a signal leaves
/// the path behind, nothing worse).
bool listForRemoval(const std::string &path) {
  callOnFatalSignal(removeTemporaries);
  char *copy = strdup(path.c_str());
  for (Removal &entry : removals) {
    const char *expected = nullptr;
    if (entry.path.compare_exchange_strong(expected, copy)) {
      entry.owner.store(getpid());
      return true;
    }
  }
  std::free(copy);
  return false;
}

void unlist(const std::string &path) {
  for (Removal &entry : removals) {
    const char *listed = entry.path.load();
    if (!listed || path != listed)
      continue;
    if (entry.path.compare_exchange_strong(listed, nullptr)) {
      std::free(const_cast<char *>(listed));
      return;
    }
  }
}

} // namespace

void gpulto::removeTemporaries() {
  for (Removal &entry : removals)
    if (const char *path = entry.path.load())
      if (entry.owner.load() == getpid())
        removeTree(path);
}

//===----------------------------------------------------------------------===//
// TempDir
//===----------------------------------------------------------------------===//

llvm::Expected<TempDir> TempDir::create(llvm::StringRef prefix) {
  const char *base = std::getenv("TMPDIR");
  return createIn(base && *base ? base : "/tmp", prefix);
}

llvm::Expected<TempDir> TempDir::createIn(llvm::StringRef parent,
                                          llvm::StringRef prefix) {
  llvm::SmallString<128> name(parent);
  llvm::sys::path::append(name, prefix + "-XXXXXX");
  std::string path = name.str().str();
  // No signal may come before it is listed.
  FatalSignalBlocker blocker;
  if (!mkdtemp(path.data()))
    return fileError(name, "cannot create a temporary directory", errno);
  TempDir result;
  result.directory = path;
  result.owner = getpid();
  listForRemoval(path);
  return result;
}

TempDir::~TempDir() {
  if (owner == 0 || owner != getpid())
    return;
  removeTree(directory.c_str());
  unlist(directory);
}

std::string TempDir::file(llvm::StringRef name) const {
  llvm::SmallString<128> result(directory);
  llvm::sys::path::append(result, name);
  return result.str().str();
}

void TempDir::keep() {
  owner = 0;
  unlist(directory);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Writes all bytes; returns 0 or an errno value.
static int writeAll(int fd, llvm::StringRef contents) {
  // One call moves at most 0x7ffff000 bytes on Linux.
  while (!contents.empty()) {
    ssize_t size = write(fd, contents.data(), contents.size());
    if (size < 0 && errno == EINTR)
      continue;
    if (size < 0)
      return errno;
    contents = contents.drop_front(static_cast<size_t>(size));
  }
  return 0;
}

/// Writes to something that is not a regular file.
static llvm::Error writeInPlace(const std::string &path,
                                llvm::StringRef contents) {
  int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return fileError(path, "cannot open for writing", errno);
  int failed = writeAll(fd, contents);
  if (close(fd) != 0 && !failed)
    failed = errno;
  return failed ? fileError(path, "cannot write", failed)
                : llvm::Error::success();
}

/// Returns the mode a new file would get.
static mode_t newFileMode(bool executable) {
  // umask() can only be asked by setting it, which is not thread-safe; the
  // kernel says it in /proc since 4.7.
  unsigned mask = 022;
  if (std::FILE *file = std::fopen("/proc/self/status", "re")) {
    char line[256];
    while (std::fgets(line, sizeof(line), file)) {
      llvm::StringRef text = line;
      if (text.consume_front("Umask:") && !text.trim().getAsInteger(8, mask))
        break;
    }
    std::fclose(file);
  }
  return (executable ? 0777 : 0666) & ~mask;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
gpulto::readWholeFile(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return inputError(InputLocation(path), file.getError().message());
  return std::move(*file);
}

llvm::Error gpulto::makeDirectories(llvm::StringRef path) {
  if (std::error_code code = llvm::sys::fs::create_directories(path))
    return inputError(InputLocation(path), "cannot create: " + code.message());
  return llvm::Error::success();
}

llvm::Error gpulto::writeFileAtomically(llvm::StringRef path,
                                        llvm::StringRef contents,
                                        bool executable) {
  std::string target = path.str();
  struct stat info = {};
  bool exists = stat(target.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode))
    return writeInPlace(target, contents);
  // A symbolic link stays one: what it points to is replaced.
  if (exists)
    if (char *real = realpath(target.c_str(), nullptr)) {
      target = real;
      std::free(real);
    }
  std::string temporary = target + ".tmp-XXXXXX";
  int fd = -1;
  bool listed = false;
  {
    FatalSignalBlocker blocker; // no signal may come before it is listed
    fd = mkostemp(temporary.data(), O_CLOEXEC);
    if (fd < 0)
      return fileError(path, "cannot create", errno);
    listed = listForRemoval(temporary);
  }
  mode_t mode = exists ? info.st_mode & 07777 : newFileMode(executable);
  int failed = writeAll(fd, contents);
  if (!failed && fchmod(fd, mode) != 0)
    failed = errno;
  if (close(fd) != 0 && !failed)
    failed = errno;
  if (!failed && rename(temporary.c_str(), target.c_str()) != 0)
    failed = errno;
  if (failed)
    removeTree(temporary.c_str());
  if (listed)
    unlist(temporary);
  return failed ? fileError(path, "cannot write", failed)
                : llvm::Error::success();
}
