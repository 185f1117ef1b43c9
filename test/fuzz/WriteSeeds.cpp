//===- WriteSeeds.cpp - Seeds of the fuzzers, from what we just built -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   gpulto-fuzz-seeds DIRECTORY OBJECT...
//
// Writes the summaries that the objects hold as inputs of SummaryFuzzer and
// WpaFuzzer to DIRECTORY/summary and DIRECTORY/wpa. Formats change: seeds that
// are kept would be refused for their version and lead nowhere.
//
//===----------------------------------------------------------------------===//

#include "fatobj/FatObjectReader.h"
#include "summary/ModuleSummary.h"
#include "summary/SummaryFormat.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace gpulto;
using namespace llvm;

static ExitOnError check("gpulto-fuzz-seeds: ");

static void writeSeed(const Twine &path, StringRef bytes) {
  check(writeToOutput(path.str(), [&](raw_ostream &out) {
    out << bytes;
    return Error::success();
  }));
}

/// Writes the input of WpaFuzzer that is \p first and \p second, once for each
/// of some ways to resolve and cut.
static void writePair(const Twine &path, StringRef first, StringRef second) {
  for (char salt : {1, 14, 35}) {
    char head[] = {salt, char(first.size() & 255), char(first.size() >> 8)};
    writeSeed(path + "-" + Twine(int(salt)),
              (StringRef(head, sizeof(head)) + first + second).str());
  }
}

int main(int argc, char **argv) {
  if (argc < 3) {
    errs() << "usage: gpulto-fuzz-seeds DIRECTORY OBJECT...\n";
    return 1;
  }
  std::string directory = argv[1];
  for (const char *part : {"/summary", "/wpa"})
    check(errorCodeToError(sys::fs::create_directories(directory + part)));
  for (const char *path : ArrayRef(argv + 2, argc - 2)) {
    InputLocation where(path);
    auto file = check(errorOrToExpected(MemoryBuffer::getFile(path)));
    FatObject object = check(readFatObject(file->getMemBufferRef(), where));
    StringRef stem = sys::path::stem(path);
    for (const FatRecord &record : object.records) {
      // Written anew, a summary has all its names and needs no bitcode.
      auto rewrite = [&](StringRef summary, StringRef names, StringRef part) {
        std::string bytes = writeSummary(
            check(readSummary(summary, names, record.location)), "");
        // How many bytes of names come first.
        writeSeed(directory + "/summary/" + stem + "-" + part,
                  std::string(1, '\0') + bytes);
        return bytes;
      };
      std::string host = rewrite(record.hostSummary, record.hostNames, "host");
      for (const DeviceRecord &device : record.devices)
        writePair(directory + "/wpa/" + stem + "-" + device.arch, host,
                  rewrite(device.summary, "", device.arch));
    }
  }
}
