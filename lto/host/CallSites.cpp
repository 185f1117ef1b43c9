//===- CallSites.cpp - Which function a call of a folded body means -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// 1. PartitionFolds marks calls when uses of a member become uses of its
//    leader. carryCallMarks turns the marks into attributes, which follow the
//    calls through the optimizer; calls with different ones are not merged.
// 2. prepareCallSites turns the marks into the one metadata of calls that
//    instruction selection of x86 keeps, `heapallocsite` (of CodeView only).
// 3. CallsApartPass gives calls with different marks different labels behind
//    them until blocks with equal ends have been merged.
// 4. CallSitePass puts a zero-size instruction after each marked call, whose
//    `!pcsections` make the printer write a row. The code does not change. The
//    callee gets the name that debug information has for the function that the
//    source called, so that its call sites agree with ours.
// 5. packCallSites: LLVM's sections would be loaded, and have an address in
//    each row. Ours are not, and have one before the rows of a text section.
//
//===----------------------------------------------------------------------===//

#include "lto/host/CallSites.h"

#include "icf/FoldTransform.h"
#include "support/BinaryStream.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCContext.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

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
  bool doInitialization(Module &module) override;
  bool runOnMachineFunction(MachineFunction &function) override;

private:
  void describe(MachineInstr &call, const MDNode &callee);

  /// By number: null where debug information does not know the function.
  DenseMap<uint32_t, DISubprogram *> callees;
  /// Declarations of leaders under which members are called: a module has room
  /// for one of each name. By the leader and the member's number.
  DenseMap<std::pair<const GlobalValue *, uint32_t>, const Function *> entered;
  std::vector<std::unique_ptr<Module>> modules;
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

/// A row as the printer writes it: a relative address of four bytes, the words
/// caller and callee and, in the first row of a function, bytes to spare.
[[maybe_unused]] static constexpr unsigned kRowBytes = 12; // for assertions
static constexpr unsigned kSpareBytes = 12;

/// Adds the rows of \p call, whose mark is \p callee; the first one of a
/// function with \p isFirst, which is reset.
static void addRows(MachineInstr &call, const MDNode &callee, bool &isFirst) {
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
    SmallVector<Metadata *, 2 + kSpareBytes / 4> words = {caller, called};
    if (std::exchange(isFirst, false))
      words.append(kSpareBytes / 4, anybody);
    // Equal nodes would share what follows their addresses.
    marker->setPCSections(
        function,
        MDNode::getDistinct(context, {MDString::get(context, kCallSiteSection),
                                      MDNode::get(context, words)}));
  };
  add(anybody, callee.getOperand(0));
  for (unsigned i = 1; i + 1 < callee.getNumOperands(); i += 2)
    add(callee.getOperand(i), callee.getOperand(i + 1));
}

static uint32_t numberIn(const MDOperand &operand) {
  return mdconst::extract<ConstantInt>(operand)->getZExtValue();
}

bool CallSitePass::doInitialization(Module &module) {
  if (const NamedMDNode *list = module.getNamedMetadata(kCalleeList))
    for (const MDNode *entry : list->operands())
      if (DISubprogram *&callee = callees[numberIn(entry->getOperand(0))];
          !callee) // not every module that names it describes it
        callee = cast_or_null<DISubprogram>(entry->getOperand(1).get());
  return false;
}

/// Lets \p call, whose mark is \p callee, enter a function of the leader's name
/// that debug information describes as the source's.
void CallSitePass::describe(MachineInstr &call, const MDNode &callee) {
  uint32_t number = numberIn(callee.getOperand(0));
  DISubprogram *program = nullptr; // unknown callee
  if (number != kUnknownCallee) {
    auto known = callees.find(number);
    if (known == callees.end())
      return; // the leader
    program = known->second;
  }
  auto target = find_if(call.operands(), [](const MachineOperand &operand) {
    return operand.isGlobal() && isa<Function>(operand.getGlobal());
  });
  if (target == call.operands_end())
    return;
  auto &leader = *cast<Function>(target->getGlobal());
  const Function *&function = entered[{&leader, number}];
  if (!function) {
    const Module &module = *leader.getParent();
    auto &own = *modules.emplace_back(std::make_unique<Module>(
        module.getModuleIdentifier(), module.getContext()));
    own.setDataLayout(module.getDataLayout());
    own.setTargetTriple(module.getTargetTriple());
    // A private one has another name in the object.
    auto *declaration = Function::Create(
        leader.getFunctionType(),
        leader.hasPrivateLinkage() ? GlobalValue::PrivateLinkage
                                   : GlobalValue::ExternalLinkage,
        leader.getAddressSpace(), leader.getName(), &own);
    declaration->setAttributes(leader.getAttributes());
    declaration->setVisibility(leader.getVisibility());
    declaration->setDSOLocal(leader.isDSOLocal());
    declaration->setSubprogram(program);
    function = declaration;
  }
  target->ChangeToGA(function, target->getOffset(), target->getTargetFlags());
}

bool CallSitePass::runOnMachineFunction(MachineFunction &function) {
  bool isChanged = false, isFirst = true;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &call : make_early_inc_range(block)) {
      MDNode *mark = markOf(call);
      if (!mark)
        continue;
      call.setPostInstrSymbol(function, nullptr);
      describe(call, *mark);
      addRows(call, *mark, isFirst);
      isChanged = true;
    }
  return isChanged;
}

Pass *createCallSitePass() { return new CallSitePass(); }

namespace {
using Elf = object::ELF64LE;

/// A row of a text section.
struct CallSiteRow {
  uint64_t returnsTo; // from the start of the text section
  uint32_t caller, callee;

  uint32_t packedCaller() const { return caller + 1; } // kUnknownCallee: 0
};
} // namespace

/// Returns the rows that \p relocations find in the section with \p contents,
/// by return address, and those of one call by caller, with that of anybody
/// first: LLVM writes the rows of a function in the order of addresses of its
/// metadata, which is another in each run.
static std::vector<CallSiteRow> readRows(ArrayRef<Elf::Rela> relocations,
                                         ArrayRef<uint8_t> contents) {
  std::vector<CallSiteRow> rows;
  for (const Elf::Rela &relocation : relocations) {
    assert(relocation.r_offset + kRowBytes <= contents.size());
    const uint8_t *row = contents.data() + relocation.r_offset;
    rows.push_back({static_cast<uint64_t>(relocation.r_addend),
                    support::endian::read32le(row + 4),
                    support::endian::read32le(row + 8)});
  }
  llvm::sort(rows, [](const CallSiteRow &a, const CallSiteRow &b) {
    return std::tuple(a.returnsTo, a.packedCaller(), a.callee) <
           std::tuple(b.returnsTo, b.packedCaller(), b.callee);
  });
  return rows;
}

/// Returns the contents of the section for \p rows, without the address that
/// the linker puts before them.
static std::string packRows(ArrayRef<CallSiteRow> rows) {
  BinaryWriter packed;
  uint64_t last = 0;
  for (const CallSiteRow &row : rows) {
    packed.uleb(row.returnsTo - last);
    packed.uleb(row.packedCaller());
    packed.uleb(row.callee);
    last = row.returnsTo;
  }
  BinaryWriter out;
  out.u64(0);
  std::string bytes = packed.take();
  out.uleb(bytes.size());
  out.bytes(bytes);
  return out.take();
}

/// Packs the rows of one section in place: they need less room than before. All
/// speak of one text section, by its symbol.
static void packSection(Elf::Shdr &section, Elf::Shdr &relocations,
                        MutableArrayRef<Elf::Rela> addresses,
                        MutableArrayRef<uint8_t> contents) {
  assert(all_equal(map_range(addresses, [](const Elf::Rela &r) {
    return r.getSymbol(/*isMips64EL=*/false);
  })));
  std::string packed = packRows(readRows(addresses, contents));
  assert(packed.size() <= contents.size());
  llvm::copy(packed, contents.begin());
  section.sh_size = packed.size();
  section.sh_flags = ELF::SHF_LINK_ORDER;
  section.sh_addralign = 1;
  Elf::Rela &base = addresses.front();
  base.r_offset = 0;
  base.r_addend = 0;
  base.setType(ELF::R_X86_64_64, /*IsMips64EL=*/false);
  relocations.sh_size = sizeof(Elf::Rela);
}

void packCallSites(SmallVectorImpl<char> &object) {
  auto file = cantFail(
      object::ELFFile<Elf>::create(StringRef(object.data(), object.size())));
  // The object is ours, and so are its bytes.
  auto writable = [](const auto &entries) {
    using Entry = std::remove_cvref_t<decltype(entries.front())>;
    return MutableArrayRef(const_cast<Entry *>(entries.data()), entries.size());
  };
  MutableArrayRef<Elf::Shdr> sections = writable(cantFail(file.sections()));
  for (Elf::Shdr &relocations : sections) {
    if (relocations.sh_type != ELF::SHT_RELA)
      continue;
    Elf::Shdr &section = sections[relocations.sh_info];
    if (cantFail(file.getSectionName(section)) != kCallSiteSection)
      continue;
    packSection(section, relocations,
                writable(cantFail(file.relas(relocations))),
                writable(cantFail(file.getSectionContents(section))));
  }
}

} // namespace gpulto
