//===- InputLocator.cpp - From a linker's name to file and offset ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A member of an ordinary archive is found by address: lld maps the archive and
// passes slices of it, so the slice identifies the member, however odd the file
// names are. Members of thin archives are mappings of their own; they are found
// by the archive's name and the offset of the member's header, and their bytes
// are compared. Everything else is a file of its own.
//
//===----------------------------------------------------------------------===//

#include "linker-plugin/InputLocator.h"

#include "fatobj/FatObjectReader.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <functional>

using namespace llvm;
using namespace llvm::object;

namespace gpulto {
namespace {

/// Returns whether \p inner lies within \p outer, as addresses.
bool contains(StringRef outer, StringRef inner) {
  return std::less_equal<>()(outer.begin(), inner.begin()) &&
         std::less_equal<>()(inner.end(), outer.end());
}

/// Returns whether the file \p path holds \p bytes, a part of an object or a
/// module of it.
bool fileHolds(StringRef path, StringRef bytes) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return file && (*file)->getBuffer().contains(bytes);
}

} // namespace

std::optional<MemberName> parseMemberName(StringRef name) {
  MemberName result;
  StringRef rest = name;
  if (!rest.consume_back(")"))
    return std::nullopt;
  StringRef digits;
  std::tie(rest, digits) = rest.rsplit(" at ");
  if (digits.empty() || digits.getAsInteger(10, result.headerOffset))
    return std::nullopt;
  std::tie(result.archive, result.member) = rest.split('(');
  if (result.archive.empty() || result.member.empty())
    return std::nullopt;
  return result;
}

Error InputLocator::addArchive(const Archive &archive) {
  SeenArchive seen;
  seen.buffer = archive.getMemoryBufferRef();
  seen.isThin = archive.isThin();
  Error failure = Error::success();
  for (const Archive::Child &child : archive.children(failure)) {
    Member member;
    member.headerOffset = child.getChildOffset();
    Expected<StringRef> name = child.getName();
    if (!name)
      return joinErrors(std::move(failure), name.takeError());
    member.name = name->str();
    if (seen.isThin) {
      Expected<std::string> path = child.getFullName();
      if (!path)
        return joinErrors(std::move(failure), path.takeError());
      member.thinPath = *path;
    } else {
      Expected<StringRef> contents = child.getBuffer();
      if (!contents)
        return joinErrors(std::move(failure), contents.takeError());
      member.contents = *contents;
    }
    seen.members.push_back(std::move(member));
  }
  if (failure)
    return failure;
  archives.push_back(std::move(seen));
  return Error::success();
}

std::vector<std::string> InputLocator::archivePaths() const {
  std::vector<std::string> paths;
  for (const SeenArchive &archive : archives) {
    std::string path = archive.buffer.getBufferIdentifier().str();
    if (!is_contained(paths, path))
      paths.push_back(std::move(path));
  }
  return paths;
}

std::optional<LinkObject>
InputLocator::locateInMapped(StringRef bitcode) const {
  for (const SeenArchive &archive : archives) {
    if (archive.isThin || !contains(archive.buffer.getBuffer(), bitcode))
      continue;
    auto after =
        upper_bound(archive.members, bitcode.begin(),
                    [](const char *address, const Member &member) {
                      return std::less<>()(address, member.contents.begin());
                    });
    if (after == archive.members.begin())
      continue;
    const Member &member = *std::prev(after);
    LinkObject object;
    object.path = archive.buffer.getBufferIdentifier().str();
    object.member = member.name;
    object.memberOffset =
        member.contents.begin() - archive.buffer.getBufferStart();
    object.archive = object.path;
    return object;
  }
  return std::nullopt;
}

std::optional<LinkObject> InputLocator::locateInThin(StringRef name,
                                                     StringRef bitcode) const {
  for (const SeenArchive &archive : archives) {
    if (!archive.isThin)
      continue;
    for (const Member &member : archive.members) {
      std::string end = ("(" + sys::path::filename(member.thinPath) + " at " +
                         Twine(member.headerOffset) + ")")
                            .str();
      if ((!name.ends_with(end) && name != member.name) ||
          !fileHolds(member.thinPath, bitcode))
        continue;
      LinkObject object;
      object.path = member.thinPath;
      object.archive = archive.buffer.getBufferIdentifier().str();
      return object;
    }
  }
  return std::nullopt;
}

Expected<LinkObject> InputLocator::locate(StringRef name,
                                          StringRef bitcode) const {
  if (std::optional<LinkObject> object = locateInMapped(bitcode))
    return std::move(*object);
  if (std::optional<LinkObject> object = locateInThin(name, bitcode))
    return std::move(*object);
  if (std::error_code code = sys::fs::access(name, sys::fs::AccessMode::Exist))
    return inputError(InputLocation(name),
                      "cannot find the file of this input again (" +
                          code.message() + ")");
  LinkObject object;
  object.path = name.str();
  return object;
}

Expected<LinkObject> locateByName(StringRef name) {
  LinkObject object;
  object.path = name.str();
  std::optional<MemberName> parts = parseMemberName(name);
  if (sys::fs::exists(name))
    return object;
  if (!parts)
    return inputError(InputLocation(name), "no such file");
  bool found = false;
  Error failure =
      forEachArchiveMember(parts->archive, [&](const ArchiveMember &member) {
        if (member.offset != parts->headerOffset)
          return Error::success();
        found = true;
        if (!member.path.empty()) {
          object.path = member.path;
          return Error::success();
        }
        object.path = parts->archive.str();
        object.member = member.name;
        object.memberOffset = member.dataOffset;
        return Error::success();
      });
  if (failure)
    return failure;
  if (!found)
    return inputError(InputLocation(parts->archive, parts->member),
                      "the archive has no member at offset " +
                          Twine(parts->headerOffset));
  return object;
}

} // namespace gpulto
