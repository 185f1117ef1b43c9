//===- LargePages.h - Memory in large pages ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUPPORT_LARGEPAGES_H
#define GPULTO_SUPPORT_LARGEPAGES_H

#include <string>
#include <utility>
#include <vector>

namespace gpulto {

/// Adds to \p environment, of a program that is to be run, that malloc of the
/// GNU C library takes large pages, where the system gives these to who asks.
/// Does nothing if our own environment tunes that library. What a program
/// writes does not depend on it.
void askForLargePages(
    std::vector<std::pair<std::string, std::string>> &environment);

} // namespace gpulto

#endif // GPULTO_SUPPORT_LARGEPAGES_H
