//===- FoldConclusionsPropagate.cpp - What a class has in common (WPA) ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Bodies of one form may have different summaries: LGEN's conclusions may rest
// on promises that are not in the form. Only bodies with the same conclusions
// fold, so that the summary of any of them holds for all.
//
// Linear in the body's part of the summary.
//
//===----------------------------------------------------------------------===//

#include "icf/FoldRoles.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

namespace {

/// Adds up what LGEN concluded, all but the symbols, which the form has.
class Conclusions : public RecordVisitor<Conclusions> {
public:
  explicit Conclusions(const ModuleSummary &summary) : summary(summary) {}

  /// Returns the digest of what was added, none if that is nothing.
  Digest finish() const { return isEmpty ? Digest() : hasher.finish(); }

  template <typename T> void number(const char *, T &value) { add(value); }
  template <typename T> void signedNumber(const char *, T &value) {
    add(value);
  }
  template <typename T> void estimate(const char *, T &) {}
  template <typename E>
  void enumerator(const char *, E &value, ArrayRef<const char *>) {
    add(value);
  }
  void call(const char *, uint32_t &value, bool = false) { add(value); }
  void formal(const char *, uint32_t &value) { add(value); }
  void digest(const char *, Digest &value) { add(value); }
  void identity(const char *, Digest &) {}
  void jump(const char *, JumpFunction &value) { describe(*this, value); }
  void jumps(const char *, Range &range, ArrayRef<const char *> = {}) {
    addAll(slice(summary.jumpFunctions, range));
  }
  template <Table kTable> void records(const char *, Range &range) {
    if constexpr (kTable == Table::references)
      addReferences(range);
    else if constexpr (!isOfModule(kTable))
      addAll(slice(tableOf<kTable>(summary), range));
  }
  void parts(uint32_t &first, uint32_t &count) {
    addAll(slice(summary.aggregateParts, {first, count}));
  }
  /// The places of operands in their table mean nothing.
  void operands(uint32_t &operand, uint32_t &other) {
    addAll(slice(summary.jumpFunctions, {operand, 1}));
    addAll(slice(summary.jumpFunctions, {other ? other - 1 : 0, other != 0}));
  }
  template <typename Describe> void sparse(Describe describe) {
    describe([this, number = 0u](bool isThere, auto each) mutable {
      ++number;
      if (!isThere)
        return;
      Conclusions inner(summary);
      each(inner);
      if (inner.isEmpty)
        return;
      add(number);
      add(inner.finish());
    });
  }
  template <typename T, typename Describe>
  void list(const char *, std::vector<T> &values, uint32_t, Describe describe) {
    add(values.size());
    for (T &value : values)
      describe(*this, value);
  }

private:
  /// Whether what is in \p table is also a matter of the module: which symbols a
  /// form has, and whether the module tells the events of its functions.
  static constexpr bool isOfModule(Table table) {
    return table == Table::foldSymbols || table == Table::transferValues ||
           table == Table::transferEvents;
  }

  template <typename T> void add(const T &value) {
    hasher.add(value);
    isEmpty = false;
  }
  template <typename T> void addAll(ArrayRef<T> records) {
    add(records.size());
    for (const T &record : records)
      visitRecord(*this, record);
  }
  /// In the order of the symbols' numbers, which differs between modules.
  void addReferences(Range range) {
    std::vector<uint64_t> uses;
    for (const ReferenceEdge &edge : slice(summary.references, range))
      uses.push_back(edge.flags);
    llvm::sort(uses);
    for (uint64_t flags : uses)
      add(flags);
  }

  const ModuleSummary &summary;
  StableHasher hasher;
  bool isEmpty = true;
};

} // namespace

Digest digestOfConclusions(const CombinedSummary &program, GlobalId id) {
  Conclusions conclusions(program.moduleRef(id).summary);
  if (const VariableSummary *variable = program.variable(id))
    visitRecord(conclusions, *variable);
  else
    visitRecord(conclusions, *program.function(id));
  return conclusions.finish();
}

} // namespace gpulto
