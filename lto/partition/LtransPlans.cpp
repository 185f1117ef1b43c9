//===- LtransPlans.cpp - Carry decisions out in a partition ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// 1. While a body is read, the calls that enter clones are marked.
// 2. Once all bodies are present, clones are copied from them, as they were
//    read.
// 3. Then each body and each clone gets its own calls and facts.
//
//===----------------------------------------------------------------------===//

#include "lto/partition/LtransPlans.h"

#include "ipa/clones/ClonesTransform.h"
#include "ipa/guards/GuardsTransform.h"
#include "ipa/inlining/InliningTransform.h"
#include "ipa/launches/LaunchesTransform.h"
#include "ipa/plans/ConstantsTransform.h"
#include "ipa/runtime/KernelAnnotations.h"
#include "ipa/transfers/CopyRecordsTransform.h"
#include "ipa/transfers/TransfersTransform.h"
#include "lto/job/JobRemarks.h"
#include "support/RegisterLimit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gpulto {

void hideIfPromoted(GlobalValue &declaration) {
  if (!declaration.getName().contains(promotedName("", "")))
    return;
  declaration.setVisibility(GlobalValue::HiddenVisibility);
  declaration.setDSOLocal(true);
}

Error markRedirects(Function &function, const JobSymbol &symbol) {
  SmallVector<uint32_t> numbers, launches, stretches;
  for (const JobBody &body : symbol.bodies) {
    for (const JobRedirect &redirect : body.redirects) {
      numbers.push_back(redirect.call);
      if (redirect.isHandle)
        launches.push_back(redirect.call);
    }
    for (const CopyEdit &copy : body.copies)
      numbers.push_back(copy.call);
    for (const RecordUse &use : body.records)
      if (use.place.kind == CodePlace::Kind::Call)
        numbers.push_back(use.place.number);
      else if (use.place.kind == CodePlace::Kind::Stretch)
        stretches.push_back(use.place.number);
  }
  if (!stretches.empty())
    if (Error error = markStretches(function, stretches))
      return error;
  if (numbers.empty())
    return Error::success();
  llvm::sort(numbers);
  numbers.erase(llvm::unique(numbers), numbers.end());
  return markCalls(function, numbers, launches, symbol.calls);
}

Error markCallsToInline(Function &function, const JobSymbol &symbol) {
  SmallVector<uint32_t> numbers;
  for (const JobInlinedCall &call : symbol.inlined)
    numbers.push_back(call.call);
  if (Error error = markInlining(function, numbers, symbol.calls))
    return error;
  return markRecursion(function, symbol.recursion, symbol.calls);
}

namespace {
/// A body and what becomes of it.
using PlannedBody = std::pair<Function *, const JobBody *>;

class PlanApplier {
public:
  PlanApplier(Module &partition, PlanUse use, const LtransJob &job,
              LtransReport &report)
      : partition(partition), use(use), job(job), report(report),
        maxRegisters(registerLimit(job.device.ptxasArguments)),
        context(partition.getContext()), isDevice(job.side == Side::Device) {}

  void run(ArrayRef<PlannedFunction> planned);

private:
  Constant *addressOf(const ValueFact &fact);
  Function *bodyOf(Function &function, const JobSymbol &symbol,
                   const JobBody &body);
  Function *cloneNamed(StringRef name, const Function *original,
                       FunctionType &type);
  void redirectCalls(Function &function, const JobBody &body);
  void applyShown(ArrayRef<PlannedFunction> planned);
  std::vector<PlannedBody> makeBodies(ArrayRef<PlannedFunction> planned);
  void applyTo(Function &function, const JobBody &body);
  void chooseAtLaunch(Function &stub, const JobBody &body);

  Module &partition;
  PlanUse use;
  const LtransJob &job;
  LtransReport &report;
  uint32_t maxRegisters; ///< of ptxas's --maxrregcount; 0: not given
  LLVMContext &context;
  bool isDevice;
};
} // namespace

/// Returns the symbol of \p fact, declared if it is in another partition.
Constant *PlanApplier::addressOf(const ValueFact &fact) {
  if (GlobalValue *value = partition.getNamedValue(fact.symbolName))
    return value;
  if (isDevice)
    return nullptr; // each device partition is closed
  GlobalValue *value;
  if (fact.isFunction)
    value = Function::Create(
        FunctionType::get(Type::getVoidTy(context), /*isVarArg=*/true),
        GlobalValue::ExternalLinkage, fact.symbolName, partition);
  else
    value =
        new GlobalVariable(partition, Type::getInt8Ty(context),
                           /*isConstant=*/false, GlobalValue::ExternalLinkage,
                           /*Initializer=*/nullptr, fact.symbolName);
  hideIfPromoted(*value);
  return value;
}

/// Returns the function that \p body is about: \p function, which \p symbol
/// names, or a new copy of it.
Function *PlanApplier::bodyOf(Function &function, const JobSymbol &symbol,
                              const JobBody &body) {
  if (body.clone.empty())
    return &function;
  ValueToValueMapTy map;
  Function *clone = CloneFunction(&function, map);
  clone->setName(body.clone);
  clone->setComdat(nullptr);
  clone->setVisibility(GlobalValue::DefaultVisibility);
  // A stub's address is the handle of its kernel, in its own body too.
  if (!isDevice && replaceHandle(*clone, function, *clone))
    clone->setUnnamedAddr(GlobalValue::UnnamedAddr::None);
  else
    clone->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  if (symbol.role == JobRole::Import)
    clone->setLinkage(GlobalValue::AvailableExternallyLinkage);
  else
    clone->setLinkage(body.cloneLinkage == FinalLinkage::Internal
                          ? GlobalValue::InternalLinkage
                          : GlobalValue::ExternalLinkage);
  if (!clone->hasLocalLinkage() && body.cloneLinkage != FinalLinkage::Preserved)
    clone->setVisibility(GlobalValue::HiddenVisibility);
  clone->setDSOLocal(true);
  return clone;
}

/// Returns the clone \p name of \p original (null: not known), declared with
/// \p type if it is in another partition.
Function *PlanApplier::cloneNamed(StringRef name, const Function *original,
                                  FunctionType &type) {
  if (Function *clone = partition.getFunction(name))
    return clone;
  Function *clone =
      Function::Create(original ? original->getFunctionType() : &type,
                       GlobalValue::ExternalLinkage, name, partition);
  if (original)
    clone->copyAttributesFrom(original);
  clone->setVisibility(GlobalValue::HiddenVisibility);
  clone->setDSOLocal(true);
  return clone;
}

/// Lets the marked calls of \p function enter the clones that \p body says, and
/// makes copies that need not be what it says.
void PlanApplier::redirectCalls(Function &function, const JobBody &body) {
  SmallVector<PlannedCopy, 4> copies;
  SmallVector<Instruction *, 4> edited;
  SmallVector<PlacedUse, 8> uses;
  auto addUse = [&](CodePlace place, Instruction *at) -> const RecordUse * {
    auto use = find_if(body.records, [&](const RecordUse &other) {
      return other.place == place;
    });
    if (use == body.records.end())
      return nullptr;
    uses.push_back({at, &*use});
    return &*use;
  };
  addUse({CodePlace::Kind::Entry},
         &*function.getEntryBlock().getFirstInsertionPt());
  for (auto [number, first] : takeMarkedStretches(function))
    addUse({CodePlace::Kind::Stretch, number}, first);
  for (auto [number, call] : takeMarkedCalls(function)) {
    const RecordUse *use = addUse({CodePlace::Kind::Call, number}, call);
    for (const CopyEdit &copy : body.copies)
      if (copy.call == number) {
        copies.push_back(
            {call, copy, use ? ArrayRef(use->ended) : ArrayRef<uint32_t>()});
        edited.push_back(call);
      }
    auto redirect = find_if(
        body.redirects, [n = number](const auto &r) { return r.call == n; });
    if (redirect == body.redirects.end())
      continue;
    Use &callee =
        redirect->isHandle ? handleOf(*call) : call->getCalledOperandUse();
    auto *original = dyn_cast<Function>(callee.get()->stripPointerCasts());
    callee.set(
        cloneNamed(redirect->callee, original, *call->getFunctionType()));
  }
  endRecords(function, uses, edited);
  editCopies(function, copies);
}

//===----------------------------------------------------------------------===//
// All of a partition
//===----------------------------------------------------------------------===//

/// Whether only its partition uses what \p symbol is.
static bool isOwn(const JobSymbol &symbol) {
  return symbol.role == JobRole::Define &&
         symbol.linkage == FinalLinkage::Internal;
}

/// Says what the calls in the partition show of parameters of device functions,
/// with all decisions and without: nobody decided it, so no kernel is checked
/// for it. Calls of clones are among these calls.
void PlanApplier::applyShown(ArrayRef<PlannedFunction> planned) {
  if (!isDevice)
    return;
  bool changed;
  do { // what a caller is told, its calls show
    changed = false;
    for (const auto &[name, symbol] : planned)
      if (Function *function = partition.getFunction(name);
          function && isOwn(*symbol))
        for (const JobBody &body : symbol->bodies)
          changed |= applyShownFacts(*function, body.facts);
  } while (changed);
}

/// Makes the clones. Without decisions only those of kernels are there: host
/// code may launch them.
std::vector<PlannedBody>
PlanApplier::makeBodies(ArrayRef<PlannedFunction> planned) {
  std::vector<PlannedBody> bodies;
  for (const auto &[name, symbol] : planned) {
    Function *function = partition.getFunction(name);
    if (!function || function->isDeclaration())
      continue; // an import that nothing refers to
    bool isKernel = isDevice && KernelAnnotations(*function).isKernel();
    for (const JobBody &body : symbol->bodies)
      if (use == PlanUse::All || isKernel)
        bodies.push_back({bodyOf(*function, *symbol, body), &body});
  }
  return bodies;
}

/// Lets \p stub choose between its kernel and the version of \p body.
void PlanApplier::chooseAtLaunch(Function &stub, const JobBody &body) {
  if (applyGuardTest(stub, body.guard, body.overlap,
                     *cloneNamed(body.guarded, &stub, *stub.getFunctionType())))
    return;
  Remark remark = JobNames(job).remarkOn(stub);
  remark.kind = RemarkKind::Missed;
  remark.pass = "gpulto-launches";
  remark.name = "GuardNotTested";
  remark.text = "the second version of '" + remark.function +
                "' is never chosen: its launch has a form that cannot be "
                "tested";
  report.remarks.push_back(std::move(remark));
}

void PlanApplier::applyTo(Function &function, const JobBody &body) {
  redirectCalls(function, body);
  bool changed = !body.clone.empty();
  if (isDevice)
    changed |= applyOverlap(function, body.overlap); // as LGEN saw it
  changed |= applyValueFacts(function, body.facts, [&](const ValueFact &fact) {
    return addressOf(fact);
  });
  if (!isDevice) {
    if (!body.guarded.empty())
      chooseAtLaunch(function, body);
    return;
  }
  changed |= applyGeometry(function, body.facts);
  changed |= applyGuard(function, body.guard);
  if (changed)
    function.addFnAttr(kChangedAttribute);
  if (declareBlockSize(function, body.facts, maxRegisters) || changed)
    function.addFnAttr(kPlannedAttribute);
}

static void dropMarks(Function &function) {
  takeMarkedCalls(function);
  takeMarkedStretches(function);
}

/// Makes the clones and puts what whole-program analysis decided into bodies.
void PlanApplier::run(ArrayRef<PlannedFunction> planned) {
  applyShown(planned);
  std::vector<PlannedBody> bodies = makeBodies(planned);
  // All copies are made: bodies may change.
  for (auto [function, body] : bodies)
    if (use == PlanUse::All)
      applyTo(*function, *body);
    else
      dropMarks(*function);
  for (const auto &[name, symbol] : planned)
    if (Function *function = partition.getFunction(name))
      dropMarks(*function); // only clones are changed
}

void applyPlans(Module &partition, ArrayRef<PlannedFunction> planned,
                PlanUse use, const LtransJob &job, LtransReport &report) {
  if (!planned.empty())
    PlanApplier(partition, use, job, report).run(planned);
}

} // namespace gpulto
