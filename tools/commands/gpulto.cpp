//===- gpulto.cpp - The gpulto command ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// gpulto COMMAND ARGUMENT...: one table of commands, each in its own file.
//
//===----------------------------------------------------------------------===//

#include "lto/link/VersionText.h"
#include "tools/commands/Commands.h"
#include "tools/commands/CudaHomeCommand.h"
#include "tools/commands/DumpCommand.h"
#include "tools/commands/ExplainCommand.h"
#include "tools/commands/ImagesCommand.h"
#include "tools/commands/LtoCommand.h"
#include "tools/commands/LtransCommand.h"
#include "tools/commands/SymbolizeCommand.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace {

struct Subcommand {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  /// Runs it on the words after its name and returns the exit status.
  int (*run)(llvm::ArrayRef<const char *> arguments);
};

constexpr Subcommand kSubcommands[] = {
    {"cuda-home", "make a tree that serves as CUDA_HOME, whose nvcc is ours",
     gpulto::cudaHomeCommand},
    {"dump", "print objects, archives, summaries, call graph, job files",
     gpulto::dumpCommand},
    {"explain", "say what a linked program was made of, and how",
     gpulto::explainCommand},
    {"images", "print the device images that a file holds",
     gpulto::imagesCommand},
    {"lto", "link objects without a linker, resolutions given",
     gpulto::ltoCommand},
    {"ltrans", "run one job of a link", gpulto::ltransCommand},
    {"symbolize", "name the frames of a stack trace", gpulto::symbolizeCommand},
};

void printUsage(llvm::raw_ostream &out) {
  out << "usage: gpulto COMMAND ARGUMENT...\n       gpulto --version\n\n"
         "commands:\n";
  for (const Subcommand &subcommand : kSubcommands)
    out << llvm::formatv("  {0,-9} {1}\n", subcommand.name, subcommand.summary);
}

} // namespace

int gpulto::commandMain(llvm::ArrayRef<const char *> words) {
  llvm::StringRef name = words.size() > 1 ? words[1] : "";
  if (name == "--help" || name == "-h" || name == "help") {
    printUsage(llvm::outs());
    return 0;
  }
  if (name == "--version") {
    llvm::outs() << gpulto::versionText() << '\n';
    return 0;
  }
  for (const Subcommand &subcommand : kSubcommands)
    if (subcommand.name == name)
      return subcommand.run(words.drop_front(2));
  if (!name.empty())
    llvm::errs() << "gpulto: unknown command '" << name << "'\n";
  printUsage(llvm::errs());
  return 2;
}
