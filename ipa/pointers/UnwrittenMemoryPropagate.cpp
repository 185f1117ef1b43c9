//===- UnwrittenMemoryPropagate.cpp - Read-only memory of kernels (WPA) ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: use the read-only cache (ld.global.nc) for loads without `const
// __restrict__` in the source.
//
//   cudaMalloc(&in, n); cudaMalloc(&out, n);
//   scale<<<g, b>>>(out, in);     // reads in, writes out
//   -> while scale runs, nothing writes what in points to
//
// A parameter must meet these conditions, in each launch:
//
// 1. The kernel and its callees only read through it (ModRef), and write
//    through no pointer of unknown origin (storesAnywhere).
// 2. It points into memory of cudaMalloc, which neither host, peer nor another
//    process reaches; null is never read (meetArgument).
// 3. No other parameter that is written through, or kept, leads to the same
//    memory (areApart). Others that are only read may.
//
// The same holds for pointers in by-value aggregates: the summary of the kernel
// says which of them it writes through (ipa/pointers/PointerMembers). It stores
// nothing through those that it does not name, or it stores anywhere.
//
// And for the program: nothing else runs on the device at the same time
// (DeviceOrder).
//
// Barriers do not matter: the kernel's other threads run the same code, so they
// write nothing there, either. PointerFacts is stricter, since memory that it
// calls apart may be written, and LLVM moves accesses through `noalias`
// pointers across barriers.
//
//===----------------------------------------------------------------------===//

#include "ipa/callers/ImageRemarks.h"
#include "ipa/callers/PointerBase.h"
#include "ipa/pointers/PointerFacts.h"
#include "ipa/pointers/PointerMembers.h"
#include "ipa/pointers/UnwrittenMemory.h"
#include "ipa/runtime/CudaRuntime.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpulto {

static bool isPointer(const ParameterRecord &formal) {
  return (formal.flags & kParamIsPointer) && !(formal.flags & kParamByVal);
}

UnwrittenMemory::UnwrittenMemory(const WpaContext &context,
                                 const Callers &callers,
                                 const ConstantsSolver &solver)
    : program(context.program), decisions(context.decisions), solver(solver) {
  forEachKnownLaunch(program, callers, solver,
                     [&](GlobalId kernel, uint32_t clone,
                         ArrayRef<ParameterLattice> arguments) {
                       meetLaunch(kernel, clone, arguments);
                     });
  if (!known.empty())
    order.emplace(context, callers, solver);
}

//===----------------------------------------------------------------------===//
// What the kernel does
//===----------------------------------------------------------------------===//

UnwrittenMemory::Kernel UnwrittenMemory::candidatesOf(GlobalId kernel) const {
  ArrayRef<ParameterRecord> formals = program.parameters(kernel);
  Kernel result;
  result.parameters.resize(formals.size());
  bool hasAny = false;
  for (auto [i, formal] : enumerate(formals)) {
    bool isRead = isPointer(formal) && !(formal.flags & kParamUnused) &&
                  !mayWriteThrough(decisions, kernel, i) &&
                  (decisions.effectsOf(kernel)->parameters[i] & kParamMayRead);
    if (!isRead)
      result.parameters[i].obstacle = Obstacle::NotOnlyRead;
    hasAny |= isRead || (formal.flags & kParamByVal);
  }
  // Without such stores pointers in aggregates are only read through, too.
  result.partsListed = !hasAny || storesAnywhere(kernel);
  if (hasAny && result.partsListed)
    for (Parameter &parameter : result.parameters)
      if (parameter.obstacle == Obstacle::None)
        parameter.obstacle = Obstacle::WritesAnywhere;
  for (const PointerMember &member : membersOf(program, kernel))
    if (mayWriteMember(program, decisions, kernel, member))
      result.writtenParts.push_back({member.parameter, member.byteOffset});
  return result;
}

/// Whether \p callee may write through a pointer that \p call of \p caller
/// passes and that is neither the caller's parameter, nor a member of one, nor
/// a variable.
bool UnwrittenMemory::passesUnknown(GlobalId caller, const CallEdge &call,
                                    GlobalId callee) const {
  using Kind = JumpFunction::Kind;
  ArrayRef<JumpFunction> actuals =
      slice(program.moduleRef(caller).summary.jumpFunctions, call.arguments);
  for (auto [i, formal] : enumerate(program.parameters(callee))) {
    if (!isPointer(formal) || !mayWriteThrough(decisions, callee, i))
      continue;
    JumpFunction actual = i < actuals.size()
                              ? baseOf(program, caller, actuals[i])
                              : JumpFunction();
    bool isLocal = actual.kind == Kind::Aggregate && actual.value;
    if (!isLocal && actual.kind != Kind::PassThrough &&
        actual.kind != Kind::Ancestor && actual.kind != Kind::SymbolAddress &&
        actual.kind != Kind::Null && !passedMember(program, caller, actual))
      return true;
  }
  return false;
}

bool UnwrittenMemory::storesAnywhere(GlobalId kernel) const {
  uint16_t own =
      membersOf(program, kernel).empty() ? kStoresOther : kStoresElsewhere;
  return !staysWithin(
      program, kernel, own, kStoresOther,
      [&](GlobalId caller, const CallEdge &call, GlobalId callee) {
        return !passesUnknown(caller, call, callee);
      });
}

//===----------------------------------------------------------------------===//
// What launches pass
//===----------------------------------------------------------------------===//

/// Returns the name of what call \p call of \p body allocates with.
StringRef UnwrittenMemory::allocatorName(GlobalId body, uint32_t call) const {
  const ModuleSummary &module = program.moduleRef(body).summary;
  const CallEdge &edge =
      slice(module.calls, program.function(body)->calls)[call];
  // A definition of that name in this link is not the runtime's.
  return program.definitionFor(body, edge.callee) == kNone &&
                 edge.callee != kNone
             ? module.symbols[edge.callee].name
             : StringRef();
}

/// Notes in \p known what keeps \p value, which a launch passes in parameter
/// \p index among \p arguments, from being unwritten.
void UnwrittenMemory::meetValue(GlobalId kernel, uint32_t index,
                                const ValueLattice &value,
                                ArrayRef<ParameterLattice> arguments,
                                ArrayRef<Part> writtenParts,
                                Parameter &known) const {
  if (value.isConstant() && value.value() == 0)
    return;
  if (value.state() != ValueLattice::State::Allocation) {
    known.obstacle = Obstacle::UnknownOrigin;
    return;
  }
  auto call = static_cast<uint32_t>(value.value());
  StringRef allocator = allocatorName(value.symbol(), call);
  bool isOfDevice = isRuntime(allocator, RuntimeFunction::AllocatesOnDevice);
  if (known.allocatedBy == kNone || !isOfDevice) {
    known.allocatedBy = value.symbol();
    known.call = call;
  }
  if (!isOfDevice) {
    known.obstacle = Obstacle::NotDeviceMemory;
    return;
  }
  for (auto [i, formal] : enumerate(program.parameters(kernel)))
    if (i != index && isPointer(formal) && !(formal.flags & kParamUnused) &&
        mayWriteThrough(decisions, kernel, i) &&
        !areApart(value, arguments[i].whole)) {
      known.obstacle = Obstacle::Overlaps;
      known.other = i;
      return;
    }
  for (const Part &part : writtenParts)
    if (!areApart(value, readParts(arguments[part.parameter].parts,
                                   part.byteOffset, 0))) {
      known.obstacle = Obstacle::Overlaps;
      known.other = part.parameter;
      known.otherByte = part.byteOffset;
      return;
    }
}

/// Keeps of the parts that \p known has those that this launch, too, passes to
/// memory that nothing writes; the first launch says which there are.
void UnwrittenMemory::meetParts(GlobalId kernel,
                                ArrayRef<ParameterLattice> arguments,
                                Kernel &known) const {
  auto isGood = [&](uint32_t index, const PartLattice &part) {
    bool isWritten =
        is_contained(known.writtenParts, Part{index, part.byteOffset});
    if (part.value.width() != 0 || isWritten)
      return false;
    Parameter found;
    meetValue(kernel, index, part.value, arguments, known.writtenParts, found);
    return found.obstacle == Obstacle::None;
  };
  if (!known.partsListed)
    for (auto [i, formal] : enumerate(program.parameters(kernel)))
      if ((formal.flags & kParamByVal) && arguments[i].hasParts)
        for (const PartLattice &part : arguments[i].parts)
          if (isGood(i, part))
            known.parts.push_back({static_cast<uint32_t>(i), part.byteOffset});
  known.partsListed = true;
  erase_if(known.parts, [&](const Part &part) {
    return none_of(arguments[part.parameter].parts,
                   [&](const PartLattice &actual) {
                     return actual.byteOffset == part.byteOffset &&
                            isGood(part.parameter, actual);
                   });
  });
}

void UnwrittenMemory::meetLaunch(GlobalId kernel, uint32_t clone,
                                 ArrayRef<ParameterLattice> arguments) {
  auto [entry, isFirst] = known.try_emplace({kernel, clone});
  if (isFirst)
    entry->second = candidatesOf(kernel);
  for (auto [i, parameter] : enumerate(entry->second.parameters))
    if (parameter.obstacle == Obstacle::None)
      meetValue(kernel, i, arguments[i].whole, arguments,
                entry->second.writtenParts, parameter);
  meetParts(kernel, arguments, entry->second);
}

bool UnwrittenMemory::isUnwritten(const BodyLattice &body,
                                  uint32_t parameter) const {
  auto found = known.find({body.id, body.clone});
  return found != known.end() &&
         found->second.parameters[parameter].obstacle == Obstacle::None &&
         order->isSerial();
}

bool UnwrittenMemory::isPartUnwritten(const BodyLattice &body,
                                      uint32_t parameter,
                                      uint32_t byteOffset) const {
  auto found = known.find({body.id, body.clone});
  return found != known.end() && order->isSerial() &&
         any_of(found->second.parts, [&](const Part &part) {
           return part.parameter == parameter && part.byteOffset == byteOffset;
         });
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

/// Returns "cudaMalloc (a.cu:7)".
std::string UnwrittenMemory::allocationText(const Parameter &parameter) const {
  const ModuleSummary &module =
      program.moduleRef(parameter.allocatedBy).summary;
  const CallEdge &call =
      slice(module.calls,
            program.function(parameter.allocatedBy)->calls)[parameter.call];
  return (allocatorName(parameter.allocatedBy, parameter.call) + " (" +
          placeText(program, parameter.allocatedBy, call.place) + ")")
      .str();
}

/// Returns the first premise that fails of \p parameter of \p kernel, or empty.
std::string UnwrittenMemory::whyNot(GlobalId kernel,
                                    const Parameter &parameter) const {
  switch (parameter.obstacle) {
  case Obstacle::None:
    return order->whyNot().str();
  case Obstacle::NotOnlyRead:
    return "it is not only read";
  case Obstacle::WritesAnywhere:
    return "the kernel writes through pointers of unknown origin";
  case Obstacle::UnknownOrigin:
    return "a launch passes memory of unknown origin";
  case Obstacle::NotDeviceMemory:
    return "a launch passes memory that is not the device's alone, of " +
           allocationText(parameter);
  case Obstacle::Overlaps:
    return "a launch may pass the same memory as " +
           parameterName(program, kernel,
                         {parameter.other, parameter.otherByte.has_value(),
                          parameter.otherByte.value_or(0)}) +
           ", which is written";
  }
  return "";
}

/// Returns from what it follows that \p parameter is unwritten.
std::string UnwrittenMemory::trail(const Parameter &parameter) const {
  std::string text =
      "the program's launches (" + std::to_string(order->launchCount()) +
      ") and asynchronous copies (" + std::to_string(order->copyCount()) +
      ") are all in the default stream";
  return parameter.allocatedBy == kNone
             ? text
             : "memory of " + allocationText(parameter) +
                   ", which the kernel only reads; " + text;
}

void UnwrittenMemory::explain(const WpaContext &context) const {
  for (const BodyLattice &body : solver.bodies()) {
    auto found = known.find({body.id, body.clone});
    if (found == known.end())
      continue;
    std::string owner = bodyName(program, body.id, body.clone);
    for (auto [i, parameter] : enumerate(found->second.parameters)) {
      if (parameter.obstacle == Obstacle::NotOnlyRead ||
          (program.parameters(body.id)[i].flags & kParamNoAlias))
        continue;
      std::string why = whyNot(body.id, parameter);
      std::string what =
          parameterName(program, body.id, i) + " of " + owner + " ";
      if (why.empty())
        addKernelRemark(context, RemarkKind::Passed, "ReadOnlyLoads", body.id,
                        what + "is loaded through the read-only cache: " +
                            trail(parameter));
      else
        addKernelRemark(
            context, RemarkKind::Missed, "ReadOnlyLoads", body.id,
            what + "is not loaded through the read-only cache: " + why);
    }
  }
}

} // namespace gpulto
