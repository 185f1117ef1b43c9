//===- DumpFolds.h - Folds of a linked program as text ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_DUMPFOLDS_H
#define GPULTO_TOOLS_COMMANDS_DUMPFOLDS_H

#include "lto/tables/FoldTable.h"

#include "llvm/Support/raw_ostream.h"

namespace gpulto {

/// Prints a line per definition of each class, and the totals.
void printFolds(llvm::raw_ostream &out, const FoldTable &table);

} // namespace gpulto

#endif
