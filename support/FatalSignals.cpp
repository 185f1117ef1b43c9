//===- FatalSignals.cpp - Cleaning up when a signal ends us ---------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/FatalSignals.h"

#include <array>
#include <atomic>
#include <cassert>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iterator>
#include <mutex>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace gpulto;

namespace {

/// Signals that end a process and may be caught.
constexpr int kFatalSignals[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                                 SIGABRT, SIGSEGV, SIGBUS, SIGILL,
                                 SIGFPE,  SIGXCPU, SIGPIPE};
constexpr size_t kMaxCallbacks = 8;

/// Process-wide, as signals are.
struct HandlerState {
  std::array<std::atomic<void (*)()>, kMaxCallbacks> callbacks;
  std::array<struct sigaction, std::size(kFatalSignals)> previous;
};

HandlerState state;
std::mutex registration;

/// How long a handler that was there before ours may take.
constexpr time_t kPreviousSeconds = 10;
std::atomic<int> fault; // the signal that it handles

/// Lets \p signal come to this thread.
void unblock(int signal) {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
}

/// The previous handler has not returned in time: ends the process by the
/// signal that it handles.
void endByFault(int) {
  int signal = fault.load();
  struct sigaction byDefault = {};
  byDefault.sa_handler = SIG_DFL;
  sigaction(signal, &byDefault, nullptr);
  unblock(signal);
  raise(signal);
}

/// Sees to it that the process ends soon by \p signal, whatever the previous
/// handler does. LLVM's prints the stack, for which it allocates memory: where
/// the fault is one of malloc, it would wait for malloc's lock forever, and the
/// parent for the end of this process. It also sets alarm() and stops it, so
/// this is a timer of its own.
void limitPrevious(int signal) {
  fault.store(signal);
  struct sigaction action = {};
  action.sa_handler = endByFault;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGALRM, &action, nullptr);
  unblock(SIGALRM);
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  timer_t timer;
  itimerspec limit = {};
  limit.it_value.tv_sec = kPreviousSeconds;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
    timer_settime(timer, 0, &limit, nullptr);
}

/// Calls the handler that was there before ours, if there was one.
void callPrevious(const struct sigaction &previous, int signal, siginfo_t *info,
                  void *context) {
  if (previous.sa_flags & SA_SIGINFO)
    previous.sa_sigaction(signal, info, context);
  else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    previous.sa_handler(signal);
}

/// Whether a signal is no fault of the thread that gets it: it comes from
/// outside, or who reads our messages has ended.
bool isRequest(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP ||
         signal == SIGQUIT || signal == SIGXCPU || signal == SIGPIPE;
}

void onFatalSignal(int signal, siginfo_t *info, void *context) {
  // Any thread may get it. The main thread stops in the meantime, so that no
  // code misses what the callbacks remove and complains.
  pid_t process = getpid();
  if (isRequest(signal) && syscall(SYS_gettid) != process) {
    syscall(SYS_tgkill, process, process, signal);
    while (true)
      pause();
  }
  for (size_t i = kMaxCallbacks; i-- != 0;)
    if (void (*callback)() = state.callbacks[i].load())
      callback();
  if (!isRequest(signal))
    limitPrevious(signal);
  // LLVM's handler returns from a fault, which then happens again. One that
  // somebody has sent does not: end by it in any case. Of a broken pipe it
  // makes an exit.
  for (size_t i = 0; i != std::size(kFatalSignals); ++i)
    if (kFatalSignals[i] == signal)
      callPrevious(state.previous[i], signal, info, context);
  struct sigaction byDefault = {};
  byDefault.sa_handler = SIG_DFL;
  sigaction(signal, &byDefault, nullptr);
  raise(signal); // comes when this handler returns
}

void installHandlers() {
  for (size_t i = 0; i != std::size(kFatalSignals); ++i) {
    struct sigaction &previous = state.previous[i];
    sigaction(kFatalSignals[i], nullptr, &previous);
    if (!(previous.sa_flags & SA_SIGINFO) && previous.sa_handler == SIG_IGN)
      continue; // nohup and the like
    struct sigaction action = {};
    action.sa_sigaction = onFatalSignal;
    // On the alternate stack if there is one (LLVM sets it up): an overflow of
    // the stack would lose everything otherwise.
    action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(kFatalSignals[i], &action, nullptr);
  }
}

} // namespace

void gpulto::callOnFatalSignal(void (*callback)()) {
  std::lock_guard guard(registration);
  if (!state.callbacks[0].load())
    installHandlers();
  for (std::atomic<void (*)()> &entry : state.callbacks) {
    void (*present)() = entry.load();
    if (present == callback)
      return;
    if (present)
      continue;
    entry.store(callback);
    return;
  }
  assert(false && "kMaxCallbacks counts the callers of this function");
}

FatalSignalBlocker::FatalSignalBlocker() {
  static_assert(sizeof(sigset_t) <= sizeof(saved));
  sigset_t fatal, before;
  sigemptyset(&fatal);
  for (int signal : kFatalSignals)
    sigaddset(&fatal, signal);
  pthread_sigmask(SIG_BLOCK, &fatal, &before);
  std::memcpy(saved, &before, sizeof(before));
}

FatalSignalBlocker::~FatalSignalBlocker() {
  sigset_t before;
  std::memcpy(&before, saved, sizeof(before));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}
