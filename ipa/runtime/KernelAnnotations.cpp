//===- KernelAnnotations.cpp - Declarations for kernels -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Kernels have a calling convention of their own, and attributes:
// "nvvm.maxntid"="256,1,1".
//
//===----------------------------------------------------------------------===//

#include "ipa/runtime/KernelAnnotations.h"

#include "summary/Bodies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

static constexpr StringLiteral kMaximum = "nvvm.maxntid";
static constexpr StringLiteral kRequired = "nvvm.reqntid";
static constexpr StringLiteral kRegisters = "nvvm.maxnreg";
static constexpr StringLiteral kCluster = "nvvm.cluster_dim";
static constexpr StringLiteral kMinBlocks = "nvvm.minctasm";

SmallVector<uint32_t, 3> KernelAnnotations::numbersOf(StringRef name) const {
  SmallVector<uint32_t, 3> numbers;
  SmallVector<StringRef, 3> texts;
  function.getFnAttribute(name).getValueAsString().split(texts, ',');
  for (StringRef text : texts)
    if (uint32_t number; !text.trim().getAsInteger(10, number))
      numbers.push_back(number);
  return numbers;
}

uint64_t KernelAnnotations::product(StringRef name) const {
  uint64_t result = 0;
  for (uint32_t number : numbersOf(name))
    result = (result ? result : 1) * number;
  return result;
}

void KernelAnnotations::set(StringRef name, ArrayRef<uint32_t> numbers) {
  function.addFnAttr(
      name,
      join(map_range(numbers, [](uint32_t n) { return utostr(n); }), ","));
}

bool KernelAnnotations::isKernel() {
  return function.getCallingConv() == CallingConv::PTX_Kernel;
}

uint64_t KernelAnnotations::requiredThreads() { return product(kRequired); }

uint64_t KernelAnnotations::maxThreads() { return product(kMaximum); }

void KernelAnnotations::describe(FunctionSummary &kernel) const {
  auto copy = [&](StringRef name, auto &axes) {
    for (auto [number, axis] : zip(numbersOf(name), axes))
      axis = number;
  };
  copy(kMaximum, kernel.maxThreads);
  copy(kRequired, kernel.requiredThreads);
  if (auto numbers = numbersOf(kMinBlocks); !numbers.empty())
    kernel.minBlocksPerSM = numbers.front();
  if (auto numbers = numbersOf(kRegisters); !numbers.empty())
    kernel.maxRegisters = numbers.front();
}

void KernelAnnotations::requireBlock(std::array<uint32_t, 3> block) {
  function.removeFnAttr(kMaximum);
  set(kRequired, block);
}

void KernelAnnotations::limitThreads(uint64_t threads) {
  set(kMaximum, static_cast<uint32_t>(threads));
}

void KernelAnnotations::limitRegisters(uint32_t registers) {
  if (!product(kRegisters))
    set(kRegisters, registers);
}

void KernelAnnotations::keepResident(uint32_t blocks) {
  if (product(kMinBlocks) < blocks)
    set(kMinBlocks, blocks);
}

void KernelAnnotations::requireCluster(std::array<uint32_t, 3> blocks) {
  set(kCluster, blocks);
}

} // namespace gpulto
