//===- FunctionFactsAnalyze.cpp - One-bit facts of bodies (LGEN) ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Attributes of functions that limit inlining, cloning and folding; facts of
// their bodies that do (inline assembly with labels, barriers, volatile
// accesses, indirect branches); launch bounds of kernels. One walk over the
// instructions.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/AssemblyText.h"
#include "ipa/bodies/Passes.h"
#include "ipa/runtime/KernelAnnotations.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

namespace gpulto {

namespace {

/// Function attributes that do not change how two bodies combine.
bool isHarmlessAttribute(llvm::StringRef name) {
  return name == "min-legal-vector-width" || name == "frame-pointer" ||
         name == "stack-protector-buffer-size" ||
         name == "uniform-work-group-size" || name.starts_with("nvvm.");
}

class FunctionFacts {
public:
  explicit FunctionFacts(LgenContext &context)
      : context(context), summary(context.summary) {}

  void run() {
    for (size_t i = 0; i < context.bodies.size(); ++i)
      fill(*context.bodies[i], summary.functions[i]);
    readLaunchBounds();
  }

private:
  void fill(const llvm::Function &function, FunctionSummary &result);
  FunctionFlags attributeFlags(const llvm::Function &function);
  Digest attributesDigest(const llvm::Function &function);
  void visit(const llvm::Instruction &instruction);
  void visitCall(const llvm::CallBase &call);
  void visitAssembly(const llvm::Function &function);
  void readLaunchBounds();

  LgenContext &context;
  ModuleSummary &summary;
  llvm::DenseMap<void *, Digest> attributeDigests;
  FunctionFlags flags = 0;
};

FunctionFlags FunctionFacts::attributeFlags(const llvm::Function &function) {
  using A = llvm::Attribute;
  static constexpr std::pair<A::AttrKind, uint32_t> kMap[] = {
      {A::AlwaysInline, kAlwaysInline},
      {A::NoInline, kNoInline},
      {A::OptimizeNone, kOptNone},
      {A::OptimizeForSize, kOptSize},
      {A::MinSize, kMinSize},
      {A::InlineHint, kInlineHint},
      {A::Cold, kCold},
      {A::Hot, kHot},
      {A::Convergent, kConvergent},
      {A::NoUnwind, kNoUnwind},
      {A::NoReturn, kNoReturn},
      {A::WillReturn, kWillReturn},
      {A::StrictFP, kStrictFP},
      {A::Naked, kNaked},
      {A::ReturnsTwice, kReturnsTwice},
      {A::NoDuplicate, kNoDuplicate}};
  uint32_t result = 0;
  for (auto [attribute, flag] : kMap)
    if (function.hasFnAttribute(attribute))
      result |= flag;
  if (function.isVarArg())
    result |= kVarArg;
  if (function.hasPersonalityFn())
    result |= kHasPersonality;
  return result;
}

Digest FunctionFacts::attributesDigest(const llvm::Function &function) {
  llvm::AttributeSet set = function.getAttributes().getFnAttrs();
  auto [entry, isNew] = attributeDigests.try_emplace(
      set.hasAttributes() ? (void *)set.begin() : (void *)&attributeDigests);
  if (!isNew)
    return entry->second;
  using A = llvm::Attribute;
  StableHasher hasher;
  for (A attribute : set) {
    if (attribute.isStringAttribute()) {
      if (isHarmlessAttribute(attribute.getKindAsString()))
        continue;
      hasher.add(attribute.getKindAsString());
      hasher.add(attribute.getValueAsString());
      continue;
    }
    switch (attribute.getKindAsEnum()) {
    case A::SanitizeAddress:
    case A::SanitizeHWAddress:
    case A::SanitizeMemory:
    case A::SanitizeMemTag:
    case A::SanitizeThread:
    case A::SanitizeNumericalStability:
    case A::SafeStack:
    case A::ShadowCallStack:
    case A::StrictFP:
    case A::NoImplicitFloat:
    case A::NullPointerIsValid:
    case A::StackProtect:
    case A::StackProtectReq:
    case A::StackProtectStrong:
    case A::SpeculativeLoadHardening:
    case A::NoProfile:
    case A::UWTable:
      hasher.add(A::getNameFromAttrKind(attribute.getKindAsEnum()));
      break;
    default:
      break;
    }
  }
  return entry->second = hasher.finish();
}

/// A copy of the body elsewhere defines labels again, and does not know the
/// module's own names.
void FunctionFacts::visitAssembly(const llvm::Function &function) {
  forEachInlineAssembly(
      function, [&](const llvm::CallBase &, llvm::StringRef text) {
        flags |= kHasInlineAsm;
        if (definesAsmNames(text, summary.side == Side::Device))
          flags |= kHasAsmLabels;
      });
  auto named = context.assemblyNames.find(&function);
  if (named == context.assemblyNames.end())
    return;
  for (SymbolIndex symbol : named->second)
    if (const SymbolRecord &record = summary.symbols[symbol];
        record.kind != SymbolKind::Assembly || !record.isDeclaration())
      flags |= kHasAsmLabels;
}

void FunctionFacts::visitCall(const llvm::CallBase &call) {
  if (call.isInlineAsm())
    return;
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee) {
    if (!llvm::isa<llvm::Constant>(call.getCalledOperand()))
      flags |= kHasIndirectCall;
    return;
  }
  if (!callee->isIntrinsic())
    return;
  llvm::StringRef name = callee->getName();
  if (name.starts_with("llvm.mem")) {
    if (auto *transfer = llvm::dyn_cast<llvm::MemIntrinsic>(&call);
        transfer && transfer->isVolatile())
      flags |= kHasVolatile;
    return;
  }
  if (!name.consume_front("llvm.nvvm."))
    return;
  if (name.starts_with("barrier") || name.starts_with("bar.") ||
      name.starts_with("mbarrier") || name.starts_with("membar") ||
      name.starts_with("fence"))
    flags |= kHasBarrier;
  if (name.starts_with("atomic"))
    flags |= kHasAtomic;
  if (!name.consume_front("read.ptx.sreg."))
    return;
  if (name.starts_with("tid") || name.starts_with("laneid") ||
      name.starts_with("warpid") || name.starts_with("lanemask"))
    flags |= kReadsThreadId;
  else if (name.starts_with("ctaid") || name.starts_with("cluster"))
    flags |= kReadsBlockId;
  else if (name.starts_with("ntid") || name.starts_with("nctaid") ||
           name.starts_with("nwarpid"))
    flags |= kReadsGeometry;
}

void FunctionFacts::visit(const llvm::Instruction &instruction) {
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    return visitCall(*call);
  switch (instruction.getOpcode()) {
  case llvm::Instruction::IndirectBr:
    flags |= kHasIndirectBranch;
    break;
  case llvm::Instruction::Alloca:
    if (!llvm::cast<llvm::AllocaInst>(instruction).isStaticAlloca())
      flags |= kHasDynamicAlloca;
    break;
  case llvm::Instruction::AtomicCmpXchg:
  case llvm::Instruction::AtomicRMW:
  case llvm::Instruction::Fence:
    flags |= kHasAtomic;
    break;
  case llvm::Instruction::Load:
  case llvm::Instruction::Store:
    if (instruction.isAtomic())
      flags |= kHasAtomic;
    break;
  default:
    break;
  }
  if (instruction.isVolatile())
    flags |= kHasVolatile;
}

void FunctionFacts::fill(const llvm::Function &function,
                         FunctionSummary &result) {
  flags = attributeFlags(function);
  visitAssembly(function);
  for (const llvm::BasicBlock &block : function) {
    if (block.hasAddressTaken())
      flags |= kBlockAddressTaken;
    for (const llvm::Instruction &instruction : block)
      visit(instruction);
  }
  result.flags |= flags;
  result.attributesDigest = attributesDigest(function);
  result.place = context.places.of(function);
}

void FunctionFacts::readLaunchBounds() {
  for (size_t i = 0; i < context.bodies.size(); ++i)
    KernelAnnotations(*context.bodies[i]).describe(summary.functions[i]);
  for (const llvm::GlobalVariable &variable : context.module.globals())
    if (variable.hasAttribute(kManagedAttribute) &&
        context.indexOf(variable) != kNone)
      summary.symbols[context.indexOf(variable)].flags |= kManaged;
}

} // namespace

void analyzeFunctionFacts(LgenContext &context) {
  FunctionFacts(context).run();
}

} // namespace gpulto
