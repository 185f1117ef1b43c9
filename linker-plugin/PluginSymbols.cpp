//===- PluginSymbols.cpp - Symbols between a plugin and its linker --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a linker's answer (LDPR_*) means:
//
//   PREVAILING_DEF             the definition stays and is visible to others
//   PREVAILING_DEF_IRONLY      it stays and only bitcode refers to it
//   PREVAILING_DEF_IRONLY_EXP  it stays and is in the dynamic symbol table
//   PREEMPTED_*                another definition was taken
//   RESOLVED_*, UNDEF          it is a reference
//
// Definitions in sections whose name is a C identifier stay visible: the linker
// makes __start_ and __stop_ symbols for the section, which any code may use.
//
//===----------------------------------------------------------------------===//

#include "linker-plugin/PluginSymbols.h"

#include "fatobj/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/SymbolicFile.h"

using namespace llvm;

namespace gpulto {
namespace {

ld_plugin_symbol_kind kindOf(const lto::InputFile::Symbol &symbol) {
  if (symbol.isUndefined())
    return symbol.isWeak() ? LDPK_WEAKUNDEF : LDPK_UNDEF;
  if (symbol.isCommon())
    return LDPK_COMMON;
  return symbol.isWeak() ? LDPK_WEAKDEF : LDPK_DEF;
}

ld_plugin_symbol_visibility visibilityOf(const lto::InputFile::Symbol &symbol) {
  switch (symbol.getVisibility()) {
  case GlobalValue::HiddenVisibility:
    return LDPV_HIDDEN;
  case GlobalValue::ProtectedVisibility:
    return LDPV_PROTECTED;
  case GlobalValue::DefaultVisibility:
    break;
  }
  return LDPV_DEFAULT;
}

/// Returns how much an entry says about a name: a strong definition says most.
unsigned weight(ld_plugin_symbol_kind kind) {
  switch (kind) {
  case LDPK_DEF:
    return 4;
  case LDPK_COMMON:
    return 3;
  case LDPK_WEAKDEF:
    return 2;
  case LDPK_UNDEF:
    return 1;
  case LDPK_WEAKUNDEF:
    break;
  }
  return 0;
}

bool isPrevailing(ld_plugin_symbol_resolution resolution) {
  return resolution == LDPR_PREVAILING_DEF ||
         resolution == LDPR_PREVAILING_DEF_IRONLY ||
         resolution == LDPR_PREVAILING_DEF_IRONLY_EXP;
}

bool isCIdentifier(StringRef name) {
  return !name.empty() && !isDigit(name.front()) &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

} // namespace

PluginSymbols::PluginSymbols(const lto::InputFile &input) {
  auto keep = [&](StringRef text) {
    return texts.emplace_back(text.str()).data();
  };
  for (const lto::InputFile::Symbol &symbol : input.symbols()) {
    StringRef name = symbol.getName();
    if (isGuardSymbol(name))
      continue;
    ld_plugin_symbol to = {};
    to.def = static_cast<char>(kindOf(symbol));
    to.visibility = visibilityOf(symbol);
    to.symbol_type = static_cast<char>(symbol.isExecutable() ? LDST_FUNCTION
                                                             : LDST_VARIABLE);
    if (symbol.isUndefined())
      to.symbol_type = static_cast<char>(LDST_UNKNOWN);
    if (symbol.isCommon())
      to.size = symbol.getCommonSize();
    int comdat = symbol.getComdatIndex();
    if (comdat >= 0 &&
        input.getComdatTable()[comdat].second != Comdat::NoDeduplicate)
      to.comdat_key = keep(input.getComdatTable()[comdat].first);
    auto [it, isNew] = indices.try_emplace(name, symbols.size());
    if (isNew) {
      to.name = keep(name);
      symbols.push_back(to);
      continue;
    }
    ld_plugin_symbol &old = symbols[it->second];
    auto kind = static_cast<ld_plugin_symbol_kind>(to.def);
    auto oldKind = static_cast<ld_plugin_symbol_kind>(old.def);
    bool isLarger = kind == oldKind && to.size > old.size;
    if (weight(kind) > weight(oldKind) || isLarger) {
      to.name = old.name;
      old = to;
    }
  }
}

void PluginSymbols::ask(StringRef name) {
  if (!indices.try_emplace(name, symbols.size()).second)
    return;
  ld_plugin_symbol &symbol = symbols.emplace_back();
  symbol.name = texts.emplace_back(name.str()).data();
  symbol.def = LDPK_UNDEF;
  symbol.visibility = LDPV_DEFAULT;
  symbol.symbol_type = static_cast<char>(LDST_UNKNOWN);
}

ld_plugin_symbol_resolution PluginSymbols::resolution(StringRef name) const {
  return static_cast<ld_plugin_symbol_resolution>(
      symbols[indices.lookup(name)].resolution);
}

void addToProgram(const lto::InputFile &input, ProgramSymbols &program) {
  for (const lto::InputFile::Symbol &symbol : input.symbols()) {
    ProgramSymbol &to = program[symbol.getName()];
    to.isHidden |= symbol.getVisibility() != GlobalValue::DefaultVisibility;
    to.needsDynamic |=
        symbol.isUndefined() || !symbol.canBeOmittedFromSymbolTable();
  }
}

std::vector<lto::SymbolResolution> resolutionsOf(const lto::InputFile &input,
                                                 const PluginSymbols &symbols,
                                                 const ProgramSymbols &program,
                                                 const StringSet<> &used,
                                                 OutputKind output) {
  bool isExecutable =
      output == OutputKind::Executable || output == OutputKind::PieExecutable;
  std::vector<lto::SymbolResolution> resolutions;
  for (const lto::InputFile::Symbol &symbol : input.symbols()) {
    lto::SymbolResolution &to = resolutions.emplace_back();
    StringRef name = symbol.getName();
    if (!symbols.has(name))
      continue; // the guard
    ld_plugin_symbol_resolution from = symbols.resolution(name);
    const ProgramSymbol &everywhere = program.find(name)->second;
    to.Prevailing = !symbol.isUndefined() && isPrevailing(from);
    to.VisibleToRegularObj =
        from == LDPR_PREVAILING_DEF || output == OutputKind::Relocatable ||
        used.contains(name) ||
        (to.Prevailing && isCIdentifier(symbol.getSectionName())) ||
        (from == LDPR_PREVAILING_DEF_IRONLY_EXP && everywhere.needsDynamic);
    to.FinalDefinitionInLinkageUnit =
        from != LDPR_RESOLVED_DYN && from != LDPR_UNDEF &&
        from != LDPR_UNKNOWN && (isExecutable || everywhere.isHidden);
  }
  return resolutions;
}

} // namespace gpulto
