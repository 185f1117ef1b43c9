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

/// Returns whether accesses of other threads may be visible behind
/// \p instruction, no call, that were not before: it is a fence, an atomic
/// access that is more than relaxed, or a volatile one, with which programs
/// wait as well.
bool ordersThreads(const llvm::Instruction &instruction);

/// Returns whether the body of \p function has such an instruction.
bool ordersThreads(const llvm::Function &function);

/// LLVM infers of a function that waits for `*flag` that it touches what its
/// argument points to and nothing else, and then keeps other memory over calls
/// of it. Takes that from those of \p module, and from their callers. Whoever
/// optimizes \p module must not let LLVM infer it again.
void doubtNarrowEffects(llvm::Module &module);

} // namespace gpulto

#endif
