//===- MemoryReport.h - What the link says of memory accesses ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_TABLES_MEMORYREPORT_H
#define GPULTO_LTO_TABLES_MEMORYREPORT_H

#include "lto/link/LinkOptions.h"
#include "lto/tables/MemoryTable.h"
#include "summary/Facts.h"
#include "support/Diagnostics.h"

#include <map>
#include <string>
#include <vector>

namespace gpulto {

/// Adds the \p rows of a job to those of the image for \p arch, with the places
/// of \p launches, by the names of kernels while bodies move.
void addAccesses(llvm::StringRef arch, std::vector<MemoryRow> rows,
                 const std::map<std::string, KernelLaunches> &launches,
                 MemoryTable &memory);

/// Makes a remark, pass `gpulto-memory`, of each row that wastes bandwidth, and
/// an error where \p options ask for it. A place in several images counts once.
void reportAccesses(const MemoryTable &memory,
                    const MemoryReportOptions &options,
                    Diagnostics &diagnostics);

} // namespace gpulto

#endif
