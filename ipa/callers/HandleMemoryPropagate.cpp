//===- HandleMemoryPropagate.cpp - Handles in memory functions share ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: find the handles in structs from which kernels are launched.
//
//   void set(Op &op) { op.kernel = add; }        Memory and Written of set
//   void run(const Op &op) { op.kernel<<<...>>>(...); }        Memory of run
//   main() { Op op; set(op); run(op); }          Memory of main
//
// The head of HandleMemoryAnalyze.cpp says what LGEN records about memory. A
// handle that enters memory of a function:
// 1. spreadMemory: is lost if anything but a handle is read there; goes where
//    handles read there go; and enters the memory of callees that get the
//    address.
// 2. spreadWritten: is in the callers' memory, too, if the function or one that
//    it calls has stored it there. All calls of the function must be known to
//    pass memory whose reads are known.
// Memory that a function does not describe is fine, too, if the function does
// not reach that far (ParameterRecord::reachBytes). Everything else is lost.
//
// The analysis ignores order in time, and which caller's memory a function has:
// that can only add handles, and lose more of them.
//
// Linear in the places that a handle reaches and in calls.
//
//===----------------------------------------------------------------------===//

#include "ipa/callers/Callers.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

/// Whether what is stored in the memory \p number of \p id is stored in that of
/// its callers.
bool Handles::isOfCaller(GlobalId id, uint32_t number) const {
  ArrayRef<ParameterRecord> formals = program.parameters(id);
  return number < formals.size() && !(formals[number].flags & kParamByVal);
}

/// Counts the calls of each function.
void Handles::countCalls() {
  callCounts.resize(callers.bodies().size());
  for (size_t body = 0; body < callers.bodies().size(); ++body)
    for (uint32_t callee : callers.calleesOf(body))
      if (callee != kNone)
        ++callCounts[callee];
}

/// Records what \p caller says about its memory, \p flow.
void Handles::visitMemory(GlobalId caller, const HandleFlow &flow) {
  if (flow.to == HandleTarget::Into) {
    auto goTo = [&](Of of) {
      pass(flow.handle, caller, [&, of] {
        return flow.argument > kMaxNumber
                   ? nowhere(Of::Lost)
                   : place(of, caller, flow.argument, flow.beforeBytes);
      });
    };
    goTo(Of::Memory);
    if (isOfCaller(caller, flow.argument))
      goTo(Of::Written);
    return;
  }
  if (flow.handle.kind != JumpFunction::Kind::Memory)
    return;
  Memory &memory = memories[{caller, flow.handle.parameter}];
  if (flow.to == HandleTarget::Followed)
    memory.isFollowed = true;
  if (flow.to == HandleTarget::Beside)
    memory.besides.push_back(&flow);
  if (flow.to != HandleTarget::Passed)
    return;
  memory.passed.push_back(&flow);
  GlobalId callee = enteredBy(caller, program.calls(caller)[flow.call]);
  if (callee != kNone)
    passings[{callee, flow.argument}].push_back(
        {caller, flow.call, flow.handle.parameter, flow.handle.value});
}

/// Returns what \p id says about its memory \p number, if it describes all of
/// it.
const Handles::Memory *Handles::memoryOf(GlobalId id, uint32_t number) const {
  auto found = memories.find({id, number});
  return found != memories.end() && found->second.isFollowed ? &found->second
                                                             : nullptr;
}

/// Returns where a handle is for what \p call enters that is \p distance bytes
/// behind where \p argument points.
Handles::Place Handles::behind(GlobalId caller, const CallEdge &call,
                               uint32_t argument, int64_t distance) const {
  GlobalId callee = enteredBy(caller, call);
  bool isCut = distance < 0 && distance > -kHandleBytes;
  if (callee == kNone || isCut || distance > INT32_MAX)
    return nowhere(Of::Lost);
  ArrayRef<ParameterRecord> formals = program.parameters(callee);
  if (argument >= formals.size() || argument > kMaxNumber)
    return nowhere(Of::Lost);
  // Who reaches that far reaches no further back than where it points.
  if (distance < 0)
    return nowhere(formals[argument].reachBytes == kNone ? Of::Lost
                                                         : Of::Untouched);
  return place(Of::Memory, callee, argument, uint32_t(distance));
}

void Handles::spreadMemory(Place memory, GlobalId stub) {
  GlobalId id = memory.first;
  uint32_t number = numberOf(memory), byte = byteOf(memory);
  const Memory *told = memoryOf(id, number);
  if (!told) {
    ArrayRef<ParameterRecord> formals = program.parameters(id);
    bool isUntouched =
        number < formals.size() && formals[number].reachBytes <= byte;
    if (!isUntouched)
      add(nowhere(Of::Lost), stub);
    return;
  }
  constexpr unsigned kByteBits = 8;
  for (const HandleFlow *beside : told->besides) {
    uint64_t begin = beside->handle.value;
    uint64_t end = begin + beside->handle.bitWidth / kByteBits;
    if (begin < uint64_t(byte) + kHandleBytes && byte < end)
      add(nowhere(Of::Lost), stub);
  }
  for (const HandleFlow *passed : told->passed) {
    int64_t distance = int64_t(byte) - int64_t(passed->handle.value);
    add(behind(id, program.calls(id)[passed->call], passed->argument, distance),
        stub);
  }
}

void Handles::spreadWritten(Place written, GlobalId stub) {
  GlobalId id = written.first;
  auto found = passings.find({id, numberOf(written)});
  size_t known = found == passings.end() ? 0 : found->second.size();
  if (!seen.test(id) || known != callCounts[callers.bodyIndex(id)])
    return add(nowhere(Of::Lost), stub);
  for (const Passing &from :
       known ? ArrayRef(found->second) : ArrayRef<Passing>()) {
    uint64_t byte = from.begin + byteOf(written);
    if (byte > INT32_MAX || from.number > kMaxNumber)
      return add(nowhere(Of::Lost), stub);
    add(place(Of::Memory, from.caller, from.number, uint32_t(byte)), stub);
    if (isOfCaller(from.caller, from.number))
      add(place(Of::Written, from.caller, from.number, uint32_t(byte)), stub);
  }
}

} // namespace gpulto
