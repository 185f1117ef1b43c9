//===- StampTest.cpp - The note of a link in its output -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/tables/Stamp.h"

#include "fatobj/SectionObject.h"
#include "gtest/gtest.h"
#include "test/unit/ErrorChecks.h"

using namespace gpulto;
using namespace llvm;

namespace {

constexpr uint16_t kMachine = 62; // x86-64

std::vector<Stamp> sample() {
  Stamp program = makeStamp(OutputKind::Shared);
  program.stages = {{"folding", "safe"}, {"host partitions", "12"}};
  program.inputs = {
      {"a.o",
       "",
       StampTreatment::Optimized,
       StampForm::Fat,
       "",
       {{"sm_90", false}, {"compute_100", false}},
       1},
      {"libx.a",
       "b.o",
       StampTreatment::Native,
       StampForm::None,
       "assembly",
       {{"sm_80", true}},
       1},
      {"libc.a", "", StampTreatment::System, StampForm::None, "", {}, 300}};
  Stamp part = makeStamp(OutputKind::Relocatable);
  part.inputs = {{"", "", StampTreatment::Joined, StampForm::Mixed, "", {}, 1}};
  return {program, part};
}

TEST(Stamp, ReadsWhatItWrote) {
  for (const std::vector<Stamp> &stamps : {sample(), std::vector<Stamp>()}) {
    auto read = decodeStamps(encodeStamps(stamps), InputLocation("p"));
    ASSERT_OK(read.takeError());
    EXPECT_EQ(*read, stamps);
  }
}

TEST(Stamp, NotesAreConcatenated) {
  std::vector<Stamp> stamps = sample();
  auto read = decodeStamps(encodeStamps(stamps[0]) + encodeStamps(stamps[1]),
                           InputLocation("p"));
  ASSERT_OK(read.takeError());
  EXPECT_EQ(*read, stamps);
}

TEST(Stamp, IsFoundInAnObject) {
  auto object = makeStampObject(sample(), kMachine);
  ASSERT_OK(object.takeError());
  auto read = readStamps(MemoryBufferRef(*object, "o"), InputLocation("o"));
  ASSERT_OK(read.takeError());
  EXPECT_EQ(*read, sample());
}

TEST(Stamp, OtherObjectsHaveNone) {
  auto object = makeSectionObject({"other", 1, 0, 1, "bytes"}, kMachine);
  ASSERT_OK(object.takeError());
  auto read = readStamps(MemoryBufferRef(*object, "o"), InputLocation("o"));
  ASSERT_OK(read.takeError());
  EXPECT_TRUE(read->empty());
}

TEST(Stamp, RefusesDamage) {
  std::string bytes = encodeStamps(sample()[0]);
  for (size_t size = 1; size < bytes.size(); ++size)
    EXPECT_NE(
        test::messageOf(decodeStamps(bytes.substr(0, size), InputLocation("p"))
                            .takeError()),
        "success")
        << size;
  EXPECT_NE(test::messageOf(
                decodeStamps(bytes + "x", InputLocation("p")).takeError()),
            "success");
}

TEST(Stamp, NamesThePlaceOfDamage) {
  std::string bytes = encodeStamps(sample());
  size_t second = encodeStamps(sample()[0]).size();
  bytes[second + 8] = 7;
  std::string message = test::messageOf(
      decodeStamps(bytes, InputLocation("p", "", ".note.gpulto")).takeError());
  char place[32];
  snprintf(place, sizeof(place), "(.note.gpulto+0x%zx)", second + 8);
  EXPECT_NE(message.find(place), std::string::npos) << message;
  EXPECT_NE(message.find("version 7"), std::string::npos) << message;
}

TEST(SectionObject, KnowsTheMachineOfATriple) {
  auto machine = elfMachine("x86_64-unknown-linux-gnu");
  ASSERT_OK(machine.takeError());
  EXPECT_EQ(*machine, kMachine);
  EXPECT_NE(test::messageOf(elfMachine("sparc-sun-solaris").takeError()),
            "success");
}

} // namespace
