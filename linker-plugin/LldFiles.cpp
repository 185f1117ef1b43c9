//===- LldFiles.cpp - How lld accesses the file system --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Stock lld removes the previous output before it begins, and writes the new
// one through a mapping of a sparse file: a full disk gives a SIGBUS, and the
// old program is gone. An error must leave the old output, so two functions of
// LLVM are replaced (as in LldLinker.cpp, by --wrap):
//
//   FileOutputBuffer::create   wrapCreateOutput: a temporary file beside the
//                              output whose blocks are allocated beforehand;
//                              commit() renames it over the output, unless
//                              the check of LldFiles.h wants it dropped
//   lld::unlinkAsync           wrapUnlink: keeps the previous output
//
// Other than regular files (/dev/null, a fifo) are left to LLVM.
//
// A third concerns reading: lld looks for libraries with sys::fs::access and
// takes any error for "not there", so an I/O error gives a program with another
// library. wrapAccess makes it an error.
//
//===----------------------------------------------------------------------===//

#include "linker-plugin/LldFiles.h"

#include "linker-plugin/LinkerCommandLine.h"
#include "linker-plugin/LldSymbols.h"

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/ErrorHandler.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileOutputBuffer.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace llvm;

namespace gpulto {

Expected<std::unique_ptr<FileOutputBuffer>>
realCreateOutput(StringRef path, size_t size,
                 unsigned flags) asm("__real_" GPULTO_LLD_CREATE_OUTPUT);
Expected<std::unique_ptr<FileOutputBuffer>>
wrapCreateOutput(StringRef path, size_t size,
                 unsigned flags) asm("__wrap_" GPULTO_LLD_CREATE_OUTPUT);
void wrapUnlink(StringRef path) asm("__wrap_" GPULTO_LLD_UNLINK);
std::error_code
realAccess(const Twine &path,
           sys::fs::AccessMode mode) asm("__real_" GPULTO_LLD_ACCESS);
std::error_code
wrapAccess(const Twine &path,
           sys::fs::AccessMode mode) asm("__wrap_" GPULTO_LLD_ACCESS);

namespace {

/// FileOutputBuffer has no place for it; set only by checkOutputs.
OutputCheck outputCheck = nullptr;

Error systemError(int number) {
  return errorCodeToError(std::error_code(number, std::generic_category()));
}

/// A temporary file that becomes the output when it is committed. With or
/// without --mmap-output-file: the blocks are there, so a mapping is safe.
class AtomicOutput : public FileOutputBuffer {
public:
  /// \p path is the output, to which \p temporary, open as \p fd, is to be
  /// renamed.
  AtomicOutput(StringRef path, StringRef temporary, int fd)
      : FileOutputBuffer(path), temporary(temporary), fd(fd) {}
  ~AtomicOutput() override {
    unmap();
    AtomicOutput::discard();
  }

  /// Makes the file \p bytes long and maps it.
  Error map(size_t bytes) {
    int problem = posix_fallocate(fd, 0, static_cast<off_t>(bytes));
    // A file system that can neither allocate nor emulate it.
    if (problem == EINVAL || problem == EOPNOTSUPP)
      problem = ftruncate(fd, static_cast<off_t>(bytes)) ? errno : 0;
    if (problem)
      return systemError(problem);
    void *mapped =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED)
      return systemError(errno);
    start = static_cast<uint8_t *>(mapped);
    size = bytes;
    return Error::success();
  }

  uint8_t *getBufferStart() const override { return start; }
  uint8_t *getBufferEnd() const override { return start + size; }
  size_t getBufferSize() const override { return size; }

  Error commit() override {
    StringRef bytes(reinterpret_cast<char *>(start), size);
    if (outputCheck && !outputCheck(MemoryBufferRef(bytes, FinalPath))) {
      unmap();
      discard();
      return Error::success();
    }
    unmap();
    std::error_code problem;
    if (close(std::exchange(fd, -1)) != 0)
      problem = std::error_code(errno, std::generic_category());
    else
      problem = moveToOutput();
    if (problem) {
      discard();
      return errorCodeToError(problem);
    }
    sys::DontRemoveFileOnSignal(temporary);
    temporary.clear();
    return Error::success();
  }

  void discard() override {
    if (fd >= 0)
      close(std::exchange(fd, -1));
    if (temporary.empty())
      return;
    if (unlink(temporary.c_str()) != 0 && errno != ENOENT)
      unlink(temporary.c_str()); // once more; nothing else can be done
    sys::DontRemoveFileOnSignal(temporary);
    temporary.clear();
  }

private:
  std::error_code moveToOutput() {
    std::error_code problem = sys::fs::rename(temporary, FinalPath);
    // A file that is a mount point cannot be replaced, only be written to.
    if (problem != errc::device_or_resource_busy)
      return problem;
    problem = sys::fs::copy_file(temporary, FinalPath);
    if (!problem)
      unlink(temporary.c_str());
    return problem;
  }

  void unmap() {
    if (start)
      munmap(std::exchange(start, nullptr), size);
  }

  std::string temporary; ///< empty once committed or discarded
  int fd;
  uint8_t *start = nullptr;
  size_t size = 0;
};

} // namespace

void checkOutputs(OutputCheck check) { outputCheck = check; }

Expected<std::unique_ptr<FileOutputBuffer>>
wrapCreateOutput(StringRef path, size_t size, unsigned flags) {
  sys::fs::file_status status;
  (void)sys::fs::status(path, status);
  bool isOrdinary = status.type() == sys::fs::file_type::regular_file ||
                    status.type() == sys::fs::file_type::file_not_found;
  if (!isOrdinary || path == "-" || size == 0)
    return realCreateOutput(path, size, flags);
  unsigned mode = sys::fs::all_read | sys::fs::all_write;
  if (flags & FileOutputBuffer::F_executable)
    mode |= sys::fs::all_exe;
  SmallString<128> temporary;
  int fd = -1;
  if (std::error_code problem = sys::fs::createUniqueFile(
          path + ".tmp%%%%%%%", fd, temporary, sys::fs::OF_None, mode))
    return errorCodeToError(problem);
  auto output = std::make_unique<AtomicOutput>(path, temporary, fd);
  std::string message;
  if (sys::RemoveFileOnSignal(temporary, &message))
    return createStringError(inconvertibleErrorCode(), message);
  if (Error error = output->map(size))
    return error;
  return output;
}

/// Nothing is lost in time: the rename drops the old file's blocks, and the
/// process would wait for them in any case.
void wrapUnlink(StringRef) {}

std::error_code wrapAccess(const Twine &path, sys::fs::AccessMode mode) {
  std::error_code problem = realAccess(path, mode);
  if (lld::hasContext() && mayBeThere(problem)) // called by lld
    lld::fatal("cannot look for " + path + ": " + problem.message());
  return problem;
}

} // namespace gpulto
