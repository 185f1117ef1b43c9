//===- SplitJobs.cpp - Cut bitcode modules into LTRANS jobs, for tests ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   gpulto-split-jobs [options] -n N -o DIR a.bc b.bc ...
//
// Writes DIR/0.json ... for N partitions of the program that the modules make,
// without WPA: bodies are parsed, the first (or first strong) definition of a
// name prevails, and atoms are dealt out as --deal says. So the tests of LTRANS
// can cut a program in every way, also in ways that no partitioner would.
//
//   --deal=robin|blocks|random   one after the other; runs of equal length; by
//                                --seed
//   --import     lists functions that a partition uses and another defines for
//                import
//   --internalize=no             keeps every linkage (FinalLinkage::Preserved)
//   --keep=NAME  seen from outside; `main` and kernels always are
//   --arch=sm_90 device modules: closed partitions, one set of kernels each
//   --ptxas=FILE, --relocatable, --opt=N, --pic
//
//===----------------------------------------------------------------------===//

#include "ipa/symbols/VisibilityTransform.h"
#include "lto/job/LtransJob.h"
#include "lto/job/ToolIdentity.h"
#include "lto/lgen/Lgen.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace llvm;
using namespace gpulto;

static cl::list<std::string> inputs(cl::Positional, cl::OneOrMore);
static cl::opt<unsigned> partitionCount("n", cl::init(1),
                                        cl::desc("partitions"));
static cl::opt<std::string> outputDirectory("o", cl::Required);
static cl::opt<std::string> deal("deal", cl::init("blocks"));
static cl::opt<unsigned> seed("seed", cl::init(0));
static cl::opt<bool> importBodies("import");
static cl::opt<bool> internalizeSymbols("internalize", cl::init(true));
static cl::list<std::string> keep("keep");
static cl::opt<std::string> arch("arch");
static cl::opt<std::string> ptxas("ptxas");
static cl::opt<bool> relocatable("relocatable");
static cl::opt<unsigned> optLevel("opt", cl::init(2));
static cl::opt<bool> pic("pic");

namespace {

using Values = std::vector<const GlobalValue *>;

/// A module and its symbols' names after promotion.
struct Unit {
  std::string path;
  std::unique_ptr<MemoryBuffer> buffer;
  std::unique_ptr<Module> module;
  std::string tag;
  SmallPtrSet<const GlobalValue *, 8> used;
  int assemblyPartition = -1;

  bool isCopyableValue(const GlobalValue &value) const {
    auto *variable = dyn_cast<GlobalVariable>(&value);
    return variable && isCopyable(*variable, used.contains(variable));
  }
  std::string finalName(const GlobalValue &value) const {
    return value.hasLocalLinkage() ? promotedName(value.getName(), tag)
                                   : value.getName().str();
  }
};

struct Atom {
  unsigned unit = 0;
  Values members;
  std::set<unsigned> partitions; // several only for device code
};

class Program {
public:
  explicit Program(LLVMContext &context) : context(context) {}
  void load();
  void findAtoms();
  void dealOut();
  void closeDevicePartitions();
  void writeJobs();

private:
  void collectUses(const Unit &unit, const GlobalValue &value,
                   std::set<std::string> &names, Values &direct);
  std::set<std::string> usesOf(const Unit &unit, const GlobalValue &value);
  FinalLinkage linkageOf(const Unit &unit, const GlobalValue &value,
                         unsigned partition);
  bool mayImport(const GlobalValue &value) const;
  void addImports(LtransJob &job, unsigned partition);
  void addStructors(LtransJob &job);
  void addDefinitions(LtransJob &job);
  bool isHome(const JobInput &input, unsigned partition) const;
  JobInput &inputFor(LtransJob &job, unsigned unit);

  LLVMContext &context;
  std::vector<Unit> units;
  std::vector<Atom> atoms;
  struct Definition {
    unsigned unit = 0;
    const GlobalValue *value = nullptr;
    size_t atom = 0;
  };
  std::map<std::string, Definition> definitions; // by final name
  /// Partitions that use a name they do not define.
  std::map<std::string, std::set<unsigned>> users;
};

} // namespace

static ExitOnError exitOnError("gpulto-split-jobs: ");

void Program::load() {
  for (const std::string &path : inputs) {
    Unit unit;
    unit.path = path;
    unit.buffer = exitOnError(errorOrToExpected(MemoryBuffer::getFile(path)));
    unit.module =
        exitOnError(parseBitcodeFile(unit.buffer->getMemBufferRef(), context));
    nameUnamedGlobals(*unit.module);
    Digest digest = digestOf(unit.buffer->getBuffer());
    unit.tag = digest.hex().substr(0, 8);
    SmallVector<GlobalValue *, 8> list;
    collectUsedGlobalVariables(*unit.module, list, false);
    collectUsedGlobalVariables(*unit.module, list, true);
    for (const Function &function : *unit.module)
      if (function.getCallingConv() == CallingConv::PTX_Kernel)
        keep.push_back(function.getName().str());
    if (arch.empty())
      unit.used.insert(list.begin(), list.end());
    units.push_back(std::move(unit));
  }
}

/// Adds what \p root uses to \p names, through constants and copyable locals.
void Program::collectUses(const Unit &unit, const GlobalValue &root,
                          std::set<std::string> &names, Values &direct) {
  SmallVector<const Value *> worklist;
  SmallPtrSet<const Value *, 32> seen;
  auto expand = [&](const GlobalValue &value) {
    for (const Use &operand : value.operands())
      worklist.push_back(operand);
    if (auto *function = dyn_cast<Function>(&value))
      for (const Instruction &instruction : instructions(*function))
        for (const Use &operand : instruction.operands())
          worklist.push_back(operand);
  };
  expand(root);
  while (!worklist.empty()) {
    const Value *value = worklist.pop_back_val();
    if (!isa<Constant>(value) || !seen.insert(value).second)
      continue;
    if (auto *global = dyn_cast<GlobalValue>(value)) {
      if (unit.isCopyableValue(*global))
        expand(*global);
      else if (names.insert(unit.finalName(*global)).second)
        direct.push_back(global);
      continue;
    }
    for (const Use &operand : cast<Constant>(value)->operands())
      worklist.push_back(operand);
  }
}

std::set<std::string> Program::usesOf(const Unit &unit,
                                      const GlobalValue &value) {
  std::set<std::string> names;
  Values direct;
  collectUses(unit, value, names, direct);
  return names;
}

/// Returns the functions that the initializer \p value takes labels of.
static Values labelled(const GlobalVariable &value) {
  Values result;
  if (!value.hasInitializer())
    return result;
  SmallVector<const Constant *> worklist = {value.getInitializer()};
  SmallPtrSet<const Constant *, 16> seen;
  while (!worklist.empty()) {
    const Constant *constant = worklist.pop_back_val();
    if (!seen.insert(constant).second)
      continue;
    if (auto *address = dyn_cast<BlockAddress>(constant))
      result.push_back(address->getFunction());
    else if (!isa<GlobalValue>(constant))
      for (const Use &operand : constant->operands())
        worklist.push_back(cast<Constant>(operand));
  }
  return result;
}

static bool isDefinition(const Unit &unit, const GlobalValue &value) {
  return !value.isDeclaration() && !value.hasAvailableExternallyLinkage() &&
         !value.hasAppendingLinkage() &&
         !value.getName().starts_with("llvm.") && !unit.isCopyableValue(value);
}

void Program::findAtoms() {
  for (auto [index, unit] : enumerate(units)) {
    Module &module = *unit.module;
    EquivalenceClasses<const GlobalValue *> classes;
    std::map<const Comdat *, const GlobalValue *> comdats;
    const GlobalValue *firstUsed = nullptr;
    for (const GlobalValue &value : module.global_values()) {
      if (!isDefinition(unit, value))
        continue;
      classes.insert(&value);
      auto *object = dyn_cast<GlobalObject>(&value);
      if (object && object->hasComdat()) {
        auto [first, isNew] = comdats.try_emplace(object->getComdat(), &value);
        if (!isNew)
          classes.unionSets(first->second, &value);
      }
      if (auto *alias = dyn_cast<GlobalAlias>(&value))
        classes.unionSets(&value, alias->getAliaseeObject());
      if (auto *ifunc = dyn_cast<GlobalIFunc>(&value))
        classes.unionSets(&value, ifunc->getResolverFunction());
      if (auto *variable = dyn_cast<GlobalVariable>(&value))
        for (const GlobalValue *function : labelled(*variable))
          classes.unionSets(&value, function);
      if (!module.getModuleInlineAsm().empty() && unit.used.contains(&value)) {
        if (firstUsed)
          classes.unionSets(firstUsed, &value);
        firstUsed = &value;
      }
    }
    std::map<const GlobalValue *, size_t> atomOfLeader;
    for (const GlobalValue &value : module.global_values()) {
      if (!isDefinition(unit, value))
        continue;
      std::string name = unit.finalName(value);
      auto found = definitions.find(name);
      if (found != definitions.end()) {
        bool isStronger =
            found->second.value->isWeakForLinker() && !value.isWeakForLinker();
        if (!isStronger)
          continue;
        Values &members = atoms[found->second.atom].members;
        llvm::erase(members, found->second.value);
      }
      auto [atom, isNew] = atomOfLeader.try_emplace(
          classes.getLeaderValue(&value), atoms.size());
      if (isNew) {
        atoms.emplace_back();
        atoms.back().unit = index;
      }
      atoms[atom->second].members.push_back(&value);
      definitions[name] = {unsigned(index), &value, atom->second};
    }
  }
}

void Program::dealOut() {
  std::mt19937 random(seed);
  for (auto [index, atom] : enumerate(atoms)) {
    unsigned partition = deal == "robin" ? index % partitionCount
                         : deal == "random"
                             ? random() % partitionCount
                             : index * partitionCount / atoms.size();
    atom.partitions = {partition};
  }
  // No partition is left empty.
  std::set<unsigned> seen; // ordered
  for (const Atom &atom : atoms)
    seen.insert(*atom.partitions.begin());
  partitionCount = seen.size();
  for (Atom &atom : atoms) {
    unsigned partition =
        std::distance(seen.begin(), seen.find(*atom.partitions.begin()));
    atom.partitions = {partition};
    const Unit &unit = units[atom.unit];
    for (const GlobalValue *member : atom.members)
      if (unit.used.contains(member) &&
          !unit.module->getModuleInlineAsm().empty())
        units[atom.unit].assemblyPartition = partition;
  }
  for (Unit &unit : units)
    if (unit.assemblyPartition < 0 &&
        !unit.module->getModuleInlineAsm().empty())
      unit.assemblyPartition = 0;
}

/// Returns whether two device partitions may not each have a copy.
static bool isShared(const GlobalValue &value) {
  auto *variable = dyn_cast<GlobalVariable>(&value);
  return variable && !variable->isConstant();
}

/// Device code: each partition gets a copy of all functions and constants that
/// its kernels reach.
void Program::closeDevicePartitions() {
  std::vector<std::set<size_t>> members(partitionCount);
  for (auto [index, atom] : enumerate(atoms)) {
    bool isRoot = false;
    for (const GlobalValue *value : atom.members)
      isRoot |= isShared(*value) ||
                (isa<Function>(value) && is_contained(keep, value->getName()));
    if (isRoot)
      members[*atom.partitions.begin()].insert(index);
    atom.partitions.clear();
  }
  for (unsigned p = 0; p < partitionCount; ++p) {
    std::vector<size_t> worklist(members[p].begin(), members[p].end());
    while (!worklist.empty()) {
      size_t index = worklist.back();
      worklist.pop_back();
      atoms[index].partitions.insert(p);
      for (const GlobalValue *value : atoms[index].members)
        for (const std::string &name :
             usesOf(units[atoms[index].unit], *value)) {
          auto found = definitions.find(name);
          if (found == definitions.end() || isShared(*found->second.value))
            continue;
          if (members[p].insert(found->second.atom).second)
            worklist.push_back(found->second.atom);
        }
    }
  }
}

FinalLinkage Program::linkageOf(const Unit &unit, const GlobalValue &value,
                                unsigned partition) {
  if (!internalizeSymbols || value.getName() == "main" ||
      is_contained(keep, value.getName()) || unit.used.contains(&value))
    return FinalLinkage::Preserved;
  if (auto *object = dyn_cast<GlobalObject>(&value))
    if (object->hasSection())
      return FinalLinkage::Preserved;
  bool isCopied =
      atoms[definitions[unit.finalName(value)].atom].partitions.size() > 1;
  for (unsigned user : users[unit.finalName(value)])
    if (user != partition && !isCopied)
      return FinalLinkage::Hidden;
  return FinalLinkage::Internal;
}

bool Program::mayImport(const GlobalValue &value) const {
  auto *function = dyn_cast<Function>(&value);
  if (!function || function->isInterposable() ||
      function->hasFnAttribute(Attribute::OptimizeNone))
    return false;
  for (const BasicBlock &block : *function)
    if (block.hasAddressTaken())
      return false;
  return true;
}

JobInput &Program::inputFor(LtransJob &job, unsigned index) {
  for (JobInput &input : job.inputs)
    if (input.tag == units[index].tag)
      return input;
  const Unit &unit = units[index];
  JobInput input;
  input.path = unit.path;
  input.storedBytes = input.rawBytes = unit.buffer->getBufferSize();
  input.digest = digestOf(unit.buffer->getBuffer());
  input.tag = unit.tag;
  input.fusesAll = !arch.empty() && hasContraction(*unit.module);
  job.inputs.push_back(std::move(input));
  return job.inputs.back();
}

void Program::addImports(LtransJob &job, unsigned partition) {
  std::set<std::string> wanted;
  for (const Atom &atom : atoms)
    if (atom.partitions.count(partition))
      for (const GlobalValue *value : atom.members)
        for (const std::string &name : usesOf(units[atom.unit], *value))
          wanted.insert(name);
  for (const std::string &name : wanted) {
    auto found = definitions.find(name);
    if (found == definitions.end() ||
        atoms[found->second.atom].partitions.count(partition) ||
        !mayImport(*found->second.value))
      continue;
    JobSymbol symbol;
    symbol.name = found->second.value->getName().str();
    symbol.role = JobRole::Import;
    inputFor(job, found->second.unit).symbols.push_back(symbol);
    const Unit &unit = units[found->second.unit];
    for (const std::string &use : usesOf(unit, *found->second.value))
      users[use].insert(partition);
  }
}

void Program::addStructors(LtransJob &job) {
  for (const Unit &unit : units)
    for (StringRef list : {"llvm.global_ctors", "llvm.global_dtors"}) {
      auto *variable = unit.module->getGlobalVariable(list);
      auto *entries = variable
                          ? dyn_cast<ConstantArray>(variable->getInitializer())
                          : nullptr;
      if (!entries)
        continue;
      for (const Use &entry : entries->operands()) {
        auto *fields = cast<ConstantStruct>(entry);
        JobStructor structor;
        structor.priority =
            cast<ConstantInt>(fields->getOperand(0))->getZExtValue();
        structor.function = unit.finalName(
            *cast<GlobalValue>(fields->getOperand(1)->stripPointerCasts()));
        structor.isDestructor = list.ends_with("dtors");
        auto found = definitions.find(structor.function);
        auto *associated =
            dyn_cast<GlobalValue>(fields->getOperand(2)->stripPointerCasts());
        bool isDropped =
            associated && !associated->isDeclaration() &&
            definitions[unit.finalName(*associated)].value != associated;
        if (found != definitions.end() && !isDropped) {
          job.structors.push_back(structor);
          users[structor.function].insert(job.index);
        }
      }
    }
}

/// Sets what jobs have in common.
static void setTarget(LtransJob &job) {
  job.side = arch.empty() ? Side::Host : Side::Device;
  job.arch = arch;
  job.optLevel = optLevel;
  job.host.relocationModel = pic ? "pic" : "";
  job.device.ptxas = ptxas;
  if (!ptxas.empty())
    job.device.ptxasDigest = cantFail(digestOfFile(ptxas));
  job.device.wantCubin = !ptxas.empty();
  job.device.relocatable = relocatable;
}

void Program::addDefinitions(LtransJob &job) {
  for (const Atom &atom : atoms) {
    if (!atom.partitions.count(job.index))
      continue;
    JobInput &input = inputFor(job, atom.unit);
    for (const GlobalValue *value : atom.members)
      input.symbols.push_back({value->getName().str(),
                               {},
                               JobRole::Define,
                               linkageOf(units[atom.unit], *value, job.index),
                               {},
                               0,
                               {},
                               {}});
  }
  for (auto [index, unit] : enumerate(units)) {
    if (unit.assemblyPartition == int(job.index))
      inputFor(job, index).emitsAssembly = true;
  }
}

/// Whether \p partition is the first that gets something of \p input.
bool Program::isHome(const JobInput &input, unsigned partition) const {
  for (const Atom &atom : atoms)
    if (units[atom.unit].tag == input.tag && !atom.partitions.empty())
      return *atom.partitions.begin() == partition;
  return partition == 0;
}

void Program::writeJobs() {
  std::vector<LtransJob> jobs(partitionCount);
  for (const Atom &atom : atoms)
    for (const GlobalValue *value : atom.members)
      for (const std::string &name : usesOf(units[atom.unit], *value))
        for (unsigned p : atom.partitions)
          users[name].insert(p);
  for (unsigned p = 0; p < partitionCount; ++p) {
    jobs[p].index = p;
    setTarget(jobs[p]);
    if (p == 0)
      addStructors(jobs[p]);
    if (importBodies)
      addImports(jobs[p], p);
  }
  for (LtransJob &job : jobs) {
    addDefinitions(job);
    llvm::sort(job.inputs, [](const JobInput &a, const JobInput &b) {
      return a.path < b.path;
    });
    for (JobInput &input : job.inputs)
      input.isHome = isHome(input, job.index);
    std::error_code problem;
    raw_fd_ostream out(
        outputDirectory + "/" + std::to_string(job.index) + ".json", problem);
    exitOnError(errorCodeToError(problem));
    out << writeJob(job);
  }
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv);
  exitOnError(errorCodeToError(sys::fs::create_directories(outputDirectory)));
  LLVMContext context;
  Program program(context);
  program.load();
  program.findAtoms();
  program.dealOut();
  if (!arch.empty())
    program.closeDevicePartitions();
  program.writeJobs();
}
