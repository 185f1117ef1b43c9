//===- DeviceDistances.h - Values at constant distances ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICEDISTANCES_H
#define GPULTO_LTO_DEVICE_DEVICEDISTANCES_H

namespace llvm {
class DominatorTree;
class ScalarEvolution;
class TargetPassConfig;
} // namespace llvm

namespace gpulto {

/// Computes addresses and integers of the function of \p dominators at a
/// constant distance from one that has been computed before as that plus the
/// constant. Returns whether there are any. The function keeps its blocks,
/// \p evolution stays valid.
bool shareByDistance(const llvm::DominatorTree &dominators,
                     llvm::ScalarEvolution &evolution);

/// Has code generation call shareByDistance when addresses have been split.
void insertSharing(llvm::TargetPassConfig &config);

} // namespace gpulto

#endif
