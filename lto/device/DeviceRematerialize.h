//===- DeviceRematerialize.h - Compute addresses again ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICEREMATERIALIZE_H
#define GPULTO_LTO_DEVICE_DEVICEREMATERIALIZE_H

namespace llvm {
class FunctionPass;
} // namespace llvm

namespace gpulto {

/// Returns a pass over NVPTX's machine code in SSA form that recomputes
/// integers where they are used, if many more are live than a thread has
/// registers. The caller owns it.
llvm::FunctionPass *createRematerializePass();

} // namespace gpulto

#endif
