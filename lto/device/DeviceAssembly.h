//===- DeviceAssembly.h - Addresses of inline assembly ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_DEVICE_DEVICEASSEMBLY_H
#define GPULTO_LTO_DEVICE_DEVICEASSEMBLY_H

namespace llvm {
class CallInst;
class TargetPassConfig;
} // namespace llvm

namespace gpulto {

/// Writes the constant in an address that is an operand of the inline assembly
/// \p call into its text: `[$1]` of `p + 32` becomes `[$1+32]` of `p`. Only
/// operands that the text has in brackets and nowhere else. Returns whether
/// there are any.
bool moveOffsetsIntoText(llvm::CallInst &call);

/// Has code generation do so for all inline assembly, when addresses have been
/// split.
void insertAssemblyOffsets(llvm::TargetPassConfig &config);

} // namespace gpulto

#endif
