//===- CopyRecordsPropagate.cpp - Where the record of a copy ends (WPA) ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: a copy that is made again asks whether anybody has written in between.
//
//   for (...) { if (rand() & 1) h[i] = 1; upload(d, h); k<<<...>>>(d, out); }
//   -> `h[i] = 1` ends the record of the copy in upload(), which is made only
//      where its record does not hold
//
// An epoch of each side, as a flag: what writes either side clears it, a copy
// that succeeded sets it.
//
//  1. findMakers    the copies, and the calls that lead to them.
//  2. findEnds      the places in code that may write either side. They end the
//                   record before they write, so that no exception can come in
//                   between. Code that is not seen runs within a place and, as
//                   all copies are reached from main in code that is seen,
//                   makes no record itself.
//  3. findHolding   whether a copy can be reached from one by a way on which
//                   nothing ends the record.
//
//===----------------------------------------------------------------------===//

#include "ipa/transfers/CopyRecords.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

bool preventsRecords(StringRef name) {
  static constexpr StringLiteral kParts[] = {
      "BeginCapture", "GraphAdd", "HostFunc", "AddCallback", "UserObject"};
  return (isRuntimeName(name) || isDriverName(name)) &&
         any_of(kParts, [&](StringRef part) { return name.contains(part); });
}

CopyRecord::CopyRecord(const TransferGraph &graph, ArrayRef<uint32_t> copies,
                       const BitVector &gone)
    : graph(graph), copies(copies), gone(gone) {
  findMakers();
  if (isKnown)
    findEnds();
  // Records are variables.
  auto mayUse = [&](const Place &place) {
    return graph.mayUseVariables(place.first);
  };
  isKnown = isKnown && all_of(ended, mayUse) && all_of(made, mayUse);
  if (isKnown)
    findHolding();
}

/// Returns the place of \p node, which has a frame. Of a function without
/// events it is known only that it is behind the entry.
CopyRecord::Place CopyRecord::placeOf(uint32_t node) const {
  using Kind = CodePlace::Kind;
  GlobalId function = graph.functionOf(graph.nodes[node].frame);
  const TransferEvent *event = graph.eventOf(node);
  if (event && event->kind == TransferEventKind::Call)
    return {function, {Kind::Call, event->call}};
  if (event && writes(*event))
    return {function, {Kind::Stretch, event->stretch}};
  return {function, {Kind::Entry, 0}};
}

/// Finds the calls that lead to the copies. All have to be known, from main on.
void CopyRecord::findMakers() {
  for (uint32_t copy : copies)
    for (uint32_t node = copy; node != kNone;) {
      Place place = placeOf(node);
      const TransferFrame &frame = graph.frames[graph.nodes[node].frame];
      isKnown &= place.second.kind == CodePlace::Kind::Call &&
                 (frame.caller != kNone || graph.isMain(place.first));
      made.insert(place);
      node = frame.call;
    }
}

void CopyRecord::findEnds() {
  std::set<std::pair<uint32_t, uint32_t>> sides;
  for (uint32_t copy : copies)
    sides.insert(
        {graph.nodes[copy].source.object, graph.nodes[copy].target.object});
  for (auto [number, node] : enumerate(graph.nodes)) {
    bool isOther = node.frame != kNone && !gone.test(number) &&
                   !is_contained(copies, number);
    if (isOther && (node.forgets || any_of(sides, [&](const auto &side) {
                      return graph.mayChange(node, side.first) ||
                             graph.mayChange(node, side.second);
                    })))
      ended.insert(placeOf(static_cast<uint32_t>(number)));
  }
}

void CopyRecord::findHolding() {
  BitVector visited(static_cast<unsigned>(graph.nodes.size()));
  SmallVector<uint32_t, 32> worklist;
  auto enterBehind = [&](uint32_t node) {
    for (uint32_t next : graph.nodes[node].successors)
      if (!visited.test(next)) {
        visited.set(next);
        worklist.push_back(next);
      }
  };
  for (uint32_t copy : copies)
    enterBehind(copy);
  while (!worklist.empty()) {
    uint32_t node = worklist.pop_back_val();
    if (is_contained(copies, node)) {
      mayHold = true;
      return;
    }
    if (graph.nodes[node].frame == kNone || !ended.contains(placeOf(node)))
      enterBehind(node);
  }
}

} // namespace gpulto
