//===- SummaryFormat.cpp - Bytes of a module summary ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: every link reads all summaries, so they must be small and fast to read.
//
// One description serves both directions: each record has a `transfer(io, r)`
// that names its fields once; io is an Encoder or a Decoder. What can be left
// out is left out in four ways:
//
//  1. Numbers are LEB128; symbol numbers are differences where they ascend.
//  2. Interned values: small records that repeat (jump functions, parameters,
//     attribute sets, call kinds) are written once and then by number.
//  3. Ranges of a flat table that start where the last one ended are a count;
//     a range that was seen before (equal argument lists) is its number.
//  4. Names stand in the string table of the module's bitcode already, in
//     nearly the same order: a name there is a length.
//
// docs/formats.md has the layout. Linear in the size of the summary.
//
//===----------------------------------------------------------------------===//

#include "summary/SummaryFormat.h"

#include "summary/SummaryChecks.h"
#include "summary/SummaryCoding.h"

namespace gpulto {

namespace {

constexpr uint32_t kSummaryMagic = 0x4d555347; // "GSUM"

/// Sizes of the flat tables, known before any range is read.
struct TableSizes {
  uint32_t symbols = 0, comdats = 0, functions = 0, variables = 0, aliases = 0,
           structors = 0, offloadEntries = 0, parameters = 0, calls = 0,
           references = 0, foldSymbols = 0, launches = 0, handleFlows = 0,
           stubArguments = 0, guardFacts = 0, guards = 0, guardExtents = 0,
           jumpFunctions = 0, aggregateParts = 0, variableStores = 0,
           loadedParts = 0, members = 0;
};

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// Widths that need no number of their own.
constexpr uint16_t kCommonWidths[] = {0, 1, 8, 16, 32, 64};
constexpr unsigned kOtherWidth = 6;

unsigned widthCode(uint16_t width) {
  for (unsigned code = 0; code < kOtherWidth; ++code)
    if (kCommonWidths[code] == width)
      return code;
  return kOtherWidth;
}

/// Constants are stored with their sign, so that -1 takes a byte.
uint64_t packConstant(uint64_t bits, uint16_t width) {
  if (width == 0 || width > 64)
    return bits;
  unsigned unused = 64 - width;
  return zigzag(static_cast<int64_t>(bits << unused) >> unused);
}
uint64_t unpackConstant(uint64_t raw, uint16_t width) {
  if (width == 0 || width > 64)
    return raw;
  unsigned unused = 64 - width;
  return static_cast<uint64_t>(unzigzag(raw)) << unused >> unused;
}

bool hasSource(JumpFunction::Kind kind) {
  using Kind = JumpFunction::Kind;
  return kind == Kind::SymbolAddress || kind == Kind::PassThrough ||
         kind == Kind::Ancestor || kind == Kind::LoadAggregate ||
         kind == Kind::Aggregate || kind == Kind::Allocation ||
         kind == Kind::LoadVariable || kind == Kind::CallResult ||
         kind == Kind::CallMemory || kind == Kind::Memory ||
         kind == Kind::VariablePart || kind == Kind::Composed;
}

/// Whether a HandleFlow may have a jump function of \p kind.
bool isOfHandle(JumpFunction::Kind kind) {
  using Kind = JumpFunction::Kind;
  return kind == Kind::SymbolAddress || kind == Kind::PassThrough ||
         kind == Kind::LoadVariable || kind == Kind::CallResult ||
         kind == Kind::VariablePart || kind == Kind::Memory;
}

/// On disk, a pass-through with an operation is a kind of its own.
constexpr uint64_t kWithOperation = uint64_t(JumpFunction::Kind::Last) + 1;

/// First byte: kind (4 bits), facts follow (1), width code (3).
template <typename IO>
void transferFields(IO &io, JumpFunction &j, const TableSizes &sizes) {
  using Kind = JumpFunction::Kind;
  bool hasFacts = j.hasFacts();
  bool hasOperation =
      j.kind == Kind::PassThrough && j.operation != JumpOperation::None;
  uint64_t head = (hasOperation ? kWithOperation : uint64_t(j.kind)) |
                  uint64_t(hasFacts) << 4 |
                  uint64_t(widthCode(j.bitWidth)) << 5;
  io.number(head);
  if constexpr (IO::isReading) {
    io.check(head < 256 && (head >> 5) <= kOtherWidth &&
                 (head & 15) <= kWithOperation,
             "bad jump function");
    hasOperation = (head & 15) == kWithOperation;
    j.kind = hasOperation ? Kind::PassThrough : Kind(head & 15);
    hasFacts = head >> 4 & 1;
    if ((head >> 5) < kOtherWidth)
      j.bitWidth = kCommonWidths[head >> 5];
  }
  if ((head >> 5) == kOtherWidth)
    io.number(j.bitWidth);
  if (hasFacts) {
    uint32_t packed = uint32_t(j.alignLog2) << 2 | uint32_t(j.high != 0) << 1 |
                      uint32_t(j.nonNull);
    io.number(packed);
    io.check(packed < 256, "alignment too large");
    j.alignLog2 = packed >> 2 & 63;
    j.nonNull = packed & 1;
    io.number(j.addressSpace);
    if (packed & 2) {
      io.number(j.low);
      io.number(j.high);
      io.check(j.high != 0 && j.low <= j.high, "bounds that exclude all");
    }
  }
  if (hasOperation || j.kind == Kind::Composed) {
    io.enumerator(j.operation, JumpOperation::Last);
    io.check(j.operation != JumpOperation::None, "operation that is none");
  }
  if (hasSource(j.kind)) {
    if (j.kind == Kind::SymbolAddress || j.kind == Kind::LoadVariable ||
        j.kind == Kind::VariablePart)
      io.index(j.source, sizes.symbols, false, "a symbol");
    else
      io.number(j.source);
  }
  if (j.isPointerPassedOn()) {
    io.number(j.count);
    if (j.count)
      io.number(j.parameter);
    io.check(j.count == 0 || (j.parameter <= sizes.aggregateParts &&
                              j.count <= sizes.aggregateParts - j.parameter),
             "aggregate parts past the end of their table");
  }
  if (j.kind == Kind::CallMemory || j.kind == Kind::Memory ||
      j.kind == Kind::Allocation)
    io.number(j.parameter);
  if (j.kind == Kind::Aggregate || j.kind == Kind::Memory) {
    io.number(j.count);
    io.number(j.value);
    io.check(j.source <= sizes.aggregateParts &&
                 j.count <= sizes.aggregateParts - j.source,
             "aggregate parts past the end of their table");
    return;
  }
  if (j.kind == Kind::CallResult || j.kind == Kind::CallMemory ||
      j.kind == Kind::LoadAggregate || j.kind == Kind::Composed)
    io.number(j.count);
  bool hasValue = j.kind == Kind::Constant || j.kind == Kind::SymbolAddress ||
                  j.kind == Kind::Ancestor || j.kind == Kind::LoadAggregate ||
                  j.kind == Kind::CallResult || j.kind == Kind::CallMemory ||
                  j.kind == Kind::VariablePart || j.kind == Kind::Composed ||
                  hasOperation;
  if (!hasValue)
    return;
  uint64_t raw;
  bool isOffset = j.kind == Kind::SymbolAddress || j.kind == Kind::Ancestor ||
                  j.kind == Kind::LoadAggregate || j.kind == Kind::CallResult ||
                  j.kind == Kind::CallMemory || j.kind == Kind::VariablePart;
  if (isOffset) {
    raw = zigzag(static_cast<int64_t>(j.value));
    io.number(raw);
    j.value = static_cast<uint64_t>(unzigzag(raw));
    return;
  }
  raw = packConstant(j.value, j.bitWidth);
  io.number(raw);
  j.value = unpackConstant(raw, j.bitWidth);
}

/// All state of one pass over a summary.
template <typename IO> struct Transfer {
  IO &io;
  ModuleSummary &s;
  const TableSizes &sizes;

  Interner<JumpFunction> jumpFunctionPool;
  Interner<ParameterRecord> parameterPool;
  struct SymbolShape {
    SymbolKind kind = SymbolKind::Function;
    Linkage linkage = Linkage::External;
    SymbolVisibility visibility = SymbolVisibility::Default;
    uint8_t addressSpace = 0;
    uint32_t flags = 0;
  };
  Interner<SymbolShape> shapes;
  Interner<uint64_t> typeHashes;
  struct FunctionShape {
    uint32_t flags = 0;
    uint16_t memoryEffects = 0;
    Digest attributesDigest;
  };
  Interner<FunctionShape> functionShapes;
  struct CallShape {
    uint16_t flags = 0;
    uint32_t frequency = 0;
  };
  Interner<CallShape> callShapes;

  RangeHistory jumpFunctionRanges, parameterRanges, callRanges, referenceRanges,
      foldSymbolRanges, launchRanges, stubArgumentRanges, guardFactRanges,
      guardRanges, guardExtentRanges, handleFlowRanges, variableStoreRanges,
      loadedPartRanges, memberRanges;
  uint32_t lastLine = 0;

  Transfer(IO &io, ModuleSummary &s, const TableSizes &sizes)
      : io(io), s(s), sizes(sizes) {}

  void all();
  void header();
  void comdats();
  void symbols();
  void partOffset(PartOffset &offset);
  void jumpFunction(JumpFunction &j);
  void jumpFunctions();
  void parameters();
  void loadedParts();
  void members();
  void calls();
  void references();
  void foldSymbols();
  void guards();
  template <typename T, typename F>
  void shortList(std::vector<T> &list, uint32_t most, F element);
  void pointer(PointerSource &source);
  void launchSums(std::vector<LaunchSum> &sums);
  void guardExtents();
  void launches();
  void smallTables();
  void offloadEntries();
  void variables();
  void functions();
  void functionDetails(FunctionSummary &f);
  void line(uint32_t &value);
};

template <typename IO> void Transfer<IO>::line(uint32_t &value) {
  io.delta(value, lastLine, kNone, "a line");
  lastLine = value;
}

template <typename IO> void Transfer<IO>::header() {
  uint8_t side = uint8_t(s.side);
  io.number(side);
  io.check(side <= 1, "unknown side");
  s.side = side ? Side::Device : Side::Host;
  io.name(s.arch);
  io.name(s.sourceName);
  io.name(s.targetTriple);
  io.name(s.dataLayout);
  io.number(s.flags);
  io.number(s.optLevel);
  io.number(s.sizeLevel);
  io.number(s.picLevel);
  io.number(s.pieLevel);
  io.digest(s.bitcodeDigest);
  io.digest(s.contextDigest);
  io.digest(s.codegenDigest);
}

template <typename IO> void Transfer<IO>::comdats() {
  for (ComdatRecord &c : s.comdats) {
    io.name(c.name);
    io.enumerator(c.kind, ComdatKind::Last);
  }
}

/// Atom numbers and COMDATs are coded relative to the next unused one: 0 none,
/// 1 the next, 1 + n the n-th back from it; what lies further ahead is escaped
/// by a number beyond all that are in use.
template <typename IO>
void transferFresh(IO &io, uint32_t &value, uint32_t &fresh) {
  uint64_t code = 0;
  if (value != kNone)
    code = value <= fresh ? 1 + uint64_t(fresh - value) : 1 + uint64_t(value);
  io.number(code);
  if constexpr (IO::isReading) {
    io.check(code <= kNone, "number out of range");
    if (code == 0)
      value = kNone;
    else if (code - 1 <= fresh)
      value = fresh - static_cast<uint32_t>(code - 1);
    else
      value = static_cast<uint32_t>(code - 1);
  }
  if (value != kNone && value >= fresh)
    fresh = value + 1;
}

template <typename IO> void Transfer<IO>::symbols() {
  uint32_t freshAtom = 0, freshComdat = 0;
  for (SymbolRecord &r : s.symbols) {
    SymbolShape shape{r.kind, r.linkage, r.visibility, r.addressSpace, r.flags};
    io.interned(shape, shapes, [](auto &io, SymbolShape &x) {
      io.enumerator(x.kind, SymbolKind::Last);
      io.enumerator(x.linkage, Linkage::Last);
      io.enumerator(x.visibility, SymbolVisibility::Protected);
      io.number(x.addressSpace);
      io.number(x.flags);
    });
    if constexpr (IO::isReading) {
      r.kind = shape.kind;
      r.linkage = shape.linkage;
      r.visibility = shape.visibility;
      r.addressSpace = shape.addressSpace;
      r.flags = shape.flags;
    }
    if (s.side == Side::Host && r.kind == SymbolKind::Function)
      io.interned(r.typeHash, typeHashes,
                  [](auto &io, uint64_t &x) { io.number(x); });
    transferFresh(io, r.atom, freshAtom);
    transferFresh(io, r.comdat, freshComdat);
    llvm::StringRef comdat;
    if (r.comdat != kNone) {
      if (r.comdat >= sizes.comdats) {
        io.check(false, "COMDAT index out of range");
        r.comdat = kNone;
      } else {
        comdat = s.comdats[r.comdat].name;
      }
    }
    io.name(r.name, comdat);
  }
}

template <typename IO> void Transfer<IO>::partOffset(PartOffset &offset) {
  uint32_t bytes = offset;
  io.number(bytes);
  std::optional<PartOffset> known = PartOffset::of(bytes);
  io.check(known.has_value(), "part behind the first 2 GiB");
  if (known)
    offset = *known;
}

template <typename IO> void Transfer<IO>::jumpFunction(JumpFunction &j) {
  io.interned(j, jumpFunctionPool, [this](auto &io, JumpFunction &x) {
    transferFields(io, x, sizes);
  });
}

template <typename IO> void Transfer<IO>::jumpFunctions() {
  // Who follows what a jump function is composed of may recurse.
  constexpr uint8_t kMaxComposed = 32;
  std::vector<uint8_t> composed;
  for (JumpFunction &j : s.jumpFunctions) {
    jumpFunction(j);
    bool isComposed = j.kind == JumpFunction::Kind::Composed;
    bool isOfEarlier =
        isComposed && j.source < composed.size() && j.count <= composed.size();
    io.check(isOfEarlier == isComposed,
             "jump function composed of a later one");
    uint8_t operand = isOfEarlier && j.count ? composed[j.count - 1] : 0;
    composed.push_back(isOfEarlier ? std::max(composed[j.source], operand) + 1
                                   : 0);
    io.check(composed.back() <= kMaxComposed,
             "jump function composed too deeply");
    if (composed.back() > kMaxComposed)
      composed.back() = 0;
  }
  for (AggregatePart &p : s.aggregateParts) {
    partOffset(p.byteOffset);
    jumpFunction(p.value);
    io.check(p.value.kind != JumpFunction::Kind::Aggregate,
             "aggregate inside an aggregate");
  }
  for (VariableStore &store : s.variableStores) {
    io.index(store.variable, sizes.symbols, false, "a variable");
    partOffset(store.byteOffset);
    io.number(store.sizeBytes);
    jumpFunction(store.value);
  }
}

template <typename IO> void Transfer<IO>::parameters() {
  for (ParameterRecord &p : s.parameters)
    io.interned(p, parameterPool, [](auto &io, ParameterRecord &x) {
      io.number(x.flags);
      io.number(x.bitWidth);
      io.number(x.addressSpace);
      io.number(x.alignLog2);
      io.number(x.byValBytes);
      io.number(x.constantGain);
      io.number(x.reachBytes);
      io.number(x.ownReachBytes);
    });
}

template <typename IO> void Transfer<IO>::loadedParts() {
  constexpr unsigned kMaxAlignLog2 = 32, kMaxBits = 64, kByteBits = 8;
  for (LoadedPart &p : s.loadedParts) {
    io.number(p.parameter);
    io.number(p.byteOffset);
    io.enumerator(p.kind, ScalarKind::Last);
    io.number(p.bitWidth);
    io.number(p.alignLog2);
    bool isPointer = p.kind == ScalarKind::Pointer;
    io.check(p.alignLog2 <= kMaxAlignLog2 && p.bitWidth <= kMaxBits &&
                 p.bitWidth % kByteBits == 0 && isPointer == (p.bitWidth == 0),
             "loaded part out of range");
  }
}

template <typename IO> void Transfer<IO>::members() {
  for (PointerMember &m : s.members) {
    io.number(m.parameter);
    io.number(m.byteOffset);
    io.number(m.flags);
  }
}

template <typename IO> void Transfer<IO>::calls() {
  bool hasLines = false;
  for (const CallEdge &c : s.calls)
    hasLines |= c.line != 0;
  io.boolean(hasLines);
  for (CallEdge &c : s.calls) {
    io.index(c.callee, sizes.symbols, true, "a called symbol");
    CallShape shape{c.flags, c.frequency};
    io.interned(shape, callShapes, [](auto &io, CallShape &x) {
      io.number(x.flags);
      io.number(x.frequency);
    });
    c.flags = shape.flags;
    c.frequency = shape.frequency;
    io.range(c.arguments, sizes.jumpFunctions, jumpFunctionRanges);
    if (hasLines)
      line(c.line);
  }
}

template <typename IO> void Transfer<IO>::references() {
  constexpr uint64_t kFlagMask = (1u << kReferenceFlagBits) - 1;
  uint32_t previous = 0;
  for (ReferenceEdge &r : s.references) {
    uint64_t packed = zigzag(int64_t(r.symbol) - int64_t(previous))
                          << kReferenceFlagBits |
                      (r.flags & kFlagMask);
    io.number(packed);
    if constexpr (IO::isReading) {
      uint64_t symbol =
          previous + uint64_t(unzigzag(packed >> kReferenceFlagBits));
      io.check(symbol < sizes.symbols, "reference to a symbol out of range");
      r.symbol = static_cast<uint32_t>(symbol);
      r.flags = packed & kFlagMask;
    }
    previous = r.symbol;
  }
}

template <typename IO> void Transfer<IO>::foldSymbols() {
  uint32_t previous = 0;
  for (SymbolIndex &symbol : s.foldSymbols) {
    io.delta(symbol, previous, sizes.symbols, "a symbol of a folded form");
    previous = symbol;
  }
}

template <typename IO> void Transfer<IO>::launches() {
  for (LaunchSite &l : s.launches) {
    io.index(l.stub, sizes.symbols, true, "a launched symbol");
    if (l.stub == kNone)
      io.range(l.handles, sizes.jumpFunctions, jumpFunctionRanges);
    io.enumerator(l.kind, LaunchKind::Last);
    io.number(l.frequency);
    line(l.line);
    io.range(l.geometry, sizes.jumpFunctions, jumpFunctionRanges);
    io.check(l.geometry.count == kGeometryCount, "incomplete launch geometry");
    io.range(l.arguments, sizes.jumpFunctions, jumpFunctionRanges);
    io.boolean(l.byStubFormals);
    io.index(l.call, sizes.calls, true, "a launching call");
  }
  for (HandleFlow &h : s.handleFlows) {
    jumpFunction(h.handle);
    io.check(isOfHandle(h.handle.kind),
             "handle of no kernel, parameter, variable or result");
    io.enumerator(h.to, HandleTarget::Last);
    using Kind = JumpFunction::Kind;
    bool isMemory = h.handle.kind == Kind::Memory;
    bool isBeside = h.to == HandleTarget::Beside;
    io.check(isBeside ? isMemory || h.handle.kind == Kind::VariablePart
                      : h.handle.kind != Kind::VariablePart,
             "what is beside a handle is no part of a variable");
    io.check(isMemory || h.to != HandleTarget::Passed,
             "what is passed is no address of memory");
    io.check(!isMemory || h.handle.count == 0,
             "place of a handle that has parts");
    if (h.to == HandleTarget::Variable)
      io.index(h.variable, sizes.symbols, false, "a variable");
    bool isOfCall = h.to == HandleTarget::Argument ||
                    h.to == HandleTarget::Behind ||
                    h.to == HandleTarget::Passed;
    if (isOfCall)
      io.index(h.call, sizes.calls, false, "a call that gets a handle");
    bool isInto = h.to == HandleTarget::Into;
    if (isOfCall || isInto || h.to == HandleTarget::Variable ||
        h.to == HandleTarget::Return)
      io.number(h.argument);
    if (h.to == HandleTarget::Behind || h.to == HandleTarget::Variable ||
        isBeside || isInto)
      io.number(h.beforeBytes);
  }
  for (StubArgument &a : s.stubArguments) {
    io.number(a.kernelArgument);
    io.number(a.byteOffset);
    io.number(a.formal);
    io.boolean(a.isAggregate);
  }
}

template <typename IO> void Transfer<IO>::guards() {
  constexpr unsigned kMaxAlignLog2 = 32, kMaxGuardBits = 64;
  for (GuardFact &g : s.guardFacts) {
    io.enumerator(g.kind, GuardKind::Last);
    io.number(g.parameter);
    io.boolean(g.isPart);
    io.number(g.byteOffset);
    io.number(g.bitWidth);
    io.number(g.alignLog2);
    if (g.kind == GuardKind::FitsWord)
      io.number(g.sizeClass);
    if (g.kind == GuardKind::Apart)
      pointer(g.other);
    io.check(g.bitWidth <= kMaxGuardBits && g.alignLog2 <= kMaxAlignLog2 &&
                 g.sizeClass <= kLastSizeClass,
             "guard out of range");
  }
  for (GuardChance &g : s.guards) {
    io.number(g.gain);
    io.range(g.facts, sizes.guardFacts, guardFactRanges);
  }
}

/// Transfers the size of \p list, which is at most \p most, and each element.
template <typename IO>
template <typename T, typename F>
void Transfer<IO>::shortList(std::vector<T> &list, uint32_t most, F element) {
  uint32_t size = static_cast<uint32_t>(list.size());
  io.number(size);
  io.check(size <= most, "list is too long");
  if constexpr (IO::isReading)
    list.resize(std::min(size, most));
  for (T &each : list)
    element(each);
}

template <typename IO> void Transfer<IO>::pointer(PointerSource &source) {
  io.number(source.parameter);
  io.boolean(source.isPart);
  io.number(source.byteOffset);
}

template <typename IO>
void Transfer<IO>::launchSums(std::vector<LaunchSum> &sums) {
  constexpr uint32_t kMaxSums = 255;
  auto value = [&](LaunchValue &v) {
    io.boolean(v.isGeometry);
    io.number(v.parameter);
    io.boolean(v.isPart);
    io.number(v.byteOffset);
    io.number(v.bitWidth);
  };
  shortList(sums, kMaxSums, [&](LaunchSum &sum) {
    shortList(sum.terms, kMaxLaunchTerms, [&](LaunchTerm &term) {
      io.signedNumber(term.coefficient);
      shortList(term.factors, kMaxLaunchFactors, value);
    });
  });
}

template <typename IO> void Transfer<IO>::guardExtents() {
  for (PointerExtent &extent : s.guardExtents) {
    pointer(extent.pointer);
    launchSums(extent.lows);
    launchSums(extent.highs);
    launchSums(extent.premises);
    io.check(extent.lows.empty() == extent.highs.empty(),
             "extent with one end");
  }
}

template <typename IO> void Transfer<IO>::smallTables() {
  for (AliasSummary &a : s.aliases) {
    io.index(a.symbol, sizes.symbols, false, "an alias");
    io.index(a.target, sizes.symbols, true, "an aliasee");
    io.signedNumber(a.offsetBytes);
  }
  for (StructorRecord &r : s.structors) {
    io.number(r.priority);
    io.index(r.function, sizes.symbols, true, "a constructor");
    io.index(r.associated, sizes.symbols, true, "an associated symbol");
    io.boolean(r.isDestructor);
  }
}

template <typename IO> void Transfer<IO>::offloadEntries() {
  for (OffloadEntry &e : s.offloadEntries) {
    io.enumerator(e.kind, OffloadEntry::Kind::Last);
    io.index(e.hostSymbol, sizes.symbols, true, "an offload entry");
    io.name(e.deviceName);
    io.number(e.sizeBytes);
    uint8_t bits = uint8_t(e.isExtern) | uint8_t(e.isConstant) << 1 |
                   uint8_t(e.isNormalized) << 2;
    io.number(bits);
    io.check(bits < 8, "unknown flags of an offload entry");
    e.isExtern = bits & 1;
    e.isConstant = bits & 2;
    e.isNormalized = bits & 4;
    io.number(e.textureType);
  }
}

template <typename IO> void Transfer<IO>::variables() {
  uint32_t previous = 0;
  for (VariableSummary &v : s.variables) {
    bool isFirst = &v == &s.variables.front();
    io.delta(v.symbol, previous, sizes.symbols, "a variable");
    io.check(isFirst || v.symbol > previous, "variables are not in order");
    previous = v.symbol;
    io.number(v.sizeBytes);
    bool isFoldable = !v.foldHash.isNone();
    bool hasParts = !(v.initializer == JumpFunction());
    uint32_t bits = uint32_t(v.zeroInitialized) |
                    uint32_t(v.hasBlockAddress) << 1 |
                    uint32_t(isFoldable) << 2 | uint32_t(hasParts) << 3 |
                    uint32_t(v.alignLog2) << 4;
    io.number(bits);
    io.check(bits < 1024, "alignment too large");
    v.zeroInitialized = bits & 1;
    v.hasBlockAddress = bits & 2;
    isFoldable = bits & 4;
    hasParts = bits & 8;
    v.alignLog2 = bits >> 4;
    io.range(v.references, sizes.references, referenceRanges);
    io.digest(v.contentDigest);
    if (hasParts)
      jumpFunction(v.initializer);
    if (!isFoldable)
      continue;
    io.digest(v.foldHash);
    io.range(v.foldSymbols, sizes.foldSymbols, foldSymbolRanges);
  }
}

/// What most functions do not have, behind a mask of what there is.
template <typename IO> void Transfer<IO>::functionDetails(FunctionSummary &f) {
  auto isSet = [](const auto &array) {
    return llvm::any_of(array, [](uint32_t value) { return value != 0; });
  };
  uint32_t mask = 0;
  auto present = [&, bit = 0](bool has) mutable {
    mask |= uint32_t(has) << bit++;
  };
  if constexpr (!IO::isReading) {
    present(f.stackBytes);
    present(f.registersPerThread);
    present(f.maxLoopDepth);
    present(isSet(f.maxThreads) || f.minBlocksPerSM || f.maxRegisters);
    present(isSet(f.requiredThreads));
    present(f.line);
    present(!(f.references == Range()));
    present(!(f.launches == Range()) || !(f.stubArguments == Range()));
    present(!(f.returned == JumpFunction()));
    present(isSet(f.geometryGain));
    present(!f.foldHash.isNone());
    present(!(f.guards == Range()));
    present(!(f.guardExtents == Range()));
    present(!(f.handleFlows == Range()));
    present(!(f.outputs == Range()));
    present(!(f.variableStores == Range()));
    present(!(f.loadedParts == Range()));
    present(!(f.members == Range()));
  }
  io.number(mask);
  io.check(mask < 1u << 18, "unknown fields of a function");
  auto has = [&, bit = 0]() mutable { return mask >> bit++ & 1; };
  if (has())
    io.number(f.stackBytes);
  if (has())
    io.number(f.registersPerThread);
  if (has())
    io.number(f.maxLoopDepth);
  if (has()) {
    for (uint32_t &dimension : f.maxThreads)
      io.number(dimension);
    io.number(f.minBlocksPerSM);
    io.number(f.maxRegisters);
  }
  if (has())
    for (uint32_t &dimension : f.requiredThreads)
      io.number(dimension);
  if (has())
    line(f.line);
  if (has())
    io.range(f.references, sizes.references, referenceRanges);
  if (has()) {
    io.range(f.launches, sizes.launches, launchRanges);
    io.range(f.stubArguments, sizes.stubArguments, stubArgumentRanges);
  }
  if (has())
    jumpFunction(f.returned);
  if (has())
    for (uint32_t &gain : f.geometryGain)
      io.number(gain);
  if (has()) {
    io.digest(f.foldHash);
    io.range(f.foldSymbols, sizes.foldSymbols, foldSymbolRanges);
  }
  if (has())
    io.range(f.guards, sizes.guards, guardRanges);
  if (has())
    io.range(f.guardExtents, sizes.guardExtents, guardExtentRanges);
  if (has())
    io.range(f.handleFlows, sizes.handleFlows, handleFlowRanges);
  if (has())
    io.range(f.outputs, sizes.jumpFunctions, jumpFunctionRanges);
  if (has())
    io.range(f.variableStores, sizes.variableStores, variableStoreRanges);
  if (has())
    io.range(f.loadedParts, sizes.loadedParts, loadedPartRanges);
  if (has())
    io.range(f.members, sizes.members, memberRanges);
}

template <typename IO> void Transfer<IO>::functions() {
  uint32_t previous = 0;
  for (FunctionSummary &f : s.functions) {
    bool isFirst = &f == &s.functions.front();
    io.delta(f.symbol, previous, sizes.symbols, "a function");
    io.check(isFirst || f.symbol > previous, "functions are not in order");
    previous = f.symbol;
    FunctionShape shape{f.flags, f.memoryEffects, f.attributesDigest};
    io.interned(shape, functionShapes, [](auto &io, FunctionShape &x) {
      io.number(x.flags);
      io.number(x.memoryEffects);
      io.digest(x.attributesDigest);
    });
    f.flags = shape.flags;
    f.memoryEffects = shape.memoryEffects;
    f.attributesDigest = shape.attributesDigest;
    io.number(f.instructionCount);
    io.number(f.sizeBytes);
    io.number(f.timeCycles);
    io.digest(f.contentDigest);
    io.range(f.parameters, sizes.parameters, parameterRanges);
    io.range(f.calls, sizes.calls, callRanges);
    functionDetails(f);
  }
}

template <typename IO> void Transfer<IO>::all() {
  header();
  comdats();
  symbols();
  jumpFunctions();
  parameters();
  loadedParts();
  members();
  calls();
  references();
  foldSymbols();
  launches();
  guards();
  guardExtents();
  smallTables();
  offloadEntries();
  variables();
  functions();
}

//===----------------------------------------------------------------------===//
// Whole summaries
//===----------------------------------------------------------------------===//

/// Calls \p each with every table, its size field and the fewest bytes that an
/// element can take.
template <typename F>
void forEachTable(ModuleSummary &s, TableSizes &sizes, F each) {
  each(s.symbols, sizes.symbols, 4);
  each(s.comdats, sizes.comdats, 2);
  each(s.functions, sizes.functions, 24);
  each(s.variables, sizes.variables, 20);
  each(s.aliases, sizes.aliases, 3);
  each(s.structors, sizes.structors, 4);
  each(s.offloadEntries, sizes.offloadEntries, 7);
  each(s.parameters, sizes.parameters, 1);
  each(s.calls, sizes.calls, 3);
  each(s.references, sizes.references, 1);
  each(s.foldSymbols, sizes.foldSymbols, 1);
  each(s.launches, sizes.launches, 8);
  each(s.handleFlows, sizes.handleFlows, 2);
  each(s.stubArguments, sizes.stubArguments, 4);
  each(s.guardFacts, sizes.guardFacts, 6);
  each(s.guards, sizes.guards, 2);
  each(s.guardExtents, sizes.guardExtents, 6);
  each(s.jumpFunctions, sizes.jumpFunctions, 1);
  each(s.aggregateParts, sizes.aggregateParts, 2);
  each(s.variableStores, sizes.variableStores, 4);
  each(s.loadedParts, sizes.loadedParts, 5);
  each(s.members, sizes.members, 3);
}

} // namespace

std::string writeSummary(const ModuleSummary &summary,
                         llvm::StringRef bitcodeNames) {
  // The description takes records by reference because it also reads; the
  // Encoder changes nothing.
  ModuleSummary &s = const_cast<ModuleSummary &>(summary);
  Encoder body(bitcodeNames);
  TableSizes sizes;
  forEachTable(s, sizes, [](auto &table, uint32_t &size, unsigned) {
    size = static_cast<uint32_t>(table.size());
  });
  Transfer<Encoder>(body, s, sizes).all();

  BinaryWriter out;
  out.u32(kSummaryMagic);
  out.uleb(kSummaryVersion);
  out.string(body.own.str());
  forEachTable(s, sizes,
               [&](auto &, uint32_t &size, unsigned) { out.uleb(size); });
  out.bytes(body.out.str());
  return out.take();
}

llvm::Expected<ModuleSummary> readSummary(llvm::StringRef bytes,
                                          llvm::StringRef bitcodeNames,
                                          const InputLocation &location) {
  BinaryReader in(bytes, location);
  if (in.u32() != kSummaryMagic)
    in.fail("not a summary");
  uint64_t version = in.uleb();
  if (!in.failed() && version != kSummaryVersion)
    in.fail("summary version " + llvm::Twine(version) + ", this linker reads " +
            llvm::Twine(kSummaryVersion) + "; recompile the object");
  Decoder decoder(in, bitcodeNames);
  decoder.own = in.string();

  ModuleSummary s;
  TableSizes sizes;
  uint64_t leastBytes = 0;
  forEachTable(s, sizes, [&](auto &, uint32_t &size, unsigned minBytes) {
    size = in.uleb32();
    leastBytes += uint64_t(size) * minBytes;
  });
  if (leastBytes > in.remaining())
    in.fail("tables larger than the summary");
  if (in.failed())
    return in.takeError();
  forEachTable(s, sizes, [](auto &table, uint32_t &size, unsigned) {
    table.resize(size);
  });
  Transfer<Decoder>(decoder, s, sizes).all();
  if (llvm::Error error = in.finish())
    return std::move(error);
  if (const char *problem = findInconsistency(s))
    return inputError(location, problem);
  return s;
}

} // namespace gpulto
