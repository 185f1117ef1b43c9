//===- MemoryTransform.cpp - Launches of a kernel, with its body ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The metadata `!gpulto.launches` of a kernel: a node of the parameters' names,
// then one for each shape: block x, y, z, and bounds of grid x, y, z.
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
  SmallVector<Metadata *, 8> all, names;
  for (const std::string &name : launches.parameters)
    names.push_back(MDString::get(context, name));
  all.push_back(MDNode::get(context, names));
  for (const LaunchShape &shape : launches.shapes) {
    SmallVector<Metadata *, 9> numbers;
    auto add = [&](uint32_t number) {
      numbers.push_back(ConstantAsMetadata::get(
          ConstantInt::get(Type::getInt32Ty(context), number)));
    };
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
  for (const MDOperand &operand : drop_begin(all->operands())) {
    const auto *node = cast<MDNode>(operand);
    unsigned next = 0;
    auto take = [&] {
      return static_cast<uint32_t>(
          mdconst::extract<ConstantInt>(node->getOperand(next++))
              ->getZExtValue());
    };
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
