//===- Operation.h - What a stream or graph can do -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One unit of stream work: a kernel, a copy, a fill, a host function, an
/// event. An entry point makes an Operation and submits it; it runs
/// immediately, waits in its stream's queue (Deferred.h), or becomes a graph
/// node while the stream is being captured.
///
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_OPERATION_H
#define GPULTO_EMULATOR_RUNTIME_OPERATION_H

#include "emulator/runtime/Registry.h"

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>
#include <variant>
#include <vector>

namespace gpulto::emu {

class Runtime;
struct Event;
struct Graph;

struct EmptyOp {};

struct KernelOp {
  std::shared_ptr<KernelEntry> entry;
  /// The device that was current when it was made.
  unsigned device = 0;
  /// The caller's handle, which cudaGraphKernelNodeGetParams returns.
  const void *function = nullptr;
  dim3 grid, block;
  size_t sharedBytes = 0;
  bool cooperative = false;
  /// Blocks of a cluster; all 0: as the kernel says.
  dim3 cluster{0, 0, 0};
  /// The packed parameters, each at its offset.
  std::vector<std::byte> params;
  /// Addresses of the parameters inside `params`, which GetParams returns.
  std::vector<void *> pointers;
};

/// A copy in the form of cudaMemcpy3D, which every other form maps to. Widths
/// are in bytes unless an array takes part.
struct CopyOp {
  cudaMemcpy3DParms params{};
  /// For the log of transfers, if it is on; 0: no call of its own.
  uint32_t site = 0;
  /// What was read from a source in pageable memory, row by row, if the call
  /// read it; empty: the copy reads the source itself.
  std::vector<std::byte> staged{};
};

/// A fill of `depth` slices of a pitched area.
struct FillOp {
  cudaMemsetParams params{};
  size_t depth = 1;
  /// Bytes from one slice to the next.
  size_t slicePitch = 0;
  /// As CopyOp's.
  uint32_t site = 0;
};

struct HostOp {
  cudaHostNodeParams params{};
  /// cudaStreamAddCallback's form when set; `params.fn` is null then.
  cudaStreamCallback_t callback = nullptr;
  cudaStream_t stream = nullptr;
};

struct EventRecordOp {
  Event *event = nullptr;
  /// Event::record of the call that made it; 0: a node of a graph.
  uint64_t record = 0;
};

struct EventWaitOp {
  Event *event = nullptr;
};

/// Device memory that graphs own: freed with the last of them.
struct GraphMemory {
  unsigned device = 0;
  uint64_t address = 0;
  uint64_t sizeBytes = 0;
  ~GraphMemory();
};

/// Total memory of a device that graphs own, for
/// cudaDeviceGetGraphMemAttribute. Guarded by the runtime's mutex.
struct GraphMemoryUse {
  uint64_t currentBytes = 0, highBytes = 0;
};
GraphMemoryUse &graphMemoryUse(unsigned device);

/// Memory of a graph. The address is fixed when the node is made.
struct AllocateOp {
  cudaMemAllocNodeParams params{};
  std::shared_ptr<GraphMemory> memory;
};

struct FreeOp {
  void *address = nullptr;
  /// False in graphs, whose memory stays in place.
  bool releases = false;
};

struct ChildOp {
  std::shared_ptr<Graph> graph;
};

using Operation =
    std::variant<EmptyOp, KernelOp, CopyOp, FillOp, HostOp, EventRecordOp,
                 EventWaitOp, AllocateOp, FreeOp, ChildOp>;

/// Fills in a kernel launch: finds the kernel, packs the parameters. Errors of
/// the launch itself are checked only when it runs.
cudaError_t makeKernelOp(Runtime &runtime, const void *function, dim3 grid,
                         dim3 block, void **args, size_t sharedBytes,
                         bool cooperative, KernelOp &op);

/// Allocates \p op.params.bytesize bytes of graph memory, where
/// `op.params.poolProps` says, and sets `op.params.dptr`.
cudaError_t makeAllocateOp(Runtime &runtime, AllocateOp &op);

/// Makes the copy of \p sizeBytes consecutive bytes.
CopyOp makeLinearCopy(void *destination, const void *source, size_t sizeBytes,
                      cudaMemcpyKind kind);

/// Checks a copy's arguments without copying, as enqueuing does.
cudaError_t validateCopy(Runtime &runtime, const cudaMemcpy3DParms &params);

/// Runs \p operation now. The mutex is held; it is released while a host
/// function runs.
cudaError_t execute(Runtime &runtime, Operation &operation);

/// Returns the errors of execute() that show before anything runs.
cudaError_t check(Runtime &runtime, const Operation &operation);

/// Copies the source of \p op, in memory of the host, to `op.staged`.
cudaError_t stage(CopyOp &op);

/// Where the bytes of a copy or fill are.
enum class Place : uint8_t { Device, Managed, PageLocked, Pageable };

/// The places of a copy or fill, and the device if it is on one.
struct CopyPlaces {
  bool isEmpty = false; ///< Nothing is copied.
  Place to = Place::Device, from = Place::Device;
  unsigned toDevice = 0, fromDevice = 0;
};
CopyPlaces placesOf(const Device &device, const CopyOp &op);
CopyPlaces placesOf(const Device &device, const FillOp &op);

/// Whether the name of the called function ends in "Async", or it is as if.
enum class Call : uint8_t { Asynchronous, Synchronous };

/// Submits \p operation to \p stream: runs it, lets it wait, or adds it to the
/// graph under capture.
cudaError_t submit(Runtime &runtime, cudaStream_t stream, Operation operation,
                   Call call = Call::Asynchronous);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_OPERATION_H
