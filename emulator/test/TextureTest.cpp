//===- TextureTest.cpp - tex, tld4, suld, sust ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/test/EmuTest.h"

namespace gpulto::emu::test {
namespace {

class TextureTest : public EmuTest {
protected:
  /// Runs \p body with the image's handle in %t, the output in %p, the thread's
  /// number in %i and a quarter of it in %x; returns a word of each thread.
  std::vector<uint32_t> run(const std::string &body, uint64_t handle,
                            uint32_t threads, Status &status) {
    auto module =
        load(kHeader +
             ".visible .entry k(.param .u64 t, .param .u64 p) {\n"
             "  .reg .b64 %t, %p, %d; .reg .b32 %i, %x, %y, %r<8>;\n"
             "  .reg .b16 %h<4>; .reg .pred %q;\n"
             "  ld.param.u64 %t, [t]; ld.param.u64 %p, [p];\n"
             "  mov.u32 %i, %tid.x; mad.wide.u32 %p, %i, 4, %p;\n"
             "  cvt.rn.f32.u32 %x, %i; mul.f32 %x, %x, 0f3E800000;\n" +
             body + "\n  st.global.u32 [%p], %r0; ret;\n}\n");
    if (!module)
      return {};
    uint64_t out = alloc(threads * 4);
    status = launch(*module, "k", blocks(1, threads), handle, out);
    return download<uint32_t>(out, threads);
  }
  std::vector<float> floats(const std::string &body, const Image &image,
                            uint32_t threads = 40) {
    Status status;
    auto bits = run(body, device->addImage(image), threads, status);
    EXPECT_TRUE(status.ok()) << status.text;
    std::vector<float> values;
    for (uint32_t b : bits)
      values.push_back(std::bit_cast<float>(b));
    return values;
  }
  template <class T>
  Image image(const std::vector<T> &elements, uint32_t width,
              uint32_t height = 0) {
    Image i;
    i.address = upload(elements);
    i.width = width;
    i.height = height;
    i.rowBytes = width * sizeof(T);
    i.channelBytes = sizeof(T);
    i.addressModes.fill(AddressMode::Clamp);
    return i;
  }
};

const char *const kRead1D =
    "tex.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%x}];";

TEST_F(TextureTest, PointsAndLines) {
  Image i = image<float>({10, 20, 40}, 3);
  auto v = floats(kRead1D, i);
  for (unsigned k = 0; k < v.size(); ++k)
    EXPECT_EQ(v[k], k < 4 ? 10 : k < 8 ? 20 : 40) << k;
  i.filtersLinearly = true;
  v = floats(kRead1D, i);
  for (unsigned k = 0; k < v.size(); ++k) {
    float x = k * 0.25f - 0.5f;
    float want = x < 0   ? 10
                 : x < 1 ? 10 + 10 * x
                 : x < 2 ? 20 + 20 * (x - 1)
                         : 40;
    EXPECT_EQ(v[k], want) << k;
  }
}

/// What does not take part has no weight, so an infinity there is not seen.
TEST_F(TextureTest, WeightZero) {
  Image i = image<float>({1, INFINITY, 3}, 3);
  i.filtersLinearly = true;
  auto v = floats(kRead1D, i, 12);
  EXPECT_EQ(v[2], 1);
  EXPECT_EQ(v[3], INFINITY);
  EXPECT_EQ(v[10], 3);
}

TEST_F(TextureTest, CoordinatesThatAreNoNumbers) {
  Image i = image<float>({1, 2}, 2);
  std::string read = "tex.1d.v4.f32.f32 {%r0, _, _, _}, [%t, {%x}];";
  EXPECT_EQ(floats("mov.b32 %x, 0x7fc00000;" + read, i, 1)[0], 1);
  EXPECT_EQ(floats("mov.b32 %x, 0x7f800000;" + read, i, 1)[0], 2);
  EXPECT_EQ(floats("mov.b32 %x, 0xff800000;" + read, i, 1)[0], 1);
  i.normalizedCoordinates = true;
  i.addressModes[0] = AddressMode::Wrap;
  EXPECT_EQ(floats("mov.b32 %x, 0x7f800000;" + read, i, 1)[0], 1);
}

TEST_F(TextureTest, NormalizedIntegersAndSrgb) {
  Image i = image<uint8_t>({0, 51, 255, 128}, 4);
  i.kind = ChannelKind::Unsigned;
  auto raw = floats("tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%i}];"
                    "cvt.rn.f32.u32 %r0, %r0;",
                    i, 4);
  EXPECT_EQ(raw, (std::vector<float>{0, 51, 255, 128}));
  i.normalizesIntegers = true;
  std::string read = "tex.1d.v4.f32.s32 {%r0, %r1, %r2, %r3}, [%t, {%i}];";
  EXPECT_EQ(floats(read, i, 4),
            (std::vector<float>{0, 51 / 255.0f, 1, 128 / 255.0f}));
  i.isSrgb = true;
  auto v = floats(read, i, 4);
  EXPECT_EQ(v[2], 1);
  EXPECT_NEAR(v[3], std::pow((128 / 255.0 + 0.055) / 1.055, 2.4), 1e-6);
}

TEST_F(TextureTest, GatherAndResidency) {
  Image i = image<float>({1, 2, 3, 4, 5, 6}, 3, 2);
  std::string code = "mov.b32 %y, 0f3F800000; add.f32 %x, %x, %y;"
                     "tld4.r.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%t, {%x, "
                     "%y}]; mov.b32 %r0, %r";
  const float want[] = {4, 5, 2, 1}; // Counter-clockwise from (0, 1).
  for (int k = 0; k < 4; ++k)
    EXPECT_EQ(floats(code + std::to_string(k + 1) + ";", i, 1)[0], want[k]);
  auto v = floats("tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}|%q, [%t, {%x, %x}];"
                  "selp.b32 %r0, %r1, 0, %q;",
                  i, 4);
  EXPECT_EQ(v[3], 1);
}

TEST_F(TextureTest, SurfaceOfEveryWidth) {
  Image i = image<uint32_t>(std::vector<uint32_t>(64), 16, 4);
  i.isSurface = true;
  Status status;
  uint64_t handle = device->addImage(i);
  auto v = run(R"(
  shl.b32 %r1, %i, 1; cvt.u16.u32 %h0, %r1;
  sust.b.2d.b16.trap [%t, {%r1, 1}], {%h0};
  bar.sync 0;
  suld.b.2d.b8.zero {%h1}, [%t, {%r1, 1}]; cvt.u32.u16 %r0, %h1;
  suld.b.2d.b8.zero {%h1}, [%t, {-1, 1}]; cvt.u32.u16 %r2, %h1;
  add.u32 %r0, %r0, %r2;)",
               handle, 32, status);
  ASSERT_TRUE(status.ok()) << status.text;
  for (uint32_t k = 0; k < 32; ++k)
    EXPECT_EQ(v[k], 2 * k);
}

TEST_F(TextureTest, Faults) {
  Image i = image<float>({1, 2}, 2);
  uint64_t texture = device->addImage(i);
  auto fault = [&](const std::string &code, uint64_t handle,
                   const std::string &text) {
    Status status;
    run(code, handle, 4, status);
    EXPECT_NE(status.text.find(text), std::string::npos) << status.text;
    device->resetSticky();
  };
  fault(kRead1D, 0, "handle 0 is not one of a texture object");
  fault("suld.b.1d.b32.trap {%r0}, [%t, {0}];", texture,
        "is not one of a surface object");
  fault("tex.2d.v4.f32.f32 {%r0, _, _, _}, [%t, {%x, %x}];", texture,
        "access to an image of 1 dimension");
  fault("tex.a1d.v4.f32.f32 {%r0, _, _, _}, [%t, {%i, %x}];", texture,
        "access to an image of 1 dimension");
  Image linear = i;
  linear.isLinear = true;
  fault(kRead1D, device->addImage(linear), "takes integer coordinates");
  i.isSurface = true;
  uint64_t surface = device->addImage(i);
  fault("suld.b.1d.b32.trap {%r0}, [%t, {2}];", surface, "not a multiple of 4");
  fault("suld.b.1d.b32.trap {%r0}, [%t, {8}];", surface,
        "outside of the surface");
  fault("tex.cube.v4.f32.f32 {%r0, _, _, _}, [%t, {%x, %x, %x, %x}];", texture,
        "not implemented: tex.cube");
  ASSERT_TRUE(device->free(i.address, AllocationKind::Device).ok());
  fault(kRead1D, texture, "freed");
  device->removeImage(texture);
  fault(kRead1D, texture, "is not one of a texture object");
}

} // namespace
} // namespace gpulto::emu::test
