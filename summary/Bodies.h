//===- Bodies.h - Functions and variables of a module -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a summary says of the body of a function or variable. Lists of a body
// are ranges of tables of its module (summary/ModuleSummary.h).
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_BODIES_H
#define GPULTO_SUMMARY_BODIES_H

#include "summary/Effects.h"
#include "summary/JumpFunction.h"
#include "summary/Record.h"
#include "support/StableHash.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdint>
#include <tuple>

namespace gpulto {

/// Version of the bytes of a summary; a reader refuses any other. Increase it
/// with each change of a record, a table or the meaning of a field.
constexpr uint32_t kSummaryVersion = 27;

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

} // namespace gpulto

#endif
