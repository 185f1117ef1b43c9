//===- SolverMemoryPropagate.cpp - What is in variables, by calls ---------===//
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

#include "ipa/constants/ConstantsSolver.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace llvm;

namespace gpulto {

using Kind = JumpFunction::Kind;

/// Numbers in aggregates are kept in pieces of at most this size, if anything
/// is known of them.
static constexpr unsigned kPieceBits = 32;
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

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Returns what is known of the 32 bits of \p pair, of 64, from \p first on.
static ValueLattice halfOf(const ValueLattice &pair, unsigned first) {
  JumpFunction shift = JumpFunction::passThrough(0, 2 * kPieceBits);
  shift.operation = JumpOperation::LShr;
  shift.value = first;
  JumpFunction half = JumpFunction::passThrough(0, kPieceBits);
  half.operation = JumpOperation::Trunc;
  return ValueLattice::passThrough(half,
                                   ValueLattice::passThrough(shift, pair));
}

/// Returns what is known of the 64 bits of which \p low and \p high, of 32, are
/// the halves.
static ValueLattice joinHalves(const ValueLattice &low,
                               const ValueLattice &high) {
  auto widened = [](const ValueLattice &half) {
    JumpFunction wide = JumpFunction::passThrough(0, 2 * kPieceBits);
    wide.operation = JumpOperation::ZExt;
    wide.value = kPieceBits;
    return ValueLattice::passThrough(wide, half);
  };
  JumpFunction shift = JumpFunction::passThrough(0, 2 * kPieceBits);
  shift.operation = JumpOperation::Shl;
  shift.value = kPieceBits;
  // No bit is in both, so a sum is the same, and has bounds.
  JumpFunction sum = JumpFunction::passThrough(0, 2 * kPieceBits);
  sum.operation = JumpOperation::Add;
  return ValueLattice::combine(
      sum, ValueLattice::passThrough(shift, widened(high)), widened(low));
}

ValueLattice readParts(ArrayRef<PartLattice> parts, uint64_t offset,
                       unsigned width) {
  constexpr unsigned kPointerBits = 2 * kPieceBits;
  auto at = [&](uint64_t byte, unsigned bits) -> const ValueLattice * {
    for (const PartLattice &part : parts)
      if (part.byteOffset == byte && part.value.width() == bits)
        return &part.value;
    return nullptr;
  };
  if (const ValueLattice *value = at(offset, width))
    return *value;
  const ValueLattice *low = at(offset, kPieceBits),
                     *high = at(offset + kPieceBits / 8, kPieceBits);
  if ((width != 0 && width != kPointerBits) || !(low || high))
    return ValueLattice::varying(width);
  ValueLattice unknown = ValueLattice::varying(kPieceBits);
  ValueLattice both = joinHalves(low ? *low : unknown, high ? *high : unknown);
  if (width != 0)
    return both;
  bool isNull = both.isConstant() && both.value() == 0;
  // Only null is known to be a pointer.
  return isNull ? ValueLattice::constant(0, 0) : ValueLattice::varying(0);
}

void addPart(std::vector<PartLattice> &parts, uint64_t offset,
             const ValueLattice &value) {
  auto add = [&](uint64_t at, const ValueLattice &part) {
    if (std::optional<PartOffset> place = PartOffset::of(at))
      parts.push_back({*place, part});
  };
  bool isPair = value.width() == 2 * kPieceBits && value.hasFacts();
  if (!isPair)
    return add(offset, value);
  add(offset, halfOf(value, 0));
  add(offset + kPieceBits / 8, halfOf(value, kPieceBits));
}

uint64_t bytesOf(unsigned width) {
  constexpr uint64_t kPointerBytes = 8;
  return width ? (width + 7) / 8 : kPointerBytes;
}

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

/// Returns how many bytes \p value, a part of an aggregate, is of.
static uint64_t sizeOf(const ModuleSummary &summary,
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
    most = std::max(most, choice.byteOffset + sizeOf(summary, choice.value));
  return most;
}

namespace {
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
} // namespace

static ParameterLattice unknownBytes() {
  ParameterLattice result;
  result.whole = ValueLattice::varying();
  result.hasParts = true;
  result.isPrivate = false;
  return result;
}

bool meetParts(ParameterLattice &known, const ParameterLattice &actual) {
  if (!actual.hasParts)
    return false;
  if (!known.hasParts) {
    known.parts = actual.parts;
    known.hasParts = true;
    return true;
  }
  bool changed = false;
  std::vector<PartLattice> kept;
  for (PartLattice &part : known.parts) {
    auto other = llvm::find_if(actual.parts, [&](const PartLattice &a) {
      return a.byteOffset == part.byteOffset &&
             a.value.width() == part.value.width();
    });
    if (other == actual.parts.end()) {
      changed = true;
      continue;
    }
    changed |= part.value.meet(other->value);
    kept.push_back(part);
  }
  known.parts = std::move(kept);
  return changed;
}

//===----------------------------------------------------------------------===//
// Entered bodies
//===----------------------------------------------------------------------===//

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
                             BitVector &used) {
  bool isOfCalls = false;
  auto addValue = [&](uint64_t offset, const JumpFunction &value) {
    if (offset >= window.end ||
        (value.kind != Kind::Memory &&
         offset + sizeOf(summary, value) <= window.begin))
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

/// Returns the body that call \p number of \p caller enters, by an alias too,
/// or kNone.
BodyIndex ConstantsSolver::enteredBy(const BodyLattice &caller,
                                     uint32_t number) const {
  if (BodyIndex index = calleeOf(caller.index, number); index != kNone)
    return index;
  return callers.calleesOf(callers.bodyIndex(caller.id))[number];
}

/// Returns the arguments of call \p number of \p caller.
ArrayRef<JumpFunction> ConstantsSolver::actualsOf(const BodyLattice &caller,
                                                  uint32_t number) const {
  const ModuleSummary &summary = program.moduleRef(caller.id).summary;
  return slice(summary.jumpFunctions,
               slice(summary.calls, program.function(caller.id)->calls)[number]
                   .arguments);
}

/// Returns what call \p number of \p caller lets \p callee know of its
/// parameters in \p used, and of the others, if \p asksAll, what they are but
/// not what they point to.
BodyLattice ConstantsSolver::enter(const BodyLattice &caller, uint32_t number,
                                   const BodyLattice &callee,
                                   const BitVector &used, bool asksAll) const {
  BodyLattice entered;
  entered.id = callee.id;
  entered.index = callee.index;
  entered.entered = caller.entered.followedBy(caller.id, number);
  ArrayRef<JumpFunction> actuals = actualsOf(caller, number);
  for (uint32_t i = 0; i < used.size(); ++i) {
    const ParameterRecord &record = program.parameters(callee.id)[i];
    ParameterLattice formal = unknownBytes();
    formal.whole = ValueLattice::varying(record.bitWidth);
    if (used.test(i)) {
      formal =
          evaluateArgument(callee.id, i, caller,
                           i < actuals.size() ? actuals[i] : JumpFunction());
    } else if (i < actuals.size()) {
      formal.isPrivate = leadsToPrivate(caller, actuals[i]);
      if (asksAll && !(record.flags & kParamByVal))
        formal.whole =
            fit(callee.id, record, caller, valueOf(caller, actuals[i]));
    }
    entered.parameters.push_back(std::move(formal));
  }
  return entered;
}

BodyLattice ConstantsSolver::entry(BodyIndex caller, uint32_t number) const {
  const BodyLattice &callee = allBodies[calleeOf(caller, number)];
  BitVector all(program.parameters(callee.id).size(), true);
  BodyLattice entered = enter(allBodies[caller], number, callee, all);
  entered.clone = callee.clone;
  entered.isReached = true;
  return entered;
}

/// Returns whether \p body leaves what its parameter \p source points to as it
/// was: so do those to which it passes it.
bool ConstantsSolver::keepsPointee(const BodyLattice &body,
                                   uint32_t source) const {
  ArrayRef<ParameterRecord> formals = program.parameters(body.id);
  return source < formals.size() && ((formals[source].flags & kParamByVal) ||
                                     pointees.isUnwritten(body.id, source));
}

/// Returns whether nobody but \p body and its callees reaches what its
/// parameter \p source points to while it runs; each writes it by one pointer
/// only.
bool ConstantsSolver::isPrivateFormal(const BodyLattice &body,
                                      uint32_t source) const {
  return source < body.parameters.size() && body.parameters[source].isPrivate &&
         pointees.isPrivate(body.id, uint64_t(source) + 1);
}

/// Returns whether \p actual points to memory that nobody reaches but \p caller
/// or one of its callers, and their callees.
bool ConstantsSolver::leadsToPrivate(const BodyLattice &caller,
                                     const JumpFunction &actual) const {
  if (actual.kind == Kind::Aggregate)
    return actual.value && pointees.isPrivate(caller.id, actual.value);
  return actual.isPointerPassedOn() && isPrivateFormal(caller, actual.source);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Returns what the call that \p function names returns: in terms of what this
/// very call passes, so that it depends on the caller's parameters only.
ParameterLattice
ConstantsSolver::evaluateResult(const BodyLattice &caller,
                                const JumpFunction &function) const {
  ParameterLattice result;
  result.whole = ValueLattice::varying(function.bitWidth);
  result.hasParts = true;
  BodyIndex index = enteredBy(caller, function.source);
  if (index == kNone || resultDepth >= kMaxResultDepth ||
      !callers.isFinal(allBodies[index].id))
    return result;
  const BodyLattice &callee = allBodies[index];
  const CombinedModule &module = program.moduleRef(callee.id);
  const JumpFunction &returned = program.function(callee.id)->returned;
  BitVector used(program.parameters(callee.id).size());
  addFormals(module.summary, returned, used);
  ++resultDepth;
  BodyLattice entered = enter(caller, function.source, callee, used);
  if (returned.kind == JumpFunction::Kind::Aggregate)
    result = evaluateAggregate(entered, module, returned);
  else
    result.whole = evaluate(entered, module, returned);
  --resultDepth;
  return result;
}

/// Appends to \p result what \p part, bytes that a call returned, is known of.
void ConstantsSolver::addReturned(const BodyLattice &caller,
                                  const AggregatePart &part,
                                  ParameterLattice &result) const {
  ParameterLattice returned = evaluateResult(caller, part.value);
  result.hasParts &= returned.hasParts;
  uint64_t begin = part.value.value, end = begin + part.value.count;
  addPartsWithin(returned.parts, {begin, end}, part.byteOffset, result.parts);
  if (!returned.parts.empty() || !part.value.bitWidth)
    return;
  ValueLattice value =
      evaluate(caller, program.moduleRef(caller.id), part.value);
  value.forgetSymbol();
  result.hasParts &= !value.isTop();
  addPart(result.parts, part.byteOffset, value);
}

/// Returns the known parts of a by-value aggregate, or of what a pointer points
/// to; without parts (top) when the caller does not know its own yet.
ParameterLattice
ConstantsSolver::evaluateAggregate(const BodyLattice &caller,
                                   const CombinedModule &module,
                                   const JumpFunction &function) const {
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
  result.isPrivate = leadsToPrivate(caller, function);
  if (function.kind == Kind::Aggregate)
    return function.value && !result.isPrivate
               ? result
               : addParts(Range{function.source, function.count});
  if (!function.isPointerPassedOn() ||
      function.source >= caller.parameters.size())
    return result;
  if (!keepsPointee(caller, function.source))
    return result.isPrivate
               ? addParts(Range{function.parameter, function.count})
               : result;
  const ParameterLattice &formal = caller.parameters[function.source];
  uint64_t begin = function.kind == Kind::Ancestor ? function.value : 0;
  addPartsWithin(formal.parts, {begin, kAllBytes.end}, 0, result.parts);
  result.hasParts = formal.hasParts;
  return result;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Returns the bytes \p window behind argument \p parameter of call \p number
/// of \p caller as they were before the call; nothing if \p walk is looking
/// for them.
std::optional<ParameterLattice>
ConstantsSolver::evaluateBefore(const BodyLattice &caller, uint32_t number,
                                uint32_t parameter, ByteWindow window,
                                Walk &walk) const {
  auto [place, isNew] =
      walk.inProgress.insert({number, parameter, window.begin, window.end});
  if (!isNew)
    return std::nullopt;
  scope_exit leave([&, place = place] { walk.inProgress.erase(place); });
  ParameterLattice result = unknownBytes();
  ArrayRef<JumpFunction> actuals = actualsOf(caller, number);
  if (parameter >= actuals.size() || ++lookups > kMaxLookups)
    return result;
  const JumpFunction &actual = actuals[parameter];
  if (actual.kind == Kind::Aggregate)
    return leadsToPrivate(caller, actual)
               ? evaluateParts(caller, Range{actual.source, actual.count},
                               window, walk)
               : result;
  if (!actual.isPointerPassedOn())
    return result;
  if (!keepsPointee(caller, actual.source))
    return actual.count && leadsToPrivate(caller, actual)
               ? evaluateParts(caller, Range{actual.parameter, actual.count},
                               window, walk)
               : result;
  uint64_t shift = actual.kind == Kind::Ancestor ? actual.value : 0;
  return evaluateEntry(caller, actual.source,
                       {window.begin + shift, window.end + shift}, walk);
}

/// Returns the bytes \p window of the aggregate of \p caller that \p parts
/// make; nothing if they make all of it and \p walk is looking for all of them.
std::optional<ParameterLattice>
ConstantsSolver::evaluateParts(const BodyLattice &caller, Range parts,
                               ByteWindow window, Walk &walk) const {
  const ModuleSummary &summary = program.moduleRef(caller.id).summary;
  ParameterLattice result = unknownBytes(), all = unknownBytes();
  bool isNew = false;
  SeenBytes seen;
  for (const AggregatePart &part : slice(summary.aggregateParts, parts)) {
    ByteWindow place{part.byteOffset,
                     part.byteOffset + sizeOf(summary, part.value)};
    if (place.begin >= window.end || place.end <= window.begin)
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
std::optional<ParameterLattice>
ConstantsSolver::evaluateEntry(const BodyLattice &body, uint32_t source,
                               ByteWindow window, Walk &walk) const {
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
std::optional<ParameterLattice>
ConstantsSolver::evaluateLeft(const BodyLattice &caller,
                              const JumpFunction &function, ByteWindow window,
                              Walk &walk) const {
  ParameterLattice result = unknownBytes();
  BodyIndex index = enteredBy(caller, function.source);
  if (index == kNone)
    return result;
  const BodyLattice &callee = allBodies[index];
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
  bool asksAll = addFormalsWithin(summary, output, window, used);
  // What its calls find behind its pointers; not all of a large object.
  ArrayRef<JumpFunction> actuals = actualsOf(caller, function.source);
  for (uint32_t i = 0; asksAll && i < actuals.size() && i < used.size(); ++i)
    if (keepsPointee(callee, i) || actuals[i].count <= kMaxAskedParts)
      used.set(i);
  ++resultDepth;
  BodyLattice entered = enter(caller, function.source, callee, used, asksAll);
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

/// As Pointees::isPrivate(). A parameter that points there must lead to private
/// memory; what a function returns by its address, nobody else sees before.
bool ConstantsSolver::isPrivateVariable(const BodyLattice &body,
                                        uint64_t number) const {
  ArrayRef<ParameterRecord> formals = program.parameters(body.id);
  bool isFormal = number <= formals.size() &&
                  !(formals[number - 1].flags & kParamStructRet);
  return isFormal ? isPrivateFormal(body, static_cast<uint32_t>(number - 1))
                  : pointees.isPrivate(body.id, number);
}

/// Returns what all choices of \p function, Memory, have in common of the bytes
/// \p window; nothing if \p walk is looking for all of them.
std::optional<ParameterLattice>
ConstantsSolver::evaluateChoices(const BodyLattice &body,
                                 const JumpFunction &function,
                                 ByteWindow window, Walk &walk) const {
  if (!isPrivateVariable(body, function.parameter))
    return unknownBytes();
  const ModuleSummary &summary = program.moduleRef(body.id).summary;
  uint64_t end = std::min(window.end, sizeOf(summary, function));
  std::optional<ParameterLattice> common;
  for (const AggregatePart &choice :
       slice(summary.aggregateParts, Range{function.source, function.count})) {
    ParameterLattice one = unknownBytes();
    bool isNew = addBytes(body, choice, window, walk, one);
    if (!isNew && choice.byteOffset + sizeOf(summary, choice.value) >= end)
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

ParameterLattice
ConstantsSolver::evaluateMemory(const BodyLattice &body,
                                const JumpFunction &function) const {
  if (resultDepth == 0 && memoryDepth == 0)
    lookups = 0;
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
bool ConstantsSolver::addBytes(const BodyLattice &body,
                               const AggregatePart &part, ByteWindow window,
                               Walk &walk, ParameterLattice &result) const {
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
  ValueLattice known = evaluate(body, program.moduleRef(body.id), value);
  known.forgetSymbol();
  result.hasParts &= !known.isTop();
  addPart(result.parts, part.byteOffset, known);
  return true;
}

} // namespace gpulto
