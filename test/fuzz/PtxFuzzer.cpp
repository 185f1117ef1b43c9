//===- PtxFuzzer.cpp - Hostile PTX before and in the merge ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Parts are separated by lines of `====`.
//
//===----------------------------------------------------------------------===//

#include "lto/ptx/PtxLexer.h"
#include "lto/ptx/PtxMerge.h"

#include <cstdlib>
#include <vector>

using namespace gpulto;

/// Every slice of a statement must lie in its text.
static void useStatements(llvm::ArrayRef<PtxStatement> statements,
                          llvm::StringRef text) {
  for (const PtxStatement &statement : statements)
    for (llvm::StringRef slice :
         {statement.text, statement.name, statement.argument,
          statement.declaration, statement.initializer})
      if (!slice.empty() &&
          (slice.begin() < text.begin() || slice.end() > text.end()))
        std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::SmallVector<llvm::StringRef, 4> texts;
  text.split(texts, "\n====\n");
  std::vector<PtxPart> parts;
  for (llvm::StringRef part : texts) {
    llvm::Expected<std::vector<PtxStatement>> statements =
        parsePtx(part, "fuzz.ptx");
    if (statements)
      useStatements(*statements, part);
    llvm::consumeError(statements.takeError());
    parts.push_back({"fuzz.ptx", part});
  }
  llvm::Expected<std::string> merged = mergePtx(parts);
  if (!merged) {
    llvm::consumeError(merged.takeError());
    return 0;
  }
  // What was merged is PTX again.
  if (llvm::Error error = parsePtx(*merged, "merged.ptx").takeError()) {
    llvm::errs() << llvm::toString(std::move(error)) << '\n';
    std::abort();
  }
  return 0;
}
