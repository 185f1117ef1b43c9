//===- DeviceAtomics.h - Atomic operations as CUDA means them ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICEATOMICS_H
#define GPULTO_LTO_DEVICE_DEVICEATOMICS_H

namespace llvm {
class Module;
}

namespace gpulto {

/// Prepares what is atomic in the device module \p module for NVPTX's code
/// generation for sm_\p smVersion: compare-and-exchanges that
/// markRelaxedExchanges marked order nothing, those of 16 bits are one
/// instruction where there is one, fences of one thread with itself go. Nothing
/// may be optimized after it: what these things kept in order is not any more.
void lowerAtomics(llvm::Module &module, unsigned smVersion);

} // namespace gpulto

#endif
