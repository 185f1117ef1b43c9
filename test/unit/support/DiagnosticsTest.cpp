//===- DiagnosticsTest.cpp - Order, limits and remarks --------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/Diagnostics.h"

#include "support/Subprocess.h"
#include "test/unit/ErrorChecks.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <thread>

using namespace gpulto;
using test::messageOf;

static std::string printed(Diagnostics &diagnostics) {
  std::string text;
  llvm::raw_string_ostream os(text);
  diagnostics.print(os);
  return text;
}

static Remark makeRemark(RemarkKind kind, llvm::StringRef pass,
                         llvm::StringRef text, uint32_t line = 0) {
  Remark remark;
  remark.kind = kind;
  remark.pass = pass.str();
  remark.name = "Name";
  remark.function = "f";
  remark.text = text.str();
  if (line)
    remark.where = {"a.cu", line, 3};
  return remark;
}

TEST(Diagnostics, SortsByLocationAndDropsDuplicates) {
  DiagnosticsOptions options;
  options.prefix = "ld.lld";
  Diagnostics diagnostics(options);
  diagnostics.error(InputLocation("b.o"), "second");
  diagnostics.warning(InputLocation("a.o", "", ".gpulto").at(16), "late");
  diagnostics.error(InputLocation("a.o", "", ".gpulto").at(4), "early");
  diagnostics.error(InputLocation("b.o"), "second");
  diagnostics.error("general");
  EXPECT_EQ(diagnostics.errorCount(), 4u);
  EXPECT_EQ(printed(diagnostics), "ld.lld: error: general\n"
                                  "ld.lld: error: a.o:(.gpulto+0x4): early\n"
                                  "ld.lld: warning: a.o:(.gpulto+0x10): late\n"
                                  "ld.lld: error: b.o: second\n");
  EXPECT_EQ(printed(diagnostics), "");
  EXPECT_TRUE(diagnostics.hasErrors());
}

TEST(Diagnostics, ThreadsDoNotChangeTheText) {
  std::string first;
  for (int round = 0; round < 5; ++round) {
    Diagnostics diagnostics;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        for (int j = 0; j < 50; ++j)
          diagnostics.warning(InputLocation("f" + std::to_string(j)),
                              std::to_string(i));
      });
    for (std::thread &thread : threads)
      thread.join();
    std::string text = printed(diagnostics);
    if (round == 0)
      first = text;
    EXPECT_EQ(text, first);
  }
}

TEST(Diagnostics, TakesErrorListsApart) {
  Diagnostics diagnostics;
  diagnostics.report(llvm::joinErrors(inputError(InputLocation("z.o"), "bad"),
                                      makeError("other")));
  diagnostics.report(llvm::Error::success());
  EXPECT_EQ(printed(diagnostics),
            "gpulto: error: other\ngpulto: error: z.o: bad\n");
}

TEST(Diagnostics, NamesAreDemangled) {
  DiagnosticsOptions options;
  options.passed = "p";
  auto texts = [&] {
    Diagnostics diagnostics(options);
    diagnostics.warning("'_Z1fi' calls 'main', '_Z9f' and '_ZN1a1gEv.isra'");
    diagnostics.error("_Z1fi, '_Z1fi");
    diagnostics.remark(makeRemark(RemarkKind::Passed, "p", "in '_Z1hPf'"));
    return printed(diagnostics);
  };
  EXPECT_EQ(texts(), "gpulto: error: _Z1fi, 'f(int)\n"
                     "gpulto: warning: 'f(int)' calls 'main', '_Z9f' and "
                     "'a::g() (.isra)'\n"
                     "gpulto: remark: in 'h(float*)' [-Rpass=p]\n");
  options.demangles = false;
  EXPECT_NE(texts().find("in '_Z1hPf'"), std::string::npos);
}

TEST(Diagnostics, StopsAtTheLimit) {
  DiagnosticsOptions options;
  options.errorLimit = 2;
  Diagnostics diagnostics(options);
  for (char c : {'a', 'b', 'c', 'd'})
    diagnostics.error(std::string(1, c));
  diagnostics.warning("w");
  EXPECT_EQ(printed(diagnostics),
            "gpulto: error: a\ngpulto: error: b\n"
            "gpulto: error: too many errors emitted, stopping now (use "
            "--error-limit=0 to see all errors)\n"
            "gpulto: warning: w\n");
  diagnostics.error("e");
  EXPECT_EQ(printed(diagnostics), "");
  EXPECT_EQ(diagnostics.errorCount(), 5u);

  options.errorLimit = 0;
  Diagnostics all(options);
  for (int i = 0; i < 50; ++i)
    all.error(std::to_string(i));
  EXPECT_EQ(llvm::StringRef(printed(all)).count('\n'), 50u);
}

TEST(Diagnostics, WarningsCanBeFatalOrDropped) {
  DiagnosticsOptions options;
  options.fatalWarnings = true;
  Diagnostics fatal(options);
  fatal.warning("w");
  EXPECT_TRUE(fatal.hasErrors());
  EXPECT_EQ(printed(fatal), "gpulto: error: w\n");
  options.noWarnings = true;
  Diagnostics silent(options);
  silent.warning("w");
  EXPECT_FALSE(silent.hasErrors());
  EXPECT_EQ(printed(silent), "");
}

TEST(Diagnostics, FiltersRemarks) {
  DiagnosticsOptions options;
  options.passed = "gpulto-con";
  options.missed = "^gpulto-fold$";
  Diagnostics diagnostics(options);
  EXPECT_TRUE(diagnostics.wantsRemark(RemarkKind::Passed, "gpulto-constants"));
  EXPECT_FALSE(diagnostics.wantsRemark(RemarkKind::Missed, "gpulto-constants"));
  EXPECT_FALSE(diagnostics.wantsRemark(RemarkKind::Analysis, "gpulto-fold"));
  diagnostics.remark(
      makeRemark(RemarkKind::Passed, "gpulto-constants", "n is 4", 12));
  diagnostics.remark(
      makeRemark(RemarkKind::Missed, "gpulto-constants", "unseen", 1));
  diagnostics.remark(
      makeRemark(RemarkKind::Missed, "gpulto-fold", "not folded", 2));
  diagnostics.remark(
      makeRemark(RemarkKind::Passed, "gpulto-constants", "here"));
  EXPECT_EQ(printed(diagnostics),
            "gpulto: remark: here [-Rpass=gpulto-constants]\n"
            "a.cu:2:3: remark: not folded [-Rpass-missed=gpulto-fold]\n"
            "a.cu:12:3: remark: n is 4 [-Rpass=gpulto-constants]\n");
  EXPECT_FALSE(diagnostics.hasErrors());
}

TEST(Diagnostics, OverviewHasTheMostValuableFirst) {
  DiagnosticsOptions options;
  options.passed = "gpulto";
  options.prefix = "ld.lld";
  Diagnostics diagnostics(options);
  constexpr unsigned kMany = 30;
  for (unsigned line = 1; line <= kMany; ++line)
    diagnostics.remark(makeRemark(RemarkKind::Passed, "gpulto-effects",
                                  "reads " + std::to_string(line), line));
  diagnostics.remark(makeRemark(RemarkKind::Passed, "gpulto-coldness", "x", 1));
  diagnostics.remark(
      makeRemark(RemarkKind::Passed, "gpulto-launches", "n is 2", 9));
  std::string text = printed(diagnostics);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).trim().split(lines, '\n');
  ASSERT_EQ(lines.size(), 21u);
  EXPECT_EQ(lines[0], "a.cu:9:3: remark: n is 2 [-Rpass=gpulto-launches]");
  EXPECT_EQ(lines[1], "a.cu:1:3: remark: reads 1 [-Rpass=gpulto-effects]");
  EXPECT_EQ(lines[20], "ld.lld: remark: 12 more remarks: gpulto-effects 11, "
                       "gpulto-coldness 1; -Rpass=gpulto- prints all "
                       "[-Rpass=gpulto]");
}

TEST(Diagnostics, OverviewJoinsInstances) {
  DiagnosticsOptions options;
  options.passed = "gpulto";
  Diagnostics diagnostics(options);
  for (llvm::StringRef name : {"_Z1fIiEvT_", "_Z1fIfEvT_", "_Z1fIdEvT_"})
    diagnostics.remark(makeRemark(RemarkKind::Passed, "gpulto-launches",
                                  ("'n' is 2 in '" + name + "'").str(), 4));
  diagnostics.remark(makeRemark(RemarkKind::Passed, "gpulto-launches",
                                "'n' is 3 in '_Z1fIcEvT_'", 4));
  EXPECT_EQ(printed(diagnostics),
            "a.cu:4:3: remark: 'n' is 2 in 'void f<double>(double)'; the same "
            "of 2 other instances [-Rpass=gpulto-launches]\n"
            "a.cu:4:3: remark: 'n' is 3 in 'void f<char>(char)' "
            "[-Rpass=gpulto-launches]\n");
}

TEST(Diagnostics, OverviewJoinsParameters) {
  DiagnosticsOptions options;
  options.passed = "gpulto";
  Diagnostics diagnostics(options);
  for (llvm::StringRef name : {"a", "b", "c"})
    for (llvm::StringRef function : {"_Z1fi", "_Z1gi"})
      diagnostics.remark(makeRemark(
          RemarkKind::Passed, "gpulto-launches",
          ("parameter '" + name + "' is 2 in '" + function + "'").str(), 4));
  diagnostics.remark(makeRemark(RemarkKind::Passed, "gpulto-launches",
                                "parameter 'd' is 2 in '_Z1fi'", 5));
  EXPECT_EQ(printed(diagnostics),
            "a.cu:4:3: remark: parameter 'a' is 2 in 'f(int)'; the same of "
            "'b', 'c'; the same of 1 other instance [-Rpass=gpulto-launches]\n"
            "a.cu:5:3: remark: parameter 'd' is 2 in 'f(int)' "
            "[-Rpass=gpulto-launches]\n");
}

TEST(Diagnostics, PlacesWithoutALineAreFiles) {
  DiagnosticsOptions options;
  options.passed = "p";
  Diagnostics diagnostics(options);
  Remark remark = makeRemark(RemarkKind::Passed, "p", "it is known", 0);
  remark.where = {"a.cu"};
  diagnostics.remark(std::move(remark));
  EXPECT_EQ(printed(diagnostics), "a.cu: remark: it is known [-Rpass=p]\n");
}

TEST(Diagnostics, NamesOfStaticKernelsAreShort) {
  DiagnosticsOptions options;
  options.passed = "p";
  Diagnostics diagnostics(options);
  diagnostics.remark(makeRemark(RemarkKind::Passed, "p",
                                "'_ZL1kPf__intern__4434f62fc7fc0cef' is known",
                                1));
  EXPECT_EQ(printed(diagnostics),
            "a.cu:1:3: remark: 'k(float*)' is known [-Rpass=p]\n");
}

TEST(Diagnostics, PrintsNoLineTwice) {
  DiagnosticsOptions options;
  options.passed = ".*";
  Diagnostics diagnostics(options);
  for (const char *object : {"a.o", "b.o", "a.o"}) {
    Remark remark =
        makeRemark(RemarkKind::Passed, "gpulto-constants", "n is 4", 1);
    remark.input = InputLocation(object);
    diagnostics.remark(remark);
    remark.where = {};
    diagnostics.remark(remark);
  }
  EXPECT_EQ(printed(diagnostics),
            "gpulto: remark: a.o: n is 4 [-Rpass=gpulto-constants]\n"
            "a.cu:1:3: remark: n is 4 [-Rpass=gpulto-constants]\n"
            "gpulto: remark: b.o: n is 4 [-Rpass=gpulto-constants]\n");
}

TEST(Diagnostics, ChecksTheFilters) {
  DiagnosticsOptions options;
  options.missed = "(";
  std::string message = messageOf(Diagnostics::checkOptions(options));
  EXPECT_TRUE(llvm::StringRef(message).starts_with(
      "-Rpass-missed=(: malformed regular expression"))
      << message;
  options.missed = ".*";
  EXPECT_OK(Diagnostics::checkOptions(options));
}

TEST(Diagnostics, WritesYaml) {
  ASSERT_VALUE(directory, TempDir::create("gpulto-test"));
  DiagnosticsOptions options;
  options.keepRemarks = true;
  Diagnostics diagnostics(options);
  diagnostics.remark(makeRemark(RemarkKind::Missed, "p", "second", 9));
  diagnostics.remark(makeRemark(RemarkKind::Passed, "p", "it's first", 2));
  EXPECT_EQ(printed(diagnostics), "");
  ASSERT_OK(diagnostics.writeRemarks(directory.file("r.yaml")));
  auto buffer = llvm::MemoryBuffer::getFile(directory.file("r.yaml"));
  ASSERT_TRUE(bool(buffer));
  EXPECT_EQ((*buffer)->getBuffer(),
            "--- !Passed\n"
            "Pass:            p\n"
            "Name:            Name\n"
            "DebugLoc:        { File: a.cu, Line: 2, Column: 3 }\n"
            "Function:        f\n"
            "Args:\n"
            "  - String:          'it''s first'\n"
            "...\n"
            "--- !Missed\n"
            "Pass:            p\n"
            "Name:            Name\n"
            "DebugLoc:        { File: a.cu, Line: 9, Column: 3 }\n"
            "Function:        f\n"
            "Args:\n"
            "  - String:          second\n"
            "...\n");
}

TEST(Diagnostics, HandsOverTextsInOrder) {
  Diagnostics diagnostics;
  diagnostics.warning(InputLocation("b.o"), "second");
  diagnostics.error(InputLocation("a.o"), "first");
  std::string got;
  diagnostics.handOver(
      [&](Diagnostics::Severity severity, llvm::StringRef text) {
        got += (severity == Diagnostics::Severity::Error ? "E " : "W ") +
               text.str() + "\n";
      });
  EXPECT_EQ(got, "E a.o: first\nW b.o: second\n");
  diagnostics.handOver([](Diagnostics::Severity, llvm::StringRef) {
    ADD_FAILURE() << "handed over twice";
  });
}
