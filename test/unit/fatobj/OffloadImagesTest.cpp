//===- OffloadImagesTest.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "fatobj/OffloadImages.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>
#include <string>

using namespace gpulto;
using namespace llvm::object;

static std::string binaryFor(llvm::StringRef arch, llvm::StringRef bytes,
                             ImageKind kind = IMG_Bitcode) {
  OffloadBinary::OffloadingImage image;
  image.TheImageKind = kind;
  image.TheOffloadKind = OFK_Cuda;
  image.Flags = 0;
  image.StringData["triple"] = "nvptx64-nvidia-cuda";
  image.StringData["arch"] = arch;
  image.Image = llvm::MemoryBuffer::getMemBufferCopy(bytes);
  return std::string(OffloadBinary::write(image));
}

TEST(OffloadImagesTest, ReadsWhatLlvmWrites) {
  std::string section = binaryFor("sm_80", "first") +
                        std::string(8, '\0') + // as ld -r pads
                        binaryFor("sm_90a", "second one", IMG_Cubin);
  auto images = readOffloadImages(section, InputLocation("a.o"));
  ASSERT_TRUE(bool(images)) << llvm::toString(images.takeError());
  ASSERT_EQ(images->size(), 2u);
  EXPECT_EQ((*images)[0].arch, "sm_80");
  EXPECT_EQ((*images)[0].triple, "nvptx64-nvidia-cuda");
  EXPECT_EQ((*images)[0].bytes, "first");
  EXPECT_EQ((*images)[0].kind, IMG_Bitcode);
  EXPECT_EQ((*images)[0].producer, OFK_Cuda);
  EXPECT_EQ((*images)[1].arch, "sm_90a");
  EXPECT_EQ((*images)[1].bytes, "second one");
  EXPECT_EQ(nameOf((*images)[1].kind), "a cubin");
}

TEST(OffloadImagesTest, EmptyAndPaddingHoldNothing) {
  for (size_t size : {0, 3, 8, 64}) {
    auto images =
        readOffloadImages(std::string(size, '\0'), InputLocation("a.o"));
    ASSERT_TRUE(bool(images)) << llvm::toString(images.takeError());
    EXPECT_TRUE(images->empty());
  }
}

TEST(OffloadImagesTest, EveryCutIsAnError) {
  std::string whole = binaryFor("sm_90", "some bytes of bitcode");
  for (size_t size = 1; size < whole.size(); ++size) {
    auto images = readOffloadImages(llvm::StringRef(whole).take_front(size),
                                    InputLocation("a.o"));
    EXPECT_FALSE(bool(images)) << size;
    llvm::consumeError(images.takeError());
  }
}

TEST(OffloadImagesTest, NoFlippedBitLeadsOutside) {
  std::string whole = binaryFor("sm_90", "some bytes of bitcode");
  for (size_t i = 0; i < whole.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = whole;
      bad[i] ^= char(1 << bit);
      auto images = readOffloadImages(bad, InputLocation("a.o"));
      if (!images) {
        llvm::consumeError(images.takeError());
        continue;
      }
      for (const OffloadImage &image : *images)
        for (llvm::StringRef part : {image.arch, image.triple, image.bytes})
          EXPECT_TRUE(part.empty() || (part.begin() >= bad.data() &&
                                       part.end() <= bad.data() + bad.size()));
    }
}

TEST(OffloadImagesTest, OtherVersionsAreRefused) {
  std::string bad = binaryFor("sm_90", "x");
  bad[4] = 9;
  auto images =
      readOffloadImages(bad, InputLocation("a.o", "", ".llvm.offloading"));
  ASSERT_FALSE(bool(images));
  EXPECT_EQ(llvm::toString(images.takeError()),
            "a.o:(.llvm.offloading+0x0): offload binary of version 9, "
            "expected 1");
}
