//===- Symbols.h - Symbols of a module, and what stands for them *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_SYMBOLS_H
#define GPULTO_SUMMARY_SYMBOLS_H

#include "summary/Record.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <iterator>
#include <tuple>

namespace gpulto {

enum class SymbolKind : uint8_t {
  Function,
  Variable,
  Alias,
  IFunc,
  /// Defined or used by assembly only; no IR value.
  Assembly,
  Last = Assembly
};

inline constexpr const char *kSymbolKindNames[] = {
    "function", "variable", "alias", "ifunc", "assembly"};
static_assert(std::size(kSymbolKindNames) == size_t(SymbolKind::Last) + 1);

/// The meanings are those of llvm::GlobalValue::LinkageTypes.
enum class Linkage : uint8_t {
  External,
  AvailableExternally,
  LinkOnceAny,
  LinkOnceODR,
  WeakAny,
  WeakODR,
  Appending,
  Internal,
  Private,
  ExternalWeak,
  Common,
  Last = Common
};

inline constexpr const char *kLinkageNames[] = {
    "external",  "available_externally",
    "linkonce",  "linkonce_odr",
    "weak",      "weak_odr",
    "appending", "internal",
    "private",   "extern_weak",
    "common"};
static_assert(std::size(kLinkageNames) == size_t(Linkage::Last) + 1);

enum class SymbolVisibility : uint8_t { Default, Hidden, Protected };

inline constexpr const char *kVisibilityNames[] = {"default", "hidden",
                                                   "protected"};
static_assert(std::size(kVisibilityNames) ==
              size_t(SymbolVisibility::Protected) + 1);

/// Facts about a symbol, one bit each.
enum SymbolFlag : uint32_t {
  kDeclaration = 1u << 0,
  /// The address is not significant anywhere / in this module.
  kUnnamedAddr = 1u << 1,
  kLocalUnnamedAddr = 1u << 2,
  kThreadLocal = 1u << 3,
  kDSOLocal = 1u << 4,
  /// In llvm.used: must stay, under its name, whatever the linker says.
  kUsed = 1u << 5,
  /// In llvm.compiler.used: must stay, under its name, until code generation.
  kCompilerUsed = 1u << 6,
  /// Has an explicit section.
  kHasSection = 1u << 7,
  /// Its address is used other than to call it, in this module.
  kAddressTaken = 1u << 8,
  /// A local constant whose address means nothing (a string literal): each
  /// partition gets its own copy; never partitioned, renamed or promoted.
  kCopyable = 1u << 9,
  /// Mentioned by inline or module assembly, as far as that can be known. For a
  /// definition: by assembly of any module (CombinedSummary::resolve).
  kAssemblyReferenced = 1u << 10,
  /// Device: a kernel entry. Host: the stub that launches a kernel.
  kKernel = 1u << 11,
  kKernelStub = 1u << 12,
  /// Written or read by the host at run time (registered device variable).
  kExternallyInitialized = 1u << 13,
  kManaged = 1u << 14,
  kConstant = 1u << 15,
  /// An intrinsic or a runtime-library name known to LLVM: never renamed.
  kIntrinsic = 1u << 16,
  /// A constructor, destructor, vtable or other symbol whose address a program
  /// cannot compare, by the rules of the language.
  kAddressInsignificantByLanguage = 1u << 17,
  /// Host: an entry of section cuda_offloading_entries, its name string, or the
  /// guard that makes plain links fail. Our registration replaces them: WPA
  /// never keeps such a symbol and ignores what it refers to.
  kRegistration = 1u << 18,
  /// Belongs with the assembly of its module, which uses it by its own name or
  /// alone knows what it uses. If local and of kind Assembly: defined by inline
  /// assembly of the functions that refer to it.
  kWithAssembly = 1u << 19,
  /// Host function: something in this module needs its signature unchanged,
  /// such as its body or a call that is not plain
  /// (ipa/signatures/SignaturesAnalyze).
  kSignatureFixed = 1u << 20,
};

inline constexpr FlagName kSymbolFlagNames[] = {
    {kDeclaration, "declaration"},
    {kUnnamedAddr, "unnamed_addr"},
    {kLocalUnnamedAddr, "local_unnamed_addr"},
    {kThreadLocal, "thread_local"},
    {kDSOLocal, "dso_local"},
    {kUsed, "used"},
    {kCompilerUsed, "compiler_used"},
    {kHasSection, "section"},
    {kAddressTaken, "address_taken"},
    {kCopyable, "copyable"},
    {kAssemblyReferenced, "asm_referenced"},
    {kKernel, "kernel"},
    {kKernelStub, "kernel_stub"},
    {kExternallyInitialized, "externally_initialized"},
    {kManaged, "managed"},
    {kConstant, "constant"},
    {kIntrinsic, "runtime_name"},
    {kAddressInsignificantByLanguage, "insignificant_by_language"},
    {kRegistration, "registration"},
    {kWithAssembly, "with_asm"},
    {kSignatureFixed, "signature_fixed"},
};

struct SymbolRecord {
  /// The IR name (with a leading \\1 if the IR has one).
  llvm::StringRef name;
  SymbolKind kind = SymbolKind::Function;
  Linkage linkage = Linkage::External;
  SymbolVisibility visibility = SymbolVisibility::Default;
  uint8_t addressSpace = 0;
  uint32_t flags = 0;
  /// Definitions with equal atom numbers go to one partition together: COMDAT
  /// group, alias and aliasee, ifunc and resolver, a variable that holds block
  /// addresses and its function, a local and the host functions whose assembly
  /// names it, all that belongs with module-level assembly, all that is in one
  /// explicitly named section. kNone for declarations and copyable constants.
  uint32_t atom = kNone;
  /// Index in ModuleSummary::comdats, or kNone.
  uint32_t comdat = kNone;
  /// Host functions: hash of type and calling convention.
  uint64_t typeHash = 0;

  bool has(SymbolFlag flag) const { return flags & flag; }
  bool isDeclaration() const { return flags & kDeclaration; }
  bool isLocal() const {
    return linkage == Linkage::Internal || linkage == Linkage::Private;
  }
  bool operator==(const SymbolRecord &) const = default;
};

template <typename V> void describe(V &v, SymbolRecord &r) {
  v.template interned<Shape::Symbol>(
      std::tie(r.kind, r.linkage, r.visibility, r.addressSpace, r.flags),
      [&](auto &v) {
        v.enumerator("", r.kind, kSymbolKindNames);
        v.enumerator("", r.linkage, kLinkageNames);
        v.enumerator("", r.visibility, kVisibilityNames);
        v.number("addrspace", r.addressSpace);
        v.flags("", r.flags, kSymbolFlagNames);
      });
  if (r.kind == SymbolKind::Function)
    v.template interned<Shape::TypeHash>(
        std::tie(r.typeHash), [&](auto &v) { v.hash("type", r.typeHash); });
  v.fresh("atom", r.atom, Fresh::Atom);
  v.fresh("comdat", r.comdat, Fresh::Comdat);
  v.name(r.name, r.comdat);
}

enum class ComdatKind : uint8_t {
  Any,
  ExactMatch,
  Largest,
  NoDeduplicate,
  SameSize,
  Last = SameSize
};

inline constexpr const char *kComdatNames[] = {"any", "exactmatch", "largest",
                                               "nodeduplicate", "samesize"};
static_assert(std::size(kComdatNames) == size_t(ComdatKind::Last) + 1);

struct ComdatRecord {
  llvm::StringRef name;
  ComdatKind kind = ComdatKind::Any;
  bool operator==(const ComdatRecord &) const = default;
};

template <typename V> void describe(V &v, ComdatRecord &c) {
  v.text("", c.name);
  v.enumerator("", c.kind, kComdatNames);
}

/// A symbol that a canonical form (icf/FoldForm.h) refers to by number.
template <typename V> void describe(V &v, SymbolIndex &symbol) {
  v.nearSymbol("", symbol);
}

/// An alias or ifunc: \c symbol stands for \c target (the resolver of an
/// ifunc).
struct AliasSummary {
  SymbolIndex symbol = kNone;
  SymbolIndex target = kNone;
  int64_t offsetBytes = 0;
  bool operator==(const AliasSummary &) const = default;
};

template <typename V> void describe(V &v, AliasSummary &a) {
  v.symbol("", a.symbol);
  v.symbol("of", a.target, true);
  v.signedNumber("at", a.offsetBytes);
}

/// An entry of llvm.global_ctors or llvm.global_dtors.
struct StructorRecord {
  uint32_t priority = 65535;
  SymbolIndex function = kNone;
  /// Symbol whose removal removes the entry, or kNone.
  SymbolIndex associated = kNone;
  bool isDestructor = false;
  bool operator==(const StructorRecord &) const = default;
};

template <typename V> void describe(V &v, StructorRecord &r) {
  v.symbol("", r.function, true);
  v.number("priority", r.priority);
  v.symbol("associated", r.associated, true);
  v.boolean("destructor", r.isDestructor);
}

inline constexpr const char *kOffloadEntryNames[] = {
    "kernel", "variable", "managed", "surface", "texture"};

/// An entity that the host registers with the runtime under a device name. The
/// fields are those of clang's __tgt_offload_entry.
struct OffloadEntry {
  enum class Kind : uint8_t {
    Kernel,
    Variable,
    Managed,
    Surface,
    Texture,
    Last = Texture
  };
  Kind kind = Kind::Kernel;
  /// Host stub or shadow variable; managed variables: the pointer that the
  /// runtime fills.
  SymbolIndex hostSymbol = kNone;
  llvm::StringRef deviceName;
  uint64_t sizeBytes = 0;
  bool isExtern = false;
  bool isConstant = false;
  bool isNormalized = false;
  /// Texture or surface type.
  uint32_t textureType = 0;
  bool operator==(const OffloadEntry &) const = default;
};
static_assert(std::size(kOffloadEntryNames) ==
              size_t(OffloadEntry::Kind::Last) + 1);

template <typename V> void describe(V &v, OffloadEntry &e) {
  v.enumerator("", e.kind, kOffloadEntryNames);
  v.text("", e.deviceName);
  v.symbol("host", e.hostSymbol, true);
  v.number("size", e.sizeBytes);
  v.boolean("extern", e.isExtern);
  v.boolean("constant", e.isConstant);
  v.boolean("normalized", e.isNormalized);
  v.number("type", e.textureType);
}

} // namespace gpulto

#endif
