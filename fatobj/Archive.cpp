//===- Archive.cpp - Members of archives ----------------------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llvm/Object/Archive.h"

#include "fatobj/FatObjectReader.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace gpulto;

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError(path + ": cannot open (" + buffer.getError().message() +
                     ")");
  return std::move(*buffer);
}

static llvm::Error wrap(llvm::StringRef path, llvm::Error error) {
  return inputError(InputLocation(path),
                    "malformed archive: " + llvm::toString(std::move(error)));
}

/// Fills in what is known of \p child; for a thin archive \p external holds
/// the member's file.
static llvm::Error describe(llvm::StringRef path,
                            const llvm::object::Archive &archive,
                            const llvm::object::Archive::Child &child,
                            ArchiveMember &member,
                            std::unique_ptr<llvm::MemoryBuffer> &external) {
  llvm::Expected<llvm::StringRef> name = child.getName();
  if (!name)
    return wrap(path, name.takeError());
  member.name = name->str();
  member.offset = child.getChildOffset();
  if (!archive.isThin()) {
    llvm::Expected<llvm::StringRef> bytes = child.getBuffer();
    if (!bytes)
      return wrap(path, bytes.takeError());
    member.dataOffset = child.getDataOffset();
    member.data = llvm::MemoryBufferRef(*bytes, member.name);
    return llvm::Error::success();
  }
  llvm::Expected<std::string> full = child.getFullName();
  if (!full)
    return wrap(path, full.takeError());
  auto buffer = openFile(*full);
  if (!buffer)
    return inputError(InputLocation(path, member.name),
                      llvm::toString(buffer.takeError()));
  external = std::move(*buffer);
  member.path = *full;
  member.data = external->getMemBufferRef();
  return llvm::Error::success();
}

llvm::Error gpulto::forEachArchiveMember(
    llvm::StringRef path,
    llvm::function_ref<llvm::Error(const ArchiveMember &)> visit) {
  auto buffer = openFile(path);
  if (!buffer)
    return buffer.takeError();
  auto archive = llvm::object::Archive::create((*buffer)->getMemBufferRef());
  if (!archive)
    return wrap(path, archive.takeError());
  llvm::Error failure = llvm::Error::success();
  for (const llvm::object::Archive::Child &child :
       (*archive)->children(failure)) {
    ArchiveMember member;
    std::unique_ptr<llvm::MemoryBuffer> external;
    llvm::Error error = describe(path, **archive, child, member, external);
    if (!error)
      error = visit(member);
    if (error) {
      llvm::consumeError(std::move(failure));
      return error;
    }
  }
  return failure ? wrap(path, std::move(failure)) : llvm::Error::success();
}

llvm::Expected<LocatedMember> gpulto::locateMember(llvm::StringRef path,
                                                   uint64_t offset) {
  auto buffer = openFile(path);
  if (!buffer)
    return buffer.takeError();
  LocatedMember result;
  result.owner = std::move(*buffer);
  result.data = result.owner->getMemBufferRef();
  llvm::StringRef bytes = result.data.getBuffer();
  if (!bytes.starts_with(llvm::object::ArchiveMagic) &&
      !bytes.starts_with(llvm::object::ThinArchiveMagic)) {
    if (offset != 0)
      return inputError(InputLocation(path), "no archive, so nothing lies at "
                                             "offset " +
                                                 llvm::Twine(offset));
    return result;
  }
  auto archive = llvm::object::Archive::create(result.data);
  if (!archive)
    return wrap(path, archive.takeError());
  llvm::Error failure = llvm::Error::success();
  for (const llvm::object::Archive::Child &child :
       (*archive)->children(failure)) {
    ArchiveMember member;
    std::unique_ptr<llvm::MemoryBuffer> external;
    // In a thin archive the next header stands where data would.
    bool wanted = child.getChildOffset() == offset ||
                  (!(*archive)->isThin() && child.getDataOffset() == offset);
    if (!wanted)
      continue;
    llvm::consumeError(std::move(failure));
    if (llvm::Error error = describe(path, **archive, child, member, external))
      return error;
    if (external)
      result.owner = std::move(external);
    result.member = member.name;
    result.data = llvm::MemoryBufferRef(member.data.getBuffer(), path);
    return result;
  }
  if (failure)
    return wrap(path, std::move(failure));
  return inputError(InputLocation(path).at(offset),
                    "no archive member starts here");
}
