//===- Fixture.cpp - Real objects to work on ------------------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/fatobj/Fixture.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace gpulto;
using namespace gpulto::test;

std::unique_ptr<TempDir> HostObjects::directory;
bool HostObjects::compiled = false;

static constexpr const char *kSourceA = R"(
extern "C" int printf(const char *, ...);
template <class T> T twice(T x) { static T sum; sum += x; return sum * 2; }
extern int elsewhere(int);
__attribute__((weak)) int weakVariable;
__attribute__((weak)) int weakUndefined();
__attribute__((visibility("hidden"))) int hidden(int a) { return a + 1; }
__attribute__((visibility("protected"))) int protectedValue = 4;
int zero[10];
extern const int readOnly;
const int readOnly = 5;
thread_local int tlsData = 3;
thread_local int tlsZero;
static int local(int a) { return a * 3; }
int main(int c, char **) {
  printf("%d\n", twice(c) + elsewhere(tlsData) + local(c) +
                     (weakUndefined ? weakUndefined() : 0) + tlsZero);
  return 0;
}
)";

static constexpr const char *kSourceB = R"(
int common[10];
static int f(int x) { return x + 1; }
static int (*resolve(void))(int) { return f; }
int indirect(int) __attribute__((ifunc("resolve")));
int base(int x) { return x + common[0]; }
int alias(int) __attribute__((alias("base")));
)";

std::string gpulto::test::readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  EXPECT_TRUE(bool(buffer)) << path;
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

bool gpulto::test::havePrograms(std::vector<std::string> names) {
  for (const std::string &name : names) {
    llvm::Expected<std::string> found = findProgram(name);
    if (!found) {
      llvm::consumeError(found.takeError());
      return false;
    }
  }
  return true;
}

std::string gpulto::test::run(const std::string &program,
                              std::vector<std::string> args) {
  llvm::Expected<std::string> found = findProgram(program);
  if (!found) {
    ADD_FAILURE() << llvm::toString(found.takeError());
    return "";
  }
  ProcessOptions options;
  options.environment = {{"LC_ALL", "C"}};
  llvm::Expected<ProcessResult> result = runProcess(*found, args, options);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return "";
  }
  return result->output;
}

void HostObjects::SetUpTestSuite() {
  if (!havePrograms({"clang-22", "clang++-22"}))
    return;
  llvm::Expected<TempDir> made = TempDir::create("gpulto-test");
  ASSERT_TRUE(bool(made)) << messageOf(made.takeError());
  directory = std::make_unique<TempDir>(std::move(*made));
  ASSERT_OK(writeFileAtomically(path("a.cpp"), kSourceA));
  ASSERT_OK(writeFileAtomically(path("b.c"), kSourceB));
  std::vector<std::string> flags = {"-O2",
                                    "-c",
                                    "-flto=thin",
                                    "-ffat-lto-objects",
                                    "-fcommon",
                                    "-ffunction-sections",
                                    "-fdata-sections"};
  auto compile = [&](const char *compiler, const char *source,
                     const char *object, const char *extra) {
    std::vector<std::string> args = flags;
    args.insert(args.end(), {extra, path(source), "-o", path(object)});
    run(compiler, args);
  };
  compile("clang++-22", "a.cpp", "a.o", "-g");
  compile("clang-22", "b.c", "b.o", "-g0");
  compiled = true;
}

void HostObjects::TearDownTestSuite() { directory.reset(); }

void HostObjects::SetUp() {
  if (!compiled)
    GTEST_SKIP() << "clang 22 is not here";
}

SampleContents::SampleContents() {
  for (int i = 0; i < 2000; ++i)
    bitcode90 += "instruction " + std::to_string(i % 37) + "\n";
  contents.optionDigest = {0x1111, 0x2222};
  contents.hostSummary = hostSummary;
  contents.devices.push_back({"sm_90", deviceSummary, bitcode90});
  contents.devices.push_back({"sm_100", "", bitcode100});
}
