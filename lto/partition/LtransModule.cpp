//===- LtransModule.cpp - Build the module of a partition -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: build one LLVM module with the bodies of a partition and declarations
// of all that they refer to, at a cost that grows with those bodies and not
// with the modules they come from.
//
// For each input of the job (PartitionBuilder::addInput):
// 1. readJobInput: its bytes, checked against size and digest.
// 2. openModule: lazily, with the names that WPA gave; for a module whose home
//    is another partition, debug information only as far as the bodies need it
//    (otherwise partitions' bitcode grew ninefold on zstd).
// 3. promoteLocals (ipa/symbols/VisibilityTransform): otherwise IRMover copies
//    statics.
// 4. prepareSymbols: materialize the bodies, set import or definition linkage.
//    COMDATs are dropped: this link has chosen the definition already.
// 5. PartitionFolds::replace: uses of what is folded mean its leader from here
//    on.
// 6. IRMover::move. What is not listed becomes a declaration.
// At the end (finish): what the passes decided (lto/link/Passes.def),
// constructors, llvm.used, final linkage.
//
// Module-level assembly is removed before each move and given to one partition.
// Constructor lists are never moved: one partition, the glue, lists them all in
// the program's order, which separate lists would lose.
//
// Measured on zstd: reading and parsing costs 0.5 ms per partition and module
// (1.1-1.8 ms with -g), 1.5 % of LTRANS, so modules are parsed again by each
// job instead of being cut up by one process.
//
//===----------------------------------------------------------------------===//

#include "lto/partition/LtransModule.h"

#include "ipa/bodies/MemoryOrder.h"
#include "ipa/inlining/InliningTransform.h"
#include "ipa/signatures/SignaturesTransform.h"
#include "ipa/symbols/VisibilityTransform.h"
#include "lto/job/SourceName.h"
#include "lto/lgen/LoopPlaces.h"
#include "lto/lgen/ModuleFlags.h"
#include "lto/lgen/ModuleRepair.h"
#include "lto/lgen/StockObject.h"
#include "lto/partition/ForeignCalls.h"
#include "lto/partition/LtransFolds.h"
#include "lto/partition/LtransPasses.h"
#include "lto/partition/LtransPlans.h"
#include "lto/partition/ModuleDigest.h"
#include "lto/partition/PartitionAssembly.h"
#include "lto/partition/WrappedSymbols.h"
#include "lto/ptx/PtxNames.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/AutoUpgrade.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/IRMover.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

DiagnosticCollector &
DiagnosticCollector::install(LLVMContext &context,
                             std::vector<JobWarning> &warnings) {
  auto owned = std::make_unique<DiagnosticCollector>(warnings);
  DiagnosticCollector &collector = *owned;
  context.setDiagnosticHandler(std::move(owned));
  return collector;
}

void DiagnosticCollector::collectRemarks(const LtransJob &job,
                                         std::vector<Remark> &to) {
  if (job.remarks != RemarkRequest())
    remarks.emplace(job, to);
}

bool DiagnosticCollector::isAnalysisRemarkEnabled(StringRef pass) const {
  return remarks && remarks->wants(RemarkKind::Analysis, pass);
}

bool DiagnosticCollector::isMissedOptRemarkEnabled(StringRef pass) const {
  return remarks && remarks->wants(RemarkKind::Missed, pass);
}

bool DiagnosticCollector::isPassedOptRemarkEnabled(StringRef pass) const {
  return remarks && remarks->wants(RemarkKind::Passed, pass);
}

/// Returns the place of \p failure, which has no line: the one that LGEN
/// attached to the loop, else the name of the function.
static std::string placeOf(const DiagnosticInfoOptimizationFailure &failure) {
  if (auto *header = dyn_cast_or_null<BasicBlock>(failure.getCodeRegion()))
    if (StringRef place = placeOfLoop(*header); !place.empty())
      return place.str();
  return sourceName(failure.getFunction().getName());
}

bool DiagnosticCollector::handleDiagnostics(const DiagnosticInfo &info) {
  DiagnosticSeverity severity = info.getSeverity();
  if (severity == DS_Remark && remarks)
    if (auto *remark = dyn_cast<DiagnosticInfoOptimizationBase>(&info))
      remarks->add(*remark);
  if (severity != DS_Error && severity != DS_Warning)
    return true;
  std::string text;
  raw_string_ostream stream(text);
  DiagnosticPrinterRawOStream printer(stream);
  auto *failure = dyn_cast<DiagnosticInfoOptimizationFailure>(&info);
  if (failure && !failure->isLocationAvailable()) // LLVM says <unknown>:0:0
    stream << placeOf(*failure) << ": " << failure->getMsg();
  else
    info.print(printer);
  if (severity == DS_Error)
    errors.push_back(std::move(text));
  else
    warn(std::move(text));
  return true;
}

Error DiagnosticCollector::take() {
  if (errors.empty())
    return Error::success();
  std::string text = join(errors, "\n");
  errors.clear();
  return makeError(text);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static InputLocation locate(const JobInput &input) {
  return InputLocation(input.path, input.member);
}

/// Returns the stored bytes. They are read, not mapped: a file that shrinks
/// under a mapping would kill the process.
static Expected<std::unique_ptr<WritableMemoryBuffer>>
readStored(const JobInput &input) {
  InputLocation where = locate(input);
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(input.path);
  if (!file)
    return inputError(where, toString(file.takeError()));
  scope_exit close([&] { (void)sys::fs::closeFile(*file); });
  auto buffer = WritableMemoryBuffer::getNewUninitMemBuffer(input.storedBytes,
                                                            where.str());
  if (!buffer)
    return inputError(where, "out of memory for " + Twine(input.storedBytes) +
                                 " bytes");
  MutableArrayRef<char> rest = buffer->getBuffer();
  uint64_t offset = input.offset;
  while (!rest.empty()) {
    Expected<size_t> count = sys::fs::readNativeFileSlice(*file, rest, offset);
    if (!count)
      return inputError(where, toString(count.takeError()));
    if (*count == 0)
      return inputError(where.at(offset),
                        "the file ends here, but the job reads " +
                            Twine(rest.size()) + " bytes more");
    rest = rest.drop_front(*count);
    offset += *count;
  }
  return buffer;
}

/// No bitcode module is larger; guards against absurd sizes in a job file.
static constexpr uint64_t kMaxBitcodeBytes = uint64_t(1) << 36;

Expected<std::unique_ptr<MemoryBuffer>> readJobInput(const JobInput &input) {
  InputLocation where = locate(input);
  if (input.storedBytes > kMaxBitcodeBytes || input.rawBytes > kMaxBitcodeBytes)
    return inputError(where, "the job names an absurd size");
  if (!input.compressed && input.storedBytes != input.rawBytes)
    return inputError(where, "the job names two sizes of uncompressed bitcode");
  auto stored = readStored(input);
  if (!stored)
    return stored.takeError();
  std::unique_ptr<MemoryBuffer> raw = std::move(*stored);
  if (input.compressed) {
    auto buffer = WritableMemoryBuffer::getNewUninitMemBuffer(input.rawBytes,
                                                              where.str());
    if (!buffer)
      return inputError(where, "out of memory for " + Twine(input.rawBytes) +
                                   " bytes");
    size_t size = input.rawBytes;
    if (Error error = compression::zstd::decompress(
            arrayRefFromStringRef(raw->getBuffer()),
            reinterpret_cast<uint8_t *>(buffer->getBufferStart()), size))
      return inputError(where.at(input.offset), toString(std::move(error)));
    if (size != input.rawBytes)
      return inputError(where.at(input.offset), "bitcode of " + Twine(size) +
                                                    " bytes, expected " +
                                                    Twine(input.rawBytes));
    raw = std::move(buffer);
  }
  Digest digest = digestOf(raw->getBuffer());
  if (digest != input.digest)
    return inputError(where.at(input.offset),
                      "the bitcode is damaged or has changed: its digest is " +
                          digest.hex() + ", the job expects " +
                          input.digest.hex());
  return raw;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

namespace {

/// One symbol of the job found in its source module.
struct SourceSymbol {
  const JobSymbol *job = nullptr;
  GlobalValue *value = nullptr;
  /// Set when it is local; see FinalSymbol.
  std::string localName;
  bool wasPrivate = false;
  bool isUsed = false;
  bool isCompilerUsed = false;
};

class PartitionBuilder {
public:
  PartitionBuilder(const LtransJob &job, LLVMContext &context,
                   DiagnosticCollector &diagnostics, LtransReport &report,
                   PlanUse use)
      : job(job), context(context), diagnostics(diagnostics), report(report),
        use(use), partition(std::make_unique<Module>("ltrans", context)),
        mover(*partition), folds(*partition),
        assembly(*partition, job.side == Side::Device) {}

  Error addInput(const JobInput &input);
  /// All inputs have been added: forgets what none of them needs.
  void dropUnused() { folds.dropUnused(); }
  /// Returns the digest of all that has been read, before finish.
  Digest digestOfBodies(StringRef suffix) const;
  Module &module() { return *partition; }
  Error finish();
  std::unique_ptr<Module> take() { return std::move(partition); }

private:
  Expected<std::unique_ptr<Module>> openModule(const JobInput &input);
  Error checkTarget(const Module &source, const JobInput &input);
  Expected<std::vector<SourceSymbol>> findSymbols(Module &source,
                                                  const JobInput &input);
  Expected<SmallVector<GlobalValue *>>
  prepareSymbols(const JobInput &input, ArrayRef<SourceSymbol> symbols);
  Error noteBody(const JobInput &input, const SourceSymbol &symbol,
                 const std::string &name);
  Error move(std::unique_ptr<Module> source, ArrayRef<GlobalValue *> values,
             const JobInput &input);
  void addStructors();
  void addUsed();

  /// A definition, by its name after promotion, and what becomes of it.
  struct Definition {
    std::string name;
    FinalSymbol final;
    bool isUsed = false;
    bool isCompilerUsed = false;
  };
  static Definition definitionOf(const SourceSymbol &symbol, std::string name);

  const LtransJob &job;
  LLVMContext &context;
  DiagnosticCollector &diagnostics;
  LtransReport &report;
  PlanUse use;
  std::unique_ptr<Module> partition;
  IRMover mover;
  std::vector<Definition> definitions; // in the order of the job
  /// Functions that something was decided of, by their names while moving.
  std::vector<PlannedFunction> planned;
  PartitionFolds folds;
  StringSet<> defined;
  /// Position of the input that each body is from, by names while moving.
  StringMap<size_t> modules;
  PartitionAssembly assembly;
  bool hasTarget = false;
};

} // namespace

static Error missing(const JobInput &input, StringRef name) {
  return inputError(locate(input), "the job names '" + name +
                                       "', which the bitcode does not have");
}

/// Tells what \p input has for itself from what other units have.
static Error separateUnit(Module &source, const JobInput &input) {
  for (const JobRenaming &renaming : input.renamed) {
    GlobalValue *value = source.getNamedValue(renaming.name);
    if (!value)
      return missing(input, renaming.name);
    value->setName(renaming.newName);
  }
  for (const std::string &name : input.localized) {
    GlobalValue *value = source.getNamedValue(name);
    if (!value)
      return missing(input, name);
    value->setVisibility(GlobalValue::DefaultVisibility);
    value->setLinkage(GlobalValue::InternalLinkage);
    if (auto *object = dyn_cast<GlobalObject>(value))
      object->setComdat(nullptr);
    // As makeStubsUnique, which knows names only.
    if (auto *stub = dyn_cast<Function>(value); stub && stub->hasPrefixData())
      stub->setPrefixData(
          ConstantInt::get(Type::getInt64Ty(source.getContext()),
                           xxh3_64bits(name + "." + input.tag)));
  }
  return Error::success();
}

Expected<std::unique_ptr<Module>>
PartitionBuilder::openModule(const JobInput &input) {
  InputLocation where = locate(input);
  auto buffer = readJobInput(input);
  if (!buffer)
    return buffer.takeError();
  Expected<BitcodeModule> module = findSingleModule(**buffer, where);
  if (!module)
    return module.takeError();
  auto source = module->getLazyModule(context, /*ShouldLazyLoadMetadata=*/true,
                                      /*IsImporting=*/!input.isHome);
  if (!source)
    return inputError(where, toString(source.takeError()));
  (*source)->setOwnedMemoryBuffer(std::move(*buffer));
  if (Error error = (*source)->materializeMetadata())
    return inputError(where, toString(std::move(error)));
  UpgradeDebugInfo(**source);
  if (input.isStock)
    upgradeStockModule(**source);
  if (Error error = checkTarget(**source, input))
    return error;
  wrapSymbols(**source, job.host.wrapped);
  if (input.isStock)
    repairStockModule(**source);
  else
    nameUnamedGlobals(**source);
  if (Error error = separateUnit(**source, input))
    return error;
  return source;
}

Error PartitionBuilder::checkTarget(const Module &source,
                                    const JobInput &input) {
  const Triple &triple = source.getTargetTriple();
  bool isDevice = job.side == Side::Device;
  if (triple.isNVPTX() != isDevice)
    return inputError(locate(input), "bitcode for " + triple.str() +
                                         " in a job for the " +
                                         (isDevice ? "device" : "host"));
  if (!hasTarget) {
    partition->setDataLayout(source.getDataLayout());
    partition->setTargetTriple(source.getTargetTriple());
    partition->setSourceFileName(source.getSourceFileName());
    hasTarget = true;
    return Error::success();
  }
  if (source.getDataLayout() != partition->getDataLayout())
    return inputError(locate(input),
                      "data layout '" + source.getDataLayoutStr() +
                          "' differs from that of the other inputs, '" +
                          partition->getDataLayoutStr() + "'");
  return Error::success();
}

Expected<std::vector<SourceSymbol>>
PartitionBuilder::findSymbols(Module &source, const JobInput &input) {
  SmallPtrSet<GlobalValue *, 8> used, compilerUsed;
  for (bool compiler : {false, true}) {
    SmallVector<GlobalValue *, 8> list;
    collectUsedGlobalVariables(source, list, compiler);
    (compiler ? compilerUsed : used).insert(list.begin(), list.end());
  }
  std::vector<SourceSymbol> result;
  result.reserve(input.symbols.size());
  for (const JobSymbol &symbol : input.symbols) {
    SourceSymbol found;
    found.job = &symbol;
    found.value = source.getNamedValue(symbol.name);
    if (!found.value)
      return missing(input, symbol.name);
    if (found.value->hasLocalLinkage())
      found.localName = symbol.name;
    found.wasPrivate = found.value->hasPrivateLinkage();
    found.isUsed = used.contains(found.value);
    // Without optimization clang lists a symbol in both; the stronger counts.
    found.isCompilerUsed = !found.isUsed && compilerUsed.contains(found.value);
    result.push_back(std::move(found));
  }
  return result;
}

/// An alias stays with its aliasee, an ifunc with its resolver: neither can be
/// a declaration there. \p defined: what the job defines of the module.
static Error checkBase(const SourceSymbol &symbol,
                       const SmallPtrSetImpl<const GlobalValue *> &defined) {
  const GlobalObject *base = nullptr;
  if (auto *alias = dyn_cast<GlobalAlias>(symbol.value))
    base = alias->getAliaseeObject();
  else if (auto *ifunc = dyn_cast<GlobalIFunc>(symbol.value))
    base = ifunc->getResolverFunction();
  else
    return Error::success();
  if (symbol.job->role == JobRole::Import)
    return makeError("the job imports '" + symbol.job->name +
                     "', which is an alias or ifunc");
  if (defined.contains(base))
    return Error::success();
  return makeError("the job defines '" + symbol.job->name +
                   "' without what it stands for");
}

/// An alias of a weak function that did not prevail still names its own
/// module's body, as in ELF:
///
///   __attribute__((weak)) int f() { return 1; }     another f wins
///   static int g() __attribute__((alias("f")));      g() is still 1
///
/// Makes that body a local function next to \p alias and returns it; all other
/// uses of f in this module mean the prevailing one. Returns null if \p alias
/// is not of this kind.
static Expected<Function *> detachAliasedBody(GlobalAlias &alias) {
  auto *body = dyn_cast<Function>(alias.getAliasee());
  if (!body || body->isDeclaration() || !body->isWeakForLinker())
    return nullptr;
  if (Error error = body->materialize())
    return std::move(error);
  if (any_of(body->users(), [](User *user) { return isa<BlockAddress>(user); }))
    return nullptr;
  auto *winner =
      Function::Create(body->getFunctionType(), GlobalValue::ExternalLinkage,
                       body->getAddressSpace(), "", body->getParent());
  winner->takeName(body);
  winner->setCallingConv(body->getCallingConv());
  winner->setAttributes(body->getAttributes());
  winner->setVisibility(body->getVisibility());
  winner->setUnnamedAddr(body->getUnnamedAddr());
  SmallVector<GlobalAlias *> aliases;
  for (User *user : body->users())
    if (auto *other = dyn_cast<GlobalAlias>(user))
      aliases.push_back(other);
  // Bodies that are not read yet follow this replacement too.
  body->replaceAllUsesWith(winner);
  for (GlobalAlias *other : aliases)
    other->setAliasee(body);
  body->setName(winner->getName() + ".aliased");
  body->setComdat(nullptr);
  body->setVisibility(GlobalValue::DefaultVisibility);
  body->setLinkage(GlobalValue::InternalLinkage);
  return body;
}

/// Gives \p value the linkage it has while it moves.
static void setMovingLinkage(GlobalValue &value, JobRole role) {
  if (auto *object = dyn_cast<GlobalObject>(&value))
    object->setComdat(nullptr);
  if (role == JobRole::Import)
    value.setLinkage(GlobalValue::AvailableExternallyLinkage);
  else if (value.hasLinkOnceODRLinkage())
    value.setLinkage(GlobalValue::WeakODRLinkage);
  else if (value.hasLinkOnceLinkage())
    value.setLinkage(GlobalValue::WeakAnyLinkage);
}

/// Notes that the body of \p symbol, of module \p input, is part of the
/// partition as \p name, and marks what the job says of its calls.
Error PartitionBuilder::noteBody(const JobInput &input,
                                 const SourceSymbol &symbol,
                                 const std::string &name) {
  size_t module = &input - job.inputs.data();
  modules[name] = module;
  for (const JobBody &body : symbol.job->bodies)
    if (!body.clone.empty())
      modules[body.clone] = module;
  if (auto *function = dyn_cast<Function>(symbol.value);
      function && job.side == Side::Host && symbol.job->jumpsTo.empty())
    if (Error error = markCallsToInline(*function, *symbol.job))
      return error;
  if (symbol.job->bodies.empty())
    return Error::success();
  if (Error error = markRedirects(cast<Function>(*symbol.value), *symbol.job))
    return error;
  planned.push_back({name, symbol.job});
  return Error::success();
}

PartitionBuilder::Definition
PartitionBuilder::definitionOf(const SourceSymbol &symbol, std::string name) {
  Definition definition;
  definition.name = std::move(name);
  definition.final.linkage = symbol.job->linkage;
  definition.final.localName = symbol.localName;
  definition.final.wasPrivate = symbol.wasPrivate;
  definition.final.isNamed = symbol.isUsed || symbol.isCompilerUsed;
  definition.isUsed = symbol.isUsed;
  definition.isCompilerUsed = symbol.isCompilerUsed;
  return definition;
}

Expected<SmallVector<GlobalValue *>>
PartitionBuilder::prepareSymbols(const JobInput &input,
                                 ArrayRef<SourceSymbol> symbols) {
  InputLocation where = locate(input);
  SmallVector<GlobalValue *> values;
  SmallPtrSet<const GlobalValue *, 32> bases;
  for (const SourceSymbol &symbol : symbols)
    if (symbol.job->role == JobRole::Define)
      bases.insert(symbol.value);
  SmallPtrSet<Constant *, 4> detached;
  for (const SourceSymbol &symbol : symbols) {
    GlobalValue &value = *symbol.value;
    bool isDefinition = symbol.job->role == JobRole::Define;
    if (value.isDeclaration() ||
        (isDefinition && value.hasAvailableExternallyLinkage()))
      return inputError(where, "the job wants the body of '" +
                                   symbol.job->name +
                                   "', which is not defined in the bitcode");
    if (value.hasAppendingLinkage() || symbol.job->name.starts_with("llvm."))
      return inputError(where, "the job names '" + symbol.job->name +
                                   "', which is no symbol");
    auto *alias = dyn_cast<GlobalAlias>(&value);
    bool isDetached = alias && detached.contains(alias->getAliasee());
    if (Error error =
            isDetached ? Error::success() : checkBase(symbol, bases)) {
      if (!alias || !isDefinition)
        return inputError(where, toString(std::move(error)));
      auto body = detachAliasedBody(*alias);
      if (!body || !*body)
        return inputError(
            where, toString(joinErrors(std::move(error), body.takeError())));
      consumeError(std::move(error));
      detached.insert(*body);
      values.push_back(*body);
    }
    std::string name = value.getName().str();
    if (!isDefinition && defined.contains(name))
      continue; // the body is here already
    if (isDefinition && !defined.insert(name).second)
      return inputError(where, "the job defines '" + name + "' twice");
    if (Error error = value.materialize())
      return inputError(where, toString(std::move(error)));
    setMovingLinkage(value, symbol.job->role);
    values.push_back(&value);
    if (Error error = noteBody(input, symbol, name))
      return inputError(where, toString(std::move(error)));
    if (isDefinition)
      definitions.push_back(definitionOf(symbol, std::move(name)));
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Device particulars
//===----------------------------------------------------------------------===//

/// Keeps of nvvm.annotations what speaks of \p values, once, and of other lists
/// what the partition does not have yet.
static void filterNamedMetadata(Module &source, const Module &partition,
                                const SmallPtrSetImpl<GlobalValue *> &values) {
  for (NamedMDNode &list : source.named_metadata()) {
    bool isAnnotations = list.getName() == "nvvm.annotations";
    if (!isAnnotations && list.getName() != "nvvmir.version" &&
        list.getName() != "llvm.ident")
      continue;
    SmallPtrSet<const MDNode *, 16> seen;
    if (const NamedMDNode *have = partition.getNamedMetadata(list.getName()))
      seen.insert(have->op_begin(), have->op_end());
    SmallVector<MDNode *> kept;
    for (MDNode *node : list.operands()) {
      if (isAnnotations) {
        auto *about =
            node->getNumOperands()
                ? dyn_cast_or_null<ConstantAsMetadata>(node->getOperand(0))
                : nullptr;
        auto *value =
            about ? dyn_cast<GlobalValue>(about->getValue()) : nullptr;
        if (!value || !values.contains(value))
          continue;
      }
      if (seen.insert(node).second)
        kept.push_back(node);
    }
    list.clearOperands();
    for (MDNode *node : kept)
      list.addOperand(node);
  }
}

/// Answers __nvvm_reflect("__CUDA_FTZ") in the bodies that have been read:
/// units may differ in the answer, which is a flag of the module, and it is
/// dropped when modules are joined. The other questions NVVMReflect answers
/// later.
static void answerFlushDenormals(Module &source) {
  static constexpr StringLiteral kFlag = "nvvm-reflect-ftz";
  auto *flag =
      mdconst::extract_or_null<ConstantInt>(source.getModuleFlag(kFlag));
  uint64_t answer = flag ? flag->getZExtValue() : 0;
  Function *reflect = source.getFunction("__nvvm_reflect");
  if (!reflect)
    return;
  for (User *user : make_early_inc_range(reflect->users())) {
    auto *call = dyn_cast<CallInst>(user);
    StringRef question;
    if (!call || call->arg_size() != 1 ||
        !getConstantStringInfo(call->getArgOperand(0), question) ||
        question != "__CUDA_FTZ")
      continue;
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), answer));
    call->eraseFromParent();
  }
}

/// With -ffp-contract=fast, CUDA's default, clang marks the operations of the
/// source and lets its back end fuse all others too, those of libdevice above
/// all. Here units of both kinds may meet in one module, so the mark says all:
/// what comes from units compiled so gets it, in whichever partition it is.
static void markContraction(ArrayRef<GlobalValue *> values) {
  for (GlobalValue *value : values)
    if (auto *function = dyn_cast<Function>(value))
      for (Instruction &instruction : instructions(*function))
        if (isa<FPMathOperator>(instruction))
          instruction.setHasAllowContract(true);
}

/// Marks with kRelaxedAtomic what stock clang's code generation relaxes in
/// \p values: nothing tells CUDA's atomic functions from others that are
/// sequentially consistent. What has another ordering keeps it.
static void markRelaxedAtomics(ArrayRef<GlobalValue *> values) {
  for (GlobalValue *value : values)
    if (auto *function = dyn_cast<Function>(value))
      for (Instruction &instruction : instructions(*function))
        if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction);
            atomic &&
            atomic->getOrdering() == AtomicOrdering::SequentiallyConsistent)
          atomic->setMetadata(kRelaxedAtomic,
                              MDNode::get(function->getContext(), {}));
}

/// Takes off what a device module has for the compiler alone.
static void prepareDevice(Module &source) {
  for (StringRef name :
       {"llvm.used", "llvm.compiler.used", "__clang_gpu_used_external"})
    if (GlobalVariable *list = source.getNamedGlobal(name))
      list->eraseFromParent();
  answerFlushDenormals(source);
}

/// Gives what another partition defines its size. C++ need not say it
/// (`extern __device__ int table[];`, a struct that is only declared), but
/// `ptxas -ewp` refuses a variable without one.
static void completeDeclarations(Module &partition, const LtransJob &job) {
  for (const JobVariable &known : job.variables) {
    GlobalVariable *variable = partition.getNamedGlobal(known.name);
    if (!variable || !variable->isDeclaration())
      continue;
    Type *declared = variable->getValueType();
    if (declared->isSized() &&
        partition.getDataLayout().getTypeAllocSize(declared) == known.sizeBytes)
      continue;
    auto *type = ArrayType::get(Type::getInt8Ty(partition.getContext()),
                                known.sizeBytes);
    auto *complete = new GlobalVariable(
        partition, type, variable->isConstant(), variable->getLinkage(),
        /*Initializer=*/nullptr, "", variable, GlobalValue::NotThreadLocal,
        variable->getAddressSpace());
    complete->copyAttributesFrom(variable);
    complete->setAlignment(Align(uint64_t(1) << known.alignLog2));
    complete->takeName(variable);
    variable->replaceAllUsesWith(complete);
    variable->eraseFromParent();
  }
}

//===----------------------------------------------------------------------===//
// Moving and finishing
//===----------------------------------------------------------------------===//

Error PartitionBuilder::move(std::unique_ptr<Module> source,
                             ArrayRef<GlobalValue *> values,
                             const JobInput &input) {
  SmallPtrSet<GlobalValue *, 32> moved(values.begin(), values.end());
  filterNamedMetadata(*source, *partition, moved);
  std::string assembly = source->getModuleInlineAsm();
  source->setModuleInlineAsm("");
  Error error = mover.move(
      std::move(source), values, [](GlobalValue &, IRMover::ValueAdder) {},
      /*IsPerformingImport=*/!input.isHome);
  error = joinErrors(std::move(error), diagnostics.take());
  if (error)
    return inputError(locate(input), toString(std::move(error)));
  if (input.emitsAssembly && !assembly.empty())
    partition->appendModuleInlineAsm(assembly);
  return Error::success();
}

Error PartitionBuilder::addInput(const JobInput &input) {
  TimeTraceScope trace("Load and move", input.path);
  auto source = openModule(input);
  if (!source)
    return source.takeError();
  auto symbols = findSymbols(**source, input);
  if (!symbols)
    return symbols.takeError();
  SmallVector<GlobalValue *> listed;
  for (const SourceSymbol &symbol : *symbols)
    listed.push_back(symbol.value);
  auto members = PartitionFolds::find(**source, input);
  if (!members)
    return members.takeError();
  listed.append(members->begin(), members->end());
  promoteLocals(**source, promotedName("", input.tag), listed);
  size_t firstDefinition = definitions.size();
  auto values = prepareSymbols(input, *symbols);
  if (!values)
    return values.takeError();
  if (Error error = folds.replace(**source, input, *members, *values))
    return error;
  for (const SourceSymbol &symbol : *symbols)
    if (!symbol.job->jumpsTo.empty())
      if (Error error = folds.jump(*symbol.value, symbol.job->jumpsTo, input))
        return error;
  if (job.side == Side::Device)
    prepareDevice(**source);
  if (input.fusesAll)
    markContraction(*values);
  if (job.side == Side::Device && input.isStock)
    markRelaxedAtomics(*values);
  if (job.side == Side::Host)
    wrapAssembly(**source, *values, job.host.wrapped);
  StringSet<> words = assembly.add(**source, input.emitsAssembly, *values);
  for (Definition &definition :
       MutableArrayRef(definitions).drop_front(firstDefinition))
    definition.final.isNamed |= words.contains(definition.final.localName);
  dropModuleFlags(**source, job);
  return move(std::move(*source), *values, input);
}

void PartitionBuilder::addStructors() {
  Type *voidType = Type::getVoidTy(context);
  for (const JobStructor &structor : job.structors) {
    auto *function = partition->getFunction(structor.function);
    if (!function) {
      function = Function::Create(FunctionType::get(voidType, false),
                                  GlobalValue::ExternalLinkage,
                                  structor.function, *partition);
      hideIfPromoted(*function);
    }
    int priority = static_cast<int>(structor.priority);
    if (structor.isDestructor)
      appendToGlobalDtors(*partition, function, priority);
    else
      appendToGlobalCtors(*partition, function, priority);
  }
}

void PartitionBuilder::addUsed() {
  SmallVector<GlobalValue *> used, compilerUsed;
  if (job.side == Side::Host)
    for (const Definition &definition : definitions) {
      if (definition.isUsed)
        used.push_back(definition.final.value);
      else if (definition.isCompilerUsed)
        compilerUsed.push_back(definition.final.value);
    }
  assembly.addNamed(compilerUsed);
  if (!used.empty())
    appendToUsed(*partition, used);
  if (!compilerUsed.empty())
    appendToCompilerUsed(*partition, compilerUsed);
}

static Error cleanDeviceNames(Module &partition) {
  for (GlobalValue &value : partition.global_values()) {
    if (value.hasLocalLinkage() || value.getName().starts_with("llvm."))
      continue;
    std::string name = ptxName(value.getName());
    if (name == value.getName())
      continue;
    if (partition.getNamedValue(name))
      return makeError("'" + value.getName() + "' and '" + name +
                       "' have one name in PTX");
    value.setName(name);
  }
  return Error::success();
}

/// Invalid debug information is dropped with a warning, as LLVM's own reader
/// does; anything else is an error. Costs 0.6 % of LTRANS (zstd, 8 partitions),
/// so it runs in every build.
static Error verify(Module &partition, DiagnosticCollector &diagnostics) {
  TimeTraceScope trace("Verify");
  std::string problems;
  raw_string_ostream stream(problems);
  bool brokenDebugInfo = false;
  if (verifyModule(partition, &stream, &brokenDebugInfo))
    return makeError("the merged module is invalid: " + problems);
  if (brokenDebugInfo) {
    diagnostics.warn("invalid debug information is dropped: " +
                     StringRef(problems).rtrim().str());
    StripDebugInfo(partition);
  }
  return Error::success();
}

/// What follows depends on the job, on this module and on what is noted of its
/// definitions.
Digest PartitionBuilder::digestOfBodies(StringRef suffix) const {
  StableHasher hasher;
  hasher.add(digestOfModule(*partition, suffix));
  hasher.add(definitions.size());
  for (const Definition &definition : definitions) {
    hasher.add(definition.name);
    hasher.add(definition.final.linkage);
    hasher.add(definition.final.localName);
    hasher.add(definition.final.wasPrivate);
    hasher.add(definition.final.isNamed);
    hasher.add(definition.isUsed);
    hasher.add(definition.isCompilerUsed);
  }
  SmallVector<StringRef> words(assembly.words().keys());
  llvm::sort(words);
  auto addAll = [&](ArrayRef<StringRef> names) {
    hasher.add(names.size());
    for (StringRef name : names)
      hasher.add(name);
  };
  addAll(words);
  addAll(folds.enteredHere());
  return hasher.finish();
}

Error PartitionBuilder::finish() {
  if (!hasTarget)
    return makeError("the job has no inputs");
  std::vector<FinalSymbol> finals;
  for (Definition &definition : definitions) {
    definition.final.value = partition->getNamedValue(definition.name);
    if (!definition.final.value)
      return makeError("'" + definition.name + "' was lost in moving");
    finals.push_back(definition.final);
  }
  if (job.side == Side::Device)
    completeDeclarations(*partition, job);
  doubtNarrowEffects(*partition);
  LtransState state{*partition, job, folds, planned, use, report};
  if (Error error = transformAll(state))
    return error;
  // Functions whose signature changed are others now.
  if (!job.signatures.empty())
    for (auto [definition, final] : zip_equal(definitions, finals))
      definition.final.value = final.value =
          partition->getNamedValue(definition.name);
  addStructors();
  addUsed();
  assembly.separateDefinitions();
  setOutputFlags(*partition, job);
  DenseMap<const Function *, size_t> moduleOf;
  if (job.side == Side::Host)
    for (const auto &entry : modules)
      if (Function *function = partition->getFunction(entry.first()))
        moduleOf[function] = entry.second;
  if (Error error = applyFinalLinkage(*partition, finals, assembly.words()))
    return error;
  leaveToLinker(*partition, job.host.wrapped);
  if (job.side == Side::Host)
    decideForeignCalls(*partition, moduleOf);
  inlineRecursion(*partition);
  for (const JobSignature &signature : job.signatures)
    if (Function *function = partition->getFunction(signature.name))
      markChanged(*function);
  if (job.side == Side::Device)
    if (Error error = cleanDeviceNames(*partition))
      return error;
  return verify(*partition, diagnostics);
}

Expected<std::unique_ptr<Module>>
buildPartition(const LtransJob &job, LLVMContext &context,
               DiagnosticCollector &diagnostics, LtransReport &report,
               PlanUse use, Digest *bodies) {
  PartitionBuilder builder(job, context, diagnostics, report, use);
  for (const JobInput &input : job.inputs)
    if (Error error = builder.addInput(input))
      return error;
  builder.dropUnused();
  // With a cache and without, so that both make the same names.
  std::string suffix = nextSuffix(builder.module());
  if (bodies)
    *bodies = builder.digestOfBodies(suffix);
  if (Error error = builder.finish())
    return error;
  return builder.take();
}

} // namespace gpulto
