//===- OptionsFuzzer.cpp - Hostile command lines --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One argument per line of the input.
//
//===----------------------------------------------------------------------===//

#include "linker-plugin/LinkOptionsReader.h"
#include "linker-plugin/OptionTable.h"

#include <string>
#include <vector>

using namespace gpulto;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::SmallVector<llvm::StringRef, 16> lines;
  text.split(lines, '\n');
  std::vector<std::string> words(lines.begin(), lines.end());
  std::vector<const char *> argv;
  for (const std::string &word : words)
    argv.push_back(word.c_str());
  for (unsigned accepted : {unsigned(options::CompileOption),
                            options::LinkOption | options::LinkerOption}) {
    llvm::Expected<options::OwnArgs> own =
        options::takeOwnOptions(argv, accepted);
    if (!own) {
      llvm::consumeError(own.takeError());
      continue;
    }
    llvm::consumeError(readLinkOptions(*own->args, "a.out").takeError());
  }
  return 0;
}
