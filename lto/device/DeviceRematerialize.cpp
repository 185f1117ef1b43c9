//===- DeviceRematerialize.cpp - Compute addresses again ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: avoid spills of values that are cheaper to compute twice.
//
// LLVM treats PTX's registers as free: it computes each address once, as far
// outside of loops as it can. ptxas, which has 255 registers, does not undo
// that: in ggml's flash attention it spills a kilobyte, because addresses for
// the code after the main loop stay live through it.
//
// Where many more registers are live than a thread has, until they fit, in this
// order:
//
// 1. A value that a crowded loop does not use, but that is live through it, is
//    computed at its use: before the outermost loop around the use that has no
//    crowded place, if the use is in one.
// 2. A value that the loop uses is computed in each block that uses it.
//
// Only cheap integer operations; their operands are live there anyway, cost no
// register, serve so many values that they are kept, or are computed again as
// well, up to kMostInstructions in all. A round ends when no block is crowded;
// the next one sees what is live then.
//
// It runs after LLVM's last passes that would undo it (MachineLICM,
// MachineCSE).
//
// Parameters and immediates count as no register: ptxas reads them from
// constant memory or puts them into instructions.
//
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceRematerialize.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gpulto {

namespace {

/// Registers of 32 bits that a thread can have, however large its block is.
constexpr unsigned kThreadRegisters = 255;
/// How many percent of them are too many: ptxas orders instructions itself and
/// needs fewer than the order in PTX does. With 130, some of ggml's kernels
/// spilled a little more.
constexpr unsigned kTooMany = 150;
/// That a value may take to be computed again.
constexpr unsigned kMostInstructions = 6;
constexpr unsigned kMostRounds = 12;
/// Values for which one is kept that they are computed from.
constexpr unsigned kMany = 4;
/// NVPTX's address space of parameters of kernels.
constexpr unsigned kParameterSpace = 101;

class RematerializePass : public MachineFunctionPass {
public:
  static char ID;
  RematerializePass() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "gpulto rematerialize"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<MachineLoopInfoWrapperPass>();
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override;
};

char RematerializePass::ID = 0;

class Rematerializer {
public:
  Rematerializer(MachineFunction &function, MachineLoopInfo &loops)
      : function(function), registers(function.getRegInfo()),
        names(*function.getSubtarget().getInstrInfo()),
        info(*function.getSubtarget().getRegisterInfo()), loops(loops) {}

  bool run();

private:
  using Block = MachineBasicBlock;
  /// Where a value is to be computed again.
  struct Plan {
    /// Uses, by where they are to find it.
    MapVector<Block *, SmallVector<MachineOperand *, 4>> places;
    /// Crowded blocks that are rid of it.
    SmallVector<Block *, 8> rid;
  };

  bool isFree(const MachineInstr &instruction) const;
  unsigned weightOf(Register value) const;
  bool isCheap(const MachineInstr &instruction) const;
  void findLive();
  unsigned pressureIn(const Block &block) const;
  bool findCrowded(unsigned most);
  bool isLiveAt(const Block &place, Register value) const;
  bool isKeptFor(const Block &place, Register value) const;
  unsigned costAt(const Block &place, const MachineInstr &definition,
                  unsigned most) const;
  Plan planFor(MachineInstr &definition, bool mayBeUsed) const;
  Register computeAt(Block &place, Block::iterator before,
                     const MachineInstr &definition);
  void moveUses(MachineInstr &definition, Plan &plan);
  bool runRound(bool mayBeUsed);

  MachineFunction &function;
  MachineRegisterInfo &registers;
  const TargetInstrInfo &names;
  const TargetRegisterInfo &info;
  MachineLoopInfo &loops;
  /// By the block's number: what is live at its start and at its end.
  std::vector<BitVector> liveIn, liveOut;
  /// By value: registers of 32 bits.
  std::vector<unsigned> weights;
  /// Blocks with too many, and how many more.
  MapVector<Block *, int> crowded;
};

} // namespace

/// Whether what \p instruction computes takes no register: it is a parameter,
/// an immediate, or where something is on the stack.
bool Rematerializer::isFree(const MachineInstr &instruction) const {
  if (instruction.mayLoad())
    return instruction.isDereferenceableInvariantLoad() &&
           all_of(instruction.memoperands(), [](MachineMemOperand *memory) {
             return memory->getAddrSpace() == kParameterSpace;
           });
  StringRef name = names.getName(instruction.getOpcode());
  if (!name.starts_with("MOV_") && !name.starts_with("LEA_ADDR") &&
      !name.starts_with("cvta_"))
    return false;
  return all_of(instruction.all_uses(), [&](const MachineOperand &operand) {
    return operand.getReg().isVirtual() && weightOf(operand.getReg()) == 0;
  });
}

unsigned Rematerializer::weightOf(Register value) const {
  const MachineInstr *definition = registers.getVRegDef(value);
  if (!definition || isFree(*definition))
    return 0;
  unsigned bits = info.getRegSizeInBits(*registers.getRegClass(value));
  return bits == 1 ? 0 : divideCeil(bits, 32); // predicates have their own
}

/// Whether \p instruction may be executed again at little cost.
bool Rematerializer::isCheap(const MachineInstr &instruction) const {
  static constexpr StringLiteral kCheap[] = {
      "ADD16",  "ADD32",  "ADD64",    "SUB16", "SUB32", "SUB64", "SHL",
      "SRL",    "SRA",    "AND_b",    "OR_b",  "XOR_b", "NOT",   "MUL_WIDE",
      "MULT32", "MAD_LO", "MAD_WIDE", "CVT_u", "CVT_s", "cvta_", "MOV_"};
  if (instruction.getNumExplicitDefs() != 1 || instruction.isInlineAsm() ||
      instruction.mayLoadOrStore() || instruction.hasUnmodeledSideEffects() ||
      instruction.isPHI() || instruction.isTerminator() ||
      instruction.isConvergent())
    return false;
  StringRef name = names.getName(instruction.getOpcode());
  if (none_of(kCheap, [&](StringRef one) { return name.starts_with(one); }))
    return false;
  return all_of(instruction.operands(), [](const MachineOperand &operand) {
    return !operand.isReg() || operand.getReg().isVirtual();
  });
}

//===----------------------------------------------------------------------===//
// What is live
//===----------------------------------------------------------------------===//

void Rematerializer::findLive() {
  unsigned count = registers.getNumVirtRegs();
  unsigned blocks = function.getNumBlockIDs();
  weights.assign(count, 0);
  for (unsigned index = 0; index < count; ++index)
    weights[index] = weightOf(Register::index2VirtReg(index));
  std::vector<BitVector> used(blocks, BitVector(count)),
      defined(blocks, BitVector(count));
  liveIn.assign(blocks, BitVector(count));
  liveOut.assign(blocks, BitVector(count));
  for (Block &block : function) {
    BitVector &uses = used[block.getNumber()];
    BitVector &defs = defined[block.getNumber()];
    for (MachineInstr &instruction : block) {
      if (instruction.isDebugInstr())
        continue;
      for (unsigned index = 0; index < instruction.getNumOperands(); ++index) {
        MachineOperand &operand = instruction.getOperand(index);
        if (!operand.isReg() || !operand.getReg().isVirtual() ||
            operand.isDef())
          continue;
        unsigned value = operand.getReg().virtRegIndex();
        if (instruction.isPHI())
          liveOut[instruction.getOperand(index + 1).getMBB()->getNumber()].set(
              value);
        else if (!defs.test(value))
          uses.set(value);
      }
      for (MachineOperand &operand : instruction.all_defs())
        if (operand.getReg().isVirtual())
          defs.set(operand.getReg().virtRegIndex());
    }
  }
  bool changed = true;
  while (changed) {
    changed = false;
    for (Block *block : post_order(&function)) {
      unsigned number = block->getNumber();
      for (Block *next : block->successors())
        liveOut[number] |= liveIn[next->getNumber()];
      BitVector in = liveOut[number];
      in.reset(defined[number]);
      in |= used[number];
      if (in != liveIn[number]) {
        liveIn[number] = std::move(in);
        changed = true;
      }
    }
  }
}

/// Returns how many registers are live at once in \p block, at most.
unsigned Rematerializer::pressureIn(const Block &block) const {
  BitVector live = liveOut[block.getNumber()];
  unsigned now = 0;
  for (unsigned value : live.set_bits())
    now += weights[value];
  unsigned most = now;
  for (const MachineInstr &instruction : reverse(block)) {
    if (instruction.isDebugInstr())
      continue;
    for (const MachineOperand &operand : instruction.all_defs())
      if (operand.getReg().isVirtual() &&
          live.test(operand.getReg().virtRegIndex())) {
        live.reset(operand.getReg().virtRegIndex());
        now -= weights[operand.getReg().virtRegIndex()];
      }
    if (instruction.isPHI())
      continue; // its operands are the predecessors'
    for (const MachineOperand &operand : instruction.all_uses())
      if (operand.getReg().isVirtual() &&
          !live.test(operand.getReg().virtRegIndex())) {
        live.set(operand.getReg().virtRegIndex());
        now += weights[operand.getReg().virtRegIndex()];
      }
    most = std::max(most, now);
  }
  return most;
}

/// Finds the blocks where more are live than a thread can have. Returns whether
/// more than \p most are in any.
bool Rematerializer::findCrowded(unsigned most) {
  findLive();
  crowded.clear();
  unsigned worst = 0;
  for (Block &block : function) {
    unsigned pressure = pressureIn(block);
    worst = std::max(worst, pressure);
    if (pressure > kThreadRegisters)
      crowded[&block] = static_cast<int>(pressure - kThreadRegisters);
  }
  return worst > most;
}

//===----------------------------------------------------------------------===//
// What is computed again, and where
//===----------------------------------------------------------------------===//

bool Rematerializer::isLiveAt(const Block &place, Register value) const {
  unsigned index = value.virtRegIndex();
  return index >= weights.size() || weights[index] == 0 ||
         liveIn[place.getNumber()].test(index) ||
         registers.getVRegDef(value)->getParent() == &place;
}

/// Whether what is computed again in \p place finds \p value there: it is live,
/// or kept alive as many are computed from it.
bool Rematerializer::isKeptFor(const Block &place, Register value) const {
  return isLiveAt(place, value) ||
         hasNItemsOrMore(registers.use_nodbg_operands(value), kMany);
}

/// Returns how many instructions compute \p definition again in \p place; more
/// than \p most if it takes more, or cannot be.
unsigned Rematerializer::costAt(const Block &place,
                                const MachineInstr &definition,
                                unsigned most) const {
  if (most == 0 || !isCheap(definition))
    return most + 1;
  unsigned cost = 1;
  for (const MachineOperand &operand : definition.all_uses()) {
    if (cost > most)
      break;
    if (!isKeptFor(place, operand.getReg()))
      cost +=
          costAt(place, *registers.getVRegDef(operand.getReg()), most - cost);
  }
  return cost;
}

/// Returns where what \p definition computes is to be computed again so that
/// crowded blocks are rid of it, also those whose loops use it if \p mayBeUsed;
/// no places if none is.
Rematerializer::Plan Rematerializer::planFor(MachineInstr &definition,
                                             bool mayBeUsed) const {
  Register value = definition.getOperand(0).getReg();
  Block *home = definition.getParent();
  SmallVector<std::pair<MachineOperand *, Block *>, 8> uses;
  for (MachineOperand &operand : registers.use_nodbg_operands(value)) {
    MachineInstr &user = *operand.getParent();
    Block *block = user.getParent();
    if (user.isPHI())
      block = user.getOperand(operand.getOperandNo() + 1).getMBB();
    uses.push_back({&operand, block});
  }
  auto isUsedAround = [&](Block *block) {
    MachineLoop *loop = loops.getLoopFor(block);
    return any_of(uses, [&](const auto &use) {
      return loop ? loop->contains(use.second) : use.second == block;
    });
  };
  Plan plan;
  bool isNeeded = false;
  for (auto [block, excess] : crowded)
    if (block != home &&
        liveIn[block->getNumber()].test(value.virtRegIndex()) &&
        (mayBeUsed || !isUsedAround(block))) {
      plan.rid.push_back(block);
      isNeeded |= excess > 0;
    }
  if (!isNeeded)
    return {};
  for (auto [operand, block] : uses) {
    Block *place = block;
    for (MachineLoop *loop = loops.getLoopFor(block); loop;
         loop = loop->getParentLoop()) {
      Block *before = loop->getLoopPreheader();
      if (!before || loop->contains(home) ||
          any_of(plan.rid, [&](Block *one) { return loop->contains(one); }))
        break;
      place = before;
    }
    if (place != home)
      plan.places[place].push_back(operand);
  }
  return plan;
}

/// Computes in \p place what \p definition does. Returns the value.
Register Rematerializer::computeAt(Block &place, Block::iterator before,
                                   const MachineInstr &definition) {
  MachineInstr *copy = function.CloneMachineInstr(&definition);
  Register value = definition.getOperand(0).getReg();
  Register again =
      registers.createVirtualRegister(registers.getRegClass(value));
  copy->getOperand(0).setReg(again);
  for (MachineOperand &operand : copy->all_uses()) {
    operand.setIsKill(false);
    registers.clearKillFlags(operand.getReg());
    if (!isKeptFor(place, operand.getReg()))
      operand.setReg(
          computeAt(place, before, *registers.getVRegDef(operand.getReg())));
  }
  place.insert(before, copy);
  return again;
}

void Rematerializer::moveUses(MachineInstr &definition, Plan &plan) {
  for (auto &[place, operands] : plan.places) {
    // Before the first use there, else at the end.
    SmallPtrSet<const MachineInstr *, 4> users;
    for (MachineOperand *operand : operands)
      if (!operand->getParent()->isPHI())
        users.insert(operand->getParent());
    Block::iterator before =
        find_if(*place, [&](const MachineInstr &instruction) {
          return users.contains(&instruction);
        });
    if (before == place->end())
      before = place->getFirstTerminator();
    Register again = computeAt(*place, before, definition);
    for (MachineOperand *operand : operands) {
      operand->setReg(again);
      operand->setIsKill(false);
    }
  }
}

/// Computes again what crowded loops do not use, or, if \p mayBeUsed, what they
/// use and takes one instruction. Returns whether there is anything.
bool Rematerializer::runRound(bool mayBeUsed) {
  unsigned most = mayBeUsed ? 1 : kMostInstructions;
  // Users before what they use, which is then used where they are.
  SmallVector<MachineInstr *> definitions;
  for (Block *block : post_order(&function))
    for (MachineInstr &instruction : reverse(*block))
      if (isCheap(instruction) &&
          weights[instruction.getOperand(0).getReg().virtRegIndex()])
        definitions.push_back(&instruction);
  bool changed = false;
  for (MachineInstr *definition : definitions) {
    Register value = definition->getOperand(0).getReg();
    Plan plan = planFor(*definition, mayBeUsed);
    if (plan.places.empty() || any_of(plan.places, [&](const auto &entry) {
          return costAt(*entry.first, *definition, most) > most;
        }))
      continue;
    for (Block *block : plan.rid)
      crowded[block] -= static_cast<int>(weights[value.virtRegIndex()]);
    moveUses(*definition, plan);
    changed = true;
    if (registers.use_nodbg_empty(value)) {
      registers.markUsesInDebugValueAsUndef(value);
      definition->eraseFromParent();
    }
  }
  return changed;
}

bool Rematerializer::run() {
  bool changed = false;
  unsigned most = kThreadRegisters * kTooMany / 100;
  for (unsigned round = 0; round < kMostRounds && findCrowded(most); ++round) {
    most = kThreadRegisters;
    if (!runRound(/*mayBeUsed=*/false) && !runRound(/*mayBeUsed=*/true))
      break;
    changed = true;
  }
  return changed;
}

bool RematerializePass::runOnMachineFunction(MachineFunction &machineFunction) {
  if (skipFunction(machineFunction.getFunction()))
    return false;
  return Rematerializer(machineFunction,
                        getAnalysis<MachineLoopInfoWrapperPass>().getLI())
      .run();
}

FunctionPass *createRematerializePass() { return new RematerializePass; }

} // namespace gpulto
