//===- ReachingDefinitions.cpp - Last definitions before a place ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: find which of some instructions may have run last before a place, for
// many places of a long function.
//
//   p = ...;          // 0
//   if (c) p = ...;   // 1
//   use(p);           // 0 or 1, and so at each of thousands of later uses
//
//  1. In the block of the place the last definition before it tells, if it lets
//     nothing through.
//  2. connect   else the blocks with definitions become nodes, and so do those
//               where several definitions meet (their iterated dominance
//               frontier). What reaches any other block is what leaves the
//               innermost node that dominates it.
//  3. solved    what reaches a node is the union of what leaves its sources,
//               for a cycle of nodes by iteration. It is kept.
//
// The nodes are few and do not depend on the length of the function, and a
// place costs a binary search. Walking back from each place to the definitions,
// as one does for a single question, makes a function of n launches cost n^2:
// with 3,000 launches of 40 buffers that was three quarters of the compile.
//
// Source: R. Cytron et al., "Efficiently Computing Static Single Assignment
// Form and the Control Dependence Graph", 1991.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/ReachingDefinitions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/DominanceFrontier.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace gpulto {

bool ReachingSet::lose() {
  bool wasKnown = isKnown;
  ids.clear();
  isKnown = fromEntry = false;
  return wasKnown;
}

bool ReachingSet::add(uint32_t id) {
  auto place = llvm::lower_bound(ids, id);
  if (!isKnown || (place != ids.end() && *place == id))
    return false;
  if (ids.size() == kMaxChoices)
    return lose();
  ids.insert(place, id);
  return true;
}

bool ReachingSet::unite(const ReachingSet &other) {
  if (!isKnown || !other.isKnown)
    return lose();
  bool changes = other.fromEntry && !fromEntry;
  fromEntry |= other.fromEntry;
  for (uint32_t id : other.ids)
    changes |= add(id);
  return changes;
}

/// Adds to \p result what \p definitions, in the order of their block, leave.
/// Returns whether they let through what was before.
static bool addLast(llvm::ArrayRef<Definition> definitions,
                    ReachingSet &result) {
  for (const Definition &last : llvm::reverse(definitions)) {
    switch (last.kind) {
    case Definition::Kind::Adds:
      result.add(last.id);
      continue;
    case Definition::Kind::Sets:
      result.add(last.id);
      return false;
    case Definition::Kind::Forgets:
      return false;
    case Definition::Kind::Loses:
      result.lose();
      return false;
    }
  }
  return true;
}

ReachingDefinitions::ReachingDefinitions(
    llvm::ArrayRef<Definition> definitions, llvm::Function &function,
    llvm::AnalysisManager<llvm::Function> &analyses)
    : function(&function), analyses(&analyses) {
  for (const Definition &definition : definitions)
    nodes[nodeOf(*definition.block)].definitions.push_back(definition);
  for (Node &node : nodes) {
    auto isBefore = [](const Definition &a, const Definition &b) {
      if (!a.instruction || !b.instruction)
        return !a.instruction && b.instruction;
      return a.instruction != b.instruction &&
             a.instruction->comesBefore(b.instruction);
    };
    llvm::stable_sort(node.definitions, isBefore);
    auto isSame = [](const Definition &a, const Definition &b) {
      return a.instruction == b.instruction;
    };
    node.definitions.erase(llvm::unique(node.definitions, isSame),
                           node.definitions.end());
  }
}

/// The number of the node of \p block, made if there is none yet.
uint32_t ReachingDefinitions::nodeOf(const llvm::BasicBlock &block) {
  auto [entry, isNew] =
      numbers.try_emplace(&block, static_cast<uint32_t>(nodes.size()));
  if (isNew)
    nodes.emplace_back().block = &block;
  return entry->second;
}

ReachingSet ReachingDefinitions::before(const llvm::Instruction &place) {
  const llvm::BasicBlock &block = *place.getParent();
  ReachingSet result;
  if (nodes.empty()) {
    result.fromEntry = true;
    return result;
  }
  auto here = numbers.find(&block);
  if (here != numbers.end()) {
    llvm::ArrayRef<Definition> all = nodes[here->second].definitions;
    auto end = llvm::partition_point(all, [&](const Definition &definition) {
      return !definition.instruction ||
             definition.instruction->comesBefore(&place);
    });
    if (!addLast(all.take_front(end - all.begin()), result))
      return result;
  }
  if (!dominators)
    connect();
  const llvm::DomTreeNode *tree = dominators->getNode(&block);
  if (!tree) {
    result.lose();
    return result;
  }
  here = numbers.find(&block);
  if (here != numbers.end()) {
    result.unite(solved(here->second));
    return result;
  }
  uint32_t above = innermost(block);
  if (addLast(nodes[above].definitions, result))
    result.unite(solved(above));
  return result;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Makes nodes of the blocks where definitions meet.
void ReachingDefinitions::addJoins() {
  auto &frontiers =
      analyses->getResult<llvm::DominanceFrontierAnalysis>(*function);
  for (size_t i = 0; i < nodes.size(); ++i) {
    auto frontier =
        frontiers.find(const_cast<llvm::BasicBlock *>(nodes[i].block));
    if (frontier == frontiers.end())
      continue;
    for (const llvm::BasicBlock *join : frontier->second)
      nodes[nodeOf(*join)].isJoin = true;
  }
}

void ReachingDefinitions::connect() {
  dominators = &analyses->getResult<llvm::DominatorTreeAnalysis>(*function);
  dominators->updateDFSNumbers();
  nodeOf(function->getEntryBlock());
  llvm::erase_if(nodes, [&](const Node &node) {
    return !dominators->getNode(node.block);
  });
  numbers.clear();
  for (size_t i = 0; i < nodes.size(); ++i)
    numbers[nodes[i].block] = static_cast<uint32_t>(i);
  addJoins();
  auto tree = [&](uint32_t node) {
    return dominators->getNode(nodes[node].block);
  };
  llvm::sort(nodes, [&](const Node &a, const Node &b) {
    return dominators->getNode(a.block)->getDFSNumIn() <
           dominators->getNode(b.block)->getDFSNumIn();
  });
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    numbers[nodes[i].block] = i;
    uint32_t parent = i ? i - 1 : 0;
    while (parent && tree(parent)->getDFSNumOut() < tree(i)->getDFSNumOut())
      parent = nodes[parent].parent;
    nodes[i].parent = parent;
  }
}

/// The innermost node whose block dominates \p block, or is it.
uint32_t ReachingDefinitions::innermost(const llvm::BasicBlock &block) const {
  const llvm::DomTreeNode *place = dominators->getNode(&block);
  auto behind = llvm::partition_point(nodes, [&](const Node &node) {
    return dominators->getNode(node.block)->getDFSNumIn() <=
           place->getDFSNumIn();
  });
  uint32_t node = static_cast<uint32_t>(behind - nodes.begin()) - 1;
  while (node && dominators->getNode(nodes[node].block)->getDFSNumOut() <
                     place->getDFSNumOut())
    node = nodes[node].parent;
  return node;
}

//===----------------------------------------------------------------------===//
// What reaches a node
//===----------------------------------------------------------------------===//

/// Whether \p node lets through what reaches its beginning.
bool ReachingDefinitions::passes(uint32_t node) const {
  ReachingSet unused;
  return addLast(nodes[node].definitions, unused);
}

/// The nodes that what reaches the beginning of \p node comes from.
llvm::SmallVector<uint32_t, 2>
ReachingDefinitions::sourcesOf(uint32_t node) const {
  llvm::SmallVector<uint32_t, 2> sources;
  if (!nodes[node].isJoin) {
    if (node)
      sources.push_back(nodes[node].parent);
    return sources;
  }
  for (const llvm::BasicBlock *previous : llvm::predecessors(nodes[node].block))
    if (dominators->getNode(previous))
      sources.push_back(innermost(*previous));
  return sources;
}

/// Adds what leaves the sources of \p node; returns whether it is new there.
bool ReachingDefinitions::update(uint32_t node) {
  ReachingSet &set = nodes[node].atBegin;
  bool changes = node == 0 && !set.fromEntry && set.isKnown;
  if (changes)
    set.fromEntry = true;
  for (uint32_t source : sourcesOf(node)) {
    ReachingSet out;
    if (addLast(nodes[source].definitions, out))
      out.unite(nodes[source].atBegin);
    changes |= set.unite(out);
  }
  return changes;
}

const ReachingSet &ReachingDefinitions::solved(uint32_t node) {
  llvm::SetVector<uint32_t> open;
  if (!nodes[node].isSolved)
    open.insert(node);
  for (size_t i = 0; i < open.size(); ++i)
    for (uint32_t source : sourcesOf(open[i]))
      if (passes(source) && !nodes[source].isSolved)
        open.insert(source);
  // In preorder, so that few rounds are left to do.
  llvm::SmallVector<uint32_t, 8> order(open.begin(), open.end());
  llvm::sort(order);
  for (bool changes = true; changes;) {
    changes = false;
    for (uint32_t next : order)
      changes |= update(next);
  }
  for (uint32_t next : order)
    nodes[next].isSolved = true;
  return nodes[node].atBegin;
}

} // namespace gpulto
