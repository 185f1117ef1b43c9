//===- CallSites.cpp - Which function a call of a folded body means -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// 1. PartitionFolds marks calls when uses of a member become uses of its
//    leader. carryCallMarks makes the marks attributes, which go with the calls
//    through the optimizer; calls with different ones are not merged.
// 2. prepareCallSites turns the marks into the one metadata of calls that
//    instruction selection of x86 keeps, `heapallocsite` (of CodeView only).
// 3. CallsApartPass gives calls with different marks different labels behind
//    them until blocks with equal ends have been merged.
// 4. CallSitePass puts a zero-size instruction behind each marked call, whose
//    `!pcsections` make the printer write a row. The code does not change.
// 5. unloadCallSites: LLVM's section would be loaded, with addresses relative
//    to the rows. Ours is not, and has addresses.
//
//===----------------------------------------------------------------------===//

#include "lto/CallSites.h"

#include "icf/FoldTransform.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCContext.h"
#include "llvm/Object/ELF.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace gpulto {

static constexpr StringLiteral kCarrier = "heapallocsite";

/// Calls \p visit with each call in \p module.
static void forEachCall(Module &module, function_ref<void(CallBase &)> visit) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        visit(*call);
}

void carryCallMarks(Module &module) {
  forEachCall(module, [](CallBase &call) {
    const MDNode *mark = call.getMetadata(kCalleeMark);
    if (!mark)
      return;
    auto numbers = map_range(mark->operands(), [](const MDOperand &number) {
      return utostr(mdconst::extract<ConstantInt>(number)->getZExtValue());
    });
    call.addFnAttr(Attribute::get(call.getContext(), kCalleeMark,
                                  join(numbers.begin(), numbers.end(), ",")));
    call.setMetadata(kCalleeMark, nullptr);
  });
}

/// Returns the mark of \p call as metadata, or null.
static MDNode *markOf(const CallBase &call) {
  Attribute attribute = call.getFnAttr(kCalleeMark);
  if (!attribute.isValid())
    return nullptr;
  LLVMContext &context = call.getContext();
  SmallVector<Metadata *, 4> numbers;
  for (StringRef word : split(attribute.getValueAsString(), ',')) {
    uint32_t number = kUnknownCallee;
    word.getAsInteger(10, number);
    numbers.push_back(ConstantAsMetadata::get(
        ConstantInt::get(Type::getInt32Ty(context), number)));
  }
  return MDNode::get(context, numbers);
}

bool prepareCallSites(Module &module, const TargetMachine &machine) {
  const Triple &triple = machine.getTargetTriple();
  if (triple.getArch() != Triple::x86_64 || !triple.isOSBinFormatELF() ||
      machine.getCodeModel() != CodeModel::Small)
    return false;
  bool found = false;
  forEachCall(module, [&](CallBase &call) {
    MDNode *mark = markOf(call);
    call.setMetadata(kCarrier, mark);
    found |= mark != nullptr;
  });
  return found;
}

/// Returns the mark of \p call, or null. What a tail call enters returns to
/// somebody else.
static MDNode *markOf(const MachineInstr &call) {
  return call.isCall() && !call.isReturn() ? call.getHeapAllocMarker()
                                           : nullptr;
}

namespace {
class CallsApartPass : public MachineFunctionPass {
public:
  static char ID;
  CallsApartPass() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "gpulto calls apart"; }
  bool runOnMachineFunction(MachineFunction &function) override;
};

class CallSitePass : public MachineFunctionPass {
public:
  static char ID;
  CallSitePass() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "gpulto call sites"; }
  bool runOnMachineFunction(MachineFunction &function) override;
};
} // namespace

char CallsApartPass::ID = 0;
char CallSitePass::ID = 0;

/// Equal marks have one label: such calls may become one.
bool CallsApartPass::runOnMachineFunction(MachineFunction &function) {
  DenseMap<const MDNode *, MCSymbol *> labels; // looked up only
  for (MachineBasicBlock &block : function)
    for (MachineInstr &call : block)
      if (const MDNode *mark = markOf(call);
          mark && !call.getPostInstrSymbol()) {
        MCSymbol *&label = labels[mark];
        if (!label)
          label = function.getContext().createTempSymbol();
        call.setPostInstrSymbol(function, label);
      }
  return !labels.empty();
}

Pass *createCallsApartPass() { return new CallsApartPass(); }

/// Adds the rows of \p call, whose mark is \p callee.
static void addRows(MachineInstr &call, const MDNode &callee) {
  MachineFunction &function = *call.getMF();
  LLVMContext &context = function.getFunction().getContext();
  const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
  Metadata *anybody = ConstantAsMetadata::get(
      ConstantInt::get(Type::getInt32Ty(context), kUnknownCallee));
  auto add = [&](Metadata *caller, Metadata *called) {
    if (called == anybody)
      return;
    MachineInstr *marker =
        BuildMI(*call.getParent(), std::next(call.getIterator()), DebugLoc(),
                instructions.get(TargetOpcode::KILL));
    // Equal nodes would share what follows their addresses.
    marker->setPCSections(
        function,
        MDNode::getDistinct(context, {MDString::get(context, kCallSiteSection),
                                      MDNode::get(context, {caller, called})}));
  };
  add(anybody, callee.getOperand(0));
  for (unsigned i = 1; i + 1 < callee.getNumOperands(); i += 2)
    add(callee.getOperand(i), callee.getOperand(i + 1));
}

bool CallSitePass::runOnMachineFunction(MachineFunction &function) {
  bool isChanged = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &call : make_early_inc_range(block)) {
      MDNode *mark = markOf(call);
      if (!mark)
        continue;
      call.setPostInstrSymbol(function, nullptr);
      addRows(call, *mark);
      isChanged = true;
    }
  return isChanged;
}

Pass *createCallSitePass() { return new CallSitePass(); }

void unloadCallSites(SmallVectorImpl<char> &object) {
  using Elf = object::ELF64LE;
  auto file = cantFail(
      object::ELFFile<Elf>::create(StringRef(object.data(), object.size())));
  ArrayRef<Elf::Shdr> sections = cantFail(file.sections());
  // The object is ours, and so are its bytes.
  auto writable = [&](const auto &entry) {
    return const_cast<std::remove_cvref_t<decltype(entry)> *>(&entry);
  };
  for (const Elf::Shdr &section : sections) {
    bool isRelocation = section.sh_type == ELF::SHT_RELA;
    const Elf::Shdr &about = isRelocation ? sections[section.sh_info] : section;
    if (cantFail(file.getSectionName(about)) != kCallSiteSection)
      continue;
    if (!isRelocation) {
      writable(section)->sh_flags = ELF::SHF_LINK_ORDER;
      continue;
    }
    for (const Elf::Rela &relocation : cantFail(file.relas(section)))
      writable(relocation)->setType(ELF::R_X86_64_32, /*IsMips64EL=*/false);
  }
}

} // namespace gpulto
