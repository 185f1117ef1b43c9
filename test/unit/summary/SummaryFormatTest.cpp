//===- SummaryFormatTest.cpp - Round trips and damage ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "summary/SummaryFormat.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "summary/ModuleSummary.h"
#include "summary/SummaryCoding.h"

#include "llvm/Support/Error.h"

#include <random>

using namespace gpulto;

namespace {

const InputLocation kWhere("x.o");

JumpFunction jump(JumpFunction::Kind kind, uint32_t source, uint64_t value,
                  uint16_t width) {
  JumpFunction j;
  j.kind = kind;
  j.source = source;
  j.value = value;
  j.bitWidth = width;
  return j;
}

/// A summary with an element in every table and every kind of jump function.
ModuleSummary fullSummary() {
  using Kind = JumpFunction::Kind;
  ModuleSummary s;
  s.side = Side::Host;
  s.sourceName = "a.cu";
  s.targetTriple = "x86_64-pc-linux-gnu";
  s.dataLayout = "e-m:e";
  s.flags = kHasModuleAsm | kFullDebugInfo;
  s.optLevel = 3;
  s.sizeLevel = 1;
  s.picLevel = 2;
  s.pieLevel = 1;
  s.bitcodeDigest = {1, 2};
  s.contextDigest = {3, ~0ull};
  s.codegenDigest = {~0ull, 5};
  s.comdats = {{"group", ComdatKind::Any}, {"other", ComdatKind::Largest}};
  for (const char *name : {"var", "main", "group", "callee", "alias", "asm"}) {
    SymbolRecord r;
    r.name = name;
    s.symbols.push_back(r);
  }
  s.symbols[0].kind = SymbolKind::Variable;
  s.symbols[0].linkage = Linkage::Internal;
  s.symbols[0].flags = kAddressTaken | kConstant;
  s.symbols[0].atom = 0;
  s.symbols[0].addressSpace = 4;
  s.symbols[1].atom = 1;
  s.symbols[1].typeHash = ~uint64_t(0);
  s.symbols[3].typeHash = 1;
  s.symbols[2].comdat = 0;
  s.symbols[2].linkage = Linkage::LinkOnceODR;
  s.symbols[2].visibility = SymbolVisibility::Hidden;
  s.symbols[2].atom = 7;
  s.symbols[3].flags = kDeclaration;
  s.symbols[4].kind = SymbolKind::Alias;
  s.symbols[4].atom = 1;
  s.symbols[5].kind = SymbolKind::Assembly;
  s.symbols[5].comdat = 1;

  s.aggregateParts = {{0, JumpFunction::constant(7, 32)},
                      {8, jump(Kind::PassThrough, 0, 0, 64)}};
  JumpFunction shifted = JumpFunction::passThrough(1, 32);
  shifted.operation = JumpOperation::Shl;
  shifted.value = 5;
  JumpFunction aligned;
  aligned.alignLog2 = 8;
  aligned.addressSpace = 1;
  aligned.nonNull = true;
  JumpFunction aggregate;
  aggregate.kind = Kind::Aggregate;
  aggregate.count = 2;
  JumpFunction composed = jump(Kind::Composed, 9, 16, 32);
  composed.operation = JumpOperation::SDiv;
  JumpFunction bounded = JumpFunction::unknown(32);
  bounded.low = 4;
  bounded.high = 1000;
  bounded.alignLog2 = 2;
  JumpFunction returned = jump(Kind::CallResult, 0, 4, 0);
  returned.count = 12;
  s.aggregateParts.push_back({16, returned});
  JumpFunction product = composed;
  product.source = 1;
  product.count = 3;
  product.value = 0;
  JumpFunction left = jump(Kind::CallMemory, 1, 8, 0);
  left.parameter = 1;
  left.count = 16;
  JumpFunction storedBefore = jump(Kind::VariablePart, 1, 8, 32);
  storedBefore.parameter = 1;
  JumpFunction counter = jump(Kind::Unknown, 0, 0, 32);
  counter.isCounter = true;
  JumpFunction memory = jump(Kind::Memory, 0, 4, 32);
  memory.count = 1;
  memory.parameter = 7;
  JumpFunction atEntry = jump(Kind::LoadAggregate, 1, 8, 32);
  atEntry.count = 4;
  JumpFunction passedOn = jump(Kind::PassThrough, 1, 0, 0);
  passedOn.parameter = passedOn.count = 1;
  JumpFunction inside = jump(Kind::Ancestor, 1, 8, 0);
  inside.count = 2;
  JumpFunction real = jump(Kind::PassThrough, 1, 0x3f800000, 32);
  real.operation = JumpOperation::FDiv;
  s.variableStores = {{1, 8, 4, JumpFunction::constant(7, 32)}};
  s.jumpFunctions = {
      JumpFunction(),
      JumpFunction::constant(0xffffffff, 32),
      JumpFunction::constant(~0ull, 64),
      JumpFunction::constant(0x80, 8),
      JumpFunction::constant(5, 24),
      jump(Kind::Null, 0, 0, 0),
      jump(Kind::SymbolAddress, 3, uint64_t(-8), 0),
      shifted,
      jump(Kind::Ancestor, 0, 16, 0),
      jump(Kind::LoadAggregate, 1, 3000, 8),
      aggregate,
      aligned,
      jump(Kind::Allocation, 1, 0, 0),
      jump(Kind::CallResult, 2, 8, 32),
      composed,
      bounded,
      product,
      left,
      memory,
      atEntry,
      jump(Kind::VariablePart, 1, 8, 32),
      storedBefore,
      counter,
      passedOn,
      inside,
      real,
  };
  s.parameters = {{kParamIsPointer | kParamByVal, 0, 1, 3, 64, 12},
                  {kParamInLoopBound, 32, 0, 0, 0, 200, 48}};
  s.sourceFiles = {{"launch.h"}, {"dir/k.cuh"}};
  s.sourceNames = {{"n"}};
  s.parameters[1].name = 1;
  CallEdge indirect;
  indirect.flags = kInvoke;
  indirect.frequency = 1024;
  indirect.place = {17, 3, 1};
  CallEdge direct;
  direct.callee = 3;
  direct.arguments = {0, 6};
  direct.place = {12, 65535};
  CallEdge again = direct;
  CallEdge overlapping = direct;
  overlapping.arguments = {3, 9};
  s.calls = {indirect, direct, again, overlapping};
  s.references = {{0, kReads | kWrites}, {3, kTakesAddress}, {1, kReads}};
  s.foldSymbols = {3, 0, 1};
  LaunchSite launch;
  launch.stub = 2;
  launch.kind = LaunchKind::RuntimeExC;
  launch.geometry = {1, kGeometryCount};
  launch.arguments = {9, 3};
  launch.byStubFormals = true;
  launch.call = 2;
  LaunchSite unknown;
  unknown.geometry = {0, kGeometryCount};
  s.launches = {launch, unknown};
  s.stubArguments = {{0, 0, 0, true}, {1, 4, 1, false}};
  JumpFunction handle;
  handle.kind = JumpFunction::Kind::PassThrough;
  JumpFunction result;
  result.kind = JumpFunction::Kind::CallResult;
  JumpFunction beside = JumpFunction::unknown(32);
  beside.kind = JumpFunction::Kind::VariablePart;
  beside.value = 4;
  JumpFunction shared;
  shared.kind = JumpFunction::Kind::Memory;
  shared.parameter = 2;
  shared.value = 16;
  s.handleFlows = {{handle, 0, 1},
                   {handle, 0, 2, 48, HandleTarget::Behind},
                   {handle, kNone, 8, 16, HandleTarget::Variable, 1},
                   {beside, kNone, 0, 16, HandleTarget::Beside},
                   {handle, kNone, 8, kNone, HandleTarget::Return},
                   {result, kNone, 0, kNone, HandleTarget::Followed},
                   {handle, kNone, 2, 24, HandleTarget::Into},
                   {shared, 0, 1, kNone, HandleTarget::Passed}};
  s.guardFacts = {{GuardKind::FitsWord, 0, true, 56, 64, 0, 3},
                  {GuardKind::Multiple, 1, false, 0, 32, 2},
                  {GuardKind::SmallGrid},
                  {GuardKind::Apart, 0, true, 8, 0, 0, 0, {0, true, 16}}};
  s.guards = {{12, {0, 2}}, {1 << 20, {2, 2}}};
  LaunchValue size{false, 1, false, 0, 32}, part{false, 0, true, 56, 64},
      block{true, kBlockZ, false, 0, 32};
  LaunchSum sum{{{-7, {}}, {INT64_MIN, {part, part, block}}, {4, {size}}}};
  s.guardExtents = {{{0, true, 8}, {{}}, {sum, launchSymbol(size)}, {sum}},
                    {{0, true, 16}, {}, {}, {}}};
  s.loadedParts = {{0, 4, ScalarKind::Float, 32, 2},
                   {0, 8, ScalarKind::Pointer, 0, 3}};
  s.members = {{0, 8, kParamMayRead}, {0, 16, kParamMayRead | kParamMayWrite}};

  using Value = TransferValueKind;
  TransferValue local, loaded, computed, allocated;
  local.kind = Value::Local;
  loaded.kind = Value::Load;
  loaded.base = 0;
  loaded.number = 8;
  loaded.function = handle;
  computed.kind = Value::Operation;
  computed.operation = JumpOperation::Add;
  computed.bitWidth = 64;
  computed.base = 1;
  computed.other = 0;
  computed.number = 4;
  allocated.function = result;
  allocated.block = 3;
  s.transferValues = {local, loaded, computed, allocated};
  TransferEvent first, call, loop, stop;
  first.targets = {3};
  first.parents = {0, 1};
  call.kind = TransferEventKind::Call;
  call.call = 1;
  call.operands = {{2, kTransferReads}, {kNone, kTransferWrites}, {}};
  loop.targets = {-3, 0};
  loop.loop = 2;
  loop.end = TransferEnd::Unwinds;
  stop.kind = TransferEventKind::Unknown;
  stop.stretch = 7;
  s.transferEvents = {first, call, stop, loop};

  FunctionSummary f;
  f.symbol = 1;
  f.flags = kNoInline | kNoDuplicate;
  f.memoryEffects = kReadsGlobals | kSynchronizes;
  f.instructionCount = 100;
  f.sizeBytes = 1600;
  f.timeCycles = 1ull << 40;
  f.stackBytes = 32;
  f.registersPerThread = 40;
  f.maxLoopDepth = 2;
  f.maxThreads[0] = 256;
  f.requiredThreads[1] = 4;
  f.minBlocksPerSM = 2;
  f.maxRegisters = 64;
  f.geometryGain[3] = 12;
  f.place = {3, 0, 2};
  f.contentDigest = {5, 6};
  f.attributesDigest = {7, 8};
  f.foldHash = {11, 12};
  f.foldSymbols = {0, 3};
  f.parameters = {0, 2};
  f.calls = {0, 3};
  f.references = {0, 2};
  f.launches = {0, 2};
  f.stubArguments = {0, 2};
  f.handleFlows = {0, 6};
  f.guards = {0, 2};
  f.loadedParts = {0, 2};
  f.members = {0, 2};
  f.guardExtents = {0, 2};
  f.transferValues = {0, 4};
  f.transferEvents = {0, 4};
  f.returned = shifted;
  FunctionSummary g;
  g.symbol = 2;
  g.parameters = {0, 2};
  g.calls = {3, 1};
  s.functions = {f, g};
  VariableSummary v;
  v.symbol = 0;
  v.sizeBytes = 1ull << 33;
  v.alignLog2 = 8;
  v.zeroInitialized = true;
  v.hasBlockAddress = true;
  v.references = {2, 1};
  v.contentDigest = {9, 10};
  v.foldHash = {13, 14};
  v.foldSymbols = {1, 2};
  s.variables = {v};
  s.aliases = {{4, 1, -16}};
  s.structors = {{101, 1, kNone, false}, {65535, 2, 0, true}};
  OffloadEntry entry;
  entry.kind = OffloadEntry::Kind::Managed;
  entry.hostSymbol = 0;
  entry.deviceName = "_Z3devv";
  entry.sizeBytes = 4;
  entry.isConstant = entry.isExtern = true;
  entry.textureType = 3;
  s.offloadEntries = {entry};
  return s;
}

/// The names as LLVM's bitcode writer would order them.
constexpr llvm::StringLiteral kBitcodeNames = "groupvarmaincalleealias";

testing::AssertionResult roundTrips(const ModuleSummary &s,
                                    llvm::StringRef names) {
  std::string bytes = writeSummary(s, names);
  llvm::Expected<ModuleSummary> read = readSummary(bytes, names, kWhere);
  if (!read)
    return testing::AssertionFailure() << llvm::toString(read.takeError());
  if (!(*read == s))
    return testing::AssertionFailure() << "differs";
  if (writeSummary(*read, names) != bytes)
    return testing::AssertionFailure() << "written differently again";
  return testing::AssertionSuccess();
}

std::string messageOf(llvm::Expected<ModuleSummary> result) {
  return result ? "" : llvm::toString(result.takeError());
}

TEST(SummaryFormat, RoundTripsEmpty) {
  EXPECT_TRUE(roundTrips(ModuleSummary(), ""));
}

TEST(SummaryFormat, RoundTripsEverything) {
  EXPECT_TRUE(roundTrips(fullSummary(), ""));
  EXPECT_TRUE(roundTrips(fullSummary(), kBitcodeNames));
}

/// Gives each field that describe() names a random value. What is in other
/// tables is one of those that \p s has; the body has two parameters and three
/// calls.
class RecordFiller : public RecordVisitor<RecordFiller> {
public:
  RecordFiller(const ModuleSummary &s, std::mt19937 &random)
      : s(s), random(random) {}

  template <typename T> void number(const char *, T &value) {
    static constexpr uint64_t kNumbers[] = {0, 0, 1, 2, 3, 8, 32, 64, ~0ull};
    value = static_cast<T>(kNumbers[below(std::size(kNumbers))]);
  }
  template <typename T> void signedNumber(const char *, T &value) {
    value = static_cast<T>(below(5)) - 2;
  }
  void boolean(const char *, bool &value) { value = below(2); }
  void alignment(uint8_t &value) { value = below(9); }
  void place(SourcePlace &value) {
    if (below(2))
      value = {below(100) + 1, uint16_t(below(3)), uint16_t(below(3))};
  }
  void sourceName(uint32_t &value) { value = below(s.sourceNames.size() + 1); }
  template <typename T>
  void flags(const char *, T &value, llvm::ArrayRef<FlagName> names) {
    for (const FlagName &name : names)
      if (below(4) == 0)
        value |= static_cast<T>(name.flag);
  }
  template <typename E>
  void enumerator(const char *, E &value, llvm::ArrayRef<const char *> names) {
    value = static_cast<E>(below(names.size()));
  }
  void symbol(const char *, SymbolIndex &value, bool orNone = false) {
    value = orNone && below(2) ? kNone : below(s.symbols.size());
  }
  void call(const char *, uint32_t &value, bool orNone = false) {
    value = orNone && below(2) ? kNone : below(3);
  }
  void formal(const char *, uint32_t &value) { value = below(2); }
  void jump(const char *, JumpFunction &value) {
    value = s.jumpFunctions[below(s.jumpFunctions.size())];
  }
  void jumps(const char *, Range &value, llvm::ArrayRef<const char *> = {}) {
    records<Table::jumpFunctions>("", value);
  }
  template <Table kTable> void records(const char *, Range &value) {
    uint32_t size = tableOf<kTable>(s).size();
    value.first = below(size);
    value.count = below(size - value.first + 1);
    if (value.count == 0)
      value = Range();
  }
  template <typename T, typename Describe>
  void list(const char *, std::vector<T> &values, uint32_t most,
            Describe describe) {
    values.resize(below(std::min(most, 2u) + 1));
    for (T &value : values)
      describe(*this, value);
  }

private:
  uint32_t below(size_t end) { return random() % end; }

  const ModuleSummary &s;
  std::mt19937 &random;
};

/// Puts a random record into \p table, and into the \p range of a body in it
/// which has no other; returns whether readers accept it.
template <typename T>
bool readsRandomRecord(std::mt19937 &random,
                       std::vector<T> ModuleSummary::*table,
                       Range FunctionSummary::*range) {
  ModuleSummary s = fullSummary();
  T record{};
  RecordFiller filler(s, random);
  describe(filler, record);
  (s.*table).push_back(record);
  FunctionSummary &body = s.functions[1];
  body.calls = {0, 3};
  body.*range = {uint32_t((s.*table).size() - 1), 1};
  std::string bytes = writeSummary(s, "");
  llvm::Expected<ModuleSummary> read = readSummary(bytes, "", kWhere);
  if (!read) {
    llvm::consumeError(read.takeError()); // a check() of its description
    return false;
  }
  EXPECT_TRUE((*read).*table == s.*table);
  EXPECT_EQ(writeSummary(*read, ""), bytes);
  return true;
}

TEST(SummaryFormat, RoundTripsRandomRecords) {
  constexpr unsigned kRecords = 2000;
  std::mt19937 random(1);
  unsigned accepted;
#define GPULTO_BODY_TABLE(RECORD, TABLE, LEAST, WORD)                          \
  accepted = 0;                                                                \
  for (unsigned i = 0; i < kRecords; ++i)                                      \
    accepted += readsRandomRecord(random, &ModuleSummary::TABLE,               \
                                  &FunctionSummary::TABLE);                    \
  EXPECT_GT(accepted, 0u) << #TABLE;
#include "summary/Tables.def"
}

TEST(SummaryFormat, RoundTripsDeviceSide) {
  ModuleSummary s = fullSummary();
  s.side = Side::Device;
  s.arch = "sm_90";
  for (SymbolRecord &symbol : s.symbols)
    symbol.typeHash = 0; // of the host only
  EXPECT_TRUE(roundTrips(s, ""));
}

TEST(SummaryFormat, NamesInBitcodeAreNotRepeated) {
  std::string with = writeSummary(fullSummary(), kBitcodeNames);
  EXPECT_EQ(with.find("callee"), std::string::npos);
  EXPECT_NE(writeSummary(fullSummary(), "").find("callee"), std::string::npos);
}

TEST(SummaryFormat, NamesPointIntoBitcode) {
  std::string names = kBitcodeNames.str();
  std::string bytes = writeSummary(fullSummary(), names);
  ModuleSummary read = cantFail(readSummary(bytes, names, kWhere));
  EXPECT_EQ(read.symbols[3].name.data(), names.data() + 12);
}

TEST(SummaryFormat, RefusesOtherVersions) {
  std::string bytes = writeSummary(ModuleSummary(), "");
  bytes[4] = char(kSummaryVersion + 1);
  EXPECT_THAT(messageOf(readSummary(bytes, "", kWhere)),
              testing::HasSubstr("summary version"));
  bytes[0] = 'X';
  EXPECT_THAT(messageOf(readSummary(bytes, "", kWhere)),
              testing::HasSubstr("not a summary"));
}

TEST(SummaryFormat, ErrorsNameThePlace) {
  std::string bytes = writeSummary(fullSummary(), "");
  bytes.resize(bytes.size() - 1);
  EXPECT_THAT(messageOf(readSummary(bytes, "", kWhere)),
              testing::StartsWith("x.o"));
}

/// A summary of one function without parameters that returns \p returned.
std::string returning(std::vector<JumpFunction> table, JumpFunction returned) {
  ModuleSummary s;
  SymbolRecord symbol;
  symbol.name = "f";
  s.symbols = {symbol};
  s.jumpFunctions = std::move(table);
  FunctionSummary f;
  f.symbol = 0;
  f.returned = returned;
  s.functions = {f};
  return messageOf(readSummary(writeSummary(s, ""), "", kWhere));
}

TEST(SummaryFormat, CompositionsEndAndNameWhatExists) {
  using Kind = JumpFunction::Kind;
  auto composed = [](uint32_t source) {
    JumpFunction j = jump(Kind::Composed, source, 1, 32);
    j.operation = JumpOperation::Add;
    return j;
  };
  JumpFunction constant = JumpFunction::constant(1, 32);
  JumpFunction formal = JumpFunction::passThrough(0, 32);
  EXPECT_EQ(returning({constant}, composed(0)), "");
  EXPECT_THAT(returning({constant}, composed(1)),
              testing::HasSubstr("does not exist"));
  EXPECT_THAT(returning({formal}, composed(0)),
              testing::HasSubstr("does not exist"));
  EXPECT_THAT(returning({}, jump(Kind::CallResult, 0, 0, 32)),
              testing::HasSubstr("does not exist"));
  EXPECT_THAT(returning({composed(0)}, constant),
              testing::HasSubstr("composed of a later one"));
  auto squared = [&](uint32_t source) {
    JumpFunction j = composed(source);
    j.count = source + 1;
    return j;
  };
  EXPECT_EQ(returning({constant}, squared(0)), "");
  EXPECT_THAT(returning({formal}, squared(0)),
              testing::HasSubstr("does not exist"));
  // Twice as much with each step.
  std::vector<JumpFunction> wide = {constant};
  for (uint32_t i = 0; i < 24; ++i)
    wide.push_back(squared(i));
  EXPECT_THAT(returning(wide, composed(24)),
              testing::HasSubstr("does not exist"));
  std::vector<JumpFunction> deep = {constant};
  for (uint32_t i = 0; i < 40; ++i)
    deep.push_back(composed(i));
  EXPECT_THAT(returning(deep, constant), testing::HasSubstr("too deeply"));
}

/// A summary of symbol "f" of \p kind and \p functions and \p aliases of it.
std::string describing(SymbolKind kind, unsigned functions, unsigned aliases) {
  ModuleSummary s;
  SymbolRecord symbol;
  symbol.name = "f";
  symbol.kind = kind;
  s.symbols = {symbol};
  s.functions.assign(functions, {});
  for (FunctionSummary &function : s.functions)
    function.symbol = 0;
  s.aliases.assign(aliases, {});
  for (AliasSummary &alias : s.aliases)
    alias.symbol = 0;
  return messageOf(readSummary(writeSummary(s, ""), "", kWhere));
}

TEST(SummaryFormat, ASymbolHasOneSummaryOfItsKind) {
  EXPECT_EQ(describing(SymbolKind::Function, 1, 0), "");
  EXPECT_EQ(describing(SymbolKind::IFunc, 0, 1), "");
  EXPECT_THAT(describing(SymbolKind::Function, 2, 0),
              testing::HasSubstr("not in order"));
  EXPECT_THAT(describing(SymbolKind::Alias, 1, 0),
              testing::HasSubstr("no defined function"));
  EXPECT_THAT(describing(SymbolKind::Variable, 0, 1),
              testing::HasSubstr("no defined alias"));
}

TEST(SummaryFormat, RefusesEveryTruncation) {
  std::string bytes = writeSummary(fullSummary(), kBitcodeNames);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(messageOf(readSummary(llvm::StringRef(bytes).take_front(size),
                                    kBitcodeNames, kWhere)),
              "")
        << "cut to " << size;
  bytes.push_back(0);
  EXPECT_NE(messageOf(readSummary(bytes, kBitcodeNames, kWhere)), "");
}

TEST(SummaryFormat, RefusesMissingBitcodeNames) {
  std::string bytes = writeSummary(fullSummary(), kBitcodeNames);
  for (size_t size = 0; size < kBitcodeNames.size(); ++size)
    EXPECT_NE(
        messageOf(readSummary(bytes, kBitcodeNames.take_front(size), kWhere)),
        "");
}

/// Uses every index and range of \p s as WPA would.
uint64_t useAll(const ModuleSummary &s) {
  uint64_t sum = 0;
  auto symbol = [&](SymbolIndex i) {
    if (i != kNone)
      sum += s.symbols[i].name.size();
  };
  auto list = [&](Range range, Range formals) {
    for (const JumpFunction &j : slice(s.jumpFunctions, range)) {
      if (j.kind == JumpFunction::Kind::SymbolAddress)
        symbol(j.source);
      if (j.kind == JumpFunction::Kind::PassThrough)
        sum += slice(s.parameters, formals)[j.source].bitWidth;
      if (j.kind == JumpFunction::Kind::Aggregate)
        for (uint32_t i = 0; i < j.count; ++i)
          sum += s.aggregateParts[j.source + i].byteOffset;
    }
  };
  for (const SymbolRecord &r : s.symbols)
    if (r.comdat != kNone)
      sum += s.comdats[r.comdat].name.size();
  for (const FunctionSummary &f : s.functions) {
    symbol(f.symbol);
    for (const CallEdge &c : slice(s.calls, f.calls)) {
      symbol(c.callee);
      list(c.arguments, f.parameters);
    }
    for (const ReferenceEdge &r : slice(s.references, f.references))
      symbol(r.symbol);
    for (const LaunchSite &l : slice(s.launches, f.launches)) {
      symbol(l.stub);
      list(l.geometry, f.parameters);
      list(l.arguments, f.parameters);
    }
    for (const HandleFlow &h : slice(s.handleFlows, f.handleFlows))
      if (h.to == HandleTarget::Variable)
        symbol(h.variable);
      else if (h.call != kNone)
        symbol(slice(s.calls, f.calls)[h.call].callee);
  }
  for (const VariableSummary &v : s.variables)
    for (const ReferenceEdge &r : slice(s.references, v.references))
      symbol(r.symbol);
  for (const AliasSummary &a : s.aliases)
    symbol(a.target);
  for (const StructorRecord &r : s.structors)
    symbol(r.function);
  for (const OffloadEntry &e : s.offloadEntries)
    symbol(e.hostSymbol);
  return sum;
}

TEST(SummaryFormat, DamageIsRefusedOrHarmless) {
  const std::string good = writeSummary(fullSummary(), kBitcodeNames);
  std::mt19937 random(1);
  unsigned refused = 0;
  constexpr unsigned kRounds = 20000;
  uint64_t sum = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    std::string bad = good;
    for (unsigned i = 0, n = 1 + random() % 4; i < n; ++i)
      bad[random() % bad.size()] = char(random());
    llvm::Expected<ModuleSummary> read =
        readSummary(bad, kBitcodeNames, kWhere);
    if (read)
      sum += useAll(*read);
    else
      ++refused;
    llvm::consumeError(read.takeError());
  }
  EXPECT_GT(refused, kRounds / 4);
  EXPECT_GT(sum, 0u);
}

TEST(SummaryFormat, RefusesJumpFunctionOfMissingParameter) {
  ModuleSummary s = fullSummary();
  s.functions[1].parameters.count = 1;
  EXPECT_THAT(messageOf(readSummary(writeSummary(s, ""), "", kWhere)),
              testing::HasSubstr("parameter or call that does not exist"));
}

TEST(SummaryFormat, RefusesMemoryOfNoVariable) {
  JumpFunction memory = jump(JumpFunction::Kind::Memory, 0, 4, 32);
  EXPECT_THAT(returning({}, memory),
              testing::HasSubstr("parameter or call that does not exist"));
  memory.parameter = 1;
  EXPECT_EQ(returning({}, memory), "");
}

TEST(SummaryFormat, RefusesFilesAndNamesThatAreNotThere) {
  ModuleSummary s = fullSummary();
  s.calls[0].place.file = 3;
  EXPECT_THAT(messageOf(readSummary(writeSummary(s, ""), "", kWhere)),
              testing::HasSubstr("file of a place out of range"));
  s = fullSummary();
  s.parameters[1].name = 2;
  EXPECT_THAT(messageOf(readSummary(writeSummary(s, ""), "", kWhere)),
              testing::HasSubstr("name of a parameter out of range"));
}

TEST(SummaryFormat, RefusesGuardOfMissingParameter) {
  const GuardFact wrong[] = {
      {GuardKind::FitsWord, 0, true, 57, 64, 0}, // behind the aggregate
      {GuardKind::FitsWord, 0, false, 0, 64, 0}, // of all of it
      {GuardKind::Multiple, 1, true, 0, 32, 2},  // in a scalar
      {GuardKind::Multiple, 1, false, 0, 64, 2}, // of another width
      {GuardKind::Multiple, 2, false, 0, 32, 2}, // of none
      {GuardKind::Apart, 0, true, 8, 0, 0, 0, {0, true, 60}}, // from outside
      {GuardKind::Apart, 0, true, 8, 0, 0, 0, {0, true, 8}}}; // from itself
  for (const GuardFact &fact : wrong) {
    ModuleSummary s = fullSummary();
    s.guardFacts[0] = fact;
    EXPECT_THAT(messageOf(readSummary(writeSummary(s, ""), "", kWhere)),
                testing::HasSubstr("guard of a parameter"));
  }
}

TEST(SummaryFormat, RefusesGuardOfUnknownSizeClass) {
  ModuleSummary s = fullSummary();
  s.guardFacts[0].sizeClass = kLastSizeClass + 1;
  EXPECT_THAT(messageOf(readSummary(writeSummary(s, ""), "", kWhere)),
              testing::HasSubstr("guard out of range"));
}

TEST(SummaryFormat, RefusesMembersThatCannotBe) {
  for (const PointerMember &wrong : {PointerMember{0, 8, 0},  // twice
                                     PointerMember{0, 57, 0}, // reaches out
                                     PointerMember{1, 0, 0},  // no aggregate
                                     PointerMember{2, 0, 0}}) {
    ModuleSummary s = fullSummary();
    s.members[1] = wrong;
    EXPECT_THAT(messageOf(readSummary(writeSummary(s, ""), "", kWhere)),
                testing::HasSubstr("pointers in no by-value"));
  }
}

TEST(SummaryFormat, RefusesLoadedPartsThatCannotBe) {
  auto messageWith = [](const LoadedPart &part) {
    ModuleSummary s = fullSummary();
    s.loadedParts[1] = part;
    return messageOf(readSummary(writeSummary(s, ""), "", kWhere));
  };
  for (const LoadedPart &wrong :
       {LoadedPart{1, 0, ScalarKind::Integer, 32, 2},  // no pointer
        LoadedPart{2, 0, ScalarKind::Integer, 32, 2},  // no parameter
        LoadedPart{0, 7, ScalarKind::Integer, 32, 2}}) // overlaps
    EXPECT_THAT(messageWith(wrong), testing::HasSubstr("loaded parts of no"));
  for (const LoadedPart &wrong : {LoadedPart{0, 8, ScalarKind::Integer, 0, 2},
                                  LoadedPart{0, 8, ScalarKind::Integer, 72, 2},
                                  LoadedPart{0, 8, ScalarKind::Integer, 31, 2},
                                  LoadedPart{0, 8, ScalarKind::Pointer, 64, 2},
                                  LoadedPart{0, 8, ScalarKind::Float, 32, 33}})
    EXPECT_THAT(messageWith(wrong), testing::HasSubstr("out of range"));
}

TEST(SummaryFormat, RefusesExtentOfMissingParameter) {
  const LaunchValue wrong[] = {
      {false, 2, false, 0, 32},           // of none
      {false, 1, false, 0, 64},           // of another width
      {false, 0, true, 57, 64},           // behind the aggregate
      {true, kSharedBytes, false, 0, 32}, // of no dimension
      {true, kGridX, false, 0, 64}};      // of another width
  for (const LaunchValue &value : wrong) {
    ModuleSummary s = fullSummary();
    s.guardExtents[0].premises = {launchSymbol(value)};
    EXPECT_THAT(messageOf(readSummary(writeSummary(s, ""), "", kWhere)),
                testing::HasSubstr("extent of a parameter"));
  }
  ModuleSummary s = fullSummary();
  s.guardExtents[1].pointer = {1, false, 0}; // a number
  EXPECT_THAT(messageOf(readSummary(writeSummary(s, ""), "", kWhere)),
              testing::HasSubstr("extent of a parameter"));
}

TEST(SummaryFormat, RefusesExtentWithOneEnd) {
  ModuleSummary s = fullSummary();
  s.guardExtents[1].lows = {launchConstant(0)};
  EXPECT_THAT(messageOf(readSummary(writeSummary(s, ""), "", kWhere)),
              testing::HasSubstr("extent with one end"));
}

/// A summary with \p events more calls around copies than others have, whose
/// operands are as random as \p values.
ModuleSummary withEvents(unsigned events, unsigned values) {
  ModuleSummary s = fullSummary();
  std::mt19937 random(1);
  for (uint32_t i = 0; i < events; ++i) {
    TransferEvent &event = s.transferEvents.emplace_back();
    event.kind = TransferEventKind::Call;
    event.call = i;
    for (unsigned operand = 0; operand < 4; ++operand)
      event.operands.push_back({uint32_t(random() % values), kTransferReads});
  }
  return s;
}

/// Where the bytes of the first packed table of \p summary begin.
size_t packedAt(llvm::StringRef summary) {
  constexpr char kZstdMagic[] = "\x28\xb5\x2f\xfd";
  return summary.find(kZstdMagic);
}

TEST(SummaryFormat, PacksManyEvents) {
  ModuleSummary few = withEvents(10, 200), many = withEvents(500, 200);
  EXPECT_TRUE(roundTrips(few, ""));
  EXPECT_TRUE(roundTrips(many, kBitcodeNames));
  std::string bytes = writeSummary(many, "");
  EXPECT_EQ(packedAt(writeSummary(few, "")), llvm::StringRef::npos);
  EXPECT_NE(packedAt(bytes), llvm::StringRef::npos);
  constexpr size_t kBytesOfEvent = 11; // kind, call, size, operands
  EXPECT_LT(bytes.size(), kBytesOfEvent * many.transferEvents.size());
}

// So few bytes may not stand for so much memory.
TEST(SummaryFormat, DoesNotPackEqualEvents) {
  ModuleSummary s = withEvents(5000, 1);
  EXPECT_TRUE(roundTrips(s, ""));
  EXPECT_EQ(packedAt(writeSummary(s, "")), llvm::StringRef::npos);
}

TEST(SummaryFormat, RefusesDamagedPackedTables) {
  const std::string good = writeSummary(withEvents(500, 200), "");
  const size_t at = packedAt(good);
  ASSERT_NE(at, llvm::StringRef::npos);
  auto messageWith = [&](size_t place, char value) {
    std::string bad = good;
    bad[place] = value;
    return messageOf(readSummary(bad, "", kWhere));
  };
  // Before them are two ulebs of two bytes: how many there are, packed and not.
  EXPECT_THAT(messageWith(at - 1, 1), testing::StartsWith("x.o"));
  EXPECT_NE(messageWith(at - 1, 0x7f), "");
  EXPECT_NE(messageWith(at - 3, 1), "");
  EXPECT_NE(messageWith(at, 0), "");
  EXPECT_NE(messageWith(good.size() / 2, ~good[good.size() / 2]), "");
  std::mt19937 random(1);
  for (unsigned round = 0; round < 2000; ++round) {
    std::string bad = good;
    bad[at + random() % (bad.size() - at)] = char(random());
    llvm::Expected<ModuleSummary> read = readSummary(bad, "", kWhere);
    llvm::consumeError(read.takeError());
  }
}

TEST(SummaryFormat, RefusesPackedBytesThatHoldTooMuch) {
  BinaryWriter out;
  pack(std::string(1 << 12, 'x') + std::string(60, 'y'), out);
  EXPECT_EQ(out.str()[0], 0);            // too dense
  std::string claims("\x10\xc0\x08", 3); // 16 bytes are 1088
  claims.append(16, 'x');
  BinaryReader in(claims, kWhere);
  llvm::SmallVector<uint8_t, 0> bytes;
  unpack(in, in.uleb(), bytes);
  EXPECT_THAT(messageOf(in.takeError()),
              testing::HasSubstr("16 packed bytes cannot hold 1088"));
  EXPECT_TRUE(bytes.empty());
}

TEST(SummaryFormat, ErrorsInPackedTablesNameThePlace) {
  ModuleSummary s = withEvents(500, 200);
  s.transferEvents[400].kind = TransferEventKind(77);
  EXPECT_THAT(messageOf(readSummary(writeSummary(s, ""), "", kWhere)),
              testing::MatchesRegex(
                  "x\\.o.*\\+0x.*\\(unpacked\\+0x[0-9a-f]+\\): unknown "
                  "enumerator 77, expected at most 5"));
}

TEST(SummaryFormat, RefusesMoreEventsThanBytesCanHold) {
  std::string bytes = writeSummary(ModuleSummary(), "");
  // Behind magic, version and names, a byte for each table.
  constexpr size_t kSizes = 6;
  bytes.replace(kSizes + size_t(Table::transferEvents), 1, "\xff\xff\xff\x7f");
  EXPECT_THAT(messageOf(readSummary(bytes, "", kWhere)),
              testing::HasSubstr("tables larger than the summary"));
}

TEST(SummaryFormat, RefusesEventOfWhatIsNotThere) {
  using Damage = void (*)(ModuleSummary &);
  const Damage damages[] = {
      [](ModuleSummary &s) { s.transferEvents[0].targets[0] = 1; }, // no block
      [](ModuleSummary &s) { s.transferEvents[3].targets[0] = 1; },
      [](ModuleSummary &s) { s.transferEvents[3].targets[0] = -4; },
      [](ModuleSummary &s) { s.transferEvents[3].loop = 3; },
      [](ModuleSummary &s) { s.transferEvents[0].parents[0] = 1; }, // itself
      [](ModuleSummary &s) { s.transferEvents[1].operands[0].value = 4; },
      [](ModuleSummary &s) { s.transferValues[1].base = 1; },
      [](ModuleSummary &s) { s.transferValues[2].other = 2; },
      [](ModuleSummary &s) { s.transferValues[3].block = 1; }};
  for (Damage damage : damages) {
    ModuleSummary s = fullSummary();
    damage(s);
    EXPECT_THAT(messageOf(readSummary(writeSummary(s, ""), "", kWhere)),
                testing::HasSubstr("event that names what does not exist"));
  }
}

TEST(SummaryFormat, RefusesBodyOfDeclaration) {
  ModuleSummary s = fullSummary();
  s.symbols[2].flags |= kDeclaration;
  EXPECT_THAT(messageOf(readSummary(writeSummary(s, ""), "", kWhere)),
              testing::HasSubstr("no defined function"));
}

TEST(SummaryFormat, RefusesUnorderedFunctions) {
  ModuleSummary s = fullSummary();
  std::swap(s.functions[0], s.functions[1]);
  EXPECT_THAT(messageOf(readSummary(writeSummary(s, ""), "", kWhere)),
              testing::HasSubstr("not in order"));
}

} // namespace
