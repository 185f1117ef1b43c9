//===- DeviceAssembly.cpp - Addresses of inline assembly ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: neither instructions nor registers for constants in addresses.
//
// Tensor-core code loads its tiles by inline assembly (ldmatrix, cp.async),
// from a base and many constants. LLVM folds constants into the addresses of
// its own loads and stores; for operands of assembly it computes each sum, and
// hoists them all out of the loop: in ggml's flash attention, 34 of 64 bits,
// live through the main loop. ptxas does not undo that.
//
// `[reg+n]` is PTX's notation for the same address (PTX ISA, "Addresses as
// Operands").
//
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceAssembly.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/InitializePasses.h"
#include "llvm/PassRegistry.h"

#include <optional>
#include <string>

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// The text
//===----------------------------------------------------------------------===//

/// Returns where in \p text operand \p number stands in brackets: the positions
/// of the closing ones. Nothing if it stands anywhere else, or in another form.
static std::optional<SmallVector<size_t, 2>> bracketsOf(StringRef text,
                                                        unsigned number) {
  SmallVector<size_t, 2> found;
  for (size_t at = text.find('$'); at != StringRef::npos;
       at = text.find('$', at)) {
    StringRef rest = text.drop_front(at + 1);
    if (rest.starts_with("$")) { // the character
      at += 2;
      continue;
    }
    StringRef digits = rest.take_while(isDigit);
    unsigned one = 0;
    if (digits.getAsInteger(10, one))
      return std::nullopt; // ${1:c}, $(a$|b$)
    size_t end = at + 1 + digits.size();
    if (one == number) {
      if (at == 0 || text[at - 1] != '[' ||
          !text.drop_front(end).starts_with("]"))
        return std::nullopt;
      found.push_back(end);
    }
    at = end;
  }
  return found;
}

static std::string withOffset(StringRef text, ArrayRef<size_t> brackets,
                              int64_t offset) {
  std::string result;
  size_t done = 0;
  for (size_t at : brackets) {
    result += text.slice(done, at);
    result += "+" + itostr(offset);
    done = at;
  }
  return result + text.drop_front(done).str();
}

//===----------------------------------------------------------------------===//
// The address
//===----------------------------------------------------------------------===//

namespace {

/// An address that is \c base plus \c offset bytes, after the casts \c casts,
/// the outermost first.
struct Split {
  Value *base = nullptr;
  APInt offset;
  SmallVector<CastInst *, 2> casts;
};

} // namespace

/// Takes a constant of the sum \p split.base. Returns whether it is one.
static bool peel(Split &split, const DataLayout &layout) {
  using namespace PatternMatch;
  unsigned width = split.offset.getBitWidth();
  if (auto *pointer = dyn_cast<GEPOperator>(split.base)) {
    APInt bytes(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    // Pointers to shared memory, which a cast makes longer, must not wrap.
    bool isLonger = any_of(split.casts, IsaPred<AddrSpaceCastInst>);
    if (!pointer->accumulateConstantOffset(layout, bytes) ||
        (isLonger && !pointer->isInBounds()))
      return false;
    split.base = pointer->getPointerOperand();
    split.offset += bytes.sextOrTrunc(width);
    return true;
  }
  Value *term = nullptr;
  const APInt *constant = nullptr;
  if (!match(split.base, m_AddLike(m_Value(term), m_APInt(constant))))
    return false;
  split.base = term;
  split.offset += constant->sextOrTrunc(width);
  return true;
}

/// Does so behind casts that keep the distance of two addresses.
static bool peelBehindCasts(Split &split, const DataLayout &layout) {
  Split inner = split;
  while (auto *cast = dyn_cast<CastInst>(inner.base)) {
    if (!isa<AddrSpaceCastInst, PtrToIntInst, TruncInst>(cast))
      return false;
    inner.casts.push_back(cast);
    inner.base = cast->getOperand(0);
  }
  if (!peel(inner, layout))
    return false;
  split = std::move(inner);
  return true;
}

static Split split(Value &address, const DataLayout &layout) {
  constexpr unsigned kBits = 64;
  Split result{&address, APInt(kBits, 0), {}};
  while (peelBehindCasts(result, layout)) {
  }
  return result;
}

bool moveOffsetsIntoText(CallInst &call) {
  auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand());
  if (!assembly)
    return false;
  std::string text = assembly->getAsmString().str();
  bool changed = false;
  unsigned number = 0, argument = 0;
  for (const InlineAsm::ConstraintInfo &constraint :
       assembly->ParseConstraints()) {
    if (constraint.Type == InlineAsm::isClobber)
      continue;
    unsigned one = number++;
    if (constraint.Type == InlineAsm::isOutput && !constraint.isIndirect)
      continue;
    unsigned index = argument++;
    // What is tied to an output is changed.
    if (constraint.isIndirect || constraint.Type != InlineAsm::isInput ||
        any_of(constraint.Codes,
               [](StringRef code) { return isDigit(code.front()); }))
      continue;
    Value &address = *call.getArgOperand(index);
    if (!address.getType()->isPointerTy() && !address.getType()->isIntegerTy())
      continue;
    Split parts = split(address, call.getDataLayout());
    if (parts.offset.isZero() || !parts.offset.isSignedIntN(32))
      continue;
    std::optional<SmallVector<size_t, 2>> brackets = bracketsOf(text, one);
    if (!brackets || brackets->empty())
      continue;
    text = withOffset(text, *brackets, parts.offset.getSExtValue());
    IRBuilder<> builder(&call);
    Value *base = parts.base;
    for (CastInst *cast : reverse(parts.casts))
      base = builder.CreateCast(cast->getOpcode(), base, cast->getType());
    call.setArgOperand(index, base);
    changed = true;
  }
  if (changed)
    call.setCalledOperand(InlineAsm::get(
        assembly->getFunctionType(), text, assembly->getConstraintString(),
        assembly->hasSideEffects(), assembly->isAlignStack(),
        assembly->getDialect(), assembly->canThrow()));
  return changed;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

class AssemblyOffsetsPass : public FunctionPass {
public:
  static char ID;
  AssemblyOffsetsPass() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "gpulto assembly offsets"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
  }
  bool runOnFunction(Function &function) override {
    bool changed = false;
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        changed |= moveOffsetsIntoText(*call);
    return changed;
  }
};

char AssemblyOffsetsPass::ID = 0;

} // namespace

void insertAssemblyOffsets(TargetPassConfig &config) {
  PassRegistry &registry = *PassRegistry::getPassRegistry();
  initializeSeparateConstOffsetFromGEPLegacyPassPass(registry);
  const PassInfo *splits =
      registry.getPassInfo(StringRef("separate-const-offset-from-gep"));
  config.insertPass(splits->getTypeInfo(), new AssemblyOffsetsPass);
}

} // namespace gpulto
