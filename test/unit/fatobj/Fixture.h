//===- Fixture.h - Real objects to work on ----------------------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_TEST_UNIT_FATOBJ_FIXTURE_H
#define GPULTO_TEST_UNIT_FATOBJ_FIXTURE_H

#include "fatobj/FatObjectReader.h"
#include "fatobj/FatObjectWriter.h"
#include "support/Subprocess.h"
#include "test/unit/ErrorChecks.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpulto::test {

/// Reads a whole file; fails the test if it cannot.
std::string readFile(const std::string &path);

/// Runs a program found on PATH and returns its stdout; fails the test on an
/// error.
std::string run(const std::string &program, std::vector<std::string> args);

/// Whether all of these programs are on PATH.
bool havePrograms(std::vector<std::string> names);

/// A directory with a host object `a.o` compiled by clang with
/// -flto=thin -ffat-lto-objects from a source with symbols of all kinds, and
/// a second object `b.o`.
class HostObjects : public testing::Test {
public:
  static void SetUpTestSuite();
  static void TearDownTestSuite();

protected:
  void SetUp() override;
  static std::string path(llvm::StringRef name) {
    return directory->file(name);
  }
  static std::unique_ptr<TempDir> directory;
  static bool compiled;
};

/// Contents with made-up summaries and bitcode; owns the strings.
struct SampleContents {
  std::string hostSummary = "host summary";
  std::string deviceSummary = "device summary";
  std::string bitcode90;
  std::string bitcode100 = "BC";
  FatObjectContents contents;
  SampleContents();
  SampleContents(const SampleContents &) = delete;
};

} // namespace gpulto::test

#endif // GPULTO_TEST_UNIT_FATOBJ_FIXTURE_H
