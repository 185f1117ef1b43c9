//===- Record.h - What the records of a summary are made of -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Each record of a summary has a function template beside it,
//
//   template <typename V> void describe(V &v, PointerMember &m) {
//     v.formal("", m.parameter);
//     v.number("at", m.byteOffset);
//     v.flags("", m.flags, kParameterFlagNames);
//   }
//
// that names its fields once, in the order of the file. All that goes through
// records is a RecordVisitor: what writes and reads them (SummaryFormat.cpp),
// checks what they name (SummaryChecks.cpp), says which bodies conclude the
// same (icf/FoldConclusionsPropagate.cpp) and prints them (tools,
// DumpSummary.cpp). A description may ask for what it has already named: when a
// record is read, no more is known of it.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_RECORD_H
#define GPULTO_SUMMARY_RECORD_H

#include "summary/Ids.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace gpulto {

struct Digest;

enum class Side : uint8_t { Host, Device };

inline constexpr const char *kSideNames[] = {"host", "device"};

/// A range of one of the module's flat tables.
struct Range {
  uint32_t first = 0;
  uint32_t count = 0;
  bool operator==(const Range &) const = default;
  bool empty() const { return count == 0; }
};

/// A place in the source. It is the same for all that the source writes there:
/// code that was inlined from elsewhere stands where it was called.
struct SourcePlace {
  uint32_t line = 0;   ///< from 1; 0 when the place is not known
  uint16_t column = 0; ///< from 1; 0 when not known
  /// 0: the file that the module is named after; n: the n-th of
  /// ModuleSummary::sourceFiles.
  uint16_t file = 0;
  bool operator==(const SourcePlace &) const = default;
  bool isKnown() const { return line != 0; }
};

template <typename T>
llvm::ArrayRef<T> slice(const std::vector<T> &table, Range range) {
  return llvm::ArrayRef<T>(table).slice(range.first, range.count);
}

/// The tables of a summary.
enum class Table : uint8_t {
#define GPULTO_TABLE(RECORD, TABLE, LEAST) TABLE,
#include "summary/Tables.def"
  Count
};
constexpr unsigned kTableCount = unsigned(Table::Count);

/// A bit of a word of flags, and what a dump calls it.
struct FlagName {
  uint64_t flag;
  const char *name;
};

/// Fields that are written once for all records in which they are equal.
enum class Shape : uint8_t {
  Symbol,
  TypeHash,
  JumpFunction,
  Parameter,
  Call,
  Function,
  Count
};
constexpr unsigned kShapeCount = unsigned(Shape::Count);

/// Numbers that are coded by the first one that is not in use.
enum class Fresh : uint8_t { Atom, Comdat };

/// What a description may say of a field; a visitor hides what it has a use
/// for. The name of a field is its word in a dump ("": none), and, where that
/// is damaged, in an error.
template <typename Visitor> class RecordVisitor {
public:
  /// An unsigned number.
  template <typename T> void number(const char *, T &) {}
  template <typename T> void signedNumber(const char *, T &) {}
  /// A number, or kNone.
  void numberOrNone(const char *name, uint32_t &value) {
    self().number(name, value);
  }
  /// As numberOrNone(), close to the last one in the table.
  void nearNumberOrNone(const char *name, uint32_t &value) {
    self().numberOrNone(name, value);
  }
  template <typename T, size_t kSize>
  void numbers(const char *name, T (&values)[kSize]) {
    for (T &value : values)
      self().number(name, value);
  }
  /// A number that steers decisions and proves nothing: bodies may fold that
  /// differ in it.
  template <typename T> void estimate(const char *name, T &value) {
    self().number(name, value);
  }
  template <typename T, size_t kSize>
  void estimates(const char *name, T (&values)[kSize]) {
    for (T &value : values)
      self().estimate(name, value);
  }
  /// Executions for each of the function, in 1/256; an estimate.
  void frequency(const char *name, uint32_t &value) {
    self().estimate(name, value);
  }
  /// Where a record's code stands in the source; an estimate.
  void place(SourcePlace &value) {
    self().estimate("line", value.line);
    self().estimate("column", value.column);
    self().estimate("file", value.file);
  }
  /// What the source calls it: the n-th of ModuleSummary::sourceNames, or 0;
  /// an estimate.
  void sourceName(uint32_t &value) { self().estimate("name", value); }
  /// Logarithm of an alignment.
  void alignment(uint8_t &value) { self().number("align", value); }
  void boolean(const char *name, bool &value) { self().number(name, value); }
  template <typename T>
  void flags(const char *name, T &value, llvm::ArrayRef<FlagName>) {
    self().number(name, value);
  }
  /// One of an enumeration; \p names are those of all, from 0 on.
  template <typename E>
  void enumerator(const char *, E &, llvm::ArrayRef<const char *>) {}

  /// A symbol of the module, or kNone if \p orNone.
  void symbol(const char *, SymbolIndex &, bool /*orNone*/ = false) {}
  /// As symbol(), close to that of the record before.
  void nearSymbol(const char *name, SymbolIndex &value) {
    self().symbol(name, value);
  }
  /// As symbol(), greater than that of the record before.
  void nextSymbol(const char *name, SymbolIndex &value) {
    self().symbol(name, value);
  }
  /// A number among those that records before made known, or the next one.
  void fresh(const char *, uint32_t &, Fresh) {}
  /// A call of the function by its position, or kNone if \p orNone.
  void call(const char *, uint32_t &, bool /*orNone*/ = false) {}
  /// As call(), close to the last one in the table.
  void nearCall(const char *name, uint32_t &value) { self().call(name, value); }
  /// A parameter of the function.
  void formal(const char *, uint32_t &) {}

  template <typename T> void text(const char *, T &) {}
  template <typename T> void side(Side &side, T &arch) {
    self().enumerator("side", side, kSideNames);
    self().text("arch", arch);
  }
  /// The name of a symbol, which may be that of its COMDAT group.
  template <typename T> void name(T &, uint32_t /*comdat*/) {}
  void digest(const char *, Digest &) {}
  /// A digest in one word.
  template <typename T> void hash(const char *name, T &value) {
    self().number(name, value);
  }
  /// A digest that says which body this is, not what is concluded from it.
  void identity(const char *name, Digest &value) { self().digest(name, value); }

  /// A record that is a field.
  template <typename R> void nested(const char *, R &value) {
    describe(self(), value);
  }
  template <typename J> void jump(const char *, J &) {}
  /// A range of jump functions; \p names are those of the places.
  void jumps(const char *, Range &, llvm::ArrayRef<const char *> = {}) {}
  /// As jump() and jumps(), of a kernel's handle (see HandleFlow).
  template <typename J> void handle(const char *name, J &value) {
    self().jump(name, value);
  }
  void handles(const char *name, Range &value) { self().jumps(name, value); }
  template <Table kTable> void records(const char *, Range &) {}

  // Of jump functions alone.

  /// Kind, width and facts, which share bytes; returns whether there is an
  /// operation.
  template <typename J> bool head(J &j) {
    self().number("kind", j.kind);
    self().number("bits", j.bitWidth);
    self().alignment(j.alignLog2);
    self().number("addrspace", j.addressSpace);
    self().boolean("nonnull", j.nonNull);
    self().boolean("counter", j.isCounter);
    self().number("low", j.low);
    self().number("high", j.high);
    return j.operation != decltype(j.operation)();
  }
  /// A number of \p width bits.
  void bits(uint64_t &value, uint16_t /*width*/) { self().number("", value); }
  /// A distance in bytes, of either sign.
  void offset(uint64_t &value) { self().number("", value); }
  /// Parts [first, first + count) of an aggregate.
  void parts(uint32_t & /*first*/, uint32_t & /*count*/) {}
  /// The jump functions that one is composed of: the number of one, and one
  /// more than that of the other, or 0.
  void operands(uint32_t &, uint32_t &) {}

  /// Describes what is written once for all records in which \p values are
  /// equal.
  template <Shape kShape, typename Values, typename Describe>
  void interned(Values, Describe describe) {
    describe(self());
  }
  /// Describes what most records lack: \p describe calls its argument with
  /// whether there is something, and what describes that.
  template <typename Describe> void sparse(Describe describe) {
    describe([this](bool isThere, auto each) {
      if (isThere)
        each(self());
    });
  }
  /// Describes at most \p most elements, each by \p describe.
  template <typename T, typename Describe>
  void list(const char *, std::vector<T> &values, uint32_t /*most*/,
            Describe describe) {
    for (T &value : values)
      describe(self(), value);
  }
  /// What must hold of what is read.
  void check(bool, const char *) {}
  /// In a dump, what follows stands on a line of its own.
  void beginLine(const char *) {}

private:
  friend Visitor;
  RecordVisitor() = default;
  Visitor &self() { return static_cast<Visitor &>(*this); }
};

/// Describes \p record to \p visitor, which changes nothing: descriptions take
/// records by reference because they also read them.
template <typename V, typename R>
void visitRecord(V &visitor, const R &record) {
  describe(visitor, const_cast<R &>(record));
}

} // namespace gpulto

#endif
