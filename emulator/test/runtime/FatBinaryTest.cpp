//===- FatBinaryTest.cpp - Reading device images, good and damaged --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/FatBinary.h"

#include <cstring>
#include <gtest/gtest.h>
#include <lz4.h>
#include <random>
#include <zstd.h>

using namespace gpulto::emu;

namespace {

enum class Packing { None, Zstd, Lz4 };

struct EntrySpec {
  uint16_t kind = 1;
  unsigned arch = 90;
  Packing packing = Packing::None;
  std::string text;
  uint64_t flags = 0;
  bool compileOnly = false;
};

template <typename T>
void put(std::vector<uint8_t> &bytes, size_t offset, T value) {
  if (bytes.size() < offset + sizeof(T))
    bytes.resize(offset + sizeof(T));
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

std::string pack(const EntrySpec &spec) {
  if (spec.packing == Packing::None)
    return spec.text;
  std::string out(ZSTD_compressBound(spec.text.size()) + 64, '\0');
  size_t size = spec.packing == Packing::Zstd
                    ? ZSTD_compress(out.data(), out.size(), spec.text.data(),
                                    spec.text.size(), 3)
                    : LZ4_compress_default(spec.text.data(), out.data(),
                                           spec.text.size(), out.size());
  out.resize(size);
  return out;
}

std::vector<uint8_t> makeEntry(const EntrySpec &spec) {
  std::string payload = pack(spec);
  size_t packedBytes = payload.size();
  payload.resize((payload.size() + 8) / 8 * 8);
  std::vector<uint8_t> bytes(spec.compileOnly ? 96 : 80);
  put<uint16_t>(bytes, 0, spec.kind);
  put<uint16_t>(bytes, 2, 0x101);
  put<uint32_t>(bytes, 4, bytes.size());
  put<uint64_t>(bytes, 8, payload.size());
  put<uint32_t>(bytes, 16, spec.packing == Packing::None ? 0 : packedBytes);
  put<uint32_t>(bytes, 20, 64);
  put<uint32_t>(bytes, 28, spec.arch);
  uint64_t packingFlag = spec.packing == Packing::Zstd  ? 0x8000
                         : spec.packing == Packing::Lz4 ? 0x2000
                                                        : 0;
  put<uint64_t>(bytes, 40, 0x11 | packingFlag | spec.flags);
  put<uint64_t>(bytes, 56,
                spec.packing == Packing::None ? 0 : spec.text.size());
  put<uint32_t>(bytes, 64, 72);
  put<uint32_t>(bytes, 68, spec.compileOnly ? 16 : 0);
  if (spec.compileOnly)
    std::memcpy(bytes.data() + 72, "--compile-only  ", 16);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

std::vector<uint8_t> makeContainer(const std::vector<EntrySpec> &specs) {
  std::vector<uint8_t> bytes(16);
  for (const EntrySpec &spec : specs) {
    std::vector<uint8_t> entry = makeEntry(spec);
    bytes.insert(bytes.end(), entry.begin(), entry.end());
  }
  put<uint32_t>(bytes, 0, 0xba55ed50);
  put<uint16_t>(bytes, 4, 1);
  put<uint16_t>(bytes, 6, 16);
  put<uint64_t>(bytes, 8, bytes.size() - 16);
  return bytes;
}

std::string ptx(const std::string &target) {
  std::string text = ".version 8.5\n.target " + target + "\n";
  for (int i = 0; i < 50; ++i)
    text += "// padding that compresses\n";
  return text;
}

TEST(FatBinary, ReadsEveryPacking) {
  for (Packing packing : {Packing::None, Packing::Zstd, Packing::Lz4}) {
    DeviceImages images;
    EntrySpec spec{1, 90, packing, ptx("sm_90"), 0, false};
    EXPECT_EQ(readContainer(makeContainer({spec}), images), "");
    ASSERT_EQ(images.images.size(), 1u);
    EXPECT_EQ(images.images[0].text, spec.text);
    EXPECT_EQ(images.images[0].arch, 90u);
    EXPECT_FALSE(images.images[0].isRelocatable);
  }
}

TEST(FatBinary, NoticesRelocatableCode) {
  DeviceImages images;
  EntrySpec spec{1, 90, Packing::Zstd, ptx("sm_90"), 0, true};
  EXPECT_EQ(readContainer(makeContainer({spec}), images), "");
  EXPECT_TRUE(images.images.at(0).isRelocatable);
}

TEST(FatBinary, SelectsTheNewestThatFits) {
  DeviceImages images;
  EXPECT_EQ(readContainer(
                makeContainer(
                    {{2, 90, Packing::None,
                      "\x7f"
                      "ELF",
                      0, false},
                     {1, 75, Packing::None, ptx("sm_75"), 0, false},
                     {1, 90, Packing::Zstd, ptx("sm_90a"), 0x100000, false},
                     {1, 80, Packing::None, ptx("sm_80"), 0, false},
                     {1, 100, Packing::None, ptx("sm_100f"), 0x200000, false}}),
                images),
            "");
  EXPECT_EQ(selectImages(images, 90), std::vector<size_t>{2});
  EXPECT_EQ(selectImages(images, 89), std::vector<size_t>{3});
  EXPECT_EQ(selectImages(images, 75), std::vector<size_t>{1});
  EXPECT_EQ(selectImages(images, 103), std::vector<size_t>{4});
  EXPECT_EQ(selectImages(images, 120), std::vector<size_t>{3});
  EXPECT_TRUE(selectImages(images, 70).empty());
}

// CUDA C++ Programming Guide 13.0, "Feature Set Compiler Targets": an `a`
// target is for one device, an `f` one for later devices of its family, too.
TEST(FatBinary, TargetsOfOneDeviceOrFamily) {
  struct Try {
    unsigned arch;
    ArchScope scope;
    std::vector<unsigned> devices;
  };
  const std::vector<unsigned> all{90, 100, 101, 103, 110, 120, 121};
  for (const Try &t : {
           Try{90, ArchScope::Exact, {90}},
           Try{100, ArchScope::Exact, {100}},
           Try{103, ArchScope::Exact, {103}},
           Try{120, ArchScope::Exact, {120}},
           Try{100, ArchScope::Family, {100, 103}},
           Try{101, ArchScope::Family, {101, 110}},
           Try{103, ArchScope::Family, {103}},
           Try{110, ArchScope::Family, {110}},
           Try{120, ArchScope::Family, {120, 121}},
           Try{121, ArchScope::Family, {121}},
           Try{90, ArchScope::Forward, all},
           Try{110, ArchScope::Forward, {110, 120, 121}},
       }) {
    DeviceImage image;
    image.kind = ImageKind::Ptx;
    image.arch = t.arch;
    image.scope = t.scope;
    std::vector<unsigned> fit;
    for (unsigned device : all)
      if (fitsDevice(image, device))
        fit.push_back(device);
    EXPECT_EQ(fit, t.devices) << t.arch;
  }
}

TEST(FatBinary, SelectsAllUnitsOfOneArchitecture) {
  DeviceImages images;
  std::string a = ptx("sm_90") + "// a", b = ptx("sm_90") + "// b";
  EXPECT_EQ(readContainer(makeContainer({{1, 90, Packing::None, a, 0, true},
                                         {1, 90, Packing::None, b, 0, true},
                                         {1, 90, Packing::None, a, 0, true}}),
                          images),
            "");
  // The same text twice is one unit.
  EXPECT_EQ(selectImages(images, 90), (std::vector<size_t>{0, 1}));
}

TEST(FatBinary, ExplainsWhatToDo) {
  DeviceImages images;
  EXPECT_EQ(
      readContainer(makeContainer({{2, 90, Packing::None, "cubin", 0, false}}),
                    images),
      "");
  EXPECT_NE(explainNoImage(images, 90).find("no PTX"), std::string::npos);
  DeviceImages newer;
  EXPECT_EQ(readContainer(makeContainer({{1, 100, Packing::None, ptx("sm_100"),
                                          0, false}}),
                          newer),
            "");
  EXPECT_NE(explainNoImage(newer, 90).find("--arch=100"), std::string::npos);
  DeviceImages exact;
  EXPECT_EQ(readContainer(makeContainer({{1, 100, Packing::None, ptx("sm_100a"),
                                          0x100000, false}}),
                          exact),
            "");
  EXPECT_NE(explainNoImage(exact, 103).find("PTX is for sm_100a, which"),
            std::string::npos);
}

TEST(FatBinary, RefusesEveryTruncation) {
  std::vector<uint8_t> whole =
      makeContainer({{1, 90, Packing::Zstd, ptx("sm_90"), 0, true},
                     {1, 80, Packing::Lz4, ptx("sm_80"), 0, false}});
  for (size_t size = 0; size < whole.size(); ++size) {
    DeviceImages images;
    std::vector<uint8_t> part(whole.begin(), whole.begin() + size);
    EXPECT_NE(readContainer(part, images), "") << size;
  }
}

TEST(FatBinary, RefusesHeadersThatLie) {
  auto damaged = [](size_t offset, auto value) {
    std::vector<uint8_t> bytes =
        makeContainer({{1, 90, Packing::Zstd, ptx("sm_90"), 0, true}});
    put(bytes, offset, value);
    DeviceImages images;
    return readContainer(bytes, images);
  };
  EXPECT_NE(damaged(0, uint32_t(0)), "");             // magic
  EXPECT_NE(damaged(6, uint16_t(8)), "");             // header size
  EXPECT_NE(damaged(8, ~uint64_t(0)), "");            // container size
  EXPECT_NE(damaged(16 + 4, uint32_t(8)), "");        // entry header size
  EXPECT_NE(damaged(16 + 8, ~uint64_t(0) - 90), "");  // payload size
  EXPECT_NE(damaged(16 + 16, uint32_t(1) << 20), ""); // compressed size
  EXPECT_NE(damaged(16 + 56, uint64_t(1) << 60), ""); // decompressed size
  EXPECT_NE(damaged(16 + 56, uint64_t(0)), "");
  EXPECT_NE(damaged(16 + 56, uint64_t(10)), "");
}

TEST(FatBinary, SurvivesRandomDamage) {
  std::vector<uint8_t> whole =
      makeContainer({{1, 90, Packing::Zstd, ptx("sm_90"), 0, true},
                     {2, 90, Packing::None, "cubin", 0, false},
                     {1, 80, Packing::Lz4, ptx("sm_80"), 0, false}});
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    std::vector<uint8_t> bytes = whole;
    for (unsigned i = 0; i < 1 + random() % 4; ++i)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    DeviceImages images;
    if (!readContainer(bytes, images).empty())
      continue;
    for (size_t index : selectImages(images, 90)) {
      EXPECT_LT(index, images.images.size());
      EXPECT_TRUE(fitsDevice(images.images[index], 90));
    }
  }
}

} // namespace
