//===- Subprocess.cpp - Running programs, temporary files -----------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// posix_spawn rather than llvm::sys::ExecuteAndWait: output is captured
// through pipes, not files, descriptors of the parent (jobserver, mapped
// inputs) stay out of the child, and the child's own memory peak is known.
//
//===----------------------------------------------------------------------===//

#include "support/Subprocess.h"

#include "support/Error.h"
#include "support/FatalSignals.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace gpulto;

extern char **environ;

//===----------------------------------------------------------------------===//
// Quoting and finding
//===----------------------------------------------------------------------===//

std::string gpulto::shellQuote(llvm::StringRef word) {
  constexpr llvm::StringLiteral kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "%+,-./:=@_";
  if (!word.empty() && word.find_first_not_of(kSafe) == llvm::StringRef::npos)
    return word.str();
  std::string result = "'";
  for (char c : word) {
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  }
  return result + "'";
}

std::string gpulto::shellQuote(llvm::StringRef program,
                               llvm::ArrayRef<std::string> args) {
  std::string result = shellQuote(program);
  for (const std::string &arg : args)
    result += " " + shellQuote(arg);
  return result;
}

std::string gpulto::responseFile(llvm::ArrayRef<std::string> words) {
  std::string result;
  for (llvm::StringRef word : words) {
    result += '"';
    for (char c : word) {
      if (c == '"' || c == '\\')
        result += '\\';
      result += c;
    }
    result += "\"\n";
  }
  return result;
}

static bool isExecutableFile(const std::string &path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

llvm::Expected<std::string>
gpulto::findProgram(llvm::StringRef name,
                    llvm::ArrayRef<std::string> directories) {
  if (name.contains('/')) {
    if (isExecutableFile(name.str()))
      return name.str();
    return makeError(name + ": no executable file");
  }
  llvm::SmallVector<std::string, 16> all(directories.begin(),
                                         directories.end());
  llvm::SmallVector<llvm::StringRef, 16> onPath;
  const char *path = std::getenv("PATH");
  llvm::StringRef(path ? path : "/usr/local/bin:/usr/bin:/bin")
      .split(onPath, ':');
  for (llvm::StringRef directory : onPath)
    all.push_back(directory.empty() ? "." : directory.str());
  for (const std::string &directory : all) {
    llvm::SmallString<128> candidate(directory);
    llvm::sys::path::append(candidate, name);
    if (!directory.empty() && isExecutableFile(candidate.str().str()))
      return candidate.str().str();
  }
  return makeError("program '" + name + "' not found in " +
                   llvm::join(all, ", "));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;

/// One captured stream: a pipe whose write end goes to the child.
struct Capture {
  int fd = -1;
  std::string *text = nullptr;
};

llvm::Error openPipe(int ends[2], llvm::StringRef program) {
  if (pipe2(ends, O_CLOEXEC) != 0)
    return fileError(program, "cannot create a pipe", errno);
  // Where this process was started with standard descriptors closed, the pipe
  // may lie on their numbers and would be overwritten in the child.
  for (int *end = ends; end != ends + 2; ++end) {
    if (*end > 2)
      continue;
    int moved = fcntl(*end, F_DUPFD_CLOEXEC, 3);
    if (moved < 0)
      return fileError(program, "cannot create a pipe", errno);
    close(std::exchange(*end, moved));
  }
  return llvm::Error::success();
}

/// Returns the milliseconds until \p deadline, as poll() wants them.
int remainingMs(const Deadline &deadline) {
  if (!deadline)
    return -1;
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      *deadline - Clock::now());
  constexpr int64_t kLongest = 1 << 30;
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, kLongest));
}

/// Reads both streams to their ends together: a child that fills one while we
/// wait for the other would block forever. Returns whether that was in time.
bool drain(llvm::MutableArrayRef<Capture> captures, const Deadline &deadline) {
  std::array<char, 16384> buffer;
  while (true) {
    llvm::SmallVector<pollfd, 2> waiting;
    for (const Capture &capture : captures)
      if (capture.fd >= 0)
        waiting.push_back({capture.fd, POLLIN, 0});
    if (waiting.empty())
      return true;
    int count = poll(waiting.data(), waiting.size(), remainingMs(deadline));
    if (count == 0 && deadline && Clock::now() >= *deadline)
      return false;
    if (count <= 0)
      continue; // EINTR
    for (const pollfd &ready : waiting) {
      if (!ready.revents)
        continue;
      Capture &capture = *llvm::find_if(
          captures, [&](const Capture &c) { return c.fd == ready.fd; });
      ssize_t size = read(ready.fd, buffer.data(), buffer.size());
      if (size > 0) {
        capture.text->append(buffer.data(), static_cast<size_t>(size));
      } else if (size == 0 || errno != EINTR) {
        close(capture.fd);
        capture.fd = -1;
      }
    }
  }
}

/// The child's environment: ours, less the unset, with the additions.
std::vector<std::string> makeEnvironment(const ProcessOptions &options) {
  llvm::StringSet<> dropped;
  for (const std::string &name : options.unsetEnvironment)
    dropped.insert(name);
  for (const auto &[name, value] : options.environment)
    dropped.insert(name);
  std::vector<std::string> result;
  for (char **entry = environ; *entry; ++entry) {
    llvm::StringRef text = *entry;
    if (!dropped.contains(text.split('=').first))
      result.push_back(text.str());
  }
  for (const auto &[name, value] : options.environment)
    result.push_back(name + "=" + value);
  return result;
}

std::vector<char *> pointers(std::vector<std::string> &strings) {
  std::vector<char *> result;
  for (std::string &text : strings)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

double milliseconds(const timeval &time) {
  return static_cast<double>(time.tv_sec) * 1e3 +
         static_cast<double>(time.tv_usec) / 1e3;
}

//===----------------------------------------------------------------------===//
// Process groups that a signal must take along
//===----------------------------------------------------------------------===//

struct LiveGroup {
  std::atomic<pid_t> pid; ///< of its leader; 0: none
  std::atomic<unsigned> graceMs;
};

/// Written by runProcess, read by the signal handler: no locks.
std::array<LiveGroup, 64> liveGroups;
std::atomic<pid_t> liveGroupsOwner;

/// Waits up to \p graceMs for the end of the process \p pid, which is left to
/// be reaped. Async-signal-safe.
void waitForEnd(pid_t pid, unsigned graceMs) {
  constexpr unsigned kStepMs = 5;
  constexpr timespec kStep = {0, kStepMs * 1000000};
  for (unsigned waited = 0; waited < graceMs; waited += kStepMs) {
    siginfo_t info = {};
    int failed = waitid(P_PID, static_cast<id_t>(pid), &info,
                        WEXITED | WNOWAIT | WNOHANG);
    if (failed ? errno != EINTR : info.si_pid == pid)
      return;
    nanosleep(&kStep, nullptr);
  }
}

/// Ends the groups and reaps their leaders. Async-signal-safe.
void endGroups() {
  if (liveGroupsOwner.load() != getpid())
    return;
  for (LiveGroup &group : liveGroups)
    if (pid_t pid = group.pid.load(); pid && group.graceMs.load())
      kill(-pid, SIGTERM);
  for (LiveGroup &group : liveGroups)
    if (pid_t pid = group.pid.exchange(0)) {
      waitForEnd(pid, group.graceMs.load());
      kill(-pid, SIGKILL);
      while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR)
        ;
    }
}

/// Notes that \p pid leads a group; call with fatal signals blocked. Returns
/// its place, or null if there are too many.
LiveGroup *listGroup(pid_t pid, unsigned graceMs) {
  liveGroupsOwner.store(getpid());
  for (LiveGroup &group : liveGroups)
    if (pid_t none = 0; group.pid.compare_exchange_strong(none, pid)) {
      group.graceMs.store(graceMs);
      return &group;
    }
  return nullptr;
}

/// A child that has been started.
struct Child {
  pid_t pid = 0;
  LiveGroup *group = nullptr; ///< its place among liveGroups

  /// Sends it SIGKILL, to its group if it has one of its own.
  void end() const { kill(group ? -pid : pid, SIGKILL); }
  bool waitUntil(const Deadline &deadline) const;
  void reap(ProcessResult &result);
};

/// Waits for the end; returns whether it came in time.
bool Child::waitUntil(const Deadline &deadline) const {
  while (true) {
    siginfo_t info = {};
    int options = WEXITED | WNOWAIT | (deadline ? WNOHANG : 0);
    int failed = waitid(P_PID, static_cast<id_t>(pid), &info, options);
    if (failed ? errno != EINTR : info.si_pid == pid)
      return true;
    if (deadline && Clock::now() >= *deadline)
      return false;
    constexpr timespec kStep = {0, 1000000};
    nanosleep(&kStep, nullptr);
  }
}

/// Takes the status of the child, which has ended or is about to.
void Child::reap(ProcessResult &result) {
  FatalSignalBlocker blocker; // the handler must not see a reaped child
  int status = 0;
  rusage usage = {};
  while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
    ;
  if (group)
    group->pid.store(0);
  if (WIFSIGNALED(status))
    result.signal = WTERMSIG(status);
  else
    result.exitCode = WEXITSTATUS(status);
  result.cpuMs = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
  result.peakRssBytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

/// Spawns; returns 0 or an errno value.
int spawn(const std::string &program, std::vector<std::string> &argv,
          std::vector<std::string> &environment, const ProcessOptions &options,
          int outFd, int errFd, Child &child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (!options.inheritStdin)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (outFd >= 0)
    posix_spawn_file_actions_adddup2(&actions, outFd, 1);
  if (errFd >= 0)
    posix_spawn_file_actions_adddup2(&actions, errFd, 2);
  if (!options.keepDescriptors)
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  if (!options.cwd.empty())
    posix_spawn_file_actions_addchdir_np(&actions, options.cwd.c_str());
  sigset_t none, all;
  sigemptyset(&none);
  sigemptyset(&all);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD})
    sigaddset(&all, signal);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (options.ownGroup)
    flags |= POSIX_SPAWN_SETPGROUP; // 0, the default: a new one
  posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
  std::vector<char *> argPointers = pointers(argv);
  std::vector<char *> envPointers = pointers(environment);
  if (options.ownGroup)
    callOnFatalSignal(endGroups);
  FatalSignalBlocker blocker; // no group that the handler does not know
  int result = posix_spawn(&child.pid, program.c_str(), &actions, &attributes,
                           argPointers.data(), envPointers.data());
  if (result == 0 && options.ownGroup)
    child.group = listGroup(child.pid, options.graceMs);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return result;
}

llvm::Error failure(llvm::StringRef program, llvm::ArrayRef<std::string> args,
                    const std::string &how, const ProcessResult &result) {
  std::string text = llvm::sys::path::filename(program).str() + " " + how +
                     "\n  command: " + shellQuote(program, args);
  llvm::StringRef output = llvm::StringRef(result.errors).rtrim();
  if (output.empty()) // some tools, ptxas among them, complain on stdout
    output = llvm::StringRef(result.output).rtrim();
  if (!output.empty())
    text += "\n" + output.str();
  return makeError(text);
}

llvm::Error failure(llvm::StringRef program, llvm::ArrayRef<std::string> args,
                    const ProcessResult &result) {
  std::string how =
      result.signal
          ? "was ended by signal " + std::to_string(result.signal) + " (" +
                strsignal(result.signal) + ")"
          : "failed with exit status " + std::to_string(result.exitCode);
  return failure(program, args, how, result);
}

} // namespace

llvm::Expected<ProcessResult>
gpulto::runProcess(llvm::StringRef program, llvm::ArrayRef<std::string> args,
                   const ProcessOptions &options) {
  int out[2] = {-1, -1}, err[2] = {-1, -1};
  llvm::scope_exit closeAll([&] {
    for (int fd : {out[0], out[1], err[0], err[1]})
      if (fd >= 0)
        close(fd);
  });
  if (options.captureStdout)
    if (llvm::Error error = openPipe(out, program))
      return error;
  if (options.captureStderr)
    if (llvm::Error error = openPipe(err, program))
      return error;

  std::vector<std::string> argv = {program.str()};
  argv.insert(argv.end(), args.begin(), args.end());
  std::vector<std::string> environment = makeEnvironment(options);
  Clock::time_point start = Clock::now();
  Deadline deadline;
  if (options.timeoutSeconds)
    deadline = start + std::chrono::seconds(options.timeoutSeconds);
  Child child;
  if (int error = spawn(program.str(), argv, environment, options, out[1],
                        err[1], child))
    return fileError(
        program, "cannot run\n  command: " + shellQuote(program, args), error);
  for (int *end : {&out[1], &err[1]})
    if (*end >= 0)
      close(std::exchange(*end, -1));
  ProcessResult result;
  Capture captures[] = {{out[0], &result.output}, {err[0], &result.errors}};
  bool inTime = drain(captures, deadline) && child.waitUntil(deadline);
  for (auto [capture, end] :
       {std::pair(&captures[0], &out[0]), std::pair(&captures[1], &err[0])})
    *end = capture->fd; // closed by drain, or left open when time was up
  if (!inTime)
    child.end();
  child.reap(result);
  result.wallMs =
      std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  if (!inTime)
    return failure(program, args,
                   "was ended after " + std::to_string(options.timeoutSeconds) +
                       " seconds" +
                       (options.timeoutAdvice.empty() ? "" : "; ") +
                       options.timeoutAdvice,
                   result);
  if (!result.succeeded() && !options.allowFailure)
    return failure(program, args, result);
  return result;
}
