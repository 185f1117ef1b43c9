//===- HandleUses.h - Where kernels' handles go, in one module --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CALLERS_HANDLEUSES_H
#define GPULTO_IPA_CALLERS_HANDLEUSES_H

#include "ipa/callers/ClosedMemory.h"
#include "ipa/values/JumpFunctionBuilder.h"
#include "ipa/values/MemoryUses.h"
#include "summary/Bodies.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <memory>
#include <vector>

namespace llvm {
class AllocaInst;
class CallBase;
class ConstantStruct;
class DataLayout;
class Function;
class GlobalVariable;
class LoadInst;
class StoreInst;
class Use;
class User;
class Value;
} // namespace llvm

namespace gpulto {

/// As the other attributeUse() (ipa/runtime/CudaRuntime.h), of the operand \p
/// use.
ReferenceFlags attributeUse(const llvm::Use &use);

/// Whether \p function is a declaration with the name of a CUDA runtime
/// function.
bool isOfRuntime(const llvm::Function &function);

/// The place in a variable that an address leads to: byte \c offset, or any
/// number of strides away from there; only \c offset if \c stride is 0.
struct VariablePlace {
  const llvm::GlobalVariable *variable = nullptr;
  uint32_t offset = 0;
  uint32_t stride = 0;
};

/// Returns the place in a variable of the module that \p address leads to, if
/// it does.
std::optional<VariablePlace> variablePlace(const llvm::Value &address,
                                           const llvm::DataLayout &layout);

/// Returns the Memory jump function (HandleFlow::handle) of \p value if it is
/// loaded from memory that calls may fill: memory that a parameter leads to, a
/// local variable or a new object. \p numbers: those of the function.
std::optional<JumpFunction> handleInMemory(const llvm::Value &value,
                                           MemoryNumbers &numbers);

/// Adds to \p handles the jump functions of all possible values of \p value,
/// the handle of a launch; returns false if they are unknown.
bool collectHandles(JumpFunctionBuilder &builder, const llvm::Value &value,
                    llvm::SmallVectorImpl<JumpFunction> &handles);

/// As collectHandles(), for all values that the pointer at byte \p offset of
/// the local \p variable may have at any time, except those that callees store.
bool collectStoredHandles(JumpFunctionBuilder &builder,
                          const llvm::Value &variable, uint64_t offset,
                          llvm::SmallVectorImpl<JumpFunction> &handles);

/// Follows handles through one body. The module's launches must have been
/// collected.
class HandlePaths {
public:
  /// \p result: the summary of the body.
  HandlePaths(LgenContext &context, const FunctionSummary &result)
      : context(context), result(result) {}

  /// Whether whole-program analysis can follow \p handle, which is \p use: it
  /// is launched, compared, hashed, passed to a direct call, returned, stored
  /// in a program variable or in memory that keeps it (ClosedMemory.h), or kept
  /// in a local variable from which only such uses are read. Adds to the flows
  /// what the jump functions of calls do not say.
  bool follow(const llvm::Use &use, const JumpFunction &handle);

  /// Whether follow() holds for all uses of \p value.
  bool followAll(const llvm::Value &value, const JumpFunction &handle);

  /// Sets kParamIsHandle and its like of \p argument.
  void markParameter(const llvm::Argument &argument);

  /// Records that \p load reads data next to handles in a variable; returns
  /// false if its place is unknown.
  bool readBeside(const llvm::LoadInst &load);

  /// Records whether the result of \p call is followed.
  void markResult(const llvm::CallBase &call);

  /// As follow(), where \p handle is field \p element of \p use, a struct
  /// value.
  bool followElement(const llvm::Use &use, unsigned element,
                     const JumpFunction &handle);

  /// Whether what \p use copies from a constant that may hold handles goes to a
  /// place where these are followed.
  bool followCopy(const llvm::Use &use);

  /// Describes what becomes of handles in memory that other functions also
  /// reach.
  void describeMemory(const llvm::Function &function);

  /// Appends the collected flows to the summary; returns their range.
  Range store();

private:
  struct Path {
    std::vector<HandleFlow> flows; // without the handle
    llvm::SmallPtrSet<const llvm::Value *, 8> values;
    llvm::DenseSet<std::pair<const llvm::Value *, uint64_t>> fields;
  };
  bool tellApart(Path &path) const;
  bool followUse(const llvm::Use &use, Path &path);
  bool followValue(const llvm::Value &value, Path &path);
  bool followPlace(const llvm::Value &address, uint64_t offset, Path &path);
  bool followStore(const llvm::StoreInst &store, Path &path);
  bool followBehind(const MemoryUse &use, uint64_t offset, Path &path);
  bool followLocal(const llvm::AllocaInst &variable, uint64_t offset,
                   Path &path);
  bool followDirect(const llvm::Use &use, Path &path);
  bool followElementUse(const llvm::Use &use, unsigned element, Path &path);
  bool followElements(const llvm::Value &value, unsigned element, Path &path);
  void markElements(const llvm::CallBase &call);
  bool followInto(const llvm::Value &object, uint64_t offset, Path &path);
  bool tellLoad(const MemoryUse &use, const JumpFunction &place,
                std::vector<HandleFlow> &told);
  bool tellUse(const MemoryUse &use, const llvm::Value &object,
               std::vector<HandleFlow> &told);
  void tellMemory(const llvm::Value &object);
  bool followFrom(const llvm::Use &use, const JumpFunction &handle, Path &path);
  bool isTold(const llvm::Use &use, const JumpFunction &handle);
  void addFlows(Path &path, const JumpFunction &handle);
  uint32_t callNumber(const llvm::Value &call);
  const std::optional<MemoryUses> &usesOf(const llvm::Value &variable);

  LgenContext &context;
  const FunctionSummary &result;
  UniqueList<HandleFlow> flows;
  MemoryNumbers memoryNumbers;
  ClosedMemory closedMemory;
  llvm::SmallSetVector<const llvm::Value *, 4> filled; // with handles
  // Looked up only. Pointers, since references to entries exist while more are
  // added.
  llvm::DenseMap<const llvm::Value *,
                 std::unique_ptr<std::optional<MemoryUses>>>
      variables;
  llvm::DenseMap<const llvm::Value *, uint32_t> callNumbers;
};

} // namespace gpulto

#endif
