//===- SlimObjectTest.cpp - Objects without native code -------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fatobj/Format.h"
#include "test/unit/fatobj/Fixture.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace gpulto;
using namespace gpulto::test;

namespace {

class SlimObjectTest : public HostObjects {
protected:
  void SetUp() override {
    HostObjects::SetUp();
    if (IsSkipped())
      return;
    if (!havePrograms({"nm", "ar", "ld.bfd"}))
      GTEST_SKIP() << "binutils are not here";
    FatObjectOptions slim;
    slim.slim = true;
    SampleContents sample;
    for (const char *name : {"a", "b"}) {
      ASSERT_OK(writeFatObject(path(name + std::string(".o")), sample.contents,
                               path(name + std::string("-fat.o"))));
      ASSERT_OK(writeFatObject(path(name + std::string(".o")), sample.contents,
                               path(name + std::string("-slim.o")), slim));
    }
  }

  /// `letter name` of all global symbols, without the guard. Values differ:
  /// the slim sections are empty. Plugins are off, or nm would ask LLVM's.
  std::vector<std::string> symbols(llvm::StringRef object) {
    std::string text =
        run("nm", {"--plugin=none", "-g", "--format=posix", path(object)});
    std::vector<std::string> result;
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef line : lines) {
      auto [name, rest] = line.split(' ');
      if (name != kGuardSymbol)
        result.push_back(rest.split(' ').first.str() + " " + name.str());
    }
    std::sort(result.begin(), result.end());
    return result;
  }
};

} // namespace

TEST_F(SlimObjectTest, NmShowsTheSameSymbols) {
  for (const char *name : {"a", "b"}) {
    std::vector<std::string> fat = symbols(name + std::string("-fat.o"));
    EXPECT_GE(fat.size(), 4u);
    EXPECT_EQ(fat, symbols(name + std::string("-slim.o"))) << name;
  }
  std::vector<std::string> letters = symbols("a-slim.o");
  auto has = [&](const char *text) {
    return std::find(letters.begin(), letters.end(), text) != letters.end();
  };
  EXPECT_TRUE(has("T main"));
  EXPECT_TRUE(has("R readOnly"));
  EXPECT_TRUE(has("B zero"));
  EXPECT_TRUE(has("D tlsData"));
  EXPECT_TRUE(has("B tlsZero"));
  EXPECT_TRUE(has("V weakVariable"));
  EXPECT_TRUE(has("w _Z13weakUndefinedv"));
  EXPECT_TRUE(has("U _Z9elsewherei"));
  std::vector<std::string> second = symbols("b-slim.o");
  EXPECT_TRUE(std::find(second.begin(), second.end(), "C common") !=
              second.end());
  EXPECT_TRUE(std::find(second.begin(), second.end(), "i indirect") !=
              second.end());
}

TEST_F(SlimObjectTest, VisibilityAndSizesAreKept) {
  std::string text = run("readelf", {"-sW", path("a-slim.o")});
  EXPECT_TRUE(llvm::StringRef(text).contains("FUNC    GLOBAL HIDDEN "));
  EXPECT_TRUE(llvm::StringRef(text).contains("OBJECT  GLOBAL PROTECTED"));
  EXPECT_TRUE(llvm::StringRef(text).contains("    40 OBJECT  GLOBAL DEFAULT "));
}

TEST_F(SlimObjectTest, HoldsBitcodeAndRecordOnly) {
  std::string bytes = readFile(path("a-slim.o"));
  llvm::MemoryBufferRef ref(bytes, "a-slim.o");
  ASSERT_VALUE(object, readFatObject(ref, InputLocation("a-slim.o")));
  ASSERT_EQ(object.records.size(), 1u);
  EXPECT_TRUE(object.records[0].slim);
  EXPECT_EQ(digestOf(object.records[0].hostBitcode),
            object.records[0].hostBitcodeDigest);
  EXPECT_EQ(object.records[0].hostSummary, "host summary");
  ASSERT_VALUE(bitcode, hostBitcodeOf(ref, InputLocation("a")));
  std::string plain = readFile(path("a.o"));
  ASSERT_VALUE(original, hostBitcodeOf(llvm::MemoryBufferRef(plain, "a.o"),
                                       InputLocation("a")));
  EXPECT_EQ(bitcode, original);
  // Debug information and code are gone.
  EXPECT_FALSE(llvm::StringRef(bytes).contains(".debug_info"));
  // Deterministic.
  FatObjectOptions slim;
  slim.slim = true;
  SampleContents sample;
  ASSERT_VALUE(again, addToObject(llvm::MemoryBufferRef(plain, "a.o"),
                                  sample.contents, InputLocation("x"), slim));
  EXPECT_EQ(again, bytes);
}

TEST_F(SlimObjectTest, ArchiveIndexFindsTheSymbols) {
  run("ar", {"--plugin=none", "rcs", path("lib.a"), path("a-slim.o"),
             path("b-slim.o")});
  std::string index = run("nm", {"--plugin=none", "-s", path("lib.a")});
  for (const char *line :
       {"main in a-slim.o", "zero in a-slim.o", "common in b-slim.o",
        "indirect in b-slim.o", "weakVariable in a-slim.o"})
    EXPECT_TRUE(llvm::StringRef(index).contains(line)) << line;
}

TEST_F(SlimObjectTest, AreWellFormed) {
  if (!havePrograms({"llvm-readelf-22"}))
    GTEST_SKIP();
  ProcessOptions options;
  for (const char *object : {"a-slim.o", "b-slim.o", "a-fat.o"}) {
    for (const char *tool : {"llvm-readelf-22", "readelf"}) {
      ASSERT_VALUE(program, findProgram(tool));
      ASSERT_VALUE(result, runProcess(program, {"-aW", path(object)}, options));
      EXPECT_EQ(result.errors, "") << tool << " " << object;
    }
  }
}

// A linker that does not know the format must not make an empty program.
TEST_F(SlimObjectTest, NativeLinksStopAtTheGuard) {
  for (const char *linker : {"ld.bfd", "ld.gold", "ld.lld-22", "mold"}) {
    llvm::Expected<std::string> found = findProgram(linker);
    if (!found) {
      llvm::consumeError(found.takeError());
      continue;
    }
    ProcessOptions options;
    options.allowFailure = true;
    ASSERT_VALUE(result, runProcess(*found,
                                    {"--gc-sections", "-e", "main",
                                     path("b-slim.o"), "-o", path("bad")},
                                    options));
    EXPECT_NE(result.exitCode, 0) << linker;
    EXPECT_TRUE(llvm::StringRef(result.errors).contains(kGuardSymbol))
        << linker << ": " << result.errors;
  }
}

TEST_F(SlimObjectTest, NeedsBitcode) {
  ASSERT_OK(writeFileAtomically(path("n.c"), "int x;"));
  run("clang-22", {"-c", path("n.c"), "-o", path("n.o")});
  FatObjectOptions slim;
  slim.slim = true;
  SampleContents sample;
  std::string message = messageOf(
      writeFatObject(path("n.o"), sample.contents, path("no.o"), slim));
  EXPECT_TRUE(llvm::StringRef(message).ends_with(
      "a slim object needs host bitcode in .llvm.lto"))
      << message;
}
