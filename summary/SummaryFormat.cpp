//===- SummaryFormat.cpp - Bytes of a module summary ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: make summaries small and fast to read, since every link reads all of
// them.
//
// Redundancy is avoided in five ways:
//
//  1. Numbers are LEB128; symbol numbers are differences where they ascend.
//  2. Interned values: small records that repeat (jump functions, parameters,
//     attribute sets, call kinds) are written once and then by number.
//  3. A range of a flat table that starts where the last one ended is a count;
//     a range seen before (equal argument lists, bodies that copy alike) is its
//     number.
//  4. Most names are already in the string table of the module's bitcode, in
//     nearly the same order: such a name is a length.
//  5. Events and values around copies are alike in many functions, but seldom
//     equal: with numbers as differences, zstd finds what repeats.
//
// The descriptions of records (summary/Record.h) say what is written, in which
// order; one visitor of them writes and reads.
//
// docs/formats.md has the layout. Linear in the size of the summary.
//
//===----------------------------------------------------------------------===//

#include "summary/SummaryFormat.h"

#include "summary/ModuleSummary.h"
#include "summary/SummaryChecks.h"
#include "summary/SummaryCoding.h"

#include <array>
#include <memory>
#include <tuple>

namespace gpulto {

namespace {

constexpr uint32_t kSummaryMagic = 0x4d555347; // "GSUM"

//===----------------------------------------------------------------------===//
// Fields
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

/// On disk, a pass-through with an operation is a kind of its own.
constexpr uint64_t kWithOperation = uint64_t(JumpFunction::Kind::Last) + 1;

struct AnyPool {
  virtual ~AnyPool() = default;
};
/// Values that are written once.
template <typename Values> struct Pool : AnyPool {
  Interner<Values> interner;
};
template <typename... Fields>
std::tuple<std::decay_t<Fields>...> valuesOf(std::tuple<Fields...>);

/// All state of one pass over a summary; \p IO is Encoder or Decoder.
template <typename IO> class Transfer : public RecordVisitor<Transfer<IO>> {
public:
  /// The sizes of the tables of \p summary are known.
  Transfer(IO &io, ModuleSummary &summary) : io(&io), s(summary) {
#define GPULTO_TABLE(RECORD, TABLE, LEAST)                                     \
  sizes[unsigned(Table::TABLE)] = uint32_t(s.TABLE.size());
#include "summary/Tables.def"
  }

  void all();

  template <typename T> void number(const char *, T &value) {
    io->number(value);
  }
  template <typename T> void signedNumber(const char *, T &value) {
    io->signedNumber(value);
  }
  void numberOrNone(const char *what, uint32_t &value) {
    io->index(value, kNone, true, what);
  }
  void boolean(const char *, bool &value) { io->boolean(value); }
  void place(SourcePlace &value);
  void sourceName(uint32_t &value) {
    numberUpTo(value, sizeOf(Table::sourceNames),
               "name of a parameter out of range");
  }
  template <typename E>
  void enumerator(const char *, E &value, llvm::ArrayRef<const char *> names) {
    io->enumerator(value, static_cast<E>(names.size() - 1));
  }
  void symbol(const char *what, SymbolIndex &value, bool orNone = false) {
    io->index(value, sizeOf(Table::symbols), orNone, what);
  }
  void nearSymbol(const char *what, SymbolIndex &value) {
    io->delta(value, lastSymbol, sizeOf(Table::symbols), what);
    lastSymbol = value;
  }
  void nextSymbol(const char *what, SymbolIndex &value);
  void fresh(const char *what, uint32_t &value, Fresh kind);
  /// SummaryChecks.cpp looks whether the function has such a call.
  void call(const char *what, uint32_t &value, bool orNone = false) {
    io->index(value, kNone, orNone, what);
  }
  void nearCall(const char *what, uint32_t &value) {
    io->delta(value, lastCall, kNone, what);
    lastCall = value;
  }
  void nearNumberOrNone(const char *what, uint32_t &value);
  void formal(const char *, uint32_t &value) { io->number(value); }
  void text(const char *, llvm::StringRef &value) { io->name(value); }
  void name(llvm::StringRef &value, uint32_t comdat);
  void digest(const char *, Digest &value) { io->digest(value); }
  void jump(const char *, JumpFunction &value);
  void jumps(const char *, Range &value, llvm::ArrayRef<const char *> = {}) {
    range(value, Table::jumpFunctions);
  }
  template <Table kTable> void records(const char *, Range &value) {
    range(value, kTable);
  }
  bool head(JumpFunction &j);
  void bits(uint64_t &value, uint16_t width);
  void offset(uint64_t &value);
  void parts(uint32_t &first, uint32_t &count);
  void operands(uint32_t &operand, uint32_t &other) {
    io->number(operand);
    io->number(other);
  }
  template <Shape kShape, typename Values, typename Describe>
  void interned(Values values, Describe describe);
  template <typename Describe> void sparse(Describe describe);
  template <typename T, typename Describe>
  void list(const char *, std::vector<T> &values, uint32_t most,
            Describe describe);
  void check(bool holds, const char *message) { io->check(holds, message); }

private:
  uint32_t sizeOf(Table table) const { return sizes[unsigned(table)]; }
  void range(Range &value, Table table) {
    io->range(value, sizeOf(table), ranges[unsigned(table)]);
  }
  /// One more than an index of a table of \p size elements, or 0.
  template <typename T>
  void numberUpTo(T &value, uint32_t size, const char *what) {
    io->number(value);
    io->check(value <= size, what);
  }
  void lines();
  void facts(JumpFunction &j);
  template <typename T> void table(std::vector<T> &records);
  template <typename T> void packedTable(std::vector<T> &records);
  void table(std::vector<JumpFunction> &records);
  void table(std::vector<TransferValue> &records);
  void table(std::vector<TransferEvent> &records);

  IO *io;
  ModuleSummary &s;
  std::array<uint32_t, kTableCount> sizes;
  std::array<RangeHistory, kTableCount> ranges;
  std::array<std::unique_ptr<AnyPool>, kShapeCount> pools;
  bool hasLines = false;
  uint32_t lastLine = 0;
  /// In this table.
  SymbolIndex lastSymbol = 0;
  uint32_t lastCall = 0;
  uint32_t lastNumber = 0;
  bool isFirst = true;
  /// Numbers that are not in use yet, by Fresh.
  uint32_t unused[2] = {0, 0};
};

/// Most modules have no lines.
template <typename IO> void Transfer<IO>::lines() {
  auto hasLine = [](const auto &record) { return record.place.isKnown(); };
  hasLines = llvm::any_of(s.calls, hasLine) ||
             llvm::any_of(s.launches, hasLine) ||
             llvm::any_of(s.functions, hasLine);
  io->boolean(hasLines);
}

template <typename IO> void Transfer<IO>::place(SourcePlace &value) {
  if (!hasLines)
    return;
  io->delta(value.line, lastLine, kNone, "a line");
  lastLine = value.line;
  if (!value.isKnown())
    return;
  io->number(value.column);
  numberUpTo(value.file, sizeOf(Table::sourceFiles),
             "file of a place out of range");
}

template <typename IO>
void Transfer<IO>::nextSymbol(const char *what, SymbolIndex &value) {
  SymbolIndex last = lastSymbol;
  nearSymbol(what, value);
  io->check(isFirst || value > last, "bodies are not in order");
}

/// 0: none; otherwise one more than the difference from the last one.
template <typename IO>
void Transfer<IO>::nearNumberOrNone(const char *, uint32_t &value) {
  uint64_t code = 0;
  if (value != kNone)
    code = 1 + zigzag(int64_t(value) - int64_t(lastNumber));
  io->number(code);
  if constexpr (IO::isReading) {
    // Wraps on a hostile difference; the check is on the sum.
    uint64_t sum = uint64_t(lastNumber) + uint64_t(unzigzag(code - 1));
    io->check(code == 0 || sum < kNone, "number out of range");
    value = code && sum < kNone ? static_cast<uint32_t>(sum) : kNone;
  }
  if (value != kNone)
    lastNumber = value;
}

/// 0: none, 1: the next one that is not in use, 1 + n: the n-th back from it;
/// what lies further ahead is escaped by a number beyond all that are in use.
template <typename IO>
void Transfer<IO>::fresh(const char *, uint32_t &value, Fresh kind) {
  uint32_t &next = unused[unsigned(kind)];
  uint64_t code = 0;
  if (value != kNone)
    code = value <= next ? 1 + uint64_t(next - value) : 1 + uint64_t(value);
  io->number(code);
  if constexpr (IO::isReading) {
    io->check(code <= kNone, "number out of range");
    if (code == 0)
      value = kNone;
    else if (code - 1 <= next)
      value = next - static_cast<uint32_t>(code - 1);
    else
      value = static_cast<uint32_t>(code - 1);
    if (kind == Fresh::Comdat && value != kNone &&
        value >= sizeOf(Table::comdats)) {
      io->check(false, "COMDAT index out of range");
      value = kNone;
    }
  }
  if (value != kNone && value >= next)
    next = value + 1;
}

template <typename IO>
void Transfer<IO>::name(llvm::StringRef &value, uint32_t comdat) {
  io->name(value, comdat == kNone ? "" : s.comdats[comdat].name);
}

template <typename IO>
void Transfer<IO>::jump(const char *, JumpFunction &value) {
  interned<Shape::JumpFunction>(std::tie(value),
                                [&](auto &v) { describe(v, value); });
}

/// First byte: kind (4 bits), facts follow (1), width code (3).
template <typename IO> bool Transfer<IO>::head(JumpFunction &j) {
  using Kind = JumpFunction::Kind;
  bool hasFacts = j.hasFacts();
  bool hasOperation =
      j.kind == Kind::PassThrough && j.operation != JumpOperation::None;
  uint64_t head = (hasOperation ? kWithOperation : uint64_t(j.kind)) |
                  uint64_t(hasFacts) << 4 |
                  uint64_t(widthCode(j.bitWidth)) << 5;
  io->number(head);
  if constexpr (IO::isReading) {
    io->check(head < 256 && (head >> 5) <= kOtherWidth &&
                  (head & 15) <= kWithOperation,
              "bad jump function");
    hasOperation = (head & 15) == kWithOperation;
    j.kind = hasOperation ? Kind::PassThrough : Kind(head & 15);
    hasFacts = head >> 4 & 1;
    if ((head >> 5) < kOtherWidth)
      j.bitWidth = kCommonWidths[head >> 5];
  }
  if ((head >> 5) == kOtherWidth)
    io->number(j.bitWidth);
  if (hasFacts)
    facts(j);
  return hasOperation || j.kind == Kind::Composed;
}

template <typename IO> void Transfer<IO>::facts(JumpFunction &j) {
  // nonNull is of pointers, isCounter of integers.
  bool isPointer = j.bitWidth == 0;
  uint32_t packed = uint32_t(j.alignLog2) << 2 | uint32_t(j.high != 0) << 1 |
                    uint32_t(isPointer ? j.nonNull : j.isCounter);
  io->number(packed);
  io->check(packed < 256, "alignment too large");
  j.alignLog2 = packed >> 2 & 63;
  (isPointer ? j.nonNull : j.isCounter) = packed & 1;
  io->number(j.addressSpace);
  if (packed & 2) {
    io->number(j.low);
    io->number(j.high);
    io->check(j.high != 0 && j.low <= j.high, "bounds that exclude all");
  }
}

template <typename IO>
void Transfer<IO>::bits(uint64_t &value, uint16_t width) {
  uint64_t raw = packConstant(value, width);
  io->number(raw);
  value = unpackConstant(raw, width);
}

template <typename IO> void Transfer<IO>::offset(uint64_t &value) {
  uint64_t raw = zigzag(static_cast<int64_t>(value));
  io->number(raw);
  value = static_cast<uint64_t>(unzigzag(raw));
}

template <typename IO>
void Transfer<IO>::parts(uint32_t &first, uint32_t &count) {
  uint32_t size = sizeOf(Table::aggregateParts);
  io->number(count);
  if (count)
    io->number(first);
  io->check(count == 0 || (first <= size && count <= size - first),
            "aggregate parts past the end of their table");
}

template <typename IO>
template <Shape kShape, typename Values, typename Describe>
void Transfer<IO>::interned(Values values, Describe describe) {
  using Owned = decltype(valuesOf(values));
  std::unique_ptr<AnyPool> &pool = pools[unsigned(kShape)];
  if (!pool)
    pool = std::make_unique<Pool<Owned>>();
  io->interned(values, static_cast<Pool<Owned> &>(*pool).interner,
               [&](IO &inner, Values &) {
                 IO *outer = std::exchange(io, &inner);
                 describe(*this);
                 io = outer;
               });
}

/// A mask says what there is.
template <typename IO>
template <typename Describe>
void Transfer<IO>::sparse(Describe describe) {
  uint64_t mask = 0;
  unsigned size = 0;
  describe([&](bool isThere, auto) { mask |= uint64_t(isThere) << size++; });
  io->number(mask);
  io->check(mask >> size == 0, "unknown fields");
  describe([&, bit = 0](bool, auto each) mutable {
    if (mask >> bit++ & 1)
      each(*this);
  });
}

template <typename IO>
template <typename T, typename Describe>
void Transfer<IO>::list(const char *, std::vector<T> &values, uint32_t most,
                        Describe describe) {
  uint32_t size = static_cast<uint32_t>(values.size());
  io->number(size);
  io->check(size <= most, "list is too long");
  if constexpr (IO::isReading)
    values.resize(std::min(size, most));
  for (T &value : values)
    describe(*this, value);
}

template <typename IO>
template <typename T>
void Transfer<IO>::table(std::vector<T> &records) {
  lastSymbol = 0;
  isFirst = true;
  for (T &record : records) {
    describe(*this, record);
    isFirst = false;
  }
}

template <typename IO>
void Transfer<IO>::table(std::vector<JumpFunction> &records) {
  // Who follows what a jump function is composed of may recurse.
  constexpr uint8_t kMaxComposed = 32;
  std::vector<uint8_t> composed;
  for (JumpFunction &j : records) {
    jump("", j);
    bool isComposed = j.kind == JumpFunction::Kind::Composed;
    bool isOfEarlier =
        isComposed && j.source < composed.size() && j.count <= composed.size();
    io->check(isOfEarlier == isComposed,
              "jump function composed of a later one");
    uint8_t operand = isOfEarlier && j.count ? composed[j.count - 1] : 0;
    composed.push_back(isOfEarlier ? std::max(composed[j.source], operand) + 1
                                   : 0);
    io->check(composed.back() <= kMaxComposed,
              "jump function composed too deeply");
    if (composed.back() > kMaxComposed)
      composed.back() = 0;
  }
}

template <typename IO>
template <typename T>
void Transfer<IO>::packedTable(std::vector<T> &records) {
  lastCall = lastNumber = 0;
  if (records.empty())
    return;
  io->packed([&](IO &inner) {
    IO *outer = std::exchange(io, &inner);
    for (T &record : records)
      describe(*this, record);
    io = outer;
  });
}

template <typename IO>
void Transfer<IO>::table(std::vector<TransferValue> &records) {
  packedTable(records);
}

template <typename IO>
void Transfer<IO>::table(std::vector<TransferEvent> &records) {
  packedTable(records);
}

template <typename IO> void Transfer<IO>::all() {
  describeHeader(*this, s);
  lines();
#define GPULTO_TABLE(RECORD, TABLE, LEAST) table(s.TABLE);
#include "summary/Tables.def"
}

//===----------------------------------------------------------------------===//
// Whole summaries
//===----------------------------------------------------------------------===//

} // namespace

std::string writeSummary(const ModuleSummary &summary,
                         llvm::StringRef bitcodeNames) {
  // The description takes records by reference because it also reads; the
  // Encoder changes nothing.
  ModuleSummary &s = const_cast<ModuleSummary &>(summary);
  Encoder body(bitcodeNames);
  Transfer<Encoder>(body, s).all();

  BinaryWriter out;
  out.u32(kSummaryMagic);
  out.uleb(kSummaryVersion);
  out.string(body.own.str());
#define GPULTO_TABLE(RECORD, TABLE, LEAST) out.uleb(s.TABLE.size());
#include "summary/Tables.def"
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
  uint64_t leastBytes = 0, packedRecords = 0;
  std::array<uint32_t, kTableCount> sizes;
#define GPULTO_TABLE(RECORD, TABLE, LEAST)                                     \
  sizes[unsigned(Table::TABLE)] = in.uleb32();                                 \
  leastBytes += uint64_t(sizes[unsigned(Table::TABLE)]) * (LEAST);             \
  packedRecords += (LEAST) ? 0 : sizes[unsigned(Table::TABLE)];
#include "summary/Tables.def"
  if (leastBytes > in.remaining() ||
      packedRecords / kMaxUnpacked > in.remaining())
    in.fail("tables larger than the summary");
  if (in.failed())
    return in.takeError();
#define GPULTO_TABLE(RECORD, TABLE, LEAST)                                     \
  s.TABLE.resize(sizes[unsigned(Table::TABLE)]);
#include "summary/Tables.def"
  Transfer<Decoder>(decoder, s).all();
  if (llvm::Error error = in.finish())
    return std::move(error);
  if (std::string problem = findInconsistency(s); !problem.empty())
    return inputError(location, problem);
  return s;
}

} // namespace gpulto
