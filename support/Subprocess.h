//===- Subprocess.h - Running programs, temporary files ---------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_SUPPORT_SUBPROCESS_H
#define GPULTO_SUPPORT_SUBPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpulto {

/// How a program is run.
struct ProcessOptions {
  bool captureStdout = true; ///< else inherited
  bool captureStderr = true; ///< else inherited
  bool inheritStdin = false; ///< else /dev/null
  /// Leave descriptors from 3 up open in the child (jobserver of a recipe
  /// with `+`, when the child is a compiler driver); else they are closed.
  bool keepDescriptors = false;
  std::string cwd; ///< working directory; empty: this process's
  /// Variables set in addition to this process's environment.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> unsetEnvironment; ///< variables removed
  /// The process and its children get their own process group, and end on a
  /// signal that ends this process, or when the time is up. Otherwise they
  /// share our group, and only the process itself is ended when the time is up.
  bool ownGroup = false;
  /// With ownGroup: how long the group may take to end after SIGTERM, when a
  /// signal ends this process, before it gets SIGKILL. 0: SIGKILL immediately.
  unsigned graceMs = 0;
  /// How long it may take; 0: no limit.
  unsigned timeoutSeconds = 0;
  /// How to change that limit, for the message.
  std::string timeoutAdvice;
  /// Exit statuses other than 0 are not errors.
  bool allowFailure = false;
};

/// How it ended.
struct ProcessResult {
  int exitCode = 0;   ///< valid if signal is 0
  int signal = 0;     ///< the signal that ended it, or 0
  std::string output; ///< stdout, if captured
  std::string errors; ///< stderr, if captured
  double wallMs = 0;
  double cpuMs = 0;
  uint64_t peakRssBytes = 0;
  bool succeeded() const { return signal == 0 && exitCode == 0; }
};

/// Runs \p program (a path, see findProgram) with \p args, where args[0] is the
/// first argument, not the program's name, and waits until it ends. Errors: the
/// program cannot be started, it did not end in time, or (unless allowFailure)
/// its exit status is not 0; the error holds the whole command, quoted for a
/// shell, and what it wrote to stderr. Thread-safe.
llvm::Expected<ProcessResult> runProcess(llvm::StringRef program,
                                         llvm::ArrayRef<std::string> args,
                                         const ProcessOptions &options = {});

/// Returns the command as one line for a POSIX shell.
std::string shellQuote(llvm::StringRef program,
                       llvm::ArrayRef<std::string> args);
/// Returns one word for a POSIX shell, quoted only if needed.
std::string shellQuote(llvm::StringRef word);
/// Returns \p words as the contents of a response file, one a line, quoted as
/// GNU programs, lld, mold and clang read it.
std::string responseFile(llvm::ArrayRef<std::string> words);

/// Returns the path of the program \p name: in \p directories first, in their
/// order, then on PATH. A name with a slash is only checked.
/// Errors: not found; the message lists the directories looked at.
llvm::Expected<std::string>
findProgram(llvm::StringRef name, llvm::ArrayRef<std::string> directories = {});

/// A private directory for temporary files. Removed with its contents when
/// destroyed, and when the process dies from a signal that it may catch. A
/// forked child's copy removes nothing.
class TempDir {
public:
  /// An empty value, owning nothing.
  TempDir() = default;
  /// Makes `PREFIX-XXXXXX` under TMPDIR (default /tmp), mode 0700.
  static llvm::Expected<TempDir> create(llvm::StringRef prefix = "gpulto");
  /// Makes `PREFIX-XXXXXX` in \p parent.
  static llvm::Expected<TempDir> createIn(llvm::StringRef parent,
                                          llvm::StringRef prefix);
  TempDir(TempDir &&other) noexcept { swap(other); }
  TempDir &operator=(TempDir &&other) noexcept {
    TempDir(std::move(other)).swap(*this);
    return *this;
  }
  TempDir(const TempDir &) = delete;
  TempDir &operator=(const TempDir &) = delete;
  ~TempDir();

  const std::string &path() const { return directory; }
  /// Returns `path()/name`.
  std::string file(llvm::StringRef name) const;
  /// Keeps the directory from now on (--gpulto-save-temps, bug reports).
  void keep();

private:
  void swap(TempDir &other) noexcept {
    std::swap(directory, other.directory);
    std::swap(owner, other.owner);
  }

  std::string directory;
  int owner = 0; ///< process that removes it; 0: none
};

/// Writes \p contents to \p path through a temporary file in the same directory
/// and rename(), so that readers see the old file or the new one. On an error
/// (full disk included) nothing is left and the old file remains. An existing
/// file's mode is kept; a new one gets 0666 (0777 if \p executable) less the
/// umask. A path that is not a regular file (/dev/null, a fifo) is written to
/// directly.
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef contents,
                                bool executable = false);

/// Returns the bytes of \p path, mapped or read, without a terminator. Errors:
/// it cannot be read.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readWholeFile(llvm::StringRef path);

/// Makes the directory \p path and its parents, if needed. Errors: it cannot be
/// made.
llvm::Error makeDirectories(llvm::StringRef path);

/// Removes TempDirs as a signal would, for an exit that runs no destructors.
/// Async-signal-safe.
void removeTemporaries();

} // namespace gpulto

#endif // GPULTO_SUPPORT_SUBPROCESS_H
