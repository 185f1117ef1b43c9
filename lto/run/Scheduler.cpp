//===- Scheduler.cpp - Run LTRANS jobs in forked processes ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One loop in one thread:
// 1. startJobs: while slots, memory and the job limit allow, fork the heaviest
//    remaining job (longest processing time first: R. L. Graham, "Bounds on
//    Multiprocessing Timing Anomalies", 1969). No slot is held while waiting
//    for memory (lto/run/MemoryBudget).
// 2. waitForEvents: poll the running children's stderr, whose end is the
//    child's end, and the job server.
// 3. reap: collect status, usage and messages; return the slot.
//
// Several links under one make share its tokens. A link that returns a token is
// running, while those that it wakes are not yet: reading again immediately,
// one link took the only token for each of its jobs in turn, and the others had
// none (measured with four). So a returned token is left to others for a moment
// (takeSlot), and none is held for a job for which the implicit slot suffices
// (returnSpareToken).
//
// Forking costs 1 ms from a parent of 83 MB, also inside lld with its threads:
// the child uses no thread but its own. It leaves by _exit, because destructors
// and atexit handlers are the parent's.
//
// A child's stderr is a pipe to us: messages, and what it does next
// (lto/job/JobPhases).
//
// Each child leads a process group, so that a job's ptxas ends with it; the
// operating system kills a child whose parent is gone. Only this process holds
// tokens.
//
//===----------------------------------------------------------------------===//

#include "lto/run/Scheduler.h"

#include "lto/job/JobResults.h"
#include "lto/link/TimeTrace.h"
#include "lto/ltrans/Ltrans.h"
#include "lto/run/SavedLink.h"
#include "support/Diagnostics.h"
#include "support/Error.h"
#include "support/FatalSignals.h"
#include "support/Subprocess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// Children that a signal must take along
//===----------------------------------------------------------------------===//

/// More processes at a time than this are not started.
static constexpr unsigned kMaxChildren = 1024;
/// How long a child may take to clean up after SIGTERM before it gets SIGKILL.
static constexpr long kGraceMs = 2000;

/// Written by the scheduler, read by the signal handler: no locks.
static std::atomic<pid_t> liveChildren[kMaxChildren];
static std::atomic<pid_t> liveChildrenOwner;

static void signalChildren(int signal) {
  for (const std::atomic<pid_t> &child : liveChildren)
    if (pid_t pid = child.load())
      kill(-pid, signal);
}

/// Reaps the children that have ended; returns whether some are left.
/// Async-signal-safe.
static bool reapChildren() {
  bool isLeft = false;
  for (std::atomic<pid_t> &child : liveChildren) {
    pid_t pid = child.load();
    if (!pid)
      continue;
    int status;
    pid_t done = waitpid(pid, &status, WNOHANG);
    if (done == pid || (done < 0 && errno == ECHILD))
      child.store(0);
    else
      isLeft = true;
  }
  return isLeft;
}

/// Ends and reaps all children of this process. Async-signal-safe.
static void endChildren() {
  if (liveChildrenOwner.load() != getpid())
    return;
  signalChildren(SIGTERM);
  static constexpr long kStepMs = 5;
  for (long waited = 0; reapChildren(); waited += kStepMs) {
    if (waited >= kGraceMs)
      signalChildren(SIGKILL);
    timespec step = {0, kStepMs * 1000000};
    nanosleep(&step, nullptr);
  }
}

//===----------------------------------------------------------------------===//
// The scheduler
//===----------------------------------------------------------------------===//

namespace {

using Clock = std::chrono::steady_clock;

struct RunningJob {
  size_t index = 0;
  pid_t pid = 0;
  int messages = -1; // read end of the child's stderr
  unsigned registry = 0;
  JobSlot slot;
  Clock::time_point start;
  std::string text;
  bool hasEnded = false;
};

class Scheduler {
public:
  Scheduler(const LinkJobs &jobs, const SchedulerOptions &options);
  ~Scheduler();
  Expected<std::vector<JobStatistics>> run();

private:
  Error checkJobserver() const;
  JobSlot takeSlot();
  void returnSpareToken();
  Error startJobs();
  Error startJob(MemoryBudget::Grant grant, JobSlot slot);
  [[noreturn]] void runChild(size_t index, int messages, uint64_t memoryBytes);
  Error waitForEvents();
  void readMessages(RunningJob &job);
  Error reapEnded();
  Error finish(RunningJob &job);
  Error crashError(const RunningJob &job, int status) const;
  std::string howToRepeat(size_t index, int status) const;
  std::optional<double> secondsLeft() const;
  void report();

  const LinkJobs &jobs;
  const SchedulerOptions &options;
  JobserverConnection connection;
  std::vector<size_t> queue; // indices, the next one last
  std::vector<std::unique_ptr<RunningJob>> running;
  std::vector<JobStatistics> statistics;
  std::vector<std::string> warnings; // by index
  unsigned limit = 1;
  MemoryBudget memory;
  uint64_t outOfMemoryBefore = 0;
  unsigned done = 0;
  uint64_t queuedWeight = 0;
  double finishedSeconds = 0, finishedWeight = 0; // of jobs that did their work
  Clock::time_point reported;
  bool wantsSlot = false;
  bool wantsMemory = false;
  bool hasReturnedToken = false; // others may be about to take it
};

} // namespace

Scheduler::Scheduler(const LinkJobs &jobs, const SchedulerOptions &options)
    : jobs(jobs), options(options), statistics(jobs.size()),
      warnings(jobs.size()),
      memory(jobs, options.user.memory, MemoryLedger(options.memoryLedger),
             options.diagnostics) {
  for (size_t i = 0; i < jobs.size(); ++i)
    if (options.skip.empty() || !options.skip.test(i)) {
      queue.push_back(i);
      queuedWeight += jobs[i].weight;
    }
  done = jobs.size() - queue.size();
  llvm::sort(queue, [&](size_t a, size_t b) {
    if (jobs[a].weight != jobs[b].weight)
      return jobs[a].weight < jobs[b].weight;
    return a > b;
  });
  connection = JobserverClient::fromEnvironment(options.user.jobserver);
  if (connection.status != JobserverStatus::Connected)
    limit = slotsWithoutTokens(connection.status, options.user.jobs);
  else
    limit = options.user.jobs ? options.user.jobs : kMaxChildren;
  limit = std::clamp(limit, 1u, kMaxChildren);
}

Scheduler::~Scheduler() {
  endChildren();
  for (const auto &job : running)
    close(job->messages);
}

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns the time until all jobs are done, if each takes as long for its
/// weight as those that are done, and as many run as now.
std::optional<double> Scheduler::secondsLeft() const {
  if (finishedWeight == 0)
    return std::nullopt;
  double secondsByWeight = finishedSeconds / finishedWeight;
  double sum = queuedWeight * secondsByWeight, longest = 0;
  for (const auto &job : running) {
    double left = std::max(0.0, jobs[job->index].weight * secondsByWeight -
                                    secondsSince(job->start));
    sum += left;
    longest = std::max(longest, left);
  }
  return std::max(longest, sum / std::max<size_t>(1, running.size()));
}

void Scheduler::report() {
  if (!options.progress)
    return;
  reported = Clock::now();
  JobProgress progress{.done = done,
                       .running = static_cast<unsigned>(running.size()),
                       .total = static_cast<unsigned>(jobs.size()),
                       .waitsForMemory = wantsMemory,
                       .secondsLeft = secondsLeft()};
  for (const auto &job : running)
    progress.memoryBytes += statistics[job->index].expectedMemoryBytes;
  if (!running.empty()) { // in the order of their starts
    const RunningJob &oldest = *running.front();
    progress.oldestSeconds = secondsSince(oldest.start);
    progress.oldestName = [&] { return nameOfJob(jobs.make(oldest.index)); };
  }
  options.progress(progress);
}

/// Errors: the user demands a jobserver, and there is none.
Error Scheduler::checkJobserver() const {
  if (connection.status == JobserverStatus::Connected)
    return Error::success();
  if (options.user.jobserver == JobserverMode::Strict)
    return makeError("--gpulto-jobserver=strict: " + connection.detail);
  if (connection.status == JobserverStatus::Unreachable &&
      options.diagnostics && queue.size() > 1)
    options.diagnostics->warning(
        "jobserver not used, " +
        (limit == 1 ? "one job" : std::to_string(limit) + " jobs") +
        " at a time: " + connection.detail);
  return Error::success();
}

/// Takes the implicit slot or a token; what this link has just returned only
/// if nobody else wants it.
JobSlot Scheduler::takeSlot() {
  // Time enough for a process that sleeps in poll() to run and read.
  static constexpr std::chrono::milliseconds kHandOver(2);
  if (hasReturnedToken && !connection.client->isImplicitFree()) {
    std::this_thread::sleep_for(kHandOver);
    hasReturnedToken = false;
  }
  return connection.client->tryAcquire();
}

/// Moves a job that runs on a token to the implicit slot if no other job can
/// use that.
void Scheduler::returnSpareToken() {
  if ((!queue.empty() && !wantsMemory) || !connection.client ||
      !connection.client->isImplicitFree())
    return;
  for (auto &job : running)
    if (job->slot.isExplicit()) {
      job->slot = connection.client->tryAcquire();
      return;
    }
}

/// Starts what may be started now.
Error Scheduler::startJobs() {
  bool wantedMemory = std::exchange(wantsMemory, false);
  wantsSlot = false;
  while (running.size() < limit && !queue.empty()) {
    std::optional<MemoryBudget::Grant> grant = memory.tryGrant(queue);
    if (!grant) {
      wantsMemory = true;
      break;
    }
    JobSlot slot;
    if (connection.client) {
      slot = takeSlot();
      if (!slot) {
        wantsSlot = true;
        break;
      }
    }
    if (Error error = startJob(std::move(*grant), std::move(slot)))
      return error;
  }
  if (wantsMemory != wantedMemory)
    report();
  returnSpareToken();
  return Error::success();
}

Error Scheduler::startJob(MemoryBudget::Grant grant, JobSlot slot) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return fileError("pipe", "cannot start a job", errno);
  auto job = std::make_unique<RunningJob>();
  job->index = queue[grant.position];
  job->slot = std::move(slot);
  job->messages = ends[0];
  job->start = Clock::now();
  while (liveChildren[job->registry].load())
    ++job->registry; // limit <= kMaxChildren: there is a free one
  outs().flush();
  fflush(nullptr);
  {
    FatalSignalBlocker blocker; // no child that the handler does not know
    pid_t parent = getpid();
    job->pid = fork();
    if (job->pid == 0) {
      setpgid(0, 0);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent)
        _exit(1);
    } else if (job->pid > 0) {
      setpgid(job->pid, job->pid); // whichever of the two comes first
      liveChildren[job->registry].store(job->pid);
    }
  }
  if (job->pid == 0)
    runChild(job->index, ends[1], grant.bytes);
  close(ends[1]);
  if (job->pid < 0) {
    int problem = errno;
    close(ends[0]);
    return fileError("fork", "cannot start a job", problem);
  }
  fcntl(job->messages, F_SETFL, O_NONBLOCK);
  queue.erase(queue.begin() + static_cast<ptrdiff_t>(grant.position));
  queuedWeight -= jobs[job->index].weight;
  statistics[job->index].expectedMemoryBytes = grant.bytes;
  memory.started(job->index, job->pid, grant);
  running.push_back(std::move(job));
  report();
  return Error::success();
}

/// \p memoryBytes: what it is expected to take.
void Scheduler::runChild(size_t index, int messages, uint64_t memoryBytes) {
  uint64_t memoryBefore = ownPeakBytes();
  if (dup2(messages, STDERR_FILENO) < 0)
    _exit(1);
  remove_fatal_error_handler(); // the parent reports
  // Exit handlers would wait for threads that only the parent has.
  on_exit([](int status, void *) { _exit(status); }, nullptr);
  std::signal(SIGPIPE, SIG_DFL); // LLVM's handler calls exit()
  setBugReportMsg("");
  // So that the link removes the temporary files of a job that is killed.
  setenv("TMPDIR", options.outputDirectory.c_str(), /*overwrite=*/1);
  parallel::strategy = hardware_concurrency(1);
  std::string prefix = jobPrefix(options.outputDirectory, jobs[index]);
  std::string saveTemps;
  if (!options.user.saveTempsDirectory.empty())
    saveTemps = jobPrefix(options.user.saveTempsDirectory, jobs[index]);
  beginJobTrace();
  LtransJob job = jobs.make(index);
  Error error = options.run ? options.run(job, prefix, saveTemps)
                            : runLtransJob(job, prefix, saveTemps, sendPhase);
  if (!error)
    error = endJobTrace(jobTracePath(prefix));
  int status = 0;
  if (error) {
    errs() << toString(std::move(error)) << '\n';
    status = 1;
  } else {
    sendMemory(takenMemoryBytes(memoryBefore, memoryBytes));
  }
  _exit(status);
}

/// Sleeps until a child has something to say or has ended, or a token may be
/// there.
Error Scheduler::waitForEvents() {
  std::vector<pollfd> polled;
  for (const auto &job : running)
    polled.push_back({job->messages, POLLIN, 0});
  if (wantsSlot)
    polled.push_back({connection.client->pollFd(), POLLIN, 0});
  // Another client may take the token that woke us; check again soon rather
  // than spin, and never sleep forever on a job server that went away. Nothing
  // reports that a job of another link has ended.
  static constexpr int kTimeoutMs = 1000, kMemoryTimeoutMs = 20;
  static constexpr double kReportSeconds = 1;
  int timeoutMs = wantsMemory ? kMemoryTimeoutMs : kTimeoutMs;
  int count;
  do
    count = poll(polled.data(), polled.size(), timeoutMs);
  while (count < 0 && errno == EINTR);
  if (count < 0)
    return fileError("poll", "cannot wait for jobs", errno);
  if (secondsSince(reported) >= kReportSeconds)
    report();
  for (size_t i = 0; i < running.size(); ++i)
    if (polled[i].revents)
      readMessages(*running[i]);
  return Error::success();
}

void Scheduler::readMessages(RunningJob &job) {
  char buffer[4096];
  for (;;) {
    ssize_t count = read(job.messages, buffer, sizeof(buffer));
    if (count > 0) {
      job.text.append(buffer, count);
      continue;
    }
    if (count < 0 && errno == EINTR)
      continue;
    job.hasEnded = count == 0 || errno != EAGAIN;
    return;
  }
}

static double seconds(const timeval &time) {
  return time.tv_sec + time.tv_usec * 1e-6;
}

/// Returns how many processes the kernel has killed for memory since it
/// started; 0 when not known.
static uint64_t outOfMemoryKills() {
  auto file = MemoryBuffer::getFileAsStream("/proc/vmstat");
  if (!file)
    return 0;
  uint64_t count = 0;
  StringRef text = (*file)->getBuffer();
  size_t position = text.find("\noom_kill ");
  if (position != StringRef::npos)
    text.substr(position + strlen("\noom_kill ")).consumeInteger(10, count);
  return count;
}

/// Describes how the child of \p job ended, when not well.
static std::string describeEnd(int status, bool wasOutOfMemory) {
  if (!WIFSIGNALED(status))
    return "ended with status " + std::to_string(WEXITSTATUS(status));
  int number = WTERMSIG(status);
  const char *name = sigabbrev_np(number);
  std::string text = std::string("killed by SIG") + (name ? name : "?");
  if (number == SIGKILL)
    text += wasOutOfMemory ? " (out of memory; fewer jobs at a time may do: "
                             "--gpulto-memory=SIZE, --gpulto-jobs=N)"
                           : " (by hand, or by a limit on memory or time)";
  return text;
}

/// Says how to repeat job \p index, which ended with \p status. Of a crash, a
/// reproducer is written if the link has not.
std::string Scheduler::howToRepeat(size_t index, int status) const {
  const std::string prefix = "to repeat it: ";
  if (!options.user.saveLinkDirectory.empty())
    return prefix +
           replayCommand(options.user.saveLinkDirectory, jobs[index].index);
  const std::string advice = "link again with --gpulto-save-link=DIR, which "
                             "writes a reproducer to DIR";
  // Others come from outside.
  bool hasCrashed =
      WIFSIGNALED(status) &&
      !is_contained({SIGKILL, SIGTERM, SIGINT, SIGHUP}, WTERMSIG(status));
  if (!hasCrashed)
    return prefix + advice;
  Expected<TempDir> directory = TempDir::create("gpulto-crash");
  Error error = directory ? saveJobs(SomeJobs(jobs, index), directory->path())
                          : directory.takeError();
  if (error)
    return "no reproducer: " + toString(std::move(error)) + "; " + advice;
  directory->keep();
  return prefix + replayCommand(directory->path(), jobs[index].index);
}

/// Returns the error for a job that died without one of its own.
Error Scheduler::crashError(const RunningJob &job, int status) const {
  std::string text =
      nameOfJob(jobs.make(job.index)) + " " +
      describeEnd(status, outOfMemoryKills() != outOfMemoryBefore);
  if (!statistics[job.index].phases.empty())
    text += " while " + statistics[job.index].phases.back().name;
  text += ", peak memory " +
          std::to_string(statistics[job.index].peakMemoryBytes >> 20) + " MiB";
  if (StringRef messages = StringRef(job.text).rtrim(); !messages.empty())
    text += "\n" + messages.str();
  return makeError(text + "\n  " + howToRepeat(job.index, status));
}

Error Scheduler::finish(RunningJob &job) {
  close(job.messages);
  job.messages = -1;
  siginfo_t ignored;
  while (waitid(P_PID, job.pid, &ignored, WEXITED | WNOWAIT) < 0 &&
         errno == EINTR)
    ;
  kill(-job.pid, SIGKILL); // what it may have left behind
  int status = 0;
  rusage usage = {};
  {
    FatalSignalBlocker blocker; // the handler must not see a reaped child
    while (wait4(job.pid, &status, 0, &usage) < 0 && errno == EINTR)
      ;
    liveChildren[job.registry].store(0);
  }
  hasReturnedToken |= job.slot.isExplicit();
  job.slot.release();
  JobStatistics &result = statistics[job.index];
  result.wallSeconds = secondsSince(job.start);
  result.cpuSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  result.peakMemoryBytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  bool succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  result.takenMemoryBytes = takeMemory(job.text).value_or(0);
  result.phases = takePhases(job.text, result.cpuSeconds);
  bool hadResults =
      result.phases.size() == 1 && result.phases[0].name == kReadInputsPhase;
  memory.ended(job.index, result.takenMemoryBytes, /*isTypical=*/!hadResults);
  if (!hadResults) {
    finishedSeconds += result.wallSeconds;
    finishedWeight += jobs[job.index].weight;
  }
  StringRef text = StringRef(job.text).rtrim();
  if (succeeded) {
    warnings[job.index] = text.str();
    if (options.finished)
      options.finished(job.index, text);
    return Error::success();
  }
  bool isReported =
      WIFEXITED(status) && WEXITSTATUS(status) == 1 && !text.empty();
  if (isReported)
    return makeError(text);
  return crashError(job, status);
}

/// Reaps the jobs that have ended; returns the first error in job order.
Error Scheduler::reapEnded() {
  std::vector<std::unique_ptr<RunningJob>> ended;
  for (auto &job : running)
    if (job->hasEnded)
      ended.push_back(std::move(job));
  llvm::erase(running, nullptr);
  llvm::sort(ended,
             [](const auto &a, const auto &b) { return a->index < b->index; });
  Error first = Error::success();
  for (auto &job : ended) {
    Error error = finish(*job);
    ++done;
    if (!error)
      continue;
    if (first)
      consumeError(std::move(error));
    else
      first = std::move(error);
  }
  if (!ended.empty())
    report();
  return first;
}

Expected<std::vector<JobStatistics>> Scheduler::run() {
  if (Error error = checkJobserver())
    return error;
  outOfMemoryBefore = outOfMemoryKills();
  callOnFatalSignal(endChildren);
  liveChildrenOwner.store(getpid());
  report();
  while (!queue.empty() || !running.empty()) {
    if (Error error = startJobs())
      return error;
    if (Error error = waitForEvents())
      return error;
    if (Error error = reapEnded())
      return error;
  }
  for (const std::string &text : warnings)
    if (!text.empty())
      errs() << text << '\n';
  if (options.memoryUse)
    *options.memoryUse = memory.use();
  return std::move(statistics);
}

Expected<std::vector<JobStatistics>> runJobs(const LinkJobs &jobs,
                                             const SchedulerOptions &options) {
  TimeTraceScope trace("LTRANS jobs");
  return Scheduler(jobs, options).run();
}

} // namespace gpulto
