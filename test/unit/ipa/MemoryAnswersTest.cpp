// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ipa/constants/MemoryAnswers.h"

#include "gtest/gtest.h"
#include "ipa/callers/Callers.h"
#include "ipa/constants/SolverBodies.h"
#include "summary/ModuleSummary.h"
#include "test/unit/ProgramBuilder.h"

using namespace gpulto;

namespace {

constexpr uint8_t kWins = kResolved | kPrevailing | kFinalDefinition;

class MemoryAnswersTest : public testing::Test {
protected:
  MemoryAnswersTest() {
    ModuleBuilder host;
    SymbolIndex callee = host.define("callee", kWins, {});
    SymbolIndex caller = host.define("caller", kWins, {callee});
    program.finishWith(host, {caller});
    callers.emplace(*program.context);
    bodies.emplace(program.summary, *callers);
    answers.emplace(*bodies);
    memory.kind = JumpFunction::Kind::Memory;
    memory.source = 3;
    memory.count = 2;
    memory.parameter = 1;
    memory.bitWidth = 32;
    found = unknownBytes();
    addPart(found.parts, 0, ValueLattice::constant(7, 32));
  }

  BodyIndex indexOf(const char *name) const {
    return bodies->indexOf(program.host(name), 0);
  }
  const BodyLattice &caller() const { return (*bodies)[indexOf("caller")]; }

  TestProgram program;
  std::optional<Callers> callers;
  std::optional<SolverBodies> bodies;
  std::optional<MemoryAnswers> answers;
  JumpFunction memory;
  ParameterLattice found;
};

TEST_F(MemoryAnswersTest, RemembersByAllThatTheQuestionIsMadeOf) {
  EXPECT_FALSE(answers->find(caller(), memory));
  answers->add(caller(), memory, found);
  const ParameterLattice *known = answers->find(caller(), memory);
  ASSERT_TRUE(known);
  ASSERT_EQ(known->parts.size(), 1u);
  EXPECT_EQ(known->parts[0].value.value(), 7u);
  EXPECT_FALSE(answers->find((*bodies)[indexOf("callee")], memory));
  JumpFunction other = memory;
  other.source = 4;
  EXPECT_FALSE(answers->find(caller(), other));
  other = memory;
  other.count = 1;
  EXPECT_FALSE(answers->find(caller(), other));
  other = memory;
  other.parameter = 2;
  EXPECT_FALSE(answers->find(caller(), other));
  other = memory;
  other.value = 4;
  EXPECT_FALSE(answers->find(caller(), other));
  other = memory;
  other.bitWidth = 64;
  EXPECT_FALSE(answers->find(caller(), other));
}

TEST_F(MemoryAnswersTest, HoldsUntilTheParametersChange) {
  answers->add(caller(), memory, found);
  ++(*bodies)[indexOf("caller")].version;
  EXPECT_FALSE(answers->find(caller(), memory));
  answers->add(caller(), memory, found);
  EXPECT_TRUE(answers->find(caller(), memory));
}

TEST_F(MemoryAnswersTest, HoldsUntilACallIsLedElsewhere) {
  BodyIndex clone = bodies->addClone(program.host("callee"));
  answers->add(caller(), memory, found);
  bodies->redirect({indexOf("caller"), 0}, clone);
  EXPECT_FALSE(answers->find(caller(), memory));
}

/// A body that was made to look into one call has parameters of its own.
TEST_F(MemoryAnswersTest, KnowsNothingOfABodyThatOneCallEnters) {
  BodyLattice entered = caller();
  answers->add(entered, memory, found);
  EXPECT_FALSE(answers->find(caller(), memory));
  answers->add(caller(), memory, found);
  EXPECT_FALSE(answers->find(entered, memory));
}

} // namespace
