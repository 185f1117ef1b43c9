//===- VisibilityAnalyze.cpp - Symbols of a module (LGEN) -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: list what a module defines and needs, so that whole-program analysis
// can resolve, internalize and partition without the module.
//
//  1. numberSymbols   variables, functions, aliases, ifuncs in module order
//                     (the order of the bitcode's string table), unless nobody
//                     can ask for them: intrinsics, unused declarations,
//                     llvm.used and its like.
//  2. markUsed        members of llvm.used and llvm.compiler.used.
//  3. assembly        symbols of module-level assembly, those that inline
//                     assembly names, in whatever module they are, and the
//                     labels that it defines.
//  4. fillVariables   sizes, what initializers refer to.
//  5. groupAtoms      union-find over what cannot be put into two partitions.
//
// Linear in the module's globals and initializers.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/AssemblyText.h"
#include "ipa/bodies/Passes.h"
#include "ipa/runtime/OffloadEntries.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/RuntimeLibcalls.h"
#include "llvm/Object/ModuleSymbolTable.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/TargetParser/Triple.h"

#include <set>

namespace gpulto {

namespace {

/// clang's list of what device code might be used from outside.
constexpr llvm::StringLiteral kDeviceUsed = "__clang_gpu_used_external";
constexpr llvm::StringLiteral kGuardSection = ".gpulto.guard";

/// Names that code generation makes calls to on its own, or that passes know.
class RuntimeNames {
public:
  explicit RuntimeNames(const llvm::Triple &triple) : library(triple) {
    llvm::RTLIB::RuntimeLibcallsInfo calls(triple);
    for (llvm::RTLIB::LibcallImpl call : llvm::RTLIB::libcall_impls())
      if (calls.isAvailable(call))
        names.insert(calls.getLibcallImplName(call));
  }
  bool contains(llvm::StringRef name) const {
    llvm::LibFunc function;
    return names.contains(name) || library.getLibFunc(name, function);
  }

private:
  llvm::TargetLibraryInfoImpl library;
  llvm::StringSet<> names;
};

/// Whether the language gives the mangled \p name no comparable address:
/// constructors, destructors, vtables, VTTs.
bool isInsignificantByLanguage(llvm::StringRef name) {
  if (name.starts_with("_ZTV") || name.starts_with("_ZTT") ||
      name.starts_with("_ZTC"))
    return true;
  if (!name.starts_with("_ZN"))
    return false;
  bool mayBeStructor = false;
  for (llvm::StringRef code :
       {"C1", "C2", "C3", "C4", "CI", "D0E", "D1E", "D2E", "D4E"})
    mayBeStructor |= name.contains(code);
  if (!mayBeStructor)
    return false;
  llvm::ItaniumPartialDemangler demangler;
  return !demangler.partialDemangle(name.str().c_str()) &&
         demangler.isCtorOrDtor();
}

/// Global values that the bitcode holds for the compiler only.
bool isCompilerPrivate(const llvm::GlobalValue &value) {
  if (auto *function = llvm::dyn_cast<llvm::Function>(&value))
    return function->isIntrinsic();
  return value.hasAppendingLinkage() || value.getSection() == "llvm.metadata" ||
         (value.getName().starts_with("llvm.") && !value.hasLocalLinkage());
}

class SymbolCollector {
public:
  explicit SymbolCollector(LgenContext &context)
      : context(context), summary(context.summary), module(context.module),
        runtime(llvm::Triple(module.getTargetTriple())) {}

  void run() {
    numberComdats();
    numberSymbols();
    markUsed();
    collectAssembly();
    fillVariables();
    fillAliases();
    markCopyable();
    groupAtoms();
    collectStructors("llvm.global_ctors", false);
    collectStructors("llvm.global_dtors", true);
  }

private:
  void numberComdats();
  void numberSymbols();
  void addSymbol(const llvm::GlobalValue &value, SymbolKind kind);
  uint32_t flagsOf(const llvm::GlobalValue &value);
  void markUsed();
  void joinAssembly(SymbolIndex symbol);
  void joinUsers(llvm::StringRef name, SymbolIndex definer);
  void nameInAssembly(SymbolIndex symbol, SymbolIndex user);
  void collectModuleSymbols();
  void collectModuleAssembly();
  void collectDefinitions(const llvm::Function &function);
  void nameInMacros(llvm::StringRef text);
  void nameElsewhere(const AsmToken &token);
  SymbolIndex addOwnName(llvm::StringRef name, uint32_t flags);
  void collectInlineAssembly(const llvm::Function &function);
  void collectAssembly();
  void fillVariables();
  void fillVariable(const llvm::GlobalVariable &variable);
  void fillAliases();
  void markCopyable();
  void groupAtoms();
  void collectStructors(llvm::StringRef name, bool areDestructors);
  SymbolRecord &record(const llvm::GlobalValue &value) {
    return summary.symbols[context.indexOf(value)];
  }

  LgenContext &context;
  ModuleSummary &summary;
  const llvm::Module &module;
  RuntimeNames runtime;
  llvm::DenseMap<const llvm::Comdat *, uint32_t> comdatNumbers;
  SymbolIndex firstWithAssembly = kNone;
  /// Symbols by the names that assembly has for them. Looked up only.
  llvm::StringMap<SymbolIndex> known;
  /// What inline assembly defines, and the first function that does.
  struct InlineDefinition {
    SymbolIndex record = kNone;
    SymbolIndex definer = kNone;
  };
  llvm::StringMap<InlineDefinition> definedInline;
  /// Pairs that must not be separated, in module order.
  std::vector<std::pair<SymbolIndex, SymbolIndex>> joined;
  llvm::StringMap<SymbolIndex> firstOfSection;
};

void SymbolCollector::numberComdats() {
  auto number = [&](const llvm::GlobalObject &object) {
    const llvm::Comdat *comdat = object.getComdat();
    if (!comdat)
      return;
    auto [entry, isNew] =
        comdatNumbers.try_emplace(comdat, summary.comdats.size());
    if (isNew)
      summary.comdats.push_back(
          {comdat->getName(),
           static_cast<ComdatKind>(comdat->getSelectionKind())});
  };
  static_assert(int(llvm::Comdat::Any) == int(ComdatKind::Any) &&
                int(llvm::Comdat::SameSize) == int(ComdatKind::SameSize));
  for (const llvm::GlobalVariable &variable : module.globals())
    number(variable);
  for (const llvm::Function &function : module)
    number(function);
}

uint32_t SymbolCollector::flagsOf(const llvm::GlobalValue &value) {
  uint32_t flags = 0;
  auto set = [&](bool holds, SymbolFlag flag) { flags |= holds ? flag : 0u; };
  bool isDeclaration = value.isDeclarationForLinker();
  set(isDeclaration, kDeclaration);
  set(value.hasGlobalUnnamedAddr(), kUnnamedAddr);
  set(value.hasAtLeastLocalUnnamedAddr(), kLocalUnnamedAddr);
  set(value.isThreadLocal(), kThreadLocal);
  set(value.isDSOLocal(), kDSOLocal);
  set(value.hasSection(), kHasSection);
  if (!value.hasLocalLinkage()) {
    set(runtime.contains(value.getName()), kIntrinsic);
    set(!isDeclaration && isInsignificantByLanguage(value.getName()),
        kAddressInsignificantByLanguage);
  }
  if (auto *function = llvm::dyn_cast<llvm::Function>(&value)) {
    set(function->getCallingConv() == llvm::CallingConv::PTX_Kernel, kKernel);
    set(summary.side == Side::Host && isStubName(function->getName()),
        kKernelStub);
  }
  if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&value)) {
    set(variable->isConstant(), kConstant);
    set(variable->isExternallyInitialized(), kExternallyInitialized);
    set(isOffloadEntry(*variable) || variable->getSection() == kGuardSection ||
            variable->getName() == kDeviceUsed,
        kRegistration);
  }
  return flags;
}

void SymbolCollector::addSymbol(const llvm::GlobalValue &value,
                                SymbolKind kind) {
  if (isCompilerPrivate(value) || (value.isDeclaration() && value.use_empty()))
    return;
  SymbolRecord record;
  record.name = value.getName();
  record.kind = kind;
  record.linkage = static_cast<Linkage>(value.getLinkage());
  record.visibility = static_cast<SymbolVisibility>(value.getVisibility());
  record.addressSpace = static_cast<uint8_t>(value.getAddressSpace());
  record.flags = flagsOf(value);
  // An alias belongs to the group of its aliasee.
  if (const llvm::Comdat *comdat = value.getComdat())
    record.comdat = comdatNumbers.lookup(comdat);
  // What a file puts into one section, linkers keep or drop as a whole.
  if (record.has(kHasSection) && !record.isDeclaration() &&
      record.comdat == kNone) {
    auto [first, isNew] = firstOfSection.try_emplace(
        value.getSection(), SymbolIndex(summary.symbols.size()));
    if (!isNew)
      joined.push_back({first->second, SymbolIndex(summary.symbols.size())});
  }
  context.symbolNumbers[&value] = summary.symbols.size();
  summary.symbols.push_back(record);
}

void SymbolCollector::numberSymbols() {
  static_assert(int(llvm::GlobalValue::CommonLinkage) == int(Linkage::Common) &&
                int(llvm::GlobalValue::InternalLinkage) ==
                    int(Linkage::Internal));
  for (const llvm::GlobalVariable &variable : module.globals())
    addSymbol(variable, SymbolKind::Variable);
  for (const llvm::Function &function : module)
    addSymbol(function, SymbolKind::Function);
  for (const llvm::GlobalAlias &alias : module.aliases())
    addSymbol(alias, SymbolKind::Alias);
  for (const llvm::GlobalIFunc &ifunc : module.ifuncs())
    addSymbol(ifunc, SymbolKind::IFunc);
  for (const llvm::Function &function : module) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage())
      continue;
    FunctionSummary body;
    body.symbol = context.indexOf(function);
    summary.functions.push_back(body);
    context.bodies.push_back(const_cast<llvm::Function *>(&function));
  }
}

void SymbolCollector::markUsed() {
  for (bool compilerUsed : {false, true}) {
    llvm::SmallVector<llvm::GlobalValue *, 8> used;
    llvm::collectUsedGlobalVariables(module, used, compilerUsed);
    for (llvm::GlobalValue *value : used)
      if (context.indexOf(*value) != kNone)
        record(*value).flags |= compilerUsed ? kCompilerUsed : kUsed;
  }
}

/// Keeps \p symbol where the module-level assembly is, if there is any.
void SymbolCollector::joinAssembly(SymbolIndex symbol) {
  SymbolRecord &record = summary.symbols[symbol];
  record.flags |= kWithAssembly;
  if (!summary.has(kHasModuleAsm) || summary.side == Side::Device)
    return;
  if (firstWithAssembly == kNone)
    firstWithAssembly = symbol;
  joined.push_back({firstWithAssembly, symbol});
}

/// Keeps what uses \p name, a declaration whose meaning only assembly knows,
/// where that is: in the function \p definer, or kNone: at module level. To
/// other files the name may mean something else, so here it is local.
void SymbolCollector::joinUsers(llvm::StringRef name, SymbolIndex definer) {
  const llvm::GlobalValue *value = module.getNamedValue(name);
  if (!value || !value->isDeclaration() || context.indexOf(*value) == kNone)
    return;
  record(*value).linkage = Linkage::Internal;
  llvm::SmallVector<const llvm::User *, 8> worklist(value->users());
  llvm::SmallPtrSet<const llvm::User *, 8> seen;
  while (!worklist.empty()) {
    const llvm::User *user = worklist.pop_back_val();
    if (!seen.insert(user).second)
      continue;
    const llvm::GlobalValue *global = llvm::dyn_cast<llvm::GlobalValue>(user);
    if (auto *instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
      global = instruction->getFunction();
      context.assemblyNames[instruction->getFunction()].push_back(
          context.indexOf(*value));
    }
    if (!global)
      llvm::append_range(worklist, user->users());
    else if (SymbolIndex found = context.indexOf(*global); found == kNone)
      continue;
    else if (definer == kNone)
      joinAssembly(found);
    else
      joined.push_back({definer, found});
  }
}

/// Records that assembly names \p symbol. On the host, a local has its name in
/// only one partition: \p user, whose inline assembly it is (or kNone), goes
/// there with it.
void SymbolCollector::nameInAssembly(SymbolIndex symbol, SymbolIndex user) {
  SymbolRecord &named = summary.symbols[symbol];
  named.flags |= kAssemblyReferenced;
  if (named.isDeclaration())
    return;
  if (named.kind != SymbolKind::Assembly)
    joinAssembly(symbol);
  else if (user != kNone && named.isLocal())
    joinAssembly(user);
  if (user != kNone && named.isLocal() && summary.side == Side::Host)
    joined.push_back({symbol, user});
}

/// Adds what an assembler finds in module-level assembly. LLVM keeps the names
/// in hash tables, some by addresses.
void SymbolCollector::collectModuleSymbols() {
  using Flags = llvm::object::BasicSymbolRef;
  std::vector<std::pair<std::string, Flags::Flags>> symbols;
  llvm::ModuleSymbolTable::CollectAsmSymbols(
      module, [&](llvm::StringRef name, Flags::Flags flags) {
        symbols.push_back({name.str(), flags});
      });
  llvm::sort(symbols);
  for (const auto &[name, flags] : symbols) {
    bool isLocal = !(flags & (Flags::SF_Global | Flags::SF_Undefined));
    auto [entry, isNew] = known.try_emplace(name, summary.symbols.size());
    if (!isNew) {
      if (isLocal)
        joinUsers(name, kNone);
      nameInAssembly(entry->second, kNone);
      continue;
    }
    SymbolRecord record;
    record.name = context.strings.save(name);
    record.kind = SymbolKind::Assembly;
    record.flags = kAssemblyReferenced;
    if (flags & Flags::SF_Undefined)
      record.flags |= kDeclaration;
    if (flags & Flags::SF_Weak)
      record.linkage = flags & Flags::SF_Undefined ? Linkage::ExternalWeak
                                                   : Linkage::WeakAny;
    else if (isLocal)
      record.linkage = Linkage::Internal;
    summary.symbols.push_back(record);
  }
}

/// Adds a symbol \p name that is local to the assembly of this file, with \p
/// flags in addition to others. Returns its number.
SymbolIndex SymbolCollector::addOwnName(llvm::StringRef name, uint32_t flags) {
  SymbolRecord record;
  record.name = context.strings.save(name);
  record.kind = SymbolKind::Assembly;
  record.linkage = Linkage::Internal;
  record.flags = flags;
  summary.symbols.push_back(record);
  return summary.symbols.size() - 1;
}

void SymbolCollector::collectModuleAssembly() {
  llvm::StringRef text = module.getModuleInlineAsm();
  if (text.empty())
    return;
  summary.flags |= kHasModuleAsm;
  if (isPlainAssembly(text))
    summary.flags |= kModuleAsmIsPlain;
  collectModuleSymbols();
  std::set<std::string> versioned;
  llvm::ModuleSymbolTable::CollectAsmSymvers(
      module, [&](llvm::StringRef name, llvm::StringRef) {
        versioned.insert(name.str());
      });
  for (llvm::StringRef name : versioned)
    joinUsers(name, kNone);
  if (summary.side == Side::Device)
    return;
  forEachAsmDefinition(text, /*isDevice=*/false, [&](llvm::StringRef name) {
    // To other files a name that is given a version here means another one.
    auto found = known.find(name);
    if (found == known.end())
      known[name] = addOwnName(name, kAssemblyReferenced);
    else if (versioned.count(name.str()) &&
             summary.symbols[found->second].isDeclaration())
      addOwnName(name, kAssemblyReferenced);
  });
  if (text.contains(".macro"))
    nameInMacros(text);
}

/// Notes what macros in \p text may name: the assembler sees only those that
/// module-level assembly uses.
void SymbolCollector::nameInMacros(llvm::StringRef text) {
  forEachAsmToken(text, [&](const AsmToken &token) {
    if (!mayNameSymbol(token))
      return;
    if (auto found = known.find(token.text); found != known.end())
      nameInAssembly(found->second, kNone);
    else
      nameElsewhere(token);
  });
}

/// Whether \p symbol is what inline assembly defines.
static bool isDefinedInline(const SymbolRecord &symbol) {
  return symbol.kind == SymbolKind::Assembly && symbol.isLocal() &&
         !symbol.has(kAssemblyReferenced);
}

/// Records what the inline assembly of the host function \p function defines.
/// Other functions that know it go with the function.
void SymbolCollector::collectDefinitions(const llvm::Function &function) {
  SymbolIndex definer = context.indexOf(function);
  auto define = [&](llvm::StringRef name) {
    auto [entry, isNew] = definedInline.try_emplace(name);
    InlineDefinition &definition = entry->second;
    if (isNew) {
      definition = {addOwnName(name, kWithAssembly), definer};
      joinUsers(name, definer);
      if (auto found = known.find(name);
          found != known.end() &&
          summary.symbols[found->second].kind == SymbolKind::Assembly)
        joinAssembly(definer);
    }
    context.assemblyNames[&function].push_back(definition.record);
    joined.push_back({definition.definer, definer});
  };
  forEachInlineAssembly(
      function, [&](const llvm::CallBase &, llvm::StringRef text) {
        forEachAsmDefinition(text, /*isDevice=*/false, define);
      });
}

/// Notes \p token, which may name a symbol that this module does not use.
void SymbolCollector::nameElsewhere(const AsmToken &token) {
  bool isLabel = token.text == "." || token.text.starts_with(".L");
  if (isLabel || token.isUnique || definedInline.contains(token.text))
    return;
  if (token.isPart) {
    summary.flags |= kMakesAsmNames;
    return;
  }
  known[token.text] = summary.symbols.size();
  SymbolRecord record;
  record.name = context.strings.save(token.text);
  record.kind = SymbolKind::Assembly;
  record.flags = kDeclaration | kAssemblyReferenced;
  if (token.head == ".weak")
    record.linkage = Linkage::ExternalWeak;
  summary.symbols.push_back(record);
}

/// Finds the symbols that the inline assembly of \p function names. A word of
/// it that is not meant as one does no harm.
void SymbolCollector::collectInlineAssembly(const llvm::Function &function) {
  SymbolIndex user = context.indexOf(function);
  llvm::SmallSetVector<SymbolIndex, 4> names;
  if (auto noted = context.assemblyNames.find(&function);
      noted != context.assemblyNames.end())
    names.insert(noted->second.begin(), noted->second.end());
  auto look = [&](const AsmToken &token) {
    if (token.role == AsmRole::Label)
      return;
    if (auto found = definedInline.find(token.text);
        found != definedInline.end()) {
      joined.push_back({found->second.definer, user});
      names.insert(found->second.record);
    }
    // Device code declares what it names, or no assembler would take it.
    bool mayBeElsewhere = summary.side == Side::Host
                              ? mayNameSymbol(token)
                              : module.getNamedValue(token.text) != nullptr;
    if (mayBeElsewhere && !known.contains(token.text))
      nameElsewhere(token);
    if (auto found = known.find(token.text); found != known.end())
      names.insert(found->second);
  };
  forEachInlineAssembly(function,
                        [&](const llvm::CallBase &, llvm::StringRef text) {
                          forEachAsmToken(text, look);
                        });
  if (names.empty())
    return;
  for (SymbolIndex symbol : names) {
    if (!isDefinedInline(summary.symbols[symbol]))
      nameInAssembly(symbol, user);
    summary.symbols[symbol].flags |= kAddressTaken;
  }
  std::vector<SymbolIndex> &noted = context.assemblyNames[&function];
  noted.assign(names.begin(), names.end());
  llvm::sort(noted);
}

void SymbolCollector::collectAssembly() {
  for (SymbolIndex i = 0; i < summary.symbols.size(); ++i) {
    llvm::StringRef name = summary.symbols[i].name;
    name.consume_front("\1");
    known[name] = i;
  }
  collectModuleAssembly();
  if (summary.side == Side::Host)
    for (const llvm::Function *function : context.bodies)
      collectDefinitions(*function);
  for (const llvm::Function *function : context.bodies)
    collectInlineAssembly(*function);
}

/// Returns whether all that refers to \p value are entries of the offloading
/// runtime. -fsanitize=address lists the strings in them, too.
static bool isForEntriesOnly(const llvm::GlobalValue &value) {
  llvm::SmallVector<const llvm::User *, 8> worklist(value.users());
  while (!worklist.empty()) {
    const llvm::User *user = worklist.pop_back_val();
    auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(user);
    if (!variable && llvm::isa<llvm::Constant>(user) &&
        !llvm::isa<llvm::GlobalValue>(user))
      llvm::append_range(worklist, user->users());
    else if (!variable || !isOffloadEntry(*variable))
      return false;
  }
  return true;
}

void SymbolCollector::fillVariable(const llvm::GlobalVariable &variable) {
  const llvm::DataLayout &layout = module.getDataLayout();
  VariableSummary result;
  result.symbol = context.indexOf(variable);
  result.sizeBytes =
      layout.getTypeAllocSize(variable.getValueType()).getFixedValue();
  result.alignLog2 =
      static_cast<uint8_t>(llvm::Log2(layout.getValueOrABITypeAlignment(
          variable.getAlign(), variable.getValueType())));
  const llvm::Constant &initializer = *variable.getInitializer();
  result.zeroInitialized = initializer.isNullValue();
  llvm::SmallVector<SymbolIndex, 8> symbols;
  bool isEntry = record(variable).has(kRegistration);
  forEachGlobal(initializer, [&](const llvm::GlobalValue &value, bool isBlock) {
    SymbolIndex symbol = context.indexOf(value);
    if (symbol == kNone)
      return;
    symbols.push_back(symbol);
    if (isBlock) {
      result.hasBlockAddress = true;
      joined.push_back({result.symbol, symbol});
    }
    SymbolRecord &mentioned = summary.symbols[symbol];
    bool isNameString = mentioned.kind == SymbolKind::Variable &&
                        mentioned.isLocal() && mentioned.has(kConstant);
    if (isEntry && isNameString && isForEntriesOnly(value))
      mentioned.flags |= kRegistration;
    if (!isEntry && !isBlock)
      mentioned.flags |= kAddressTaken;
  });
  llvm::sort(symbols);
  symbols.erase(llvm::unique(symbols), symbols.end());
  if (!symbols.empty())
    result.references = {static_cast<uint32_t>(summary.references.size()),
                         static_cast<uint32_t>(symbols.size())};
  for (SymbolIndex symbol : symbols)
    summary.references.push_back({symbol, kTakesAddress});
  summary.variables.push_back(result);
}

void SymbolCollector::fillVariables() {
  for (const llvm::GlobalVariable &variable : module.globals())
    if (variable.hasInitializer() && context.indexOf(variable) != kNone &&
        !variable.hasAvailableExternallyLinkage())
      fillVariable(variable);
}

void SymbolCollector::fillAliases() {
  const llvm::DataLayout &layout = module.getDataLayout();
  auto add = [&](const llvm::GlobalValue &value,
                 const llvm::Constant &expression) {
    llvm::APInt offset(layout.getIndexTypeSizeInBits(expression.getType()), 0);
    const llvm::Value *base = expression.stripAndAccumulateConstantOffsets(
        layout, offset, /*AllowNonInbounds=*/true);
    AliasSummary alias;
    alias.symbol = context.indexOf(value);
    alias.offsetBytes = offset.getSExtValue();
    if (auto *target = llvm::dyn_cast<llvm::GlobalValue>(base))
      alias.target = context.indexOf(*target);
    forEachGlobal(expression, [&](const llvm::GlobalValue &target, bool) {
      if (context.indexOf(target) != kNone)
        joined.push_back({alias.symbol, context.indexOf(target)});
    });
    summary.aliases.push_back(alias);
  };
  for (const llvm::GlobalAlias &alias : module.aliases())
    if (context.indexOf(alias) != kNone)
      add(alias, *alias.getAliasee());
  for (const llvm::GlobalIFunc &ifunc : module.ifuncs())
    if (context.indexOf(ifunc) != kNone)
      add(ifunc, *ifunc.getResolver());
}

/// A copy in each partition must be indistinguishable from the one constant.
void SymbolCollector::markCopyable() {
  llvm::DenseSet<SymbolIndex> aliased;
  for (const AliasSummary &alias : summary.aliases)
    aliased.insert(alias.target);
  for (const VariableSummary &variable : summary.variables) {
    SymbolRecord &r = summary.symbols[variable.symbol];
    constexpr uint32_t needed = kConstant | kUnnamedAddr;
    constexpr uint32_t excluded = kHasSection | kUsed | kCompilerUsed |
                                  kThreadLocal | kAssemblyReferenced |
                                  kExternallyInitialized | kRegistration;
    if (r.isLocal() && (r.flags & needed) == needed && !(r.flags & excluded) &&
        !variable.hasBlockAddress && r.comdat == kNone &&
        !aliased.contains(variable.symbol))
      r.flags |= kCopyable;
  }
}

void SymbolCollector::groupAtoms() {
  std::vector<uint32_t> parent(summary.symbols.size());
  for (uint32_t i = 0; i < parent.size(); ++i)
    parent[i] = i;
  auto root = [&](uint32_t i) {
    while (parent[i] != i)
      i = parent[i] = parent[parent[i]];
    return i;
  };
  auto join = [&](uint32_t a, uint32_t b) {
    a = root(a);
    b = root(b);
    parent[std::max(a, b)] = std::min(a, b);
  };
  auto isGrouped = [](const SymbolRecord &r) {
    return !r.isDeclaration() && !r.has(kCopyable) &&
           r.kind != SymbolKind::Assembly;
  };
  std::vector<uint32_t> firstOfComdat(summary.comdats.size(), kNone);
  for (uint32_t i = 0; i < parent.size(); ++i) {
    const SymbolRecord &r = summary.symbols[i];
    if (r.comdat == kNone || !isGrouped(r))
      continue;
    uint32_t &first = firstOfComdat[r.comdat];
    if (first == kNone)
      first = i;
    join(first, i);
  }
  for (auto [a, b] : joined)
    if (isGrouped(summary.symbols[a]) && isGrouped(summary.symbols[b]))
      join(a, b);
  uint32_t next = 0;
  for (uint32_t i = 0; i < parent.size(); ++i) {
    if (!isGrouped(summary.symbols[i]))
      continue;
    uint32_t leader = root(i);
    summary.symbols[i].atom =
        leader == i ? next++ : summary.symbols[leader].atom;
  }
}

void SymbolCollector::collectStructors(llvm::StringRef name,
                                       bool areDestructors) {
  const llvm::GlobalVariable *list = module.getNamedGlobal(name);
  if (!list || !list->hasInitializer())
    return;
  auto *array = llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer());
  if (!array)
    return;
  auto symbolOf = [&](const llvm::Value *value) {
    auto *global =
        llvm::dyn_cast<llvm::GlobalValue>(value->stripPointerCasts());
    return global ? context.indexOf(*global) : kNone;
  };
  for (const llvm::Use &element : array->operands()) {
    auto *entry = llvm::dyn_cast<llvm::ConstantStruct>(element.get());
    if (!entry)
      continue;
    StructorRecord record;
    record.isDestructor = areDestructors;
    record.priority = static_cast<uint32_t>(
        llvm::cast<llvm::ConstantInt>(entry->getOperand(0))->getZExtValue());
    record.function = symbolOf(entry->getOperand(1));
    if (entry->getNumOperands() > 2)
      record.associated = symbolOf(entry->getOperand(2));
    if (record.function != kNone)
      summary.structors.push_back(record);
  }
}

} // namespace

void analyzeVisibility(LgenContext &context) { SymbolCollector(context).run(); }

} // namespace gpulto
