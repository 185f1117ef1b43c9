//===- RuntimeCalls.h - What calls of the runtime do ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_RUNTIMECALLS_H
#define GPULTO_IPA_VALUES_RUNTIMECALLS_H

#include "summary/Launches.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace llvm {
class BasicBlock;
class CallBase;
class DataLayout;
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace gpulto {

struct RuntimeFunction;

/// Returns the function that \p call calls, also through another type, as C
/// without prototypes does; null if it is not known.
const llvm::Function *calledFunction(const llvm::CallBase &call);

/// Returns what is known of the function of the runtime that \p call calls, by
/// its name; null if that is nothing, or it has a body here.
const RuntimeFunction *runtimeFunctionOf(const llvm::CallBase &call);

/// A branch at the end of a block that asks whether \c value is 0, which is
/// success if a function of the runtime returned it.
struct ZeroTest {
  const llvm::Value *value = nullptr;
  const llvm::BasicBlock *ifZero = nullptr, *otherwise = nullptr;
};
std::optional<ZeroTest> zeroTestAtEnd(const llvm::BasicBlock &block);

/// Operands of __cudaPushCallConfiguration.
constexpr unsigned kPushOperands = 6, kPushBlock = 2;
/// Whether \p call says how the next launch is configured.
bool isPush(const llvm::CallBase &call);
/// Returns the push call that the branch at the end of \p block checks, and the
/// successor taken when it succeeds; nulls if there is none.
std::pair<const llvm::CallBase *, const llvm::BasicBlock *>
checkedPush(const llvm::BasicBlock &block);

/// Position of the block's x and y among the arguments of cudaLaunchKernel and
/// cudaLaunchCooperativeKernel.
constexpr unsigned kLaunchBlock = 3;

/// Fields of the cudaLaunchConfig_t that argument 0 of cudaLaunchKernelExC
/// points to (CUDA 11.8 and later).
constexpr uint64_t kConfigGrid = 0, kConfigBlock = 12, kConfigShared = 24,
                   kConfigStream = 32, kConfigBytes = 40;

/// How \p call, if it calls one of the runtime's launch functions with as many
/// operands as those have, launches a kernel: in host code one of the host's,
/// in device code the device runtime's. The `_ptsz` forms count.
std::optional<LaunchKind> launchKindOf(const llvm::CallBase &call);

/// Returns the bytes of the buffer, for the arguments of a launch by device
/// code, that \p call gets from the device runtime; nothing if it is another
/// call or that is not a constant. Nobody else has a pointer to it.
std::optional<uint64_t> launchBufferBytes(const llvm::CallBase &call);

/// Returns what is known of the function of the runtime that \p call calls if
/// it copies to or from a variable of the device, by its symbol; otherwise
/// null.
const RuntimeFunction *symbolCopy(const llvm::CallBase &call);

/// Position of the cudaKernelNodeParams among the arguments of
/// cudaGraphAddKernelNode, and that of fields in it (CUDA 3.0 and later).
constexpr unsigned kNodeParamsOperand = 4;
constexpr uint64_t kNodeFunction = 0, kNodeGrid = 8, kNodeArguments = 40,
                   kNodeBytes = 56;

/// Returns whether \p call adds the launch of a kernel to a graph. The runtime
/// copies the parameters and all that they lead to, and keeps no address.
bool addsKernelNode(const llvm::CallBase &call);

/// Returns the position of the argument of \p call that points to where the
/// call stores a pointer to fresh memory that devices reach (cudaMalloc and its
/// like; pinned memory of the host, too), if it is such a call. Nothing keeps
/// the address of that place.
std::optional<unsigned> allocationResult(const llvm::CallBase &call);

/// Returns \p instruction if it is a call that allocationResult() knows, or
/// null.
const llvm::CallBase *asAllocation(const llvm::Instruction &instruction);

/// Returns the number of bytes that \p call, of the CUDA runtime, writes
/// through its argument \p index, which it does not keep; 0 for other calls and
/// arguments.
uint64_t resultBytes(const llvm::CallBase &call, unsigned index,
                     const llvm::DataLayout &layout);

/// What the runtime does with the memory behind an argument while a call of it
/// runs. It keeps no such pointer.
enum class CopyAccess { None, Reads, Writes };

/// Returns what \p call does with its argument \p index if it is one of the
/// runtime's functions that copy before they return. The memory may be the
/// host's or the device's.
CopyAccess copyAccess(const llvm::CallBase &call, unsigned index);

} // namespace gpulto

#endif
