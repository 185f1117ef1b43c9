//===- DriverParameterNames.cpp - Parameters keep their names -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   __global__ void scale(float *p, int n, float f);
//   remark: parameter 'n' is 1024 (32 bits) in 'scale(float*, int, float)'
//
// clang drops the names of all values while it makes IR, unless it is asked to
// keep all, which costs time. LGEN wants those of parameters, for messages
// (ipa/bodies/SourcePlaces), and drops them again. They are given in the code
// that a function begins with.
//
// clang has no hook there: the program is linked with --wrap= of a function of
// its code generation (Clang.cmake).
//
//===----------------------------------------------------------------------===//

#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;

// The function of clang, and ours in its place. A member function is called as
// a function whose first parameter is the object. The types are clang's own.
void realFunctionProlog(void *, const void *, Function *, const void *) __asm__(
    "__real__ZN5clang7CodeGen15CodeGenFunction18EmitFunctionPrologERKNS0_"
    "14CGFunctionInfoEPN4llvm8FunctionERKNS0_15FunctionArgListE");
void wrapFunctionProlog(void *, const void *, Function *, const void *) __asm__(
    "__wrap__ZN5clang7CodeGen15CodeGenFunction18EmitFunctionPrologERKNS0_"
    "14CGFunctionInfoEPN4llvm8FunctionERKNS0_15FunctionArgListE");

void wrapFunctionProlog(void *generator, const void *info, Function *function,
                        const void *arguments) {
  LLVMContext &context = function->getContext();
  if (!context.shouldDiscardValueNames())
    return realFunctionProlog(generator, info, function, arguments);
  context.setDiscardValueNames(false);
  realFunctionProlog(generator, info, function, arguments);
  context.setDiscardValueNames(true);
  for (BasicBlock &block : *function) {
    block.setName("");
    for (Instruction &instruction : block)
      instruction.setName("");
  }
}
