//===- DeviceImage.h - PTX, cubins and fatbinary containers -----*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_FATOBJ_DEVICEIMAGE_H
#define GPULTO_FATOBJ_DEVICEIMAGE_H

#include "support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpulto {

/// A GPU architecture: `sm_90`, `sm_90a`, `compute_100f`.
struct DeviceArch {
  unsigned number = 0;    ///< 90, 100, 121
  char suffix = 0;        ///< 'a', 'f' or 0
  bool isVirtual = false; ///< `compute_` instead of `sm_`

  /// Returns `sm_90a`, or `compute_90a` if virtual.
  std::string name() const;
  /// Returns the same with `sm_`.
  std::string realName() const;
  /// Returns `90a`, the form for options of ptxas and fatbinary.
  std::string digits() const;
  unsigned major() const { return number / 10; }
  unsigned minor() const { return number % 10; }

  friend bool operator==(const DeviceArch &, const DeviceArch &) = default;
};

/// Reads `sm_90a` or `compute_90a`. Errors: anything else.
llvm::Expected<DeviceArch> parseArch(llvm::StringRef name);

/// Orders architecture names by number, then suffix; others after, by text.
bool archNameLess(llvm::StringRef a, llvm::StringRef b);

/// One image of a fatbinary.
struct DeviceImage {
  enum class Kind : uint8_t { Ptx = 1, Cubin = 2 };
  Kind kind = Kind::Ptx;
  DeviceArch arch;
  std::string bytes;   ///< PTX text without a final NUL, or the ELF file
  std::string name;    ///< identifier shown by tools; may be empty
  std::string options; ///< ptxas options stored with PTX; may be empty
};

/// One fatbinary container: the device code of one translation unit.
struct Fatbinary {
  std::vector<DeviceImage> images;
  /// Architectures for which it has NVVM IR, as `nvcc -dlto` links it.
  std::vector<DeviceArch> nvvm;
};

/// How images are stored in the container; in parentheses the equivalent
/// setting of `fatbinary --compress-mode=`. Ordered by how much they save.
enum class ImageCompression : uint8_t {
  None,    ///< (none)
  Lz4,     ///< PTX by LZ4, cubins as they are (speed)
  Zstd,    ///< PTX by zstd, cubins as they are (balance, the default)
  ZstdAll, ///< both by zstd (--compress-all)
  Smallest ///< both by zstd, with more effort (size)
};

/// Reads `none`, `speed`, `balance`, `default`, `all` or `size`; nothing for
/// others.
std::optional<ImageCompression> parseCompression(llvm::StringRef mode);

/// Reads a fatbinary container (magic 0xba55ed50), or a sequence of them, as in
/// sections of nvcc and ld -r. Skips images of kinds other than PTX and cubin.
/// Errors: malformed, truncated.
llvm::Expected<std::vector<DeviceImage>>
readFatbinary(llvm::StringRef bytes, const InputLocation &where);

/// Reads the same, but keeps the containers separate. Errors: as readFatbinary.
llvm::Expected<std::vector<Fatbinary>>
readFatbinaries(llvm::StringRef bytes, const InputLocation &where);

/// Writes a fatbinary container as NVIDIA's `fatbinary --create` does.
/// Deterministic; images are compressed in up to \p threads threads. Errors:
/// two PTX images of one architecture (the loader would silently take one), an
/// image without bytes.
llvm::Expected<std::string>
writeFatbinary(llvm::ArrayRef<DeviceImage> images,
               ImageCompression compression = ImageCompression::Zstd,
               unsigned threads = 1);

} // namespace gpulto

#endif // GPULTO_FATOBJ_DEVICEIMAGE_H
