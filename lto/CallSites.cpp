//===- CallSites.cpp - Which function a call of a folded body means -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// 1. PartitionFolds marks calls when uses of a member become uses of its
// leader.
//    The optimizer copies the marks with the calls, and drops them where it
//    makes one call of two.
// 2. prepareCallSites turns the marks into the one metadata of calls that
//    instruction selection of x86 keeps, `heapallocsite` (of CodeView only).
// 3. CallSitePass puts a zero-size instruction behind each marked call, whose
//    `!pcsections` make the printer write a row. The code does not change.
// 4. unloadCallSites: LLVM's section would be loaded, with addresses relative
// to
//    the rows. Ours is not, and has addresses.
//
//===----------------------------------------------------------------------===//

#include "lto/CallSites.h"

#include "icf/FoldTransform.h"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELF.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace gpulto {

static constexpr StringLiteral kCarrier = "heapallocsite";

bool prepareCallSites(Module &module, const TargetMachine &machine) {
  const Triple &triple = machine.getTargetTriple();
  if (triple.getArch() != Triple::x86_64 || !triple.isOSBinFormatELF() ||
      machine.getCodeModel() != CodeModel::Small)
    return false;
  unsigned mark = module.getContext().getMDKindID(kCalleeMark);
  bool found = false;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      if (!isa<CallBase>(instruction))
        continue;
      MDNode *callee = instruction.getMetadata(mark);
      instruction.setMetadata(kCarrier, callee);
      found |= callee != nullptr;
    }
  return found;
}

namespace {
class CallSitePass : public MachineFunctionPass {
public:
  static char ID;
  CallSitePass() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "gpulto call sites"; }
  bool runOnMachineFunction(MachineFunction &function) override;
};
} // namespace

char CallSitePass::ID = 0;

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
      // What a tail call enters returns to somebody else.
      MDNode *callee = call.isCall() && !call.isReturn()
                           ? call.getHeapAllocMarker()
                           : nullptr;
      if (!callee)
        continue;
      addRows(call, *callee);
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
