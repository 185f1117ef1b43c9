//===- LinkerCommandLineTest.cpp - What a linker does not tell us ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/LinkerCommandLine.h"

#include "support/Subprocess.h"

#include <gmock/gmock.h>

using namespace gpulto;
using testing::ElementsAre;

namespace {

class LinkerCommandLineTest : public testing::Test {
protected:
  void SetUp() override {
    auto made = TempDir::create("gpulto-test");
    ASSERT_TRUE(bool(made));
    directory = std::move(*made);
  }

  std::string write(llvm::StringRef name, llvm::StringRef text) {
    std::string path = directory.file(name);
    EXPECT_FALSE(bool(writeFileAtomically(path, text)));
    return path;
  }

  static std::vector<std::string> paths(const LinkerCommandLine &line) {
    std::vector<std::string> result;
    for (const LinkerInput &input : line.inputs)
      result.push_back(input.path);
    return result;
  }

  LinkerCommandLine read(std::vector<std::string> words) {
    std::vector<const char *> pointers;
    for (const std::string &word : words)
      pointers.push_back(word.c_str());
    auto line = readLinkerCommandLine(pointers);
    EXPECT_TRUE(bool(line));
    return line ? *line : LinkerCommandLine();
  }

  TempDir directory;
};

TEST_F(LinkerCommandLineTest, FindsWrapInEachSpelling) {
  std::string file = write("args", "--wrap=d -o out");
  LinkerCommandLine line = read({"--wrap=a", "-wrap", "b", "--wrap", "c",
                                 "@" + file, "-wrap=a", "--wrapper"});
  EXPECT_THAT(line.wrapped, ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(paths(line), ElementsAre());
}

TEST_F(LinkerCommandLineTest, FindsSymbolsThatOptionsUse) {
  std::string script = write("s", "SECTIONS { a = b_1; } ASSERT(c.d, \"\")");
  LinkerCommandLine line =
      read({"-init", "begin", "-fini=end", "-e", "first", "-u", "needed",
            "--defsym=x=target+0x10", "-T", script, "--undefined=other"});
  for (const char *name :
       {"begin", "end", "first", "needed", "target", "other", "b_1", "c.d"})
    EXPECT_TRUE(line.used.contains(name)) << name;
  EXPECT_FALSE(line.used.contains("-init"));
  EXPECT_THAT(paths(line), ElementsAre());
}

TEST_F(LinkerCommandLineTest, FindsInputsInOrder) {
  std::string both = write("libboth.a", "!<arch>\n");
  std::string shared = write("libboth.so", "");
  std::string archive = write("libonly.a", "!<thin>\n");
  LinkerCommandLine line =
      read({"a.o", "-lonly", "-o", "out", "-lboth", "-Bstatic", "-l", "both",
            "-Bdynamic", "--library=both", "-l:libonly.a", "-lmissing", "-T",
            "script", "-L" + directory.path(), "b.o"});
  EXPECT_THAT(paths(line), ElementsAre("a.o", archive, shared, both, shared,
                                       archive, "b.o"));
  EXPECT_EQ(line.inputs[3].firstWord, 6u);
  EXPECT_EQ(line.inputs[3].endWord, 8u);
  EXPECT_THAT(archivesAmong(line.inputs), ElementsAre(archive, both));
}

TEST_F(LinkerCommandLineTest, PutsTheSysrootBeforeDirectories) {
  std::string archive = write("libx.a", "!<arch>\n");
  LinkerCommandLine line =
      read({"--sysroot=" + directory.path(), "-L=", "-lx"});
  EXPECT_THAT(paths(line), ElementsAre(archive));
}

TEST_F(LinkerCommandLineTest, ReadsItsOwnProcess) {
  auto line = readOwnCommandLine();
  ASSERT_TRUE(bool(line));
  EXPECT_THAT(line->wrapped, ElementsAre());
}

} // namespace
