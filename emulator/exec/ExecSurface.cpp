//===- ExecSurface.cpp - suld and sust ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unformatted accesses: the first coordinate counts bytes. What lies outside is
// a fault (.trap), zero or not stored (.zero), or moved to the nearest place
// (.clamp).
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/ImageAccess.h"

#include <algorithm>

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

/// Where an access goes; see place.
struct Place {
  int64_t byteInRow = 0, row = 0, slice = 0;
};
enum class Where : uint8_t { Inside, Outside, Fault };

/// Brings the coordinates of a lane into the image by the instruction's rule.
Where place(Warp &w, const Insn &i, unsigned lane, const Image &image,
            const int32_t *raw, unsigned bytes, Place &p) {
  if (i.mode & kImageLayered)
    p.slice = *raw++;
  p.byteInRow = raw[0];
  if (i.mode2 > 1)
    p.row = raw[1];
  if (i.mode2 > 2)
    p.slice = raw[2];
  if (p.byteInRow % bytes) {
    raiseFault(w, i, lane, ErrorKind::MisalignedAddress,
               "byte " + std::to_string(p.byteInRow) +
                   " of a row of the surface is not a multiple of " +
                   std::to_string(bytes));
    return Where::Fault;
  }
  const int64_t rowBytes = int64_t(image.width) * image.elementBytes();
  const int64_t last[3] = {rowBytes - bytes, int64_t(image.rows()) - 1,
                           int64_t(image.slices()) - 1};
  int64_t *const at[3] = {&p.byteInRow, &p.row, &p.slice};
  bool isInside = last[0] >= 0;
  for (unsigned k = 0; k < 3; ++k)
    isInside &= *at[k] >= 0 && *at[k] <= last[k];
  if (isInside)
    return Where::Inside;
  if (i.mode & kImageClamp && last[0] >= 0) {
    for (unsigned k = 0; k < 3; ++k)
      *at[k] = std::clamp<int64_t>(*at[k], 0, last[k]);
    p.byteInRow -= p.byteInRow % bytes;
    return Where::Inside;
  }
  if (i.mode & kImageZero)
    return Where::Outside;
  raiseFault(w, i, lane, ErrorKind::IllegalAddress,
             "byte " + std::to_string(p.byteInRow) + ", row " +
                 std::to_string(p.row) + ", slice " + std::to_string(p.slice) +
                 " is outside of the surface, which has " +
                 std::to_string(rowBytes) + " bytes, " +
                 std::to_string(image.rows()) + " rows and " +
                 std::to_string(image.slices()) + " slices");
  return Where::Fault;
}

/// Moves Insn::vec elements of type T between memory and registers of type R.
template <class T, class R> void surface(Warp &w, const Insn &i, uint32_t m) {
  const Op *elements = w.frame->fn->extra.data() + i.extra;
  const Op *coordinates = elements + i.vec;
  unsigned count = i.mode2 + (i.mode & kImageLayered ? 1 : 0);
  bool isStore = i.flags & kIsStore;
  unsigned bytes = i.vec * sizeof(T);
  ImageAccess access(w, i);
  const uint64_t *handles = src<uint64_t>(w, i.s[0]);
  each(m, [&](unsigned l) {
    if (w.worker->faulted)
      return;
    const Image *image = access.find(handles[l], l);
    if (!image)
      return;
    int32_t raw[4];
    for (unsigned k = 0; k < count; ++k)
      raw[k] = src<int32_t>(w, coordinates[k])[l];
    Place p;
    Where where = place(w, i, l, *image, raw, bytes, p);
    if (where == Where::Fault || (where == Where::Outside && isStore))
      return;
    uint8_t *memory = nullptr;
    if (where == Where::Inside) {
      memory = access.element(*image, l, static_cast<uint64_t>(p.byteInRow),
                              static_cast<uint64_t>(p.row),
                              static_cast<uint64_t>(p.slice), bytes, isStore);
      if (!memory)
        return;
    }
    for (unsigned k = 0; k < i.vec; ++k) {
      T t = 0;
      if (isStore) {
        t = static_cast<T>(src<R>(w, elements[k])[l]);
        std::memcpy(memory + k * sizeof(T), &t, sizeof(T));
        continue;
      }
      if (memory)
        std::memcpy(&t, memory + k * sizeof(T), sizeof(T));
      if (elements[k] != kNoOp)
        dst<R>(w, elements[k])[l] = t;
    }
  });
}

template <class T> Handler surfaceFor(unsigned registerBytes) {
  return forWidth(registerBytes, [](auto r) -> Handler {
    if constexpr (sizeof(r) >= sizeof(T))
      return surface<T, decltype(r)>;
    return nullptr;
  });
}

} // namespace

Handler selectSurface(const InsnDesc &d) {
  if (d.opcode != "suld" && d.opcode != "sust")
    return nullptr;
  switch (sizeOf(d.type())) {
  case 1:
    return surfaceFor<uint8_t>(d.destBytes);
  case 2:
    return surfaceFor<uint16_t>(d.destBytes);
  case 4:
    return surfaceFor<uint32_t>(d.destBytes);
  case 8:
    return surfaceFor<uint64_t>(d.destBytes);
  default:
    return nullptr;
  }
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
