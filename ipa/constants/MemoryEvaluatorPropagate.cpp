//===- MemoryEvaluatorPropagate.cpp - What is in variables, by calls ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: the values of parts of aggregates, of what calls return and of what
// they leave in the variables of their callers.
//
//   Params p; init(&p, 64); for (...) step(&p);    -> p.n is 64 in step
//
// 1. An aggregate has parts; a part of a variable whose address callees get is
//    a choice of what several instructions may have written last
//    (evaluateMemory).
// 2. What a call left: if the callee does not write through the parameter, what
//    was there before; else what its summary tells of its outputs, in terms of
//    what this very call passes (evaluateLeft). There, what was there at its
//    entry is again what was there before the call (evaluateBefore).
// 3. Calls in loops come round again: bytes that are being looked for add
//    nothing to themselves (Walk::inProgress). They do to others: several may
//    be copies of the same. Whatever is computed starts a walk of its own, no
//    deeper than kMaxResultDepth calls.
//
// All depends on the parameters of the body only, so it needs no fixed point.
// One question looks at kMaxLookups calls at most, behind them and before them.
//
// Source: aggregate jump functions as in GCC's ipa-prop; the walk is that over
// memory definitions of D. Novillo, "Memory SSA - A Unified Approach for
// Sparsely Representing Memory Operations", GCC Summit 2007.
//
//===----------------------------------------------------------------------===//

#include "ipa/constants/BodyPointees.h"
#include "ipa/constants/CallEvaluator.h"
#include "ipa/constants/MemoryEvaluator.h"
#include "ipa/constants/SolverBodies.h"
#include "ipa/constants/ValueEvaluator.h"
#include "ipa/constants/VariableContents.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace llvm;

namespace gpulto {

using Kind = JumpFunction::Kind;

/// How deep calls are looked into for what they return, and for what they
/// leave: from one call of a function back to the one before is a step, too.
static constexpr unsigned kMaxResultDepth = 3;

static constexpr unsigned kMaxLeftDepth = 6;

/// How deep values of memory that are computed from other memory are followed.
static constexpr unsigned kMaxMemoryDepth = 8;

static constexpr unsigned kMaxLookups = 512;

/// Parts of an object that are looked for because some of them may be asked
/// for.
static constexpr unsigned kMaxAskedParts = 16;

/// Appends to \p result those of \p parts that lie in \p window as a whole, as
/// if its beginning were byte \p at.
static void addPartsWithin(ArrayRef<PartLattice> parts, ByteWindow window,
                           uint64_t at, std::vector<PartLattice> &result) {
  for (const PartLattice &part : parts)
    if (part.byteOffset >= window.begin &&
        part.byteOffset + bytesOf(part.value.width()) <= window.end)
      if (std::optional<PartOffset> place =
              PartOffset::of(at + part.byteOffset - window.begin))
        result.push_back({*place, part.value});
}

uint64_t PartSizes::of(const ModuleSummary &summary,
                       const JumpFunction &value) {
  bool isRange = value.count && (value.kind == Kind::LoadAggregate ||
                                 value.kind == Kind::CallMemory ||
                                 value.kind == Kind::CallResult);
  if (isRange)
    return value.count;
  if (value.kind != Kind::Memory)
    return bytesOf(value.bitWidth);
  uint64_t most = value.count ? 0 : value.value;
  for (const AggregatePart &choice :
       slice(summary.aggregateParts, Range{value.source, value.count}))
    most = std::max(most, endOf(summary, choice));
  return most;
}

uint64_t PartSizes::endOf(const ModuleSummary &summary,
                          const AggregatePart &part) {
  if (part.value.kind != Kind::Memory)
    return part.byteOffset + of(summary, part.value);
  if (auto known = ends.find(&part); known != ends.end())
    return known->second;
  uint64_t end = part.byteOffset + of(summary, part.value);
  ends[&part] = end;
  return end;
}

/// The bytes of a window at which a walk has been before.
class SeenBytes {
public:
  void add(ByteWindow bytes) { seen.push_back({bytes.begin, bytes.end}); }

  bool areAllOf(ByteWindow window) {
    llvm::sort(seen);
    uint64_t covered = window.begin;
    for (auto [begin, end] : seen)
      if (begin <= covered)
        covered = std::max(covered, end);
    return covered >= window.end;
  }

private:
  SmallVector<std::pair<uint64_t, uint64_t>, 8> seen;
};

/// Sets in \p used the formal parameters that \p function, of \p summary, is in
/// terms of; all of them if calls are asked for.
static void addFormals(const ModuleSummary &summary,
                       const JumpFunction &function, BitVector &used) {
  switch (function.kind) {
  case Kind::PassThrough:
  case Kind::Ancestor:
  case Kind::LoadAggregate:
    if (function.source < used.size())
      used.set(function.source);
    if (function.isPointerPassedOn())
      for (const AggregatePart &part :
           slice(summary.aggregateParts,
                 Range{function.parameter, function.count}))
        addFormals(summary, part.value, used);
    break;
  case Kind::CallResult:
  case Kind::CallMemory:
    used.set();
    break;
  case Kind::Composed:
    addFormals(summary, summary.jumpFunctions[function.source], used);
    if (function.count)
      addFormals(summary, summary.jumpFunctions[function.count - 1], used);
    break;
  case Kind::Aggregate:
  case Kind::Memory:
    for (const AggregatePart &part :
         slice(summary.aggregateParts, Range{function.source, function.count}))
      addFormals(summary, part.value, used);
    break;
  default:
    break;
  }
}

/// As addFormals, of those of the parts of \p output that are in \p window.
/// What was there when the function was entered is looked for behind its call,
/// so nobody asks for it here. Returns whether calls of the function may have
/// left such a part.
static bool addFormalsWithin(const ModuleSummary &summary,
                             const JumpFunction &output, ByteWindow window,
                             PartSizes &sizes, BitVector &used) {
  bool isOfCalls = false;
  auto addValue = [&](uint64_t offset, const JumpFunction &value) {
    if (offset >= window.end ||
        (value.kind != Kind::Memory &&
         offset + sizes.of(summary, value) <= window.begin))
      return;
    isOfCalls |= value.kind == Kind::CallMemory;
    if (value.kind != Kind::CallMemory &&
        (value.kind != Kind::LoadAggregate || !value.count))
      addFormals(summary, value, used);
  };
  for (const AggregatePart &part :
       slice(summary.aggregateParts, Range{output.source, output.count})) {
    if (part.value.kind != Kind::Memory) {
      addValue(part.byteOffset, part.value);
      continue;
    }
    for (const AggregatePart &choice :
         slice(summary.aggregateParts,
               Range{part.value.source, part.value.count}))
      addValue(part.byteOffset, choice.value);
  }
  return isOfCalls;
}

ParameterLattice MemoryEvaluator::evaluateResult(const BodyLattice &caller,
                                                 const JumpFunction &function) {
  ParameterLattice result;
  result.whole = ValueLattice::varying(function.bitWidth);
  result.hasParts = true;
  BodyIndex index = bodies.enteredBy(caller, function.source);
  if (index == kNone || resultDepth >= kMaxResultDepth ||
      !callers.isFinal(bodies[index].id))
    return result;
  const BodyLattice &callee = bodies[index];
  const CombinedModule &module = program.moduleRef(callee.id);
  const JumpFunction &returned = program.function(callee.id)->returned;
  BitVector used(program.parameters(callee.id).size());
  addFormals(module.summary, returned, used);
  ++resultDepth;
  BodyLattice entered = calls.enter(caller, function.source, callee, used);
  if (returned.kind == JumpFunction::Kind::Aggregate)
    result = evaluateAggregate(entered, module, returned);
  else
    result.whole = values.evaluate(entered, module, returned);
  --resultDepth;
  return result;
}

/// Appends to \p result what \p part, bytes that a call returned, is known of.
void MemoryEvaluator::addReturned(const BodyLattice &caller,
                                  const AggregatePart &part,
                                  ParameterLattice &result) {
  ParameterLattice returned = evaluateResult(caller, part.value);
  result.hasParts &= returned.hasParts;
  uint64_t begin = part.value.value, end = begin + part.value.count;
  addPartsWithin(returned.parts, {begin, end}, part.byteOffset, result.parts);
  if (!returned.parts.empty() || !part.value.bitWidth)
    return;
  ValueLattice value =
      values.evaluate(caller, program.moduleRef(caller.id), part.value);
  value.forgetSymbol();
  result.hasParts &= !value.isTop();
  addPart(result.parts, part.byteOffset, value);
}

ParameterLattice
MemoryEvaluator::evaluateAggregate(const BodyLattice &caller,
                                   const CombinedModule &module,
                                   const JumpFunction &function) {
  ParameterLattice result = unknownBytes();
  if (resultDepth == 0 && memoryDepth == 0)
    lookups = 0;
  auto addParts = [&](Range parts) {
    for (const AggregatePart &part :
         slice(module.summary.aggregateParts, parts)) {
      Walk walk;
      addBytes(caller, part, kAllBytes, walk, result);
    }
    return result;
  };
  result.isPrivate = bodyPointees.leadsToPrivate(caller, function);
  if (function.kind == Kind::Aggregate)
    return function.value && !result.isPrivate
               ? result
               : addParts(Range{function.source, function.count});
  if (!function.isPointerPassedOn() ||
      function.source >= caller.parameters.size())
    return result;
  if (!bodyPointees.keepsPointee(caller, function.source))
    return result.isPrivate
               ? addParts(Range{function.parameter, function.count})
               : result;
  const ParameterLattice &formal = caller.parameters[function.source];
  uint64_t begin = function.kind == Kind::Ancestor ? function.value : 0;
  addPartsWithin(formal.parts, {begin, kAllBytes.end}, 0, result.parts);
  result.hasParts = formal.hasParts;
  return result;
}

/// Returns the bytes \p window behind argument \p parameter of call \p number
/// of \p caller as they were before the call; nothing if \p walk is looking
/// for them.
MemoryEvaluator::Bytes
MemoryEvaluator::evaluateBefore(const BodyLattice &caller, uint32_t number,
                                uint32_t parameter, ByteWindow window,
                                Walk &walk) {
  auto [place, isNew] =
      walk.inProgress.insert({number, parameter, window.begin, window.end});
  if (!isNew)
    return std::nullopt;
  scope_exit leave([&, place = place] { walk.inProgress.erase(place); });
  ParameterLattice result = unknownBytes();
  ArrayRef<JumpFunction> actuals = bodies.actualsOf(caller, number);
  if (parameter >= actuals.size() || ++lookups > kMaxLookups)
    return result;
  const JumpFunction &actual = actuals[parameter];
  if (actual.kind == Kind::Aggregate)
    return bodyPointees.leadsToPrivate(caller, actual)
               ? evaluateParts(caller, Range{actual.source, actual.count},
                               window, walk)
               : result;
  if (!actual.isPointerPassedOn())
    return result;
  if (!bodyPointees.keepsPointee(caller, actual.source))
    return actual.count && bodyPointees.leadsToPrivate(caller, actual)
               ? evaluateParts(caller, Range{actual.parameter, actual.count},
                               window, walk)
               : result;
  uint64_t shift = actual.kind == Kind::Ancestor ? actual.value : 0;
  return evaluateEntry(caller, actual.source,
                       {window.begin + shift, window.end + shift}, walk);
}

/// Returns the bytes \p window of the aggregate of \p caller that \p parts
/// make; nothing if they make all of it and \p walk is looking for all of them.
MemoryEvaluator::Bytes MemoryEvaluator::evaluateParts(const BodyLattice &caller,
                                                      Range parts,
                                                      ByteWindow window,
                                                      Walk &walk) {
  const ModuleSummary &summary = program.moduleRef(caller.id).summary;
  ParameterLattice result = unknownBytes(), all = unknownBytes();
  bool isNew = false;
  SeenBytes seen;
  for (const AggregatePart &part : slice(summary.aggregateParts, parts)) {
    if (part.byteOffset >= window.end)
      continue;
    ByteWindow place{part.byteOffset, sizes.endOf(summary, part)};
    if (place.end <= window.begin)
      continue;
    if (addBytes(caller, part, window, walk, all))
      isNew = true;
    else
      seen.add(place);
  }
  // Of bytes that are in no part, nothing is known.
  if (!isNew && seen.areAllOf(window))
    return std::nullopt;
  addPartsWithin(all.parts, window, 0, result.parts);
  result.hasParts = all.hasParts;
  return result;
}

/// Returns the bytes \p window behind parameter \p source of \p body as they
/// were when it was entered.
MemoryEvaluator::Bytes MemoryEvaluator::evaluateEntry(const BodyLattice &body,
                                                      uint32_t source,
                                                      ByteWindow window,
                                                      Walk &walk) {
  if (walk.outer)
    return evaluateBefore(*walk.caller, walk.call, source, window, *walk.outer);
  ParameterLattice result = unknownBytes();
  if (source >= body.parameters.size())
    return result;
  addPartsWithin(body.parameters[source].parts, window, 0, result.parts);
  result.hasParts = body.parameters[source].hasParts;
  return result;
}

/// Returns the bytes that call \p function.source of \p caller left behind an
/// argument; nothing if it left them as they were and \p walk is looking for
/// them.
MemoryEvaluator::Bytes
MemoryEvaluator::evaluateLeft(const BodyLattice &caller,
                              const JumpFunction &function, ByteWindow window,
                              Walk &walk) {
  ParameterLattice result = unknownBytes();
  BodyIndex index = bodies.enteredBy(caller, function.source);
  if (index == kNone)
    return result;
  const BodyLattice &callee = bodies[index];
  if (!callers.isFinal(callee.id) ||
      function.parameter >= program.parameters(callee.id).size())
    return result;
  if (pointees.isUnwritten(callee.id, function.parameter) ||
      window.begin >= pointees.reach(callee.id, function.parameter))
    return evaluateBefore(caller, function.source, function.parameter, window,
                          walk);
  const ModuleSummary &summary = program.moduleRef(callee.id).summary;
  ArrayRef<JumpFunction> outputs =
      slice(summary.jumpFunctions, program.function(callee.id)->outputs);
  if (function.parameter >= outputs.size() ||
      outputs[function.parameter].kind != Kind::Aggregate ||
      resultDepth >= kMaxLeftDepth || ++lookups > kMaxLookups)
    return result;
  const JumpFunction &output = outputs[function.parameter];
  BitVector used(program.parameters(callee.id).size());
  bool asksAll = addFormalsWithin(summary, output, window, sizes, used);
  // What its calls find behind its pointers; not all of a large object.
  ArrayRef<JumpFunction> actuals = bodies.actualsOf(caller, function.source);
  for (uint32_t i = 0; asksAll && i < actuals.size() && i < used.size(); ++i)
    if (bodyPointees.keepsPointee(callee, i) ||
        actuals[i].count <= kMaxAskedParts)
      used.set(i);
  ++resultDepth;
  BodyLattice entered =
      calls.enter(caller, function.source, callee, used, asksAll);
  Walk inner;
  inner.caller = &caller;
  inner.call = function.source;
  inner.outer = &walk;
  std::optional<ParameterLattice> left =
      evaluateParts(entered, Range{output.source, output.count}, window, inner);
  --resultDepth;
  return left;
}

/// Adds to \p parts null pointers where they have zeros and \p others have
/// pointers.
static void addNulls(std::vector<PartLattice> &parts,
                     ArrayRef<PartLattice> others) {
  for (const PartLattice &other : others) {
    bool isPointer = other.value.width() == 0 && !other.value.isTop();
    ValueLattice value = readParts(parts, other.byteOffset, 0);
    bool isMissing = none_of(parts, [&](const PartLattice &part) {
      return part.byteOffset == other.byteOffset && part.value.width() == 0;
    });
    if (isPointer && isMissing && value.isConstant())
      parts.push_back({other.byteOffset, value});
  }
}

/// Returns what all choices of \p function, Memory, have in common of the bytes
/// \p window; nothing if \p walk is looking for all of them.
MemoryEvaluator::Bytes
MemoryEvaluator::evaluateChoices(const BodyLattice &body,
                                 const JumpFunction &function,
                                 ByteWindow window, Walk &walk) {
  if (!bodyPointees.isPrivateVariable(body, function.parameter))
    return unknownBytes();
  const ModuleSummary &summary = program.moduleRef(body.id).summary;
  uint64_t end = std::min(window.end, sizes.of(summary, function));
  std::optional<ParameterLattice> common;
  for (const AggregatePart &choice :
       slice(summary.aggregateParts, Range{function.source, function.count})) {
    ParameterLattice one = unknownBytes();
    bool isNew = addBytes(body, choice, window, walk, one);
    if (!isNew && sizes.endOf(summary, choice) >= end)
      continue;
    if (!common) {
      common = std::move(one);
      continue;
    }
    addNulls(common->parts, one.parts);
    addNulls(one.parts, common->parts);
    meetParts(*common, one);
  }
  return common;
}

ParameterLattice MemoryEvaluator::evaluateMemory(const BodyLattice &body,
                                                 const JumpFunction &function) {
  if (resultDepth || memoryDepth)
    return lookUp(body, function);
  if (const ParameterLattice *known = answers.find(body, function))
    return *known;
  lookups = 0;
  uint64_t reads = variables.reads();
  ParameterLattice found = lookUp(body, function);
  // Who reads a variable is to be known each time.
  if (variables.reads() == reads)
    answers.add(body, function, found);
  return found;
}

/// Looks for what evaluateMemory() returns.
ParameterLattice MemoryEvaluator::lookUp(const BodyLattice &body,
                                         const JumpFunction &function) {
  if (memoryDepth >= kMaxMemoryDepth)
    return unknownBytes();
  ++memoryDepth;
  Walk walk;
  std::optional<ParameterLattice> known = evaluateChoices(
      body, function,
      {function.value, function.value + bytesOf(function.bitWidth)}, walk);
  --memoryDepth;
  return known ? *known : unknownBytes();
}

/// Appends to \p result what is known of \p part of \p body, as far as it lies
/// in \p window of the bytes that it is a part of. Returns whether there is
/// anything in the window that \p walk is not looking for.
bool MemoryEvaluator::addBytes(const BodyLattice &body,
                               const AggregatePart &part, ByteWindow window,
                               Walk &walk, ParameterLattice &result) {
  const JumpFunction &value = part.value;
  if (part.byteOffset >= window.end)
    return false;
  // The window of what is at the part's place.
  uint64_t skipped =
      window.begin > part.byteOffset ? window.begin - part.byteOffset : 0;
  ByteWindow inner{skipped, window.end - part.byteOffset};
  std::optional<ParameterLattice> bytes;
  bool isRange = value.count && (value.kind == Kind::LoadAggregate ||
                                 value.kind == Kind::CallMemory);
  if (isRange) {
    inner.end = std::min<uint64_t>(inner.end, value.count);
    if (inner.begin >= inner.end)
      return false;
    ByteWindow source{value.value + inner.begin, value.value + inner.end};
    bytes = value.kind == Kind::CallMemory
                ? evaluateLeft(body, value, source, walk)
                : evaluateEntry(body, value.source, source, walk);
    if (!bytes)
      return false;
    addPartsWithin(bytes->parts, {0, kAllBytes.end},
                   part.byteOffset + inner.begin, result.parts);
    result.hasParts &= bytes->hasParts;
    return true;
  }
  if (value.kind == Kind::Memory) {
    bytes = evaluateChoices(body, value, inner, walk);
    if (!bytes)
      return false;
    addPartsWithin(bytes->parts, kAllBytes, part.byteOffset, result.parts);
    result.hasParts &= bytes->hasParts;
    return true;
  }
  bool isReturned = value.kind == Kind::CallResult && value.count;
  if (inner.begin >= (isReturned ? value.count : bytesOf(value.bitWidth)))
    return false;
  if (isReturned) {
    addReturned(body, part, result);
    return true;
  }
  ValueLattice known = values.evaluate(body, program.moduleRef(body.id), value);
  known.forgetSymbol();
  result.hasParts &= !known.isTop();
  addPart(result.parts, part.byteOffset, known);
  return true;
}

} // namespace gpulto
