//===- DeviceImageTest.cpp - Fatbinary containers -------------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fatobj/DeviceImage.h"

#include "test/unit/fatobj/Fixture.h"

#include "llvm/ADT/StringExtras.h"

using namespace gpulto;
using namespace gpulto::test;

namespace {

DeviceArch arch(const char *name) {
  llvm::Expected<DeviceArch> parsed = parseArch(name);
  EXPECT_TRUE(bool(parsed));
  return parsed ? *parsed : DeviceArch();
}

std::string ptxFor(const DeviceArch &arch, const char *version = "8.8") {
  std::string text = std::string(".version ") + version + "\n.target " +
                     arch.realName() + "\n.address_size 64\n";
  for (int i = 0; i < 40; ++i)
    text += ".visible .entry kernel" + std::to_string(i) +
            "(.param .u64 p) { ret; }\n";
  return text;
}

DeviceImage ptxImage(const char *name, const char *version = "8.8") {
  DeviceImage image;
  image.kind = DeviceImage::Kind::Ptx;
  image.arch = arch(name);
  image.bytes = ptxFor(image.arch, version);
  return image;
}

constexpr ImageCompression kAll[] = {
    ImageCompression::None, ImageCompression::Lz4, ImageCompression::Zstd,
    ImageCompression::ZstdAll};

/// NVIDIA's tools, where they are.
std::vector<std::string> cudaDirectories() {
  std::vector<std::string> result;
  if (const char *path = std::getenv("CUDA_PATH"))
    result.push_back(std::string(path) + "/bin");
  result.push_back("/usr/local/cuda/bin");
  return result;
}

std::optional<std::string> cudaTool(const char *name) {
  llvm::Expected<std::string> found = findProgram(name, cudaDirectories());
  if (found)
    return *found;
  llvm::consumeError(found.takeError());
  return std::nullopt;
}

} // namespace

TEST(DeviceArch, NamesRoundTrip) {
  for (const char *name :
       {"sm_75", "sm_90a", "compute_90", "sm_100f", "compute_120a", "sm_121"})
    EXPECT_EQ(arch(name).name(), name);
  DeviceArch hopper = arch("compute_90a");
  EXPECT_EQ(hopper.number, 90u);
  EXPECT_EQ(hopper.suffix, 'a');
  EXPECT_TRUE(hopper.isVirtual);
  EXPECT_EQ(hopper.realName(), "sm_90a");
  EXPECT_EQ(hopper.digits(), "90a");
  EXPECT_EQ(arch("sm_103").major(), 10u);
  EXPECT_EQ(arch("sm_103").minor(), 3u);
  for (const char *bad :
       {"", "sm_", "sm_9", "90", "sm_90b", "sm_9o", "compute_", "sm_-90",
        "sm_090", "sm_99999999999", "gfx90a", "sm_90aa"})
    EXPECT_NE(messageOf(parseArch(bad)), "success") << bad;
}

TEST(DeviceArch, OrderIsNumeric) {
  EXPECT_TRUE(archNameLess("sm_90", "sm_100"));
  EXPECT_FALSE(archNameLess("sm_100", "sm_90"));
  EXPECT_TRUE(archNameLess("sm_90", "sm_90a"));
  EXPECT_TRUE(archNameLess("sm_120", "other"));
  EXPECT_FALSE(archNameLess("sm_90", "sm_90"));
}

TEST(Fatbinary, RoundTrips) {
  DeviceImage named = ptxImage("compute_90");
  named.name = "kernels.cu";
  named.options = "-O3 -lineinfo";
  std::vector<DeviceImage> images = {named, ptxImage("compute_100f")};
  for (ImageCompression compression : kAll) {
    ASSERT_VALUE(bytes, writeFatbinary(images, compression));
    EXPECT_EQ(bytes.size() % 8, 0u);
    ASSERT_VALUE(back, readFatbinary(bytes, InputLocation("f")));
    ASSERT_EQ(back.size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(back[i].kind, images[i].kind);
      EXPECT_EQ(back[i].arch, images[i].arch);
      EXPECT_EQ(back[i].bytes, images[i].bytes);
      EXPECT_EQ(back[i].name, images[i].name);
      EXPECT_EQ(back[i].options, images[i].options);
    }
    ASSERT_VALUE(again, writeFatbinary(images, compression, /*threads=*/2));
    EXPECT_EQ(bytes, again);
  }
}

TEST(Fatbinary, ReadsSeveralContainers) {
  ASSERT_VALUE(one, writeFatbinary({ptxImage("compute_90")}));
  ASSERT_VALUE(two, writeFatbinary({ptxImage("compute_100")}));
  ASSERT_VALUE(back, readFatbinary(one + std::string(16, '\0') + two +
                                       std::string(8, '\0'),
                                   InputLocation("f")));
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[1].arch.number, 100u);
}

TEST(Fatbinary, RefusesAmbiguousAndEmptyImages) {
  EXPECT_NE(messageOf(writeFatbinary(
                {ptxImage("compute_90"), ptxImage("compute_90")})),
            "success");
  EXPECT_OK(writeFatbinary({ptxImage("compute_90"), ptxImage("compute_90a")}));
  DeviceImage empty = ptxImage("compute_90");
  empty.bytes.clear();
  EXPECT_NE(messageOf(writeFatbinary({empty})), "success");
  DeviceImage noVersion = ptxImage("compute_90");
  noVersion.bytes = "// nothing";
  EXPECT_NE(messageOf(writeFatbinary({noVersion})), "success");
  DeviceImage noElf = ptxImage("sm_90");
  noElf.kind = DeviceImage::Kind::Cubin;
  EXPECT_NE(messageOf(writeFatbinary({noElf})), "success");
}

TEST(Fatbinary, TruncationAndDamageAreErrors) {
  for (ImageCompression compression : kAll) {
    DeviceImage image = ptxImage("compute_90");
    image.name = "n";
    ASSERT_VALUE(bytes, writeFatbinary({image}, compression));
    for (size_t size = 0; size < bytes.size(); ++size) {
      std::unique_ptr<char[]> copy(new char[size]);
      std::copy_n(bytes.begin(), size, copy.get());
      EXPECT_NE(messageOf(readFatbinary(llvm::StringRef(copy.get(), size),
                                        InputLocation("f"))),
                "success")
          << size;
    }
    for (size_t place = 0; place < bytes.size(); ++place)
      for (char flip : {'\x01', '\x40', '\xff'}) {
        std::string damaged = bytes;
        damaged[place] ^= flip;
        auto read = readFatbinary(damaged, InputLocation("f"));
        llvm::consumeError(read.takeError());
      }
  }
}

// The container has no published description: this is what keeps ours equal.
TEST(Fatbinary, BytesEqualNvidias) {
  std::optional<std::string> fatbinary = cudaTool("fatbinary");
  std::optional<std::string> ptxas = cudaTool("ptxas");
  if (!fatbinary || !ptxas)
    GTEST_SKIP() << "no CUDA toolkit";
  ASSERT_VALUE(directory, TempDir::create("gpulto-test"));
  struct Setting {
    ImageCompression ours;
    std::vector<std::string> theirs;
  };
  const Setting settings[] = {
      {ImageCompression::None, {"--compress-mode=none"}},
      {ImageCompression::Zstd, {}},
      {ImageCompression::ZstdAll, {"--compress-all"}},
      {ImageCompression::Lz4, {"--compress-mode=speed"}}};
  for (const char *name : {"75", "90", "90a", "100", "100f", "103a", "120"}) {
    DeviceImage ptx = ptxImage(("compute_" + std::string(name)).c_str());
    ptx.name = "kernels.cu";
    ptx.options = "-v -O2";
    std::string ptxFile = directory.file("k.ptx");
    std::string cubinFile = directory.file("k.cubin");
    ASSERT_OK(writeFileAtomically(ptxFile, ptx.bytes));
    ASSERT_OK(runProcess(
        *ptxas, {"-arch=" + ptx.arch.realName(), ptxFile, "-o", cubinFile}));
    DeviceImage cubin = ptx;
    cubin.kind = DeviceImage::Kind::Cubin;
    cubin.arch.isVirtual = false;
    cubin.bytes = readFile(cubinFile);
    for (const Setting &setting : settings) {
      std::string out = directory.file("k.fatbin");
      std::vector<std::string> args = {"-64", "--ident=kernels.cu",
                                       "--cmdline=-v -O2", "--create=" + out};
      std::string sm = ",sm=" + ptx.arch.digits() + ",file=";
      args.push_back("--image3=kind=ptx" + sm + ptxFile);
      args.push_back("--image3=kind=elf" + sm + cubinFile);
      args.insert(args.end(), setting.theirs.begin(), setting.theirs.end());
      ASSERT_OK(runProcess(*fatbinary, args));
      std::string theirs = readFile(out);
      ASSERT_VALUE(read, readFatbinary(theirs, InputLocation("theirs")));
      ASSERT_EQ(read.size(), 2u);
      EXPECT_EQ(read[0].bytes, ptx.bytes);
      EXPECT_EQ(read[0].arch, ptx.arch);
      EXPECT_EQ(read[0].name, ptx.name);
      EXPECT_EQ(read[0].options, ptx.options);
      // Stored as it is, it is padded, if ptxas has not done so: 13.5's does
      // not from sm_100 on.
      std::string stored = cubin.bytes;
      if (setting.ours != ImageCompression::ZstdAll)
        stored.resize(llvm::alignTo(stored.size(), 8));
      EXPECT_EQ(read[1].bytes, stored);
      EXPECT_EQ(read[1].arch, cubin.arch);
      ASSERT_VALUE(ours, writeFatbinary({ptx, cubin}, setting.ours));
      // Another release of a compressor may find other, equal, encodings.
      if (setting.ours == ImageCompression::None)
        EXPECT_EQ(llvm::toHex(ours), llvm::toHex(theirs)) << name;
      else
        EXPECT_NEAR(double(ours.size()), double(theirs.size()),
                    double(theirs.size()) * 0.05)
            << name;
    }
  }
}

// nvlink opens what we write, compressed or not.
TEST(Fatbinary, NvlinkAccepts) {
  std::optional<std::string> nvlink = cudaTool("nvlink");
  std::optional<std::string> ptxas = cudaTool("ptxas");
  if (!nvlink || !ptxas)
    GTEST_SKIP() << "no CUDA toolkit";
  ASSERT_VALUE(directory, TempDir::create("gpulto-test"));
  // Relocatable, or nvlink leaves it out.
  DeviceImage cubin = ptxImage("sm_90");
  ASSERT_OK(writeFileAtomically(directory.file("k.ptx"), cubin.bytes));
  ASSERT_OK(runProcess(*ptxas, {"-arch=sm_90", "-c", directory.file("k.ptx"),
                                "-o", directory.file("k.cubin")}));
  cubin.kind = DeviceImage::Kind::Cubin;
  cubin.bytes = readFile(directory.file("k.cubin"));
  for (ImageCompression compression : kAll)
    for (bool embedPtx : {false, true}) {
      std::vector<DeviceImage> images = {embedPtx ? ptxImage("compute_90")
                                                  : cubin};
      ASSERT_VALUE(bytes, writeFatbinary(images, compression));
      ASSERT_OK(writeFileAtomically(directory.file("k.fatbin"), bytes));
      ASSERT_OK(runProcess(*nvlink, {"-arch=sm_90", directory.file("k.fatbin"),
                                     "-o", directory.file("linked.cubin")}));
      std::string linked = readFile(directory.file("linked.cubin"));
      EXPECT_TRUE(llvm::StringRef(linked).contains("kernel39"));
    }
}
