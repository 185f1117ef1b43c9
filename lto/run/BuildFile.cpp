//===- BuildFile.cpp - LTRANS jobs as rules of ninja or make --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// All commands run in the directory of the link, since job files and the
// linker's command line name files as the user did; the names of rules are
// absolute. A job's receipt, which it writes last, represents all its results.
// The linker's arguments go into a file: a command line of thousands of objects
// exceeds the limit of one word for /bin/sh.
//
//===----------------------------------------------------------------------===//

#include "lto/run/BuildFile.h"

#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpulto {
namespace {

/// One rule.
struct Step {
  std::vector<std::string> outputs; ///< the last one is written last
  std::vector<std::string> inputs;
  std::string command;
  std::string description;
};

/// Writes rules; the first problem is kept.
class BuildWriter {
public:
  explicit BuildWriter(BuildFileKind kind)
      : isNinja(kind == BuildFileKind::Ninja) {}
  void begin(StringRef directory, StringRef output);
  void add(const Step &step);
  Expected<std::string> take();

private:
  void refuse(StringRef name);
  std::string name(StringRef path);
  std::string names(ArrayRef<std::string> paths);
  std::string command(StringRef text);

  bool isNinja;
  std::string text = "# Written by gpulto: the jobs of one link, and the link."
                     "\n";
  std::string problem;
};

void BuildWriter::refuse(StringRef name) {
  if (problem.empty())
    problem =
        ("'" + name + "' cannot be written in a " +
         (isNinja ? "file for ninja" : "makefile; --gpulto-emit=ninja may do"))
            .str();
}

/// Returns \p path as the name of a target.
std::string BuildWriter::name(StringRef path) {
  StringRef escaped = isNinja ? "$ :" : " #";
  StringRef refused = isNinja ? "\n" : "\n\t:%*?[]~;|=\\&<>'\"`()";
  if (path.find_first_of(refused) != StringRef::npos)
    refuse(path);
  std::string result;
  for (char c : path) {
    if (!isNinja && c == '$')
      result += '$';
    else if (escaped.contains(c))
      result += isNinja ? '$' : '\\';
    result += c;
  }
  return result;
}

std::string BuildWriter::names(ArrayRef<std::string> paths) {
  std::string result;
  for (const std::string &path : paths)
    result += " " + name(path);
  return result;
}

/// Returns \p text as what the shell gets.
std::string BuildWriter::command(StringRef text) {
  if (text.contains('\n'))
    refuse(text);
  std::string result;
  for (char c : text)
    result += c == '$' ? "$$" : std::string(1, c);
  return result;
}

void BuildWriter::begin(StringRef directory, StringRef output) {
  if (isNinja)
    text += "builddir = " + name(directory) +
            "\nrule run\n  command = $shell\n  description = $step\n";
  else // make would compile objects whose sources lie beside them
    text += "MAKEFLAGS += --no-builtin-rules\n.SUFFIXES:\n.PHONY: all\n"
            ".DELETE_ON_ERROR:\nall: " +
            name(output) + "\n";
}

void BuildWriter::add(const Step &step) {
  if (isNinja)
    text += "build" + names(step.outputs) + ": run" + names(step.inputs) +
            "\n  shell = " + command(step.command) +
            "\n  step = " + command(step.description) + "\n";
  else
    text += name(step.outputs.back()) + ":" + names(step.inputs) + "\n\t" +
            command(step.command) + "\n";
}

Expected<std::string> BuildWriter::take() {
  if (!problem.empty())
    return makeError(problem);
  return std::move(text);
}

} // namespace

/// Returns \p paths as names that hold in any directory, without those of files
/// that the link itself writes to \p directory again.
static std::vector<std::string>
watched(ArrayRef<std::string> paths, StringRef current, StringRef directory) {
  std::vector<std::string> result;
  for (const std::string &path : paths) {
    SmallString<128> whole;
    if (!sys::path::is_absolute(path))
      whole = current;
    sys::path::append(whole, path);
    if (sys::path::parent_path(whole) != directory)
      result.push_back(whole.str().str());
  }
  return result;
}

Expected<std::string> writeBuildFile(const JobCommands &commands,
                                     const RemoteOptions &remote,
                                     StringRef output, StringRef directory) {
  SmallString<128> current;
  if (std::error_code code = sys::fs::current_path(current))
    return makeError("no current directory: " + code.message());
  std::string enter = "cd " + shellQuote(current) + " && ";
  BuildWriter writer(remote.emit);
  writer.begin(directory, output);
  Step link = {{output.str()}, {}, "", "linking " + output.str()};
  for (const JobCommand &job : commands.jobs) {
    std::vector<std::string> words(commands.common.begin() + 1,
                                   commands.common.end());
    append_range(words, job.args);
    Step step = {job.outputs, watched(job.inputs, current, directory),
                 enter + shellQuote(commands.common.front(), words),
                 "LTRANS " + job.name};
    step.inputs.push_back(job.inputs.front()); // the job file
    link.inputs.push_back(job.outputs.back());
    writer.add(step);
  }
  // Written with each build file, which may have no jobs: the link is to be
  // run.
  std::string arguments = (directory + "/link.rsp").str();
  ArrayRef<std::string> command = remote.linkCommand;
  if (Error error =
          writeFileAtomically(arguments, responseFile(command.drop_front())))
    return std::move(error);
  link.inputs.push_back(arguments);
  link.command = enter + shellQuote(command.front(), {"@" + arguments});
  writer.add(link);
  Expected<std::string> text = writer.take();
  if (!text)
    return text.takeError();
  bool isNinja = remote.emit == BuildFileKind::Ninja;
  std::string path =
      (directory + (isNinja ? "/build.ninja" : "/Makefile")).str();
  if (Error error = writeFileAtomically(path, *text))
    return std::move(error);
  return path;
}

} // namespace gpulto
