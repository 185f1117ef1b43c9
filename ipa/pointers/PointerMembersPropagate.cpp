//===- PointerMembersPropagate.cpp - Pointers in aggregates (WPA) ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What becomes of a pointer in a by-value aggregate of a kernel: the summary
// says what the body does with it, jump functions say to which callees it is
// passed. Linear in the kernel's calls.
//
//===----------------------------------------------------------------------===//

#include "ipa/callers/PointerBase.h"
#include "ipa/pointers/PointerMembers.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

ArrayRef<PointerMember> membersOf(const CombinedSummary &program,
                                  GlobalId kernel) {
  return slice(program.moduleRef(kernel).summary.members,
               program.function(kernel)->members);
}

const PointerMember *passedMember(const CombinedSummary &program,
                                  GlobalId kernel, const JumpFunction &actual) {
  const JumpFunction &base = baseOf(program, kernel, actual);
  if (base.kind != JumpFunction::Kind::LoadAggregate || base.bitWidth != 0)
    return nullptr;
  ArrayRef<PointerMember> members = membersOf(program, kernel);
  auto found = find_if(members, [&](const PointerMember &member) {
    return member.parameter == base.source && member.byteOffset == base.value;
  });
  return found == members.end() ? nullptr : &*found;
}

bool mayWriteThrough(const Decisions &decisions, GlobalId function,
                     uint32_t parameter) {
  const FunctionEffects *effects = decisions.effectsOf(function);
  return !effects || parameter >= effects->parameters.size() ||
         (effects->parameters[parameter] & (kParamMayWrite | kParamMayEscape));
}

bool mayWriteMember(const CombinedSummary &program, const Decisions &decisions,
                    GlobalId kernel, const PointerMember &member) {
  if (member.flags & (kParamMayWrite | kParamMayEscape))
    return true;
  const ModuleSummary &module = program.moduleRef(kernel).summary;
  return any_of(slice(module.calls, program.function(kernel)->calls),
                [&](const CallEdge &call) {
                  GlobalId callee = program.definitionFor(kernel, call.callee);
                  ArrayRef<JumpFunction> actuals =
                      slice(module.jumpFunctions, call.arguments);
                  return any_of(enumerate(actuals), [&](auto actual) {
                    return passedMember(program, kernel, actual.value()) ==
                               &member &&
                           (callee == kNone ||
                            mayWriteThrough(decisions, callee, actual.index()));
                  });
                });
}

} // namespace gpulto
