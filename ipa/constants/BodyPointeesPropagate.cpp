//===- BodyPointeesPropagate.cpp - Who reaches what parameters point to ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/constants/BodyPointees.h"

using namespace llvm;

namespace gpulto {

bool BodyPointees::keepsPointee(const BodyLattice &body,
                                uint32_t source) const {
  ArrayRef<ParameterRecord> formals = program.parameters(body.id);
  return source < formals.size() && ((formals[source].flags & kParamByVal) ||
                                     pointees.isUnwritten(body.id, source));
}

/// Returns whether nobody but \p body and its callees reaches what its
/// parameter \p source points to while it runs; each writes it by one pointer
/// only.
bool BodyPointees::isPrivateFormal(const BodyLattice &body,
                                   uint32_t source) const {
  return source < body.parameters.size() && body.parameters[source].isPrivate &&
         pointees.isPrivate(body.id, uint64_t(source) + 1);
}

bool BodyPointees::leadsToPrivate(const BodyLattice &caller,
                                  const JumpFunction &actual) const {
  if (actual.kind == JumpFunction::Kind::Aggregate)
    return actual.value && pointees.isPrivate(caller.id, actual.value);
  return actual.isPointerPassedOn() && isPrivateFormal(caller, actual.source);
}

bool BodyPointees::isPrivateVariable(const BodyLattice &body,
                                     uint64_t number) const {
  ArrayRef<ParameterRecord> formals = program.parameters(body.id);
  bool isFormal = number <= formals.size() &&
                  !(formals[number - 1].flags & kParamStructRet);
  return isFormal ? isPrivateFormal(body, static_cast<uint32_t>(number - 1))
                  : pointees.isPrivate(body.id, number);
}

} // namespace gpulto
