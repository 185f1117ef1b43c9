//===- ConstantsPropagate.cpp - Constants through calls and launches ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: what each parameter is whenever its function is entered, across calls
// on both sides and across launches.
//
//   int main() { run(1024); }
//   static void run(int n) { scale<<<n / 256, 256>>>(p, n, 2.0f); }
//   __global__ void scale(float *p, int n, float f) { ... helper(n); }
//
//   run: n = 1024; scale: n = 1024, f = 2, grid 4, block 256; helper: n = 1024
//
// 1. Functions that may be entered from where no summary says (ipa/Callers)
//    know nothing of their parameters; all others start at the top.
// 2. Bodies are visited from a worklist, those with unknown callers first; a
//    visit meets what each call and launch passes into the callee. A body that
//    no known entry reaches is never visited and contributes nothing.
// 3. The geometry of a launch is treated as six more parameters of a kernel,
//    and of every device function that it calls: they pass it on unchanged.
// 4. By-value aggregates (struct Params) have an element per known part.
// 5. What is left above "nothing known" becomes facts, and a remark says which
//    contexts prove it.
//
// Optimistic, so the fixed point is the greatest; the order of visits matters
// for widened bounds only and is that of the program. Each element goes down at
// most some 80 steps (bits), in practice one or two: linear.
//
// Source: D. Callahan, K. D. Cooper, K. Kennedy, L. Torczon, "Interprocedural
// Constant Propagation", SIGPLAN 1986; GCC's ipa-cp.cc.
//
//===----------------------------------------------------------------------===//

#include "ipa/Callers.h"
#include "ipa/Constants.h"
#include "ipa/ValueLattice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <deque>

using namespace llvm;

namespace gpulto {

namespace {

/// A known part of a by-value aggregate.
struct PartLattice {
  uint32_t byteOffset = 0;
  ValueLattice value;
};

/// One formal parameter.
struct ParameterLattice {
  ValueLattice whole;
  /// By-value aggregates: the parts that every context knows, by offset;
  /// meaningful once hasParts is set by the first context.
  std::vector<PartLattice> parts;
  bool hasParts = false;
};

/// What is known of one body.
struct FunctionLattice {
  GlobalId id = kNone;
  /// Entered by something that was visited, or by something unknown.
  bool isReached = false;
  bool isQueued = false;
  /// Empty for functions with unknown callers.
  std::vector<ParameterLattice> parameters;
  /// Device functions with known callers: Geometry up to kBlockZ.
  std::vector<ValueLattice> geometry;
};

constexpr uint32_t kDimensions = kBlockZ + 1;
/// Constants in aggregates are kept in pieces of at most this size.
constexpr unsigned kPieceBits = 32;

class ConstantsPropagator {
public:
  explicit ConstantsPropagator(WpaContext &context)
      : context(context), program(context.program), callers(context) {}

  void run() {
    makeLattices();
    while (!worklist.empty()) {
      uint32_t next = worklist.front();
      worklist.pop_front();
      functions[next].isQueued = false;
      visit(functions[next]);
    }
    for (const FunctionLattice &function : functions)
      decide(function);
    explain();
  }

private:
  using Parts = SmallVector<PartLattice, 8>;

  bool isKnown(GlobalId id) const {
    return callers.unknown(id) == UnknownCaller::None;
  }
  FunctionLattice *lattice(GlobalId id) {
    auto found = numbers.find(id);
    return found == numbers.end() ? nullptr : &functions[found->second];
  }
  void makeLattices();
  void enqueue(FunctionLattice &function);
  void visit(FunctionLattice &function);
  void visitCall(const FunctionLattice &caller, const CombinedModule &module,
                 const CallEdge &call);
  void visitLaunch(const FunctionLattice &caller, const CombinedModule &module,
                   const LaunchSite &launch);
  ValueLattice evaluate(const FunctionLattice &caller,
                        const CombinedModule &module,
                        const JumpFunction &function) const;
  ValueLattice evaluateAddress(const CombinedModule &module,
                               const JumpFunction &function) const;
  bool evaluateParts(const FunctionLattice &caller,
                     const CombinedModule &module, const JumpFunction &function,
                     Parts &parts) const;
  bool meetArgument(FunctionLattice &callee, const FunctionLattice &caller,
                    const CombinedModule &module, uint32_t index,
                    const JumpFunction &actual);
  bool meetPieces(FunctionLattice &kernel, const FunctionLattice &caller,
                  const CombinedModule &module, const LaunchSite &launch,
                  const FunctionSummary &stub);
  bool meetGeometry(FunctionLattice &callee, ArrayRef<ValueLattice> actual);
  void decide(const FunctionLattice &function);
  void explain();

  WpaContext &context;
  const CombinedSummary &program;
  Callers callers;
  std::vector<FunctionLattice> functions; // in the order of Callers::bodies
  DenseMap<GlobalId, uint32_t> numbers;   // looked up only
  std::deque<uint32_t> worklist;
};

} // namespace

//===----------------------------------------------------------------------===//
// The worklist
//===----------------------------------------------------------------------===//

void ConstantsPropagator::makeLattices() {
  functions.resize(callers.bodies().size());
  numbers.reserve(functions.size());
  for (auto [i, id] : enumerate(callers.bodies())) {
    FunctionLattice &function = functions[i];
    function.id = id;
    numbers[id] = i;
    if (!isKnown(id)) {
      function.isReached = true;
      enqueue(function);
      continue;
    }
    for (const ParameterRecord &formal :
         slice(program.moduleRef(id).summary.parameters,
               program.function(id)->parameters)) {
      // An aggregate has parts and no value, everything else the opposite: what
      // it does not have must not look as if no context had been seen.
      ParameterLattice &known = function.parameters.emplace_back();
      if (formal.flags & kParamByVal)
        known.whole = ValueLattice::varying();
      else
        known.hasParts = true;
    }
    if (program.imageOf(id) != kHostImage)
      function.geometry.resize(kDimensions);
  }
}

void ConstantsPropagator::enqueue(FunctionLattice &function) {
  if (function.isQueued)
    return;
  function.isQueued = true;
  worklist.push_back(static_cast<uint32_t>(&function - functions.data()));
}

void ConstantsPropagator::visit(FunctionLattice &function) {
  const CombinedModule &module = program.moduleRef(function.id);
  const FunctionSummary &body = *program.function(function.id);
  for (const CallEdge &call : slice(module.summary.calls, body.calls))
    if (call.callee != kNone)
      visitCall(function, module, call);
  for (const LaunchSite &launch : slice(module.summary.launches, body.launches))
    if (launch.stub != kNone)
      visitLaunch(function, module, launch);
}

void ConstantsPropagator::visitCall(const FunctionLattice &caller,
                                    const CombinedModule &module,
                                    const CallEdge &call) {
  GlobalId id = program.definition(module.firstSymbol + call.callee);
  FunctionLattice *callee = id == kNone ? nullptr : lattice(id);
  if (!callee || !isKnown(id))
    return;
  bool changed = !callee->isReached;
  callee->isReached = true;
  ArrayRef<JumpFunction> actuals =
      slice(module.summary.jumpFunctions, call.arguments);
  for (uint32_t i = 0; i < callee->parameters.size(); ++i)
    changed |= meetArgument(*callee, caller, module, i,
                            i < actuals.size() ? actuals[i] : JumpFunction());
  if (!callee->geometry.empty()) {
    std::vector<ValueLattice> unknown(kDimensions, ValueLattice::varying(32));
    changed |= meetGeometry(*callee, caller.geometry.empty()
                                         ? ArrayRef(unknown)
                                         : ArrayRef(caller.geometry));
  }
  if (changed)
    enqueue(*callee);
}

void ConstantsPropagator::visitLaunch(const FunctionLattice &caller,
                                      const CombinedModule &module,
                                      const LaunchSite &launch) {
  GlobalId stub = program.definition(module.firstSymbol + launch.stub);
  if (stub == kNone)
    return;
  ArrayRef<JumpFunction> actuals =
      slice(module.summary.jumpFunctions, launch.arguments);
  SmallVector<ValueLattice, kDimensions> geometry;
  for (const JumpFunction &function :
       slice(module.summary.jumpFunctions, launch.geometry)
           .take_front(kDimensions))
    geometry.push_back(evaluate(caller, module, function));
  for (GlobalId id : program.deviceCounterparts(stub)) {
    FunctionLattice *kernel = lattice(id);
    if (!kernel || !isKnown(id))
      continue;
    bool changed = !kernel->isReached;
    kernel->isReached = true;
    if (launch.byStubFormals)
      changed |=
          meetPieces(*kernel, caller, module, launch, *program.function(stub));
    else
      for (uint32_t i = 0; i < kernel->parameters.size(); ++i)
        changed |=
            meetArgument(*kernel, caller, module, i,
                         i < actuals.size() ? actuals[i] : JumpFunction());
    changed |= meetGeometry(*kernel, geometry);
    if (changed)
      enqueue(*kernel);
  }
}

//===----------------------------------------------------------------------===//
// Jump functions
//===----------------------------------------------------------------------===//

ValueLattice
ConstantsPropagator::evaluateAddress(const CombinedModule &module,
                                     const JumpFunction &function) const {
  GlobalId named = module.firstSymbol + function.source;
  GlobalId id = program.definition(named);
  const SymbolRecord &symbol = program.symbol(id == kNone ? named : id);
  ValueLattice result = ValueLattice::varying();
  // The copies of a copyable constant have no common address, and each thread
  // has a thread-local variable of its own.
  if (id != kNone && !symbol.has(kCopyable) && !symbol.has(kThreadLocal) &&
      symbol.kind != SymbolKind::IFunc)
    result = ValueLattice::address(id, function.value);
  JumpFunction facts;
  facts.addressSpace = symbol.addressSpace;
  facts.nonNull = id != kNone && symbol.kind != SymbolKind::Alias;
  if (const VariableSummary *variable =
          id == kNone ? nullptr : program.variable(id))
    facts.alignLog2 = std::min<unsigned>(
        variable->alignLog2,
        function.value ? countr_zero(function.value) : variable->alignLog2);
  result.addFacts(facts);
  return result;
}

/// Returns the value of \p width bits at byte \p offset of an aggregate of
/// which \p parts are known.
static ValueLattice readParts(ArrayRef<PartLattice> parts, uint64_t offset,
                              unsigned width) {
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
  if (width == 2 * kPieceBits && low && high && low->isConstant() &&
      high->isConstant())
    return ValueLattice::constant(high->value() << kPieceBits | low->value(),
                                  width);
  return ValueLattice::varying(width);
}

/// Adds \p value at byte \p offset to \p parts. Calling conventions pass two
/// fields in one register, so long constants are kept in pieces.
static void addPart(SmallVectorImpl<PartLattice> &parts, uint32_t offset,
                    const ValueLattice &value) {
  if (!value.isConstant() || value.width() != 2 * kPieceBits) {
    parts.push_back({offset, value});
    return;
  }
  parts.push_back({offset, ValueLattice::constant(value.value(), kPieceBits)});
  parts.push_back(
      {offset + kPieceBits / 8,
       ValueLattice::constant(value.value() >> kPieceBits, kPieceBits)});
}

ValueLattice ConstantsPropagator::evaluate(const FunctionLattice &caller,
                                           const CombinedModule &module,
                                           const JumpFunction &function) const {
  using Kind = JumpFunction::Kind;
  ValueLattice result = ValueLattice::varying(function.bitWidth);
  bool isOfFormal = function.source < caller.parameters.size();
  switch (function.kind) {
  case Kind::Unknown:
  case Kind::Aggregate:
    break;
  case Kind::Constant:
    result = ValueLattice::constant(function.value, function.bitWidth);
    break;
  case Kind::Null:
    result = ValueLattice::constant(0, 0);
    break;
  case Kind::SymbolAddress:
    result = evaluateAddress(module, function);
    break;
  case Kind::PassThrough:
  case Kind::Ancestor:
    if (isOfFormal)
      result = ValueLattice::passThrough(
          function, caller.parameters[function.source].whole);
    break;
  case Kind::LoadAggregate: {
    if (!isOfFormal)
      break;
    const ParameterLattice &formal = caller.parameters[function.source];
    if (!formal.hasParts)
      return ValueLattice(); // the caller is not reached yet
    result = readParts(formal.parts, function.value, function.bitWidth);
    break;
  }
  }
  result.addFacts(function);
  return result;
}

/// Fills \p parts with what is known of a by-value aggregate. Returns false
/// when the caller does not know its own yet (top).
bool ConstantsPropagator::evaluateParts(const FunctionLattice &caller,
                                        const CombinedModule &module,
                                        const JumpFunction &function,
                                        Parts &parts) const {
  if (function.kind == JumpFunction::Kind::Aggregate) {
    for (const AggregatePart &part :
         slice(module.summary.aggregateParts,
               Range{function.source, function.count})) {
      ValueLattice value = evaluate(caller, module, part.value);
      value.forgetSymbol();
      if (value.isTop())
        return false;
      addPart(parts, part.byteOffset, value);
    }
    return true;
  }
  bool isWhole = function.kind == JumpFunction::Kind::PassThrough &&
                 function.operation == JumpOperation::None;
  if (!isWhole || function.source >= caller.parameters.size())
    return true;
  const ParameterLattice &formal = caller.parameters[function.source];
  parts.append(formal.parts.begin(), formal.parts.end());
  return formal.hasParts;
}

/// Lowers \p known to the parts that \p actual has too.
static bool meetParts(ParameterLattice &known, ArrayRef<PartLattice> actual) {
  if (!known.hasParts) {
    known.parts.assign(actual.begin(), actual.end());
    known.hasParts = true;
    return true;
  }
  bool changed = false;
  std::vector<PartLattice> kept;
  for (PartLattice &part : known.parts) {
    const auto *other = llvm::find_if(actual, [&](const PartLattice &a) {
      return a.byteOffset == part.byteOffset &&
             a.value.width() == part.value.width();
    });
    if (other == actual.end()) {
      changed = true;
      continue;
    }
    changed |= part.value.meet(other->value);
    kept.push_back(part);
  }
  known.parts = std::move(kept);
  return changed;
}

bool ConstantsPropagator::meetArgument(FunctionLattice &callee,
                                       const FunctionLattice &caller,
                                       const CombinedModule &module,
                                       uint32_t index,
                                       const JumpFunction &actual) {
  const FunctionSummary &summary = *program.function(callee.id);
  const ParameterRecord &formal =
      slice(program.moduleRef(callee.id).summary.parameters,
            summary.parameters)[index];
  ParameterLattice &known = callee.parameters[index];
  if (!(formal.flags & kParamByVal)) {
    ValueLattice value = evaluate(caller, module, actual);
    // A bool is a byte on the host's side of a launch.
    if (value.isConstant() && value.width() == 8 && formal.bitWidth == 1)
      value = ValueLattice::constant(value.value() & 1, 1);
    // The host's symbols mean nothing in device code.
    if (value.state() == ValueLattice::State::Symbol &&
        program.imageOf(caller.id) != program.imageOf(callee.id))
      value.forgetSymbol();
    // A value of another width is not this parameter's.
    if (!value.isTop() && value.width() != formal.bitWidth)
      value = ValueLattice::varying(formal.bitWidth);
    return known.whole.meet(value);
  }
  Parts parts;
  if (!evaluateParts(caller, module, actual, parts))
    return false;
  return meetParts(known, parts);
}

/// As meetArgument for all parameters of \p kernel, at a call of \p stub whose
/// arguments are the stub's own.
bool ConstantsPropagator::meetPieces(FunctionLattice &kernel,
                                     const FunctionLattice &caller,
                                     const CombinedModule &module,
                                     const LaunchSite &launch,
                                     const FunctionSummary &stub) {
  ArrayRef<JumpFunction> actuals =
      slice(module.summary.jumpFunctions, launch.arguments);
  ArrayRef<StubArgument> pieces = slice(
      program.moduleRef(program.definition(module.firstSymbol + launch.stub))
          .summary.stubArguments,
      stub.stubArguments);
  const FunctionSummary &summary = *program.function(kernel.id);
  ArrayRef<ParameterRecord> formals = slice(
      program.moduleRef(kernel.id).summary.parameters, summary.parameters);
  bool changed = false;
  for (uint32_t k = 0; k < kernel.parameters.size(); ++k) {
    SmallVector<const StubArgument *, 4> ofThis;
    for (const StubArgument &piece : pieces)
      if (piece.kernelArgument == k && piece.formal < actuals.size())
        ofThis.push_back(&piece);
    bool isByVal = formals[k].flags & kParamByVal;
    bool isWhole = ofThis.size() == 1 && ofThis[0]->byteOffset == 0 &&
                   ofThis[0]->isAggregate == isByVal;
    if (!isByVal || isWhole) {
      changed |=
          meetArgument(kernel, caller, module, k,
                       isWhole ? actuals[ofThis[0]->formal] : JumpFunction());
      continue;
    }
    Parts parts;
    bool isTop = false;
    for (const StubArgument *piece : ofThis) {
      ValueLattice value = evaluate(caller, module, actuals[piece->formal]);
      value.forgetSymbol();
      isTop |= value.isTop();
      if (!piece->isAggregate)
        addPart(parts, piece->byteOffset, value);
    }
    if (!isTop)
      changed |= meetParts(kernel.parameters[k], parts);
  }
  return changed;
}

bool ConstantsPropagator::meetGeometry(FunctionLattice &callee,
                                       ArrayRef<ValueLattice> actual) {
  bool changed = false;
  for (uint32_t i = 0; i < kDimensions; ++i)
    changed |= callee.geometry[i].meet(
        i < actual.size() ? actual[i] : ValueLattice::varying(32));
  return changed;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

static ValueFact makeFact(uint32_t parameter, const ValueLattice &value) {
  ValueFact fact;
  fact.parameter = parameter;
  fact.bitWidth = static_cast<uint16_t>(value.width());
  if (value.isConstant())
    fact.kind = ValueKind::Constant;
  else if (value.state() == ValueLattice::State::Symbol)
    fact.kind = ValueKind::Address;
  fact.value = value.value();
  fact.symbol = value.symbol();
  fact.low = value.low();
  fact.high = value.high();
  fact.knownZeros = value.knownZeros();
  fact.knownOnes = value.knownOnes();
  fact.alignLog2 = static_cast<uint8_t>(value.alignLog2());
  fact.addressSpace = static_cast<uint8_t>(value.addressSpace());
  fact.isNonNull = value.isNonNull();
  return fact;
}

/// Returns what the geometry \p values say beyond the limits of the hardware,
/// which device code knows anyway; empty when that is nothing.
static std::vector<GeometryFact> makeGeometry(ArrayRef<ValueLattice> values) {
  static constexpr uint32_t kLimits[kDimensions] = {INT32_MAX, 65535, 65535,
                                                    1024,      1024,  64};
  std::vector<GeometryFact> facts;
  bool isKnown = false;
  for (auto [value, limit] : zip(values, kLimits)) {
    GeometryFact fact;
    fact.high = limit;
    if (value.width() == 32) {
      fact.low = std::max<uint64_t>(value.low(), 1);
      fact.high = std::min<uint64_t>(value.high(), limit);
    }
    if (fact.low > fact.high)
      return {}; // no launch succeeds
    isKnown |= fact.low > 1 || fact.high < limit;
    facts.push_back(fact);
  }
  if (!isKnown)
    facts.clear();
  return facts;
}

void ConstantsPropagator::decide(const FunctionLattice &function) {
  if (!function.isReached || !isKnown(function.id))
    return;
  const FunctionSummary &summary = *program.function(function.id);
  ArrayRef<ParameterRecord> formals = slice(
      program.moduleRef(function.id).summary.parameters, summary.parameters);
  FunctionFacts facts;
  for (auto [i, known] : enumerate(function.parameters)) {
    if (formals[i].flags & kParamUnused)
      continue;
    if (known.whole.hasFacts())
      facts.values.push_back(makeFact(i, known.whole));
    for (const PartLattice &part : known.parts) {
      if (!part.value.hasFacts())
        continue;
      ValueFact fact = makeFact(i, part.value);
      fact.isPart = true;
      fact.byteOffset = part.byteOffset;
      facts.values.push_back(fact);
    }
  }
  if (!function.geometry.empty())
    facts.geometry = makeGeometry(function.geometry);
  facts.mayDeclareBlock = program.symbol(function.id).has(kKernel);
  if (!facts.empty())
    context.decisions.facts[function.id] = std::move(facts);
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

namespace {

constexpr StringLiteral kPass = "gpulto-ipa-cp";
constexpr StringLiteral kLaunchPass = "gpulto-launch";

/// Says of each function what was proven of it, and from which contexts.
class Explainer {
public:
  Explainer(WpaContext &context, const Callers &callers)
      : context(context), program(context.program), callers(callers) {}

  void run() {
    collectSites();
    for (GlobalId id : callers.bodies()) {
      if (program.symbol(id).has(kKernelStub))
        continue; // the kernel's remarks say it
      if (const FunctionFacts *facts = context.decisions.factsOf(id))
        explain(id, *facts);
      else if (program.symbol(id).has(kKernel) &&
               callers.unknown(id) != UnknownCaller::None)
        explainUnknown(id);
    }
  }

private:
  void collectSites();
  void explain(GlobalId id, const FunctionFacts &facts);
  void explainUnknown(GlobalId id);
  std::string contextsOf(GlobalId id, StringRef noun) const;
  std::string describe(GlobalId id, const ValueFact &fact) const;
  void add(RemarkKind kind, StringRef name, GlobalId id, std::string text);
  StringRef passOf(GlobalId id) const {
    return program.symbol(id).has(kKernel) ? kLaunchPass : kPass;
  }

  WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  /// Calls or launches of a function: caller's module and line.
  DenseMap<GlobalId, SmallVector<std::pair<ModuleIndex, uint32_t>, 2>> sites;
};

} // namespace

void Explainer::collectSites() {
  for (GlobalId id : callers.bodies()) {
    const CombinedModule &module = program.moduleRef(id);
    const FunctionSummary &body = *program.function(id);
    auto definitionOf = [&](SymbolIndex symbol) {
      return symbol == kNone ? kNone
                             : program.definition(module.firstSymbol + symbol);
    };
    for (const CallEdge &call : slice(module.summary.calls, body.calls))
      if (GlobalId callee = definitionOf(call.callee); callee != kNone)
        sites[callee].push_back({program.moduleOf(id), call.line});
    for (const LaunchSite &launch :
         slice(module.summary.launches, body.launches))
      if (GlobalId stub = definitionOf(launch.stub); stub != kNone)
        for (GlobalId kernel : program.deviceCounterparts(stub))
          sites[kernel].push_back({program.moduleOf(id), launch.line});
  }
}

/// Returns "the only launch passes it (a.cu:7)" or "all 3 launches ...".
std::string Explainer::contextsOf(GlobalId id, StringRef noun) const {
  constexpr size_t kShown = 4;
  auto found = sites.find(id);
  size_t count = found == sites.end() ? 0 : found->second.size();
  std::string text = count == 1
                         ? ("the only " + noun).str()
                         : "all " + std::to_string(count) + " " + noun.str() +
                               (noun == "launch" ? "es" : "s");
  if (count == 0)
    return text;
  std::vector<std::string> places;
  for (auto [module, line] : ArrayRef(found->second).take_front(kShown)) {
    StringRef file = program.modules()[module].summary.sourceName;
    places.push_back(
        (sys::path::filename(file) + (line ? ":" + Twine(line) : Twine()))
            .str());
  }
  if (count > kShown)
    places.push_back("...");
  return text + " (" + join(places, ", ") + ")";
}

std::string Explainer::describe(GlobalId id, const ValueFact &fact) const {
  const ParameterRecord &formal =
      slice(program.moduleRef(id).summary.parameters,
            program.function(id)->parameters)[fact.parameter];
  std::string what = "parameter " + std::to_string(fact.parameter);
  if (fact.isPart)
    what += " at byte " + std::to_string(fact.byteOffset);
  switch (fact.kind) {
  case ValueKind::Constant:
    if (fact.bitWidth == 0)
      return what + " is null";
    if ((formal.flags & kParamIsFloat) && fact.bitWidth == 32)
      return what + " is " +
             formatv("{0}", bit_cast<float>(uint32_t(fact.value))).str();
    if ((formal.flags & kParamIsFloat) && fact.bitWidth == 64)
      return what + " is " + formatv("{0}", bit_cast<double>(fact.value)).str();
    return what + " is " + std::to_string(fact.value) + " (" +
           std::to_string(fact.bitWidth) + " bits)";
  case ValueKind::Address: {
    std::string text = what + " is the address of '" +
                       program.symbol(fact.symbol).name.str() + "'";
    if (fact.value)
      text += " + " + std::to_string(fact.value);
    return text;
  }
  case ValueKind::Bounds:
    break;
  }
  std::vector<std::string> known;
  if (fact.bitWidth) {
    known.push_back("is in [" + std::to_string(fact.low) + ", " +
                    std::to_string(fact.high) + "]");
    if (unsigned zeros = countr_one(fact.knownZeros))
      known.push_back("is a multiple of " +
                      std::to_string(uint64_t(1) << std::min(zeros, 63u)));
  }
  if (fact.addressSpace)
    known.push_back("points into address space " +
                    std::to_string(fact.addressSpace));
  if (fact.alignLog2)
    known.push_back("is aligned to " +
                    std::to_string(uint64_t(1) << fact.alignLog2));
  if (fact.isNonNull)
    known.push_back("is not null");
  return what + " " + join(known, " and ");
}

void Explainer::add(RemarkKind kind, StringRef name, GlobalId id,
                    std::string text) {
  const CombinedModule &module = program.moduleRef(id);
  Remark remark;
  remark.kind = kind;
  remark.pass = passOf(id).str();
  remark.name = name.str();
  remark.function = program.symbol(id).name.str();
  remark.where.file = module.summary.sourceName.str();
  remark.where.line = program.function(id)->line;
  remark.input = module.location;
  remark.text = std::move(text);
  context.diagnostics.remark(std::move(remark));
}

void Explainer::explain(GlobalId id, const FunctionFacts &facts) {
  if (!context.diagnostics.wantsRemark(RemarkKind::Passed, passOf(id)))
    return;
  bool isKernel = program.symbol(id).has(kKernel);
  std::string contexts = contextsOf(id, isKernel ? "launch" : "call");
  StringRef owner = program.symbol(id).name;
  for (const ValueFact &fact : facts.values)
    add(RemarkKind::Passed,
        fact.kind == ValueKind::Bounds ? "ParameterBounds"
                                       : "ParameterConstant",
        id, describe(id, fact) + " in '" + owner.str() + "': " + contexts);
  static constexpr const char *kNames[] = {"grid x",  "grid y",  "grid z",
                                           "block x", "block y", "block z"};
  std::vector<std::string> known;
  for (auto [name, fact] : zip(kNames, facts.geometry))
    if (fact.isConstant())
      known.push_back(name + (" " + std::to_string(fact.low)));
  if (!known.empty())
    add(RemarkKind::Passed, "LaunchGeometry", id,
        "geometry of '" + owner.str() + "' is " + join(known, ", ") + ": " +
            contexts);
}

void Explainer::explainUnknown(GlobalId id) {
  if (!context.diagnostics.wantsRemark(RemarkKind::Missed, kLaunchPass))
    return;
  std::string text =
      "launches of '" + program.symbol(id).name.str() +
      "' are unknown: " + gpulto::describe(callers.unknown(id)).str();
  if (GlobalId by = callers.takenBy(id); by != kNone)
    text += " in '" + program.symbol(by).name.str() + "'";
  add(RemarkKind::Missed, "UnknownLaunches", id, std::move(text));
}

void ConstantsPropagator::explain() { Explainer(context, callers).run(); }

void propagateConstants(WpaContext &context) {
  ConstantsPropagator(context).run();
}

} // namespace gpulto
