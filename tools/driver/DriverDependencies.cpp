//===- DriverDependencies.cpp - Complete a dependency file ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// clang writes dependencies as one rule for make, lines continued by a
// backslash, followed by an empty rule per header under -MP.
//
// Words are compared as written (escapes included): all files come from one
// compiler, run in one directory.
//
//===----------------------------------------------------------------------===//
#include "support/Error.h"
#include "support/Subprocess.h"
#include "tools/driver/DriverCompile.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace gpulto::driver {

/// Returns the length of the first rule with its continued lines.
static size_t endOfRule(StringRef text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i; // whatever follows is escaped, a line's end too
    else if (text[i] == '\n')
      return i;
  }
  return text.size();
}

/// Returns the prerequisites of the rule \p rule, escapes kept.
static std::vector<StringRef> prerequisites(StringRef rule) {
  std::vector<StringRef> words;
  size_t colon = rule.find(": ");
  size_t begin = colon == StringRef::npos ? rule.size() : colon + 2;
  size_t position = begin;
  auto finish = [&] {
    if (position > begin)
      words.push_back(rule.slice(begin, position));
  };
  while (position < rule.size()) {
    char c = rule[position];
    bool continued = rule.substr(position).starts_with("\\\n");
    if (c == ' ' || c == '\n' || continued) {
      finish();
      position += continued ? 2 : 1;
      begin = position;
      continue;
    }
    position += c == '\\' ? 2 : 1;
  }
  position = std::min(position, rule.size());
  finish();
  return words;
}

static Expected<std::unique_ptr<MemoryBuffer>> open(const std::string &path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return inputError(InputLocation(path), "cannot read the dependency file: " +
                                               buffer.getError().message());
  return std::move(*buffer);
}

Error mergeDependencies(const std::string &hostFile,
                        ArrayRef<std::string> deviceFiles) {
  if (hostFile == "-" || hostFile == "/dev/null")
    return Error::success();
  Expected<std::unique_ptr<MemoryBuffer>> host = open(hostFile);
  if (!host)
    return host.takeError();
  StringRef text = (*host)->getBuffer();
  size_t end = endOfRule(text);
  StringSet<> known;
  for (StringRef word : prerequisites(text.take_front(end)))
    known.insert(word);
  std::string extra, phony;
  bool wantsPhony = !text.drop_front(end).trim().empty();
  for (const std::string &path : deviceFiles) {
    Expected<std::unique_ptr<MemoryBuffer>> device = open(path);
    if (!device)
      return device.takeError();
    StringRef rule = (*device)->getBuffer();
    for (StringRef word : prerequisites(rule.take_front(endOfRule(rule)))) {
      if (!known.insert(word).second)
        continue;
      extra += (" \\\n  " + word).str();
      if (wantsPhony)
        phony += (word + ":\n").str();
    }
  }
  if (extra.empty())
    return Error::success();
  std::string merged =
      text.take_front(end).str() + extra + text.drop_front(end).str() + phony;
  return writeFileAtomically(hostFile, merged);
}

} // namespace gpulto::driver
