//===- DumpSummary.cpp - Summaries as text --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One fact a line, in the order of the summary, so that FileCheck can read it
// and diff can compare it. Jump functions:
//
//   ?  i32 7  null  &symbol+8  arg0:i32  arg0:i32 add 1  arg0+16  arg0[8]:i64
//   {0: i32 1, 4: arg1:i32}     followed by (align 16 as 1 nonnull) if known
//
//===----------------------------------------------------------------------===//

#include "tools/commands/DumpSummary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

namespace gpulto {

namespace {

using llvm::raw_ostream;
using llvm::StringRef;

struct FlagName {
  uint32_t flag;
  const char *name;
};

constexpr FlagName kSymbolFlags[] = {
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

constexpr FlagName kFunctionFlags[] = {
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

constexpr FlagName kEffects[] = {
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

constexpr FlagName kParameterFlags[] = {
    {kParamUnused, "unused"},
    {kParamNoAlias, "noalias"},
    {kParamNonNull, "nonnull"},
    {kParamByVal, "byval"},
    {kParamStructRet, "sret"},
    {kParamMayRead, "may_read"},
    {kParamMayWrite, "may_write"},
    {kParamMayEscape, "may_escape"},
    {kParamInCondition, "in_condition"},
    {kParamInLoopBound, "in_loop_bound"},
    {kParamInAddress, "in_address"},
    {kParamCalled, "called"},
    {kParamIsPointer, "pointer"},
    {kParamIsFloat, "float"},
    {kParamGridConstant, "grid_constant"},
    {kParamMayCompare, "may_compare"},
    {kParamIsHandle, "handle"},
    {kParamHandleQueried, "queried"},
    {kParamHandleSet, "set"},
    {kParamIsSpecial, "special"},
};

constexpr const char *kPointerNeeds[] = {
    "none",  "handed_on", "copied",   "compared",  "volatile", "any_place",
    "other", "overlaps",  "too_many", "condition", "changed"};
static_assert(std::size(kPointerNeeds) == size_t(PointerNeed::Last) + 1);

constexpr FlagName kCallFlags[] = {
    {kTailCall, "tail"},
    {kMustTail, "musttail"},
    {kInvoke, "invoke"},
    {kNoInlineSite, "noinline"},
    {kAlwaysInlineSite, "alwaysinline"},
    {kConvergentSite, "convergent"},
    {kColdSite, "cold"},
    {kNoUnwindSite, "nounwind"},
    {kWillReturnSite, "willreturn"},
    {kNoSyncSite, "nosync"},
    {kNoFreeSite, "nofree"},
    {kKnownMemorySite, "known_memory"},
    {kReadsArgumentsSite, "reads_arguments"},
    {kAlwaysReachedSite, "always_reached"},
    {kLoopSite, "loop"},
};

constexpr FlagName kReferenceFlags[] = {
    {kReads, "reads"},          {kWrites, "writes"},
    {kTakesAddress, "address"}, {kQueriesHandle, "queries"},
    {kSetsHandle, "sets"},      {kPassesHandle, "passes"},
    {kReadsValue, "value"},     {kWritesUnknown, "writes_unknown"}};

constexpr FlagName kModuleFlags[] = {
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
};

constexpr const char *kKindNames[] = {"function", "variable", "alias", "ifunc",
                                      "assembly"};
constexpr const char *kLinkageNames[] = {"external",  "available_externally",
                                         "linkonce",  "linkonce_odr",
                                         "weak",      "weak_odr",
                                         "appending", "internal",
                                         "private",   "extern_weak",
                                         "common"};
constexpr const char *kVisibilityNames[] = {"default", "hidden", "protected"};
constexpr const char *kComdatNames[] = {"any", "exactmatch", "largest",
                                        "nodeduplicate", "samesize"};
constexpr const char *kOperationNames[] = {
    "none",   "add",    "sub",    "mul",    "shl",   "lshr",   "ashr",
    "and",    "or",     "xor",    "zext",   "sext",  "trunc",  "udiv",
    "sdiv",   "urem",   "srem",   "umin",   "umax",  "smin",   "smax",
    "fadd",   "fsub",   "fmul",   "fdiv",   "fceil", "ffloor", "fext",
    "ftrunc", "sitofp", "uitofp", "fptosi", "fptoui"};
constexpr const char *kLaunchNames[] = {"chevron", "runtime", "runtime_exc",
                                        "cooperative", "device"};
constexpr const char *kGeometryNames[] = {"grid.x",  "grid.y",  "grid.z",
                                          "block.x", "block.y", "block.z",
                                          "shared",  "stream"};
constexpr const char *kEntryNames[] = {"kernel", "variable", "managed",
                                       "surface", "texture"};

void printFlags(raw_ostream &out, uint32_t flags,
                llvm::ArrayRef<FlagName> names) {
  for (const FlagName &name : names)
    if (flags & name.flag)
      out << ' ' << name.name;
}

/// A name as text; unprintable characters escaped, <none> for no symbol.
void printName(raw_ostream &out, StringRef name) {
  if (name.empty())
    out << "<unnamed>";
  llvm::printEscapedString(name, out);
}

/// Prints the records of one module.
class Printer {
public:
  Printer(raw_ostream &out, const ModuleSummary &summary)
      : out(out), s(summary), side(summary.side == Side::Host
                                       ? std::string("host")
                                       : "device(" + summary.arch.str() + ")") {
  }

  void header();
  void symbols();
  void bodies(bool digests);
  void callGraph();
  void dot(StringRef prefix);

private:
  void symbol(SymbolIndex index) {
    if (index == kNone)
      out << "<unknown>";
    else
      printName(out, s.symbols[index].name);
  }
  void frequency(uint32_t value) {
    constexpr double kOnce = 256;
    out << llvm::format("%.3g", value / kOnce);
  }
  void width(const JumpFunction &j) {
    if (j.bitWidth)
      out << ":i" << j.bitWidth;
  }
  void offset(uint64_t value) {
    int64_t bytes = static_cast<int64_t>(value);
    if (bytes)
      out << (bytes > 0 ? "+" : "") << bytes;
  }
  void facts(const JumpFunction &j);
  void operation(const JumpFunction &j);
  void partsNow(const JumpFunction &j);
  void parts(uint32_t first, uint32_t count);
  void jumpFunction(const JumpFunction &j);
  void list(Range range, bool areHandles = false);
  void handle(const JumpFunction &j);
  void function(const FunctionSummary &f, bool digests);
  void parameter(uint32_t number, const ParameterRecord &p);
  void loadedPart(const LoadedPart &p);
  void member(const PointerMember &m);
  void launch(const LaunchSite &l);
  void guard(const GuardChance &g);
  void extent(const PointerExtent &e);
  void handleFlow(const HandleFlow &flow);
  void references(Range range);
  void variable(const VariableSummary &v, bool digests);
  void quoted(StringRef prefix, SymbolIndex index);

  raw_ostream &out;
  const ModuleSummary &s;
  std::string side;
};

void Printer::header() {
  out << side << " module " << s.sourceName << '\n';
  out << side << " triple " << s.targetTriple << '\n';
  out << side << " level O" << unsigned(s.optLevel) << " size "
      << unsigned(s.sizeLevel) << " pic " << unsigned(s.picLevel) << " pie "
      << unsigned(s.pieLevel) << '\n';
  out << side << " flags";
  printFlags(out, s.flags, kModuleFlags);
  out << '\n';
  out << side << " counts symbols " << s.symbols.size() << " functions "
      << s.functions.size() << " variables " << s.variables.size() << " calls "
      << s.calls.size() << " references " << s.references.size() << " launches "
      << s.launches.size() << " parameters " << s.parameters.size()
      << " jump_functions " << s.jumpFunctions.size() << '\n';
}

void Printer::symbols() {
  for (const SymbolRecord &r : s.symbols) {
    out << side << " symbol ";
    printName(out, r.name);
    out << ": " << kKindNames[size_t(r.kind)] << ' '
        << kLinkageNames[size_t(r.linkage)] << ' '
        << kVisibilityNames[size_t(r.visibility)];
    if (r.addressSpace)
      out << " addrspace " << unsigned(r.addressSpace);
    if (r.atom != kNone)
      out << " atom " << r.atom;
    if (r.comdat != kNone) {
      out << " comdat ";
      printName(out, s.comdats[r.comdat].name);
    }
    printFlags(out, r.flags, kSymbolFlags);
    out << '\n';
  }
  for (const ComdatRecord &c : s.comdats) {
    out << side << " comdat ";
    printName(out, c.name);
    out << ": " << kComdatNames[size_t(c.kind)] << '\n';
  }
  for (const AliasSummary &a : s.aliases) {
    out << side << " alias ";
    symbol(a.symbol);
    out << " of ";
    symbol(a.target);
    offset(static_cast<uint64_t>(a.offsetBytes));
    out << '\n';
  }
  for (const StructorRecord &r : s.structors) {
    out << side << (r.isDestructor ? " destructor " : " constructor ");
    symbol(r.function);
    out << " priority " << r.priority;
    if (r.associated != kNone) {
      out << " associated ";
      symbol(r.associated);
    }
    out << '\n';
  }
  for (const OffloadEntry &e : s.offloadEntries) {
    out << side << " offload " << kEntryNames[size_t(e.kind)] << ' ';
    printName(out, e.deviceName);
    out << ": host ";
    symbol(e.hostSymbol);
    out << " size " << e.sizeBytes << (e.isExtern ? " extern" : "")
        << (e.isConstant ? " constant" : "")
        << (e.isNormalized ? " normalized" : "");
    if (e.textureType)
      out << " type " << e.textureType;
    out << '\n';
  }
}

void Printer::facts(const JumpFunction &j) {
  if (!j.hasFacts())
    return;
  const char *separator = "(";
  auto begin = [&] {
    out << separator;
    separator = " ";
  };
  if (j.alignLog2) {
    begin();
    out << "align " << (uint64_t(1) << j.alignLog2);
  }
  if (j.addressSpace) {
    begin();
    out << "as " << unsigned(j.addressSpace);
  }
  if (j.nonNull) {
    begin();
    out << "nonnull";
  }
  if (j.high) {
    begin();
    out << "in " << j.low << ".." << j.high;
  }
  out << ')';
}

void Printer::operation(const JumpFunction &j) {
  if (j.operation == JumpOperation::None)
    return;
  if (j.kind == JumpFunction::Kind::Composed && j.bitWidth == 0) {
    out << " at a multiple of " << j.value;
    return;
  }
  out << ' ' << kOperationNames[size_t(j.operation)];
  if (j.kind == JumpFunction::Kind::Composed && j.count) {
    out << ' ';
    jumpFunction(s.jumpFunctions[j.count - 1]);
  } else if (j.operation != JumpOperation::Trunc) {
    out << ' ' << j.value;
  }
}

/// What the pointer \p j, a formal parameter, leads to when it is passed on.
void Printer::partsNow(const JumpFunction &j) {
  if (j.isPointerPassedOn() && j.count)
    parts(j.parameter, j.count);
}

void Printer::parts(uint32_t first, uint32_t count) {
  out << '{';
  const char *separator = "";
  for (const AggregatePart &part :
       llvm::ArrayRef(s.aggregateParts).slice(first, count)) {
    out << separator << part.byteOffset << ": ";
    jumpFunction(part.value);
    separator = ", ";
  }
  out << '}';
}

void Printer::jumpFunction(const JumpFunction &j) {
  using Kind = JumpFunction::Kind;
  switch (j.kind) {
  case Kind::Unknown:
    out << '?';
    break;
  case Kind::Constant:
    out << 'i' << j.bitWidth << ' ' << j.value;
    break;
  case Kind::Null:
    out << "null";
    break;
  case Kind::SymbolAddress:
    out << '&';
    symbol(j.source);
    offset(j.value);
    break;
  case Kind::PassThrough:
    out << "arg" << j.source;
    width(j);
    operation(j);
    partsNow(j);
    break;
  case Kind::Ancestor:
    out << "arg" << j.source << "+" << static_cast<int64_t>(j.value);
    partsNow(j);
    break;
  case Kind::LoadAggregate:
    out << "arg" << j.source << '[' << j.value;
    if (j.count)
      out << ".." << j.value + j.count << " at entry";
    out << ']';
    width(j);
    break;
  case Kind::Aggregate:
    if (j.value)
      out << "&local" << j.value;
    parts(j.source, j.count);
    break;
  case Kind::CallMemory:
    out << "argument " << j.parameter << " of call " << j.source << '['
        << j.value << ".." << j.value + j.count << ']';
    break;
  case Kind::Memory:
    out << "local" << j.parameter << " one of";
    parts(j.source, j.count);
    out << '[' << j.value << ']';
    width(j);
    break;
  case Kind::VariablePart:
    out << "stored in ";
    symbol(j.source);
    out << '[' << j.value << ']';
    width(j);
    break;
  case Kind::Allocation:
    out << "allocated by call " << j.source
        << (j.parameter ? ", which lasts" : "");
    break;
  case Kind::LoadVariable:
    out << "load ";
    symbol(j.source);
    break;
  case Kind::CallResult:
    out << "result of call " << j.source << '[' << j.value;
    if (j.count)
      out << ".." << j.value + j.count;
    out << ']';
    width(j);
    break;
  case Kind::Composed:
    out << '(';
    jumpFunction(s.jumpFunctions[j.source]);
    out << ')';
    width(j);
    operation(j);
    break;
  }
  facts(j);
}

void Printer::list(Range range, bool areHandles) {
  out << '(';
  const char *separator = "";
  for (const JumpFunction &j : slice(s.jumpFunctions, range)) {
    out << separator;
    if (areHandles)
      handle(j);
    else
      jumpFunction(j);
    separator = ", ";
  }
  out << ')';
}

/// A Memory is another one than in jump functions, see HandleFlow.
void Printer::handle(const JumpFunction &j) {
  if (j.kind != JumpFunction::Kind::Memory)
    return jumpFunction(j);
  out << "memory" << j.parameter << '[' << j.value << ']';
  if (j.bitWidth)
    width(j);
}

void Printer::parameter(uint32_t number, const ParameterRecord &p) {
  out << "  param " << number;
  if (p.bitWidth)
    out << " i" << p.bitWidth;
  if (p.byValBytes)
    out << " bytes " << p.byValBytes;
  if (p.addressSpace)
    out << " addrspace " << unsigned(p.addressSpace);
  if (p.alignLog2)
    out << " align " << (uint64_t(1) << p.alignLog2);
  printFlags(out, p.flags, kParameterFlags);
  if (p.pointerNeed() != PointerNeed::None)
    out << " needs_pointer " << kPointerNeeds[size_t(p.pointerNeed())];
  if (p.constantGain)
    out << " gain " << p.constantGain;
  if (p.reachBytes != kNone)
    out << " reach " << p.reachBytes;
  else if (p.ownReachBytes != kNone)
    out << " own_reach " << p.ownReachBytes;
  out << '\n';
}

void Printer::loadedPart(const LoadedPart &p) {
  out << "  param " << p.parameter << " loaded ";
  if (p.kind == ScalarKind::Pointer)
    out << "ptr";
  else
    out << (p.kind == ScalarKind::Float ? 'f' : 'i') << p.bitWidth;
  out << " at " << p.byteOffset << " align " << (uint64_t(1) << p.alignLog2)
      << '\n';
}

void Printer::member(const PointerMember &m) {
  out << "  param " << m.parameter << " pointer at " << m.byteOffset;
  printFlags(out, m.flags, kParameterFlags);
  out << '\n';
}

void Printer::launch(const LaunchSite &l) {
  out << "  launch ";
  symbol(l.stub);
  out << ' ' << kLaunchNames[size_t(l.kind)] << " freq ";
  frequency(l.frequency);
  if (l.line)
    out << " line " << l.line;
  if (l.call != kNone)
    out << " call " << l.call;
  if (!l.handles.empty()) {
    out << " handles=";
    list(l.handles, true);
  }
  unsigned component = 0;
  for (const JumpFunction &j : slice(s.jumpFunctions, l.geometry)) {
    out << ' ' << kGeometryNames[component++] << '=';
    jumpFunction(j);
  }
  out << (l.byStubFormals ? " stub_args=" : " args=");
  list(l.arguments);
  out << '\n';
}

void Printer::handleFlow(const HandleFlow &flow) {
  out << "  handle ";
  handle(flow.handle);
  switch (flow.to) {
  case HandleTarget::Argument:
    out << " call " << flow.call << " arg" << flow.argument;
    break;
  case HandleTarget::Behind:
    out << " call " << flow.call << " arg" << flow.argument << " before "
        << flow.beforeBytes;
    break;
  case HandleTarget::Variable:
    out << " stored in ";
    symbol(flow.variable);
    out << '[' << flow.argument << ']';
    if (flow.beforeBytes)
      out << " by " << flow.beforeBytes;
    break;
  case HandleTarget::Beside:
    out << " beside";
    if (flow.beforeBytes)
      out << " by " << flow.beforeBytes;
    break;
  case HandleTarget::Return:
    out << " returned";
    if (flow.argument)
      out << '[' << flow.argument << ']';
    break;
  case HandleTarget::Followed:
    out << " followed";
    break;
  case HandleTarget::Into:
    out << " stored in memory" << flow.argument << '[' << flow.beforeBytes
        << ']';
    break;
  case HandleTarget::Passed:
    out << " passed to call " << flow.call << " arg" << flow.argument;
    break;
  }
  out << '\n';
}

void Printer::references(Range range) {
  for (const ReferenceEdge &r : slice(s.references, range)) {
    out << "  ref ";
    symbol(r.symbol);
    out << ':';
    printFlags(out, r.flags, kReferenceFlags);
    out << '\n';
  }
}

void Printer::function(const FunctionSummary &f, bool digests) {
  out << side << " function ";
  symbol(f.symbol);
  out << ": insts " << f.instructionCount << " bytes " << f.sizeBytes
      << " time " << f.timeCycles << " stack " << f.stackBytes;
  if (f.registersPerThread)
    out << " registers " << f.registersPerThread;
  if (f.maxLoopDepth)
    out << " loop_depth " << f.maxLoopDepth;
  if (f.line)
    out << " line " << f.line;
  out << '\n';
  out << "  flags";
  printFlags(out, f.flags, kFunctionFlags);
  out << "\n  effects";
  printFlags(out, f.memoryEffects, kEffects);
  out << '\n';
  if (f.maxThreads[0] || f.minBlocksPerSM || f.maxRegisters)
    out << "  bounds max_threads " << f.maxThreads[0] << ' ' << f.maxThreads[1]
        << ' ' << f.maxThreads[2] << " min_blocks " << f.minBlocksPerSM
        << " max_registers " << f.maxRegisters << '\n';
  if (f.requiredThreads[0])
    out << "  bounds required_threads " << f.requiredThreads[0] << ' '
        << f.requiredThreads[1] << ' ' << f.requiredThreads[2] << '\n';
  if (llvm::any_of(f.geometryGain, [](uint32_t gain) { return gain != 0; })) {
    out << "  geometry gain";
    for (uint32_t gain : f.geometryGain)
      out << ' ' << gain;
    out << '\n';
  }
  if (digests)
    out << "  digest " << f.contentDigest << " attributes "
        << f.attributesDigest << " form " << f.foldHash << '\n';
  uint32_t number = 0;
  for (const ParameterRecord &p : slice(s.parameters, f.parameters))
    parameter(number++, p);
  for (const LoadedPart &p : slice(s.loadedParts, f.loadedParts))
    loadedPart(p);
  for (const PointerMember &m : slice(s.members, f.members))
    member(m);
  for (const StubArgument &a : slice(s.stubArguments, f.stubArguments)) {
    out << "  stub_arg " << a.kernelArgument << " byte " << a.byteOffset
        << " from arg" << a.formal << (a.isAggregate ? " whole" : "") << '\n';
  }
  for (const GuardChance &g : slice(s.guards, f.guards))
    guard(g);
  for (const PointerExtent &e : slice(s.guardExtents, f.guardExtents))
    extent(e);
  for (const CallEdge &c : slice(s.calls, f.calls)) {
    out << "  call ";
    symbol(c.callee);
    out << " freq ";
    frequency(c.frequency);
    if (c.line)
      out << " line " << c.line;
    printFlags(out, c.flags, kCallFlags);
    out << " args=";
    list(c.arguments);
    if (c.flags & kIgnoresResultSite)
      out << " result ignored";
    out << '\n';
  }
  for (const LaunchSite &l : slice(s.launches, f.launches))
    launch(l);
  for (const HandleFlow &flow : slice(s.handleFlows, f.handleFlows))
    handleFlow(flow);
  references(f.references);
  if (!(f.returned == JumpFunction())) {
    out << "  returns ";
    jumpFunction(f.returned);
    out << '\n';
  }
  if (!f.outputs.empty()) {
    out << "  leaves ";
    list(f.outputs);
    out << '\n';
  }
  for (const VariableStore &store : slice(s.variableStores, f.variableStores)) {
    out << "  stores ";
    symbol(store.variable);
    out << '[' << store.byteOffset << ".."
        << store.byteOffset + uint64_t(store.sizeBytes) << "]: ";
    jumpFunction(store.value);
    out << '\n';
  }
}

/// Prints "arg2", or "arg0[8]" for a part.
static void printSource(raw_ostream &out, const PointerSource &source) {
  out << "arg" << source.parameter;
  if (source.isPart)
    out << '[' << source.byteOffset << ']';
}

void Printer::extent(const PointerExtent &e) {
  auto list = [&](const std::vector<LaunchSum> &sums) {
    out << llvm::join(llvm::map_range(sums, sumText), ", ");
  };
  out << "  touches ";
  printSource(out, e.pointer);
  out << " from ";
  list(e.lows);
  out << " to ";
  list(e.highs);
  if (!e.premises.empty())
    out << " unless negative: ";
  list(e.premises);
  out << '\n';
}

void Printer::guard(const GuardChance &g) {
  static constexpr const char *kKinds[] = {"fits_word", "multiple", "one",
                                           "small_grid", "apart"};
  out << "  guard gain " << g.gain << ':';
  for (const GuardFact &fact : slice(s.guardFacts, g.facts)) {
    out << ' ' << kKinds[static_cast<unsigned>(fact.kind)];
    if (fact.kind != GuardKind::SmallGrid)
      printSource(out << ' ', {fact.parameter, fact.isPart, fact.byteOffset});
    if (fact.kind == GuardKind::Apart)
      printSource(out << " from ", fact.other);
    if (fact.alignLog2)
      out << " of " << (uint64_t(1) << fact.alignLog2);
    if (fact.sizeClass)
      out << " at most " << largestWord(fact.sizeClass);
  }
  out << '\n';
}

void Printer::variable(const VariableSummary &v, bool digests) {
  out << side << " variable ";
  symbol(v.symbol);
  out << ": bytes " << v.sizeBytes << " align " << (uint64_t(1) << v.alignLog2)
      << (v.zeroInitialized ? " zero" : "")
      << (v.hasBlockAddress ? " block_address" : "") << '\n';
  if (digests)
    out << "  digest " << v.contentDigest << " form " << v.foldHash << '\n';
  if (!(v.initializer == JumpFunction())) {
    out << "  initially ";
    jumpFunction(v.initializer);
    out << '\n';
  }
  references(v.references);
}

void Printer::bodies(bool digests) {
  for (const FunctionSummary &f : s.functions)
    function(f, digests);
  for (const VariableSummary &v : s.variables)
    variable(v, digests);
}

void Printer::callGraph() {
  for (const FunctionSummary &f : s.functions) {
    auto edge = [&](const char *arrow, SymbolIndex to, uint32_t times) {
      out << side << " edge ";
      symbol(f.symbol);
      out << ' ' << arrow << ' ';
      symbol(to);
      out << " freq ";
      frequency(times);
      out << '\n';
    };
    for (const CallEdge &c : slice(s.calls, f.calls))
      edge("->", c.callee, c.frequency);
    for (const LaunchSite &l : slice(s.launches, f.launches))
      edge("=>", l.stub, l.frequency);
  }
}

void Printer::quoted(StringRef prefix, SymbolIndex index) {
  out << '"' << prefix;
  std::string name;
  llvm::raw_string_ostream text(name);
  if (index == kNone)
    text << "<unknown>";
  else
    printName(text, s.symbols[index].name);
  for (char c : name)
    out << (c == '"' ? "\\\"" : StringRef(&c, 1));
  out << '"';
}

void Printer::dot(StringRef prefix) {
  for (const FunctionSummary &f : s.functions) {
    out << "  ";
    quoted(prefix, f.symbol);
    bool isKernel = s.symbols[f.symbol].has(kKernel) ||
                    s.symbols[f.symbol].has(kKernelStub);
    out << " [shape=" << (isKernel ? "hexagon" : "box") << "];\n";
    auto edge = [&](SymbolIndex to, const char *style) {
      out << "  ";
      quoted(prefix, f.symbol);
      out << " -> ";
      quoted(prefix, to);
      out << " [style=" << style << "];\n";
    };
    for (const CallEdge &c : slice(s.calls, f.calls))
      edge(c.callee, "solid");
    for (const LaunchSite &l : slice(s.launches, f.launches))
      edge(l.stub, "bold");
  }
}

} // namespace

void printHeader(raw_ostream &out, const ModuleSummary &summary) {
  Printer(out, summary).header();
}
void printSymbols(raw_ostream &out, const ModuleSummary &summary) {
  Printer(out, summary).symbols();
}
void printBodies(raw_ostream &out, const ModuleSummary &summary, bool digests) {
  Printer(out, summary).bodies(digests);
}
void printCallGraph(raw_ostream &out, const ModuleSummary &summary) {
  Printer(out, summary).callGraph();
}
void printDot(raw_ostream &out, const ModuleSummary &summary,
              StringRef prefix) {
  Printer(out, summary).dot(prefix);
}

} // namespace gpulto
