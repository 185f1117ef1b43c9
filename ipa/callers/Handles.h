//===- Handles.h - Which kernels a launch may launch ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CALLERS_HANDLES_H
#define GPULTO_IPA_CALLERS_HANDLES_H

#include "summary/WpaContext.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace gpulto {

class Callers;

/// Finds the kernels, by their stubs, whose handles may be in parameters and
/// results of host functions, in variables and in memory that functions share.
/// Built once; linear.
class Handles {
public:
  /// \p callers knows bodies and callees; \p kernelModules are the modules that
  /// name kernels or stubs.
  Handles(const WpaContext &context, const Callers &callers,
          const llvm::BitVector &kernelModules);

  /// Whether the address of the stub \p id is passed, or read from a variable,
  /// to where it is not followed; other uses are not considered.
  bool isLost(GlobalId id) const { return lost.test(id); }
  /// Whether the variable \p id may hold handles, and only handles that are
  /// followed are read from it.
  bool isTable(GlobalId id) const { return tables.contains(id); }
  /// Whether attributes of the stub \p id are read, or set, through a
  /// parameter, a result or a variable.
  bool isQueried(GlobalId id) const { return queried.test(id); }
  bool isSet(GlobalId id) const { return set.test(id); }
  /// Whether the program tells the handle of the stub \p id from others.
  bool isApart(GlobalId id) const { return apart.test(id); }

  /// Returns, in order, the stubs that \p launch of the function \p caller may
  /// launch, without those that are lost.
  llvm::SmallVector<GlobalId, 2> stubsOf(GlobalId caller,
                                         const LaunchSite &launch) const;

private:
  /// Where handles may be.
  enum class Of : uint8_t {
    Parameter, // the number of it
    Table,     // a variable
    Result,    // at a byte of the function's result
    Memory,    // at a byte of the function's memory with this number
    Written,   // as Memory, of a parameter: callers find it there
    Lost,      // where they cannot be followed
    Untouched, // where nobody looks
    Queried,   // the program reads their attributes, where no flag says so
    Set,       // it sets them
    Apart      // it tells the handle from others
  };
  /// A symbol, and the Of, number and byte in it.
  using Place = std::pair<GlobalId, uint64_t>;
  static constexpr int64_t kHandleBytes = 8;
  static constexpr unsigned kOfShift = 60, kNumberShift = 32;
  static constexpr uint32_t kMaxNumber = (1u << 28) - 1;
  static Place place(Of of, GlobalId id, uint32_t number = 0,
                     uint32_t byte = 0) {
    return {id,
            uint64_t(of) << kOfShift | uint64_t(number) << kNumberShift | byte};
  }
  static Place nowhere(Of of) { return place(of, kNone - 2); }
  static Of kindOf(Place place) { return Of(place.second >> kOfShift); }
  static uint32_t numberOf(Place place) {
    return place.second >> kNumberShift & kMaxNumber;
  }
  static uint32_t byteOf(Place place) { return uint32_t(place.second); }

  /// What a body says about memory.
  struct Memory {
    bool isFollowed = false;
    std::vector<const HandleFlow *> besides, passed;
  };
  /// A call whose argument is the address of byte \c begin of the caller's
  /// memory \c number.
  struct Passing {
    GlobalId caller;
    uint32_t call, number;
    uint64_t begin;
  };

  /// Bytes of a variable, and those any number of strides away.
  struct Bytes {
    GlobalId variable;
    uint64_t offset, stride, size;
  };

  void findHolders();
  void checkHolders();
  llvm::BitVector findHandleModules(const llvm::BitVector &kernelModules) const;
  void visitBody(GlobalId caller);
  void visitCall(GlobalId caller, uint32_t number, bool isLaunch);
  void visitFlow(GlobalId caller, const HandleFlow &flow);
  void loseResults(GlobalId caller);
  void pass(const JumpFunction &actual, GlobalId caller,
            llvm::function_ref<Place()> to);
  void passAttributed(const JumpFunction &actual, GlobalId caller,
                      ReferenceFlags use);
  llvm::StringRef runtimeName(GlobalId caller, const CallEdge &call) const;
  bool mayHold(Place place) const;
  void addStubs(GlobalId variable);
  bool mayMeet(const Bytes &read) const;
  GlobalId enteredBy(GlobalId caller, const CallEdge &call) const;
  bool isPlainAlias(GlobalId id, const llvm::BitVector &others) const;
  void visitMemory(GlobalId caller, const HandleFlow &flow);
  void countCalls();
  const Memory *memoryOf(GlobalId id, uint32_t number) const;
  bool isOfCaller(GlobalId id, uint32_t number) const;
  Place behind(GlobalId caller, const CallEdge &call, uint32_t argument,
               int64_t distance) const;
  void spreadMemory(Place memory, GlobalId stub);
  void spreadWritten(Place written, GlobalId stub);
  Place placeOf(GlobalId caller, const CallEdge &call, uint32_t index) const;
  std::optional<Place> sourceOf(GlobalId caller,
                                const JumpFunction &handle) const;
  void add(Place to, GlobalId stub);
  void propagate();

  const WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  llvm::DenseSet<GlobalId> tables, returning;
  llvm::DenseSet<Place> results; // that may be handles
  llvm::BitVector seen;          // functions all of whose callers are edges
  std::vector<Bytes> held;       // handles; by variable
  std::vector<Bytes> besides;    // what is read next to them
  // Looked up only.
  llvm::DenseMap<Place, std::vector<GlobalId>> stubs; // sorted
  llvm::DenseMap<Place, std::vector<Place>> flows;
  llvm::DenseMap<std::pair<GlobalId, uint32_t>, Memory> memories;
  // By callee and its parameter; in the order of callers and calls.
  llvm::DenseMap<std::pair<GlobalId, uint32_t>, std::vector<Passing>> passings;
  std::vector<uint32_t> callCounts; // by place among the bodies
  bool fillsParameters = false;
  std::vector<std::pair<Place, GlobalId>> worklist;
  llvm::BitVector lost, queried, set, apart; // by stub
};

} // namespace gpulto

#endif
