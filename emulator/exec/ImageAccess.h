//===- ImageAccess.h - From handles and indices to elements in memory -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_EXEC_IMAGEACCESS_H
#define GPULTO_EMULATOR_EXEC_IMAGEACCESS_H

#include "emulator/exec/Resolve.h"

namespace gpulto::emu::GPULTO_EMU_ISA {

/// The images and the memory behind them, for one instruction of a warp.
class ImageAccess {
public:
  ImageAccess(Warp &w, const Insn &i)
      : w(w), i(i),
        range(w.worker->ranges[(reinterpret_cast<uintptr_t>(&i) >> 6) %
                               kRangeCacheSize]) {}

  /// The image of a handle, with the kind and shape that the instruction needs;
  /// null after a fault. Lanes mostly agree on a handle.
  const Image *find(uint64_t handle, unsigned lane) {
    if (last && handle == lastHandle)
      return last;
    const ImageTable &images = *w.block->launch->images;
    auto found = images.find(handle);
    bool wantsSurface = i.mode & kImageSurface;
    if (found == images.end() || found->second.isSurface != wantsSurface) {
      raiseFault(w, i, lane, ErrorKind::IllegalAddress,
                 "handle " + std::to_string(handle) + " is not one of a " +
                     (wantsSurface ? "surface" : "texture") + " object");
      return nullptr;
    }
    if (!hasShape(found->second)) {
      raiseFault(w, i, lane, ErrorKind::IllegalInstruction,
                 "access to an image of " + shapeOf(found->second));
      return nullptr;
    }
    lastHandle = handle;
    return last = &found->second;
  }

  /// Where \p bytes of an element are; null after a fault.
  uint8_t *element(const Image &image, unsigned lane, uint64_t byteInRow,
                   uint64_t row, uint64_t slice, unsigned bytes, bool isWrite) {
    uint64_t at = image.address +
                  (slice * image.rows() + row) * image.rowBytes + byteInRow;
    return reinterpret_cast<uint8_t *>(
        resolveOne(w, i, lane, at, bytes, isWrite, false, range));
  }

private:
  /// Axes of one element may be left out: programs make 2D arrays of one row
  /// and read them as 1D.
  bool hasShape(const Image &image) const {
    bool isLayered = i.mode & kImageLayered;
    unsigned most = image.dimensions();
    return isLayered == (image.layers != 0) && i.mode2 <= most &&
           (i.mode2 > 2 || image.depth <= 1) &&
           (i.mode2 > 1 || image.height <= 1);
  }
  static std::string shapeOf(const Image &image) {
    return (image.layers ? "layers in " : "") +
           std::to_string(image.dimensions()) + " dimension(s)";
  }

  Warp &w;
  const Insn &i;
  CachedRange &range;
  const Image *last = nullptr;
  uint64_t lastHandle = 0;
};

} // namespace gpulto::emu::GPULTO_EMU_ISA

#endif // GPULTO_EMULATOR_EXEC_IMAGEACCESS_H
