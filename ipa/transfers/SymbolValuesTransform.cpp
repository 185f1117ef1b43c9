//===- SymbolValuesTransform.cpp - Known bytes of variables (LTRANS) ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   @filter = addrspace(4) externally_initialized global [3 x float]
//   zeroinit...
//   -> @filter = addrspace(4) constant [3 x float] [1.0, 2.0, 1.0]
//
// Numbers, and arrays of them, keep their type. Other variables become arrays
// of bytes: their fields may have gaps, which copies set as well.
//
// A variable of which copies leave only some bytes known stays what it is.
// Loads of these, at places that are constants, become the values:
//
//   %n = load i32, ptr addrspace(4) getelementptr(i8, @params, i64 8)  -> 640
//
//===----------------------------------------------------------------------===//

#include "ipa/transfers/TransfersTransform.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <cassert>

using namespace llvm;

namespace gpulto {

/// Returns the bytes of \p variable, which refers to nothing. Those that are
/// not defined are 0.
static std::string bytesOf(const GlobalVariable &variable) {
  const DataLayout &layout = variable.getDataLayout();
  uint64_t size =
      layout.getTypeAllocSize(variable.getValueType()).getFixedValue();
  std::string bytes(size, '\0');
  Type *byte = Type::getInt8Ty(variable.getContext());
  unsigned width = layout.getIndexTypeSizeInBits(variable.getType());
  for (uint64_t at = 0; at < size; ++at)
    if (auto *known = dyn_cast_or_null<ConstantInt>(ConstantFoldLoadFromConst(
            const_cast<Constant *>(variable.getInitializer()), byte,
            APInt(width, at), layout)))
      bytes[at] = static_cast<char>(known->getZExtValue());
  return bytes;
}

/// Returns the constant of \p type, a number or an array of numbers, that has
/// \p bytes; null if it is another type.
static Constant *constantOf(Type &type, StringRef bytes,
                            const DataLayout &layout) {
  auto *array = dyn_cast<ArrayType>(&type);
  Type *element = array ? array->getElementType() : &type;
  uint64_t size = layout.getTypeAllocSize(element).getFixedValue();
  if (!ConstantDataArray::isElementTypeCompatible(element) || !size ||
      bytes.empty())
    return nullptr;
  auto *data = dyn_cast<ConstantDataSequential>(
      ConstantDataArray::getRaw(bytes, bytes.size() / size, element));
  if (array) // of zeros there is no data
    return data ? static_cast<Constant *>(data) : Constant::getNullValue(array);
  return data ? data->getElementAsConstant(0) : Constant::getNullValue(element);
}

/// Replaces \p variable by one of \p bytes.
static GlobalVariable *replaceByBytes(GlobalVariable &variable,
                                      StringRef bytes) {
  Constant *data = ConstantDataArray::getRaw(
      bytes, bytes.size(), Type::getInt8Ty(variable.getContext()));
  auto *array = new GlobalVariable(
      *variable.getParent(), data->getType(), variable.isConstant(),
      variable.getLinkage(), data, "", &variable, variable.getThreadLocalMode(),
      variable.getAddressSpace());
  Align align = variable.getDataLayout().getPreferredAlign(&variable);
  array->copyAttributesFrom(&variable);
  if (!variable.getAlign())
    array->setAlignment(align);
  array->copyMetadata(&variable, 0);
  array->setComdat(variable.getComdat());
  array->takeName(&variable);
  variable.replaceAllUsesWith(array);
  variable.eraseFromParent();
  return array;
}

GlobalVariable *setInitialBytes(GlobalVariable &variable,
                                ArrayRef<KnownBytes> initial) {
  std::string bytes = bytesOf(variable);
  for (const KnownBytes &part : initial) {
    assert(part.offset + part.bytes.size() <= bytes.size() && "WPA checks it");
    bytes.replace(part.offset, part.bytes.size(), part.bytes);
  }
  Constant *value =
      constantOf(*variable.getValueType(), bytes, variable.getDataLayout());
  if (!value)
    return replaceByBytes(variable, bytes);
  variable.setInitializer(value);
  return &variable;
}

void makeConstant(GlobalVariable &variable,
                  function_ref<void(Function &)> visit) {
  variable.setConstant(true);
  variable.setExternallyInitialized(false);
  SmallVector<User *, 16> worklist(variable.users());
  SmallPtrSet<User *, 16> seen;
  while (!worklist.empty()) {
    User *user = worklist.pop_back_val();
    if (!seen.insert(user).second)
      continue;
    if (auto *instruction = dyn_cast<Instruction>(user))
      visit(*instruction->getFunction());
    else
      append_range(worklist, user->users());
  }
}

/// Returns what a load of \p type finds at byte \p offset of a variable with
/// the \p known bytes; null if not all of it is known, or is no number.
static Constant *valueAt(Type &type, uint64_t offset,
                         ArrayRef<KnownBytes> known, const DataLayout &layout) {
  if (type.isPtrOrPtrVectorTy() || type.isAggregateType())
    return nullptr;
  uint64_t size = layout.getTypeStoreSize(&type).getKnownMinValue();
  for (const KnownBytes &part : known)
    if (part.offset <= offset &&
        offset - part.offset + size <= part.bytes.size()) {
      StringRef bytes =
          StringRef(part.bytes).substr(offset - part.offset, size);
      Constant *data = ConstantDataArray::getRaw(
          bytes, size, Type::getInt8Ty(type.getContext()));
      return ConstantFoldLoadFromConst(data, &type, layout);
    }
  return nullptr;
}

void replaceKnownLoads(GlobalVariable &variable, ArrayRef<KnownBytes> known,
                       function_ref<void(Function &)> visit) {
  const DataLayout &layout = variable.getDataLayout();
  SmallVector<std::pair<const Use *, APInt>, 16> worklist;
  auto follow = [&](const Value &pointer, const APInt &offset) {
    for (const Use &use : pointer.uses())
      worklist.push_back({&use, offset});
  };
  follow(variable, APInt(layout.getIndexTypeSizeInBits(variable.getType()), 0));
  SmallVector<std::pair<LoadInst *, Constant *>, 16> loads;
  while (!worklist.empty()) {
    auto [use, offset] = worklist.pop_back_val();
    User *user = use->getUser();
    if (auto *address = dyn_cast<GEPOperator>(user)) {
      if (use->getOperandNo() == 0 &&
          address->accumulateConstantOffset(layout, offset))
        follow(*address, offset);
    } else if (isa<AddrSpaceCastOperator>(user)) {
      follow(*user, offset);
    } else if (auto *load = dyn_cast<LoadInst>(user);
               load && load->isSimple() && offset.isNonNegative()) {
      if (Constant *value =
              valueAt(*load->getType(), offset.getZExtValue(), known, layout))
        loads.push_back({load, value});
    }
  }
  for (auto [load, value] : loads) {
    visit(*load->getFunction());
    load->replaceAllUsesWith(value);
    load->eraseFromParent();
  }
}

} // namespace gpulto
