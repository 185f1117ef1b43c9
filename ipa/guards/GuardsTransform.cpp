//===- GuardsTransform.cpp - Tests at the launch, in LTRANS ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// In the stub, where clang passes the kernel's arguments to the runtime:
//
//   %n = load i32, ptr (load ptr, ptr %arguments + 8 * 3)
//   %handle = select i1 (icmp eq (and %n, 3), 0), @dot$cp1, @dot
//   call @cudaLaunchKernel(ptr %handle, ..., ptr %arguments, ...)
//
// The test reads what the runtime will read, so it does not depend on how the
// stub got its arguments. All of it is straight-line code without calls.
// Pointers that may overlap: ipa/guards/GuardOverlapsTransform.cpp.
//
//===----------------------------------------------------------------------===//

#include "ipa/guards/GuardsTransform.h"

#include "ipa/clones/ClonesTransform.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/values/RuntimeCalls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

namespace {

/// Operands of cudaLaunchKernel: x and y of the grid as one number, and the
/// array of pointers to arguments.
constexpr unsigned kGridOperand = 1, kArgumentsOperand = 5;

class TestBuilder {
public:
  explicit TestBuilder(CallBase &launch) : builder(&launch), launch(launch) {}

  /// Returns whether \p guard holds of the launch, as an i1.
  Value *build(const FunctionFacts &guard) {
    for (const ValueFact &fact : guard.values)
      addValue(fact);
    if (!guard.geometry.empty())
      addGridX(guard.geometry.front());
    return result ? result : builder.getTrue();
  }

private:
  void add(Value *test) {
    result = result ? builder.CreateAnd(result, test) : test;
  }
  void addValue(const ValueFact &fact);
  void addGridX(const GeometryFact &fact);

  IRBuilder<> builder;
  CallBase &launch;
  Value *result = nullptr;
};

} // namespace

void TestBuilder::addValue(const ValueFact &fact) {
  const DataLayout &layout = launch.getFunction()->getParent()->getDataLayout();
  Value *place = builder.CreateLoad(
      builder.getPtrTy(),
      builder.CreateConstInBoundsGEP1_64(
          builder.getInt8Ty(), launch.getArgOperand(kArgumentsOperand),
          uint64_t(fact.parameter) * layout.getPointerSize()));
  place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), place,
                                             fact.byteOffset);
  unsigned width =
      fact.bitWidth ? fact.bitWidth : layout.getPointerSizeInBits();
  Type *type = builder.getIntNTy(width);
  Value *value = builder.CreateAlignedLoad(type, place, Align());
  APInt zeros(width, fact.knownZeros);
  if (!fact.bitWidth)
    zeros = APInt::getLowBitsSet(width, fact.alignLog2);
  if (fact.kind == ValueKind::Constant) {
    add(builder.CreateICmpEQ(value, ConstantInt::get(type, fact.value)));
    return;
  }
  if (!zeros.isZero())
    add(builder.CreateIsNull(builder.CreateAnd(value, zeros)));
  if (fact.bitWidth && APInt(width, fact.high) != APInt::getMaxValue(width))
    add(builder.CreateICmpULE(value, ConstantInt::get(type, fact.high)));
}

void TestBuilder::addGridX(const GeometryFact &fact) {
  Value *grid = launch.getArgOperand(kGridOperand);
  Value *x = builder.CreateTrunc(grid, builder.getInt32Ty());
  add(builder.CreateICmpULE(x, builder.getInt32(fact.high)));
}

/// Whether \p launch passes grid and block as two numbers each, the first of
/// them of two dimensions.
static bool hasPlainGeometry(const CallBase &launch) {
  constexpr unsigned kPairs[] = {1, 3}, kWords[] = {2, 4};
  auto isOf = [&](unsigned operand, unsigned width) {
    return launch.getArgOperand(operand)->getType()->isIntegerTy(width);
  };
  return all_of(kPairs, [&](unsigned i) { return isOf(i, 64); }) &&
         all_of(kWords, [&](unsigned i) { return isOf(i, 32); });
}

bool applyGuardTest(Function &stub, const FunctionFacts &guard,
                    const OverlapGuard &overlap, Function &guarded) {
  SmallVector<CallBase *, 1> launches;
  for (Instruction &instruction : instructions(stub))
    if (auto *call = dyn_cast<CallBase>(&instruction);
        call && launchKindOf(*call) == LaunchKind::Runtime &&
        hasPlainGeometry(*call) &&
        handleOf(*call)->stripPointerCasts() == &stub)
      launches.push_back(call);
  for (CallBase *launch : launches) {
    Value *holds = TestBuilder(*launch).build(guard);
    if (!overlap.pairs.empty())
      holds = BinaryOperator::CreateAnd(
          holds, buildOverlapTest(*launch, overlap), "", launch->getIterator());
    handleOf(*launch).set(
        SelectInst::Create(holds, &guarded, &stub, "", launch->getIterator()));
  }
  return !launches.empty();
}

} // namespace gpulto
