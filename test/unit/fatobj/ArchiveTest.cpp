//===- ArchiveTest.cpp - Members of archives ------------------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/fatobj/Fixture.h"

using namespace gpulto;
using namespace gpulto::test;

namespace {

class ArchiveTest : public HostObjects {
protected:
  void SetUp() override {
    HostObjects::SetUp();
    if (!IsSkipped() && !havePrograms({"ar"}))
      GTEST_SKIP() << "ar is not here";
  }
  std::vector<std::string> list(const std::string &archive) {
    std::vector<std::string> names;
    EXPECT_OK(forEachArchiveMember(
        archive, [&](const ArchiveMember &member) -> llvm::Error {
          names.push_back(member.name);
          // The offset of the header and that of the data both find it again.
          for (uint64_t offset : {member.offset, member.dataOffset}) {
            if (offset == 0)
              continue;
            auto found = locateMember(archive, offset);
            EXPECT_TRUE(bool(found));
            if (!found)
              return found.takeError();
            EXPECT_EQ(found->member, member.name);
            EXPECT_EQ(found->data.getBuffer(), member.data.getBuffer());
          }
          return llvm::Error::success();
        }));
    return names;
  }
};

} // namespace

TEST_F(ArchiveTest, ListsMembers) {
  SampleContents sample;
  ASSERT_OK(writeFatObject(path("a.o"), sample.contents,
                           path("a-quite-long-member-name.o")));
  run("ar", {"--plugin=none", "rcD", path("l.a"), path("b.o"),
             path("a-quite-long-member-name.o")});
  EXPECT_EQ(list(path("l.a")),
            (std::vector<std::string>{"b.o", "a-quite-long-member-name.o"}));
  size_t records = 0;
  EXPECT_OK(forEachArchiveMember(
      path("l.a"), [&](const ArchiveMember &member) -> llvm::Error {
        EXPECT_EQ(hasFatObjectSection(member.data), member.name != "b.o");
        auto object =
            readFatObject(member.data, InputLocation(path("l.a"), member.name));
        if (!object)
          return object.takeError();
        records += object->records.size();
        return llvm::Error::success();
      }));
  EXPECT_EQ(records, 1u);
}

TEST_F(ArchiveTest, ReadsThinArchives) {
  run("ar",
      {"--plugin=none", "rcsTD", path("thin.a"), path("a.o"), path("b.o")});
  EXPECT_EQ(list(path("thin.a")).size(), 2u);
  EXPECT_OK(forEachArchiveMember(
      path("thin.a"), [&](const ArchiveMember &member) -> llvm::Error {
        EXPECT_EQ(member.data.getBuffer(), readFile(member.path));
        return llvm::Error::success();
      }));
}

TEST_F(ArchiveTest, EqualNamesAreToldApartByOffset) {
  run("ar", {"--plugin=none", "qcD", path("twice.a"), path("a.o"), path("b.o"),
             path("a.o")});
  EXPECT_EQ(list(path("twice.a")),
            (std::vector<std::string>{"a.o", "b.o", "a.o"}));
}

TEST_F(ArchiveTest, ErrorsNameTheFile) {
  ASSERT_VALUE(plain, locateMember(path("a.o"), 0));
  EXPECT_EQ(plain.member, "");
  EXPECT_EQ(messageOf(locateMember(path("a.o"), 4)),
            path("a.o") + ": no archive, so nothing lies at offset 4");
  EXPECT_EQ(messageOf(locateMember(path("none"), 0)),
            path("none") + ": cannot open (No such file or directory)");
  run("ar", {"--plugin=none", "rcD", path("x.a"), path("b.o")});
  EXPECT_EQ(messageOf(locateMember(path("x.a"), 3)),
            path("x.a") + ":(+0x3): no archive member starts here");
  std::string bytes = readFile(path("x.a"));
  for (size_t size = 8; size < bytes.size(); size += 17) {
    ASSERT_OK(writeFileAtomically(path("cut.a"), bytes.substr(0, size)));
    llvm::consumeError(
        forEachArchiveMember(path("cut.a"), [](const ArchiveMember &) {
          return llvm::Error::success();
        }));
  }
  ASSERT_OK(writeFileAtomically(path("cut.a"), bytes.substr(0, 100)));
  EXPECT_NE(
      messageOf(forEachArchiveMember(path("cut.a"),
                                     [](const ArchiveMember &) -> llvm::Error {
                                       return llvm::Error::success();
                                     })),
      "success");
  // The callback's error ends the walk.
  int calls = 0;
  EXPECT_EQ(
      messageOf(forEachArchiveMember(path("x.a"),
                                     [&](const ArchiveMember &) -> llvm::Error {
                                       ++calls;
                                       return makeError("stop");
                                     })),
      "stop");
  EXPECT_EQ(calls, 1);
}
