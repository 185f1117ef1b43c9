//===- Format.h - Byte layout of the sections of a fat object ---*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fat object is an ordinary ELF relocatable with two additional sections:
//
//   .llvm.lto   host bitcode (as clang -ffat-lto-objects writes it)
//   .gpulto     records: summaries, device bitcode, marks of symbols
//
// Both are SHT_PROGBITS, not allocated, SHF_EXCLUDE: a linker that does not
// know them drops them. `ld -r` concatenates sections of one name, so .gpulto
// is a sequence of records that carry their own size; between and after them
// zero bytes up to the next multiple of 8 are skipped. All numbers are
// little-endian; a record starts on a multiple of 8.
//
//   record                                    entry, 64 bytes
//   +0   "GPLTOREC"                           +0   u32  kind (EntryKind)
//   +8   u32  format version                  +4   u32  flags
//   +12  u32  header size (88)                +8   architecture, 16 bytes,
//   +16  u64  record size                              zero-padded
//   +24  u32  LLVM major                      +24  u64  offset
//   +28  u32  LLVM minor                      +32  u64  stored size
//   +32  u32  LLVM patch                      +40  u64  raw size
//   +36  u32  flags (kRecordSlim)             +48  Digest of the raw bytes
//   +40  Digest of the compile options
//   +56  u32  entry count
//   +60  u32  entry size (64)
//   +64  Digest of the entry table
//   +80  u64  size of .symtab in bytes (0: unknown)
//   +88  the entries, then their payloads, each on a multiple of 8
//
// The offset of an entry counts from the start of its record. An entry of kind
// HostBitcodeRef has no payload: raw size and digest are those of the host
// bitcode in .llvm.lto, offset and stored size say where the bitcode's symbol
// name table (STRTAB) lies, counted from the bitcode's start, so that
// summaries refer to the names there instead of storing them again.
//
// Where the size of .symtab is another than the record says, a tool has joined
// or changed the object since, and it may hold native code that no bitcode
// describes. The payload of SymbolMarks (fatobj/SymbolMarks.h) says the same of
// each symbol.
//
// Where several records stand in one object, so do as many bitcode blobs in
// .llvm.lto; they are matched by order, size and digest.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_FATOBJ_FORMAT_H
#define GPULTO_FATOBJ_FORMAT_H

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>

namespace gpulto {

inline constexpr llvm::StringLiteral kHostBitcodeSection = ".llvm.lto";
inline constexpr llvm::StringLiteral kFatObjectSection = ".gpulto";

/// Where stock clang puts device code; see fatobj/OffloadImages.h.
inline constexpr llvm::StringLiteral kOffloadingSection = ".llvm.offloading";

/// The undefined symbol that both halves of an object with device code (and the
/// native half of every slim object) refer to. Nothing defines it, so a link
/// without gpulto, of native code or of bitcode by stock LLVM, stops with a
/// message instead of losing the device code. It is hidden, or links of shared
/// libraries would leave it to the loader. All linkers print the name, so it is
/// the message: it addresses build systems that call $CXX, and Python's, which
/// calls $LDSHARED.
inline constexpr llvm::StringLiteral kGuardSymbol =
    "__gpulto_object_must_be_linked_by_gpulto_clang_with_flto_gpu"
    "__set_CXX_and_LDSHARED";

/// Whether \p name is the guard's, also in objects of older versions, where it
/// was shorter.
inline bool isGuardSymbol(llvm::StringRef name) {
  constexpr size_t kAdvice = sizeof("__set_CXX_and_LDSHARED") - 1;
  return name.starts_with(kGuardSymbol.drop_back(kAdvice));
}

inline constexpr llvm::StringLiteral kRecordMagic = "GPLTOREC";
/// The version written. Increased on every change of the layout above.
inline constexpr uint32_t kRecordVersion = 3;
/// The oldest version still read; 1 had no size of .symtab, 2 no marks of
/// symbols.
inline constexpr uint32_t kOldestRecordVersion = 1;

inline constexpr uint32_t kRecordHeaderSize = 88;
inline constexpr uint32_t kRecordEntrySize = 64;
inline constexpr uint64_t kRecordAlignment = 8;
inline constexpr size_t kArchNameSize = 16;

/// Flags of a record. The object has no native code.
inline constexpr uint32_t kRecordSlim = 1;
/// Flags of an entry. The payload is a zstd frame.
inline constexpr uint32_t kEntryZstd = 1;

/// What an entry holds.
enum class EntryKind : uint32_t {
  HostSummary = 1,
  DeviceSummary = 2,  ///< one per architecture
  DeviceBitcode = 3,  ///< one per architecture
  HostBitcodeRef = 4, ///< see above
  SymbolMarks = 5,    ///< of the object as written
};
inline constexpr uint32_t kLastEntryKind = 5;

} // namespace gpulto

#endif // GPULTO_FATOBJ_FORMAT_H
