//===- report.cpp - Printing and comparing --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "heat.h"

#include <cstdio>
#include <cstring>

void printSummary(const char *title, const Summary &summary) {
  std::printf("%s: total %lld mean %.6f maximum %d (%.4f degrees) moved %llu\n",
              title, summary.total, summary.mean, summary.maximum,
              static_cast<double>(summary.maximumDegrees), summary.moved);
  std::printf("%s: bins", title);
  for (unsigned count : summary.bins)
    std::printf(" %u", count);
  std::printf("\n%s: checksum %08x\n", title, summary.checksum);
}

bool sameSummary(const Summary &left, const Summary &right) {
  return left.total == right.total && left.mean == right.mean &&
         left.maximum == right.maximum &&
         left.maximumDegrees == right.maximumDegrees &&
         left.moved == right.moved && left.checksum == right.checksum &&
         std::memcmp(left.bins, right.bins, sizeof(left.bins)) == 0;
}
