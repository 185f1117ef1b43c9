//===- InputLocatorTest.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/InputLocator.h"

#include "gtest/gtest.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

using namespace gpulto;
using namespace llvm;

namespace {

std::string bitcodeOf(StringRef ir) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(ir, diagnostic, context);
  SmallString<0> result;
  raw_svector_ostream os(result);
  WriteBitcodeToFile(*module, os);
  return result.str().str();
}

/// A directory with two modules of the same name in x/ and y/.
class InputLocatorTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("locator", root));
    for (StringRef directory : {"x", "y"}) {
      ASSERT_FALSE(sys::fs::create_directory(path(directory)));
      write((directory + "/m.o").str(),
            bitcodeOf(("define void @" + directory + "() { ret void }").str()));
    }
  }
  void TearDown() override { (void)sys::fs::remove_directories(root); }

  std::string path(const Twine &name) { return (root + "/" + name).str(); }

  void write(StringRef name, StringRef contents) {
    std::error_code error;
    raw_fd_ostream os(path(name), error);
    ASSERT_FALSE(error);
    os << contents;
  }

  /// Makes an archive of x/m.o and y/m.o and notes it. Returns its buffer.
  MemoryBufferRef makeArchive(StringRef name, bool thin) {
    std::vector<NewArchiveMember> members;
    for (StringRef directory : {"x", "y"}) {
      Expected<NewArchiveMember> member =
          NewArchiveMember::getFile(path(directory + "/m.o"), true);
      EXPECT_TRUE(bool(member));
      member->MemberName = !thin ? "m.o" : directory == "x" ? "x/m.o" : "y/m.o";
      members.push_back(std::move(*member));
    }
    EXPECT_FALSE(errorToBool(
        writeArchive(path(name), members, SymtabWritingMode::NormalSymtab,
                     object::Archive::K_GNU, /*Deterministic=*/true, thin)));
    buffers.push_back(std::move(
        *MemoryBuffer::getFile(path(name), false, /*NullTerminator=*/false)));
    Expected<std::unique_ptr<object::Archive>> archive =
        object::Archive::create(buffers.back()->getMemBufferRef());
    EXPECT_TRUE(bool(archive));
    archives.push_back(std::move(*archive));
    EXPECT_FALSE(errorToBool(locator.addArchive(*archives.back())));
    return buffers.back()->getMemBufferRef();
  }

  /// Calls \p visit with lld's name and the module's bytes of each member.
  template <typename Visit> void forEachMember(StringRef name, Visit visit) {
    Error failure = Error::success();
    for (const object::Archive::Child &child :
         archives.back()->children(failure)) {
      MemoryBufferRef member = cantFail(child.getMemoryBufferRef());
      StringRef file = sys::path::filename(member.getBufferIdentifier());
      std::string called = (path(name) + "(" + file + " at " +
                            Twine(child.getChildOffset()) + ")")
                               .str();
      std::vector<BitcodeModule> modules =
          cantFail(getBitcodeModuleList(member));
      visit(called, modules.front().getBuffer(), member.getBuffer());
    }
    cantFail(std::move(failure));
  }

  SmallString<128> root;
  InputLocator locator;
  std::vector<std::unique_ptr<MemoryBuffer>> buffers;
  std::vector<std::unique_ptr<object::Archive>> archives;
};

TEST_F(InputLocatorTest, MembersOfOneName) {
  // The name is odd on purpose: members are found by address.
  StringRef name = "lib (m.o at 8).a";
  MemoryBufferRef archive = makeArchive(name, /*thin=*/false);
  std::vector<uint64_t> offsets;
  forEachMember(name, [&](StringRef called, StringRef bitcode,
                          StringRef contents) {
    Expected<LinkObject> object = locator.locate(called, bitcode);
    ASSERT_TRUE(bool(object));
    EXPECT_EQ(object->path, path(name));
    EXPECT_EQ(object->member, "m.o");
    EXPECT_EQ(archive.getBuffer().substr(object->memberOffset, contents.size()),
              contents);
    offsets.push_back(object->memberOffset);
  });
  ASSERT_EQ(offsets.size(), 2u);
  EXPECT_LT(offsets[0], offsets[1]);
}

TEST_F(InputLocatorTest, MembersByNameAlone) {
  StringRef name = "lib.a";
  makeArchive(name, /*thin=*/false);
  forEachMember(name, [&](StringRef called, StringRef bitcode, StringRef) {
    LinkObject expected = cantFail(locator.locate(called, bitcode));
    Expected<LinkObject> object = locateByName(called);
    ASSERT_TRUE(bool(object));
    EXPECT_EQ(object->path, expected.path);
    EXPECT_EQ(object->member, expected.member);
    EXPECT_EQ(object->memberOffset, expected.memberOffset);
  });
  EXPECT_TRUE(errorToBool(locateByName(path("lib.a(m.o at 9)")).takeError()));
  EXPECT_TRUE(errorToBool(locateByName(path("none.o")).takeError()));
}

TEST_F(InputLocatorTest, ThinArchive) {
  StringRef name = "thin.a";
  makeArchive(name, /*thin=*/true);
  std::vector<std::string> files;
  forEachMember(name, [&](StringRef called, StringRef bitcode, StringRef) {
    Expected<LinkObject> object = locator.locate(called, bitcode);
    ASSERT_TRUE(bool(object));
    EXPECT_TRUE(object->member.empty());
    EXPECT_EQ(object->memberOffset, 0u);
    files.push_back(object->path);
  });
  EXPECT_EQ(files, (std::vector<std::string>{path("x/m.o"), path("y/m.o")}));
}

TEST_F(InputLocatorTest, PlainFile) {
  std::unique_ptr<MemoryBuffer> file =
      std::move(*MemoryBuffer::getFile(path("x/m.o")));
  Expected<LinkObject> object =
      locator.locate(path("x/m.o"), file->getBuffer());
  ASSERT_TRUE(bool(object));
  EXPECT_EQ(object->path, path("x/m.o"));
  EXPECT_TRUE(object->member.empty());
  EXPECT_TRUE(errorToBool(
      locator.locate(path("gone.o"), file->getBuffer()).takeError()));
}

TEST_F(InputLocatorTest, ArchivePathsAreListedOnce) {
  makeArchive("b.a", false);
  makeArchive("a.a", true);
  ASSERT_FALSE(errorToBool(locator.addArchive(*archives.front())));
  EXPECT_EQ(locator.archivePaths(),
            (std::vector<std::string>{path("b.a"), path("a.a")}));
}

TEST(ParseMemberName, Parts) {
  std::optional<MemberName> parts = parseMemberName("d/lib.a(m.o at 4711)");
  ASSERT_TRUE(parts.has_value());
  EXPECT_EQ(parts->archive, "d/lib.a");
  EXPECT_EQ(parts->member, "m.o");
  EXPECT_EQ(parts->headerOffset, 4711u);
  for (StringRef name :
       {"m.o", "lib.a(m.o)", "lib.a(m.o at )", "(m.o at 1)", "lib.a( at 1)",
        "lib.a(m.o at 1", "lib.a(m.o at 99999999999999999999)", ""})
    EXPECT_FALSE(parseMemberName(name).has_value()) << name.str();
}

} // namespace
