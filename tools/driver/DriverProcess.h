//===- DriverProcess.h - Commands the driver runs ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVERPROCESS_H
#define GPULTO_TOOLS_DRIVER_DRIVERPROCESS_H

#include "support/Jobserver.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace gpulto::driver {

/// A program with its arguments. Descriptors and environment are inherited:
/// make's jobserver must reach the linker.
struct Command {
  std::string program;
  std::vector<std::string> args; ///< without the program's name
  std::string standardInput;     ///< a file; empty: inherited
  std::string standardOutput;    ///< likewise; only for runAndWait()
  /// Added to the environment.
  std::vector<std::pair<std::string, std::string>> environment;
  /// Does in this process what \p program would do, and returns its exit
  /// status; if empty, the program is run.
  std::function<int(llvm::ArrayRef<const char *>)> builtIn;

  void add(std::string word) { args.push_back(std::move(word)); }
  void addAll(llvm::ArrayRef<std::string> words) {
    args.insert(args.end(), words.begin(), words.end());
  }
  void addWords(llvm::ArrayRef<const char *> words) {
    args.insert(args.end(), words.begin(), words.end());
  }
};

/// Prints \p command in the form of clang's -###: every word quoted.
void printCommand(llvm::raw_ostream &os, const Command &command);

/// Replaces this process by \p command, or ends with the exit status of the
/// built-in function. Arguments too long for the system go through a response
/// file. Errors: it cannot be started.
llvm::Error execute(const Command &command);

/// Runs \p command and waits until it ends. Returns its exit status, 128 + N if
/// signal N ended it.
llvm::Expected<int> runAndWait(const Command &command);

/// How many commands may run at once.
struct JobLimit {
  unsigned jobs = 0; ///< 0: as many as the jobserver grants, 1 without one
  JobserverMode jobserver = JobserverMode::Auto;
};

/// Runs \p commands, several at once as \p limit allows. Their stderr appears
/// in their order. After a failure no further command starts. Returns the exit
/// status of the first (in order) that failed, otherwise 0.
llvm::Expected<int> runAll(llvm::ArrayRef<Command> commands,
                           const JobLimit &limit);

} // namespace gpulto::driver

#endif
