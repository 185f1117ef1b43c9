//===- MemoryAnswersPropagate.cpp - What memory was found to hold ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/constants/MemoryAnswers.h"
#include "ipa/constants/SolverBodies.h"

using namespace llvm;

namespace gpulto {

bool MemoryAnswers::isOwn(const BodyLattice &body) const {
  return body.index < bodies.all().size() && &bodies[body.index] == &body;
}

const ParameterLattice *
MemoryAnswers::find(const BodyLattice &body,
                    const JumpFunction &function) const {
  auto of = known.find(body.index);
  if (of == known.end() || !isOwn(body) || of->second.version != body.version ||
      of->second.redirections != bodies.redirectionCount())
    return nullptr;
  auto answer = of->second.answers.find(questionOf(function));
  return answer == of->second.answers.end() ? nullptr : &answer->second;
}

void MemoryAnswers::add(const BodyLattice &body, const JumpFunction &function,
                        const ParameterLattice &found) {
  if (!isOwn(body))
    return;
  OfBody &of = known[body.index];
  if (of.version != body.version ||
      of.redirections != bodies.redirectionCount())
    of = {body.version, bodies.redirectionCount(), {}};
  of.answers.insert_or_assign(questionOf(function), found);
}

} // namespace gpulto
