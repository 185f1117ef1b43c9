//===- Callers.h - Functions with unknown callers ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Code that draws conclusions from callers about callees asks here first.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CALLERS_CALLERS_H
#define GPULTO_IPA_CALLERS_CALLERS_H

#include "ipa/callers/Handles.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace gpulto {

/// Why a function may have callers that no summary shows.
enum class UnknownCaller : uint8_t {
  /// All calls, or all launches, are edges of the graph.
  None,
  /// Native code, the dynamic linker or assembly can name it.
  VisibleOutside,
  /// Its address is used for more than calls or launches.
  AddressTaken,
  /// It has another name.
  Aliased,
  /// The start-up code runs it.
  Constructor,
  /// Code generation may call it: a function of the C library.
  Library,
  /// Kernel: neither a host stub of this link nor device code launches it.
  NoStub,
  /// Kernel: the program looks kernels up by name.
  LookedUp,
  /// Kernel: the program takes kernels from graphs, where launches are nodes.
  InGraph,
  /// Kernel: unseen code may capture a launch and change it.
  Captured,
  /// Kernel: this program replaces functions of the runtime.
  Replaced,
  /// Definitions without their own body jump to it.
  Shared,
};

/// What is known of each function's callers. Built once all live definitions
/// are known; linear.
class Callers {
public:
  explicit Callers(const WpaContext &context);

  /// Returns why the function \p id, a definition, may have callers that are
  /// not edges. For a kernel, callers are launches by stubs of this link. A
  /// launch through a handle is not an edge to the stub (see stubsOf): those of
  /// a kernel may be known though its stub's address is taken.
  UnknownCaller unknown(GlobalId id) const {
    return static_cast<UnknownCaller>(reasons[id]);
  }
  /// Returns the definition that uses the address of \p id, or kNone.
  GlobalId takenBy(GlobalId id) const;

  /// Names, in a clause, the code that makes launches Captured; empty: there is
  /// none.
  llvm::StringRef whoCaptures() const { return capturer; }

  /// Whether the bitcode uses the address of the function \p id where a program
  /// could compare it with another, that is, not only in virtual tables.
  bool isAddressSignificant(GlobalId id) const { return significant.test(id); }

  /// Whether each use of the function or variable \p id means this definition:
  /// no other program, shared library or linker option can replace it.
  bool isFinal(GlobalId id) const;

  /// As isFinal(), of the alias \p id.
  bool isFinalAlias(GlobalId id) const;

  /// Returns the function that a call of \p used in the module of \p user
  /// enters: the definition or, for a final alias, its aliasee (the complete
  /// constructor of a class may be an alias of the base one). kNone if there is
  /// none.
  GlobalId calleeOf(GlobalId user, SymbolIndex used) const;

  /// Whether the host queries attributes of the kernel \p id: the answer must
  /// not depend on facts.
  bool isQueried(GlobalId id) const { return queried.test(id); }
  /// Whether the host sets attributes of the kernel or stub \p id, which hold
  /// only for launches through this handle, or asks for its name. If the handle
  /// is not followed, other code may do so, too.
  bool isConfigured(GlobalId id) const { return configured.test(id); }
  /// Whether the host uses the handle of the kernel or stub \p id for more than
  /// launches: it queries or sets attributes, and means this kernel.
  bool isAttributed(GlobalId id) const {
    return isQueried(id) || isConfigured(id);
  }
  /// Whether the host tells the handle of the stub \p id from others: no other
  /// handle may take its place.
  bool isToldApart(GlobalId id) const { return handles->isApart(id); }
  /// Number of live stubs of this link that launch the kernel \p id.
  uint32_t stubCount(GlobalId id) const { return stubCounts.lookup(id); }

  /// Returns the first function of device code that launches the kernel \p id,
  /// or kNone.
  GlobalId deviceLauncherOf(GlobalId id) const;

  /// Returns, in order, the stubs that \p launch of the function \p caller may
  /// launch, as far as their launches are known; for a launch by device code,
  /// the kernel.
  llvm::SmallVector<GlobalId, 2> stubsOf(GlobalId caller,
                                         const LaunchSite &launch) const;

  /// Live bodies whose code runs: prevailing functions, and bodies that did not
  /// prevail but are live under an alias.
  llvm::ArrayRef<GlobalId> bodies() const { return liveBodies; }
  /// Returns the place of \p id in bodies(), or kNone.
  uint32_t bodyIndex(GlobalId id) const { return bodyIndices[id]; }
  /// Returns the callees of the body at \p place in bodies(), by calleeOf(), in
  /// the order of its calls: places in bodies(), or kNone.
  llvm::ArrayRef<uint32_t> calleesOf(uint32_t place) const {
    return llvm::ArrayRef(callees).slice(
        firstCall[place], firstCall[place + 1] - firstCall[place]);
  }
  /// Returns the flags of those calls, CallFlag.
  llvm::ArrayRef<CallFlags> callFlagsOf(uint32_t place) const {
    return llvm::ArrayRef(callFlags).slice(
        firstCall[place], firstCall[place + 1] - firstCall[place]);
  }
  /// Returns the number of its first call among the calls of all bodies.
  uint32_t firstCallOf(uint32_t place) const { return firstCall[place]; }
  /// Returns the number of calls in all bodies.
  uint32_t callCount() const { return callees.size(); }
  /// Whether call \p number of the body at \p place enters its callee through
  /// an alias.
  bool entersByAlias(uint32_t place, uint32_t number) const {
    return byAlias.contains(firstCall[place] + number);
  }

  /// Returns the place of the function that call \p number of the body at \p
  /// place enters by the function's own name, or kNone.
  uint32_t namedCalleeOf(uint32_t place, uint32_t number) const {
    return entersByAlias(place, number) ? kNone : calleesOf(place)[number];
  }

private:
  bool isUnreplaceable(GlobalId id) const;
  void findBodies();
  void findCallees();
  void findKernelModules();
  void note(GlobalId id, UnknownCaller reason, GlobalId by = kNone);
  void noteReferences(GlobalId user, Range references, bool isFunction);
  void findEscaped();
  void noteStubCalls(GlobalId user);
  void noteDeviceLaunches(GlobalId user);
  void noteNodes(GlobalId user);
  void noteCaptures();
  void noteConstructors();
  void noteKernels();
  UnknownCaller findLookups() const;

  const WpaContext &context;
  const CombinedSummary &program;
  std::vector<uint8_t> reasons;
  llvm::BitVector queried, configured; // stubs and kernels
  llvm::BitVector significant;
  std::vector<GlobalId> liveBodies;
  std::vector<uint32_t> bodyIndices; // by GlobalId
  std::vector<uint32_t> firstCall;   // by body, and the end
  std::vector<uint32_t> callees;
  std::vector<CallFlags> callFlags;
  llvm::DenseSet<uint32_t> byAlias; // positions in callees; looked up only
  /// By ModuleIndex: whether it names kernels or stubs. In large programs few
  /// modules do.
  llvm::BitVector kernelModules;
  std::unique_ptr<Handles> handles;
  /// The stubs, in order, whose addresses are taken, although each launch is
  /// seen: who launches a handle that is not known may launch one of them.
  std::vector<GlobalId> escaped;
  // Looked up only.
  llvm::DenseMap<GlobalId, GlobalId> takers;
  llvm::DenseMap<GlobalId, uint32_t> stubCounts;
  llvm::DenseMap<GlobalId, GlobalId> deviceLaunchers; // by kernel
  std::string capturer;
};

/// Returns \p reason as the end of a sentence, "its address is taken".
llvm::StringRef describe(UnknownCaller reason);
/// Returns a word for the reason, for names of counters.
llvm::StringRef keyOf(UnknownCaller reason);

} // namespace gpulto

#endif
