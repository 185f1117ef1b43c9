//===- DriverProcess.cpp - Commands the driver runs -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Children inherit every descriptor (make's jobserver is reached through them)
// and get SIGTERM when the driver dies, so that no clang keeps writing to the
// output after a killed compile; clang removes unfinished output.
//
//===----------------------------------------------------------------------===//
#include "tools/driver/DriverProcess.h"

#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace gpulto::driver {

void printCommand(raw_ostream &os, const Command &command) {
  sys::printArg(os << ' ', command.program, /*Quote=*/true);
  for (const std::string &word : command.args)
    sys::printArg(os << ' ', word, /*Quote=*/true);
  os << '\n';
}

/// Returns the command's argument vector. When it is too long for the system,
/// the words go to a response file in \p temporary.
static Expected<std::vector<std::string>> argumentVector(const Command &command,
                                                         TempDir &temporary) {
  std::vector<std::string> words = {command.program};
  SmallVector<StringRef, 64> views(command.args.begin(), command.args.end());
  if (command.builtIn ||
      sys::commandLineFitsWithinSystemLimits(command.program, views)) {
    words.insert(words.end(), command.args.begin(), command.args.end());
    return words;
  }
  Expected<TempDir> made = TempDir::create("gpulto-args");
  if (!made)
    return made.takeError();
  temporary = std::move(*made);
  std::string text;
  for (const std::string &word : command.args) {
    text += '"';
    for (char c : word) {
      if (c == '"' || c == '\\')
        text += '\\';
      text += c;
    }
    text += "\"\n";
  }
  std::string file = temporary.file("arguments.rsp");
  if (Error failure = writeFileAtomically(file, text))
    return failure;
  words.push_back("@" + file);
  return words;
}

/// Becomes the program of \p words, or does its work; returns only when that
/// fails.
static void becomeProgram(const Command &command,
                          const std::vector<std::string> &words) {
  for (const auto &[name, value] : command.environment)
    setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
  std::vector<char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(const_cast<char *>(word.c_str()));
  pointers.push_back(nullptr);
  if (command.builtIn) {
    ArrayRef<char *> given = ArrayRef(pointers).drop_back();
    SmallVector<const char *, 64> argv(given.begin(), given.end());
    int status = command.builtIn(argv);
    outs().flush();
    std::exit(status);
  }
  execv(words.front().c_str(), pointers.data());
}

/// Where a child's standard streams go; empty: inherited.
struct Redirection {
  std::string standardInput;
  std::string standardOutput;
  std::string standardError;
};

static bool redirect(const std::string &path, int flags, int descriptor) {
  if (path.empty())
    return true;
  int opened = open(path.c_str(), flags | O_CLOEXEC, 0666);
  return opened >= 0 && dup2(opened, descriptor) >= 0;
}

/// Starts a child. The parent's death ends it too.
static Expected<pid_t> start(const Command &command,
                             const std::vector<std::string> &words,
                             const Redirection &to) {
  pid_t parent = getpid();
  outs().flush(); // a child must not write it again
  pid_t child = fork();
  if (child < 0)
    return fileError(command.program, "cannot start a process", errno);
  if (child > 0)
    return child;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) // died before prctl
    _exit(1);
  const int forWriting = O_WRONLY | O_CREAT | O_TRUNC;
  bool redirected = redirect(to.standardInput, O_RDONLY, STDIN_FILENO) &&
                    redirect(to.standardOutput, forWriting, STDOUT_FILENO) &&
                    redirect(to.standardError, forWriting, STDERR_FILENO);
  if (redirected)
    becomeProgram(command, words);
  errs() << "error: " << command.program << ": cannot run (" << strerror(errno)
         << ")\n";
  _exit(127);
}

/// The exit status a shell would give.
static int exitStatus(int waited) {
  return WIFSIGNALED(waited) ? 128 + WTERMSIG(waited) : WEXITSTATUS(waited);
}

Error execute(const Command &command) {
  TempDir temporary;
  Expected<std::vector<std::string>> words = argumentVector(command, temporary);
  if (!words)
    return words.takeError();
  if (temporary.path().empty()) {
    outs().flush();
    becomeProgram(command, *words);
    return fileError(command.program, "cannot run", errno);
  }
  // The response file must be removed afterwards: stay, and wait.
  Expected<int> status = runAndWait(command);
  if (!status)
    return status.takeError();
  {
    TempDir removed = std::move(temporary);
  }
  std::exit(*status);
}

Expected<int> runAndWait(const Command &command) {
  TempDir temporary;
  Expected<std::vector<std::string>> words = argumentVector(command, temporary);
  if (!words)
    return words.takeError();
  Expected<pid_t> child = start(
      command, *words, {command.standardInput, command.standardOutput, ""});
  if (!child)
    return child.takeError();
  int waited = 0;
  while (waitpid(*child, &waited, 0) < 0)
    if (errno != EINTR)
      return fileError(command.program, "cannot wait for it", errno);
  return exitStatus(waited);
}

namespace {

/// Several commands at once: states and slots indexed as the commands are.
class ParallelRun {
public:
  ParallelRun(ArrayRef<Command> commands, unsigned most,
              JobserverClient *jobserver)
      : commands(commands), most(most), jobserver(jobserver),
        jobs(commands.size()) {}

  Expected<int> run();

private:
  struct Job {
    pid_t child = 0;
    int status = -1; ///< -1: not finished
    JobSlot slot;
    TempDir responseFile;
  };

  bool mayStart(JobSlot &slot);
  Error startNext(JobSlot slot);
  Error waitForOne();
  int report();

  ArrayRef<Command> commands;
  unsigned most;
  JobserverClient *jobserver;
  std::vector<Job> jobs;
  TempDir messages;
  size_t next = 0;
  unsigned running = 0;
  bool failed = false;
};

} // namespace

/// Whether another command may run now; with a jobserver, \p slot is the right
/// to. The first always may: the driver itself was given that right.
bool ParallelRun::mayStart(JobSlot &slot) {
  if (next == commands.size() || failed || running >= most)
    return false;
  if (!jobserver)
    return true;
  slot = jobserver->tryAcquire();
  return slot.isValid();
}

Error ParallelRun::startNext(JobSlot slot) {
  size_t index = next++;
  Job &job = jobs[index];
  const Command &command = commands[index];
  Expected<std::vector<std::string>> words =
      argumentVector(command, job.responseFile);
  if (!words)
    return words.takeError();
  Expected<pid_t> child =
      start(command, *words,
            {command.standardInput, "", messages.file(std::to_string(index))});
  if (!child)
    return child.takeError();
  job.child = *child;
  job.slot = std::move(slot);
  ++running;
  return Error::success();
}

Error ParallelRun::waitForOne() {
  int waited = 0;
  pid_t child = waitpid(-1, &waited, 0);
  if (child < 0)
    return errno == EINTR ? Error::success()
                          : fileError("clang", "cannot wait for it", errno);
  for (Job &job : jobs) {
    if (job.child != child)
      continue;
    job.status = exitStatus(waited);
    job.slot.release();
    failed |= job.status != 0;
    --running;
  }
  return Error::success();
}

/// Prints what the commands said, in their order.
int ParallelRun::report() {
  int status = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (ErrorOr<std::unique_ptr<MemoryBuffer>> text =
            MemoryBuffer::getFile(messages.file(std::to_string(i))))
      errs() << (*text)->getBuffer();
    if (jobs[i].status > 0 && status == 0)
      status = jobs[i].status;
  }
  return status;
}

Expected<int> ParallelRun::run() {
  Expected<TempDir> made = TempDir::create("gpulto-messages");
  if (!made)
    return made.takeError();
  messages = std::move(*made);
  Error failure = Error::success();
  while (!failure) {
    JobSlot slot;
    if (mayStart(slot))
      failure = startNext(std::move(slot));
    else if (running > 0)
      failure = waitForOne();
    else
      break;
  }
  while (running > 0)
    if (Error waiting = waitForOne())
      return joinErrors(std::move(failure), std::move(waiting));
  if (failure)
    return failure;
  return report();
}

Expected<int> runAll(ArrayRef<Command> commands, const JobLimit &limit) {
  JobserverConnection connection;
  if (commands.size() > 1 && limit.jobs != 1)
    connection = JobserverClient::fromEnvironment(limit.jobserver);
  bool parallel = commands.size() > 1 && (limit.jobs > 1 || connection.client);
  if (parallel) {
    unsigned most = limit.jobs ? limit.jobs : commands.size();
    return ParallelRun(commands, most, connection.client.get()).run();
  }
  for (const Command &command : commands) {
    Expected<int> status = runAndWait(command);
    if (!status || *status != 0)
      return status;
  }
  return 0;
}

} // namespace gpulto::driver
