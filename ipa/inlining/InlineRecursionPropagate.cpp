//===- InlineRecursionPropagate.cpp - Functions inlined into themselves ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: let a small recursive function run several of its calls at once.
//
//   int sum(Tree *t) {          entries of sum for a tree of 1000 nodes: 1000;
//     return t ? t->value +     with both calls inlined three deep, about 140
//       sum(t->left) + sum(t->right) : 0;
//   }
//
// 1. The cost of calls must be a large part of its time.
// 2. Calls are weighed by executions per entry. Estimates concern one body
//    alone, and loops make them more than one; but a recursion that ends enters
//    the function, on average, less than once per entry, so chances are scaled
//    such that their sum is at most one.
// 3. The likeliest call first, then the calls in its copy, until the next one
//    is too unlikely, too deep, or makes the function too large.
// LTRANS repeats step 3 on the bodies
// (ipa/inlining/InlineRecursionTransform.cpp).
//
// Variables of the copies share a frame, so functions with more than a few
// bytes there are left alone: deep recursions must not need more stack.
//
// Source: GCC's ipa-inline.cc (want_inline_self_recursive_call_p,
// recursive_inlining).
//
//===----------------------------------------------------------------------===//

#include "ipa/inlining/InlineCalls.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <queue>

using namespace llvm;

namespace gpulto {

constexpr uint64_t kOnce = 256;

/// Returns those of \p edges, calls of their caller, that may be inlined, with
/// their chances.
static std::vector<RecursiveCall> weighCalls(ArrayRef<InlineEdge *> edges) {
  uint64_t all = 0;
  for (const InlineEdge *edge : edges)
    all += edge->outcome.frequency;
  std::vector<RecursiveCall> calls;
  for (const InlineEdge *edge : edges)
    if (edge->outcome.verdict == InlineVerdict::Undecided)
      calls.push_back({edge->number, static_cast<uint32_t>(
                                         edge->outcome.frequency *
                                         kCertainCall / std::max(all, kOnce))});
  return calls;
}

/// Returns why \p body is not inlined into itself at all, or Undecided.
static InlineVerdict whyNot(const InlineBody &body,
                            ArrayRef<InlineEdge *> calls,
                            const Params &params) {
  uint64_t saved = 0, executions = 0;
  for (const InlineEdge *edge : calls) {
    saved += edge->outcome.saved * edge->outcome.frequency;
    executions += edge->outcome.frequency;
  }
  // As often as a recursion that goes deep: see above.
  if (executions && executions < kOnce)
    saved = saved * kOnce / executions;
  if (saved * 100 < body.time * kOnce * params.inlineSpeedupPercent)
    return InlineVerdict::LittleGain;
  if (body.ownSize * 2 > params.inlineRecursiveInstructions)
    return InlineVerdict::TooLarge;
  if (body.stackBytes * 2 > params.inlineRecursiveStackBytes)
    return InlineVerdict::StackFull;
  return InlineVerdict::Undecided;
}

/// Chooses copies of \p body, of which each makes it grow by \p growth.
static RecursiveInlining chooseCopies(const InlineBody &body,
                                      ArrayRef<InlineEdge *> calls,
                                      uint64_t growth, const Params &params) {
  struct Copy {
    uint64_t chance;
    uint32_t depth;
    bool operator<(const Copy &other) const { return chance < other.chance; }
  };
  RecursiveInlining result;
  result.calls = weighCalls(calls);
  uint64_t least =
      kCertainCall * params.inlineRecursiveProbabilityPercent / 100;
  uint64_t most = params.inlineRecursiveInstructions;
  if (params.inlineRecursiveStackBytes && body.stackBytes)
    most = std::min(
        most,
        body.ownSize +
            growth * (params.inlineRecursiveStackBytes / body.stackBytes - 1));
  std::priority_queue<Copy> queue;
  auto addCalls = [&](uint64_t chance, uint32_t depth) {
    if (depth <= params.inlineRecursiveDepth)
      for (const RecursiveCall &call : result.calls)
        queue.push({chance * call.chance / kCertainCall, depth});
  };
  addCalls(kCertainCall, 1);
  for (uint64_t size = body.ownSize + growth;
       !queue.empty() && queue.top().chance >= least && size <= most;
       size += growth) {
    Copy copy = queue.top();
    queue.pop();
    ++result.copies;
    result.depth = std::max(result.depth, copy.depth);
    addCalls(copy.chance, copy.depth + 1);
  }
  return result;
}

RecursiveInlining decideRecursion(InlineBody &body,
                                  ArrayRef<InlineEdge *> calls,
                                  const Params &params) {
  RecursiveInlining result;
  InlineVerdict verdict = whyNot(body, calls, params);
  uint64_t growth = std::max<int64_t>(
      int64_t(body.ownSize) - int64_t(calls.front()->callSize()), 1);
  if (verdict == InlineVerdict::Undecided) {
    result = chooseCopies(body, calls, growth, params);
    if (!result.copies)
      verdict = InlineVerdict::Cold;
    else
      verdict = InlineVerdict::Inlined;
  }
  for (InlineEdge *edge : calls) {
    InlineOutcome &outcome = edge->outcome;
    if (outcome.verdict != InlineVerdict::Undecided)
      continue;
    outcome.verdict = verdict;
    outcome.copies = result.copies;
    outcome.depth = result.depth;
    outcome.growth = static_cast<int64_t>(growth * std::max(result.copies, 1u));
    outcome.allowed = params.inlineRecursiveInstructions;
  }
  body.size += growth * result.copies;
  return result;
}

} // namespace gpulto
