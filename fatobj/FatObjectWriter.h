//===- FatObjectWriter.h - Writing fat and slim objects ---------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_FATOBJ_FATOBJECTWRITER_H
#define GPULTO_FATOBJ_FATOBJECTWRITER_H

#include "support/Error.h"
#include "support/StableHash.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulto {

/// What is stored for one device architecture.
struct DeviceContents {
  std::string arch; ///< `sm_90`; at most 15 characters
  llvm::StringRef summary;
  llvm::StringRef bitcode; ///< raw; compressed by the writer
};

/// What is added to a host object. The bytes must outlive the call.
struct FatObjectContents {
  Digest optionDigest;
  /// Encoded against the host bitcode's STRTAB (findHostStrtab on what
  /// hostBitcodeOf returns). Empty: none.
  llvm::StringRef hostSummary;
  std::vector<DeviceContents> devices; ///< one per architecture, any order
};

struct FatObjectOptions {
  bool slim = false; ///< drop native code, keep the symbol table
  int zstdLevel = 3; ///< 0: device bitcode is stored raw
  /// Replace an existing `.gpulto` section; otherwise that is an error.
  bool replace = false;
  /// Size of .symtab of the object that gets the record, and marks of its
  /// symbols; see Format.h. Filled by addToObject.
  uint64_t symbolTableBytes = 0;
  std::optional<std::string> symbolMarks;
};

/// Returns the contents of `.llvm.lto` in the ELF object \p object, empty if
/// it has none.
llvm::Expected<llvm::StringRef> hostBitcodeOf(llvm::MemoryBufferRef object,
                                              const InputLocation &where);

/// Returns the record (the bytes of a `.gpulto` section) for \p contents and
/// the host bitcode \p hostBitcode (may be empty). Deterministic.
llvm::Expected<std::string> buildRecord(const FatObjectContents &contents,
                                        llvm::StringRef hostBitcode,
                                        const InputLocation &where,
                                        const FatObjectOptions &options = {});

/// Returns the ELF object \p object with a `.gpulto` section for \p contents.
/// Sections keep index, order, contents, alignment and flags; symbols, groups
/// and relocations are untouched. With options.slim: an object with
/// `.llvm.lto`, `.gpulto` and the same global symbols, but no native code.
/// Errors: not a 64-bit little-endian ELF relocatable, malformed, a slim object
/// without host bitcode.
llvm::Expected<std::string> addToObject(llvm::MemoryBufferRef object,
                                        const FatObjectContents &contents,
                                        const InputLocation &where,
                                        const FatObjectOptions &options = {});

/// Reads the host object \p inputPath, writes addToObject's result to
/// \p outputPath (may be the same), atomically.
llvm::Error writeFatObject(llvm::StringRef inputPath,
                           const FatObjectContents &contents,
                           llvm::StringRef outputPath,
                           const FatObjectOptions &options = {});

} // namespace gpulto

#endif // GPULTO_FATOBJ_FATOBJECTWRITER_H
