//===- SummaryChecks.cpp - What holds between tables of a summary ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "summary/SummaryChecks.h"

#include "llvm/ADT/STLExtras.h"

namespace gpulto {

namespace {

/// What jump functions name, through all they are built of. Linear in the
/// tables: what is in them is looked at once.
class NamesCheck {
public:
  explicit NamesCheck(const ModuleSummary &s)
      : s(s), entries(s.jumpFunctions.size()), parts(s.aggregateParts.size()) {}

  /// Whether every formal parameter that \p j names is below \p formals, and
  /// every call below \p calls; and nothing is built of itself or of more than
  /// whole-program analysis should evaluate.
  bool namesBelow(const JumpFunction &j, uint32_t formals, uint32_t calls) {
    Names names = of(j, 0);
    return isGood(names) && names.formals <= formals && names.calls <= calls;
  }
  bool namesBelow(Range range, const FunctionSummary &f) {
    return llvm::all_of(slice(s.jumpFunctions, range), [&](const auto &j) {
      return namesBelow(j, f.parameters.count, f.calls.count);
    });
  }

private:
  static constexpr uint32_t kMaxDepth = 48, kMaxNodes = 1 << 16;
  struct Names {
    /// One more than the highest number of a formal and of a call.
    uint64_t formals = 0, calls = 0;
    uint32_t depth = 0;
    /// Itself and all it is built of, as often as it is.
    uint64_t nodes = 1;
  };
  struct Known {
    Names names;
    bool isDone = false, isOpen = false;
  };
  static constexpr Names kBad = {0, 0, kMaxDepth + 1, 1};
  static bool isGood(const Names &names) {
    return names.depth <= kMaxDepth && names.nodes <= kMaxNodes;
  }

  Names of(const JumpFunction &j, unsigned depth);
  void add(Names &names, Known &known, const JumpFunction &inner,
           unsigned depth);

  const ModuleSummary &s;
  std::vector<Known> entries, parts;
};

/// Adds what \p inner, which stands where \p known is about, names.
void NamesCheck::add(Names &names, Known &known, const JumpFunction &inner,
                     unsigned depth) {
  if (!known.isDone) {
    if (known.isOpen || depth > kMaxDepth) {
      names = kBad;
      return;
    }
    known.isOpen = true;
    known.names = of(inner, depth + 1);
    known.isDone = true;
  }
  const Names &of = known.names;
  names.formals = std::max(names.formals, of.formals);
  names.calls = std::max(names.calls, of.calls);
  names.depth = std::max(names.depth, of.depth + 1);
  names.nodes = std::min<uint64_t>(names.nodes + of.nodes, kMaxNodes + 1);
}

NamesCheck::Names NamesCheck::of(const JumpFunction &j, unsigned depth) {
  using Kind = JumpFunction::Kind;
  Names names;
  switch (j.kind) {
  case Kind::Composed:
    if (j.source >= s.jumpFunctions.size() || j.count > s.jumpFunctions.size())
      return kBad;
    add(names, entries[j.source], s.jumpFunctions[j.source], depth);
    if (j.count)
      add(names, entries[j.count - 1], s.jumpFunctions[j.count - 1], depth);
    break;
  case Kind::PassThrough:
  case Kind::Ancestor:
  case Kind::LoadAggregate:
    names.formals = uint64_t(j.source) + 1;
    if (j.isPointerPassedOn())
      for (uint32_t i = j.parameter; i < j.parameter + j.count; ++i)
        add(names, parts[i], s.aggregateParts[i].value, depth);
    break;
  case Kind::Allocation:
  case Kind::CallResult:
  case Kind::CallMemory:
    names.calls = uint64_t(j.source) + 1;
    break;
  case Kind::Aggregate:
  case Kind::Memory: {
    bool isNamed = j.kind == Kind::Memory ? j.parameter != 0 : depth == 0;
    if (!isNamed)
      return kBad;
    for (uint32_t i = j.source; i < j.source + j.count; ++i)
      add(names, parts[i], s.aggregateParts[i].value, depth);
    break;
  }
  default:
    break;
  }
  return names;
}

/// Whether the \p bitWidth bits (0: a pointer) of \p source are one of
/// \p formals, or a part of one.
bool isOfParameter(const PointerSource &source, unsigned bitWidth,
                   llvm::ArrayRef<ParameterRecord> formals) {
  constexpr unsigned kPointerBits = 64, kByteBits = 8;
  if (source.parameter >= formals.size())
    return false;
  const ParameterRecord &formal = formals[source.parameter];
  bool isByVal = formal.flags & kParamByVal;
  if (!source.isPart)
    return !isByVal && bitWidth == formal.bitWidth;
  unsigned bits = bitWidth ? bitWidth : kPointerBits;
  return isByVal &&
         source.byteOffset + uint64_t(bits / kByteBits) <= formal.byValBytes;
}

bool isOfParameter(const GuardFact &fact,
                   llvm::ArrayRef<ParameterRecord> formals) {
  if (fact.kind == GuardKind::SmallGrid)
    return true;
  PointerSource source{fact.parameter, fact.isPart, fact.byteOffset};
  return isOfParameter(source, fact.bitWidth, formals) &&
         (fact.kind != GuardKind::Apart ||
          (fact.bitWidth == 0 && source < fact.other &&
           isOfParameter(fact.other, 0, formals)));
}

/// Whether all that \p sums add up exists: \p formals and the geometry.
bool areOfLaunch(const std::vector<LaunchSum> &sums,
                 llvm::ArrayRef<ParameterRecord> formals) {
  auto isOfLaunch = [&](const LaunchValue &value) {
    if (value.isGeometry)
      return value.parameter <= kBlockZ && value.bitWidth == 32;
    return (value.bitWidth == 32 || value.bitWidth == 64) &&
           isOfParameter({value.parameter, value.isPart, value.byteOffset},
                         value.bitWidth, formals);
  };
  return llvm::all_of(sums, [&](const LaunchSum &sum) {
    return llvm::all_of(sum.terms, [&](const LaunchTerm &term) {
      return llvm::all_of(term.factors, isOfLaunch);
    });
  });
}

} // namespace

/// Whether \p parts are in order, do not overlap, and are behind \p formals
/// that are pointers.
static bool areLoaded(llvm::ArrayRef<LoadedPart> parts,
                      llvm::ArrayRef<ParameterRecord> formals) {
  const LoadedPart *last = nullptr;
  for (const LoadedPart &part : parts) {
    if (part.parameter >= formals.size() ||
        !(formals[part.parameter].flags & kParamIsPointer))
      return false;
    if (last && std::pair(last->parameter,
                          uint64_t(last->byteOffset) + last->sizeBytes()) >
                    std::pair(part.parameter, uint64_t(part.byteOffset)))
      return false;
    last = &part;
  }
  return true;
}

/// Whether \p members are in order and in \p formals that are aggregates.
static bool areMembers(llvm::ArrayRef<PointerMember> members,
                       llvm::ArrayRef<ParameterRecord> formals) {
  const PointerMember *last = nullptr;
  for (const PointerMember &member : members) {
    PointerSource source{member.parameter, true, member.byteOffset};
    if (!isOfParameter(source, 0, formals))
      return false;
    if (last && std::pair(last->parameter, last->byteOffset) >=
                    std::pair(member.parameter, member.byteOffset))
      return false;
    last = &member;
  }
  return true;
}

const char *findInconsistency(const ModuleSummary &s) {
  NamesCheck names(s);
  // Memory is a place of another numbering there.
  auto isOfHandle = [&](const JumpFunction &j, const FunctionSummary &f) {
    return j.kind == JumpFunction::Kind::Memory ||
           names.namesBelow(j, f.parameters.count, f.calls.count);
  };
  auto isDefined = [&](SymbolIndex symbol, SymbolKind kind) {
    return s.symbols[symbol].kind == kind && !s.symbols[symbol].isDeclaration();
  };
  for (const FunctionSummary &f : s.functions) {
    if (!isDefined(f.symbol, SymbolKind::Function))
      return "body of a symbol that is no defined function";
    for (const CallEdge &call : slice(s.calls, f.calls))
      if (!names.namesBelow(call.arguments, f))
        return "argument of a call refers to a parameter or call that does not "
               "exist";
    for (const LaunchSite &launch : slice(s.launches, f.launches))
      if (launch.call != kNone && launch.call >= f.calls.count)
        return "launch by a call that does not exist";
    for (const LaunchSite &launch : slice(s.launches, f.launches))
      if (!names.namesBelow(launch.geometry, f) ||
          !llvm::all_of(slice(s.jumpFunctions, launch.handles),
                        [&](const auto &j) { return isOfHandle(j, f); }) ||
          !names.namesBelow(launch.arguments, f))
        return "launch refers to a parameter or call that does not exist";
    for (const HandleFlow &flow : slice(s.handleFlows, f.handleFlows))
      if ((flow.call != kNone && flow.call >= f.calls.count) ||
          !isOfHandle(flow.handle, f))
        return "handle goes to a call or from a parameter that does not exist";
    for (const StubArgument &a : slice(s.stubArguments, f.stubArguments))
      if (a.formal >= f.parameters.count)
        return "stub argument refers to a parameter that does not exist";
    for (const GuardChance &chance : slice(s.guards, f.guards))
      for (const GuardFact &fact : slice(s.guardFacts, chance.facts))
        if (!isOfParameter(fact, slice(s.parameters, f.parameters)))
          return "guard of a parameter that does not exist";
    for (const PointerExtent &e : slice(s.guardExtents, f.guardExtents))
      if (llvm::ArrayRef formals = slice(s.parameters, f.parameters);
          !isOfParameter(e.pointer, 0, formals) ||
          !areOfLaunch(e.lows, formals) || !areOfLaunch(e.highs, formals) ||
          !areOfLaunch(e.premises, formals))
        return "extent of a parameter that does not exist";
    if (!names.namesBelow(f.returned, f.parameters.count, f.calls.count))
      return "return value refers to a parameter or call that does not exist";
    if (f.outputs.count > f.parameters.count || !names.namesBelow(f.outputs, f))
      return "output refers to a parameter or call that does not exist";
    for (const VariableStore &store : slice(s.variableStores, f.variableStores))
      if (!names.namesBelow(store.value, f.parameters.count, f.calls.count))
        return "store refers to a parameter or call that does not exist";
    if (!areLoaded(slice(s.loadedParts, f.loadedParts),
                   slice(s.parameters, f.parameters)))
      return "loaded parts of no pointer parameter, or not in order";
    if (!areMembers(slice(s.members, f.members),
                    slice(s.parameters, f.parameters)))
      return "pointers in no by-value parameter, or not in order";
  }
  for (const VariableSummary &v : s.variables)
    if (!isDefined(v.symbol, SymbolKind::Variable))
      return "contents of a symbol that is no defined variable";
    else if (!names.namesBelow(v.initializer, 0, 0))
      return "initializer refers to a parameter or call";
  for (const AliasSummary &a : s.aliases)
    if (!isDefined(a.symbol, SymbolKind::Alias) &&
        !isDefined(a.symbol, SymbolKind::IFunc))
      return "target of a symbol that is no defined alias or ifunc";
  return nullptr;
}

} // namespace gpulto
