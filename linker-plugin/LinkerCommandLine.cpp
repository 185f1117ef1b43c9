//===- LinkerCommandLine.cpp - What a linker does not tell us -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/LinkerCommandLine.h"

#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

#include <optional>

using namespace llvm;

namespace gpulto {
namespace {

/// Options with a value in the next word that could be taken for an input.
constexpr StringLiteral kWithValue[] = {
    "o",      "e",          "entry",    "u",
    "m",      "z",          "T",        "script",
    "h",      "soname",     "rpath",    "rpath-link",
    "plugin", "plugin-opt", "y",        "dynamic-linker",
    "I",      "Map",        "defsym",   "version-script",
    "F",      "f",          "G",        "dynamic-list",
    "A",      "b",          "a",        "format",
    "c",      "oformat",    "Y",        "retain-symbols-file",
    "init",   "fini",       "undefined"};

class Reader {
public:
  explicit Reader(ArrayRef<const char *> words) : words(words) {}

  Expected<LinkerCommandLine> read();

private:
  /// Returns the value of \p word if it is the long option \p name: behind `=`
  /// or in the next word.
  std::optional<StringRef> longValue(StringRef word, StringRef name);
  /// The same for a short option, whose value may follow without `=`.
  std::optional<StringRef> shortValue(StringRef word, char name);
  bool readSymbol(StringRef word);
  void readWord(StringRef word);
  void addDirectory(StringRef directory);
  /// Notes all words of \p text that can be symbols.
  void addUsed(StringRef text);
  void addScript(StringRef path);
  Expected<std::string> findLibrary(StringRef name, bool isStatic) const;

  ArrayRef<const char *> words;
  size_t next = 0;
  bool isStatic = false;
  std::vector<std::string> directories;
  /// An input; a library is found when all directories are known.
  struct Input {
    LinkerInput input;
    bool isLibrary = false;
    bool isStatic = false;
  };
  std::vector<Input> found;
  void add(StringRef name, bool isLibrary, size_t firstWord) {
    found.push_back({{name.str(), firstWord, next}, isLibrary, isStatic});
  }
  LinkerCommandLine result;
};

std::optional<StringRef> Reader::longValue(StringRef word, StringRef name) {
  if (!word.consume_front("--") && !word.consume_front("-"))
    return std::nullopt;
  if (!word.consume_front(name))
    return std::nullopt;
  if (word.consume_front("="))
    return word;
  if (!word.empty() || next == words.size())
    return std::nullopt;
  return StringRef(words[next++]);
}

std::optional<StringRef> Reader::shortValue(StringRef word, char name) {
  if (word.size() < 2 || word[0] != '-' || word[1] != name)
    return std::nullopt;
  if (word.size() > 2)
    return word.drop_front(2);
  return next == words.size() ? StringRef() : StringRef(words[next++]);
}

void Reader::addDirectory(StringRef directory) {
  if (directory.consume_front("=") || directory.consume_front("$SYSROOT"))
    directories.push_back(result.sysroot + directory.str());
  else
    directories.push_back(directory.str());
}

void Reader::addUsed(StringRef text) {
  constexpr StringLiteral kInSymbols =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";
  while (true) {
    text =
        text.drop_front(std::min(text.size(), text.find_first_of(kInSymbols)));
    if (text.empty())
      return;
    size_t end = std::min(text.size(), text.find_first_not_of(kInSymbols));
    result.used.insert(text.take_front(end));
    text = text.drop_front(end);
  }
}

void Reader::addScript(StringRef path) {
  if (ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path))
    addUsed((*file)->getBuffer());
}

/// Returns whether \p word is an option with a symbol or an expression, and
/// notes it.
bool Reader::readSymbol(StringRef word) {
  for (StringRef name :
       {"entry", "init", "fini", "undefined", "require-defined", "defsym"})
    if (auto value = longValue(word, name)) {
      addUsed(*value);
      return true;
    }
  bool isShort = word == "-e" || word == "-u";
  if (isShort && next < words.size())
    addUsed(words[next++]);
  return isShort;
}

void Reader::readWord(StringRef word) {
  size_t first = next - 1;
  if (readSymbol(word))
    return;
  if (auto value = longValue(word, "wrap")) {
    if (!is_contained(result.wrapped, *value))
      result.wrapped.push_back(value->str());
  } else if (auto value = longValue(word, "exclude-libs"))
    result.excludedLibs.add(*value);
  else if (auto value = longValue(word, "plugin"))
    result.plugins.push_back(value->str());
  else if (auto value = longValue(word, "library-path"))
    addDirectory(*value);
  else if (auto value = longValue(word, "library"))
    add(*value, /*isLibrary=*/true, first);
  else if (auto value = longValue(word, "sysroot"))
    result.sysroot = value->str();
  else if (word == "-Bstatic" || word == "-static" || word == "-dn" ||
           word == "-non_shared")
    isStatic = true;
  else if (word == "-Bdynamic" || word == "-dy" || word == "-call_shared")
    isStatic = false;
  else if (auto value = longValue(word, "script"))
    addScript(*value);
  else if (auto value = shortValue(word, 'T'))
    addScript(*value);
  else if (auto value = shortValue(word, 'L'))
    addDirectory(*value);
  else if (auto value = shortValue(word, 'l'))
    add(*value, /*isLibrary=*/true, first);
  else if (!word.starts_with("-"))
    add(word, /*isLibrary=*/false, first);
  else if (is_contained(kWithValue, word.ltrim('-')))
    ++next;
}

/// Returns the path of the library \p name, empty if it is nowhere. Errors:
/// nobody knows whether it is there.
Expected<std::string> Reader::findLibrary(StringRef name, bool isStatic) const {
  for (const std::string &directory : directories) {
    auto inDirectory = [&](const Twine &file) {
      SmallString<128> path(directory);
      sys::path::append(path, file);
      return path.str().str();
    };
    SmallVector<std::string, 2> candidates;
    if (name.starts_with(":"))
      candidates.push_back(inDirectory(name.drop_front()));
    else {
      if (!isStatic)
        candidates.push_back(inDirectory("lib" + name + ".so"));
      candidates.push_back(inDirectory("lib" + name + ".a"));
    }
    for (std::string &candidate : candidates) {
      sys::fs::file_status status;
      std::error_code problem = sys::fs::status(candidate, status);
      if (mayBeThere(problem))
        return makeError("cannot look for " + candidate + ": " +
                         problem.message());
      if (!problem)
        return std::move(candidate);
    }
  }
  return std::string();
}

Expected<LinkerCommandLine> Reader::read() {
  result.excludedLibs.suffixIsOptional = true;
  while (next < words.size())
    readWord(words[next++]);
  for (Input &each : found) {
    LinkerInput &input = each.input;
    if (each.isLibrary) {
      Expected<std::string> path = findLibrary(input.path, each.isStatic);
      if (!path)
        return path.takeError();
      if (path->empty())
        continue;
      input.path = std::move(*path);
    }
    result.inputs.push_back(std::move(input));
  }
  return std::move(result);
}

} // namespace

bool mayBeThere(std::error_code problem) {
  constexpr std::errc kFailures[] = {
      std::errc::io_error, std::errc::not_enough_memory,
      std::errc::too_many_files_open, std::errc::too_many_files_open_in_system,
      std::errc::timed_out};
  return any_of(kFailures,
                [&](std::errc failure) { return problem == failure; });
}

Expected<LinkerCommandLine>
readLinkerCommandLine(ArrayRef<const char *> arguments) {
  SmallVector<const char *, 256> words(arguments);
  BumpPtrAllocator allocator;
  cl::ExpansionContext expansion(allocator, cl::TokenizeGNUCommandLine);
  if (Error error = expansion.expandResponseFiles(words))
    return std::move(error);
  return Reader(words).read();
}

Expected<LinkerCommandLine> readOwnCommandLine() {
  constexpr StringLiteral kPath = "/proc/self/cmdline";
  // Its reported size is 0.
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFileAsStream(kPath);
  if (!file)
    return inputError(InputLocation(kPath),
                      "cannot read the linker's command line: " +
                          file.getError().message());
  SmallVector<StringRef> words;
  (*file)->getBuffer().split(words, '\0', -1, /*KeepEmpty=*/true);
  SmallVector<const char *, 256> arguments;
  for (StringRef word : drop_begin(words))
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): '\0' follows
    arguments.push_back(word.data());
  if (!arguments.empty())
    arguments.pop_back(); // behind the last terminator
  return readLinkerCommandLine(arguments);
}

std::vector<std::string> archivesAmong(ArrayRef<LinkerInput> inputs) {
  std::vector<std::string> archives;
  for (const LinkerInput &input : inputs) {
    const std::string &path = input.path;
    file_magic magic;
    if (is_contained(archives, path) || identify_magic(path, magic) ||
        magic != file_magic::archive)
      continue;
    archives.push_back(path);
  }
  return archives;
}

} // namespace gpulto
