//===- DumpSummary.h - Summaries as text ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_DUMPSUMMARY_H
#define GPULTO_TOOLS_COMMANDS_DUMPSUMMARY_H

#include "llvm/Support/raw_ostream.h"

namespace gpulto {

struct ModuleSummary;

/// Prints the facts of the module that belong to no symbol.
void printHeader(llvm::raw_ostream &out, const ModuleSummary &summary);

/// Prints a line per symbol, COMDAT, alias, structor and offload entry.
void printSymbols(llvm::raw_ostream &out, const ModuleSummary &summary);

/// Prints functions and variables with their edges. \p digests: with content
/// digests, which change with the compiler.
void printBodies(llvm::raw_ostream &out, const ModuleSummary &summary,
                 bool digests);

/// Prints call, launch and reference edges, one per line.
void printCallGraph(llvm::raw_ostream &out, const ModuleSummary &summary);

/// Prints nodes and edges for Graphviz; \p prefix keeps modules apart.
void printDot(llvm::raw_ostream &out, const ModuleSummary &summary,
              llvm::StringRef prefix);

} // namespace gpulto

#endif
