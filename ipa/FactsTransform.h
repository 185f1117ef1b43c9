//===- FactsTransform.h - Put proven facts into bodies ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_FACTSTRANSFORM_H
#define GPULTO_IPA_FACTSTRANSFORM_H

#include "summary/Decisions.h"
#include "summary/Facts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace llvm {
class CallBase;
class Constant;
class Function;
class Module;
class Use;
class Value;
} // namespace llvm

namespace gpulto {

/// Metadata of the calls that markCalls marks.
inline constexpr llvm::StringLiteral kCallMark = "gpulto.call";

/// Metadata of the calls that markInlining marks.
inline constexpr llvm::StringLiteral kInlineMark = "gpulto.inline";

/// Metadata of the calls that markRecursion marks.
inline constexpr llvm::StringLiteral kRecursionMark = "gpulto.recursion";

/// Rewrites \p function, a body, by what \p facts say of its parameters:
/// constants replace uses, bounds become attributes. The signature stays.
/// \p addressOf returns the symbol of an address fact, or null to leave the
/// fact alone. Returns whether the body changed. Functions that are not to be
/// optimized (optnone, naked) are left alone.
bool applyValueFacts(
    llvm::Function &function, const FunctionFacts &facts,
    llvm::function_ref<llvm::Constant *(const ValueFact &)> addressOf);

/// Puts into the device body \p function what the host tests before it launches
/// it, \p guard: as applyValueFacts and applyGeometry do, and that integers are
/// multiples, which costs an instruction. Returns whether the body changed.
bool applyGuard(llvm::Function &function, const FunctionFacts &guard);

/// Says of accesses in \p kernel, a body as LGEN saw it, through pointers that
/// \p guard has as pairs that they do not touch the same memory. Returns
/// whether there are any.
bool applyOverlap(llvm::Function &kernel, const OverlapGuard &guard);

/// Lets the launch of \p stub launch \p guarded instead where \p guard and
/// \p overlap hold. Returns whether there is a launch.
bool applyGuardTest(llvm::Function &stub, const FunctionFacts &guard,
                    const OverlapGuard &overlap, llvm::Function &guarded);

/// Returns, as an i1 before \p launch, a call of cudaLaunchKernel, whether the
/// pointers of all pairs of \p guard lead to memory apart in this launch.
llvm::Value *buildOverlapTest(llvm::CallBase &launch,
                              const OverlapGuard &guard);

/// Replaces the results of direct calls of \p function by what \p fact says
/// that it returns, or says its bounds in attributes. \p fact has no symbol.
void applyReturned(llvm::Function &function, const ValueFact &fact);

/// Notes in attributes of \p kernel that \p pairs are apart, and that nothing
/// writes behind \p pointers, for markPointerAccesses(). Return whether there
/// is anything to be noted.
bool noteApart(llvm::Function &kernel, llvm::ArrayRef<ApartPair> pairs);
bool noteUnwritten(llvm::Function &kernel,
                   llvm::ArrayRef<PointerSource> pointers);

/// Says of accesses in \p kernel through pointers that attributes of it name
/// what these say: again whenever there may be new ones. Returns whether the
/// body changed.
bool markPointerAccesses(llvm::Function &kernel);

/// Takes the `noalias` that applyValueFacts gave parameters of \p function off
/// again; called before code generation.
void dropInferredNoAlias(llvm::Function &function);

/// Declares the block size of the kernel \p function that \p facts know, or an
/// upper bound, for ptxas. Returns whether something was declared.
/// \p maxRegisters: ptxas's --maxrregcount, or 0. It holds for kernels without
/// a declared block only, so a kernel that had none gets it with its block.
bool declareBlockSize(llvm::Function &function, const FunctionFacts &facts,
                      uint32_t maxRegisters);

/// Replaces what the device body \p function reads of the launch geometry by
/// the constants of \p facts, or bounds it. Returns whether the body changed.
bool applyGeometry(llvm::Function &function, const FunctionFacts &facts);

/// As applyGeometry, of the grid's x alone: the first of the geometry of
/// \p guard, if it has any.
bool applyGuardedGrid(llvm::Function &function, const FunctionFacts &guard);

/// Marks the calls of \p function, a body as LGEN saw it, that \p numbers (in
/// ascending order) name, so that they are found again in copies. Errors: the
/// body has not \p callCount calls, or one of \p launches is none of a launch
/// function of the runtime.
llvm::Error markCalls(llvm::Function &function,
                      llvm::ArrayRef<uint32_t> numbers,
                      llvm::ArrayRef<uint32_t> launches, uint32_t callCount);

/// Returns the marked calls of \p function by number, and removes the marks.
llvm::SmallVector<std::pair<uint32_t, llvm::CallBase *>, 8>
takeMarkedCalls(llvm::Function &function);

/// Marks the calls of \p function, a body as LGEN saw it, that \p numbers (in
/// ascending order) name, and indirect ones, so that they are found again in
/// copies: LLVM's inliner may inline what they call. Errors: \p numbers is not
/// empty and the body has not \p callCount calls.
llvm::Error markInlining(llvm::Function &function,
                         llvm::ArrayRef<uint32_t> numbers, uint32_t callCount);

/// Marks the calls of \p function, a body as LGEN saw it, for inlineRecursion.
/// Errors: as markInlining.
llvm::Error markRecursion(llvm::Function &function,
                          const RecursiveInlining &recursion,
                          uint32_t callCount);

/// Inlines the functions of \p partition that markRecursion has marked, and
/// copies of them, into themselves. A copy of the original is what is inlined,
/// so that each has the calls that the source has.
void inlineRecursion(llvm::Module &partition);

/// Returns the kernel's handle among the operands of \p launch, a call of one
/// of the runtime's launch functions.
llvm::Use &handleOf(llvm::CallBase &launch);

/// Lets launches in \p body of the handle \p from launch the handle \p to.
/// Returns whether there are any.
bool replaceHandle(llvm::Function &body, llvm::Function &from,
                   llvm::Function &to);

} // namespace gpulto

#endif
