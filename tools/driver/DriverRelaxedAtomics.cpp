//===- DriverRelaxedAtomics.cpp - CUDA's atomic functions are marked ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   atomicAdd(p, 1)                                  orders no other accesses
//   __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST)       orders all
//
// clang 22 makes the same instruction of both. CUDA's functions come by
// built-in functions of NVPTX (`__nvvm_atom_add_gen_i`), so that what clang
// makes of one of those is marked. clang has no hook there: the program is
// linked with --wrap= of a function of its code generation (Clang.cmake).
//
//===----------------------------------------------------------------------===//

#include "lto/lgen/ModuleRepair.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

// The function of clang, and ours in its place. A member function is called as
// a function whose first parameter is the object. The types are clang's own.
Value *realBuiltin(void *, unsigned, const void *) __asm__(
    "__real__ZN5clang7CodeGen15CodeGenFunction20EmitNVPTXBuiltinExprEjPKNS_"
    "8CallExprE");
Value *wrapBuiltin(void *, unsigned, const void *) __asm__(
    "__wrap__ZN5clang7CodeGen15CodeGenFunction20EmitNVPTXBuiltinExprEjPKNS_"
    "8CallExprE");

Value *wrapBuiltin(void *generator, unsigned builtin, const void *call) {
  Value *result = realBuiltin(generator, builtin, call);
  Value *made = result;
  if (auto *part = dyn_cast_or_null<ExtractValueInst>(made))
    made = part->getAggregateOperand(); // of a compare-and-exchange
  if (isa_and_nonnull<AtomicRMWInst, AtomicCmpXchgInst>(made)) {
    auto *atomic = cast<Instruction>(made);
    atomic->setMetadata(gpulto::kRelaxedAtomic,
                        MDNode::get(atomic->getContext(), {}));
  }
  return result;
}
