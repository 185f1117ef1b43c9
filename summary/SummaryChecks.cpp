//===- SummaryChecks.cpp - What holds between tables of a summary ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "summary/SummaryChecks.h"

#include "summary/ModuleSummary.h"

#include "llvm/ADT/STLExtras.h"

namespace gpulto {

namespace {

/// What a jump function names, through all it is built of.
struct Names {
  /// One more than the highest number of a formal and of a call.
  uint64_t formals = 0, calls = 0;
  uint32_t depth = 0;
  /// Nodes of its tree, itself included, counted with repetitions.
  uint64_t nodes = 1;
};

/// Finds the Names of jump functions. Linear in the tables: what is in them is
/// looked at once.
class NamesFinder {
public:
  explicit NamesFinder(const ModuleSummary &s)
      : s(s), entries(s.jumpFunctions.size()), parts(s.aggregateParts.size()) {}

  /// Returns what \p j names; nothing if it is built of itself or of more than
  /// whole-program analysis should evaluate.
  std::optional<Names> of(const JumpFunction &j) {
    Names names = of(j, 0);
    if (names.depth > kMaxDepth || names.nodes > kMaxNodes)
      return std::nullopt;
    return names;
  }

private:
  static constexpr uint32_t kMaxDepth = 48, kMaxNodes = 1 << 16;
  static constexpr Names kBad = {0, 0, kMaxDepth + 1, 1};
  struct Known {
    Names names;
    bool isDone = false, isOpen = false;
  };
  class Visitor;

  Names of(const JumpFunction &j, unsigned depth);
  void add(Names &names, Known &known, const JumpFunction &inner,
           unsigned depth);

  const ModuleSummary &s;
  std::vector<Known> entries, parts;
};

/// Adds what \p inner, which stands where \p known is about, names.
void NamesFinder::add(Names &names, Known &known, const JumpFunction &inner,
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

/// Collects the Names of one jump function.
class NamesFinder::Visitor : public RecordVisitor<Visitor> {
public:
  Visitor(NamesFinder &finder, Names &names, unsigned depth)
      : finder(finder), names(names), depth(depth) {}

  void formal(const char *, uint32_t &value) {
    names.formals = std::max(names.formals, uint64_t(value) + 1);
  }
  void call(const char *, uint32_t &value, bool = false) {
    names.calls = std::max(names.calls, uint64_t(value) + 1);
  }
  void parts(uint32_t &first, uint32_t &count) {
    for (uint32_t i = first; i < first + count; ++i)
      finder.add(names, finder.parts[i], finder.s.aggregateParts[i].value,
                 depth);
  }
  void operands(uint32_t &operand, uint32_t &other) {
    const std::vector<JumpFunction> &table = finder.s.jumpFunctions;
    if (operand >= table.size() || other > table.size()) {
      names = kBad;
      return;
    }
    finder.add(names, finder.entries[operand], table[operand], depth);
    if (other)
      finder.add(names, finder.entries[other - 1], table[other - 1], depth);
  }

private:
  NamesFinder &finder;
  Names &names;
  unsigned depth;
};

Names NamesFinder::of(const JumpFunction &j, unsigned depth) {
  using Kind = JumpFunction::Kind;
  // An aggregate is no part of another one; memory is that of a variable.
  if ((j.kind == Kind::Aggregate && depth != 0) ||
      (j.kind == Kind::Memory && j.parameter == 0))
    return kBad;
  Names names;
  Visitor visitor(*this, names, depth);
  visitRecord(visitor, j);
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

namespace {

/// Looks whether the records of one body name only what the body has.
class BodyCheck : public RecordVisitor<BodyCheck> {
public:
  BodyCheck(const ModuleSummary &s, NamesFinder &names, uint32_t formals,
            uint32_t calls)
      : s(s), names(names), formals(formals), calls(calls) {}

  void call(const char *, uint32_t &value, bool orNone = false) {
    isGood &= value < calls || (orNone && value == kNone);
  }
  void formal(const char *, uint32_t &value) { isGood &= value < formals; }
  void jump(const char *, const JumpFunction &j) {
    std::optional<Names> named = names.of(j);
    isGood &= named && named->formals <= formals && named->calls <= calls;
  }
  void jumps(const char *, Range &range, llvm::ArrayRef<const char *> = {}) {
    for (const JumpFunction &j : slice(s.jumpFunctions, range))
      jump("", j);
  }
  /// Memory is a place of another numbering there.
  void handle(const char *, const JumpFunction &j) {
    if (j.kind != JumpFunction::Kind::Memory)
      jump("", j);
  }
  void handles(const char *, Range &range) {
    for (const JumpFunction &j : slice(s.jumpFunctions, range))
      handle("", j);
  }
  template <Table kTable> void records(const char *name, Range &range) {
    for (const auto &record : slice(tableOf<kTable>(s), range)) {
      visitRecord(*this, record);
      if (!isGood && !wrong)
        wrong = name;
    }
  }

  /// Whether nothing was wrong so far.
  bool isGood = true;
  /// What the first records are called that name what is not there.
  const char *wrong = nullptr;

private:
  const ModuleSummary &s;
  NamesFinder &names;
  uint32_t formals, calls;
};

} // namespace

/// Whether values are made of earlier ones, and events name what is there.
static bool areTransfers(llvm::ArrayRef<TransferValue> values,
                         llvm::ArrayRef<TransferEvent> events) {
  using Kind = TransferValueKind;
  auto isBlock = [&](uint64_t event) {
    return event < events.size() &&
           events[event].kind == TransferEventKind::Block;
  };
  for (const auto &[number, value] : llvm::enumerate(values)) {
    bool isMade = value.kind == Kind::Load || value.kind == Kind::Offset ||
                  value.kind == Kind::Operation;
    bool isRight = value.other == kNone || value.other < number;
    if ((isMade && value.base >= number) || !isRight ||
        (value.block != kNone && !isBlock(value.block)))
      return false;
  }
  size_t loops = events.empty() ? 0 : events.front().parents.size();
  for (const auto &[number, event] : llvm::enumerate(events))
    if (!llvm::all_of(event.targets,
                      [&, here = number](int32_t target) {
                        return isBlock(here + int64_t(target));
                      }) ||
        event.loop > loops ||
        !llvm::all_of(event.operands, [&](const TransferOperand &operand) {
          return operand.value == kNone || operand.value < values.size();
        }))
      return false;
  // A loop comes after the one around it.
  for (size_t loop = 0; loop < loops; ++loop)
    if (events.front().parents[loop] > loop)
      return false;
  return events.empty() || isBlock(0);
}

/// Returns the error in the parameter data of \p f, or null.
static const char *findWrongPlace(const ModuleSummary &s,
                                  const FunctionSummary &f) {
  llvm::ArrayRef formals = slice(s.parameters, f.parameters);
  for (const GuardChance &chance : slice(s.guards, f.guards))
    for (const GuardFact &fact : slice(s.guardFacts, chance.facts))
      if (!isOfParameter(fact, formals))
        return "guard of a parameter that does not exist";
  for (const PointerExtent &e : slice(s.guardExtents, f.guardExtents))
    if (!isOfParameter(e.pointer, 0, formals) ||
        !areOfLaunch(e.lows, formals) || !areOfLaunch(e.highs, formals) ||
        !areOfLaunch(e.premises, formals))
      return "extent of a parameter that does not exist";
  if (!areLoaded(slice(s.loadedParts, f.loadedParts), formals))
    return "loaded parts of no pointer parameter, or not in order";
  if (!areMembers(slice(s.members, f.members), formals))
    return "pointers in no by-value parameter, or not in order";
  for (const KernelOverwrite &o : slice(s.overwrites, f.overwrites))
    if (o.parameter >= formals.size() ||
        (o.count != kNone && o.count >= formals.size()))
      return "overwriting through a parameter that does not exist";
  if (!areTransfers(slice(s.transferValues, f.transferValues),
                    slice(s.transferEvents, f.transferEvents)))
    return "event that names what does not exist";
  return nullptr;
}

std::string findInconsistency(const ModuleSummary &s) {
  NamesFinder names(s);
  auto isDefined = [&](SymbolIndex symbol, SymbolKind kind) {
    return s.symbols[symbol].kind == kind && !s.symbols[symbol].isDeclaration();
  };
  for (const FunctionSummary &f : s.functions) {
    if (!isDefined(f.symbol, SymbolKind::Function))
      return "body of a symbol that is no defined function";
    if (const char *wrong = findWrongPlace(s, f))
      return wrong;
    BodyCheck check(s, names, f.parameters.count, f.calls.count);
    visitRecord(check, f);
    if (!check.isGood || f.outputs.count > f.parameters.count)
      return std::string(check.wrong ? check.wrong : "function") +
             " refers to a parameter or call that does not exist";
  }
  for (const VariableSummary &v : s.variables) {
    if (!isDefined(v.symbol, SymbolKind::Variable))
      return "contents of a symbol that is no defined variable";
    BodyCheck check(s, names, 0, 0);
    visitRecord(check, v);
    if (!check.isGood)
      return "initializer refers to a parameter or call";
  }
  for (const AliasSummary &a : s.aliases)
    if (!isDefined(a.symbol, SymbolKind::Alias) &&
        !isDefined(a.symbol, SymbolKind::IFunc))
      return "target of a symbol that is no defined alias or ifunc";
  return "";
}

} // namespace gpulto
