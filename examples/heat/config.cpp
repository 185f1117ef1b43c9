//===- config.cpp - Command line and constants ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "heat.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

static bool readNumber(const char *text, int lowest, int highest, int &to) {
  char *end = nullptr;
  long value = std::strtol(text, &end, 10);
  if (end == text || *end || value < lowest || value > highest) {
    std::fprintf(stderr, "heat: %s is no number from %d to %d\n", text, lowest,
                 highest);
    return false;
  }
  to = static_cast<int>(value);
  return true;
}

bool parseOptions(int argc, char **argv, Options &options) {
  int place = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "-q") == 0) {
      options.quiet = true;
      continue;
    }
    int *values[] = {&options.width, &options.height, &options.steps,
                     &options.blockHeight};
    const int highest[] = {4096, 4096, 100000, 64};
    if (place == 4) {
      std::fprintf(stderr,
                   "usage: heat [-q] [width [height [steps [block]]]]\n");
      return false;
    }
    if (!readNumber(argv[i], 1, highest[place], *values[place]))
      return false;
    ++place;
  }
  return true;
}

Materials chooseMaterials() { return {{16, 64, 128, 200}, 4}; }
