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

#include "summary/Calls.h"
#include "summary/Guards.h"
#include "summary/JumpFunction.h"
#include "summary/LaunchSum.h"
#include "summary/Launches.h"
#include "summary/Parameters.h"
#include "summary/Symbols.h"
#include "summary/Transfers.h"
#include "support/StableHash.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <tuple>
#include <vector>

namespace gpulto {

/// Version of the bytes of a summary; a reader refuses any other. Increase it
/// with each change of a record, a table or the meaning of a field.
constexpr uint32_t kSummaryVersion = 21;

/// A word of FunctionFlags.
using FunctionFlags = uint64_t;

enum FunctionFlag : FunctionFlags {
  kAlwaysInline = 1u << 0,
  kNoInline = 1u << 1,
  kOptNone = 1u << 2,
  kOptSize = 1u << 3,
  kMinSize = 1u << 4,
  kInlineHint = 1u << 5,
  kCold = 1u << 6,
  kHot = 1u << 7,
  kConvergent = 1u << 8,
  kVarArg = 1u << 9,
  kNoUnwind = 1u << 10,
  kNoReturn = 1u << 11,
  kWillReturn = 1u << 12,
  kStrictFP = 1u << 13,
  kNaked = 1u << 14,
  kReturnsTwice = 1u << 15,
  kHasPersonality = 1u << 16,
  /// Inline asm that defines labels or names symbols: neither renamed nor
  /// cloned. kHasInlineAsm: any inline asm at all.
  kHasInlineAsm = 1u << 17,
  kHasAsmLabels = 1u << 18,
  kHasIndirectBranch = 1u << 19,
  kBlockAddressTaken = 1u << 20,
  kHasDynamicAlloca = 1u << 21,
  kHasIndirectCall = 1u << 22,
  kHasBarrier = 1u << 23,
  kHasAtomic = 1u << 24,
  kHasVolatile = 1u << 25,
  kIsRecursive = 1u << 26,
  /// Device: reads thread or block ids, or geometry.
  kReadsThreadId = 1u << 27,
  kReadsBlockId = 1u << 28,
  kReadsGeometry = 1u << 29,
  kHasLoop = 1u << 30,
  kNoDuplicate = 1u << 31,
};

inline constexpr FlagName kFunctionFlagNames[] = {
    {kAlwaysInline, "alwaysinline"},
    {kNoInline, "noinline"},
    {kOptNone, "optnone"},
    {kOptSize, "optsize"},
    {kMinSize, "minsize"},
    {kInlineHint, "inlinehint"},
    {kCold, "cold"},
    {kHot, "hot"},
    {kConvergent, "convergent"},
    {kVarArg, "vararg"},
    {kNoUnwind, "nounwind"},
    {kNoReturn, "noreturn"},
    {kWillReturn, "willreturn"},
    {kStrictFP, "strictfp"},
    {kNaked, "naked"},
    {kReturnsTwice, "returns_twice"},
    {kHasPersonality, "personality"},
    {kHasInlineAsm, "inline_asm"},
    {kHasAsmLabels, "asm_labels"},
    {kHasIndirectBranch, "indirect_branch"},
    {kBlockAddressTaken, "block_address_taken"},
    {kHasDynamicAlloca, "dynamic_alloca"},
    {kHasIndirectCall, "indirect_call"},
    {kHasBarrier, "barrier"},
    {kHasAtomic, "atomic"},
    {kHasVolatile, "volatile"},
    {kIsRecursive, "recursive"},
    {kReadsThreadId, "reads_thread_id"},
    {kReadsBlockId, "reads_block_id"},
    {kReadsGeometry, "reads_geometry"},
    {kHasLoop, "loop"},
    {kNoDuplicate, "noduplicate"},
};

/// What a body may do to memory beyond its own stack, one bit each for read and
/// write, and to control, as its callers must take it: what orders accesses of
/// other threads reads and writes other memory, too. Callees are not included:
/// WPA adds them.
enum MemoryEffect : uint32_t {
  kReadsArguments = 1u << 0,
  kWritesArguments = 1u << 1,
  kReadsGlobals = 1u << 2,
  kWritesGlobals = 1u << 3,
  kReadsOther = 1u << 4,
  kWritesOther = 1u << 5,
  kReadsInaccessible = 1u << 6,
  kWritesInaccessible = 1u << 7,
  kSynchronizes = 1u << 8,
  /// Throws, or passes on what a callee throws.
  kUnwinds = 1u << 9,
  /// Has a loop that may not end, or an instruction that may not come back.
  kMayNotReturn = 1u << 10,
  /// Frees memory, or runs assembly that may.
  kFrees = 1u << 11,
  /// The language lets it not loop for ever without an effect.
  kMustProgress = 1u << 12,
  /// Itself stores to memory that kWritesOther is about: that is not only of
  /// barriers and fences, which let other threads' stores be seen.
  kStoresOther = 1u << 13,
  /// A body with FunctionSummary::members: as kStoresOther, but not only
  /// through these.
  kStoresElsewhere = 1u << 14,
};

inline constexpr FlagName kMemoryEffectNames[] = {
    {kReadsArguments, "reads_arguments"},
    {kWritesArguments, "writes_arguments"},
    {kReadsGlobals, "reads_globals"},
    {kWritesGlobals, "writes_globals"},
    {kReadsOther, "reads_other"},
    {kWritesOther, "writes_other"},
    {kReadsInaccessible, "reads_inaccessible"},
    {kWritesInaccessible, "writes_inaccessible"},
    {kSynchronizes, "synchronizes"},
    {kUnwinds, "unwinds"},
    {kMayNotReturn, "may_not_return"},
    {kFrees, "frees"},
    {kMustProgress, "mustprogress"},
    {kStoresOther, "stores_other"},
    {kStoresElsewhere, "stores_elsewhere"},
};

struct FunctionSummary {
  // What most passes ask for comes first, side by side.
  SymbolIndex symbol = kNone;
  FunctionFlags flags = 0;
  uint32_t memoryEffects = 0;
  /// IR instructions without debug and lifetime markers.
  uint32_t instructionCount = 0;
#define GPULTO_BODY_TABLE(RECORD, TABLE, LEAST, WORD) Range TABLE;
#include "summary/Tables.def"
  /// Estimated code: host bytes, or device SASS bytes.
  uint32_t sizeBytes = 0;
  /// Fixed stack (allocas of constant size), bytes.
  uint32_t stackBytes = 0;
  /// Estimated time of one entry in cycles of the target's cost model, loops
  /// weighed by frequency. Unit: TargetTransformInfo recip-throughput units.
  uint64_t timeCycles = 0;
  /// What the function returns: Unknown, Constant, PassThrough ...
  JumpFunction returned;
  /// Of the definition.
  SourcePlace place;
  uint16_t maxLoopDepth = 0;
  /// Device: registers a thread needs, estimated from live values.
  uint16_t registersPerThread = 0;
  /// Device kernels: launch bounds; 0 when not given.
  uint32_t maxThreads[3] = {0, 0, 0};
  uint32_t requiredThreads[3] = {0, 0, 0};
  uint32_t minBlocksPerSM = 0;
  uint32_t maxRegisters = 0;
  /// Device: instructions that a constant grid x, y, z or block x, y, z would
  /// let us remove, estimated; what callees read is not included.
  uint32_t geometryGain[6] = {0, 0, 0, 0, 0, 0};
  /// Everything that makes the code of a body: two bodies of equal digest
  /// compile alike. Names included. Key of the caches. Of debug information
  /// only lines, columns and names of scopes and variables count, not the types
  /// (a cache key of a kFullDebugInfo module takes bitcodeDigest as well).
  Digest contentDigest;
  /// Target, features, floating-point and sanitizer attributes: functions of
  /// different digests are not inlined into each other without a closer look.
  Digest attributesDigest;
  /// Digest of the body's canonical form (icf/FoldForm.h), in which symbols are
  /// numbers: those of \c foldSymbols, in ModuleSummary::foldSymbols. None when
  /// the body cannot be folded.
  Digest foldHash;
  Range foldSymbols;
  /// Host, by parameter: what is in the memory that it points to when the
  /// function returns, an Aggregate, if no other pointer leads there; Unknown
  /// if nothing is known of that. Trailing Unknown ones are dropped.
  Range outputs;

  bool has(FunctionFlag flag) const { return flags & flag; }
  bool operator==(const FunctionSummary &) const = default;
};

template <typename V> void describe(V &v, FunctionSummary &f) {
  auto isSet = [](const auto &array) {
    return llvm::any_of(array, [](uint32_t value) { return value != 0; });
  };
  v.nextSymbol("", f.symbol);
  v.estimate("insts", f.instructionCount);
  v.estimate("bytes", f.sizeBytes);
  v.estimate("time", f.timeCycles);
  v.sparse([&](auto some) {
    some(f.stackBytes != 0,
         [&](auto &v) { v.estimate("stack", f.stackBytes); });
    some(f.registersPerThread != 0,
         [&](auto &v) { v.estimate("registers", f.registersPerThread); });
    some(f.maxLoopDepth != 0,
         [&](auto &v) { v.estimate("loop_depth", f.maxLoopDepth); });
    some(f.place.isKnown(), [&](auto &v) { v.place(f.place); });
  });
  v.template interned<Shape::Function>(
      std::tie(f.flags, f.memoryEffects, f.attributesDigest), [&](auto &v) {
        v.beginLine("flags");
        v.flags("", f.flags, kFunctionFlagNames);
        v.beginLine("effects");
        v.flags("", f.memoryEffects, kMemoryEffectNames);
        v.digest("attributes", f.attributesDigest);
      });
  v.identity("digest", f.contentDigest);
  v.sparse([&](auto some) {
    some(!f.foldHash.isNone(), [&](auto &v) {
      v.identity("form", f.foldHash);
      v.template records<Table::foldSymbols>("", f.foldSymbols);
    });
    some(isSet(f.maxThreads) || f.minBlocksPerSM || f.maxRegisters,
         [&](auto &v) {
           v.beginLine("bounds");
           v.numbers("max_threads", f.maxThreads);
           v.number("min_blocks", f.minBlocksPerSM);
           v.number("max_registers", f.maxRegisters);
         });
    some(isSet(f.requiredThreads), [&](auto &v) {
      v.beginLine("bounds");
      v.numbers("required_threads", f.requiredThreads);
    });
    some(isSet(f.geometryGain), [&](auto &v) {
      v.beginLine("geometry");
      v.estimates("gain", f.geometryGain);
    });
#define GPULTO_BODY_TABLE(RECORD, TABLE, LEAST, WORD)                          \
  some(!(f.TABLE == Range()),                                                  \
       [&](auto &v) { v.template records<Table::TABLE>(WORD, f.TABLE); });
#include "summary/Tables.def"
    some(!(f.returned == JumpFunction()), [&](auto &v) {
      v.beginLine("returns");
      v.jump("", f.returned);
    });
    some(!(f.outputs == Range()), [&](auto &v) {
      v.beginLine("leaves");
      v.jumps("", f.outputs);
    });
  });
}

struct VariableSummary {
  SymbolIndex symbol = kNone;
  uint64_t sizeBytes = 0;
  uint8_t alignLog2 = 0;
  bool zeroInitialized = false;
  /// The initializer holds a block address: its function must be loaded with
  /// it.
  bool hasBlockAddress = false;
  /// Host, if it is not constant or other modules may name it: the known parts
  /// of the initializer, numbers, null pointers and addresses of functions, an
  /// Aggregate, or Unknown. It has all functions, or none is known.
  JumpFunction initializer;
  Range references;
  Digest contentDigest;
  /// As FunctionSummary's: the form of a constant's initializer. None when it
  /// can not be folded.
  Digest foldHash;
  Range foldSymbols;
  bool operator==(const VariableSummary &) const = default;
};

template <typename V> void describe(V &v, VariableSummary &r) {
  v.nextSymbol("", r.symbol);
  v.number("bytes", r.sizeBytes);
  v.alignment(r.alignLog2);
  v.sparse([&](auto some) {
    some(r.zeroInitialized,
         [&](auto &v) { v.boolean("zero", r.zeroInitialized); });
    some(r.hasBlockAddress,
         [&](auto &v) { v.boolean("block_address", r.hasBlockAddress); });
    some(!r.foldHash.isNone(), [&](auto &v) {
      v.identity("form", r.foldHash);
      v.template records<Table::foldSymbols>("", r.foldSymbols);
    });
    some(!(r.initializer == JumpFunction()), [&](auto &v) {
      v.beginLine("initially");
      v.jump("", r.initializer);
    });
    some(!(r.references == Range()), [&](auto &v) {
      v.template records<Table::references>("ref", r.references);
    });
  });
  v.identity("digest", r.contentDigest);
}

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
