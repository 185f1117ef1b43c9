//===- MemoryOrder.h - Where threads wait for each other --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_BODIES_MEMORYORDER_H
#define GPULTO_IPA_BODIES_MEMORYORDER_H

namespace llvm {
class Function;
class Instruction;
class Module;
} // namespace llvm

namespace gpulto {

/// Returns whether \p instruction, which is not a call, may make accesses of
/// other threads visible: it is a fence, an atomic access that is more than
/// relaxed, or a volatile access, with which programs wait as well.
bool ordersThreads(const llvm::Instruction &instruction);

/// Returns whether the body of \p function has such an instruction.
bool ordersThreads(const llvm::Function &function);

/// LLVM infers that a function that waits for `*flag` touches only what its
/// argument points to, and then keeps other memory in registers across calls of
/// it. Removes that from such functions of \p module and from their callers.
/// Code that optimizes \p module must not let LLVM infer it again.
void doubtNarrowEffects(llvm::Module &module);

} // namespace gpulto

#endif
