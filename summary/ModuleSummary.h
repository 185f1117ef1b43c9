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

#include "summary/JumpFunction.h"
#include "summary/LaunchSum.h"
#include "support/StableHash.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpulto {

enum class Side : uint8_t { Host, Device };

/// Index of a symbol within its module.
using SymbolIndex = uint32_t;
constexpr uint32_t kNone = ~0u;

/// A range of one of the module's flat tables.
struct Range {
  uint32_t first = 0;
  uint32_t count = 0;
  bool operator==(const Range &) const = default;
  bool empty() const { return count == 0; }
};

template <typename T>
llvm::ArrayRef<T> slice(const std::vector<T> &table, Range range) {
  return llvm::ArrayRef<T>(table).slice(range.first, range.count);
}

enum class SymbolKind : uint8_t {
  Function,
  Variable,
  Alias,
  IFunc,
  /// Defined or used by assembly only; no IR value.
  Assembly,
  Last = Assembly
};

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

enum class SymbolVisibility : uint8_t { Default, Hidden, Protected };

/// Facts of a symbol that are one bit each.
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
  /// Mentioned by inline or module assembly, as far as that can be known. Of a
  /// definition: by that of any module (CombinedSummary::resolve).
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
  /// A constructor, destructor, vtable or other symbol whose address the
  /// language does not let a program compare.
  kAddressInsignificantByLanguage = 1u << 17,
  /// Host: an entry of section cuda_offloading_entries, its name string, or the
  /// guard that plain links trip over. Our registration replaces them: WPA
  /// never keeps such a symbol and ignores what it refers to.
  kRegistration = 1u << 18,
  /// Belongs where the assembly of its module is, which knows it by its own
  /// name or which alone knows what it uses. Local and of kind Assembly:
  /// defined by inline assembly, of the functions that refer to it.
  kWithAssembly = 1u << 19,
  /// Host function: something in this module needs its signature as it is, what
  /// the body is or a call that is no plain one
  /// (ipa/signatures/SignaturesAnalyze).
  kSignatureFixed = 1u << 20,
};

struct SymbolRecord {
  /// The IR name (with a leading \\1 where the IR has one).
  llvm::StringRef name;
  SymbolKind kind = SymbolKind::Function;
  Linkage linkage = Linkage::External;
  SymbolVisibility visibility = SymbolVisibility::Default;
  uint8_t addressSpace = 0;
  uint32_t flags = 0;
  /// Definitions with equal atom numbers go to one partition together: COMDAT
  /// group, alias and aliasee, ifunc and resolver, a variable that holds block
  /// addresses and its function, a local and the host functions whose assembly
  /// names it, all that goes with module-level assembly, all that is in one
  /// section by its name. kNone for declarations and copyable constants.
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

enum class ComdatKind : uint8_t {
  Any,
  ExactMatch,
  Largest,
  NoDeduplicate,
  SameSize,
  Last = SameSize
};
struct ComdatRecord {
  llvm::StringRef name;
  ComdatKind kind = ComdatKind::Any;
  bool operator==(const ComdatRecord &) const = default;
};

/// What a call site says of itself.
enum CallFlag : uint16_t {
  kTailCall = 1u << 0,
  kMustTail = 1u << 1,
  kInvoke = 1u << 2,
  kNoInlineSite = 1u << 3,
  kAlwaysInlineSite = 1u << 4,
  kConvergentSite = 1u << 5,
  /// Runs seldom: an attribute says so, or it is in a block that does
  /// (ipa/coldness/ColdnessAnalyze).
  kColdSite = 1u << 6,
  /// What attributes promise of this call whoever the callee is: it does not
  /// unwind, it comes back, it does not synchronize, it frees nothing.
  kNoUnwindSite = 1u << 7,
  kWillReturnSite = 1u << 8,
  kNoSyncSite = 1u << 9,
  kNoFreeSite = 1u << 10,
  /// Attributes say what memory the call touches, and the caller's own effects
  /// include it.
  kKnownMemorySite = 1u << 11,
  /// No pointer argument is written through or kept.
  kReadsArgumentsSite = 1u << 12,
  /// Runs whenever the function is entered, unless something before it does not
  /// come back.
  kAlwaysReachedSite = 1u << 13,
  /// In a loop of the caller.
  kLoopSite = 1u << 14,
  /// Nobody uses what the callee returns, which is not void.
  kIgnoresResultSite = 1u << 15,
};

struct CallEdge {
  /// Symbol called, or kNone for an indirect call.
  SymbolIndex callee = kNone;
  uint16_t flags = 0;
  /// Executions per entry of the caller, in 1/256 (256: once); LGEN keeps three
  /// significant bits.
  uint32_t frequency = 256;
  /// Jump functions of the arguments, in ModuleSummary::jumpFunctions. Trailing
  /// Unknown ones are dropped.
  Range arguments;
  /// Source line of the call in the caller's file; 0 when not known.
  uint32_t line = 0;
  bool operator==(const CallEdge &) const = default;
};

/// How a body uses a symbol other than by calling it.
enum ReferenceFlag : uint8_t {
  kReads = 1u << 0,
  kWrites = 1u << 1,
  /// The address escapes from a plain load, store or call.
  kTakesAddress = 1u << 2,
  /// A kernel's handle is given to a function of the runtime that reads, or
  /// sets, attributes of the kernel, and keeps nothing. Sets: this handle is
  /// none that another kernel may have.
  kQueriesHandle = 1u << 3,
  kSetsHandle = 1u << 4,
  /// A function's address goes to launches as their handle, to arguments of
  /// direct calls, to variables, to callers and to where callees do not look,
  /// as LaunchSite::handles, jump functions and FunctionSummary::handleFlows
  /// tell.
  kPassesHandle = 1u << 5,
  /// Reads of a variable yield more than what kPassesHandle allows, or what is
  /// HandleTarget::Beside.
  kReadsValue = 1u << 6,
  /// Not all that is written to a variable is among
  /// FunctionSummary::variableStores.
  kWritesUnknown = 1u << 7,
};
constexpr unsigned kReferenceFlagBits = 8;

struct ReferenceEdge {
  SymbolIndex symbol = kNone;
  uint8_t flags = 0;
  bool operator==(const ReferenceEdge &) const = default;
};

enum class LaunchKind : uint8_t {
  /// <<<>>>: push configuration, then the stub.
  Chevron,
  Runtime,     // cudaLaunchKernel
  RuntimeExC,  // cudaLaunchKernelExC
  Cooperative, // cudaLaunchCooperativeKernel
  /// By device code: cudaLaunchDevice.
  Device,
  Last = Device
};

/// Position of the kernel's handle among the arguments of the runtime's launch
/// function for \p kind.
inline unsigned handleOperand(LaunchKind kind) {
  return kind == LaunchKind::RuntimeExC ? 1 : 0;
}

/// A launch of a kernel: a host -> device edge of the call graph, or an edge
/// from one kernel to another.
struct LaunchSite {
  /// Host stub whose kernel is launched, or kNone when the handle is not one
  /// address. LaunchKind::Device: the kernel.
  SymbolIndex stub = kNone;
  /// Without a stub: jump functions of all that the handle may be, each a
  /// SymbolAddress, PassThrough, LoadVariable, CallResult or Null; empty when
  /// it is unknown.
  Range handles;
  LaunchKind kind = LaunchKind::Chevron;
  uint32_t frequency = 256;
  uint32_t line = 0;
  /// Position, among the calls of the function, of the call that launches: of
  /// the stub or of the runtime. kNone when no call was found, or for a node of
  /// a graph, which anybody may launch. Launches with several configurations in
  /// force share one.
  uint32_t call = kNone;
  /// Jump functions: grid x, y, z, block x, y, z, shared bytes, stream; kNone
  /// entries do not exist: always kGeometryCount of them.
  Range geometry;
  /// Jump functions of the kernel's arguments, in order. Trailing Unknown ones
  /// are dropped.
  Range arguments;
  /// The stub's body was not in the module: \c arguments are those of the stub
  /// as the host's calling convention passes them (a struct of two words is two
  /// arguments); the stub's FunctionSummary::stubArguments translates them.
  bool byStubFormals = false;
  bool operator==(const LaunchSite &) const = default;
};

enum class HandleTarget : uint8_t {
  /// An argument of a call may be the handle.
  Argument,
  /// An argument of a call points into the variable that holds the handle.
  Behind,
  /// It is stored in a variable of the program: at byte \c argument or any
  /// number of strides of \c beforeBytes away from there.
  Variable,
  /// No handle: a read of the \c bitWidth bits of the VariablePart or Memory
  /// \c handle, or any number of strides of \c beforeBytes away from there.
  /// Handles must not be in these.
  Beside,
  /// The body returns it, at byte \c argument of what it returns.
  Return,
  /// Nowhere else: what a call returned, the handle, is used as kPassesHandle
  /// says. Of results without such an entry nothing is known.
  Followed,
  /// It is stored at byte \c beforeBytes of the memory of number \c argument.
  /// Of memory that is Followed, all that is read is told: as a handle, or by a
  /// Beside; and so are the calls that get its address, by a Passed.
  Into,
  /// No handle: an argument of a call is the address that \c handle, a Memory,
  /// tells, or a copy of what is there.
  Passed,
  Last = Passed
};

/// Where a kernel's handle goes that is not told by the jump function of a
/// call: a body chooses between several, keeps it or returns it.
struct HandleFlow {
  /// A SymbolAddress, PassThrough, LoadVariable, CallResult or Memory; see
  /// Beside. The Memory of a handle: the pointer that is at any time at byte
  /// \c value of the memory of number \c parameter. That behind a parameter has
  /// the parameter's number; local variables and new objects come behind those.
  JumpFunction handle;
  /// Argument, Behind, Passed: position among the calls of the function, and
  /// among their arguments. Others: see there.
  uint32_t call = kNone;
  uint32_t argument = 0;
  /// Behind: how far from where the argument points the handle is; kNone - 1:
  /// in front of it. Others: see there.
  uint32_t beforeBytes = kNone;
  HandleTarget to = HandleTarget::Argument;
  SymbolIndex variable = kNone;
  bool operator==(const HandleFlow &) const = default;
};

/// Host stub: where a piece of one of its formal parameters goes in the
/// kernel's parameter list.
struct StubArgument {
  /// Parameter of the kernel, and the byte in it where the piece starts.
  uint32_t kernelArgument = 0;
  uint32_t byteOffset = 0;
  /// Formal parameter of the stub, and whether it is a by-value aggregate that
  /// is passed on whole.
  uint32_t formal = 0;
  bool isAggregate = false;
  bool operator==(const StubArgument &) const = default;
};

/// What a body stores in a variable.
struct VariableStore {
  SymbolIndex variable = kNone;
  PartOffset byteOffset;
  uint32_t sizeBytes = 0;
  JumpFunction value;
  bool operator==(const VariableStore &) const = default;
};

/// Order of LaunchSite::geometry.
enum Geometry : uint32_t {
  kGridX,
  kGridY,
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kSharedBytes,
  kStream,
  kGeometryCount
};

/// What may hold of an argument of a kernel, or of a launch.
enum class GuardKind : uint8_t {
  /// An integer, taken as unsigned, is at most largestWord(sizeClass).
  FitsWord,
  /// An integer or an address is a multiple of 2^alignLog2.
  Multiple,
  /// An integer is 1.
  One,
  /// The threads in x are fewer than 2^31: the grid has at most kMaxWordGrid
  /// blocks in x. Of the launch, not of an argument.
  SmallGrid,
  /// What the kernel touches through the pointer and through \c other, another
  /// one, does not overlap. The host can tell when the kernel's extents have
  /// both (FunctionSummary::guardExtents).
  Apart,
  Last = Apart
};

/// Blocks in x of a grid with fewer than 2^31 threads in x: a number below 2^31
/// and one step of a loop over all threads are below 2^32.
constexpr uint32_t kMaxWordGrid = 2097151;

/// Returns the largest size of a class: that fits 32 bits, 31 bits, 31 bits
/// with a factor of up to 16, and of which two, or three, multiplied, fit 31
/// bits.
constexpr uint64_t largestWord(uint8_t sizeClass) {
  constexpr uint64_t kLargest[] = {4294967295, 2147483647, 134217727, 46340,
                                   1290};
  return kLargest[sizeClass];
}
constexpr uint8_t kLastSizeClass = 4;

/// A fact that would pay in a kernel.
struct GuardFact {
  GuardKind kind = GuardKind::FitsWord;
  /// Parameter of the kernel; SmallGrid: 0. The \c bitWidth bits (0: a pointer)
  /// at byte \c byteOffset of a by-value aggregate if \c isPart.
  uint32_t parameter = 0;
  bool isPart = false;
  uint32_t byteOffset = 0;
  uint16_t bitWidth = 0;
  uint8_t alignLog2 = 0;
  /// FitsWord: how small it is.
  uint8_t sizeClass = 0;
  /// Apart: the greater of the two.
  PointerSource other = {};
  auto operator<=>(const GuardFact &) const = default;
};

/// Facts that together save something in a kernel.
struct GuardChance {
  /// Instructions for each entry, estimated, loops weighed by frequency.
  uint32_t gain = 0;
  Range facts; // sorted
  bool operator==(const GuardChance &) const = default;
};

enum ParameterFlag : uint32_t {
  kParamUnused = 1u << 0,
  kParamNoAlias = 1u << 1,
  kParamNonNull = 1u << 2,
  kParamByVal = 1u << 3,
  kParamStructRet = 1u << 4,
  /// Pointer: memory it points to may be read / written / the pointer kept.
  kParamMayRead = 1u << 5,
  kParamMayWrite = 1u << 6,
  kParamMayEscape = 1u << 7,
  /// Scalar: used in a branch condition, as a loop bound, as an index: what a
  /// constant would be worth.
  kParamInCondition = 1u << 8,
  kParamInLoopBound = 1u << 9,
  kParamInAddress = 1u << 10,
  kParamCalled = 1u << 11,
  kParamIsPointer = 1u << 12,
  kParamIsFloat = 1u << 13,
  kParamGridConstant = 1u << 14,
  /// Pointer: it is compared, so its bits may become known.
  kParamMayCompare = 1u << 15,
  /// Host pointer: kPassesHandle holds of what it points to, here.
  kParamIsHandle = 1u << 16,
  /// As kQueriesHandle and kSetsHandle, beside kParamIsHandle.
  kParamHandleQueried = 1u << 17,
  kParamHandleSet = 1u << 18,
  /// Host: neither an integer, a float nor a pointer, or an attribute makes the
  /// calling convention treat it in a way of its own.
  kParamIsSpecial = 1u << 19,
};

/// Host: why a body is passed a pointer that it only loads through, and not
/// what it loads. Only said of references, and of pointers through which there
/// are loads at constant distances and nothing else.
enum class PointerNeed : uint8_t {
  None,      ///< it has LoadedParts, or nothing is to be said
  HandedOn,  ///< to a function that only reads
  Copied,    ///< memory there is copied as a whole
  Compared,  ///< the address itself
  Volatile,  ///< or atomic
  AnyPlace,  ///< distances are not constant
  OtherType, ///< values that are no ScalarKind
  Overlaps,  ///< or one place is loaded as several types
  TooMany,   ///< loads, or places
  Condition, ///< on which a load depends, of what may not be readable
  Changed,   ///< before it is loaded
  Last = Changed
};

/// Where ParameterRecord::flags hold a PointerNeed, behind the ParameterFlags.
constexpr unsigned kPointerNeedShift = 20;
constexpr uint32_t kPointerNeedMask = 15;

struct ParameterRecord {
  /// ParameterFlags, and pointerNeed().
  uint32_t flags = 0;
  /// Scalars: bits. Pointers: 0. By-value aggregates: see byValBytes.
  uint16_t bitWidth = 0;
  uint8_t addressSpace = 0;
  uint8_t alignLog2 = 0;
  /// Size of a byval aggregate, in bytes.
  uint32_t byValBytes = 0;
  /// Instructions that a constant here would let us remove, estimated; of an
  /// aggregate, if all of it were constant.
  uint32_t constantGain = 0;
  /// Host pointer: only that many bytes from where it points are touched
  /// through it, and it is neither kept nor passed on. kNone: not known.
  uint32_t reachBytes = kNone;
  /// Host pointer: as reachBytes, but it may be passed on, at distances that
  /// jump functions tell: what callees touch comes on top. kNone: not known.
  uint32_t ownReachBytes = kNone;
  PointerNeed pointerNeed() const {
    return static_cast<PointerNeed>(flags >> kPointerNeedShift &
                                    kPointerNeedMask);
  }
  bool operator==(const ParameterRecord &) const = default;
};

/// What a machine passes as one value.
enum class ScalarKind : uint8_t { Integer, Float, Pointer, Last = Pointer };

/// Host: bytes behind a pointer parameter that the body loads. The body uses a
/// parameter that has such parts for nothing else; it finds in them what was
/// there at its entry, and whatever it is passed, they can be loaded there.
struct LoadedPart {
  uint32_t parameter = 0;
  uint32_t byteOffset = 0;
  ScalarKind kind = ScalarKind::Integer;
  /// Integer, Float. Pointer: 0.
  uint16_t bitWidth = 0;
  /// What the address of these bytes is known to be a multiple of.
  uint8_t alignLog2 = 0;

  uint32_t sizeBytes() const {
    constexpr uint32_t kPointerBytes = 8, kByteBits = 8;
    return kind == ScalarKind::Pointer ? kPointerBytes : bitWidth / kByteBits;
  }
  bool operator==(const LoadedPart &) const = default;
};

/// Device kernels: a pointer in a by-value aggregate that the body loads, of a
/// copy that nothing writes.
struct PointerMember {
  uint32_t parameter = 0;
  uint32_t byteOffset = 0;
  /// kParamMayRead, kParamMayWrite and kParamMayEscape: what the body does with
  /// the memory behind it, and the pointer. Callees that jump functions tell of
  /// are not included.
  uint32_t flags = 0;
  bool operator==(const PointerMember &) const = default;
};

enum FunctionFlag : uint32_t {
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

/// What a body may do to memory beyond its own stack, one bit each for read and
/// write, and to control, as its callers must take it: what orders accesses of
/// other threads reads and writes other memory, too. Callees are not included:
/// WPA adds them.
enum MemoryEffect : uint16_t {
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

struct FunctionSummary {
  // What most passes ask for comes first, side by side.
  SymbolIndex symbol = kNone;
  uint32_t flags = 0;
  uint16_t memoryEffects = 0;
  uint16_t maxLoopDepth = 0;
  /// IR instructions without debug and lifetime markers.
  uint32_t instructionCount = 0;
  Range calls;
  Range parameters;
  Range references;
  Range launches;
  Range variableStores; ///< host: in the order of the variables
  /// Estimated code: host bytes, or device SASS bytes.
  uint32_t sizeBytes = 0;
  /// Fixed stack (allocas of constant size), bytes.
  uint32_t stackBytes = 0;
  /// Estimated time of one entry in cycles of the target's cost model, loops
  /// weighed by frequency. Unit: TargetTransformInfo recip-throughput units.
  uint64_t timeCycles = 0;
  /// What the function returns: Unknown, Constant, PassThrough ...
  JumpFunction returned;
  /// Source line of the definition; 0 when not known.
  uint32_t line = 0;
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
  /// In the order of calls, of arguments in one call; then the others.
  Range handleFlows;
  /// Kernel stubs: ordered by (kernelArgument, byteOffset); empty when the body
  /// has not the shape that clang gives it.
  Range stubArguments;
  /// Device kernels: facts that WPA may let the host test before a launch.
  Range guards;
  /// Device kernels: what they touch through pointers in \c guards, as far as
  /// the host can tell; by pointer.
  Range guardExtents;
  /// Host, by parameter: what is in the memory that it points to when the
  /// function returns, an Aggregate, if no other pointer leads there; Unknown
  /// if nothing is known of that. Trailing Unknown ones are dropped.
  Range outputs;
  /// Host: by (parameter, byteOffset); no two overlap.
  Range loadedParts;
  /// Device kernels: by (parameter, byteOffset), each place once.
  Range members;

  bool has(FunctionFlag flag) const { return flags & flag; }
  bool operator==(const FunctionSummary &) const = default;
};

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

/// An alias or ifunc: \c symbol stands for \c target (the resolver of an
/// ifunc).
struct AliasSummary {
  SymbolIndex symbol = kNone;
  SymbolIndex target = kNone;
  int64_t offsetBytes = 0;
  bool operator==(const AliasSummary &) const = default;
};

/// An entry of llvm.global_ctors or llvm.global_dtors.
struct StructorRecord {
  uint32_t priority = 65535;
  SymbolIndex function = kNone;
  /// Symbol whose death removes the entry, or kNone.
  SymbolIndex associated = kNone;
  bool isDestructor = false;
  bool operator==(const StructorRecord &) const = default;
};

/// What the host registers with the runtime under a device name; the fields
/// are those of clang's __tgt_offload_entry.
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

/// From this bit on, in kCompressionBits, flags of device modules say how the
/// program's images are to be compressed: an ImageCompression plus 1; 0: nobody
/// says.
constexpr unsigned kCompressionShift = 13;
constexpr unsigned kCompressionBits = 3;

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

  std::vector<SymbolRecord> symbols;
  std::vector<ComdatRecord> comdats;
  std::vector<FunctionSummary> functions; // in symbol order
  std::vector<VariableSummary> variables; // in symbol order
  std::vector<AliasSummary> aliases;
  std::vector<StructorRecord> structors; // in module order
  std::vector<OffloadEntry> offloadEntries;

  // Flat tables; see Range.
  std::vector<ParameterRecord> parameters;
  std::vector<CallEdge> calls;
  std::vector<ReferenceEdge> references;
  std::vector<SymbolIndex> foldSymbols;
  std::vector<LaunchSite> launches;
  std::vector<HandleFlow> handleFlows;
  std::vector<StubArgument> stubArguments;
  std::vector<GuardFact> guardFacts;
  std::vector<GuardChance> guards;
  std::vector<PointerExtent> guardExtents;
  std::vector<JumpFunction> jumpFunctions;
  std::vector<AggregatePart> aggregateParts;
  std::vector<VariableStore> variableStores;
  std::vector<LoadedPart> loadedParts;
  std::vector<PointerMember> members;

  bool has(ModuleFlag flag) const { return flags & flag; }
  uint32_t compression() const {
    return flags >> kCompressionShift & ((1u << kCompressionBits) - 1);
  }
  bool operator==(const ModuleSummary &) const = default;
};

} // namespace gpulto

#endif
