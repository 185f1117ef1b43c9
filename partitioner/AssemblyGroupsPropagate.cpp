//===- AssemblyGroupsPropagate.cpp - Modules whose assembly clashes -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   a.c:  asm("again: ...")      group 0: a.c, c.c
//   b.c:  asm("again: ...")      group 1: b.c, d.c
//   c.c:  no assembly
//   d.c:  void again(void);
//
// 1. findOwnNames: what assembly of each module defines for its own file. What
//    inline assembly defines counts if its function is live.
// 2. findMentions: which other modules have a global symbol of such a name.
// 3. separateAssembly: modules in their order, each into the first group where
//    nothing clashes. Linear in symbols, and in modules times groups.
//
//===----------------------------------------------------------------------===//

#include "partitioner/AssemblyGroups.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace gpulto {

namespace {

/// A module's relation to names that assembly defines.
struct AssemblyNames {
  bool isEmitted = false; // module-level assembly that is not plain
  std::vector<StringRef> own;
  std::vector<StringRef> mentioned;
  bool isNeutral() const {
    return !isEmitted && own.empty() && mentioned.empty();
  }
};

struct Group {
  bool hasModuleAssembly = false;
  StringSet<> own;
  StringSet<> mentioned;

  bool defines(ArrayRef<StringRef> names) const {
    return any_of(names, [&](StringRef n) { return own.contains(n); });
  }
  bool fits(const AssemblyNames &names) const {
    return !(names.isEmitted && hasModuleAssembly) && !defines(names.own) &&
           !defines(names.mentioned) && none_of(names.own, [&](StringRef n) {
             return mentioned.contains(n);
           });
  }
  void add(const AssemblyNames &names) {
    hasModuleAssembly |= names.isEmitted;
    for (StringRef name : names.own)
      own.insert(name);
    for (StringRef name : names.mentioned)
      mentioned.insert(name);
  }
};

} // namespace

/// Whether \p symbol is what inline assembly of its module defines.
static bool isDefinedInline(const SymbolRecord &symbol) {
  return symbol.kind == SymbolKind::Assembly && symbol.isLocal() &&
         !symbol.has(kAssemblyReferenced);
}

/// Adds what inline assembly in live functions of module \p m defines.
static void addDefinedInline(const WpaContext &context, ModuleIndex m,
                             std::vector<StringRef> &own) {
  const CombinedSummary &program = context.program;
  const ModuleSummary &summary = program.modules()[m].summary;
  for (const FunctionSummary &function : summary.functions) {
    GlobalId id = program.id(m, function.symbol);
    if (!function.has(kHasAsmLabels) || program.definition(id) != id ||
        !context.decisions.live.test(id))
      continue;
    for (const ReferenceEdge &edge :
         slice(summary.references, function.references))
      if (isDefinedInline(summary.symbols[edge.symbol]))
        own.push_back(summary.symbols[edge.symbol].name);
  }
}

static std::vector<AssemblyNames> findOwnNames(const WpaContext &context) {
  const CombinedSummary &program = context.program;
  std::vector<AssemblyNames> result(program.modules().size());
  for (ModuleIndex m : program.images()[kHostImage].modules) {
    const ModuleSummary &summary = program.modules()[m].summary;
    AssemblyNames &names = result[m];
    names.isEmitted =
        summary.has(kHasModuleAsm) && !summary.has(kModuleAsmIsPlain);
    bool definesInline = false;
    for (const SymbolRecord &symbol : summary.symbols) {
      if (!symbol.isLocal())
        continue;
      if (isDefinedInline(symbol))
        definesInline = true;
      else if (symbol.has(kWithAssembly) || symbol.kind == SymbolKind::Assembly)
        names.own.push_back(symbol.name);
    }
    if (definesInline)
      addDefinedInline(context, m, names.own);
  }
  return result;
}

/// Adds to \p names the global symbols of modules that assembly of some module
/// knows as its own.
static void findMentions(const CombinedSummary &program,
                         MutableArrayRef<AssemblyNames> names) {
  StringSet<> wanted;
  for (const AssemblyNames &module : names)
    for (StringRef name : module.own)
      wanted.insert(name);
  if (wanted.empty())
    return;
  for (ModuleIndex m : program.images()[kHostImage].modules)
    for (const SymbolRecord &symbol : program.modules()[m].summary.symbols) {
      StringRef name = symbol.name;
      name.consume_front("\1");
      if (!symbol.isLocal() && wanted.contains(name) &&
          !is_contained(names[m].own, name))
        names[m].mentioned.push_back(name);
    }
}

AssemblyGroups separateAssembly(const WpaContext &context) {
  const CombinedSummary &program = context.program;
  std::vector<AssemblyNames> names = findOwnNames(context);
  findMentions(program, names);
  AssemblyGroups result;
  result.groupOf.resize(program.modules().size());
  std::vector<Group> groups(1);
  for (ModuleIndex m : program.images()[kHostImage].modules) {
    if (names[m].isNeutral())
      continue; // goes with any: the first
    auto group = find_if(
        groups, [&](const Group &other) { return other.fits(names[m]); });
    if (group == groups.end())
      group = groups.emplace(group);
    result.groupOf[m] = group - groups.begin();
    group->add(names[m]);
  }
  for (ModuleIndex m : program.images()[kHostImage].modules)
    for (auto [g, group] : enumerate(groups))
      if (g != result.groupOf[m] && group.defines(names[m].mentioned))
        result.barred.insert({m, g});
  return result;
}

} // namespace gpulto
