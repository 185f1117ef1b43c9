//===- Handles.h - Which kernels a launch may launch ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_HANDLES_H
#define GPULTO_IPA_HANDLES_H

#include "summary/WpaContext.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace gpulto {

/// Returns what the function \p callee of the CUDA runtime does with the kernel
/// whose handle is its argument \p index: kQueriesHandle or kSetsHandle; 0 when
/// it is none of those that read or set attributes and keep nothing.
uint8_t attributeUse(llvm::StringRef callee, unsigned index);

/// Returns how the function \p callee of the CUDA runtime launches the kernel
/// whose handle it gets (see handleOperand), if it does. The `_ptsz` forms
/// count.
std::optional<LaunchKind> launchKindOf(llvm::StringRef callee);

/// The kernels, by their stubs, that handles in parameters and results of host
/// functions and in variables may stand for. Built once; linear.
class Handles {
public:
  /// \p bodies: the live functions; \p kernelModules: modules that name kernels
  /// or stubs.
  Handles(const WpaContext &context, llvm::ArrayRef<GlobalId> bodies,
          const llvm::BitVector &kernelModules);

  /// Whether the address of the stub \p id goes where it is not followed, by
  /// passing it or out of a variable; other uses are not looked at.
  bool isLost(GlobalId id) const { return lost.test(id); }
  /// Whether the variable \p id may hold handles, and nothing but handles that
  /// are followed is read of it.
  bool isTable(GlobalId id) const { return tables.contains(id); }
  /// Whether attributes of the stub \p id are read, or set, by way of a
  /// parameter, a result or a variable.
  bool isQueried(GlobalId id) const { return queried.test(id); }
  bool isSet(GlobalId id) const { return set.test(id); }

  /// Returns the stubs, in order, that \p launch of the function \p caller may
  /// launch, as far as they are not lost.
  llvm::SmallVector<GlobalId, 2> stubsOf(GlobalId caller,
                                         const LaunchSite &launch) const;

private:
  /// A parameter of a function or, with kNone, a table; with kResult, what a
  /// function returns.
  using Place = std::pair<GlobalId, uint32_t>;
  static constexpr uint32_t kResult = kNone - 1;

  /// Bytes of a variable, and those any number of strides away.
  struct Bytes {
    GlobalId variable;
    uint64_t offset, stride, size;
  };

  void findHolders(llvm::ArrayRef<GlobalId> bodies);
  void checkHolders(llvm::ArrayRef<GlobalId> bodies);
  llvm::BitVector findHandleModules(const llvm::BitVector &kernelModules) const;
  void visitBody(GlobalId caller);
  void visitCall(GlobalId caller, uint32_t number, bool isLaunch);
  void visitFlow(GlobalId caller, const HandleFlow &flow);
  void loseResults(GlobalId caller);
  void pass(const JumpFunction &actual, GlobalId caller,
            llvm::function_ref<Place()> to);
  void passAttributed(const JumpFunction &actual, GlobalId caller, uint8_t use);
  llvm::StringRef runtimeName(GlobalId caller, const CallEdge &call) const;
  bool mayHold(Place place) const;
  void addStubs(GlobalId variable);
  bool mayMeet(const Bytes &read) const;
  bool keepsOff(GlobalId caller, const CallEdge &call,
                const HandleFlow &flow) const;
  Place placeOf(GlobalId caller, const CallEdge &call, uint32_t index) const;
  std::optional<Place> sourceOf(GlobalId caller,
                                const JumpFunction &handle) const;
  void add(Place to, GlobalId stub);
  void propagate();

  const WpaContext &context;
  const CombinedSummary &program;
  llvm::DenseSet<GlobalId> tables, returning;
  std::vector<Bytes> held;    // handles; by variable
  std::vector<Bytes> besides; // what is read beside them
  // Looked up only.
  llvm::DenseMap<Place, std::vector<GlobalId>> stubs; // sorted
  llvm::DenseMap<Place, std::vector<Place>> flows;
  std::vector<std::pair<Place, GlobalId>> worklist;
  llvm::BitVector lost, queried, set; // by stub
};

} // namespace gpulto

#endif
