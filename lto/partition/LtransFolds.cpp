//===- LtransFolds.cpp - Folded definitions of a partition ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   f: leader     partition that defines f   others
//   g: folded     compares g with f, and     calls of g become calls of f
//                 takes from f what g does
//                 not promise
//   h: jumps      compares h with f, too     h's own: { tail call f }
//
// What f promises of its parameters, and the flags of its operations, hold for
// calls of f. In a partition that calls f in place of g but has neither body,
// or has f's only for inlining, all promises are removed; conclusions of
// whole-program analysis, which are the same for each body, are added later.
//
// Bodies that are read only for comparison lose their debug information.
//
//===----------------------------------------------------------------------===//

#include "lto/partition/LtransFolds.h"

#include "icf/FoldTransform.h"
#include "lto/partition/LtransPlans.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace gpulto {

char FoldMismatchError::ID = 0;

void FoldMismatchError::log(raw_ostream &os) const {
  os << "internal error: "
     << join(map_range(mismatches,
                       [](const FoldMismatch &mismatch) -> const std::string & {
                         return mismatch.text;
                       }),
             "; ");
}

std::error_code FoldMismatchError::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

static InputLocation locate(const JobInput &input) {
  return InputLocation(input.path, input.member);
}

Expected<SmallVector<GlobalObject *>>
PartitionFolds::find(const Module &source, const JobInput &input) {
  SmallVector<GlobalObject *> members;
  for (const JobFold &fold : input.folds) {
    auto *member =
        dyn_cast_or_null<GlobalObject>(source.getNamedValue(fold.name));
    bool fits = isa_and_nonnull<Function>(member) ||
                (isa_and_nonnull<GlobalVariable>(member) && !fold.jumps);
    if (!fits || (fold.merge && member->isDeclaration()))
      return inputError(locate(input), "the job folds '" + fold.name +
                                           "', which is no such definition of "
                                           "the bitcode");
    members.push_back(member);
  }
  return members;
}

/// Declares \p name in \p source as \p member is.
static GlobalObject *declareLike(Module &source, const GlobalObject &member,
                                 const std::string &name) {
  if (auto *variable = dyn_cast<GlobalVariable>(&member)) {
    auto *leader = new GlobalVariable(
        source, variable->getValueType(), /*isConstant=*/true,
        GlobalValue::ExternalLinkage, nullptr, name, nullptr,
        GlobalValue::NotThreadLocal, variable->getAddressSpace());
    leader->setAlignment(variable->getAlign());
    return leader;
  }
  auto &function = cast<Function>(member);
  auto *leader =
      Function::Create(function.getFunctionType(), GlobalValue::ExternalLinkage,
                       function.getAddressSpace(), name, &source);
  leader->setCallingConv(function.getCallingConv());
  leader->setAttributes(function.getAttributes());
  return leader;
}

/// Returns the definition \p name of \p source, declared like \p member if it
/// is not there. Errors: the name is that of something else.
Expected<GlobalObject *> PartitionFolds::leaderFor(Module &source,
                                                   const GlobalObject &member,
                                                   const std::string &name,
                                                   const JobInput &input) {
  entered.insert(name);
  if (GlobalValue *known = source.getNamedValue(name)) {
    if (known->getValueID() == member.getValueID())
      return cast<GlobalObject>(known);
    return inputError(locate(input), "'" + name + "' is something else than '" +
                                         member.getName() +
                                         "', which is folded into it");
  }
  GlobalObject *leader = declareLike(source, member, name);
  leader->setDSOLocal(member.isDSOLocal());
  hideIfPromoted(*leader);
  return leader;
}

/// Moves the body of \p function, which keeps its name and its uses, into a
/// function of its own and returns that.
static Function *detachBody(Function &function) {
  auto *body =
      Function::Create(function.getFunctionType(), GlobalValue::ExternalLinkage,
                       function.getAddressSpace(), "", function.getParent());
  body->copyAttributesFrom(&function);
  body->copyMetadata(&function, 0);
  body->splice(body->begin(), &function);
  for (auto [from, to] : zip_equal(function.args(), body->args()))
    from.replaceAllUsesWith(&to);
  GlobalValue::LinkageTypes linkage = function.getLinkage();
  function.deleteBody(); // what is left: personality, metadata
  // A declaration, unless a jump is put in.
  function.setComdat(nullptr);
  function.setLinkage(linkage);
  return body;
}

/// Takes \p member, whose body is to be compared, out of what the partition
/// keeps.
static void setAside(GlobalObject &member, const std::string &name) {
  if (auto *function = dyn_cast<Function>(&member))
    stripDebugInfo(*function);
  else
    member.eraseMetadata(LLVMContext::MD_dbg);
  member.setName(name);
  member.setLinkage(GlobalValue::ExternalLinkage);
  member.setVisibility(GlobalValue::DefaultVisibility);
  member.setComdat(nullptr);
}

/// Returns \p program as a declaration, the form in debug information for
/// functions that are not here.
static DISubprogram *declarationOf(DISubprogram &program) {
  if (!program.isDefinition())
    return &program;
  return DISubprogram::get(
      program.getContext(), program.getScope(), program.getName(),
      program.getLinkageName(), program.getFile(), program.getLine(),
      program.getType(), /*ScopeLine=*/0, program.getContainingType(),
      program.getVirtualIndex(), program.getThisAdjustment(),
      program.getFlags() & ~DINode::FlagAllCallsDescribed,
      program.getSPFlags() &
          ~(DISubprogram::SPFlagDefinition | DISubprogram::SPFlagLocalToUnit),
      /*Unit=*/nullptr);
}

/// Keeps what debug information calls \p member, number \p number in the table
/// of folds, which is about to go.
static void listCallee(Function &member, uint32_t number) {
  LLVMContext &context = member.getContext();
  DISubprogram *program = member.getSubprogram();
  Metadata *parts[] = {ConstantAsMetadata::get(
                           ConstantInt::get(Type::getInt32Ty(context), number)),
                       program ? declarationOf(*program) : nullptr};
  member.getParent()
      ->getOrInsertNamedMetadata(kCalleeList)
      ->addOperand(MDNode::get(context, parts));
}

Error PartitionFolds::replace(Module &source, const JobInput &input,
                              ArrayRef<GlobalObject *> members,
                              SmallVectorImpl<GlobalValue *> &values) {
  SmallPtrSet<GlobalObject *, 16> gone;
  for (auto [fold, member] : zip_equal(input.folds, members))
    if (!fold.jumps)
      gone.insert(member);
  SmallPtrSet<GlobalValue *, 16> moving(values.begin(), values.end());
  bool hasDebugInfo = source.getNamedMetadata("llvm.dbg.cu");
  // All before the first one is replaced: the calls in them are to be marked.
  // What debug information calls a function is read with its body.
  for (auto [fold, member] : zip_equal(input.folds, members))
    if (fold.merge || (hasDebugInfo && fold.number != kNone))
      if (Error error = member->materialize())
        return inputError(locate(input), toString(std::move(error)));
  for (auto [fold, member] : zip_equal(input.folds, members)) {
    if (!fold.jumps) {
      Expected<GlobalObject *> leader =
          leaderFor(source, *member, fold.leader, input);
      if (!leader)
        return leader.takeError();
      if (fold.number != kNone) {
        auto &function = cast<Function>(*member);
        markCallsOf(function, fold.number);
        listCallee(function, fold.number);
      }
      member->replaceAllUsesWith(*leader);
    }
    if (!fold.merge)
      continue;
    std::string name = (member->getName() + ".folded").str();
    GlobalObject *body =
        fold.jumps ? detachBody(*cast<Function>(member)) : member;
    if (fold.jumps && !moving.contains(member))
      member->setLinkage(GlobalValue::ExternalLinkage);
    setAside(*body, name);
    values.push_back(body);
    merged.push_back({body->getName().str(), fold.leader, input.tag, fold.name,
                      fold.number});
  }
  return Error::success();
}

Error PartitionFolds::jump(GlobalValue &value, const std::string &leader,
                           const JobInput &input) {
  auto *function = dyn_cast<Function>(&value);
  if (!function)
    return inputError(locate(input), "the job lets '" + value.getName() +
                                         "' jump, which is no function");
  Expected<GlobalObject *> target =
      leaderFor(*function->getParent(), *function, leader, input);
  if (!target)
    return target.takeError();
  makeJump(*function, *cast<Function>(*target));
  return Error::success();
}

/// Keeps of the callees those that marks name.
static void dropUnusedCallees(Module &partition) {
  NamedMDNode *list = partition.getNamedMetadata(kCalleeList);
  if (!list)
    return;
  SmallPtrSet<const Metadata *, 16> marked;
  unsigned kind = partition.getContext().getMDKindID(kCalleeMark);
  for (const Function &function : partition)
    for (const Instruction &instruction : instructions(function))
      if (const MDNode *mark = instruction.getMetadata(kind))
        marked.insert(mark->op_begin(), mark->op_end());
  SmallVector<MDNode *> kept;
  copy_if(list->operands(), std::back_inserter(kept), [&](const MDNode *entry) {
    return marked.contains(entry->getOperand(0));
  });
  list->clearOperands();
  for (MDNode *entry : kept)
    list->addOperand(entry);
  if (kept.empty())
    list->eraseFromParent();
}

void PartitionFolds::dropUnused() {
  dropUnusedCallees(partition);
  std::erase_if(entered, [&](const std::string &name) {
    return !partition.getFunction(name);
  });
}

std::vector<StringRef> PartitionFolds::enteredHere() const {
  return {entered.begin(), entered.end()};
}

Error PartitionFolds::finish(ArrayRef<JobLeader> leaders) {
  for (const JobLeader &leader : leaders)
    if (Function *function = partition.getFunction(leader.name))
      markCallsOf(*function, leader.number);
  std::vector<FoldMismatch> mismatches;
  for (const Merged &body : merged) {
    GlobalValue *member = partition.getNamedValue(body.name);
    GlobalValue *leader = partition.getNamedValue(body.leader);
    if (!member || !leader || leader->isDeclaration() ||
        member->getValueID() != leader->getValueID())
      return makeError("'" + body.name + "' or '" + body.leader +
                       "' was lost in moving");
    auto *function = dyn_cast<Function>(leader);
    Error error =
        function ? mergeFolded(*function, *cast<Function>(member), body.number)
                 : compareFolded(*cast<GlobalVariable>(leader),
                                 *cast<GlobalVariable>(member));
    if (error)
      mismatches.push_back(
          {body.tag, body.originalName, toString(std::move(error))});
    member->eraseFromParent();
  }
  if (!mismatches.empty())
    return make_error<FoldMismatchError>(std::move(mismatches));
  for (const std::string &name : entered)
    if (Function *leader = partition.getFunction(name);
        leader && leader->isDeclarationForLinker())
      dropPromises(*leader);
  return Error::success();
}

} // namespace gpulto
