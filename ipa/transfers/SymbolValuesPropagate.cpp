//===- SymbolValuesPropagate.cpp - Variables that copies set once (WPA) ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: a variable of the device that is set before anything reads it, always
// to the same bytes, has them from the start.
//
//   __constant__ float filter[3];
//   const float weights[] = {1, 2, 1};
//   cudaMemcpyToSymbol(filter, weights, sizeof weights); k<<<...>>>(...);
//   -> __constant__ const float filter[3] = {1, 2, 1}; k<<<...>>>(...);
//
//  1. checkReferences  nobody but copies by the symbol can write the variable:
//                      no device code of any architecture writes it or has its
//                      address, no host code has the symbol for anything else.
//  2. addCopies        which bytes copies put where. Bytes of which a copy does
//                      not tell, or on which copies do not agree, are unknown.
//  3. solve            forward, on all paths: to which parts a copy has
//                      succeeded. Roots of the graph know of none, so that
//                      constructors, threads and callbacks have to copy
//                      themselves.
//  4. checkReaders     all parts are set before a kernel that reads the
//                      variable, a copy from it and code that is not followed.
//
// Where some bytes are unknown, the copies stay, and kernels know the others:
//
//   Params p;  p.width = 640; p.data = ...;
//   cudaMemcpyToSymbol(params, &p, sizeof p);
//   -> kernels compute with 640 instead of loading params.width
//
// What the variable holds before its first copy is read by nobody, so nothing
// but a copy that fails can tell the difference. cudaDeviceReset ends all
// facts: behind it a variable is what it was from the start.
//
// Linear in references, and in nodes times parts.
//
// Source: symbol copies are stores of a program in which host and device are
// one; that a global variable with one value is a constant is GlobalOpt's and
// GCC's ipa-reference.
//
//===----------------------------------------------------------------------===//

#include "ipa/transfers/SymbolValues.h"
#include "summary/CombinedModule.h"
#include "summary/ModuleSummary.h"
#include "summary/Remarks.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

SymbolValues::SymbolValues(const WpaContext &context, const Callers &callers,
                           const KnownValues &values,
                           const TransferGraph &graph)
    : context(context), program(context.program), callers(callers),
      solver(values.solver), graph(graph) {
  findVariables();
  if (variables.empty())
    return;
  checkRegistrations();
  checkReferences();
  for (auto &[shadow, variable] : variables)
    checkVariable(variable);
  addCopies();
  solve();
  findUnseenReaders();
  for (uint32_t node = 0; node < graph.nodes.size(); ++node)
    checkReaders(node);
}

/// Whether \p node copies to or from a symbol.
static bool isSymbolCopy(const TransferNode &node) {
  return node.copy && node.copy->offset != RuntimeFunction::kNone;
}

static const TransferPlace &symbolOf(const TransferNode &node) {
  return node.copy->has(RuntimeFunction::ToSymbol) ? node.target : node.source;
}

//===----------------------------------------------------------------------===//
// Who can write
//===----------------------------------------------------------------------===//

/// Finds variables that are copied to.
void SymbolValues::findVariables() {
  bool isUnknown = false;
  for (auto [number, node] : enumerate(graph.nodes)) {
    if (node.frame != kNone)
      entered.insert(graph.functionOf(node.frame));
    if (!isSymbolCopy(node))
      continue;
    seenCalls.insert(
        {graph.functionOf(node.frame), graph.eventOf(number)->call});
    uint32_t object = symbolOf(node).object;
    isUnknown |= object == kNone;
    if (object == kNone || !node.copy->has(RuntimeFunction::ToSymbol) ||
        graph.objects[object].kind != MemoryObject::Kind::Variable)
      continue;
    Variable &variable = variables[graph.objects[object].id];
    variable.object = object;
  }
  for (auto &[shadow, variable] : variables) {
    for (GlobalId device : program.deviceCounterparts(shadow))
      if (context.decisions.live.test(device)) {
        variable.devices.push_back(device);
        shadowOf[device] = shadow;
      }
    if (isUnknown)
      fail(shadow, "of some copy it is not known which variable it names");
  }
}

void SymbolValues::fail(GlobalId id, std::string why) {
  auto device = shadowOf.find(id);
  auto found = variables.find(device == shadowOf.end() ? id : device->second);
  if (found != variables.end() && found->second.reason.empty())
    found->second.reason = std::move(why);
}

/// Whether what a symbol names is one variable.
void SymbolValues::checkRegistrations() {
  for (ModuleIndex m : program.images()[kHostImage].modules)
    for (const OffloadEntry &entry :
         program.modules()[m].summary.offloadEntries) {
      GlobalId shadow =
          entry.hostSymbol == kNone
              ? GlobalId(kNone)
              : program.definition(program.id(m, entry.hostSymbol));
      if (shadow == kNone)
        continue;
      if (entry.kind != OffloadEntry::Kind::Variable)
        fail(shadow, "it is no plain variable");
      for (GlobalId device : program.deviceCounterparts(shadow))
        if (auto other = shadowOf.find(device);
            other != shadowOf.end() && other->second != shadow)
          fail(device, "two symbols name it");
    }
}

/// Checks the variable itself.
void SymbolValues::checkVariable(Variable &variable) {
  constexpr uint32_t kNever = kThreadLocal | kAssemblyReferenced | kManaged;
  auto refuse = [&](StringRef why) {
    if (variable.reason.empty())
      variable.reason = why.str();
  };
  if (variable.devices.empty())
    return refuse("no device code has it");
  std::optional<uint64_t> size;
  for (GlobalId device : variable.devices) {
    const VariableSummary *known = program.variable(device);
    if (!known || (program.symbol(device).flags & kNever) ||
        program.isNativelyUsed(device))
      return refuse("code that is not seen may use it");
    if (known->references.count || known->hasBlockAddress ||
        (size && *size != known->sizeBytes))
      return refuse("it is not the same for all architectures");
    size = known->sizeBytes;
  }
  constexpr uint64_t kMaxBytes = 64 * 1024;
  if (*size > kMaxBytes)
    return refuse("it is too large");
  variable.bytes.resize(*size);
  variable.unknown.resize(static_cast<unsigned>(*size));
}

/// Checks how \p user, a body or a variable, uses variables.
void SymbolValues::checkReferences(GlobalId user, Range references) {
  bool isHost = program.imageOf(user) == kHostImage;
  ReferenceFlags allowed = isHost ? kNamesVariable : kReads | kReadsValue;
  for (const ReferenceEdge &edge : program.references(user, references)) {
    GlobalId used = program.definitionFor(user, edge.symbol);
    bool isAllowed = edge.flags && !(edge.flags & ~allowed);
    if (used != kNone && !isAllowed)
      fail(used, quotedName(program, user) +
                     (isHost ? " uses its symbol for more than copies"
                             : " may write it or pass its address on"));
    if (isHost && used != kNone && variables.count(used) &&
        (edge.flags & kNamesVariable) && program.function(user) &&
        graph.hasOtherEntries(user))
      fail(used, quotedName(program, user) +
                     ", which copies to it, is called in ways that are not "
                     "followed");
  }
}

/// All copies by symbols of \p function, if it runs, must be nodes.
void SymbolValues::checkCalls(GlobalId function) {
  if (!entered.contains(function))
    return;
  const CombinedModule &module = program.moduleRef(function);
  for (auto [number, call] : enumerate(program.calls(function))) {
    if (call.callee == kNone ||
        program.definitionFor(function, call.callee) != kNone)
      continue;
    const RuntimeFunction *copy =
        findRuntimeFunction(module.summary.symbols[call.callee].name);
    if (!copy || copy->offset == RuntimeFunction::kNone ||
        seenCalls.contains({function, static_cast<uint32_t>(number)}))
      continue;
    for (auto &[shadow, variable] : variables)
      fail(shadow, quotedName(program, function) +
                       ", which copies to symbols, is not followed");
  }
}

void SymbolValues::checkReferences() {
  for (GlobalId id : callers.bodies()) {
    checkReferences(id, program.function(id)->references);
    if (program.imageOf(id) == kHostImage)
      checkCalls(id);
  }
  for (GlobalId id = 0; id < program.symbolCount(); ++id) {
    if (program.definition(id) != id || !context.decisions.live.test(id) ||
        program.has(id, kRegistration))
      continue;
    if (const VariableSummary *variable = program.variable(id))
      checkReferences(id, variable->references);
    if (const AliasSummary *alias = program.alias(id))
      if (GlobalId target = program.definitionFor(id, alias->target);
          target != kNone)
        fail(target, "it has another name");
  }
}

//===----------------------------------------------------------------------===//
// What is copied
//===----------------------------------------------------------------------===//

/// Returns which bytes of the variable \p shadow the copy \p node sets.
std::optional<SymbolValues::Fact> SymbolValues::partOf(uint32_t number,
                                                       GlobalId shadow) const {
  using Kind = TransferTerm::Kind;
  const TransferNode &node = graph.nodes[number];
  if (node.target.term == kNone || node.bytes == kNone)
    return std::nullopt;
  const TransferTerm &target = graph.terms[node.target.term];
  const TransferTerm &bytes = graph.terms[node.bytes];
  if (target.kind != Kind::Operation ||
      target.operation != JumpOperation::Add || target.second == kNone ||
      bytes.kind != Kind::Constant)
    return std::nullopt;
  const TransferTerm &symbol = graph.terms[target.first];
  const TransferTerm &offset = graph.terms[target.second];
  if (symbol.kind != Kind::Variable || symbol.number != shadow ||
      offset.kind != Kind::Constant)
    return std::nullopt;
  return Fact{shadow, offset.number, bytes.number};
}

/// Calls \p add with what is known of \p part, of the module of \p body: where
/// in the aggregate, and what.
static void forEachPiece(const ConstantsSolver &solver, const BodyLattice &body,
                         const AggregatePart &part,
                         function_ref<void(uint64_t, ValueLattice)> add) {
  const JumpFunction &whole = part.value;
  if (whole.kind != JumpFunction::Kind::LoadAggregate || !whole.count ||
      whole.bitWidth)
    return add(part.byteOffset, solver.valueOf(body, whole));
  // Bytes behind a parameter: the caller has them in pieces of some width.
  for (uint64_t at = 0; at < whole.count;) {
    uint64_t bytes = 8;
    ValueLattice value;
    for (; bytes; bytes /= 2) {
      JumpFunction piece = whole;
      piece.bitWidth = static_cast<uint16_t>(bytes * 8);
      piece.value += at;
      piece.count = static_cast<uint32_t>(bytes);
      if (at + bytes <= whole.count)
        value = solver.valueOf(body, piece);
      if (value.isConstant())
        break;
    }
    if (bytes)
      add(part.byteOffset + at, value);
    at += std::max<uint64_t>(bytes, 1);
  }
}

/// Returns the first \p size bytes that the copy \p node copies, as far as they
/// are known.
std::vector<std::optional<uint8_t>>
SymbolValues::contentsOf(uint32_t node, uint64_t size) const {
  std::vector<std::optional<uint8_t>> contents(size);
  uint32_t frame = graph.nodes[node].frame, call = graph.eventOf(node)->call;
  GlobalId function = graph.functionOf(frame);
  const ModuleSummary &module = program.moduleRef(function).summary;
  const BodyLattice &body = solver.bodies()[graph.frames[frame].body];
  auto add = [&](uint64_t at, const ValueLattice &value) {
    if (!value.isConstant() || value.width() % 8)
      return;
    for (unsigned byte = 0; byte < value.width() / 8; ++byte)
      if (at + byte < size)
        contents[at + byte] = static_cast<uint8_t>(value.value() >> (8 * byte));
  };
  for (const SymbolSource &source :
       slice(module.symbolSources, program.function(function)->symbolSources))
    if (source.call == call)
      for (const AggregatePart &part :
           slice(module.aggregateParts,
                 Range{source.contents.source, source.contents.count}))
        forEachPiece(solver, body, part, add);
  return contents;
}

/// Whether the copy \p node says that it is from the host, or lets the pointer
/// say it.
bool SymbolValues::isFromHost(uint32_t node) const {
  std::optional<uint64_t> kind =
      graph.argumentOf(node, graph.nodes[node].copy->direction);
  return kind && (*kind == kHostToDevice || *kind == kByPointers);
}

/// Returns where the copy \p node is, to be added to a clause.
std::string SymbolValues::placeOf(uint32_t node) const {
  return " (" +
         placeText(program, graph.functionOf(graph.nodes[node].frame),
                   graph.callOf(node)->place) +
         ")";
}

/// Adds what the copy \p node puts into \p variable; returns why that is not
/// known, or an empty text.
std::string SymbolValues::addCopy(uint32_t node, GlobalId shadow,
                                  Variable &variable) {
  std::optional<Fact> part = partOf(node, shadow);
  size_t size = variable.bytes.size();
  if (!part)
    return "a copy sets a part that is not known";
  if (part->size > size || part->offset > size - part->size)
    return "a copy sets more than there is";
  if (!isFromHost(node))
    return "a copy may not be from the host";
  for (auto [index, byte] : enumerate(contentsOf(node, part->size))) {
    std::optional<uint8_t> &known = variable.bytes[part->offset + index];
    bool isOther = byte && known && *known != *byte;
    if (!byte || isOther) {
      variable.unknown.set(static_cast<unsigned>(part->offset + index));
      if (variable.doubt.empty())
        variable.doubt = (isOther ? "copies set it to several values"
                                  : "a copy sets bytes that are not known") +
                         placeOf(node);
    }
    if (!known)
      known = byte;
  }
  made[node] = static_cast<uint32_t>(find(facts, *part) - facts.begin());
  if (made[node] == facts.size()) {
    variable.facts.push_back(made[node]);
    facts.push_back(*part);
  }
  return "";
}

void SymbolValues::addCopies() {
  made.assign(graph.nodes.size(), kNone);
  for (auto [number, node] : enumerate(graph.nodes)) {
    if (!isSymbolCopy(node) || !node.copy->has(RuntimeFunction::ToSymbol) ||
        node.target.object == kNone)
      continue;
    GlobalId shadow = graph.objects[node.target.object].id;
    auto found = variables.find(shadow);
    if (found == variables.end() || !found->second.reason.empty())
      continue;
    std::string why =
        addCopy(static_cast<uint32_t>(number), shadow, found->second);
    if (!why.empty())
      fail(shadow, why + placeOf(static_cast<uint32_t>(number)));
  }
  for (auto &[shadow, variable] : variables) {
    for (unsigned index : variable.unknown.set_bits())
      variable.bytes[index] = std::nullopt;
    if (variable.reason.empty() && variable.knownCount() == 0)
      variable.reason = variable.doubt;
  }
}

//===----------------------------------------------------------------------===//
// Who reads before
//===----------------------------------------------------------------------===//

/// Returns the fact that \p number makes true, or kNone: its copy succeeds.
uint32_t SymbolValues::factOf(uint32_t number) const {
  const TransferNode &node = graph.nodes[number];
  if (node.succeeded != kNone)
    return made[node.succeeded];
  bool isIgnored = made[number] != kNone &&
                   (graph.callOf(number)->flags & kIgnoresResultSite);
  return isIgnored ? made[number] : uint32_t(kNone);
}

/// Finds the facts before each node.
void SymbolValues::solve() {
  before.assign(graph.nodes.size(), std::nullopt);
  std::vector<uint32_t> worklist;
  for (const TransferFrame &frame : graph.frames)
    if (frame.caller == kNone) {
      before[frame.entry] = BitVector(static_cast<unsigned>(facts.size()));
      worklist.push_back(frame.entry);
    }
  while (!worklist.empty()) {
    uint32_t number = worklist.back();
    worklist.pop_back();
    BitVector behind = *before[number];
    if (graph.nodes[number].forgets)
      behind.reset();
    if (uint32_t fact = factOf(number); fact != kNone)
      behind.set(fact);
    for (uint32_t successor : graph.nodes[number].successors) {
      std::optional<BitVector> &known = before[successor];
      if (known && !known->test(behind))
        continue; // it knows no more than that
      if (known)
        *known &= behind;
      else
        known = behind;
      worklist.push_back(successor);
    }
  }
}

/// Whether the function \p name, which has no body here, may launch kernels.
static bool mayLaunch(StringRef name) {
  if (!isRuntimeName(name) && !isDriverName(name))
    return false; // what it calls back is a root
  const RuntimeFunction *function = findRuntimeFunction(name);
  return !function || function->mayLaunch();
}

/// Notes that functions which are not followed launch \p stub; kNone: any.
void SymbolValues::noteUnseenLaunch(GlobalId stub) {
  bool readsAny = stub == kNone;
  if (stub != kNone)
    for (GlobalId kernel : program.kernelsOf(stub)) {
      const FunctionEffects *effects = context.decisions.effectsOf(kernel);
      readsAny |= !effects || graph.hasAny(kernel, kHasIndirectCall);
      if (!readsAny)
        for (const VariableUse &use : effects->variables)
          if (auto known = shadowOf.find(use.variable); known != shadowOf.end())
            variables[known->second].isReadByOthers = true;
    }
  if (readsAny)
    for (auto &[shadow, variable] : variables)
      variable.isReadByOthers = true;
}

/// Finds variables that kernels read which functions launch that no node tells
/// of. Stubs among these are launched by others.
void SymbolValues::findUnseenReaders() {
  for (GlobalId id : callers.bodies()) {
    if (program.imageOf(id) != kHostImage || !graph.launchesUnseen(id) ||
        program.has(id, kKernelStub))
      continue;
    for (const CallEdge &call : program.calls(id)) {
      if (call.callee == kNone)
        continue; // what is called by its address is a root
      GlobalId callee = program.definitionFor(id, call.callee);
      if (callee == kNone
              ? mayLaunch(
                    program.moduleRef(id).summary.symbols[call.callee].name)
              : program.has(callee, kKernelStub))
        noteUnseenLaunch(callee);
    }
  }
}

/// Whether all that copies set of \p variable is set before \p node.
bool SymbolValues::isSet(const Variable &variable, uint32_t node) const {
  BitVector missing(variable.bytes.size());
  for (auto [index, byte] : enumerate(variable.bytes))
    if (byte)
      missing.set(static_cast<unsigned>(index));
  for (uint32_t fact : variable.facts)
    if (before[node]->test(fact) && facts[fact].size)
      missing.reset(
          static_cast<unsigned>(facts[fact].offset),
          static_cast<unsigned>(facts[fact].offset + facts[fact].size));
  return missing.none();
}

/// Checks variables that \p number may read.
void SymbolValues::checkReaders(uint32_t number) {
  const TransferNode &node = graph.nodes[number];
  if (!before[number])
    return; // it is not reached
  for (auto &[shadow, variable] : variables) {
    bool isRead = node.launchesAny ||
                  (node.entersOthers && variable.isReadByOthers) ||
                  any_of(node.reads, [&](uint32_t object) {
                    return graph.mayOverlap(object, variable.object);
                  });
    if (isRead && variable.isKnown() && !isSet(variable, number))
      variable.reader = number;
  }
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

const SymbolValues::Variable *SymbolValues::variableOf(uint32_t number) const {
  const TransferNode &node = graph.nodes[number];
  if (!isSymbolCopy(node) || !node.copy->has(RuntimeFunction::ToSymbol) ||
      node.target.object == kNone)
    return nullptr;
  auto found = variables.find(graph.objects[node.target.object].id);
  return found == variables.end() ? nullptr : &found->second;
}

bool SymbolValues::isInitial(uint32_t node) const {
  const Variable *variable = variableOf(node);
  return variable && variable->isKnown() && variable->unknown.none();
}

std::string SymbolValues::whyNot(uint32_t node) const {
  const Variable *variable = variableOf(node);
  if (!variable || !variable->reason.empty() || variable->unknown.none())
    return variable ? variable->reason : "";
  return (variable->doubt + "; kernels know " + Twine(variable->knownCount()) +
          " of its " + Twine(variable->bytes.size()) + " bytes")
      .str();
}

uint32_t SymbolValues::readerBefore(uint32_t node) const {
  const Variable *variable = variableOf(node);
  return variable ? variable->reader : uint32_t(kNone);
}

void SymbolValues::decide(Decisions &decisions) const {
  for (const auto &[shadow, variable] : variables) {
    if (!variable.isKnown())
      continue;
    std::vector<KnownBytes> parts;
    for (auto [index, byte] : enumerate(variable.bytes)) {
      if (!byte)
        continue;
      if (parts.empty() ||
          parts.back().offset + parts.back().bytes.size() != index)
        parts.push_back({index, {}});
      parts.back().bytes.push_back(static_cast<char>(*byte));
    }
    for (GlobalId device : variable.devices) {
      if (variable.unknown.none())
        decisions.neverWritten.set(device);
      decisions.knownBytes[device] = parts;
    }
  }
}

} // namespace gpulto
