//===- KernelAnnotations.cpp - What a module says of a kernel -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// To LLVM 19 nvvm.annotations is a list of {function, name, value, name,
// value...}; one function may have several such nodes. To LLVM 22 kernels have
// a calling convention, and attributes, "nvvm.maxntid"="256,1,1".
//
//===----------------------------------------------------------------------===//

#include "ipa/KernelAnnotations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

#if GPULTO_LLVM_MAJOR < 22

static constexpr StringLiteral kAnnotations = "nvvm.annotations";
static constexpr StringLiteral kMaximum[] = {"maxntidx", "maxntidy",
                                             "maxntidz"};
static constexpr StringLiteral kRequired[] = {"reqntidx", "reqntidy",
                                              "reqntidz"};
static constexpr StringLiteral kRegisters[] = {"maxnreg"};
static constexpr StringLiteral kCluster[] = {"cluster_dim_x", "cluster_dim_y",
                                             "cluster_dim_z"};

void KernelAnnotations::forEach(
    function_ref<bool(StringRef name, uint64_t value)> keep) {
  NamedMDNode *list = function.getParent()->getNamedMetadata(kAnnotations);
  if (!list)
    return;
  SmallVector<MDNode *> nodes;
  bool changed = false;
  for (MDNode *node : list->operands()) {
    auto *about =
        node->getNumOperands()
            ? dyn_cast_or_null<ConstantAsMetadata>(node->getOperand(0))
            : nullptr;
    if (!about || about->getValue() != &function) {
      nodes.push_back(node);
      continue;
    }
    SmallVector<Metadata *> kept = {node->getOperand(0)};
    for (unsigned i = 1; i + 1 < node->getNumOperands(); i += 2) {
      auto *name = dyn_cast<MDString>(node->getOperand(i));
      auto *value = mdconst::dyn_extract<ConstantInt>(node->getOperand(i + 1));
      if (!name || !value || keep(name->getString(), value->getZExtValue()))
        kept.append({node->getOperand(i), node->getOperand(i + 1)});
    }
    bool isWhole = kept.size() == node->getNumOperands();
    changed |= !isWhole;
    if (kept.size() > 1)
      nodes.push_back(isWhole ? node
                              : MDNode::get(function.getContext(), kept));
  }
  if (!changed)
    return;
  list->clearOperands();
  for (MDNode *node : nodes)
    list->addOperand(node);
}

uint64_t KernelAnnotations::product(ArrayRef<StringLiteral> names) {
  uint64_t result = 0;
  forEach([&](StringRef name, uint64_t value) {
    if (is_contained(names, name))
      result = (result ? result : 1) * value;
    return true;
  });
  return result;
}

void KernelAnnotations::remove(ArrayRef<StringLiteral> names) {
  forEach([&](StringRef name, uint64_t) { return !is_contained(names, name); });
}

void KernelAnnotations::add(StringRef name, uint64_t value) {
  LLVMContext &context = function.getContext();
  Metadata *operands[] = {ConstantAsMetadata::get(&function),
                          MDString::get(context, name),
                          ConstantAsMetadata::get(ConstantInt::get(
                              Type::getInt32Ty(context), value))};
  function.getParent()
      ->getOrInsertNamedMetadata(kAnnotations)
      ->addOperand(MDNode::get(context, operands));
}

void KernelAnnotations::copyTo(Function &copy) {
  NamedMDNode *list = function.getParent()->getNamedMetadata(kAnnotations);
  if (!list)
    return;
  SmallVector<MDNode *> copies;
  for (MDNode *node : list->operands()) {
    auto *about =
        node->getNumOperands()
            ? dyn_cast_or_null<ConstantAsMetadata>(node->getOperand(0))
            : nullptr;
    if (!about || about->getValue() != &function)
      continue;
    SmallVector<Metadata *> operands(node->op_begin(), node->op_end());
    operands[0] = ConstantAsMetadata::get(&copy);
    copies.push_back(MDNode::get(function.getContext(), operands));
  }
  for (MDNode *node : copies)
    list->addOperand(node);
}

bool KernelAnnotations::isKernel() {
  bool result = function.getCallingConv() == CallingConv::PTX_Kernel;
  forEach([&](StringRef name, uint64_t value) {
    result |= name == "kernel" && value != 0;
    return true;
  });
  return result;
}

uint64_t KernelAnnotations::requiredThreads() { return product(kRequired); }

uint64_t KernelAnnotations::maxThreads() { return product(kMaximum); }

void KernelAnnotations::requireBlock(std::array<uint32_t, 3> block) {
  remove(kMaximum);
  for (auto [name, threads] : zip(kRequired, block))
    add(name, threads);
}

void KernelAnnotations::limitThreads(uint64_t threads) {
  remove(kMaximum);
  add(kMaximum[0], threads);
}

SmallVector<Function *, 0> KernelAnnotations::inClusters(Module &module) {
  SmallVector<Function *, 0> kernels;
  NamedMDNode *list = module.getNamedMetadata(kAnnotations);
  if (!list)
    return kernels;
  for (MDNode *node : list->operands()) {
    bool isSize = any_of(node->operands(), [](const MDOperand &operand) {
      auto *name = dyn_cast_or_null<MDString>(operand.get());
      return name && name->getString() == kCluster[0];
    });
    auto *kernel =
        isSize ? mdconst::dyn_extract_or_null<Function>(node->getOperand(0))
               : nullptr;
    if (kernel && !is_contained(kernels, kernel))
      kernels.push_back(kernel);
  }
  return kernels;
}

std::array<uint32_t, 3> KernelAnnotations::requiredCluster() {
  std::array<uint32_t, 3> blocks = {};
  forEach([&](StringRef name, uint64_t value) {
    for (auto [axis, count] : zip(kCluster, blocks))
      if (name == axis)
        count = static_cast<uint32_t>(value);
    return true;
  });
  return blocks;
}

void KernelAnnotations::requireCluster(std::array<uint32_t, 3> blocks) {
  remove(kCluster);
  for (auto [name, count] : zip(kCluster, blocks))
    add(name, count);
}

void KernelAnnotations::limitRegisters(uint32_t registers) {
  if (!product(kRegisters))
    add(kRegisters[0], registers);
}

#else

static constexpr StringLiteral kMaximum = "nvvm.maxntid";
static constexpr StringLiteral kRequired = "nvvm.reqntid";
static constexpr StringLiteral kRegisters = "nvvm.maxnreg";
static constexpr StringLiteral kCluster = "nvvm.cluster_dim";

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

SmallVector<Function *, 0> KernelAnnotations::inClusters(Module &module) {
  SmallVector<Function *, 0> kernels;
  for (Function &function : module)
    if (function.hasFnAttribute(kCluster))
      kernels.push_back(&function);
  return kernels;
}

std::array<uint32_t, 3> KernelAnnotations::requiredCluster() {
  std::array<uint32_t, 3> blocks = {};
  for (auto [number, count] : zip(numbersOf(kCluster), blocks))
    count = number;
  return blocks;
}

void KernelAnnotations::requireCluster(std::array<uint32_t, 3> blocks) {
  set(kCluster, blocks);
}

/// Attributes are copied with the function.
void KernelAnnotations::copyTo(Function &) {}

#endif

} // namespace gpulto
