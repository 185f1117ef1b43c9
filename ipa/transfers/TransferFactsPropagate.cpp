//===- TransferFactsPropagate.cpp - Who is up to date, and who is read ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Forward, on all paths: which bytes equal which.
//
//   copy(d, h, n)     d[0..n) == h[0..n), if it succeeds
//   k<<<...>>>(d)     k may write d: nothing is known of d
//   copy(h, d, n)     h[0..n) == d[0..n)
//
// A fact ends with a write to either side, with the end of an object, and where
// a value that it is made of may be another one: a block that computes it
// begins, or memory that it is loaded from is written.
//
// From a copy on, on some path: who reads the object that it writes, before the
// same bytes are overwritten or freed, or the memory is new.
//
// Host code submits work in one order, and work that conflicts runs in that
// order, or the program has a race: what holds in the order of the host holds
// on the device.
//
// Source: GRAPHITE-OpenCL (A. Kravets et al., GCC Summit 2010), a bit for each
// copy of a buffer; DawnCC (G. Mendonca et al., TACO 2017).
//
//===----------------------------------------------------------------------===//

#include "ipa/transfers/TransferFacts.h"
#include "ipa/transfers/TransferSizes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace gpulto {

TransferFacts::TransferFacts(const TransferGraph &graph, bool ownsKept,
                             bool hasOneDevice)
    : graph(graph), ownsKept(ownsKept), hasOneDevice(hasOneDevice),
      predecessors(graph.nodes.size()) {
  for (auto [number, node] : enumerate(graph.nodes))
    for (uint32_t successor : node.successors)
      predecessors[successor].push_back(static_cast<uint32_t>(number));
  orderNodes();
  addFacts();
  findReads();
  solve();
}

/// Orders nodes so that most of their predecessors come before them.
void TransferFacts::orderNodes() {
  std::vector<uint32_t> post;
  BitVector visited(graph.nodes.size());
  std::vector<std::pair<uint32_t, uint32_t>> stack;
  auto visit = [&](uint32_t root) {
    if (visited.test(root))
      return;
    visited.set(root);
    stack.push_back({root, 0});
    while (!stack.empty()) {
      auto &[node, next] = stack.back();
      if (next == graph.nodes[node].successors.size()) {
        post.push_back(node);
        stack.pop_back();
        continue;
      }
      uint32_t successor = graph.nodes[node].successors[next++];
      if (!visited.test(successor)) {
        visited.set(successor);
        stack.push_back({successor, 0});
      }
    }
  };
  for (const TransferFrame &frame : graph.frames)
    if (frame.caller == kNone)
      visit(frame.entry);
  order.assign(post.rbegin(), post.rend());
}

//===----------------------------------------------------------------------===//
// Equal bytes
//===----------------------------------------------------------------------===//

/// Adds what \p term is made of to \p fact.
void TransferFacts::addParts(uint32_t term, Fact &fact) const {
  using Kind = TransferTerm::Kind;
  const TransferTerm &known = graph.terms[term];
  switch (known.kind) {
  case Kind::Constant:
  case Kind::Variable:
    return;
  case Kind::Allocated: // and the object, which ends when the call runs again
    fact.frames.push_back(known.first);
    return;
  case Kind::Leaf:
    fact.frames.push_back(known.first);
    if (uint32_t block = graph.blockOf(known); block != kNone)
      fact.blocks.push_back({known.first, block});
    return;
  case Kind::Load:
    if (known.object == kNone)
      fact.loadsUnknown = true;
    else
      fact.loaded.push_back(known.object);
    return addParts(known.first, fact);
  case Kind::Offset:
    return addParts(known.first, fact);
  case Kind::Operation:
    addParts(known.first, fact);
    return addParts(known.second, fact);
  }
}

bool TransferFacts::isFollowed(const TransferNode &node) const {
  if (!node.copy || node.source.object == kNone ||
      node.target.object == kNone ||
      (node.copy->offset != RuntimeFunction::kNone && !hasOneDevice))
    return false;
  bool isOwn = ownsKept || (!graph.objects[node.source.object].isKept &&
                            !graph.objects[node.target.object].isKept);
  return isOwn && !graph.mayOverlap(node.source.object, node.target.object);
}

/// Whether \p fact is about the memory that the copy \p node goes from and to.
/// What is loaded from one place may lead to other memory later, so terms are
/// not enough.
bool TransferFacts::isBetween(const Fact &fact, const TransferNode &node) {
  auto is = [&](const TransferPlace &first, const TransferPlace &second) {
    return fact.first == first.term && fact.firstObject == first.object &&
           fact.second == second.term && fact.secondObject == second.object;
  };
  return is(node.source, node.target) || is(node.target, node.source);
}

/// Whether \p node is a copy or a fill that is taken to succeed, since nobody
/// asks whether it has.
static bool countsAsMade(const TransferGraph &graph, uint32_t node) {
  const TransferNode &known = graph.nodes[node];
  return known.copy && (graph.callOf(node)->flags & kIgnoresResultSite) &&
         !graph.fails(known);
}

/// Makes the facts that copies make true.
void TransferFacts::addFacts() {
  std::vector<uint32_t> factOfCopy(graph.nodes.size(), kNone);
  made.assign(graph.nodes.size(), kNone);
  for (auto [number, node] : enumerate(graph.nodes)) {
    if (!isFollowed(node) || node.source.term == kNone ||
        node.target.term == kNone || node.bytes == kNone)
      continue;
    Fact fact;
    bool isSwapped = node.target.term < node.source.term;
    fact.first = isSwapped ? node.target.term : node.source.term;
    fact.second = isSwapped ? node.source.term : node.target.term;
    fact.firstObject = isSwapped ? node.target.object : node.source.object;
    fact.secondObject = isSwapped ? node.source.object : node.target.object;
    fact.bytes = node.bytes;
    auto equal = find_if(facts, [&](const Fact &other) {
      return isBetween(other, node) && other.bytes == fact.bytes;
    });
    factOfCopy[number] = static_cast<uint32_t>(equal - facts.begin());
    if (equal != facts.end())
      continue;
    for (uint32_t term : {fact.first, fact.second, fact.bytes})
      addParts(term, fact);
    facts.push_back(std::move(fact));
  }
  for (auto [number, node] : enumerate(graph.nodes)) {
    if (factOfCopy[number] != kNone &&
        countsAsMade(graph, static_cast<uint32_t>(number)))
      made[number] = factOfCopy[number];
    if (node.succeeded != kNone)
      made[number] = factOfCopy[node.succeeded];
  }
}

/// Whether one of the values that \p parts names may be another one behind
/// \p node.
bool TransferFacts::changesParts(const TransferNode &node,
                                 const Fact &parts) const {
  if (node.isFrameEntry && is_contained(parts.frames, node.frame))
    return true;
  if (node.isBlock &&
      is_contained(parts.blocks, std::pair(node.frame, node.event)))
    return true;
  if (any_of(parts.loaded,
             [&](uint32_t object) { return graph.mayChange(node, object); }))
    return true;
  return parts.loadsUnknown && (node.writesKept || node.writesVariables ||
                                any_of(node.writes, [&](uint32_t written) {
                                  return graph.objects[written].isKept;
                                }));
}

/// Whether \p fact need not hold behind \p node although it did before.
bool TransferFacts::ends(const TransferNode &node, const Fact &fact) const {
  return node.forgets || changesParts(node, fact) ||
         graph.mayChange(node, fact.firstObject) ||
         graph.mayChange(node, fact.secondObject);
}

void TransferFacts::solve() {
  size_t count = graph.nodes.size();
  ended.assign(count, BitVector(facts.size()));
  for (uint32_t node = 0; node < count; ++node)
    for (auto [number, fact] : enumerate(facts))
      if (ends(graph.nodes[node], fact))
        ended[node].set(number);
  before.assign(count, BitVector(facts.size(), true));
  BitVector isRoot(count);
  for (const TransferFrame &frame : graph.frames)
    if (frame.caller == kNone) {
      isRoot.set(frame.entry);
      before[frame.entry].reset();
    }
  bool changed;
  do {
    changed = false;
    for (uint32_t node : order) {
      if (isRoot.test(node))
        continue;
      BitVector now(facts.size(), true);
      for (uint32_t from : predecessors[node]) {
        BitVector behind = before[from];
        behind.reset(ended[from]);
        if (made[from] != kNone)
          behind.set(made[from]);
        now &= behind;
      }
      if (now != before[node]) {
        before[node] = std::move(now);
        changed = true;
      }
    }
  } while (changed);
}

/// Whether the size \p bytes, a term, is known to be at most \p others.
bool TransferFacts::isAtMost(uint32_t bytes, uint32_t others) const {
  if (bytes == kNone || others == kNone)
    return false;
  std::optional<uint64_t> few = graph.constantOf(bytes),
                          many = graph.constantOf(others);
  return bytes == others || (few && many && *few <= *many);
}

/// Whether \p fact says that what the copy \p number would write is there.
bool TransferFacts::covers(const Fact &fact, uint32_t number) const {
  const TransferNode &node = graph.nodes[number];
  return isBetween(fact, node) && isAtMost(node.bytes, fact.bytes);
}

bool TransferFacts::isRedundant(uint32_t node) const {
  for (unsigned fact : before[node].set_bits())
    if (covers(facts[fact], node))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Once in a loop
//===----------------------------------------------------------------------===//

/// Whether \p node runs in loop \p loop of the function of \p frame, which may
/// have entered another function there.
bool TransferFacts::isIn(uint32_t node, uint32_t frame, uint32_t loop) const {
  uint32_t at = node;
  while (at != kNone && graph.nodes[at].frame != kNone &&
         graph.nodes[at].frame != frame)
    at = graph.frames[graph.nodes[at].frame].call;
  return at != kNone && graph.nodes[at].frame == frame &&
         is_contained(graph.loopsOf(at), loop);
}

/// Whether what the copy \p copy makes true holds whenever it is reached again
/// without leaving \p loop. \p effectOf says what nodes do to it.
bool TransferFacts::holdsInLoop(uint32_t copy, uint32_t loop,
                                function_ref<Effect(uint32_t)> effectOf) const {
  uint32_t frame = graph.nodes[copy].frame;
  // From the copy on, whether the fact may not hold: it spreads along edges.
  enum State : uint8_t { Unreached, Holds, Ended };
  std::vector<uint8_t> state(graph.nodes.size(), Unreached);
  SmallVector<uint32_t, 32> worklist;
  auto enter = [&](uint32_t node, State with) {
    if (!isIn(node, frame, loop) || state[node] >= with)
      return;
    state[node] = with;
    worklist.push_back(node);
  };
  for (uint32_t successor : graph.nodes[copy].successors)
    enter(successor, Holds);
  while (!worklist.empty()) {
    uint32_t node = worklist.pop_back_val();
    if (node == copy)
      continue;
    Effect effect = effectOf(node);
    State behind = effect == Effect::Makes  ? Holds
                   : effect == Effect::Ends ? Ended
                                            : static_cast<State>(state[node]);
    for (uint32_t successor : graph.nodes[node].successors)
      enter(successor, behind);
  }
  return state[copy] == Holds;
}

std::optional<uint32_t> TransferFacts::onceInLoop(uint32_t node) const {
  for (auto [number, fact] : enumerate(facts)) {
    if (!covers(fact, node) || fact.bytes != graph.nodes[node].bytes)
      continue;
    auto effectOf = [&, number = number](uint32_t other) {
      return made[other] == number       ? Effect::Makes
             : ended[other].test(number) ? Effect::Ends
                                         : Effect::None;
    };
    for (auto [depth, loop] : enumerate(graph.loopsOf(node)))
      if (holdsInLoop(node, loop, effectOf))
        return static_cast<uint32_t>(depth + 1);
  }
  return std::nullopt;
}

std::optional<uint32_t> TransferFacts::askedInLoop(uint32_t copy) const {
  const TransferNode &node = graph.nodes[copy];
  if (!isFollowed(node) || node.copy->bytes == RuntimeFunction::kNone)
    return std::nullopt;
  auto effectOf = [&](uint32_t other) {
    const TransferNode &between = graph.nodes[other];
    return between.forgets || graph.mayChange(between, node.source.object) ||
                   graph.mayChange(between, node.target.object)
               ? Effect::Ends
               : Effect::None;
  };
  for (auto [depth, loop] : enumerate(graph.loopsOf(copy)))
    if (holdsInLoop(copy, loop, effectOf))
      return static_cast<uint32_t>(depth + 1);
  return std::nullopt;
}

/// Whether, on all ways into \p loop, the copy \p first has been made before
/// the copy \p copy of the same function is reached.
bool TransferFacts::precedes(uint32_t first, uint32_t copy,
                             uint32_t loop) const {
  uint32_t frame = graph.nodes[copy].frame;
  auto isInLoop = [&](uint32_t node) { return isIn(node, frame, loop); };
  BitVector visited(static_cast<unsigned>(graph.nodes.size()));
  SmallVector<uint32_t, 32> worklist;
  for (uint32_t node = 0; node < graph.nodes.size(); ++node)
    if (graph.nodes[node].frame == frame && isInLoop(node) &&
        !all_of(predecessors[node], isInLoop)) {
      visited.set(node);
      worklist.push_back(node);
    }
  while (!worklist.empty()) {
    uint32_t node = worklist.pop_back_val();
    if (node == copy)
      return false;
    bool isMade = graph.nodes[node].succeeded == first ||
                  (node == first && countsAsMade(graph, first));
    if (isMade)
      continue;
    for (uint32_t next : graph.nodes[node].successors)
      if (!visited.test(next) && isInLoop(next)) {
        visited.set(next);
        worklist.push_back(next);
      }
  }
  return true;
}

/// Whether the copy \p copy may be made behind the loop around it of depth \p
/// depth, from 1, the last time only: until it is reached again or the loop is
/// left, nobody touches its target, and where the loop is left, nobody has
/// written its source. Each time it goes to the same bytes, and no exception
/// leaves the loop.
bool TransferFacts::sinks(
    uint32_t copy, size_t depth,
    const DenseMap<uint32_t, uint32_t> &firstRounds) const {
  const TransferNode &made = graph.nodes[copy];
  SmallVector<uint32_t, 4> loops = graph.loopsOf(copy);
  uint32_t loop = loops[depth - 1];
  // A copy that has been made in the first round, before, is made no more.
  auto isMadeBefore = [&](uint32_t node) {
    uint32_t first = firstRounds.lookup(node);
    return first && first <= depth && graph.nodes[node].frame == made.frame &&
           graph.loopsOf(node)[first - 1] == loops[first - 1] &&
           precedes(node, copy, loops[first - 1]);
  };
  Fact parts; // what its target and its size are made of
  for (uint32_t term : {made.target.term, made.bytes})
    addParts(term, parts);
  enum State : uint8_t { AsCopied = 0, SourceWritten = 1, PartsChanged = 2 };
  constexpr unsigned kStates = 4;
  BitVector visited(static_cast<unsigned>(kStates * graph.nodes.size()));
  std::vector<std::pair<uint32_t, unsigned>> worklist;
  auto enter = [&](uint32_t from, unsigned state) {
    for (uint32_t next : graph.nodes[from].successors) {
      if (isIn(next, made.frame, loop)) {
        if (!visited.test(kStates * next + state))
          worklist.push_back({next, state});
        visited.set(kStates * next + state);
        continue;
      }
      const TransferNode &outside = graph.nodes[next];
      bool isBehindLoop = outside.frame == made.frame && outside.isBlock;
      bool isUnread =
          next == graph.end && !graph.objects[made.target.object].isKept;
      if (isBehindLoop ? (state & SourceWritten) != 0 : !isUnread)
        return false;
    }
    return true;
  };
  bool mayMove = enter(copy, AsCopied);
  while (mayMove && !worklist.empty()) {
    auto [number, state] = worklist.back();
    worklist.pop_back();
    const TransferNode &node = graph.nodes[number];
    if (number == copy) {
      mayMove = !(state & PartsChanged);
      continue;
    }
    if (isMadeBefore(number)) {
      mayMove = enter(number, state);
      continue;
    }
    if (graph.mayChange(node, made.source.object))
      state |= SourceWritten;
    if (changesParts(node, parts))
      state |= PartsChanged;
    const CallEdge *call =
        node.frame == made.frame ? graph.callOf(number) : nullptr;
    bool isInvoke = call && (call->flags & kInvoke);
    mayMove =
        !isInvoke && !node.forgets && !reads[number].test(made.target.object) &&
        !graph.mayChange(node, made.target.object) && enter(number, state);
  }
  return mayMove;
}

std::optional<uint32_t> TransferFacts::lastInLoop(
    uint32_t copy, const DenseMap<uint32_t, uint32_t> &firstRounds) const {
  const TransferNode &node = graph.nodes[copy];
  if (!isFollowed(node) || node.target.term == kNone || node.bytes == kNone)
    return std::nullopt;
  for (size_t depth = 1; depth <= graph.loopsOf(copy).size(); ++depth)
    if (sinks(copy, depth, firstRounds))
      return static_cast<uint32_t>(depth);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// What is read
//===----------------------------------------------------------------------===//

void TransferFacts::findReads() {
  reads.assign(graph.nodes.size(), BitVector(graph.objects.size()));
  for (auto [number, node] : enumerate(graph.nodes))
    for (uint32_t object = 0; object < graph.objects.size(); ++object)
      if (graph.mayRead(node, object))
        reads[number].set(object);
}

/// Whether \p copy may run behind \p node.
bool TransferFacts::reachesCopy(uint32_t node, uint32_t copy) const {
  BitVector visited(graph.nodes.size());
  std::vector<uint32_t> queue(graph.nodes[node].successors.begin(),
                              graph.nodes[node].successors.end());
  for (size_t next = 0; next < queue.size(); ++next) {
    if (queue[next] == copy)
      return true;
    if (visited.test(queue[next]))
      continue;
    visited.set(queue[next]);
    append_range(queue, graph.nodes[queue[next]].successors);
  }
  return false;
}

/// Whether \p node, behind which the target of \p copy is where it was, leaves
/// nothing of what \p copy wrote.
bool TransferFacts::overwrites(uint32_t node, uint32_t copy) const {
  const TransferNode &first = graph.nodes[copy];
  if (any_of(graph.nodes[node].overwrites,
             [&](const TransferOverwrite &overwrite) {
               return overwrite.target == first.target.term &&
                      writesAll(graph, overwrite, first);
             }))
    return true;
  uint32_t by = graph.nodes[node].succeeded;
  if (by == kNone && countsAsMade(graph, node))
    by = node;
  // That a copy has succeeded says nothing of another one.
  if (by == kNone || (by == copy && node != copy))
    return false;
  const TransferNode &second = graph.nodes[by];
  return first.target.term != kNone &&
         first.target.term == second.target.term &&
         isAtMost(first.bytes, second.bytes);
}

/// Whether \p node frees the memory that \p copy writes, which is where it was.
bool TransferFacts::frees(const TransferNode &node, uint32_t copy) const {
  using Kind = TransferTerm::Kind;
  uint32_t term = graph.nodes[copy].target.term;
  while (node.freed != kNone && term != kNone) {
    if (term == node.freed)
      return true;
    const TransferTerm &known = graph.terms[term];
    bool isDistance = known.kind == Kind::Offset ||
                      (known.kind == Kind::Operation && !known.bitWidth);
    if (!isDistance)
      return false;
    term = known.first;
  }
  return false;
}

/// Calls \p visit with all nodes that may read what \p copy writes, and whether
/// its target is still where it was, until that returns false.
void TransferFacts::visitReaders(
    uint32_t copy, const BitVector &removed, const BitVector &doubtful,
    function_ref<bool(uint32_t node, bool isThere)> visit) const {
  const TransferNode &made = graph.nodes[copy];
  uint32_t target = made.target.object;
  Fact parts; // what its target and its size are made of
  for (uint32_t term : {made.target.term, made.bytes})
    if (term != kNone)
      addParts(term, parts);
  // Nodes, and whether the target is still where it was.
  BitVector visited(2 * graph.nodes.size());
  std::vector<std::pair<uint32_t, bool>> queue;
  auto enter = [&](uint32_t from, bool isThere) {
    for (uint32_t node : graph.nodes[from].successors)
      if (!visited.test(2 * node + isThere)) {
        visited.set(2 * node + isThere);
        queue.push_back({node, isThere});
      }
  };
  enter(copy, made.target.term != kNone);
  for (size_t next = 0; next < queue.size(); ++next) {
    auto [number, isThere] = queue[next];
    const TransferNode &node = graph.nodes[number];
    bool isRead = target == kNone ? node.readsKept || !node.reads.empty()
                                  : reads[number].test(target);
    if (isRead && !removed.test(number) && !visit(number, isThere))
      return;
    bool isNew = target != kNone && !graph.objects[target].isKept &&
                 is_contained(node.begins, target);
    isThere &= !changesParts(node, parts);
    uint32_t by = node.succeeded == kNone ? number : node.succeeded;
    bool isGone =
        isThere &&
        (frees(node, copy) ||
         (overwrites(number, copy) && !removed.test(by) && !doubtful.test(by)));
    if (!isNew && !isGone)
      enter(number, isThere);
  }
}

uint32_t TransferFacts::readerAfter(uint32_t copy, const BitVector &removed,
                                    const BitVector &doubtful) const {
  uint32_t reader = kNone;
  visitReaders(copy, removed, doubtful, [&](uint32_t node, bool) {
    reader = node;
    return false;
  });
  return reader;
}

/// Returns how many bytes from where \p target points, from the first on, hold
/// all that \p node reads there; nothing if that is not known.
std::optional<uint64_t>
TransferFacts::bytesReadBy(uint32_t number, const TransferPlace &target) const {
  const TransferNode &node = graph.nodes[number];
  SmallVector<TransferRead, 1> parts = node.readParts;
  if (node.copy && node.source.object != kNone)
    parts = {{node.source.object, node.source.term,
              graph.constantOf(node.bytes).value_or(0)}};
  const MemoryObject &object = graph.objects[target.object];
  bool readsOther =
      (node.readsKept && object.isKept) ||
      (node.readsVariables && object.kind == MemoryObject::Kind::Variable);
  if (readsOther || parts.size() != node.reads.size())
    return std::nullopt;
  uint64_t bytes = 0;
  for (const TransferRead &part : parts) {
    if (!graph.mayOverlap(part.object, target.object))
      continue;
    if (part.from != target.term || !part.bytes)
      return std::nullopt;
    bytes = std::max(bytes, part.bytes);
  }
  return bytes;
}

std::optional<uint64_t>
TransferFacts::bytesReadAfter(uint32_t copy, const BitVector &removed,
                              const BitVector &doubtful) const {
  const TransferPlace &target = graph.nodes[copy].target;
  if (target.object == kNone || target.term == kNone)
    return std::nullopt;
  std::optional<uint64_t> bytes = 0;
  visitReaders(copy, removed, doubtful, [&](uint32_t node, bool isThere) {
    std::optional<uint64_t> more =
        isThere ? bytesReadBy(node, target) : std::nullopt;
    bytes = more ? std::optional(std::max(*bytes, *more)) : std::nullopt;
    return bytes.has_value();
  });
  return bytes;
}

SmallVector<uint32_t, 4> TransferFacts::endersBefore(uint32_t copy) const {
  SmallVector<uint32_t, 4> enders;
  for (auto [number, fact] : enumerate(facts)) {
    bool isMade = any_of(enumerate(made), [&, number = number](auto maker) {
      return maker.value() == number && reachesCopy(maker.index(), copy);
    });
    if (!covers(fact, copy) || !isMade)
      continue;
    BitVector visited(graph.nodes.size());
    std::vector<uint32_t> queue(predecessors[copy].begin(),
                                predecessors[copy].end());
    for (size_t next = 0; next < queue.size(); ++next) {
      uint32_t node = queue[next];
      if (visited.test(node) || made[node] == number)
        continue;
      visited.set(node);
      if (ended[node].test(number)) {
        if (!is_contained(enders, node))
          enders.push_back(node);
        continue;
      }
      append_range(queue, predecessors[node]);
    }
  }
  return enders;
}

} // namespace gpulto
