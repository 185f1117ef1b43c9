//===- FileArguments.cpp - Arguments of commands that show files ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tools/commands/FileArguments.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gpulto {

FileArguments readFileArguments(StringRef command, StringRef what,
                                ArrayRef<const char *> arguments) {
  FileArguments result;
  auto usage = [&](raw_ostream &out, int status) {
    out << "usage: gpulto " << command << " [--json] FILE...\n\n"
        << what << '\n';
    result.asJson = false;
    result.files.clear();
    result.status = status;
    return result;
  };
  for (StringRef argument : arguments) {
    if (argument == "--help" || argument == "-h")
      return usage(outs(), 0);
    if (argument == "--json") {
      result.asJson = true;
    } else if (argument.starts_with("-")) {
      errs() << "gpulto " << command << ": error: unknown option '" << argument
             << "'\n";
      return usage(errs(), 1);
    } else {
      result.files.push_back(argument);
    }
  }
  return result.files.empty() ? usage(errs(), 1) : result;
}

} // namespace gpulto
