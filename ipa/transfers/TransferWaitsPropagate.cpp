//===- TransferWaitsPropagate.cpp - Waits that nobody needs yet (WPA) -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: say which waits keep the host for nothing.
//
//   for (...) { k<<<...>>>(d); cudaDeviceSynchronize(); }
//   cudaMemcpy(h, d, n, cudaMemcpyDeviceToHost);
//                     -> the copy waits for the same work, and nobody looks
//                        before
//   k<<<...>>>(d); cudaDeviceSynchronize(); work(other); printf(...);
//                     -> nobody needs it before printf
//
//  1. walk      from a wait on, over what cannot tell that the host has not
//               waited: launches, asynchronous copies, accesses to memory that
//               no device touches, and functions that do nothing else (Works).
//  2. covers    a node that waits for the same work ends a way.
//  3. stepOf    all else needs the wait: clocks, output, error codes, the end
//               of the function.
//  4. waitedBefore  back from a wait, what has waited before it, with no work
//               begun between: a copy and a wait in a row.
//
// Only advice: of 64 programs that bench/transfers.py runs, 4 have a wait that
// could be moved.
//
// Linear in the nodes between waits.
//
//===----------------------------------------------------------------------===//

#include "ipa/transfers/TransferWaits.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <array>
#include <map>

using namespace llvm;

namespace gpulto {

using Row = RuntimeFunction;

/// Finds what the steps ask of the whole program.
void TransferWaits::prepare() {
  static const StringSet<> kSharing = {
      "cudaMallocHost",           "cudaHostAlloc",
      "cudaHostRegister",         "cudaMallocManaged",
      "cudaMallocAsync",          "cudaMallocFromPoolAsync",
      "cudaHostGetDevicePointer", "cudaMemAdvise",
      "cudaImportExternalMemory"};
  sharesMemory = !usedName(program, [](StringRef name) {
                    return kSharing.contains(name) || isDriverName(name);
                  }).empty();
  // cudaFree of a pool's memory waits for nothing.
  freesWait = usedName(program, [](StringRef name) {
                return name.starts_with("cudaMallocAsync") ||
                       name.starts_with("cudaMallocFromPoolAsync") ||
                       isDriverName(name);
              }).empty();
  sharesVariables = !usedName(program, [](StringRef name) {
                       return name == "__cudaRegisterManagedVar" ||
                              name == "__cudaRegisterManagedVariable" ||
                              name == "cudaHostRegister";
                     }).empty();
  predecessors.resize(graph.nodes.size());
  for (auto [number, node] : enumerate(graph.nodes))
    for (uint32_t next : node.successors)
      predecessors[next].push_back(number);
}

/// Returns the row of the function of the runtime that \p node calls, or null.
const RuntimeFunction *TransferWaits::rowOf(uint32_t node) const {
  GlobalId callee = graph.nodes[node].callee;
  return callee == kNone || program.definition(callee) != kNone
             ? nullptr
             : findRuntimeFunction(program.symbol(callee).name);
}

/// Whether the copy \p node goes to page-locked memory. It is allocated in the
/// same module: LGEN leaves calls behind such copies only there.
bool TransferWaits::isToPageLocked(const TransferNode &node) const {
  if (node.target.object == kNone)
    return false;
  const MemoryObject &memory = graph.objects[node.target.object];
  GlobalId native = graph.allocatorOf(memory);
  return native != kNone &&
         isRuntime(program.symbol(native).name, Row::AllocatesPageLocked) &&
         &program.moduleRef(memory.id) ==
             &program.moduleRef(graph.functionOf(node.frame));
}

/// Whether \p node waits for the device, and might do so later.
bool TransferWaits::isWait(uint32_t node) const {
  const Row *row = rowOf(node);
  if (!row)
    return false;
  const TransferNode &known = graph.nodes[node];
  bool isCopy = known.copy && row->stream == Row::kNone &&
                row->source != Row::kNone && isToPageLocked(known);
  return row->has(Row::Waits) || isCopy;
}

/// Whether \p a and \p b are one call in the source: a loop's, in several
/// rounds.
bool TransferWaits::isSame(uint32_t a, uint32_t b) const {
  if (a == b)
    return true;
  const CallEdge *one = graph.callOf(a), *other = graph.callOf(b);
  return one && other && graph.nodes[a].frame == graph.nodes[b].frame &&
         one->place.isKnown() && one->place == other->place &&
         one->callee == other->callee;
}

/// Whether work of the device may touch \p object where the host does.
bool TransferWaits::isShared(uint32_t object) const {
  const MemoryObject &memory = graph.objects[object];
  switch (memory.kind) {
  case MemoryObject::Kind::Local:
    return false;
  case MemoryObject::Kind::Variable:
    return sharesVariables;
  case MemoryObject::Kind::Allocation:
    break;
  }
  GlobalId native = graph.allocatorOf(memory);
  return native == kNone ||
         !HostLibrary::allocates(program.symbol(native).name) ||
         sharesVariables;
}

/// Whether the host's accesses of \p node may be to memory of the device's
/// work.
bool TransferWaits::looks(const TransferNode &node) const {
  auto isSeen = [&](uint32_t object) { return isShared(object); };
  return ((node.readsKept || node.writesKept) && sharesMemory) ||
         ((node.readsVariables || node.writesVariables) && sharesVariables) ||
         any_of(node.reads, isSeen) || any_of(node.writes, isSeen);
}

/// Whether \p node waits for all work, or all that there may be.
bool TransferWaits::covers(uint32_t node) const {
  const Row *row = rowOf(node);
  const TransferNode &known = graph.nodes[node];
  if (row->has(Row::WaitsForAll) || (row->has(Row::Frees) && freesWait))
    return true;
  bool isToHost = known.copy && row->source != Row::kNone &&
                  row->stream == Row::kNone &&
                  graph.argumentOf(node, row->direction) == kDeviceToHost;
  return isToHost && isSerial;
}

/// What \p node is, which calls the function of \p row.
TransferWaits::Step TransferWaits::stepOfRow(uint32_t node,
                                             const Row &row) const {
  if (covers(node))
    return Step::Covers;
  const TransferNode &known = graph.nodes[node];
  bool isWork = row.has(Row::PushesLaunch) || row.has(Row::PopsLaunch) ||
                row.has(Row::FreesInStream) ||
                (known.copy && row.stream != Row::kNone) ||
                (known.copy && row.source == Row::kNone);
  return isWork ? Step::Passes : Step::Needs;
}

/// What \p node is to \p wait, which comes before it in the same function.
TransferWaits::Step TransferWaits::stepOf(uint32_t node, uint32_t wait) const {
  const TransferNode &known = graph.nodes[node], &waited = graph.nodes[wait];
  if (isSame(node, wait))
    return Step::Passes; // it would go, too
  if (known.frame != waited.frame)
    return Step::Needs;
  const TransferEvent *event = graph.eventOf(node);
  if (!event || event->kind == TransferEventKind::Unknown)
    return Step::Needs;
  if (waited.copy && (graph.mayRead(known, waited.target.object) ||
                      graph.mayWrite(known, waited.target.object)))
    return Step::Needs;
  if (event->kind != TransferEventKind::Call)
    return looks(known) ? Step::Needs : Step::Passes;
  if (known.callee == kNone || known.launchesAny)
    return Step::Needs;
  if (program.imageOf(known.callee) != kHostImage)
    return Step::Passes; // a launch
  if (const Row *row = rowOf(node))
    return stepOfRow(node, *row);
  StringRef name = program.symbol(known.callee).name;
  if (program.definition(known.callee) == kNone)
    return HostLibrary::allocates(name) || HostLibrary::frees(name)
               ? Step::Passes
               : Step::Needs;
  const FunctionEffects *effects = context.decisions.effectsOf(known.callee);
  constexpr uint32_t kLooks = kReadsOther | kWritesOther | kReadsInaccessible |
                              kWritesInaccessible | kSynchronizes | kUnwinds |
                              kMayNotReturn | kFrees;
  return effects && !(effects->may & kLooks) && !looks(known) ? Step::Works
                                                              : Step::Needs;
}

TransferWaits::Walk TransferWaits::walk(uint32_t wait) const {
  Walk result;
  BitVector visited(graph.nodes.size());
  SmallVector<uint32_t, 16> queue;
  append_range(queue, graph.nodes[wait].successors);
  auto depthOf = [&](uint32_t node) { return graph.loopsOf(node).size(); };
  size_t depth = depthOf(wait);
  while (!queue.empty()) {
    uint32_t node = queue.pop_back_val();
    if (visited.test(node))
      continue;
    visited.set(node);
    switch (stepOf(node, wait)) {
    case Step::Covers:
      result.cover = std::min(result.cover, node);
      continue;
    case Step::Needs:
      result.need = std::min(result.need, node);
      continue;
    case Step::Works:
      result.hasWork = true;
      break;
    case Step::Passes:
      break;
    }
    size_t here = depthOf(node);
    for (uint32_t next : graph.nodes[node].successors) {
      // A loop has ended, of accesses that no device sees.
      result.hasWork |= here > depth && depthOf(next) < here;
      queue.push_back(next);
    }
  }
  return result;
}

/// Whether \p node, which comes before a wait, begins no work of the device.
bool TransferWaits::isIdle(uint32_t node) const {
  const TransferNode &known = graph.nodes[node];
  const TransferEvent *event = graph.eventOf(node);
  if (!event || event->kind == TransferEventKind::Unknown ||
      known.launchesAny || known.entersOthers)
    return false;
  if (event->kind != TransferEventKind::Call)
    return true;
  if (known.callee == kNone || program.imageOf(known.callee) != kHostImage)
    return false;
  if (const Row *row = rowOf(node))
    return row->isQuiet() || row->has(Row::Allocates) || row->has(Row::Frees);
  // Functions of the program that may reach the runtime have frames.
  return program.definition(known.callee) != kNone ||
         graph.hostLibrary().contains(program.symbol(known.callee).name);
}

/// Returns a node that has waited before \p wait, if on all ways nothing has
/// begun since; kNone: something may have.
uint32_t TransferWaits::waitedBefore(uint32_t wait) const {
  uint32_t cover = kNone;
  BitVector visited(graph.nodes.size());
  SmallVector<uint32_t, 16> queue;
  append_range(queue, predecessors[wait]);
  while (!queue.empty()) {
    uint32_t node = queue.pop_back_val();
    if (visited.test(node) || isSame(node, wait))
      continue;
    visited.set(node);
    if (graph.nodes[node].frame != graph.nodes[wait].frame)
      return kNone;
    const Row *row = rowOf(node);
    if (row && !row->has(Row::Frees) && covers(node)) {
      cover = std::min(cover, node);
      continue;
    }
    if (!isIdle(node))
      return kNone;
    append_range(queue, predecessors[node]);
  }
  return cover;
}

/// Sets the verdict of \p wait, which \p nodes are.
void TransferWaits::judge(Wait &wait, ArrayRef<uint32_t> nodes) const {
  bool isCopy = !wait.row->has(Row::Waits);
  // Whoever looks at the result looks at errors of the work.
  auto isAsked = [&](uint32_t node) {
    return !(graph.callOf(node)->flags & kIgnoresResultSite);
  };
  if (any_of(nodes, isAsked) || graph.hasOtherEntries(wait.function) ||
      graph.launchesUnseen(wait.function))
    return;
  uint32_t before = isCopy ? kNone : waitedBefore(nodes.front());
  if (before != kNone && all_of(nodes.drop_front(), [&](uint32_t node) {
        return waitedBefore(node) != kNone;
      })) {
    wait.verdict = TransferVerdict::WaitNeedless;
    wait.reason = "is not needed: " + graph.describe(before) +
                  " has waited, and nothing has begun since";
    return;
  }
  Walk all;
  for (uint32_t node : nodes) {
    Walk one = walk(node);
    if (one.need != kNone && !one.hasWork)
      return;
    all.cover = std::min(all.cover, one.cover);
    all.need = std::min(all.need, one.need);
  }
  if (all.need != kNone) {
    wait.verdict = TransferVerdict::WaitMovable;
    wait.reason = (isCopy ? "need not wait yet: nobody needs what it copies "
                          : "could come later: nobody needs it ") +
                  ("before " + graph.describe(all.need));
  } else if (all.cover != kNone) {
    wait.verdict = TransferVerdict::WaitNeedless;
    wait.reason = (isCopy ? "need not wait: " : "is not needed: ") +
                  graph.describe(all.cover) +
                  " waits for the same work, and nobody looks before";
  }
}

std::vector<TransferWaits::Wait> TransferWaits::find() {
  // By function and place; where that is not known, by call.
  std::map<std::array<uint32_t, 5>, std::vector<uint32_t>> sites;
  for (uint32_t node = 0; node < graph.nodes.size(); ++node)
    if (isWait(node)) {
      SourcePlace place = graph.callOf(node)->place;
      sites[{graph.functionOf(graph.nodes[node].frame), place.file, place.line,
             place.column, place.isKnown() ? 0 : graph.eventOf(node)->call}]
          .push_back(node);
    }
  std::vector<Wait> result;
  if (sites.empty())
    return result;
  prepare();
  for (const auto &[site, nodes] : sites) {
    Wait wait;
    wait.function = site.front();
    wait.call = graph.eventOf(nodes.front())->call;
    wait.row = rowOf(nodes.front());
    judge(wait, nodes);
    if (wait.verdict != TransferVerdict::Needed)
      result.push_back(std::move(wait));
  }
  return result;
}

} // namespace gpulto
