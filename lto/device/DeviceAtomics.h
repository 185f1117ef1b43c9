//===- DeviceAtomics.h - CUDA's atomic operations ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICEATOMICS_H
#define GPULTO_LTO_DEVICE_DEVICEATOMICS_H

namespace llvm {
class Module;
}

namespace gpulto {

/// Prepares atomic operations in the device module \p module for NVPTX's code
/// generation for sm_\p smVersion: those that are marked with kRelaxedAtomic
/// order nothing, all others have the ordering and the scope that they are
/// given; compare-and-exchanges of 16 bits become one instruction if it exists,
/// and fences of a thread with itself are removed. Nothing may be optimized
/// after it, since the order that these operations kept is lost.
void lowerAtomics(llvm::Module &module, unsigned smVersion);

} // namespace gpulto

#endif
