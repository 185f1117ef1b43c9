//===- Jobserver.cpp - GNU make jobserver client --------------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Connecting (fromMakeflags) goes through four steps:
//   1. parseMakeflags: the last --jobserver-auth= (or -fds=) word names a
//      fifo or two descriptors.
//   2. A fifo is opened by its path.
//   3. Descriptors are used if both are open here, are two ends of ONE pipe,
//      one readable and one writable. "One pipe" is checked by device and
//      inode: without `+` in the recipe the numbers may be closed, or be other
//      files of a tool in between (CMake's link.txt is one measured case).
//   4. In mode Auto, else: the parents are walked up to the first make whose
//      two descriptors are one pipe, and the pipe is opened through
//      /proc/PID/fd. Other programs are skipped: many wake themselves through a
//      pipe to themselves, often with just these numbers, and reading from that
//      would break them.
//
// Whatever was found is opened again through /proc: that gives a file
// description of our own. O_NONBLOCK belongs to the description, and make's is
// shared with all its children; setting it there breaks make 4.3 and older, and
// reading without it may block if another client takes the byte first.
//
// Why tokens are kept byte by byte: make puts '+' into the pipe today, but the
// manual asks clients to write back exactly what they read, and other servers
// do send other bytes.
//
// Tokens outlive no catchable death: held ones are listed in a fixed table
// that a signal handler can walk. The table is process-wide state, the one
// place where that is unavoidable: signals are process-wide too.
//
//===----------------------------------------------------------------------===//

#include "support/Jobserver.h"

#include "support/FatalSignals.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Threading.h"

#include <array>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace gpulto;

//===----------------------------------------------------------------------===//
// Tokens held, for the signal handler
//===----------------------------------------------------------------------===//

namespace {

/// More slots than any machine has cores; acquiring stops there.
constexpr uint32_t kMaxTokens = 4096;

/// Entry: 0 when free, else 1 + token byte + 256 * descriptor.
struct TokenRegistry {
  std::array<std::atomic<uint64_t>, kMaxTokens> entries;
  std::atomic<pid_t> owner; ///< a forked child must not return our tokens
};

TokenRegistry registry;

uint64_t packToken(int fd, uint8_t token) {
  return 1 + static_cast<uint64_t>(token) + (static_cast<uint64_t>(fd) << 9);
}

/// Writes a token back. The pipe cannot be full, it held the byte before; a
/// lost token would slow the whole build down, so failures are tried again.
void writeToken(int fd, char token) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries && write(fd, &token, 1) < 0; ++i)
    ;
}

/// Writes the token of one entry back.
void returnToken(std::atomic<uint64_t> &entry) {
  uint64_t packed = entry.exchange(0);
  if (packed == 0 || registry.owner.load() != getpid())
    return;
  char token = static_cast<char>((packed & 0x1ff) - 1);
  int fd = static_cast<int>(packed >> 9);
  writeToken(fd, token);
}

/// Lists a token; kMaxTokens when the table is full.
uint32_t registerToken(int fd, uint8_t token) {
  for (uint32_t i = 0; i != kMaxTokens; ++i) {
    uint64_t expected = 0;
    if (registry.entries[i].compare_exchange_strong(expected,
                                                    packToken(fd, token)))
      return i;
  }
  return kMaxTokens;
}

} // namespace

void JobserverClient::releaseAllHeldTokens() {
  for (std::atomic<uint64_t> &entry : registry.entries)
    returnToken(entry);
}

//===----------------------------------------------------------------------===//
// Finding the jobserver
//===----------------------------------------------------------------------===//

namespace {

/// What MAKEFLAGS says.
struct ServerName {
  std::string fifo;
  int readFd = -1;
  int writeFd = -1;
};

/// An owned descriptor.
class Fd {
public:
  explicit Fd(int fd = -1) : fd(fd) {}
  Fd(Fd &&other) noexcept : fd(other.release()) {}
  Fd &operator=(Fd &&other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~Fd() {
    if (fd >= 0)
      close(fd);
  }
  bool isOpen() const { return fd >= 0; }
  int get() const { return fd; }
  int release() { return std::exchange(fd, -1); }

private:
  int fd;
};

struct Ends {
  Fd read;
  Fd write;
};

/// Cuts MAKEFLAGS into words; a backslash quotes the next character. What
/// follows `--` are variable definitions.
llvm::SmallVector<std::string, 8> splitMakeflags(llvm::StringRef flags) {
  llvm::SmallVector<std::string, 8> words;
  std::string word;
  auto finish = [&] {
    if (!word.empty())
      words.push_back(std::move(word));
    word.clear();
  };
  for (size_t i = 0; i < flags.size(); ++i) {
    if (llvm::isSpace(flags[i])) {
      finish();
      if (!words.empty() && words.back() == "--")
        return words;
      continue;
    }
    if (flags[i] == '\\' && i + 1 < flags.size())
      ++i;
    word += flags[i];
  }
  finish();
  return words;
}

/// Returns nothing when no jobserver is named. A malformed name gives an
/// empty ServerName.
std::optional<ServerName> parseMakeflags(llvm::StringRef flags) {
  std::optional<ServerName> result;
  for (llvm::StringRef word : splitMakeflags(flags)) {
    if (word == "--")
      break;
    if (!word.consume_front("--jobserver-auth=") &&
        !word.consume_front("--jobserver-fds="))
      continue;
    result.emplace(); // the last one counts
    if (word.consume_front("fifo:")) {
      result->fifo = word.str();
      continue;
    }
    auto [first, second] = word.split(',');
    int readFd = -1, writeFd = -1;
    if (first.getAsInteger(10, readFd) || second.getAsInteger(10, writeFd))
      continue;
    if (readFd < 0 || writeFd < 0) {
      result.reset(); // make's way of saying: switched off
      continue;
    }
    result->readFd = readFd;
    result->writeFd = writeFd;
  }
  return result;
}

std::string describe(int error) {
  char text[128];
  return strerror_r(error, text, sizeof(text));
}

/// Opens \p path without ever blocking. O_NONBLOCK stays set.
Fd openEnd(const std::string &path, int access) {
  return Fd(open(path.c_str(), access | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

std::string fdPath(const std::string &process, int fd) {
  return "/proc/" + process + "/fd/" + std::to_string(fd);
}

/// Returns the flags a descriptor of any process was opened with.
std::optional<int> openFlags(const std::string &process, int fd) {
  std::string path = "/proc/" + process + "/fdinfo/" + std::to_string(fd);
  std::FILE *file = std::fopen(path.c_str(), "re");
  if (!file)
    return std::nullopt;
  char line[256];
  std::optional<int> result;
  unsigned flags = 0;
  while (!result && std::fgets(line, sizeof(line), file)) {
    llvm::StringRef text = line;
    if (text.consume_front("flags:") && llvm::to_integer(text.trim(), flags, 8))
      result = static_cast<int>(flags);
  }
  std::fclose(file);
  return result;
}

/// Opens the two ends if they are one pipe of \p process (a number or
/// `self`), the first readable and the second writable.
std::optional<Ends> openPipe(const std::string &process, int readFd,
                             int writeFd, std::string &whyNot) {
  struct stat readStat = {}, writeStat = {};
  std::string readPath = fdPath(process, readFd);
  std::string writePath = fdPath(process, writeFd);
  if (stat(readPath.c_str(), &readStat) ||
      stat(writePath.c_str(), &writeStat)) {
    whyNot = errno == ENOENT ? "descriptors are closed" : describe(errno);
    return std::nullopt;
  }
  if (!S_ISFIFO(readStat.st_mode) || readStat.st_dev != writeStat.st_dev ||
      readStat.st_ino != writeStat.st_ino) {
    whyNot = "descriptors are not two ends of one pipe";
    return std::nullopt;
  }
  std::optional<int> readFlags = openFlags(process, readFd);
  std::optional<int> writeFlags = openFlags(process, writeFd);
  if (!readFlags || !writeFlags || (*readFlags & O_ACCMODE) == O_WRONLY ||
      (*writeFlags & O_ACCMODE) == O_RDONLY) {
    whyNot = "descriptors are ends of one pipe but the wrong ones";
    return std::nullopt;
  }
  Ends ends{openEnd(readPath, O_RDONLY), openEnd(writePath, O_WRONLY)};
  if (!ends.read.isOpen() || !ends.write.isOpen()) {
    whyNot = "cannot open " + readPath + ": " + describe(errno);
    return std::nullopt;
  }
  // The process may have ended, and its number gone to another, meanwhile.
  struct stat opened = {};
  if (fstat(ends.read.get(), &opened) || opened.st_ino != readStat.st_ino ||
      fstat(ends.write.get(), &opened) || opened.st_ino != readStat.st_ino) {
    whyNot = "descriptors changed while they were opened";
    return std::nullopt;
  }
  return ends;
}

std::optional<Ends> openFifo(const std::string &path, std::string &whyNot) {
  // Read end first: a write end alone cannot be opened without blocking.
  Ends ends{openEnd(path, O_RDONLY), Fd()};
  if (ends.read.isOpen())
    ends.write = openEnd(path, O_WRONLY);
  if (!ends.write.isOpen()) {
    whyNot = "cannot open fifo " + path + ": " + describe(errno);
    return std::nullopt;
  }
  struct stat readStat = {}, writeStat = {};
  if (fstat(ends.read.get(), &readStat) || !S_ISFIFO(readStat.st_mode) ||
      fstat(ends.write.get(), &writeStat) ||
      readStat.st_ino != writeStat.st_ino) {
    whyNot = path + " is not a fifo";
    return std::nullopt;
  }
  return ends;
}

/// Returns the parent of \p process, 0 when there is none.
pid_t parentOf(pid_t process) {
  std::string path = "/proc/" + std::to_string(process) + "/stat";
  std::FILE *file = std::fopen(path.c_str(), "re");
  if (!file)
    return 0;
  char text[1024];
  size_t size = std::fread(text, 1, sizeof(text) - 1, file);
  std::fclose(file);
  // `pid (name) state ppid ...`; the name may hold anything, ')' too.
  llvm::StringRef rest = llvm::StringRef(text, size).rsplit(") ").second;
  rest = rest.split(' ').second;
  pid_t parent = 0;
  return rest.split(' ').first.getAsInteger(10, parent) ? 0 : parent;
}

/// Returns whether a process is GNU make, by its name.
bool isMake(pid_t process) {
  std::string path = "/proc/" + std::to_string(process) + "/comm";
  std::FILE *file = std::fopen(path.c_str(), "re");
  if (!file)
    return false;
  char name[64] = {};
  size_t size = std::fread(name, 1, sizeof(name), file);
  std::fclose(file);
  return llvm::StringSwitch<bool>(llvm::StringRef(name, size).rtrim())
      .Cases({"make", "gmake", "gnumake", "remake"}, true)
      .Default(false);
}

/// Finds the nearest make whose descriptors are one pipe.
std::optional<Ends> openAncestorPipe(const ServerName &server,
                                     std::string &detail) {
  for (pid_t process = parentOf(getpid()); process > 0;
       process = parentOf(process)) {
    if (!isMake(process))
      continue;
    std::string whyNot;
    std::optional<Ends> ends = openPipe(std::to_string(process), server.readFd,
                                        server.writeFd, whyNot);
    if (ends) {
      detail = "descriptors of process " + std::to_string(process);
      return ends;
    }
  }
  return std::nullopt;
}

std::optional<Ends> openServer(const ServerName &server, JobserverMode mode,
                               std::string &detail) {
  if (!server.fifo.empty()) {
    std::optional<Ends> ends = openFifo(server.fifo, detail);
    if (ends)
      detail = "fifo " + server.fifo;
    return ends;
  }
  if (server.readFd < 0) {
    detail = "MAKEFLAGS names a jobserver in a form that is not known";
    return std::nullopt;
  }
  std::string names =
      std::to_string(server.readFd) + "," + std::to_string(server.writeFd);
  if (std::optional<Ends> ends =
          openPipe("self", server.readFd, server.writeFd, detail)) {
    detail = "descriptors " + names;
    return ends;
  }
  if (mode == JobserverMode::Auto)
    if (std::optional<Ends> ends = openAncestorPipe(server, detail))
      return ends;
  detail = "jobserver descriptors " + names + ": " + detail +
           "; put '+' before the command in the makefile";
  return std::nullopt;
}

} // namespace

JobserverConnection JobserverClient::fromEnvironment(JobserverMode mode) {
  const char *flags = std::getenv("MAKEFLAGS");
  return fromMakeflags(flags ? flags : "", mode);
}

JobserverConnection JobserverClient::fromMakeflags(llvm::StringRef makeflags,
                                                   JobserverMode mode) {
  JobserverConnection result;
  if (mode == JobserverMode::Off) {
    result.detail = "switched off";
    return result;
  }
  std::optional<ServerName> server = parseMakeflags(makeflags);
  if (!server) {
    result.detail = "MAKEFLAGS names no jobserver";
    return result;
  }
  std::optional<Ends> ends = openServer(*server, mode, result.detail);
  if (!ends) {
    result.status = JobserverStatus::Unreachable;
    return result;
  }
  callOnFatalSignal(releaseAllHeldTokens);
  result.status = JobserverStatus::Connected;
  result.client.reset(
      new JobserverClient(ends->read.release(), ends->write.release()));
  return result;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

JobserverClient::JobserverClient(int readFd, int writeFd)
    : readFd(readFd), writeFd(writeFd) {
  // A child that connects anew after fork starts with an empty table: the
  // entries copied from its parent are the parent's to return.
  pid_t previous = registry.owner.exchange(getpid());
  if (previous != getpid() && previous != 0)
    for (std::atomic<uint64_t> &entry : registry.entries)
      entry.store(0);
}

JobserverClient::~JobserverClient() {
  assert((held.load() == 0 || registry.owner.load() != getpid()) &&
         "slots do not outlive their client");
  close(readFd);
  close(writeFd);
}

unsigned JobserverClient::heldTokens() const { return held.load(); }

/// Returns 1 for a token, 0 when none lies there, -1 when the server is gone.
int JobserverClient::readToken(uint8_t &token) {
  while (true) {
    ssize_t size = read(readFd, &token, 1);
    if (size == 1)
      return 1;
    if (size < 0 && errno == EINTR)
      continue;
    return size < 0 && errno == EAGAIN ? 0 : -1;
  }
}

JobSlot JobserverClient::tryAcquire() {
  if (!implicitTaken.exchange(true))
    return JobSlot(JobSlot::State::Implicit, 0, this);
  // No signal may come between reading a token and listing it.
  FatalSignalBlocker blocker;
  JobSlot slot;
  uint8_t token = 0;
  if (held.load() < kMaxTokens && readToken(token) == 1) {
    uint32_t index = registerToken(writeFd, token);
    if (index != kMaxTokens) {
      ++held;
      slot = JobSlot(JobSlot::State::Explicit, index, this);
    } else {
      writeToken(writeFd, static_cast<char>(token));
    }
  }
  return slot;
}

JobSlot JobserverClient::acquire(std::chrono::milliseconds timeout) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point end = Clock::now() + timeout;
  while (true) {
    if (JobSlot slot = tryAcquire())
      return slot;
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    if (left.count() <= 0)
      return JobSlot();
    // The implicit slot may come back without a byte: look again now and then.
    constexpr int64_t kLookAgainMs = 100;
    pollfd waiting = {readFd, POLLIN, 0};
    poll(&waiting, 1,
         static_cast<int>(std::min<int64_t>(left.count(), kLookAgainMs)));
  }
}

void JobserverClient::releaseImplicit() { implicitTaken.store(false); }

void JobSlot::release() {
  State old = std::exchange(state, State::Invalid);
  if (old == State::Invalid || registry.owner.load() != getpid())
    return;
  if (old == State::Implicit)
    return owner->releaseImplicit();
  --owner->held;
  // A signal between taking it off the list and writing it would lose it.
  FatalSignalBlocker blocker;
  returnToken(registry.entries[registryIndex]);
}

static unsigned coreCount() {
  return llvm::hardware_concurrency().compute_thread_count();
}

unsigned gpulto::slotsWithoutTokens(JobserverStatus status, unsigned most) {
  assert(status != JobserverStatus::Connected && "tokens are to be had");
  if (most)
    return most;
  return status == JobserverStatus::None ? coreCount() : 1;
}

ThreadSlots gpulto::takeThreadSlots(JobserverMode mode, unsigned most) {
  ThreadSlots result;
  result.connection = JobserverClient::fromEnvironment(mode);
  JobserverStatus status = result.connection.status;
  if (status != JobserverStatus::Connected) {
    result.count = std::min(slotsWithoutTokens(status, most), coreCount());
    return result;
  }
  unsigned wanted = most ? std::min(most, coreCount()) : coreCount();
  while (result.slots.size() < wanted) {
    JobSlot slot = result.connection.client->tryAcquire();
    if (!slot)
      break;
    result.slots.push_back(std::move(slot));
  }
  result.count = std::max<size_t>(1, result.slots.size());
  return result;
}
