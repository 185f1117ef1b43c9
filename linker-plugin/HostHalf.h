//===- HostHalf.h - Which half of an object a linker reads ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A fat object has its host code twice: native and as bitcode. A linker must
// read the bitcode, unless the bitcode does not cover everything:
//
//   as compiled           bitcode
//   ld -r of fat objects  .llvm.lto is a sequence of bitcode files, which LLVM
//                         does not read: the linker is shown one file that
//                         holds all their modules
//   ld -r with others     the native half has code of objects that came without
//                         bitcode: it is linked as it is, with a warning; if
//                         there is device code beside it, an error
//   symbols were changed  (objcopy --redefine-sym, --weaken, ...) the same
//   .llvm.lto is gone     (ld.lld -r, strip) the same
//   device code alone     objects of another compiler's offloading: an error,
//                         since nobody would link that device code
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LINKER_PLUGIN_HOSTHALF_H
#define GPULTO_LINKER_PLUGIN_HOSTHALF_H

#include "lto/Pipeline.h"
#include "support/Error.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/LTO/LTO.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <deque>
#include <string>
#include <vector>

namespace gpulto {

/// The half of an object that a linker must read.
struct HostHalf {
  /// Empty: the native half.
  llvm::MemoryBufferRef bitcode;
  /// If not empty, why an object of ours is not optimized.
  std::string warning;
};

/// Several bitcode files that are presented to a linker as one.
struct JoinedBitcode {
  llvm::StringRef section; ///< in the object: all of .llvm.lto
  llvm::SmallVector<char, 0> bytes;
  /// Symbols of each file, in the order in which LLVM lists them.
  std::vector<size_t> symbolCounts;
};

/// Chooses the halves of a link's objects and owns what is presented to the
/// linker.
class HostHalves {
public:
  /// Returns which half of the ELF object \p file to read. Errors: see the head
  /// of this file; malformed.
  llvm::Expected<HostHalf> choose(llvm::MemoryBufferRef file,
                                  const InputLocation &where);

  /// Returns why \p file, which a linker made from the native halves of several
  /// objects, can no longer be linked through its bitcode; empty if it can, or
  /// if it has none.
  static std::string whyNotLinkedAgain(llvm::MemoryBufferRef file,
                                       const InputLocation &where);

  /// Returns the files behind \p bitcode, part of a result of choose, or null
  /// if it was one file.
  const JoinedBitcode *findJoined(llvm::StringRef bitcode) const;

private:
  llvm::Expected<llvm::MemoryBufferRef>
  join(llvm::ArrayRef<std::unique_ptr<llvm::lto::InputFile>> tables,
       llvm::ArrayRef<llvm::StringRef> files, llvm::StringRef section,
       llvm::MemoryBufferRef object, const InputLocation &where);

  std::deque<JoinedBitcode> joinedFiles;
};

/// Records in \p symbols, the resolutions of all symbols of \p joined, the file
/// to which each belongs, and chooses among definitions of one name: a linker
/// that takes the files for one object says that each prevails.
void separateUnits(const JoinedBitcode &joined,
                   const llvm::lto::InputFile &input,
                   std::vector<LinkSymbol> &symbols);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_HOSTHALF_H
