//===- MemoryRequests.cpp - What accesses memory for a warp ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/access/MemoryRequests.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

#include <algorithm>
#include <optional>

using namespace llvm;

namespace gpulto {

/// Returns the space that \p pointer leads to, if it counts.
static std::optional<MemorySpace> spaceOf(const Value &pointer) {
  constexpr unsigned kMostSteps = 16;
  const Value *object = getUnderlyingObject(&pointer, kMostSteps);
  if (isa<AllocaInst>(object))
    return std::nullopt;
  unsigned space = pointer.getType()->getPointerAddressSpace();
  if (space == NVPTXAS::ADDRESS_SPACE_GENERIC)
    space = object->getType()->getPointerAddressSpace();
  switch (space) {
  case NVPTXAS::ADDRESS_SPACE_GENERIC:
  case NVPTXAS::ADDRESS_SPACE_GLOBAL:
    return MemorySpace::Global;
  case NVPTXAS::ADDRESS_SPACE_SHARED:
    return MemorySpace::Shared;
  case NVPTXAS::ADDRESS_SPACE_CONST:
    return MemorySpace::Constant;
  default:
    return std::nullopt;
  }
}

namespace {
/// An instruction of PTX that accesses memory.
struct PtxAccess {
  AccessKind kind = AccessKind::Load;
  std::optional<MemorySpace> space; // none: that of the pointer
  unsigned bytes = 0;
  unsigned operand = 0; // number in the text
};
} // namespace

/// Reads `ld.global.v4.f32 {..}, [$4+16];`: one instruction with one address in
/// a register.
static std::optional<PtxAccess> readAssembly(StringRef text) {
  text = text.trim();
  while (text.consume_front("{") || text.consume_front("\t"))
    text = text.ltrim();
  size_t open = text.find('[');
  if (open == StringRef::npos || text.find('[', open + 1) != StringRef::npos)
    return std::nullopt;
  StringRef address = text.substr(open + 1).ltrim();
  PtxAccess access;
  if (!address.consume_front("$") || address.consumeInteger(10, access.operand))
    return std::nullopt;
  StringRef name = text.take_until([](char c) { return isSpace(c); });
  SmallVector<StringRef, 8> parts;
  name.split(parts, '.');
  if (parts[0] == "ld" || parts[0] == "ldu")
    access.kind = AccessKind::Load;
  else if (parts[0] == "st")
    access.kind = AccessKind::Store;
  else if (parts[0] == "atom" || parts[0] == "red")
    access.kind = AccessKind::Atomic;
  else
    return std::nullopt;
  unsigned elements = 1, bits = 0;
  for (StringRef part : drop_begin(parts)) {
    if (part == "global")
      access.space = MemorySpace::Global;
    else if (part.starts_with("shared"))
      access.space = MemorySpace::Shared;
    else if (part == "const")
      access.space = MemorySpace::Constant;
    else if (part == "local" || part == "param")
      return std::nullopt;
    else if (part == "v2" || part == "v4" || part == "v8")
      elements = part[1] - '0';
    else if (part.size() > 1 && StringRef("bsufBSUF").contains(part[0]))
      part.drop_front().take_while(isDigit).getAsInteger(10, bits);
  }
  access.bytes = elements * bits / 8;
  return access.bytes ? std::optional(access) : std::nullopt;
}

namespace {
class RequestCollector {
public:
  explicit RequestCollector(const Function &function)
      : layout(function.getDataLayout()) {}

  void add(const Instruction &instruction);
  std::vector<MemoryRequest> found;

private:
  void add(const Instruction &instruction, const Value &pointer,
           AccessSize size, AccessKind kind,
           std::optional<MemorySpace> space = std::nullopt, int64_t offset = 0);
  void addCopy(const MemTransferInst &copy);
  void addCall(const CallBase &call);
  void addAssembly(const CallBase &call, const InlineAsm &assembly);
  AccessSize sizeOf(const Type *type, Align align) const {
    return {static_cast<unsigned>(
                layout.getTypeStoreSize(const_cast<Type *>(type))),
            static_cast<unsigned>(align.value())};
  }
  const DataLayout &layout;
};
} // namespace

void RequestCollector::add(const Instruction &instruction, const Value &pointer,
                           AccessSize size, AccessKind kind,
                           std::optional<MemorySpace> space, int64_t offset) {
  if (!space)
    space = spaceOf(pointer);
  if (space && size.bytes)
    found.push_back({&instruction, &pointer, offset, size, *space, kind});
}

/// A copy of a structure becomes loads and stores of words that its alignment
/// allows, as instruction selection makes them; longer ones become loops.
void RequestCollector::addCopy(const MemTransferInst &copy) {
  constexpr uint64_t kMostBytes = 128, kMostWord = 8;
  const auto *length = dyn_cast<ConstantInt>(copy.getLength());
  if (!length || length->getValue().ugt(kMostBytes))
    return;
  uint64_t align = std::min(copy.getSourceAlign().valueOrOne().value(),
                            copy.getDestAlign().valueOrOne().value());
  uint64_t bytes = length->getZExtValue(), word = 0;
  for (uint64_t at = 0; at < bytes; at += word) {
    word = std::min({align, kMostWord, bit_floor(bytes - at)});
    AccessSize size{static_cast<unsigned>(word), static_cast<unsigned>(word)};
    add(copy, *copy.getRawSource(), size, AccessKind::Load, std::nullopt,
        static_cast<int64_t>(at));
    add(copy, *copy.getRawDest(), size, AccessKind::Store, std::nullopt,
        static_cast<int64_t>(at));
  }
}

void RequestCollector::addAssembly(const CallBase &call,
                                   const InlineAsm &assembly) {
  std::optional<PtxAccess> access = readAssembly(assembly.getAsmString());
  if (!access)
    return;
  unsigned outputs = 0;
  for (const InlineAsm::ConstraintInfo &constraint :
       assembly.ParseConstraints())
    outputs += constraint.Type == InlineAsm::isOutput && !constraint.isIndirect;
  if (access->operand < outputs || access->operand - outputs >= call.arg_size())
    return;
  const Value *pointer = call.getArgOperand(access->operand - outputs);
  constexpr unsigned kSharedBits = 32; // an address of shared memory
  if (!pointer->getType()->isPointerTy() && !access->space)
    access->space = pointer->getType()->isIntegerTy(kSharedBits)
                        ? MemorySpace::Shared
                        : MemorySpace::Global;
  add(call, *pointer, {access->bytes, access->bytes}, access->kind,
      access->space);
}

void RequestCollector::addCall(const CallBase &call) {
  unsigned copied = 0;
  switch (call.getIntrinsicID()) {
  case Intrinsic::nvvm_cp_async_ca_shared_global_4:
  case Intrinsic::nvvm_cp_async_ca_shared_global_4_s:
    copied = 4;
    break;
  case Intrinsic::nvvm_cp_async_ca_shared_global_8:
  case Intrinsic::nvvm_cp_async_ca_shared_global_8_s:
    copied = 8;
    break;
  case Intrinsic::nvvm_cp_async_ca_shared_global_16:
  case Intrinsic::nvvm_cp_async_ca_shared_global_16_s:
  case Intrinsic::nvvm_cp_async_cg_shared_global_16:
  case Intrinsic::nvvm_cp_async_cg_shared_global_16_s:
    copied = 16;
    break;
  case Intrinsic::memcpy:
  case Intrinsic::memcpy_inline:
  case Intrinsic::memmove:
    addCopy(cast<MemTransferInst>(call));
    return;
  case Intrinsic::masked_load:
    // The vectorizer's, of structures with gaps: it is one load of all.
    add(call, *call.getArgOperand(0),
        sizeOf(call.getType(), call.getParamAlign(0).valueOrOne()),
        AccessKind::Load);
    return;
  case Intrinsic::masked_store:
    add(call, *call.getArgOperand(1),
        sizeOf(call.getArgOperand(0)->getType(),
               call.getParamAlign(1).valueOrOne()),
        AccessKind::Store);
    return;
  default:
    if (const auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand()))
      addAssembly(call, *assembly);
    return;
  }
  add(call, *call.getArgOperand(0), {copied, copied}, AccessKind::Store,
      MemorySpace::Shared);
  add(call, *call.getArgOperand(1), {copied, copied}, AccessKind::Load,
      MemorySpace::Global);
}

void RequestCollector::add(const Instruction &instruction) {
  if (const auto *load = dyn_cast<LoadInst>(&instruction)) {
    add(*load, *load->getPointerOperand(),
        sizeOf(load->getType(), load->getAlign()), AccessKind::Load);
  } else if (const auto *store = dyn_cast<StoreInst>(&instruction)) {
    add(*store, *store->getPointerOperand(),
        sizeOf(store->getValueOperand()->getType(), store->getAlign()),
        AccessKind::Store);
  } else if (const auto *update = dyn_cast<AtomicRMWInst>(&instruction)) {
    add(*update, *update->getPointerOperand(),
        sizeOf(update->getType(), update->getAlign()), AccessKind::Atomic);
  } else if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    add(*exchange, *exchange->getPointerOperand(),
        sizeOf(exchange->getCompareOperand()->getType(), exchange->getAlign()),
        AccessKind::Atomic);
  } else if (const auto *call = dyn_cast<CallBase>(&instruction)) {
    addCall(*call);
  }
}

std::vector<MemoryRequest> findRequests(const Function &function) {
  RequestCollector collector(function);
  for (const Instruction &instruction : instructions(function))
    collector.add(instruction);
  return std::move(collector.found);
}

} // namespace gpulto
