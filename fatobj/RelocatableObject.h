//===- RelocatableObject.h - Objects of other compilers ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_FATOBJ_RELOCATABLEOBJECT_H
#define GPULTO_FATOBJ_RELOCATABLEOBJECT_H

#include "support/Error.h"

#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <memory>

namespace gpulto {

/// Opens \p file, a relocatable ELF object for any machine. The buffer must
/// outlive the result. Errors: another kind of file, or malformed.
inline llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>>
openRelocatableObject(llvm::MemoryBufferRef file) {
  if (llvm::identify_magic(file.getBuffer()) !=
      llvm::file_magic::elf_relocatable)
    return makeError("no ELF object");
  return llvm::object::ObjectFile::createELFObjectFile(file);
}

} // namespace gpulto

#endif // GPULTO_FATOBJ_RELOCATABLEOBJECT_H
