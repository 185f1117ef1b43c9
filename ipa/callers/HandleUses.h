//===- HandleUses.h - Where kernels' handles go, in one module --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CALLERS_HANDLEUSES_H
#define GPULTO_IPA_CALLERS_HANDLEUSES_H

#include "ipa/values/JumpFunctionBuilder.h"
#include "ipa/values/MemoryUses.h"

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

/// Whether \p function is declared, and named as those of the CUDA runtime.
bool isOfRuntime(const llvm::Function &function);

/// Where in a variable an address leads: to byte \c offset, or any number of
/// strides away from there; there is no other if \c stride is 0.
struct VariablePlace {
  const llvm::GlobalVariable *variable = nullptr;
  uint32_t offset = 0;
  uint32_t stride = 0;
};

/// Returns where in a variable of the module \p address leads, if it does.
std::optional<VariablePlace> variablePlace(const llvm::Value &address,
                                           const llvm::DataLayout &layout);

/// Returns the Memory jump function (HandleFlow::handle) of \p value if it is
/// loaded from memory that calls may fill: behind a parameter, of a local
/// variable or of a new object. \p numbers: of the function.
std::optional<JumpFunction> handleInMemory(const llvm::Value &value,
                                           MemoryNumbers &numbers);

/// Adds to \p handles the jump functions of all that \p value, the handle of a
/// launch, may be; false if that is not known.
bool collectHandles(JumpFunctionBuilder &builder, const llvm::Value &value,
                    llvm::SmallVectorImpl<JumpFunction> &handles);

/// As collectHandles(), of all that the pointer at byte \p offset of the local
/// \p variable may be at any time, but for what callees store there.
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
  /// is launched, compared with null, passed to a direct call, returned, stored
  /// in a variable of the program, or kept in a local one from which only such
  /// uses are read. What the jump functions of calls do not tell is added to
  /// the flows.
  bool follow(const llvm::Use &use, const JumpFunction &handle);

  /// Whether follow() holds of all uses of \p value.
  bool followAll(const llvm::Value &value, const JumpFunction &handle);

  /// Sets kParamIsHandle and its like of \p argument.
  void markParameter(const llvm::Argument &argument);

  /// Notes that \p load reads of a variable what is beside handles; false if
  /// it is not known where.
  bool readBeside(const llvm::LoadInst &load);

  /// Notes whether what \p call returns is followed.
  void markResult(const llvm::CallBase &call);

  /// As follow(), where \p handle is field \p element of \p use, a struct that
  /// is a value.
  bool followElement(const llvm::Use &use, unsigned element,
                     const JumpFunction &handle);

  /// Whether what \p use copies, of a constant that may hold handles, goes to
  /// where these are followed.
  bool followCopy(const llvm::Use &use);

  /// Tells what becomes of handles in memory that other functions reach, too.
  void describeMemory(const llvm::Function &function);

  /// Appends what was added to the summary; returns the range of it.
  Range store();

private:
  struct Path {
    std::vector<HandleFlow> flows; // without the handle
    llvm::SmallPtrSet<const llvm::Value *, 8> values;
    llvm::DenseSet<std::pair<const llvm::Value *, uint64_t>> fields;
  };
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
  llvm::SmallSetVector<const llvm::Value *, 4> filled; // with handles
  // Looked up only. Pointers, since there are references while more come in.
  llvm::DenseMap<const llvm::Value *,
                 std::unique_ptr<std::optional<MemoryUses>>>
      variables;
  llvm::DenseMap<const llvm::Value *, uint32_t> callNumbers;
};

} // namespace gpulto

#endif
