//===- SubprocessTest.cpp - Programs and temporary files ------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/Subprocess.h"

#include "test/unit/ErrorChecks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace gpulto;
using test::messageOf;

namespace {

llvm::Expected<ProcessResult> shell(const std::string &script,
                                    const ProcessOptions &options = {}) {
  return runProcess("/bin/sh", {"-c", script}, options);
}

std::string contentsOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : "(none)";
}

/// Whether a child died of \p signal. A sanitizer's own handler, to which ours
/// hands faults on, ends it by exit().
bool diedOf(int signal, int status) {
  constexpr int kOurs[] = {0, 8, 9}; // what the child itself would say
  if (signal == SIGSEGV && WIFEXITED(status))
    return llvm::find(kOurs, WEXITSTATUS(status)) == std::end(kOurs);
  return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

/// Whether this process was started with \p signal ignored (nohup).
bool isIgnored(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN;
}

size_t entriesIn(const std::string &directory) {
  std::error_code error;
  size_t count = 0;
  for (llvm::sys::fs::directory_iterator i(directory, error), end;
       !error && i != end; i.increment(error))
    ++count;
  return count;
}

} // namespace

TEST(Subprocess, CapturesBothStreams) {
  ASSERT_VALUE(result, shell("echo out; echo err >&2"));
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_TRUE(result.succeeded());
  EXPECT_GT(result.peakRssBytes, 0u);
}

TEST(Subprocess, EndsWhatTakesTooLong) {
  ProcessOptions options;
  options.timeoutSeconds = 1;
  options.timeoutAdvice = "be patient";
  auto start = std::chrono::steady_clock::now();
  // Also what has closed its outputs, or left them to a child of its own.
  for (const char *script :
       {"echo said >&2; exec sleep 1000", "exec >&- 2>&-; exec sleep 1000"}) {
    std::string message = messageOf(shell(script, options));
    EXPECT_NE(message.find("sh was ended after 1 seconds; be patient\n"
                           "  command: /bin/sh -c "),
              std::string::npos)
        << message;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  options.timeoutSeconds = 1000;
  EXPECT_EQ(messageOf(shell("exit 0", options)), "success");
}

TEST(Subprocess, EndsTheWholeGroup) {
  ProcessOptions options;
  options.timeoutSeconds = 1;
  options.ownGroup = true;
  ASSERT_VALUE(directory, TempDir::create("subprocess-test"));
  std::string file = directory.file("pid");
  messageOf(shell("sleep 1000 & echo $! > " + file + "; wait", options));
  pid_t child = std::stoi(contentsOf(file));
  // Orphans are reaped by whoever takes them over.
  for (int i = 0; i < 1000 && kill(child, 0) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_NE(kill(child, 0), 0);
}

/// Runs \p script in a group with a grace period, in a process that is ended by
/// SIGTERM once the file \p started is there.
static void endWhileRunning(const std::string &script,
                            const std::string &started, unsigned graceMs) {
  ProcessOptions options;
  options.ownGroup = true;
  options.graceMs = graceMs;
  pid_t parent = fork();
  if (parent == 0) {
    messageOf(shell(script, options));
    _exit(0);
  }
  while (access(started.c_str(), F_OK) != 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(parent, SIGTERM);
  int status = 0;
  ASSERT_EQ(waitpid(parent, &status, 0), parent);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
}

TEST(Subprocess, AGroupMayCleanUpAfterASignal) {
  ASSERT_VALUE(directory, TempDir::create("subprocess-test"));
  std::string started = directory.file("started"), file = directory.file("out");
  endWhileRunning("trap 'sleep 0.2; echo cleaned > " + file +
                      "; exit' TERM; touch " + started + "; sleep 1000 & wait",
                  started, 60000);
  EXPECT_EQ(contentsOf(file), "cleaned\n");
}

TEST(Subprocess, AGroupThatStaysIsKilled) {
  ASSERT_VALUE(directory, TempDir::create("subprocess-test"));
  std::string started = directory.file("started");
  endWhileRunning("trap '' TERM; echo $$ > " + started + ".new; mv " + started +
                      ".new " + started + "; while :; do sleep 1000; done",
                  started, 200);
  EXPECT_NE(kill(std::stoi(contentsOf(started)), 0), 0);
}

// More than a pipe holds, on both, in turn: must not stop.
TEST(Subprocess, LargeOutputsDoNotBlock) {
  ASSERT_VALUE(result,
               shell("i=0; while [ $i -lt 3000 ]; do "
                     "echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; "
                     "echo bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb >&2; "
                     "i=$((i+1)); done"));
  EXPECT_EQ(result.output.size(), 3000u * 50);
  EXPECT_EQ(result.errors.size(), 3000u * 46);
}

TEST(Subprocess, ArgumentsArriveUnchanged) {
  std::vector<std::string> args = {"a b", "",      "it's",      "$HOME",
                                   "*",   "\"q\"", "new\nline", "\\"};
  std::vector<std::string> all = {"-c", "for a; do printf '%s|' \"$a\"; done",
                                  "sh"};
  all.insert(all.end(), args.begin(), args.end());
  ASSERT_VALUE(result, runProcess("/bin/sh", all));
  std::string expected;
  for (const std::string &arg : args)
    expected += arg + "|";
  EXPECT_EQ(result.output, expected);
}

TEST(Subprocess, FailuresShowCommandAndOutput) {
  EXPECT_EQ(messageOf(shell("echo broken >&2; exit 3")),
            "sh failed with exit status 3\n"
            "  command: /bin/sh -c 'echo broken >&2; exit 3'\n"
            "broken");
  EXPECT_EQ(messageOf(shell("echo on stdout; exit 1")),
            "sh failed with exit status 1\n"
            "  command: /bin/sh -c 'echo on stdout; exit 1'\n"
            "on stdout");
  EXPECT_EQ(messageOf(shell("kill -9 $$")),
            "sh was ended by signal 9 (Killed)\n"
            "  command: /bin/sh -c 'kill -9 $$'");
  EXPECT_EQ(messageOf(runProcess("/no/such/program", {"x y"})),
            "/no/such/program: cannot run\n"
            "  command: /no/such/program 'x y' (No such file or directory)");
  ProcessOptions options;
  options.allowFailure = true;
  ASSERT_VALUE(result, shell("exit 7", options));
  EXPECT_EQ(result.exitCode, 7);
  EXPECT_FALSE(result.succeeded());
}

TEST(Subprocess, EnvironmentAndDirectory) {
  setenv("GPULTO_TEST_A", "old", 1);
  setenv("GPULTO_TEST_B", "gone", 1);
  ProcessOptions options;
  options.cwd = "/";
  options.environment = {{"GPULTO_TEST_A", "new"}, {"GPULTO_TEST_C", "c"}};
  options.unsetEnvironment = {"GPULTO_TEST_B"};
  ASSERT_VALUE(result, shell("pwd; echo $GPULTO_TEST_A-$GPULTO_TEST_B-"
                             "$GPULTO_TEST_C",
                             options));
  EXPECT_EQ(result.output, "/\nnew--c\n");
  unsetenv("GPULTO_TEST_A");
  unsetenv("GPULTO_TEST_B");
  options.cwd = "/no/such/directory";
  EXPECT_NE(messageOf(shell("true", options)), "success");
}

TEST(Subprocess, InheritsNothingUnlessAsked) {
  int fd = open("/dev/null", O_RDONLY); // without O_CLOEXEC
  std::string script = "[ -e /proc/self/fd/" + std::to_string(fd) +
                       " ] && echo open || echo closed; cat";
  ASSERT_VALUE(closed, shell(script));
  EXPECT_EQ(closed.output, "closed\n"); // and stdin was empty
  ProcessOptions options;
  options.keepDescriptors = true;
  ASSERT_VALUE(kept, shell(script, options));
  EXPECT_EQ(kept.output, "open\n");
  close(fd);
}

TEST(Subprocess, RunsFromManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      for (int j = 0; j < 20; ++j) {
        auto result = shell("echo " + std::to_string(i * 100 + j));
        ASSERT_TRUE(bool(result));
        EXPECT_EQ(result->output, std::to_string(i * 100 + j) + "\n");
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Subprocess, QuotesForTheShell) {
  EXPECT_EQ(shellQuote("plain-1.0/x=y,z:@%+_"), "plain-1.0/x=y,z:@%+_");
  EXPECT_EQ(shellQuote(""), "''");
  EXPECT_EQ(shellQuote("a b"), "'a b'");
  EXPECT_EQ(shellQuote("it's"), "'it'\\''s'");
  EXPECT_EQ(shellQuote("~"), "'~'");
}

TEST(Subprocess, FindsPrograms) {
  ASSERT_VALUE(sh, findProgram("sh"));
  EXPECT_EQ(access(sh.c_str(), X_OK), 0);
  TempDir directory = llvm::cantFail(TempDir::create("gpulto-test"));
  ASSERT_OK(writeFileAtomically(directory.file("sh"), "#!/bin/sh\n", true));
  ASSERT_OK(writeFileAtomically(directory.file("plain"), "x"));
  ASSERT_VALUE(ours, findProgram("sh", {directory.path()}));
  EXPECT_EQ(ours, directory.file("sh"));
  ASSERT_VALUE(direct, findProgram(directory.file("sh")));
  EXPECT_EQ(direct, directory.file("sh"));
  EXPECT_NE(messageOf(findProgram(directory.file("plain"))), "success");
  std::string message =
      messageOf(findProgram("no-such-program-x", {directory.path()}));
  EXPECT_TRUE(llvm::StringRef(message).starts_with(
      "program 'no-such-program-x' not found in " + directory.path()))
      << message;
}

TEST(TempDir, IsRemovedWithAllItHolds) {
  std::string path;
  {
    ASSERT_VALUE(directory, TempDir::create("gpulto-test"));
    path = directory.path();
    struct stat info = {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
    for (int i = 0; i < 200; ++i)
      ASSERT_OK(
          writeFileAtomically(directory.file("f" + std::to_string(i)), "x"));
    ASSERT_EQ(mkdir(directory.file("sub").c_str(), 0700), 0);
    ASSERT_OK(writeFileAtomically(directory.file("sub/g"), "x"));
    // A link out of the directory is removed, not followed.
    ASSERT_EQ(symlink("/usr", directory.file("link").c_str()), 0);
    TempDir moved = std::move(directory);
    EXPECT_EQ(moved.path(), path);
    EXPECT_NE(access(path.c_str(), F_OK), -1);
  }
  EXPECT_EQ(access(path.c_str(), F_OK), -1);
  EXPECT_EQ(access("/usr/bin", F_OK), 0);
}

TEST(TempDir, CanBeKept) {
  ASSERT_VALUE(outer, TempDir::create("gpulto-test"));
  setenv("TMPDIR", outer.path().c_str(), 1);
  std::string path;
  {
    ASSERT_VALUE(inner, TempDir::create("kept"));
    path = inner.path();
    inner.keep();
  }
  EXPECT_TRUE(llvm::StringRef(path).starts_with(outer.path() + "/kept-"));
  EXPECT_EQ(access(path.c_str(), F_OK), 0);
  setenv("TMPDIR", "/no/such/directory", 1);
  EXPECT_NE(messageOf(TempDir::create()), "success");
  unsetenv("TMPDIR");
}

TEST(TempDir, IsRemovedOnSignalsByItsOwnerOnly) {
  ASSERT_VALUE(outer, TempDir::create("gpulto-test"));
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGSEGV}) {
    if (isIgnored(signal))
      continue;
    pid_t child = fork();
    if (child == 0) {
      setenv("TMPDIR", outer.path().c_str(), 1);
      TempDir inner = llvm::cantFail(TempDir::create("inner"));
      llvm::cantFail(writeFileAtomically(inner.file("x"), "x"));
      mkdir(inner.file("d").c_str(), 0700);
      llvm::cantFail(writeFileAtomically(inner.file("d/y"), "y"));
      raise(signal);
      _exit(9);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(diedOf(signal, status)) << status;
    // The child's is gone, ours (copied into the child) is not.
    EXPECT_EQ(entriesIn(outer.path()), 0u);
    EXPECT_EQ(access(outer.path().c_str(), F_OK), 0);
  }
}

TEST(WriteFile, ReplacesAndKeepsModes) {
  ASSERT_VALUE(directory, TempDir::create("gpulto-test"));
  std::string path = directory.file("f");
  mode_t mask = umask(027);
  ASSERT_OK(writeFileAtomically(path, "one"));
  ASSERT_OK(writeFileAtomically(directory.file("x"), "run", true));
  umask(mask);
  struct stat info = {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
  ASSERT_EQ(stat(directory.file("x").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0750u);
  ASSERT_EQ(chmod(path.c_str(), 0604), 0);
  ASSERT_OK(writeFileAtomically(path, "two"));
  EXPECT_EQ(contentsOf(path), "two");
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0604u);
  ASSERT_EQ(symlink("f", directory.file("link").c_str()), 0);
  ASSERT_OK(writeFileAtomically(directory.file("link"), "three"));
  EXPECT_EQ(contentsOf(path), "three");
  ASSERT_EQ(lstat(directory.file("link").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
  EXPECT_EQ(entriesIn(directory.path()), 3u);
}

TEST(WriteFile, OtherThanFilesAreWrittenInPlace) {
  EXPECT_OK(writeFileAtomically("/dev/null", "x"));
  struct stat info = {};
  ASSERT_EQ(stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
  EXPECT_EQ(messageOf(writeFileAtomically("/dev/full", "x")),
            "/dev/full: cannot write (No space left on device)");
}

// A limit on file sizes fails as a full disk does: in the middle of writing.
TEST(WriteFile, AFailureLeavesTheOldFileAndNothingElse) {
  ASSERT_VALUE(directory, TempDir::create("gpulto-test"));
  std::string path = directory.file("f");
  ASSERT_OK(writeFileAtomically(path, "old"));
  pid_t child = fork();
  if (child == 0) {
    rlimit limit = {1 << 16, 1 << 16};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    std::string message =
        messageOf(writeFileAtomically(path, std::string(1 << 20, 'x')));
    _exit(message == path + ": cannot write (File too large)" ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contentsOf(path), "old");
  EXPECT_EQ(entriesIn(directory.path()), 1u);
  EXPECT_NE(messageOf(writeFileAtomically(directory.file("no/f"), "x")),
            "success");
}
