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

bool MemoryAnswers::hold(const OfBody &answers, const BodyLattice &body) const {
  return answers.version == body.version &&
         answers.redirections == bodies.redirectionCount();
}

const ParameterLattice *
MemoryAnswers::find(const BodyLattice &body,
                    const JumpFunction &function) const {
  auto of = known.find(body.index);
  if (of == known.end() || !isOwn(body) || !hold(of->second, body))
    return nullptr;
  auto answer = of->second.answers.find(questionOf(function));
  return answer == of->second.answers.end() ? nullptr : &answer->second;
}

void MemoryAnswers::add(const BodyLattice &body, const JumpFunction &function,
                        const ParameterLattice &found) {
  if (!isOwn(body))
    return;
  OfBody &of = known[body.index];
  if (!hold(of, body))
    of = {body.version, bodies.redirectionCount(), {}};
  of.answers.insert_or_assign(questionOf(function), found);
}

} // namespace gpulto
