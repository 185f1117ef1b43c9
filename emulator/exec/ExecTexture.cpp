//===- ExecTexture.cpp - tex and tld4 -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Programming Guide, "Texture Fetching". A coordinate becomes one or
// two element indices along each axis; with linear filtering the fraction that
// weighs them is rounded to 1/256, as hardware has it. The rest is more exact
// than hardware: sums are made in f64 and rounded once.
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/FloatCommon.h"
#include "emulator/exec/ImageAccess.h"

#include <algorithm>
#include <cmath>

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

/// One lane's access to one texture.
struct Sampler {
  ImageAccess &access;
  const Image &image;
  unsigned lane;
};

/// The elements that a point lies between along one axis; -1: the border.
struct Taps {
  int64_t index[2] = {0, 0};
  double fraction = 0; ///< Weight of the second.
};

/// Where x lies among the n elements of an axis, in elements. Wrapping and
/// mirroring are done on normalized coordinates, as the guide has it; the
/// product is one of f32.
double positionOf(float x, uint32_t n, const Image &image, AddressMode mode) {
  constexpr double kFar = 1e9; // Beyond every image, within an int.
  if (x != x)
    return 0;
  double v = x;
  if (image.normalizedCoordinates) {
    double whole = std::floor(v);
    if (mode == AddressMode::Wrap || mode == AddressMode::Mirror) {
      if (std::isinf(v))
        return 0;
      bool isOdd = mode == AddressMode::Mirror && std::fmod(whole, 2) != 0;
      v = isOdd ? 1 - (v - whole) : v - whole;
    }
    v = static_cast<float>(v * n);
  }
  return std::clamp(v, -kFar, kFar);
}

/// Brings an index into the image; -1 when it is the border.
int64_t bringInside(int64_t i, uint32_t n, AddressMode mode) {
  int64_t size = n;
  if (i >= 0 && i < size)
    return i;
  switch (mode) {
  case AddressMode::Border:
    return -1;
  case AddressMode::Clamp:
    return i < 0 ? 0 : size - 1;
  case AddressMode::Wrap:
    i %= size;
    return i < 0 ? i + size : i;
  case AddressMode::Mirror:
    i %= 2 * size;
    i = i < 0 ? i + 2 * size : i;
    return i < size ? i : 2 * size - 1 - i;
  }
  return -1;
}

AddressMode modeOf(const Image &image, unsigned axis) {
  AddressMode mode = image.addressModes[axis];
  bool repeats = mode == AddressMode::Wrap || mode == AddressMode::Mirror;
  return repeats && !image.normalizedCoordinates ? AddressMode::Clamp : mode;
}

Taps tapsOf(float x, uint32_t n, const Image &image, unsigned axis,
            bool filters) {
  AddressMode mode = modeOf(image, axis);
  double at = positionOf(x, n, image, mode);
  if (filters)
    at -= 0.5;
  double whole = std::floor(at);
  int64_t i = static_cast<int64_t>(whole);
  Taps t;
  t.index[0] = bringInside(i, n, mode);
  if (filters) {
    t.index[1] = bringInside(i + 1, n, mode);
    t.fraction = std::floor((at - whole) * 256 + 0.5) / 256;
  }
  return t;
}

/// Linear intensity of an 8-bit sRGB channel (IEC 61966-2-1).
float fromSrgb(float v) {
  return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}

uint16_t load16(const uint8_t *from) {
  uint16_t v;
  std::memcpy(&v, from, 2);
  return v;
}

/// The register's bits for one channel of an element.
uint32_t channelBits(const Image &image, const uint8_t *from,
                     unsigned channel) {
  unsigned bytes = image.channelBytes;
  from += channel * bytes;
  uint32_t raw = *from;
  if (bytes == 4) // Of constant sizes, which need no call.
    std::memcpy(&raw, from, 4);
  else if (bytes == 2)
    raw = load16(from);
  if (image.kind == ChannelKind::Float)
    return bytes == 2 ? bitCast<uint32_t>(
                            HalfFormat::decode(static_cast<uint16_t>(raw)))
                      : raw;
  bool isSigned = image.kind == ChannelKind::Signed;
  unsigned shift = 32 - 8 * bytes;
  int32_t extended = static_cast<int32_t>(raw << shift) >> shift;
  if (!image.normalizesIntegers)
    return isSigned ? static_cast<uint32_t>(extended) : raw;
  float most = static_cast<float>((1u << (8 * bytes - isSigned)) - 1);
  float v = isSigned ? std::max(static_cast<float>(extended) / most, -1.0f)
                     : static_cast<float>(raw) / most;
  if (image.isSrgb && bytes == 1 && !isSigned && channel < 3)
    v = fromSrgb(v);
  return bitCast<uint32_t>(v);
}

/// Reads an element; indices of -1 give the border. Channels that the format
/// lacks are zero. False after a fault.
bool readElement(const Sampler &s, const int64_t *index, uint64_t layer,
                 uint32_t *bits) {
  const Image &image = s.image;
  for (unsigned c = 0; c < 4; ++c)
    bits[c] = 0;
  if (index[0] < 0 || index[1] < 0 || index[2] < 0) {
    for (unsigned c = 0; c < image.channels; ++c)
      bits[c] = bitCast<uint32_t>(image.border[c]);
    return true;
  }
  uint64_t slice = image.layers ? layer : static_cast<uint64_t>(index[2]);
  const uint8_t *from = s.access.element(
      image, s.lane, static_cast<uint64_t>(index[0]) * image.elementBytes(),
      static_cast<uint64_t>(index[1]), slice, image.elementBytes(), false);
  if (!from)
    return false;
  for (unsigned c = 0; c < image.channels; ++c)
    bits[c] = channelBits(image, from, c);
  return true;
}

/// The weighted sum over the elements around a point.
bool filter(const Sampler &s, const Taps *taps, uint64_t layer,
            uint32_t *bits) {
  double sum[4] = {};
  for (unsigned corner = 0; corner < 8; ++corner) {
    double weight = 1;
    int64_t index[3];
    for (unsigned axis = 0; axis < 3; ++axis) {
      unsigned second = corner >> axis & 1;
      weight *= second ? taps[axis].fraction : 1 - taps[axis].fraction;
      index[axis] = taps[axis].index[second];
    }
    if (weight == 0)
      continue;
    uint32_t element[4];
    if (!readElement(s, index, layer, element))
      return false;
    for (unsigned c = 0; c < 4; ++c)
      sum[c] += weight * bitCast<float>(element[c]);
  }
  for (unsigned c = 0; c < 4; ++c)
    bits[c] = bitCast<uint32_t>(static_cast<float>(sum[c]));
  return true;
}

/// tld4: one channel of the elements that bilinear filtering would use,
/// counter-clockwise from the lower left.
bool gather(const Sampler &s, const Taps *taps, unsigned channel,
            uint32_t *bits) {
  constexpr unsigned kOrder[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  for (unsigned k = 0; k < 4; ++k) {
    int64_t index[3] = {taps[0].index[kOrder[k][0]],
                        taps[1].index[kOrder[k][1]], 0};
    uint32_t element[4];
    if (!readElement(s, index, 0, element))
      return false;
    bits[k] = element[channel];
  }
  return true;
}

/// Integer coordinates count elements; of linear memory, what is outside reads
/// as zero.
bool fetchByIndex(const Sampler &s, const int32_t *at, unsigned dimensions,
                  uint64_t layer, uint32_t *bits) {
  const Image &image = s.image;
  const uint32_t extent[3] = {image.width, image.rows(),
                              image.layers ? 1 : image.slices()};
  int64_t index[3] = {0, 0, 0};
  for (unsigned axis = 0; axis < dimensions; ++axis) {
    if (image.isLinear && static_cast<uint32_t>(at[axis]) >= extent[axis]) {
      for (unsigned c = 0; c < 4; ++c)
        bits[c] = 0;
      return true;
    }
    AddressMode mode = image.addressModes[axis] == AddressMode::Border
                           ? AddressMode::Border
                           : AddressMode::Clamp;
    index[axis] = bringInside(at[axis], extent[axis], mode);
  }
  return readElement(s, index, layer, bits);
}

/// \p bits of the point whose coordinates \p raw holds, a layer first.
bool sample(const Sampler &s, const Insn &i, const uint32_t *raw,
            uint32_t *bits) {
  const Image &image = s.image;
  uint64_t layer = 0;
  if (i.mode & kImageLayered)
    layer = std::min(*raw++, image.layers - 1);
  if (i.mode & kImageIntegers)
    return fetchByIndex(s, reinterpret_cast<const int32_t *>(raw), i.mode2,
                        layer, bits);
  const uint32_t extent[3] = {image.width, image.rows(),
                              image.layers ? 1 : image.slices()};
  bool gathers = i.mode & kImageGather;
  bool filters = gathers || image.filtersLinearly;
  Taps taps[3];
  for (unsigned axis = 0; axis < i.mode2; ++axis)
    taps[axis] =
        tapsOf(bitCast<float>(raw[axis]), extent[axis], image, axis, filters);
  if (gathers)
    return gather(s, taps, i.bytes, bits);
  if (filters)
    return filter(s, taps, layer, bits);
  const int64_t index[3] = {taps[0].index[0], taps[1].index[0],
                            taps[2].index[0]};
  return readElement(s, index, layer, bits);
}

void texture(Warp &w, const Insn &i, uint32_t m) {
  const Op *results = w.frame->fn->extra.data() + i.extra;
  const Op *coordinates = results + 4;
  unsigned count = i.mode2 + (i.mode & kImageLayered ? 1 : 0);
  ImageAccess access(w, i);
  const uint64_t *handles = src<uint64_t>(w, i.s[0]);
  each(m, [&](unsigned l) {
    if (w.worker->faulted)
      return;
    const Image *image = access.find(handles[l], l);
    if (!image)
      return;
    if (image->isLinear && !(i.mode & kImageIntegers)) {
      raiseFault(w, i, l, ErrorKind::IllegalInstruction,
                 "a texture of linear memory takes integer coordinates "
                 "(tex1Dfetch)");
      return;
    }
    uint32_t raw[4], bits[4];
    for (unsigned k = 0; k < count; ++k)
      raw[k] = src<uint32_t>(w, coordinates[k])[l];
    if (!sample({access, *image, l}, i, raw, bits))
      return;
    for (unsigned k = 0; k < 4; ++k)
      if (results[k] != kNoOp)
        dst<uint32_t>(w, results[k])[l] = bits[k];
  });
  if (i.d[1] != kNoOp)
    writePred(w, i.d[1], m, m);
}

} // namespace

Handler selectTexture(const InsnDesc &d) {
  return d.opcode == "tex" || d.opcode == "tld4" ? texture : Handler(nullptr);
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
