//===- MemoryTransform.cpp - Launches of a kernel, with its body ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The metadata `!gpulto.launches` of a kernel: a node of the parameters' names,
// one of the numbers of those that count, and of what, one of the known sides
// of unknown blocks, then one for each shape: block x, y, z, and bounds of grid
// x, y, z.
//
//===----------------------------------------------------------------------===//

#include "ipa/access/MemoryTransform.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace gpulto {

static constexpr StringLiteral kLaunches = "gpulto.launches";

void attachLaunches(Function &kernel, const KernelLaunches &launches) {
  LLVMContext &context = kernel.getContext();
  auto numberOf = [&](uint32_t number) -> Metadata * {
    return ConstantAsMetadata::get(
        ConstantInt::get(Type::getInt32Ty(context), number));
  };
  SmallVector<Metadata *, 8> all, names, counting;
  for (const std::string &name : launches.parameters)
    names.push_back(MDString::get(context, name));
  all.push_back(MDNode::get(context, names));
  for (const CountingParameter &parameter : launches.counting)
    counting.append(
        {numberOf(parameter.number), numberOf(parameter.alignLog2)});
  all.push_back(MDNode::get(context, counting));
  all.push_back(MDNode::get(context, {numberOf(launches.sides[0]),
                                      numberOf(launches.sides[1]),
                                      numberOf(launches.sides[2])}));
  for (const LaunchShape &shape : launches.shapes) {
    SmallVector<Metadata *, 9> numbers;
    auto add = [&](uint32_t number) { numbers.push_back(numberOf(number)); };
    for_each(shape.block, add);
    for (const GeometryFact &size : shape.grid) {
      add(size.low);
      add(size.high);
    }
    all.push_back(MDNode::get(context, numbers));
  }
  kernel.setMetadata(kLaunches, MDNode::get(context, all));
}

KernelLaunches launchesOf(const Function &kernel) {
  KernelLaunches launches;
  const MDNode *all = kernel.getMetadata(kLaunches);
  if (!all)
    return launches;
  for (const MDOperand &name : cast<MDNode>(all->getOperand(0))->operands())
    launches.parameters.push_back(cast<MDString>(name)->getString().str());
  auto numberAt = [](const MDNode &node, unsigned index) {
    return static_cast<uint32_t>(
        mdconst::extract<ConstantInt>(node.getOperand(index))->getZExtValue());
  };
  const auto *counting = cast<MDNode>(all->getOperand(1));
  for (unsigned i = 0; i < counting->getNumOperands(); i += 2)
    launches.counting.push_back(
        {numberAt(*counting, i), numberAt(*counting, i + 1)});
  const auto *sides = cast<MDNode>(all->getOperand(2));
  for (unsigned axis = 0; axis < 3; ++axis)
    launches.sides[axis] = numberAt(*sides, axis);
  for (const MDOperand &operand : drop_begin(all->operands(), 3)) {
    const auto *node = cast<MDNode>(operand);
    unsigned next = 0;
    auto take = [&] { return numberAt(*node, next++); };
    LaunchShape &shape = launches.shapes.emplace_back();
    for (uint32_t &size : shape.block)
      size = take();
    for (GeometryFact &size : shape.grid) {
      size.low = take();
      size.high = take();
    }
  }
  return launches;
}

} // namespace gpulto
