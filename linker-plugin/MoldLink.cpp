//===- MoldLink.cpp - The last step of a link with mold -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/MoldLink.h"

#include "fatobj/FatObjectReader.h"
#include "linker-plugin/LinkerCommandLine.h"
#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ArchiveWriter.h"

#include <optional>

using namespace llvm;

namespace gpulto {
namespace {

/// Replaces what was taken on a command line.
class Rewriter {
public:
  Rewriter(const LinkInputs &inputs, StringRef directory);

  /// Returns \p words with \p objects in the place of what was taken.
  Expected<std::vector<std::string>> rewrite(ArrayRef<const char *> words,
                                             ArrayRef<std::string> objects);

private:
  Expected<std::optional<std::string>> replacement(StringRef path);
  Expected<std::string> withoutTaken(StringRef archive);
  bool isTaken(StringRef archive, const ArchiveMember &member);
  Error checkAllFound(const LinkInputs &inputs) const;

  const LinkInputs &inputs;
  StringRef directory;
  StringSet<> files;
  StringMap<DenseSet<uint64_t>> members; ///< offsets, by archive
  StringSet<> archives;
  /// Files and `archive:offset` that the command line leads to.
  StringSet<> found;
  StringMap<std::string> rewritten; ///< by archive
};

std::string placeOf(StringRef archive, uint64_t offset) {
  return (archive + ":" + Twine(offset)).str();
}

Rewriter::Rewriter(const LinkInputs &inputs, StringRef directory)
    : inputs(inputs), directory(directory) {
  for (const LinkObject &object : inputs.objects) {
    if (object.member.empty())
      files.insert(object.path);
    else
      members[object.path].insert(object.memberOffset);
  }
}

bool Rewriter::isTaken(StringRef archive, const ArchiveMember &member) {
  if (!member.path.empty()) { // of a thin archive
    if (files.contains(member.path))
      found.insert(member.path);
    return files.contains(member.path);
  }
  auto taken = members.find(archive);
  if (taken == members.end() || !taken->second.contains(member.dataOffset))
    return false;
  found.insert(placeOf(archive, member.dataOffset));
  return true;
}

/// Writes the rest of \p archive to a file and returns its path; if nothing was
/// taken, \p archive.
Expected<std::string> Rewriter::withoutTaken(StringRef archive) {
  std::vector<NewArchiveMember> kept;
  bool isChanged = false;
  Error error = forEachArchiveMember(archive, [&](const ArchiveMember &member) {
    if (isTaken(archive, member)) {
      isChanged = true;
      return Error::success();
    }
    NewArchiveMember &rest = kept.emplace_back();
    rest.Buf =
        MemoryBuffer::getMemBufferCopy(member.data.getBuffer(), member.name);
    rest.MemberName = rest.Buf->getBufferIdentifier();
    return Error::success();
  });
  if (error)
    return std::move(error);
  if (!isChanged)
    return archive.str();
  std::string path = (directory + "/" + Twine(rewritten.size()) + ".a").str();
  // mold reads all members; it needs no index.
  if (Error failure = writeArchive(path, kept, SymtabWritingMode::NoSymtab,
                                   object::Archive::K_GNU,
                                   /*Deterministic=*/true, /*Thin=*/false))
    return std::move(failure);
  return path;
}

/// Returns what stands for the input \p path: nothing, if it was taken, or a
/// file, which is \p path itself where all stays.
Expected<std::optional<std::string>> Rewriter::replacement(StringRef path) {
  if (files.contains(path)) {
    found.insert(path);
    return std::nullopt;
  }
  if (!archives.contains(path))
    return path.str();
  auto [it, isNew] = rewritten.try_emplace(path);
  if (isNew) {
    Expected<std::string> rest = withoutTaken(path);
    if (!rest)
      return rest.takeError();
    it->second = std::move(*rest);
  }
  return it->second;
}

Error Rewriter::checkAllFound(const LinkInputs &inputs) const {
  for (const LinkObject &object : inputs.objects)
    if (!found.contains(object.member.empty()
                            ? object.path
                            : placeOf(object.path, object.memberOffset)))
      return inputError(InputLocation(object.path, object.member),
                        "this input is not named on the command line, so mold "
                        "would link its native code too; name it there, or "
                        "use another linker");
  return Error::success();
}

Expected<std::vector<std::string>>
Rewriter::rewrite(ArrayRef<const char *> words, ArrayRef<std::string> objects) {
  Expected<LinkerCommandLine> line = readLinkerCommandLine(words);
  if (!line)
    return line.takeError();
  for (std::string &archive : archivesAmong(line->inputs))
    archives.insert(archive);
  std::vector<std::string> result;
  size_t next = 0;
  bool areAdded = false;
  for (const LinkerInput &input : line->inputs) {
    Expected<std::optional<std::string>> instead = replacement(input.path);
    if (!instead)
      return instead.takeError();
    if (*instead && **instead == input.path)
      continue;
    result.insert(result.end(), words.begin() + next,
                  words.begin() + input.firstWord);
    next = input.endWord;
    if (!areAdded)
      append_range(result, objects);
    areAdded = true;
    if (*instead)
      result.push_back(std::move(**instead));
  }
  result.insert(result.end(), words.begin() + next, words.end());
  if (!areAdded)
    append_range(result, objects);
  if (Error error = checkAllFound(inputs))
    return std::move(error);
  return result;
}

} // namespace

Expected<int> linkWithMold(StringRef mold, ArrayRef<const char *> words,
                           const LinkInputs &inputs,
                           const LinkOutputs &outputs) {
  Expected<std::string> program = findProgram(mold);
  if (!program)
    return program.takeError();
  Expected<TempDir> directory = TempDir::create("gpulto");
  if (!directory)
    return directory.takeError();
  std::vector<std::string> objects;
  for (const NativeObject &object : outputs.objects) {
    objects.push_back(directory->file(object.name));
    if (Error error =
            writeFileAtomically(objects.back(), object.contents->getBuffer()))
      return std::move(error);
  }
  Expected<std::vector<std::string>> rewritten =
      Rewriter(inputs, directory->path()).rewrite(words, objects);
  if (!rewritten)
    return rewritten.takeError();
  std::string response = directory->file("arguments");
  if (Error error = writeFileAtomically(response, responseFile(*rewritten)))
    return std::move(error);
  ProcessOptions options;
  options.captureStdout = options.captureStderr = false;
  options.ownGroup = true;
  options.allowFailure = true;
  Expected<ProcessResult> result =
      runProcess(*program, {"@" + response}, options);
  if (!result)
    return result.takeError();
  constexpr int kSignalBase = 128;
  return result->signal ? kSignalBase + result->signal : result->exitCode;
}

} // namespace gpulto
