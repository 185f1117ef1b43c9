//===- FoldRolesPropagate.cpp - What folding may do to each body (WPA) ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: fold what no program can tell apart.
//
//   template <class T> void push(T);         folds: it is only called
//   std::set<void (*)()> all{one, two};      one jumps to two, whose address
//                                            stays another
//   virtual void draw();                     folds: slots of virtual tables are
//                                            called, never compared
//   extern "C" void callback();              jumps, when native code or the
//                                            dynamic linker can see it
//
// The address of a host function is significant when something outside of the
// bitcode can name the function, or when the bitcode uses the address outside
// of virtual tables and no definition says unnamed_addr (clang says it of
// constructors, destructors and virtual functions). A function whose address is
// significant keeps it: it jumps to the leader if its body is larger than the
// jump, otherwise it stays. Functions that another program, the linker,
// assembly or code generation knows by name are left alone, as are those with a
// second name.
//
// A kernel takes part with its stub, the same in every image, if its handle is
// only launched; under its stub, which stays a handle of the leader, if handles
// are also compared. With --gpulto-icf-kernels=register its handle may be
// taken, if no code of the program can do more with unknown handles than launch
// them and ask for attributes. The refinement (FoldPropagate.cpp) handles
// block-shared memory of a kernel. Device functions fold unless their address
// is taken.
//
// Source: the rules for addresses are those of S. Tallam et al., "Safe ICF:
// Pointer Safe and Unwinding aware Identical Code Folding in the Gold Linker"
// (GCC Summit 2010), with whole-program knowledge in place of relocation types.
//
//===----------------------------------------------------------------------===//

#include "icf/FoldRoles.h"
#include "ipa/callers/UnknownHandles.h"
#include "ipa/runtime/UnseenCode.h"
#include "summary/CombinedModule.h"
#include "summary/Remarks.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

namespace {

class RoleFinder {
public:
  RoleFinder(const WpaContext &context, const Callers &callers,
             const FoldOptions &options)
      : context(context), program(context.program), callers(callers),
        options(options), isBarred(program.symbolCount()),
        hasIdentity(program.symbolCount()), isTaken(program.symbolCount()),
        isApart(program.symbolCount()) {
    result.roles.resize(program.symbolCount(), FoldRole::None);
  }

  FoldRoles run();

private:
  bool isLive(GlobalId id) const {
    return program.definition(id) == id && context.decisions.live.test(id);
  }
  void readSymbols();
  void readReferences();
  void add(GlobalId id, FoldRole role) {
    result.roles[id] = role;
    result.elements.push_back(id);
  }
  StringRef whyNot(GlobalId id, bool mayTakeAddress) const;
  StringRef whyNotKernel(GlobalId stub, bool keepsHandle) const;
  void addKernel(GlobalId stub);
  bool canJump(GlobalId id) const;
  bool mayBeNamed(GlobalId id) const;
  FoldRole hostRole(GlobalId id) const;
  bool foldsConstant(GlobalId id) const;
  void explainKept(GlobalId stub, StringRef reason) const;

  const WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  const FoldOptions &options;
  /// By GlobalId of a definition: some module knows it as something else, or
  /// wants its name.
  BitVector isBarred;
  /// By GlobalId of a definition: some definition of its name does not say that
  /// the address means nothing.
  BitVector hasIdentity;
  /// By GlobalId of a definition: bitcode uses the address for more than calls
  /// and accesses.
  BitVector isTaken;
  /// By GlobalId of a definition: it has differed from leaders too often.
  BitVector isApart;
  /// Whether the program may set attributes of a kernel, or ask which one it
  /// is, by a handle that is not followed.
  bool handlesAreFoundOut = false;
  FoldRoles result;
};

} // namespace

/// Collects what all modules say about each definition.
void RoleFinder::readSymbols() {
  constexpr uint32_t kWantsName =
      kUsed | kCompilerUsed | kAssemblyReferenced | kWithAssembly | kHasSection;
  for (GlobalId id = 0; id < program.symbolCount(); ++id) {
    GlobalId definition = program.definition(id);
    if (definition == kNone)
      continue;
    const SymbolRecord &symbol = program.symbol(id);
    if (symbol.kind != program.symbol(definition).kind ||
        (symbol.flags & kWantsName))
      isBarred.set(definition);
    if (!symbol.isDeclaration() && !symbol.has(kUnnamedAddr))
      hasIdentity.set(definition);
    if (definition == id && splitsOf(program, id, options) >= kMostFoldSplits)
      isApart.set(id);
  }
}

/// Collects whose addresses the bitcode uses.
void RoleFinder::readReferences() {
  for (const CombinedModule &module : program.modules())
    for (const ReferenceEdge &edge : module.summary.references)
      if (edge.flags & kTakesAddress)
        if (GlobalId id = program.definition(module.firstSymbol + edge.symbol);
            id != kNone)
          isTaken.set(id);
}

/// Returns why the device function or stub \p id must not fold, or nothing.
StringRef RoleFinder::whyNot(GlobalId id, bool mayTakeAddress) const {
  const FunctionSummary &function = *program.function(id);
  if (function.foldHash.isNone() || function.has(kHasAsmLabels) ||
      function.has(kOptNone))
    return "its body cannot be folded";
  if (isApart.test(id))
    return "its body differs from others with equal digests";
  UnknownCaller unknown = callers.unknown(id);
  // Code that captures a launch may change its arguments, not its kernel.
  if (unknown == UnknownCaller::None || unknown == UnknownCaller::Captured ||
      (unknown == UnknownCaller::AddressTaken && mayTakeAddress))
    return {};
  return describe(unknown);
}

/// Returns why the kernels of \p stub must stay as they are, or nothing. \p
/// keepsHandle: the stub stays a separate handle. Code that has it may launch
/// the kernel, but do nothing else that distinguishes it from another.
StringRef RoleFinder::whyNotKernel(GlobalId stub, bool keepsHandle) const {
  if (StringRef reason = whyNot(stub, keepsHandle); !reason.empty())
    return reason;
  if (keepsHandle && handlesAreFoundOut)
    return "its address is taken, and somebody may set attributes of unknown "
           "kernels or ask which one it has";
  if (callers.isConfigured(stub))
    return "the program sets its attributes or asks for its name";
  ArrayRef<GlobalId> kernels = program.deviceCounterparts(stub);
  if (kernels.size() + 1 != program.images().size())
    return "not every architecture has it";
  for (GlobalId kernel : kernels)
    if (!program.function(kernel))
      return "it has no body";
    else if (callers.stubCount(kernel) != 1)
      return "several stubs launch it";
    else if (callers.deviceLauncherOf(kernel) != kNone)
      return "device code launches it";
    else if (GlobalId taker = callers.takenBy(kernel);
             taker != kNone && program.imageOf(taker) != kHostImage)
      return "device code takes its address";
    else if (StringRef reason = whyNot(kernel, keepsHandle); !reason.empty())
      return reason;
  return {};
}

/// Adds \p stub and its kernels, or says what keeps them.
void RoleFinder::addKernel(GlobalId stub) {
  FoldRole role = callers.isToldApart(stub) ? FoldRole::Stays : FoldRole::Folds;
  if (any_of(program.deviceCounterparts(stub),
             [&](GlobalId kernel) { return program.isNativelyUsed(kernel); }))
    return explainKept(stub, describe(UnknownCaller::VisibleOutside));
  StringRef reason = whyNotKernel(stub, /*keepsHandle=*/false);
  if (!reason.empty() && options.kernels == FoldKernels::Register) {
    reason = whyNotKernel(stub, /*keepsHandle=*/true);
    role = FoldRole::Stays;
  }
  if (!reason.empty())
    return explainKept(stub, reason);
  add(stub, role);
  for (GlobalId kernel : program.deviceCounterparts(stub))
    add(kernel, FoldRole::Folds);
}

/// Returns whether a jump with the signature of \p id is one, and is smaller
/// than its body.
bool RoleFinder::canJump(GlobalId id) const {
  const FunctionSummary &function = *program.function(id);
  constexpr uint32_t kNever = kVarArg | kReturnsTwice;
  return !(function.flags & kNever) &&
         function.sizeBytes >= context.params.icfJumpBytes &&
         program.moduleRef(id).summary.optLevel > 0 &&
         llvm::none_of(program.parameters(id), [](const ParameterRecord &p) {
           return p.flags & kParamByVal;
         });
}

/// Whether somebody else than bitcode may know the function or constant \p id,
/// or know another one by its name.
bool RoleFinder::mayBeNamed(GlobalId id) const {
  const ModuleSummary &module = program.moduleRef(id).summary;
  bool hasAssembly =
      module.has(kHasModuleAsm) && !module.has(kModuleAsmIsPlain);
  return hasAssembly || isBarred.test(id) || isApart.test(id) ||
         !callers.isFinal(id) || callers.unknown(id) == UnknownCaller::Aliased;
}

/// /// Returns whether the constant \p id is gone if another one holds the
/// same: nobody can tell.
bool RoleFinder::foldsConstant(GlobalId id) const {
  constexpr uint32_t kNever =
      kCopyable | kExternallyInitialized | kManaged | kRegistration;
  return !program.variable(id)->foldHash.isNone() &&
         !(program.symbol(id).flags & kNever) &&
         !(hasIdentity.test(id) && isTaken.test(id)) &&
         !context.decisions.visibleOutside.test(id) &&
         !program.isNativelyUsed(id) && !mayBeNamed(id);
}

/// Returns the role of the host function \p id, which is not a stub.
FoldRole RoleFinder::hostRole(GlobalId id) const {
  const FunctionSummary &function = *program.function(id);
  const SymbolRecord &symbol = program.symbol(id);
  constexpr uint32_t kNever = kHasAsmLabels | kOptNone | kNaked;
  if (function.foldHash.isNone() || (function.flags & kNever) ||
      symbol.has(kIntrinsic) || symbol.name == "main" || mayBeNamed(id))
    return FoldRole::None;
  bool isSignificant = callers.isAddressSignificant(id) && hasIdentity.test(id);
  if (!context.decisions.visibleOutside.test(id) &&
      (options.mode == FoldMode::All || !isSignificant))
    return FoldRole::Folds;
  return canJump(id) ? FoldRole::Jumps : FoldRole::Stays;
}

FoldRoles RoleFinder::run() {
  readSymbols();
  readReferences();
  handlesAreFoundOut = !findUnseenCode(context).empty() ||
                       (usesOfUnknownHandles(context) & kSetsHandle);
  for (GlobalId id : callers.bodies()) {
    if (!isLive(id))
      continue;
    const SymbolRecord &symbol = program.symbol(id);
    if (program.imageOf(id) != kHostImage) {
      if (!symbol.has(kKernel) && !program.isNativelyUsed(id) &&
          whyNot(id, options.mode == FoldMode::All).empty())
        add(id, FoldRole::Folds);
    } else if (!symbol.has(kKernelStub)) {
      if (FoldRole role = hostRole(id); role != FoldRole::None)
        add(id, role);
    } else {
      addKernel(id);
    }
  }
  for (GlobalId id = 0; id < program.symbolCount(); ++id)
    if (isLive(id) && program.variable(id) && foldsConstant(id))
      add(id, FoldRole::Folds);
  llvm::sort(result.elements);
  return std::move(result);
}

unsigned splitsOf(const CombinedSummary &program, GlobalId id,
                  const FoldOptions &options) {
  if (options.apart.empty())
    return 0;
  auto found = options.apart.find(
      {program.moduleRef(id).tag, program.symbol(id).name.str()});
  return found == options.apart.end() ? 0 : found->second;
}

Remark makeFoldRemark(const CombinedSummary &program, GlobalId id) {
  Remark remark = remarkOn(program, id);
  remark.pass = kFoldPass.str();
  return remark;
}

void RoleFinder::explainKept(GlobalId stub, StringRef reason) const {
  if (!context.diagnostics.wantsRemark(RemarkKind::Missed, kFoldPass))
    return;
  for (GlobalId kernel : program.deviceCounterparts(stub)) {
    if (!program.function(kernel))
      continue;
    Remark remark = makeFoldRemark(program, kernel);
    remark.kind = RemarkKind::Missed;
    remark.name = "NotFolded";
    remark.text =
        quotedName(program, kernel) + " is not folded: " + reason.str();
    context.diagnostics.remark(std::move(remark));
  }
}

StringRef whyItStays(const WpaContext &context, const Callers &callers,
                     GlobalId id) {
  if (context.decisions.visibleOutside.test(id))
    return describe(UnknownCaller::VisibleOutside);
  return callers.isAddressSignificant(id)
             ? describe(UnknownCaller::AddressTaken)
             : StringRef();
}

FoldRoles findFoldRoles(const WpaContext &context, const Callers &callers,
                        const FoldOptions &options) {
  return RoleFinder(context, callers, options).run();
}

} // namespace gpulto
