//===- Refine.cpp - Move vertices to cheaper partitions -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: improve cuts of a sequence, which see only neighbors; a function whose
// callers are all elsewhere is better there. Moves must not depend on distant
// parts, so that a small edit changes few partitions (partitioner/StableCuts).
//
//   {a b c}   {d e f}        a calls d and e, nobody in {a b c} calls a
//   {b c}   {a d e f}
//
// 1. relieve: vertices leave partitions above the capacity, the cheapest first,
//    for partitions with room that share most with them or are near.
// 2. runRound: each vertex selects the partition where it would save most, all
//    from the same state, so no move depends on another. In one round moves go
//    down the sequence, in the next up, lest two neighbors swap forever.
// 3. isClear: a move must save at least twice what it costs, in steps of a
//    factor of sqrt(2), so an edit nearby seldom changes the answer.
// 4. admit: a partition takes those that save most per weight until it is full;
//    ties are broken by name. Its room is counted in coarse steps, since each
//    step lets others in.
//
// Source: moves of single vertices by gain under a balance constraint, counts
// of pins on each side: C. M. Fiduccia, R. M. Mattheyses: "A Linear-Time
// Heuristic for Improving Network Partitions", DAC 1982; many partitions at
// once, and rounds in one direction: G. Karypis, V. Kumar: "Multilevel k-way
// Partitioning Scheme for Irregular Graphs", JPDC 1998. Unlike there, neither
// moves that lose first nor moves that wait for others are made: because of
// those, the results of these schemes change as a whole.
//
// Complexity: a round is linear in the pins, times the partitions that a net
// has users in; nets with users in more than kMaxSpread partitions are left
// out, since a vertex meets them wherever it goes.
//
//===----------------------------------------------------------------------===//

#include "partitioner/Refine.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

using namespace llvm;

namespace gpulto {

namespace {
constexpr uint32_t kNoPart = UINT32_MAX;
/// Of a capacity, the steps in which room is counted.
constexpr uint64_t kRoomSteps = 64;
constexpr size_t kMaxSpread = 32;
/// Partitions on either side that are near one.
constexpr uint32_t kReach = 4;

/// How many users of a net a partition has.
struct PartCount {
  uint32_t part = 0;
  uint32_t count = 0;
};

struct Move {
  uint32_t vertex = 0;
  uint32_t from = 0;
  uint32_t to = kNoPart;
  uint64_t saved = 0;
  uint64_t added = 0;
  /// Work that \c to gets, and \c from has no more.
  uint64_t workAdded = 0;
  uint64_t workSaved = 0;
};

class Refiner {
public:
  Refiner(const Hypergraph &graph, const RefineOptions &options, uint32_t parts,
          MutableArrayRef<uint32_t> partOf)
      : graph(graph), options(options), partOf(partOf), loads(parts),
        sizes(parts), common(parts), commonWork(parts) {}

  void run();

private:
  MutableArrayRef<PartCount> spread(uint32_t net) {
    return MutableArrayRef(counts).slice(graph.firstPin(net), used[net]);
  }
  void countPins();
  void addPin(uint32_t net, uint32_t part);
  void removePin(uint32_t net, uint32_t part);
  uint64_t room(uint32_t part) const;
  template <typename Better>
  Move findMove(uint32_t vertex, bool isPressed, Better &&isBetter);
  void apply(const Move &move);
  void relieve();
  std::vector<Move> listExits(uint32_t part);
  void runRound(bool goesDown);
  void admit(MutableArrayRef<Move> moves);

  const Hypergraph &graph;
  const RefineOptions &options;
  MutableArrayRef<uint32_t> partOf;
  std::vector<uint64_t> loads; // work of each partition
  std::vector<uint32_t> sizes; // vertices of each partition
  /// By net, from its first pin: the partitions that have users of it.
  std::vector<PartCount> counts;
  std::vector<uint32_t> used; // length of that list
  // While one vertex is looked at: weight of the nets it shares with each
  // partition, zero for those that are not listed.
  std::vector<uint64_t> common, commonWork;
  std::vector<uint32_t> touched;
};
} // namespace

void Refiner::addPin(uint32_t net, uint32_t part) {
  for (PartCount &entry : spread(net))
    if (entry.part == part) {
      ++entry.count;
      return;
    }
  counts[graph.firstPin(net) + used[net]++] = {part, 1};
  if (graph.nets()[net].isWork)
    loads[part] += graph.nets()[net].weight;
}

void Refiner::removePin(uint32_t net, uint32_t part) {
  for (PartCount &entry : spread(net))
    if (entry.part == part) {
      if (--entry.count)
        return;
      entry = spread(net).back();
      --used[net];
      if (graph.nets()[net].isWork)
        loads[part] -= graph.nets()[net].weight;
      return;
    }
}

void Refiner::countPins() {
  counts.resize(graph.pinCount());
  used.assign(graph.nets().size(), 0);
  for (auto [v, vertex] : enumerate(graph.vertices())) {
    loads[partOf[v]] += vertex.weight;
    ++sizes[partOf[v]];
  }
  for (uint32_t net = 0; net < graph.nets().size(); ++net)
    for (uint32_t pin : graph.pins(net))
      addPin(net, partOf[pin]);
}

/// Returns what \p part takes in, in coarse steps.
uint64_t Refiner::room(uint32_t part) const {
  uint64_t step = std::max<uint64_t>(1, options.capacity / kRoomSteps);
  return loads[part] >= options.capacity
             ? 0
             : (options.capacity - loads[part]) / step * step;
}

/// Returns the move of \p vertex to the partition, among those that share a net
/// with it, that \p isBetter prefers to staying and to the others. If it
/// \p isPressed to move, the partitions near its own are among them.
template <typename Better>
Move Refiner::findMove(uint32_t vertex, bool isPressed, Better &&isBetter) {
  Move stay{vertex, partOf[vertex]};
  uint64_t all = 0, allWork = graph.vertices()[vertex].weight;
  stay.workSaved = allWork;
  for (uint32_t net : graph.netsOf(vertex)) {
    if (used[net] > kMaxSpread)
      continue;
    const Net &row = graph.nets()[net];
    uint64_t work = row.isWork ? row.weight : 0;
    all += row.weight;
    allWork += work;
    for (const PartCount &entry : spread(net)) {
      if (entry.part != stay.from) {
        if (!common[entry.part])
          touched.push_back(entry.part);
        common[entry.part] += row.weight;
        commonWork[entry.part] += work;
      } else if (entry.count == 1) {
        stay.saved += row.weight;
        stay.workSaved += work;
      }
    }
  }
  for (uint32_t away = 1; isPressed && away <= kReach; ++away)
    for (uint32_t part : {stay.from - away, stay.from + away}) // wraps
      if (part < loads.size() && !common[part])
        touched.push_back(part);
  llvm::sort(touched);
  Move best = stay;
  for (uint32_t part : touched) {
    Move move = stay;
    move.to = part;
    move.added = all - common[part];
    move.workAdded = allWork - commonWork[part];
    if (isBetter(move, best))
      best = move;
    common[part] = commonWork[part] = 0;
  }
  touched.clear();
  return best;
}

void Refiner::apply(const Move &move) {
  uint64_t own = graph.vertices()[move.vertex].weight;
  loads[move.from] -= own;
  loads[move.to] += own;
  --sizes[move.from];
  ++sizes[move.to];
  for (uint32_t net : graph.netsOf(move.vertex)) {
    removePin(net, move.from);
    addPin(net, move.to);
  }
  partOf[move.vertex] = move.to;
}

/// Returns whether \p move saves at least twice what it costs.
static bool isClear(const Move &move) {
  constexpr unsigned kRanksOfDouble = 2;
  return costRank(move.saved) >= costRank(move.added) + kRanksOfDouble;
}

/// Returns what \p cost is per \p weight, in steps of a factor of sqrt(2).
static unsigned densityRank(uint64_t cost, uint64_t weight) {
  constexpr uint64_t kScale = 1024;
  return costRank(cost * kScale / std::max<uint64_t>(1, weight));
}

/// Returns the moves out of \p part, those that cost least per weight first.
std::vector<Move> Refiner::listExits(uint32_t part) {
  auto isBetter = [&](const Move &move, const Move &best) {
    return room(move.to) >= move.workAdded &&
           (best.to == kNoPart || move.added < best.added);
  };
  std::vector<Move> exits;
  for (uint32_t vertex = 0; vertex < partOf.size(); ++vertex)
    if (partOf[vertex] == part)
      if (Move move = findMove(vertex, true, isBetter); move.to != kNoPart)
        exits.push_back(move);
  auto rank = [&](const Move &move) {
    uint64_t loss = move.added - std::min(move.added, move.saved);
    return std::tuple(densityRank(loss, move.workSaved),
                      graph.vertices()[move.vertex].anchor, move.vertex);
  };
  llvm::sort(exits,
             [&](const Move &a, const Move &b) { return rank(a) < rank(b); });
  return exits;
}

void Refiner::relieve() {
  for (uint32_t part = 0; part < loads.size(); ++part) {
    if (loads[part] <= options.capacity || sizes[part] < 2)
      continue;
    for (const Move &move : listExits(part)) {
      if (room(move.to) >= move.workAdded && sizes[part] > 1)
        apply(move);
      if (loads[part] <= options.capacity)
        break;
    }
  }
}

/// Lets partition moves.front().to take what saves most.
void Refiner::admit(MutableArrayRef<Move> moves) {
  auto rank = [&](const Move &move) {
    return std::tuple(~densityRank(move.saved - move.added, move.workAdded),
                      graph.vertices()[move.vertex].anchor, move.vertex);
  };
  llvm::sort(moves,
             [&](const Move &a, const Move &b) { return rank(a) < rank(b); });
  uint64_t left = room(moves.front().to);
  for (const Move &move : moves) {
    if (move.workAdded > left)
      return;
    if (sizes[move.from] < 2)
      continue;
    left -= move.workAdded;
    apply(move);
  }
}

void Refiner::runRound(bool goesDown) {
  auto isBetter = [&](const Move &move, const Move &best) {
    return (move.to > move.from) == goesDown && isClear(move) &&
           (best.to == kNoPart || move.added < best.added) &&
           move.workAdded <= room(move.to);
  };
  std::vector<Move> wishes;
  for (uint32_t vertex = 0; vertex < partOf.size(); ++vertex)
    if (Move move = findMove(vertex, false, isBetter); move.to != kNoPart)
      wishes.push_back(move);
  llvm::stable_sort(wishes,
                    [](const Move &a, const Move &b) { return a.to < b.to; });
  for (size_t begin = 0, i = 1; i <= wishes.size(); ++i)
    if (i == wishes.size() || wishes[i].to != wishes[begin].to) {
      admit(MutableArrayRef(wishes).slice(begin, i - begin));
      begin = i;
    }
}

void Refiner::run() {
  countPins();
  relieve();
  for (unsigned round = 0; round < options.rounds; ++round)
    runRound(round % 2 == 0);
  relieve();
}

void refinePartition(const Hypergraph &graph, const RefineOptions &options,
                     uint32_t parts, MutableArrayRef<uint32_t> partOf) {
  if (parts > 1)
    Refiner(graph, options, parts, partOf).run();
}

} // namespace gpulto
