//===- MemoryRequests.cpp - What accesses memory for a warp ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/access/MemoryRequests.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
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
    return MemorySpace::Local;
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
/// An access of an instruction of PTX.
struct PtxAccess {
  AccessKind kind = AccessKind::Load;
  std::optional<MemorySpace> space; // none: that of the pointer
  unsigned bytes = 0;
  unsigned operand = 0; // of the address: number in the text
  int64_t offset = 0;
  unsigned lanes = kWarpLanes;
  bool isGuarded = false;
};

/// Reads the accesses in the text of inline assembly. The value of operand n of
/// the text, if it is a number, is numberOf(n).
class AssemblyReader {
public:
  using Numbers = function_ref<std::optional<unsigned>(unsigned)>;
  explicit AssemblyReader(Numbers numberOf) : numberOf(numberOf) {}
  std::vector<PtxAccess> read(StringRef text);

private:
  void readStatement(StringRef statement);
  Numbers numberOf;
  std::vector<PtxAccess> found;
};
} // namespace

/// Takes `$4+16` off \p text, for \p access.
static bool consumeAddress(StringRef &text, PtxAccess &access) {
  text = text.ltrim();
  if (!text.consume_front("$") || text.consumeInteger(10, access.operand))
    return false;
  text = text.ltrim();
  return !text.consume_front("+") ||
         (text = text.ltrim(), !text.consumeInteger(10, access.offset));
}

/// Takes what the parts of \p name say of space and size. Returns false if it
/// is no memory that counts.
static bool readName(ArrayRef<StringRef> parts, PtxAccess &access) {
  unsigned elements = 1, bits = 0;
  for (StringRef part : parts) {
    if (part == "global")
      access.space = MemorySpace::Global;
    else if (part.starts_with("shared"))
      access.space = MemorySpace::Shared;
    else if (part == "const")
      access.space = MemorySpace::Constant;
    else if (part == "local" || part == "param")
      return false;
    else if (part == "v2" || part == "v4" || part == "v8")
      elements = part[1] - '0';
    else if (part.size() > 1 && StringRef("bsufBSUF").contains(part[0]))
      part.drop_front().take_while(isDigit).getAsInteger(10, bits);
  }
  access.bytes = elements * bits / 8;
  return true;
}

/// Reads `@p ld.global.v4.f32 {..}, [$4+16]`.
void AssemblyReader::readStatement(StringRef statement) {
  constexpr unsigned kRowBytes = 16, kRowsOfMatrix = 8;
  PtxAccess access;
  statement = statement.ltrim("{} \t\r\n");
  access.isGuarded = statement.starts_with("@");
  if (access.isGuarded)
    statement = statement.drop_until(isSpace).ltrim();
  StringRef name = statement.take_until(isSpace);
  SmallVector<StringRef, 8> parts;
  name.split(parts, '.');
  bool isMatrix = parts[0] == "ldmatrix" || parts[0] == "stmatrix";
  bool isCopy = name.starts_with("cp.async.c"); // .ca, .cg
  if (parts[0] == "ld" || parts[0] == "ldu" || parts[0] == "ldmatrix")
    access.kind = AccessKind::Load;
  else if (parts[0] == "st" || parts[0] == "stmatrix" || isCopy)
    access.kind = AccessKind::Store;
  else if (parts[0] == "atom" || parts[0] == "red")
    access.kind = AccessKind::Atomic;
  else
    return;
  if (!isCopy && !readName(ArrayRef(parts).drop_front(), access))
    return;
  StringRef rest = statement.substr(statement.find('['));
  if (!rest.consume_front("[") || !consumeAddress(rest, access))
    return;
  if (isMatrix) {
    // Lanes have the addresses of rows, those of a matrix in one turn.
    unsigned count = is_contained(parts, "x4")   ? 4
                     : is_contained(parts, "x2") ? 2
                                                 : 1;
    access.space = MemorySpace::Shared;
    access.bytes = kRowBytes;
    access.lanes = count * kRowsOfMatrix;
    if (!is_contained(parts, "m8n8"))
      return;
  }
  PtxAccess source = access;
  if (isCopy) {
    source.kind = AccessKind::Load;
    source.space = MemorySpace::Global;
    access.space = MemorySpace::Shared;
    source.offset = 0;
    rest = rest.substr(rest.find('['));
    if (!rest.consume_front("[") || !consumeAddress(rest, source))
      return;
    rest = rest.split(',').second.ltrim();
    unsigned operand = 0;
    if (!rest.consume_front("$"))
      rest.consumeInteger(10, access.bytes);
    else if (!rest.consumeInteger(10, operand))
      access.bytes = numberOf(operand).value_or(0);
    source.bytes = access.bytes;
  }
  if (access.bytes == 0)
    return;
  found.push_back(access);
  if (isCopy)
    found.push_back(source);
}

std::vector<PtxAccess> AssemblyReader::read(StringRef text) {
  SmallVector<StringRef, 4> statements;
  text.split(statements, ';');
  for (StringRef statement : statements)
    readStatement(statement);
  return std::move(found);
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
  void addBulkCopy(const CallBase &call, unsigned pointer, unsigned size,
                   AccessKind kind);
  void addLocal(const Instruction &instruction, const Value &pointer,
                AccessSize size, AccessKind kind);
  void addCall(const CallBase &call);
  void addAssembly(const CallBase &call, const InlineAsm &assembly);
  bool guardsMuch(const BranchInst &branch);
  AccessSize sizeOf(const Type *type, Align align) const {
    return {static_cast<unsigned>(
                layout.getTypeStoreSize(const_cast<Type *>(type))),
            static_cast<unsigned>(align.value())};
  }
  const DataLayout &layout;
  std::optional<DominatorTree> dominators; // made when first needed
};
} // namespace

void RequestCollector::add(const Instruction &instruction, const Value &pointer,
                           AccessSize size, AccessKind kind,
                           std::optional<MemorySpace> space, int64_t offset) {
  if (!space)
    space = spaceOf(pointer);
  if (space == MemorySpace::Local)
    addLocal(instruction, pointer, size, kind);
  else if (space && size.bytes)
    found.push_back({&instruction, &pointer, offset, size, *space, kind});
}

/// Local memory counts where an index is computed: that is why it is no
/// register. Words of a lane lie 128 bytes apart, those of all lanes side by
/// side.
void RequestCollector::addLocal(const Instruction &instruction,
                                const Value &pointer, AccessSize size,
                                AccessKind kind) {
  constexpr unsigned kWordBytes = 4;
  APInt offset(layout.getIndexTypeSizeInBits(pointer.getType()), 0);
  const Value *object = pointer.stripAndAccumulateConstantOffsets(
      layout, offset, /*AllowNonInbounds=*/true);
  if (isa<AllocaInst>(object))
    return;
  for (unsigned at = 0; at < size.bytes; at += kWordBytes)
    found.push_back({&instruction,
                     &pointer,
                     at,
                     {std::min(size.bytes, kWordBytes), 1},
                     MemorySpace::Local,
                     kind});
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
  // One output is the result, several are its members.
  const Type &type = *call.getType();
  unsigned outputs = type.isVoidTy()     ? 0
                     : type.isStructTy() ? type.getStructNumElements()
                                         : 1;
  auto argument = [&](unsigned operand) {
    return operand >= outputs && operand - outputs < call.arg_size()
               ? call.getArgOperand(operand - outputs)
               : nullptr;
  };
  auto numberOf = [&](unsigned operand) -> std::optional<unsigned> {
    const auto *number = dyn_cast_or_null<ConstantInt>(argument(operand));
    return number ? std::optional(number->getZExtValue()) : std::nullopt;
  };
  for (PtxAccess access :
       AssemblyReader(numberOf).read(assembly.getAsmString())) {
    const Value *pointer = argument(access.operand);
    if (!pointer)
      continue;
    constexpr unsigned kSharedBits = 32; // an address of shared memory
    if (!pointer->getType()->isPointerTy() && !access.space)
      access.space = pointer->getType()->isIntegerTy(kSharedBits)
                         ? MemorySpace::Shared
                         : MemorySpace::Global;
    size_t before = found.size();
    add(call, *pointer, {access.bytes, access.bytes}, access.kind, access.space,
        access.offset);
    for (size_t i = before; i < found.size(); ++i) {
      found[i].lanes = access.lanes;
      found[i].isGuarded = access.isGuarded;
    }
  }
}

/// A bulk copy by one lane, whose size is known.
void RequestCollector::addBulkCopy(const CallBase &call, unsigned pointer,
                                   unsigned size, AccessKind kind) {
  constexpr unsigned kBulkAlign = 16;
  if (const auto *bytes = dyn_cast<ConstantInt>(call.getArgOperand(size)))
    add(call, *call.getArgOperand(pointer),
        {static_cast<unsigned>(bytes->getZExtValue()), kBulkAlign}, kind,
        MemorySpace::Global);
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
  case Intrinsic::nvvm_cp_async_bulk_global_to_shared_cluster:
  case Intrinsic::nvvm_cp_async_bulk_global_to_shared_cta:
    addBulkCopy(call, 2, 3, AccessKind::Load);
    return;
  case Intrinsic::nvvm_cp_async_bulk_shared_cta_to_global:
    addBulkCopy(call, 0, 2, AccessKind::Store);
    return;
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

/// Whether \p branch keeps lanes from more than a few instructions.
bool RequestCollector::guardsMuch(const BranchInst &branch) {
  constexpr size_t kLeastInstructions = 8;
  auto isLong = [&](const BasicBlock *first) {
    if (first->size() >= kLeastInstructions)
      return true;
    if (!dominators)
      dominators.emplace(const_cast<Function &>(*first->getParent()));
    size_t size = 0; // a few blocks are enough
    for (const DomTreeNode *node : depth_first(dominators->getNode(first)))
      if ((size += node->getBlock()->size()) >= kLeastInstructions)
        return true;
    return false;
  };
  return any_of(branch.successors(), [&](const BasicBlock *block) {
    return block->getSinglePredecessor() == branch.getParent() && isLong(block);
  });
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
  } else if (const auto *branch = dyn_cast<BranchInst>(&instruction)) {
    if (branch->isConditional() && guardsMuch(*branch))
      found.push_back({branch,
                       branch->getCondition(),
                       0,
                       {},
                       MemorySpace::Global,
                       AccessKind::Branch});
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
