//===- DumpSummary.cpp - Summaries as text --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One fact per line, in the order of the summary, so that FileCheck can read it
// and diff can compare it. Jump functions:
//
//   ?  i32 7  null  &symbol+8  arg0:i32  arg0:i32 add 1  arg0+16  arg0[8]:i64
//   {0: i32 1, 4: arg1:i32}     followed by (align 16 as 1 nonnull) if known
//
//===----------------------------------------------------------------------===//

#include "tools/commands/DumpSummary.h"

#include "summary/ModuleSummary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

namespace gpulto {

namespace {

using llvm::raw_ostream;
using llvm::StringRef;

/// A name as text; unprintable characters escaped, <none> for no symbol.
void printName(raw_ostream &out, StringRef name) {
  if (name.empty())
    out << "<unnamed>";
  llvm::printEscapedString(name, out);
}

/// Prints the records of one module: the fields in the descriptions, except
/// those that are 0 or unknown.
class Printer : public RecordVisitor<Printer> {
public:
  /// \p digests: those, too.
  Printer(raw_ostream &out, const ModuleSummary &summary, bool digests = false)
      : out(out), s(summary), where(summary.side == Side::Host
                                        ? std::string("host")
                                        : "device(" + summary.arch.str() + ")"),
        digests(digests) {}

  void header();
  void symbols();
  void bodies();
  void callGraph();
  void dot(StringRef prefix);

  // Fields; see RecordVisitor.
  template <typename T> void number(const char *name, T &value) {
    if (value || !*name)
      begin(name) << uint64_t(value);
  }
  template <typename T> void signedNumber(const char *name, T &value) {
    if (value || isInList)
      begin(name) << int64_t(value);
  }
  template <typename T, typename Describe>
  void list(const char *, std::vector<T> &values, uint32_t, Describe describe) {
    isInList = true;
    for (T &value : values)
      describe(*this, value);
    isInList = false;
  }
  template <typename T, size_t kSize>
  void numbers(const char *name, T (&values)[kSize]) {
    begin(name) << llvm::join(
        llvm::map_range(values, [](T each) { return std::to_string(each); }),
        " ");
  }
  template <typename T, size_t kSize>
  void estimates(const char *name, T (&values)[kSize]) {
    numbers(name, values);
  }
  void numberOrNone(const char *name, uint32_t &value) {
    if (value != kNone)
      begin(name) << value;
  }
  void frequency(const char *name, uint32_t &value) {
    constexpr double kOnce = 256;
    begin(name) << llvm::format("%.3g", value / kOnce);
  }
  void alignment(uint8_t &value) {
    if (value)
      begin("align") << (uint64_t(1) << value);
  }
  void boolean(const char *name, bool &value) {
    if (value)
      out << ' ' << name;
  }
  template <typename T>
  void flags(const char *, T &value, llvm::ArrayRef<FlagName> names) {
    for (const FlagName &each : names)
      if (value & each.flag)
        out << ' ' << each.name;
  }
  template <typename E>
  void enumerator(const char *name, E &value,
                  llvm::ArrayRef<const char *> names) {
    if (*name == 0 || value != E())
      begin(name) << names[size_t(value)];
  }
  void symbol(const char *name, SymbolIndex &value, bool = false) {
    if (*name == 0 || value != kNone)
      symbolName(begin(name), value);
  }
  void nextSymbol(const char *name, SymbolIndex &value) {
    symbol(name, value);
    out << ':';
  }
  void fresh(const char *name, uint32_t &value, Fresh kind) {
    if (value == kNone)
      return;
    if (kind == Fresh::Comdat)
      printName(begin(name), s.comdats[value].name);
    else
      begin(name) << value;
  }
  void call(const char *name, uint32_t &value, bool = false) {
    numberOrNone(name, value);
  }
  void place(SourcePlace &value) {
    if (!value.isKnown())
      return;
    begin("line") << value.line;
    if (value.column)
      out << ':' << value.column;
    if (value.file)
      printName(out << " of ", s.sourceFiles[value.file - 1].text);
  }
  void sourceName(uint32_t &value) {
    if (value)
      printName(begin("named"), s.sourceNames[value - 1].text);
  }
  void formal(const char *name, uint32_t &value) {
    begin(name) << "arg" << value;
  }
  void text(const char *name, StringRef &value) {
    if (*name == 0 || !value.empty())
      printName(begin(name), value);
  }
  void digest(const char *name, Digest &value) {
    if (!digests)
      return;
    beginLine(name);
    out << ' ' << value;
  }
  /// All lines begin with it.
  void side(Side &, StringRef &) {}
  template <typename T> void hash(const char *name, T &value) {
    if (digests)
      begin(name) << value;
  }
  using RecordVisitor::nested;
  void nested(const char *name, PointerSource &source) {
    begin(name) << "arg" << source.parameter;
    if (source.isPart)
      out << '[' << source.byteOffset << ']';
  }
  void nested(const char *name, std::vector<LaunchSum> &sums) {
    if (!sums.empty())
      begin(name) << llvm::join(llvm::map_range(sums, sumText), ", ");
  }
  void jump(const char *name, JumpFunction &value) {
    begin(name);
    jumpFunction(value);
  }
  void handle(const char *name, JumpFunction &value) {
    begin(name);
    handleText(value);
  }
  void jumps(const char *name, Range &range,
             llvm::ArrayRef<const char *> names = {});
  void handles(const char *name, Range &range) {
    if (!range.empty())
      rangeText(name, range, true);
  }
  template <Table kTable> void records(const char *name, Range &range);
  void beginLine(const char *word) {
    out << '\n' << (isHeader ? where + ' ' : "  ") << word;
  }

private:
  /// Returns where the value of the field \p name goes.
  raw_ostream &begin(const char *name) {
    if (StringRef(name) == "bits")
      return out << " i";
    out << ' ' << name;
    return *name ? out << ' ' : out;
  }
  void symbolName(raw_ostream &to, SymbolIndex index) {
    if (index == kNone)
      to << "<unknown>";
    else
      printName(to, s.symbols[index].name);
  }
  void width(const JumpFunction &j) {
    if (j.bitWidth)
      out << ":i" << j.bitWidth;
  }
  void offset(uint64_t value) {
    int64_t bytes = static_cast<int64_t>(value);
    if (bytes)
      out << (bytes > 0 ? "+" : "") << bytes;
  }
  void facts(const JumpFunction &j);
  void operation(const JumpFunction &j);
  void partsNow(const JumpFunction &j);
  void partsText(uint32_t first, uint32_t count);
  void jumpFunction(const JumpFunction &j);
  void handleText(const JumpFunction &j);
  void rangeText(const char *name, Range range, bool areHandles = false);
  /// Prints each of \p records on a line of its own behind \p word.
  template <typename T>
  void lines(const char *word, const std::vector<T> &records);
  void quoted(StringRef prefix, SymbolIndex index);

  raw_ostream &out;
  const ModuleSummary &s;
  std::string where;
  bool digests;
  bool isHeader = false;
  /// Among the fields of a record that stands on a line of its own.
  bool isInRecord = false;
  /// A 0 is told, too.
  bool isInList = false;
};

template <Table kTable> void Printer::records(const char *name, Range &range) {
  if constexpr (kTable == Table::foldSymbols)
    return;
  bool isNested = std::exchange(isInRecord, true);
  if (isNested && !range.empty())
    out << ' ' << name;
  for (const auto &[number, record] :
       llvm::enumerate(slice(tableOf<kTable>(s), range))) {
    if (isNested)
      out << (number ? "," : "");
    else
      beginLine(name);
    if constexpr (kTable == Table::parameters ||
                  kTable == Table::transferValues ||
                  kTable == Table::transferEvents)
      out << ' ' << number;
    visitRecord(*this, record);
  }
  isInRecord = isNested;
}

void Printer::jumps(const char *name, Range &range,
                    llvm::ArrayRef<const char *> names) {
  if (names.empty())
    return rangeText(name, range);
  for (const auto &[each, j] :
       llvm::zip(names, slice(s.jumpFunctions, range))) {
    out << ' ' << each << '=';
    jumpFunction(j);
  }
}

void Printer::rangeText(const char *name, Range range, bool areHandles) {
  out << ' ' << name << (*name ? "=(" : "(");
  const char *separator = "";
  for (const JumpFunction &j : slice(s.jumpFunctions, range)) {
    out << separator;
    if (areHandles)
      handleText(j);
    else
      jumpFunction(j);
    separator = ", ";
  }
  out << ')';
}

void Printer::header() {
  isHeader = true;
  out << where;
  describeHeader(*this, const_cast<ModuleSummary &>(s));
  beginLine("counts");
#define GPULTO_TABLE(RECORD, TABLE, LEAST)                                     \
  if (!s.TABLE.empty())                                                        \
    out << ' ' << #TABLE << ' ' << s.TABLE.size();
#include "summary/Tables.def"
  out << '\n';
  isHeader = false;
}

template <typename T>
void Printer::lines(const char *word, const std::vector<T> &records) {
  for (const T &record : records) {
    out << where << ' ' << word;
    visitRecord(*this, record);
    out << '\n';
  }
}

void Printer::symbols() {
  for (const SymbolRecord &r : s.symbols) {
    out << where << " symbol ";
    printName(out, r.name);
    out << ':';
    visitRecord(*this, r);
    out << '\n';
  }
  lines("comdat", s.comdats);
  lines("alias", s.aliases);
  lines("structor", s.structors);
  lines("offload", s.offloadEntries);
}

void Printer::bodies() {
  lines("function", s.functions);
  lines("variable", s.variables);
}

void Printer::facts(const JumpFunction &j) {
  if (!j.hasFacts())
    return;
  const char *separator = "(";
  auto begin = [&] {
    out << separator;
    separator = " ";
  };
  if (j.alignLog2) {
    begin();
    out << "align " << (uint64_t(1) << j.alignLog2);
  }
  if (j.addressSpace) {
    begin();
    out << "as " << unsigned(j.addressSpace);
  }
  if (j.nonNull) {
    begin();
    out << "nonnull";
  }
  if (j.isCounter) {
    begin();
    out << "counter";
  }
  if (j.high) {
    begin();
    out << "in " << j.low << ".." << j.high;
  }
  out << ')';
}

void Printer::operation(const JumpFunction &j) {
  if (j.operation == JumpOperation::None)
    return;
  if (j.kind == JumpFunction::Kind::Composed && j.bitWidth == 0) {
    out << " at a multiple of " << j.value;
    return;
  }
  out << ' ' << kJumpOperationNames[size_t(j.operation)];
  if (j.kind == JumpFunction::Kind::Composed && j.count) {
    out << ' ';
    jumpFunction(s.jumpFunctions[j.count - 1]);
  } else if (j.operation != JumpOperation::Trunc) {
    out << ' ' << j.value;
  }
}

/// What the pointer \p j, a formal parameter, leads to when it is passed on.
void Printer::partsNow(const JumpFunction &j) {
  if (j.isPointerPassedOn() && j.count)
    partsText(j.parameter, j.count);
}

void Printer::partsText(uint32_t first, uint32_t count) {
  out << '{';
  const char *separator = "";
  for (const AggregatePart &part :
       llvm::ArrayRef(s.aggregateParts).slice(first, count)) {
    out << separator << part.byteOffset << ": ";
    jumpFunction(part.value);
    separator = ", ";
  }
  out << '}';
}

void Printer::jumpFunction(const JumpFunction &j) {
  using Kind = JumpFunction::Kind;
  switch (j.kind) {
  case Kind::Unknown:
    out << '?';
    break;
  case Kind::Constant:
    out << 'i' << j.bitWidth << ' ' << j.value;
    break;
  case Kind::Null:
    out << "null";
    break;
  case Kind::SymbolAddress:
    out << '&';
    symbolName(out, j.source);
    offset(j.value);
    break;
  case Kind::PassThrough:
    out << "arg" << j.source;
    width(j);
    operation(j);
    partsNow(j);
    break;
  case Kind::Ancestor:
    out << "arg" << j.source << "+" << static_cast<int64_t>(j.value);
    partsNow(j);
    break;
  case Kind::LoadAggregate:
    out << "arg" << j.source << '[' << j.value;
    if (j.count)
      out << ".." << j.value + j.count << " at entry";
    out << ']';
    width(j);
    break;
  case Kind::Aggregate:
    if (j.value)
      out << "&local" << j.value;
    partsText(j.source, j.count);
    break;
  case Kind::CallMemory:
    out << "argument " << j.parameter << " of call " << j.source << '['
        << j.value << ".." << j.value + j.count << ']';
    break;
  case Kind::Memory:
    out << "local" << j.parameter << " one of";
    partsText(j.source, j.count);
    out << '[' << j.value << ']';
    width(j);
    break;
  case Kind::VariablePart:
    out << (j.parameter ? "stored before in " : "stored in ");
    symbolName(out, j.source);
    out << '[' << j.value << ']';
    width(j);
    break;
  case Kind::Allocation:
    out << "allocated by call " << j.source
        << (j.parameter ? ", which lasts" : "");
    break;
  case Kind::LoadVariable:
    out << "load ";
    symbolName(out, j.source);
    break;
  case Kind::CallResult:
    out << "result of call " << j.source << '[' << j.value;
    if (j.count)
      out << ".." << j.value + j.count;
    out << ']';
    width(j);
    break;
  case Kind::Composed:
    out << '(';
    jumpFunction(s.jumpFunctions[j.source]);
    out << ')';
    width(j);
    operation(j);
    break;
  }
  facts(j);
}

/// A Memory is another one than in jump functions, see HandleFlow.
void Printer::handleText(const JumpFunction &j) {
  if (j.kind != JumpFunction::Kind::Memory)
    return jumpFunction(j);
  out << "memory" << j.parameter << '[' << j.value << ']';
  if (j.bitWidth)
    width(j);
}

void Printer::callGraph() {
  for (const FunctionSummary &f : s.functions) {
    auto edge = [&](const char *arrow, SymbolIndex to, uint32_t times) {
      out << where << " edge ";
      symbolName(out, f.symbol);
      out << ' ' << arrow << ' ';
      symbolName(out, to);
      frequency("freq", times);
      out << '\n';
    };
    for (const CallEdge &c : slice(s.calls, f.calls))
      edge("->", c.callee, c.frequency);
    for (const LaunchSite &l : slice(s.launches, f.launches))
      edge("=>", l.stub, l.frequency);
  }
}

void Printer::quoted(StringRef prefix, SymbolIndex index) {
  out << '"' << prefix;
  std::string name;
  llvm::raw_string_ostream text(name);
  if (index == kNone)
    text << "<unknown>";
  else
    printName(text, s.symbols[index].name);
  for (char c : name)
    out << (c == '"' ? "\\\"" : StringRef(&c, 1));
  out << '"';
}

void Printer::dot(StringRef prefix) {
  for (const FunctionSummary &f : s.functions) {
    out << "  ";
    quoted(prefix, f.symbol);
    bool isKernel = s.symbols[f.symbol].has(kKernel) ||
                    s.symbols[f.symbol].has(kKernelStub);
    out << " [shape=" << (isKernel ? "hexagon" : "box") << "];\n";
    auto edge = [&](SymbolIndex to, const char *style) {
      out << "  ";
      quoted(prefix, f.symbol);
      out << " -> ";
      quoted(prefix, to);
      out << " [style=" << style << "];\n";
    };
    for (const CallEdge &c : slice(s.calls, f.calls))
      edge(c.callee, "solid");
    for (const LaunchSite &l : slice(s.launches, f.launches))
      edge(l.stub, "bold");
  }
}

} // namespace

void printHeader(raw_ostream &out, const ModuleSummary &summary) {
  Printer(out, summary).header();
}
void printSymbols(raw_ostream &out, const ModuleSummary &summary) {
  Printer(out, summary).symbols();
}
void printBodies(raw_ostream &out, const ModuleSummary &summary, bool digests) {
  Printer(out, summary, digests).bodies();
}
void printCallGraph(raw_ostream &out, const ModuleSummary &summary) {
  Printer(out, summary).callGraph();
}
void printDot(raw_ostream &out, const ModuleSummary &summary,
              StringRef prefix) {
  Printer(out, summary).dot(prefix);
}

} // namespace gpulto
