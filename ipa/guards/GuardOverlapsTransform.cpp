//===- GuardOverlapsTransform.cpp - Pointers apart, in LTRANS -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The stub compares what the kernel touches through two pointers:
//
//   out + 4 * n <= in || in + 4 * n <= out       in 64 bits; what wraps, is
//                                                negative or breaks a premise
//                                                takes the kernel as it was
//
// In the kernel launched then, accesses through the two pointers are marked as
// apart from each other, and from nothing else:
//
//   load float, ptr %a, !alias.scope {in}, !noalias {out}
//   store float %b, ptr %c, !alias.scope {out}, !noalias {in}
//
// `noalias` on the parameters would also concern all other memory, and code
// generation would read it as "nobody writes there". Scopes hold for the whole
// kernel and all iterations of its loops, and stay on instructions that LLVM
// copies.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/PointerAccesses.h"
#include "ipa/guards/GuardsTransform.h"
#include "summary/Launches.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

#include <map>

using namespace llvm;

namespace gpulto {

/// Whether the pairs of \p guard are of its pointers: a job file may be
/// damaged.
static bool isWhole(const OverlapGuard &guard) {
  return all_of(guard.pairs, [&](const OverlapGuard::Pair &pair) {
    return std::max(pair.first, pair.second) < guard.pointers.size();
  });
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Adds \p scopes to the list of kind \p kind of \p instruction.
static void addScopes(Instruction &instruction, unsigned kind,
                      ArrayRef<Metadata *> scopes) {
  if (scopes.empty())
    return;
  MDNode *list = MDNode::get(instruction.getContext(), scopes);
  instruction.setMetadata(
      kind, MDNode::concatenate(instruction.getMetadata(kind), list));
}

bool applyOverlap(Function &kernel, const OverlapGuard &guard) {
  if (kernel.isDeclaration() || kernel.hasOptNone() || guard.pairs.empty() ||
      !isWhole(guard))
    return false;
  // Nothing can be said about a pointer without all of its accesses.
  std::vector<std::optional<std::vector<PointerAccess>>> accesses;
  for (const PointerExtent &extent : guard.pointers)
    accesses.push_back(accessesThrough(kernel, extent.pointer));
  MDBuilder builder(kernel.getContext());
  MDNode *domain = builder.createAnonymousAliasScopeDomain("gpulto.overlap");
  SmallVector<Metadata *, 8> scopes;
  std::vector<SmallVector<Metadata *, 8>> others(guard.pointers.size());
  for (size_t i = 0; i < guard.pointers.size(); ++i)
    scopes.push_back(builder.createAnonymousAliasScope(domain));
  for (const OverlapGuard::Pair &pair : guard.pairs)
    if (accesses[pair.first] && accesses[pair.second]) {
      others[pair.first].push_back(scopes[pair.second]);
      others[pair.second].push_back(scopes[pair.first]);
    }
  bool changed = false;
  for (auto [mine, scope, apart] : zip(accesses, scopes, others)) {
    if (apart.empty())
      continue;
    for (const PointerAccess &access : *mine) {
      // Others, copies for instance, may touch more than this memory, and what
      // a volatile access waits for may be anywhere.
      Instruction &instruction = *access.instruction;
      if (instruction.isVolatile() ||
          !isa<LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(
              instruction))
        continue;
      addScopes(instruction, LLVMContext::MD_alias_scope, scope);
      addScopes(instruction, LLVMContext::MD_noalias, apart);
      changed = true;
    }
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// The stub
//===----------------------------------------------------------------------===//

namespace {

/// Operands of cudaLaunchKernel: x and y of the grid as one number, z; the same
/// of the block; and the array of pointers to arguments.
constexpr unsigned kGridOperand = 1, kBlockOperand = 3, kArgumentsOperand = 5;

/// Builds what computes sums before a launch, in 64 bits, and whether all of
/// them are right.
class SumBuilder {
public:
  explicit SumBuilder(CallBase &launch)
      : builder(&launch), launch(launch), type(builder.getInt64Ty()) {}

  /// Returns whether the pointers of all pairs of \p guard lead to memory
  /// apart, as an i1.
  Value *build(const OverlapGuard &guard);

private:
  Value *valueOf(const LaunchValue &value);
  Value *geometryOf(uint32_t component);
  Value *argument(uint32_t parameter, uint32_t byteOffset, Type *loaded);
  Value *sumOf(const LaunchSum &sum);
  /// Returns \p a + \p b or \p a * \p b, which must not overflow.
  Value *exact(Intrinsic::ID id, Value *a, Value *b);
  Value *endOf(Value *pointer, ArrayRef<LaunchSum> ends, Intrinsic::ID choose);
  void require(Value *test) {
    holds = holds ? builder.CreateAnd(holds, test) : test;
  }
  void requireNotNegative(Value *value) {
    require(builder.CreateICmpSGE(value, builder.getInt64(0)));
  }

  IRBuilder<> builder;
  CallBase &launch;
  Type *type;
  Value *holds = nullptr;
  std::map<LaunchValue, Value *> values;
};

} // namespace

Value *SumBuilder::argument(uint32_t parameter, uint32_t byteOffset,
                            Type *loaded) {
  const DataLayout &layout = launch.getFunction()->getParent()->getDataLayout();
  Value *place = builder.CreateLoad(
      builder.getPtrTy(),
      builder.CreateConstInBoundsGEP1_64(
          builder.getInt8Ty(), launch.getArgOperand(kArgumentsOperand),
          uint64_t(parameter) * layout.getPointerSize()));
  place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), place,
                                             byteOffset);
  return builder.CreateAlignedLoad(loaded, place, Align());
}

Value *SumBuilder::geometryOf(uint32_t component) {
  constexpr unsigned kWordBits = 32;
  bool isOfBlock = component >= kBlockX;
  unsigned dimension = component - (isOfBlock ? kBlockX : kGridX);
  unsigned operand = isOfBlock ? kBlockOperand : kGridOperand;
  bool isZ = dimension == 2;
  Value *word = launch.getArgOperand(operand + isZ);
  if (dimension == 1)
    word = builder.CreateLShr(word, kWordBits);
  return builder.CreateZExt(builder.CreateTrunc(word, builder.getInt32Ty()),
                            type);
}

/// Returns \p value, which must not be negative.
Value *SumBuilder::valueOf(const LaunchValue &value) {
  Value *&known = values[value];
  if (known)
    return known;
  if (value.isGeometry)
    return known = geometryOf(value.parameter);
  known = builder.CreateSExt(argument(value.parameter, value.byteOffset,
                                      builder.getIntNTy(value.bitWidth)),
                             type);
  requireNotNegative(known);
  return known;
}

Value *SumBuilder::exact(Intrinsic::ID id, Value *a, Value *b) {
  Value *both = builder.CreateBinaryIntrinsic(id, a, b);
  require(builder.CreateNot(builder.CreateExtractValue(both, 1)));
  return builder.CreateExtractValue(both, 0);
}

Value *SumBuilder::sumOf(const LaunchSum &sum) {
  Value *total = nullptr;
  for (const LaunchTerm &term : sum.terms) {
    Value *product = ConstantInt::getSigned(type, term.coefficient);
    for (const LaunchValue &factor : term.factors)
      product = exact(Intrinsic::smul_with_overflow, product, valueOf(factor));
    total =
        total ? exact(Intrinsic::sadd_with_overflow, total, product) : product;
  }
  return total ? total : builder.getInt64(0);
}

/// Returns \p pointer plus the least or greatest of \p ends.
Value *SumBuilder::endOf(Value *pointer, ArrayRef<LaunchSum> ends,
                         Intrinsic::ID choose) {
  Value *end = nullptr;
  for (const LaunchSum &sum : ends) {
    Value *next = sumOf(sum);
    end = end ? builder.CreateBinaryIntrinsic(choose, end, next) : next;
  }
  return end ? exact(Intrinsic::sadd_with_overflow, pointer, end) : pointer;
}

Value *SumBuilder::build(const OverlapGuard &guard) {
  if (!isWhole(guard))
    return builder.getFalse();
  std::vector<std::pair<Value *, Value *>> ranges;
  for (const PointerExtent &extent : guard.pointers) {
    Value *pointer =
        argument(extent.pointer.parameter, extent.pointer.byteOffset, type);
    requireNotNegative(pointer);
    for (const LaunchSum &premise : extent.premises)
      requireNotNegative(sumOf(premise));
    Value *low = endOf(pointer, extent.lows, Intrinsic::smin);
    requireNotNegative(low);
    ranges.push_back({low, endOf(pointer, extent.highs, Intrinsic::smax)});
  }
  for (const OverlapGuard::Pair &pair : guard.pairs) {
    auto [low, high] = ranges[pair.first];
    auto [otherLow, otherHigh] = ranges[pair.second];
    require(builder.CreateOr(builder.CreateICmpSLE(high, otherLow),
                             builder.CreateICmpSLE(otherHigh, low)));
  }
  return holds ? holds : builder.getTrue();
}

Value *buildOverlapTest(CallBase &launch, const OverlapGuard &guard) {
  return SumBuilder(launch).build(guard);
}

} // namespace gpulto
