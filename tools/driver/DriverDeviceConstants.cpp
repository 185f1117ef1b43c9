//===- DriverDeviceConstants.cpp - Where constants of the device are ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// clang keeps every constant that the device may use in constant memory, even
// if the source asks for global memory:
//
//   static const __device__ float table[256] = {...};   global, as nvcc has it
//   __constant__ float table[256] = {...};              constant memory
//
// Threads of a warp that read different elements take turns in constant memory,
// and a module has 64 KiB of it, less than the tables of ggml.
//
// One function of clang decides whether a variable goes to constant memory. The
// program is linked with --wrap= for it (Clang.cmake).
//
//===----------------------------------------------------------------------===//

#include "tools/driver/DriverAttributes.h"

#include "clang/Sema/SemaCUDA.h"

using namespace clang;
using gpulto::driver::isWritten;

// The function of clang, and ours in its place. A member function is called as
// a function whose first parameter is the object.
void realMaybeAddConstant(SemaCUDA *, VarDecl *) __asm__(
    "__real__ZN5clang8SemaCUDA20MaybeAddConstantAttrEPNS_7VarDeclE");
void wrapMaybeAddConstant(SemaCUDA *, VarDecl *) __asm__(
    "__wrap__ZN5clang8SemaCUDA20MaybeAddConstantAttrEPNS_7VarDeclE");

void wrapMaybeAddConstant(SemaCUDA *sema, VarDecl *variable) {
  if (!isWritten<CUDADeviceAttr>(*variable))
    realMaybeAddConstant(sema, variable);
}
