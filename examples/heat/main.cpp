//===- main.cpp - Runs on the device and compares with the host -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "heat.h"

#include <cstdio>

int main(int argc, char **argv) {
  Options options;
  if (!parseOptions(argc, argv, options))
    return 1;
  Materials materials = chooseMaterials();
  Summary device = runOnDevice(options, materials);
  printSummary("device", device);
  Summary reference = runReference(options, materials);
  if (!options.quiet)
    printSummary("host", reference);
  if (!sameSummary(device, reference)) {
    std::printf("heat: device and host disagree\n");
    return 1;
  }
  std::printf("heat: device and host agree\n");
  return 0;
}
