//===- LoopResults.h - Jump functions of what loops leave -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_LOOPRESULTS_H
#define GPULTO_IPA_VALUES_LOOPRESULTS_H

#include "ipa/bodies/LgenContext.h"

#include <optional>

namespace llvm {
class BasicBlock;
class Function;
class ICmpInst;
class Loop;
class LoopInfo;
class PHINode;
class SCEV;
class Value;
} // namespace llvm

namespace gpulto {

class JumpFunctionBuilder;
class JumpOperations;
class OperationDepth;

/// Says what the loops of one function leave, in terms of their rounds.
class LoopResults {
public:
  LoopResults(JumpFunctionBuilder &values, JumpOperations &operations,
              OperationDepth &depth, LgenContext &context,
              llvm::Function &function)
      : values(values), operations(operations), depth(depth), context(context),
        function(function) {}

  /// Returns the value of \p phi if it is what a loop leaves that \p phi is not
  /// in; else Unknown.
  JumpFunction of(const llvm::PHINode &phi);

private:
  /// A test that keeps a loop going: a number that doubles each round is below
  /// \c limit, or one that counts rounds is below a constant, \c most rounds
  /// later.
  struct Test {
    /// The logarithm of the number in the first round.
    unsigned first = 0;
    const llvm::Value *limit = nullptr;
    bool isSigned = false;
    /// One below the limit, too.
    bool isInclusive = false;
    /// The number does not wrap around while it is tested.
    bool isExact = false;
    /// Counted rounds; if there is a limit, the last before it may wrap around.
    uint64_t most = 0;
  };
  std::optional<Test> testOf(const llvm::ICmpInst &comparison, bool isInverse,
                             const llvm::Loop &loop);
  JumpFunction ofTest(const Test &test);
  bool isQuiet(const llvm::Loop &loop) const;
  /// A number that each round of a loop steps by a constant.
  struct Step {
    const llvm::Loop *loop;
    const llvm::Value *initial;
    JumpOperation operation;
    uint64_t by;
    /// It has been stepped in the last round, too.
    bool isNext;
  };
  static std::optional<Step> findStep(const llvm::Value &value,
                                      const llvm::LoopInfo &loops);
  JumpFunction ofExpression(const llvm::SCEV &expression);
  JumpFunction ofCondition(const llvm::ICmpInst &condition, bool isInverse);
  JumpFunction ofRounds(const Step &step);
  JumpFunction ofDoublings(const llvm::Loop &loop);
  JumpFunction ofEntered(const llvm::Loop &loop, const llvm::BasicBlock &before,
                         const llvm::BasicBlock &behind);
  JumpFunction ofSteps(const Step &step, const JumpFunction &rounds);

  JumpFunctionBuilder &values;
  JumpOperations &operations;
  OperationDepth &depth;
  LgenContext &context;
  llvm::Function &function;
};

} // namespace gpulto

#endif
