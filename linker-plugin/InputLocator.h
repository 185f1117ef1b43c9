//===- InputLocator.h - From a linker's name to file and offset -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lld names a module `lib.a(member.o at 1234)` or by its path. WPA and the jobs
// read the inputs again, some in other processes, so each must be identified by
// a file and an offset.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_LINKER_PLUGIN_INPUTLOCATOR_H
#define GPULTO_LINKER_PLUGIN_INPUTLOCATOR_H

#include "lto/Pipeline.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm::object {
class Archive;
}

namespace gpulto {

/// The parts of `lib.a(member.o at 1234)`.
struct MemberName {
  llvm::StringRef archive;
  llvm::StringRef member;
  uint64_t headerOffset = 0; ///< bytes, of the member's header in the archive
};

/// Splits \p name; returns nothing if it is not a member's name. If the name is
/// ambiguous (parentheses in file names), the archive's part is the shortest.
std::optional<MemberName> parseMemberName(llvm::StringRef name);

/// Finds the file, member and offset of the inputs of one link.
class InputLocator {
public:
  /// Records an archive that the linker opened. Its buffer must stay mapped as
  /// long as locate is called. Errors: a malformed member.
  llvm::Error addArchive(const llvm::object::Archive &archive);

  /// Returns the paths of the recorded archives, without duplicates, in order.
  std::vector<std::string> archivePaths() const;

  /// Returns path, member, offset and archive of the input whose bitcode the
  /// linker mapped at \p bitcode (or whose native code, then completely) and
  /// which it calls \p name; for native members that is only the member's name.
  /// A member of a thin archive gets its own file as path and no member.
  /// Errors: an input that cannot be found in the file system or whose bitcode
  /// there differs.
  llvm::Expected<LinkObject> locate(llvm::StringRef name,
                                    llvm::StringRef bitcode) const;

private:
  struct Member {
    llvm::StringRef contents; ///< empty in a thin archive
    std::string name;
    std::string thinPath;
    uint64_t headerOffset = 0;
  };
  struct SeenArchive {
    llvm::MemoryBufferRef buffer;
    bool isThin = false;
    std::vector<Member> members; ///< in archive order
  };

  std::optional<LinkObject> locateInMapped(llvm::StringRef bitcode) const;
  std::optional<LinkObject> locateInThin(llvm::StringRef name,
                                         llvm::StringRef bitcode) const;

  std::vector<SeenArchive> archives;
};

/// Returns the place of \p name, a path or `lib.a(member.o at 1234)`, without a
/// linker that has mapped it. Errors: no such file or member.
llvm::Expected<LinkObject> locateByName(llvm::StringRef name);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_INPUTLOCATOR_H
