//===- FatObjectReader.h - Reading fat objects and archives -----*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All results point into the buffer read: summaries and bitcode are used in
// place, and bodies are not touched before LTRANS.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_FATOBJ_FATOBJECTREADER_H
#define GPULTO_FATOBJ_FATOBJECTREADER_H

#include "fatobj/SymbolMarks.h"
#include "support/Error.h"
#include "support/StableHash.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpulto {

/// Where the bitcode of one device architecture lies.
struct BitcodeRef {
  uint64_t offset = 0;     ///< bytes from the start of the object (member)
  uint64_t storedSize = 0; ///< bytes there
  uint64_t rawSize = 0;    ///< bytes when decompressed
  Digest digest;           ///< of the raw bytes
  bool compressed = false; ///< zstd
};

/// What a record holds for one device architecture.
struct DeviceRecord {
  std::string arch;        ///< `sm_90`
  llvm::StringRef summary; ///< empty: none stored
  BitcodeRef bitcode;
};

/// One record of `.gpulto`: one translation unit.
struct FatRecord {
  InputLocation location; ///< of the record's first byte
  uint32_t llvmMajor = 0;
  uint32_t llvmMinor = 0;
  uint32_t llvmPatch = 0;
  bool slim = false; ///< the object has no native code
  /// Size of the object's .symtab when the record was written; 0: unknown.
  uint64_t symbolTableBytes = 0;
  /// Marks of its symbols, as made by encodeMarks; nothing: unknown.
  std::optional<llvm::StringRef> symbolMarks;
  Digest optionDigest;
  llvm::StringRef hostSummary; ///< empty: none stored
  /// The unit's slice of .llvm.lto; empty if it has no host bitcode or the
  /// section is missing (then hostBitcodeLost is set).
  llvm::StringRef hostBitcode;
  uint64_t hostBitcodeOffset = 0; ///< bytes from the start of the object
  Digest hostBitcodeDigest;
  bool hostBitcodeLost = false; ///< e.g. `ld.lld -r` drops .llvm.lto
  /// The symbol name table (STRTAB) in hostBitcode, which names of the host
  /// summary refer to; empty when there is none.
  llvm::StringRef hostNames;
  std::vector<DeviceRecord> devices; ///< in the order stored

  /// Returns the record of \p arch or null.
  const DeviceRecord *findDevice(llvm::StringRef arch) const;
};

/// One bitcode file of `.llvm.lto`: the host half of one translation unit.
struct HostUnit {
  llvm::StringRef bitcode;
  /// Its record, as an index; nothing: stock clang made it.
  std::optional<size_t> record;
};

/// Our data in an object.
struct FatObject {
  std::vector<FatRecord> records; ///< in section order; empty: not ours
  /// All bitcode files of `.llvm.lto`, in section order.
  std::vector<HostUnit> units;
  /// Size of .symtab.
  uint64_t symbolTableBytes = 0;
  /// If ReadOptions::symbols asks for them: those that are not local.
  std::vector<MarkedSymbol> symbols;
  /// The whole .llvm.lto section, also in objects of stock clang.
  llvm::StringRef bitcodeSection;
  /// The whole .llvm.offloading section, in objects of stock clang.
  llvm::StringRef offloadingSection;
};

/// Returns whether \p object comes from one translation unit, and no tool has
/// added anything since.
bool isOneUnit(const FatObject &object);

/// Returns whether \p object is as gpulto-clang++ wrote it: one translation
/// unit, unchanged by any tool since. Needs its symbols.
bool isAsCompiled(const FatObject &object);

struct ReadOptions {
  /// Read the symbols that are not local.
  bool symbols = false;
  /// Check the digests of bitcode, too, not only those of summaries (reads all
  /// bytes).
  bool verifyDigests = false;
};

/// Returns whether \p file is an ELF object with a `.gpulto` section. False
/// for anything malformed. Reads headers only.
bool hasFatObjectSection(llvm::MemoryBufferRef file);

/// Returns whether \p file may hold device code that a link can use: an ELF
/// object with a `.gpulto` or an `.llvm.offloading` section, or bitcode. False
/// for anything malformed. Reads headers only.
bool mayHoldDeviceCode(llvm::MemoryBufferRef file);

/// Reads our data in the ELF object \p file; \p where is its path and member.
/// An object without our section gives no records and no error. Errors: not a
/// 64-bit little-endian ELF object, malformed headers, a malformed record, an
/// unknown version.
llvm::Expected<FatObject> readFatObject(llvm::MemoryBufferRef file,
                                        const InputLocation &where,
                                        const ReadOptions &options = {});

/// Reads only a sequence of records, the contents of a `.gpulto` section, and
/// looks for host bitcode in \p bitcodeSection. Offsets count from \p base,
/// which both follow.
llvm::Expected<std::vector<FatRecord>>
readFatRecords(llvm::StringRef section, llvm::StringRef bitcodeSection,
               const char *base, const InputLocation &where,
               const ReadOptions &options = {});

/// Returns the bitcode \p ref of the object \p file, decompressed; a copy only
/// if it was compressed. Errors: out of bounds, not a zstd frame, a wrong raw
/// size, and, if \p verify, a wrong digest.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
decompressBitcode(llvm::MemoryBufferRef file, const BitcodeRef &ref,
                  const InputLocation &where, bool verify = true);

/// Where the symbol name table lies in a bitcode file.
struct StrtabRange {
  uint64_t offset = 0; ///< bytes from the start of the bitcode
  uint64_t size = 0;
};

/// Finds the blob of the STRTAB block in \p bitcode (walking top-level blocks
/// only). Errors: not bitcode, or no STRTAB (written by LLVM before 5).
llvm::Expected<StrtabRange> findHostStrtab(llvm::StringRef bitcode,
                                           const InputLocation &where);

/// Cuts a `.llvm.lto` section that `ld -r` concatenated into its bitcode
/// files. Errors: not a sequence of bitcode files.
llvm::Expected<std::vector<llvm::StringRef>>
splitBitcode(llvm::StringRef section, const InputLocation &where);

/// One member of an archive.
struct ArchiveMember {
  std::string name;           ///< as in the archive's header
  uint64_t offset = 0;        ///< of the member's header in the archive
  uint64_t dataOffset = 0;    ///< of its first byte; 0 in a thin archive
  llvm::MemoryBufferRef data; ///< valid during the callback
  std::string path;           ///< the file, for a member of a thin archive
};

/// Calls \p visit for each member of the archive \p path (thin ones too), in
/// archive order. Stops at the first error.
llvm::Error forEachArchiveMember(
    llvm::StringRef path,
    llvm::function_ref<llvm::Error(const ArchiveMember &)> visit);

/// A file or archive member kept in memory.
struct LocatedMember {
  std::unique_ptr<llvm::MemoryBuffer> owner; ///< maps the whole file
  llvm::MemoryBufferRef data;
  std::string member; ///< empty: \p path itself is not an archive
};

/// Opens \p path; if it is an archive, opens the member whose header or data
/// starts at \p offset. Linkers name archive members in either way.
llvm::Expected<LocatedMember> locateMember(llvm::StringRef path,
                                           uint64_t offset);

} // namespace gpulto

#endif // GPULTO_FATOBJ_FATOBJECTREADER_H
