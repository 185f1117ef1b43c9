//===- ModuleSummary.h - What whole-program analysis knows of a module ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One ModuleSummary per bitcode module: the host side of a translation unit,
// or its device side for one architecture. LGEN fills it while the body is in
// memory; WPA reads nothing else. All per-function lists are ranges of flat
// module-wide tables, so that a program of a million functions is a few large
// arrays. Names are StringRefs into the mapped object; nothing is copied.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_MODULESUMMARY_H
#define GPULTO_SUMMARY_MODULESUMMARY_H

#include "summary/Bodies.h"
#include "summary/Calls.h"
#include "summary/Guards.h"
#include "summary/JumpFunction.h"
#include "summary/LaunchSum.h"
#include "summary/Launches.h"
#include "summary/Parameters.h"
#include "summary/Symbols.h"
#include "summary/Transfers.h"
#include "support/StableHash.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace gpulto {

enum ModuleFlag : uint32_t {
  kHasModuleAsm = 1u << 0,
  kHasDebugInfo = 1u << 1,
  kFullDebugInfo = 1u << 2,
  kSemanticInterposition = 1u << 3,
  kHasProfile = 1u << 4,
  kUnwindTables = 1u << 5,
  /// Device: the program is to carry no PTX / no cubin for this module's sake.
  kNoPtx = 1u << 6,
  kNoCubin = 1u << 7,
  /// Its module-level assembly says something of symbols, and no more, so that
  /// it may stand beside that of other modules.
  kModuleAsmIsPlain = 1u << 8,
  /// -ffp-contract=fast: additions and multiplications are fused whatever marks
  /// they bear.
  kFusesAll = 1u << 9,
  /// Host: assembly puts names together from parts, so which symbols it names
  /// is known to the native half only.
  kMakesAsmNames = 1u << 10,
  /// Compiled without relocatable device code: what the unit defines on the
  /// device is its own, as is what nobody can tell from another unit's there.
  kWholeProgramMode = 1u << 11,
  /// Device: the program is to carry PTX and a cubin for this module's sake.
  /// Without this, kNoPtx and kNoCubin, nobody says which of them.
  kBothForms = 1u << 12,
};

inline constexpr FlagName kModuleFlagNames[] = {
    {kHasModuleAsm, "module_asm"},
    {kModuleAsmIsPlain, "plain_module_asm"},
    {kFusesAll, "fuses_all"},
    {kMakesAsmNames, "makes_asm_names"},
    {kHasDebugInfo, "debug_info"},
    {kFullDebugInfo, "full_debug_info"},
    {kSemanticInterposition, "semantic_interposition"},
    {kHasProfile, "profile"},
    {kUnwindTables, "unwind_tables"},
    {kNoPtx, "no_ptx"},
    {kNoCubin, "no_cubin"},
    {kBothForms, "both_forms"},
    {kWholeProgramMode, "whole_program"},
};

/// From this bit on, in kCompressionBits, flags of device modules say how the
/// program's images are to be compressed: an ImageCompression plus 1; 0: nobody
/// says.
constexpr unsigned kCompressionShift = 13;
constexpr unsigned kCompressionBits = 3;

/// A file or a name of the source, as messages show it.
struct SourceText {
  llvm::StringRef text;
  bool operator==(const SourceText &) const = default;
};

template <typename V> void describe(V &v, SourceText &s) { v.text("", s.text); }

/// All that WPA knows of one module. Plain data; \c strings owns the few
/// strings that are not in a mapped file.
struct ModuleSummary {
  Side side = Side::Host;
  /// Device: "sm_90"; host: empty.
  llvm::StringRef arch;
  llvm::StringRef sourceName;
  llvm::StringRef targetTriple;
  llvm::StringRef dataLayout;
  uint32_t flags = 0;
  /// The compile's -O level (0-3) and size level (0-2).
  uint8_t optLevel = 2;
  uint8_t sizeLevel = 0;
  uint8_t picLevel = 0;
  uint8_t pieLevel = 0;
  /// Digest of the module's bitcode as stored (raw bytes).
  Digest bitcodeDigest;
  /// Digest of what holds for every body of the module: triple, data layout,
  /// module flags, module-level assembly, dependent libraries.
  Digest contextDigest;

  /// Host: digest of the options that hold for a whole module at code
  /// generation (lto/lgen/ModuleFlags.h): modules that differ in it share no
  /// partition, and no body goes from one to the other.
  Digest codegenDigest;

#define GPULTO_TABLE(RECORD, TABLE, LEAST) std::vector<RECORD> TABLE;
#include "summary/Tables.def"

  bool has(ModuleFlag flag) const { return flags & flag; }
  uint32_t compression() const {
    return flags >> kCompressionShift & ((1u << kCompressionBits) - 1);
  }
  bool operator==(const ModuleSummary &) const = default;
};
template <Table kTable> constexpr auto &tableOf(const ModuleSummary &s) {
#define GPULTO_TABLE(RECORD, TABLE, LEAST)                                     \
  if constexpr (kTable == Table::TABLE)                                        \
    return s.TABLE;                                                            \
  else
#include "summary/Tables.def"
  static_assert(kTable != Table::Count);
}

/// Describes what holds for the whole module.
template <typename V> void describeHeader(V &v, ModuleSummary &s) {
  v.side(s.side, s.arch);
  v.text("module", s.sourceName);
  v.beginLine("triple");
  v.text("", s.targetTriple);
  v.text("layout", s.dataLayout);
  v.beginLine("level");
  v.number("O", s.optLevel);
  v.number("size", s.sizeLevel);
  v.number("pic", s.picLevel);
  v.number("pie", s.pieLevel);
  v.beginLine("flags");
  v.flags("", s.flags, kModuleFlagNames);
  v.identity("bitcode", s.bitcodeDigest);
  v.identity("context", s.contextDigest);
  v.identity("codegen", s.codegenDigest);
}

} // namespace gpulto

#endif
