//===- Stamp.h - The note of a link in its output ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Every output of a link with -flto=gpu has a note, loaded with the program so
// that strip keeps it: which gpulto made it, what was done, and for each input
// whether it was optimized or why not. docs/formats.md describes the bytes.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_TABLES_STAMP_H
#define GPULTO_LTO_TABLES_STAMP_H

#include "lto/link/OutputKind.h"
#include "support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gpulto {

/// Name of the section, which is of type SHT_NOTE.
inline constexpr llvm::StringLiteral kStampSection = ".note.gpulto";

/// What became of an input. Written as a number: append only.
enum class StampTreatment : uint8_t {
  Optimized, ///< its bitcode is part of the program
  Joined,    ///< -r: its bitcode is kept for the link of the program
  Native,    ///< its native code was linked as it is
  System,    ///< the same, of the system or the toolchain
  Last = System
};

/// Where the bitcode of an input comes from. Written as a number: append only.
enum class StampForm : uint8_t {
  None,  ///< it has none, or it is not used
  Fat,   ///< an object of gpulto-clang++, with native code
  Slim,  ///< such an object without native code
  Stock, ///< stock clang's
  Mixed, ///< several of them, joined by -r
  Last = Mixed
};

/// Device code of an input for one architecture.
struct StampDevice {
  std::string arch;      ///< `sm_90`; native code: as its image says
  bool isNative = false; ///< a finished image: only linked
  bool operator==(const StampDevice &) const = default;
};

/// An input of a link.
struct StampInput {
  std::string path;
  std::string member; ///< of an archive; else empty
  StampTreatment treatment = StampTreatment::Optimized;
  StampForm form = StampForm::None;
  /// Not optimized: why. Optimized: a comment, or empty.
  std::string reason;
  std::vector<StampDevice> devices;
  /// System: number of members of the archive; otherwise 1.
  uint32_t count = 1;
  bool operator==(const StampInput &) const = default;

  /// Returns the path followed by the member: `libx.a(b.o)`.
  std::string name() const;
  /// Adds \p device unless it is already present.
  void add(StampDevice device);
};

/// One link.
struct Stamp {
  std::string version;     ///< of gpulto
  std::string llvmVersion; ///< `22.1.8`
  OutputKind output = OutputKind::Executable;
  /// What ran and how, as names and values in the order to be shown; empty:
  /// nothing was optimized.
  std::vector<std::pair<std::string, std::string>> stages;
  std::vector<StampInput> inputs;
  bool operator==(const Stamp &) const = default;
};

/// Returns a stamp of this gpulto for an output of kind \p output, with nothing
/// in it.
Stamp makeStamp(OutputKind output);

/// Returns the contents of the section: a note for each of \p stamps.
std::string encodeStamps(llvm::ArrayRef<Stamp> stamps);

/// Reads a sequence of notes, as linkers concatenate them. Errors: damaged, of
/// another version, or of another owner; they name \p section and the offset.
llvm::Expected<std::vector<Stamp>> decodeStamps(llvm::StringRef bytes,
                                                const InputLocation &section);

/// Returns the stamps of the ELF file \p file; none if none of our links made
/// it. Errors: not a 64-bit ELF file, malformed; see decodeStamps.
llvm::Expected<std::vector<Stamp>> readStamps(llvm::MemoryBufferRef file,
                                              const InputLocation &where);

/// Returns an object that adds a note with \p stamps to the output. \p machine:
/// an EM_ constant.
llvm::Expected<std::string> makeStampObject(llvm::ArrayRef<Stamp> stamps,
                                            uint16_t machine);

} // namespace gpulto

#endif // GPULTO_LTO_TABLES_STAMP_H
