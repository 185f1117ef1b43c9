//===- OffloadEntries.cpp - What host code registers ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/runtime/OffloadEntries.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalVariable.h"

namespace gpulto {

bool isOffloadEntry(const llvm::GlobalVariable &variable) {
  llvm::StringRef section = variable.getSection();
  return variable.hasInitializer() && (section == "cuda_offloading_entries" ||
                                       section == "llvm_offload_entries");
}

/// Returns the string that \p pointer is the address of. What sanitizers put
/// around it does not count: -fsanitize=address pads it, hwaddress puts a tag
/// into its address, by an alias.
static std::optional<llvm::StringRef>
textBehind(const llvm::Constant &pointer) {
  const llvm::Constant *value = &pointer;
  while (!llvm::isa<llvm::GlobalVariable>(value)) {
    if (!llvm::isa<llvm::GlobalAlias, llvm::ConstantExpr>(value))
      return std::nullopt;
    value = llvm::cast<llvm::Constant>(value->getOperand(0));
  }
  auto *variable = llvm::cast<llvm::GlobalVariable>(value);
  if (!variable->hasInitializer())
    return std::nullopt;
  value = variable->getInitializer();
  if (auto *padded = llvm::dyn_cast<llvm::ConstantStruct>(value))
    value = padded->getOperand(0);
  auto *text = llvm::dyn_cast<llvm::ConstantDataSequential>(value);
  if (!text || !text->isCString())
    return std::nullopt;
  return text->getAsCString();
}

namespace {

/// Where the fields of a __tgt_offload_entry stand.
struct Layout {
  llvm::SmallVector<llvm::Type *, 9> types;
  unsigned address, name, size, flags, data;
};

} // namespace

/// Returns the layout that \p fields has.
static std::optional<Layout> layoutOf(const llvm::ConstantStruct &fields) {
  llvm::LLVMContext &context = fields.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context);
  llvm::Type *half = llvm::Type::getInt16Ty(context);
  llvm::Type *word = llvm::Type::getInt32Ty(context);
  llvm::Type *size = llvm::Type::getInt64Ty(context);
  const Layout layouts[] = {
      {{pointer, pointer, size, word, word}, 0, 1, 2, 3, 4},
      // From LLVM 21 on: reserved, version and kind come first, and an address
      // for managed variables last.
      {{size, half, half, word, pointer, pointer, size, size, pointer},
       4,
       5,
       6,
       3,
       7}};
  auto *layout = llvm::find_if(layouts, [&](const Layout &each) {
    return fields.getType()->elements() == llvm::ArrayRef(each.types);
  });
  return layout == std::end(layouts) ? std::nullopt : std::optional(*layout);
}

std::optional<OffloadFields>
offloadFields(const llvm::GlobalVariable &variable) {
  auto *fields =
      llvm::dyn_cast<llvm::ConstantStruct>(variable.getInitializer());
  std::optional<Layout> layout = fields ? layoutOf(*fields) : std::nullopt;
  if (!layout)
    return std::nullopt;
  auto *address = llvm::dyn_cast<llvm::GlobalValue>(
      fields->getOperand(layout->address)->stripPointerCasts());
  auto name = textBehind(*fields->getOperand(layout->name));
  auto number = [&](unsigned index) {
    return llvm::dyn_cast<llvm::ConstantInt>(fields->getOperand(index));
  };
  auto *bytes = number(layout->size), *flags = number(layout->flags),
       *data = number(layout->data);
  if (!address || !name || !bytes || !flags || !data)
    return std::nullopt;
  return OffloadFields{address, *name, bytes->getZExtValue(),
                       flags->getZExtValue(), data->getZExtValue()};
}

void markManagedEntry(llvm::GlobalVariable &entry) {
  auto *fields = llvm::cast<llvm::ConstantStruct>(entry.getInitializer());
  unsigned place = layoutOf(*fields)->flags;
  llvm::SmallVector<llvm::Constant *> operands;
  for (const llvm::Use &operand : fields->operands())
    operands.push_back(llvm::cast<llvm::Constant>(operand));
  auto *flags = llvm::cast<llvm::ConstantInt>(operands[place]);
  operands[place] = llvm::ConstantInt::get(
      flags->getType(), flags->getZExtValue() | kEntryManaged);
  entry.setInitializer(llvm::ConstantStruct::get(fields->getType(), operands));
}

} // namespace gpulto
