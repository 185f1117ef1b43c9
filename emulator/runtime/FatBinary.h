//===- FatBinary.h - Reading the device images in a program ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The containers in which a host program carries its device code.
///
/// A program hands `__cudaRegisterFatBinary` a wrapper (24 bytes: magic
/// 0x466243b1, version, pointer to a container, and, in version 2, pointer to
/// a zero-terminated array of the containers that nvcc's device link
/// consumed). A container is a header of 16 bytes (magic 0xba55ed50, version,
/// header size, size of what follows) and entries, each a header of at least 64
/// bytes and a payload. The layout was determined from the output of fatbinary
/// 13.0 and of clang.
///
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_FATBINARY_H
#define GPULTO_EMULATOR_RUNTIME_FATBINARY_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gpulto::emu {

/// Contents of one entry of a container.
enum class ImageKind : uint16_t { Ptx = 1, Cubin = 2, Other = 0xffff };

/// Where a virtual architecture's PTX runs: `sm_90` on all later ones, `sm_90a`
/// only on 9.0, `sm_100f` on later ones of its family.
enum class ArchScope : uint8_t { Forward, Exact, Family };

/// One entry of a container. Owns its text.
struct DeviceImage {
  ImageKind kind = ImageKind::Other;
  /// Compute capability times ten, 90 for sm_90.
  unsigned arch = 0;
  ArchScope scope = ArchScope::Forward;
  /// PTX made for a later device link (`-rdc=true`): symbols may be extern.
  bool isRelocatable = false;
  /// Decompressed PTX without trailing zero bytes; empty for a cubin.
  std::string text;
};

/// Contents of a wrapper or a set of containers, in order.
struct DeviceImages {
  std::vector<DeviceImage> images;
  /// Index of the first image of each container, for relocatable PTX: every
  /// container is one translation unit.
  std::vector<size_t> containerStarts;
};

/// Reads one container from \p bytes, which may be longer than it, and appends
/// its images to \p into. Never reads outside \p bytes and never allocates more
/// than kMaxImageBytes for one image. Returns an empty string, or an error with
/// the offset in bytes from the start of the container.
std::string readContainer(std::span<const uint8_t> bytes, DeviceImages &into);

/// Sets arch and scope by the `.target` line of the image's PTX, which takes
/// precedence: the tool writes the suffix as flag bits, other writers may not.
void readTargetLine(DeviceImage &image);

/// No decompressed image may be larger than this (1 GiB): a header that claims
/// more is damaged.
inline constexpr uint64_t kMaxImageBytes = uint64_t(1) << 30;

/// True if \p image's PTX may run on a device of capability \p deviceArch
/// (times ten).
bool fitsDevice(const DeviceImage &image, unsigned deviceArch);

/// Selects the images for a device of capability \p deviceArch: from every
/// container the PTX of the highest architecture that fits; if relocatable, all
/// images of that architecture (one for each translation unit, if a link step
/// put several into one container). Returns indices into \p images, ascending;
/// empty if nothing fits.
std::vector<size_t> selectImages(const DeviceImages &images,
                                 unsigned deviceArch);

/// Describes why selectImages found nothing and what to do about it, for the
/// user: cubins only, PTX for later devices only, or no device code at all.
std::string explainNoImage(const DeviceImages &images, unsigned deviceArch);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_FATBINARY_H
