//===- Blocks.cpp - Basic blocks of decoded code --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// rankInstructions: where lanes of a warp part, those that are behind run
// first, so that they meet the others where the ways join, as hardware has it.
// Positions in the code mostly say who is behind, but not where a compiler
// rotates a loop, and puts the block at its end before those of its body:
//
//     L2: ...          end of the loop, 3
//         @p bra L1;
//         bra L3;
//     L1: @q bra L2;   its start, 1
//         ...          2
//         bra L2;
//     L3:              4
//
// 1. findLoops: branches back to a block that is on the way from the entry, and
//    what leads there. Loops with one entry; blocks of others keep whatever
//    order comes out.
// 2. orderBlocks: each block behind its predecessors, but for branches back; a
//    loop is gone through before what is behind it; else by position.
//
// Source: G. Diamos et al., "SIMD Re-Convergence at Thread Frontiers", MICRO
// 2011, whose priorities of blocks these are. Linear in blocks, branches and
// the sizes of loops; where the latter are too large, positions have to do.
//
//===----------------------------------------------------------------------===//

#include "emulator/ptx/Blocks.h"

#include <algorithm>
#include <queue>

namespace gpulto::emu {

static bool leaves(const Insn &i) {
  return i.ctl == Ctl::Branch || i.ctl == Ctl::BranchIndex ||
         i.ctl == Ctl::Exit || i.ctl == Ctl::Return;
}

std::vector<BasicBlock> findBlocks(const Function &fn) {
  std::vector<BasicBlock> blocks;
  size_t n = fn.code.size();
  std::vector<bool> leader(n + 1, false);
  leader[0] = true;
  for (size_t k = 0; k < n; ++k) {
    const Insn &i = fn.code[k];
    if (i.ctl == Ctl::Branch)
      leader[i.target] = true;
    if (i.ctl == Ctl::BranchIndex)
      for (uint32_t t : fn.branchTables[i.target])
        leader[t] = true;
    if (leaves(i))
      leader[k + 1] = true;
  }
  std::vector<uint32_t> blockOf(n + 1, 0);
  for (size_t k = 0; k < n; ++k) {
    if (leader[k]) {
      if (!blocks.empty())
        blocks.back().end = static_cast<uint32_t>(k);
      blocks.push_back({static_cast<uint32_t>(k), 0, {}});
    }
    blockOf[k] = static_cast<uint32_t>(blocks.size() - 1);
  }
  blocks.back().end = static_cast<uint32_t>(n);
  for (BasicBlock &b : blocks) {
    const Insn &last = fn.code[b.end - 1];
    bool falls = last.guard != kNoGuard || !leaves(last);
    if (last.ctl == Ctl::Branch)
      b.successors.push_back(blockOf[last.target]);
    if (last.ctl == Ctl::BranchIndex)
      for (uint32_t t : fn.branchTables[last.target])
        b.successors.push_back(blockOf[t]);
    if (falls && b.end < n)
      b.successors.push_back(blockOf[b.end]);
  }
  return blocks;
}

namespace {
/// Blocks that are gone through again and again; the first stands for all.
struct Loop {
  uint32_t header = 0, parent = 0;
  std::vector<uint32_t> blocks;
};

/// A branch from one block to another.
using Edge = std::pair<uint32_t, uint32_t>;

class Orderer {
public:
  explicit Orderer(const std::vector<BasicBlock> &blocks)
      : blocks(blocks), before(blocks.size()), inner(blocks.size(), 0) {}

  /// Returns false if loops are too large.
  bool findLoops();
  std::vector<uint32_t> order() const;

private:
  void findBackEdges();

  const std::vector<BasicBlock> &blocks;
  std::vector<Edge> backEdges;               ///< Ascending.
  std::vector<std::vector<uint32_t>> before; ///< By edges that are not back.
  std::vector<Loop> loops;                   ///< 0: all. The larger first.
  std::vector<uint32_t> inner;               ///< Innermost loop, by block.
};
} // namespace

void Orderer::findBackEdges() {
  enum State : uint8_t { New, Open, Done };
  std::vector<State> states(blocks.size(), New);
  std::vector<Edge> path{{0, 0}}; // a block, and how many of its ways are gone
  states[0] = Open;
  while (!path.empty()) {
    auto &[block, gone] = path.back();
    if (gone == blocks[block].successors.size()) {
      states[block] = Done;
      path.pop_back();
      continue;
    }
    uint32_t from = block, to = blocks[block].successors[gone++];
    if (states[to] == Open) {
      backEdges.emplace_back(to, from);
      continue;
    }
    before[to].push_back(from);
    if (states[to] == New) {
      states[to] = Open;
      path.emplace_back(to, 0);
    }
  }
  std::sort(backEdges.begin(), backEdges.end());
}

bool Orderer::findLoops() {
  findBackEdges();
  constexpr size_t kMostNesting = 64;
  size_t left = kMostNesting * blocks.size();
  loops.emplace_back();
  std::vector<uint32_t> seenBy(blocks.size(), ~0u);
  for (size_t i = 0; i < backEdges.size();) {
    uint32_t header = backEdges[i].first;
    Loop loop;
    loop.header = header;
    loop.blocks.push_back(header);
    seenBy[header] = header;
    auto add = [&](uint32_t block) {
      if (seenBy[block] != header)
        loop.blocks.push_back(block);
      seenBy[block] = header;
    };
    for (; i < backEdges.size() && backEdges[i].first == header; ++i)
      add(backEdges[i].second);
    for (size_t k = 1; k < loop.blocks.size(); ++k) {
      if (left-- == 0)
        return false;
      for (uint32_t block : before[loop.blocks[k]])
        add(block);
      // Inner loops are reached by their ends, too.
      auto end = std::lower_bound(backEdges.begin(), backEdges.end(),
                                  Edge(loop.blocks[k], 0));
      for (; end != backEdges.end() && end->first == loop.blocks[k]; ++end)
        add(end->second);
    }
    loops.push_back(std::move(loop));
  }
  std::stable_sort(loops.begin() + 1, loops.end(),
                   [](const Loop &a, const Loop &b) {
                     return a.blocks.size() > b.blocks.size();
                   });
  for (uint32_t number = 1; number < loops.size(); ++number) {
    loops[number].parent = inner[loops[number].header];
    for (uint32_t block : loops[number].blocks)
      inner[block] = number;
  }
  return true;
}

std::vector<uint32_t> Orderer::order() const {
  std::vector<size_t> waiting(blocks.size());
  std::vector<std::vector<uint32_t>> after(blocks.size());
  for (uint32_t block = 0; block < blocks.size(); ++block) {
    waiting[block] = before[block].size();
    for (uint32_t from : before[block])
      after[from].push_back(block);
  }
  // By the loop that a block is one step of: of a header, that around its own.
  using Queue =
      std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>>;
  std::vector<Queue> ready(loops.size());
  auto isHeader = [&](uint32_t block) {
    return inner[block] && loops[inner[block]].header == block;
  };
  auto push = [&](uint32_t block) {
    ready[isHeader(block) ? loops[inner[block]].parent : inner[block]].push(
        block);
  };
  std::vector<uint32_t> order, open{0};
  std::vector<bool> isPlaced(blocks.size(), false);
  push(0);
  while (!open.empty()) {
    Queue &queue = ready[open.back()];
    if (queue.empty()) {
      open.pop_back();
      continue;
    }
    uint32_t block = queue.top();
    queue.pop();
    order.push_back(block);
    isPlaced[block] = true;
    if (isHeader(block))
      open.push_back(inner[block]);
    for (uint32_t next : after[block])
      if (--waiting[next] == 0)
        push(next);
  }
  // What nothing leads to, and of loops with several entries what is left.
  for (uint32_t block = 0; block < blocks.size(); ++block)
    if (!isPlaced[block])
      order.push_back(block);
  return order;
}

std::vector<uint32_t> rankInstructions(const Function &fn) {
  std::vector<BasicBlock> blocks = findBlocks(fn);
  Orderer orderer(blocks);
  if (!orderer.findLoops())
    return {};
  std::vector<uint32_t> order = orderer.order();
  if (std::is_sorted(order.begin(), order.end()))
    return {};
  std::vector<uint32_t> ranks(fn.code.size());
  uint32_t rank = 0;
  for (uint32_t block : order)
    for (uint32_t k = blocks[block].begin; k < blocks[block].end; ++k)
      ranks[k] = rank++;
  return ranks;
}

} // namespace gpulto::emu
