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
// calls of f. In a partition that calls f in g's place but has neither body, or
// has f's only to inline it, the promises are all taken off: what whole-program
// analysis concluded, which it did of each body alike, is added later.
//
// Bodies that are only read to be compared leave their debug information
// behind.
//
//===----------------------------------------------------------------------===//

#include "lto/LtransFolds.h"

#include "icf/FoldTransform.h"
#include "lto/LtransPlans.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace gpulto {

static InputLocation locate(const JobInput &input) {
  return InputLocation(input.path, input.member);
}

Expected<SmallVector<Function *>> PartitionFolds::find(const Module &source,
                                                       const JobInput &input) {
  SmallVector<Function *> members;
  for (const JobFold &fold : input.folds) {
    Function *member = source.getFunction(fold.name);
    if (!member || (fold.merge && member->isDeclaration()))
      return inputError(locate(input), "the job folds '" + fold.name +
                                           "', which is no function of the "
                                           "bitcode");
    members.push_back(member);
  }
  return members;
}

/// What speaks of a folded kernel would speak of its leader twice.
static void dropAnnotations(Module &source,
                            const SmallPtrSetImpl<Function *> &members) {
  NamedMDNode *list = source.getNamedMetadata("nvvm.annotations");
  if (!list)
    return;
  SmallVector<MDNode *> kept;
  for (MDNode *node : list->operands()) {
    auto *function =
        node->getNumOperands()
            ? mdconst::dyn_extract_or_null<Function>(node->getOperand(0))
            : nullptr;
    if (!function || !members.contains(function))
      kept.push_back(node);
  }
  list->clearOperands();
  for (MDNode *node : kept)
    list->addOperand(node);
}

/// Returns the function \p name of \p source, declared like \p member if it is
/// not there. Errors: the name is that of something else.
Expected<Function *> PartitionFolds::leaderFor(Module &source,
                                               const Function &member,
                                               const std::string &name,
                                               const JobInput &input) {
  entered.insert(name);
  if (Function *leader = source.getFunction(name))
    return leader;
  if (source.getNamedValue(name))
    return inputError(locate(input), "'" + name + "' is no function, but '" +
                                         member.getName() +
                                         "' is folded into it");
  auto *leader =
      Function::Create(member.getFunctionType(), GlobalValue::ExternalLinkage,
                       member.getAddressSpace(), name, &source);
  leader->setCallingConv(member.getCallingConv());
  leader->setAttributes(member.getAttributes());
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

Error PartitionFolds::replace(Module &source, const JobInput &input,
                              ArrayRef<Function *> members,
                              SmallVectorImpl<GlobalValue *> &values) {
  SmallPtrSet<Function *, 16> gone;
  for (auto [fold, member] : zip_equal(input.folds, members))
    if (!fold.jumps)
      gone.insert(member);
  dropAnnotations(source, gone);
  SmallPtrSet<GlobalValue *, 16> moving(values.begin(), values.end());
  // All before the first one is replaced: the calls in them are to be marked.
  for (auto [fold, member] : zip_equal(input.folds, members))
    if (fold.merge)
      if (Error error = member->materialize())
        return inputError(locate(input), toString(std::move(error)));
  for (auto [fold, member] : zip_equal(input.folds, members)) {
    if (!fold.jumps) {
      Expected<Function *> leader =
          leaderFor(source, *member, fold.leader, input);
      if (!leader)
        return leader.takeError();
      if (fold.number != kNone)
        markCallsOf(*member, fold.number);
      member->replaceAllUsesWith(*leader);
    }
    if (!fold.merge)
      continue;
    std::string name = (member->getName() + ".folded").str();
    Function *body = fold.jumps ? detachBody(*member) : member;
    if (fold.jumps && !moving.contains(member))
      member->setLinkage(GlobalValue::ExternalLinkage);
    stripDebugInfo(*body);
    body->setName(name);
    body->setLinkage(GlobalValue::ExternalLinkage);
    body->setVisibility(GlobalValue::DefaultVisibility);
    body->setComdat(nullptr);
    values.push_back(body);
    merged.push_back({body->getName().str(), fold.leader, fold.number});
  }
  return Error::success();
}

Error PartitionFolds::jump(GlobalValue &value, const std::string &leader,
                           const JobInput &input) {
  auto *function = dyn_cast<Function>(&value);
  if (!function)
    return inputError(locate(input), "the job lets '" + value.getName() +
                                         "' jump, which is no function");
  Expected<Function *> target =
      leaderFor(*function->getParent(), *function, leader, input);
  if (!target)
    return target.takeError();
  makeJump(*function, **target);
  return Error::success();
}

Error PartitionFolds::finish(ArrayRef<JobLeader> leaders) {
  for (const JobLeader &leader : leaders)
    if (Function *function = partition.getFunction(leader.name))
      markCallsOf(*function, leader.number);
  for (const Merged &body : merged) {
    Function *member = partition.getFunction(body.name);
    Function *leader = partition.getFunction(body.leader);
    if (!member || !leader || leader->isDeclaration())
      return makeError("'" + body.name + "' or '" + body.leader +
                       "' was lost in moving");
    if (Error error = mergeFolded(*leader, *member, body.number))
      return makeError("internal error: " + toString(std::move(error)) +
                       "; --gpulto-icf=none links without folding");
    member->eraseFromParent();
  }
  for (const std::string &name : entered)
    if (Function *leader = partition.getFunction(name);
        leader && leader->isDeclarationForLinker())
      dropPromises(*leader);
  return Error::success();
}

} // namespace gpulto
