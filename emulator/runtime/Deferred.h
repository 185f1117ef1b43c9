//===- Deferred.h - Work that waits in streams ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// With Settings::deferred, what is submitted to a stream becomes a task, which
/// runs at the last moment that CUDA allows: when a call must wait for it. So a
/// wait or a dependency between streams that a program lacks shows as a wrong
/// value, the same in each run.
///
/// A task knows the tasks after which it may run:
///  * the last one of its stream;
///  * of the legacy stream: the last ones of all blocking streams of its
///    context; of a blocking stream: the last one of the legacy stream;
///  * for a wait for an event: the record that was the event's last at the
///  call;
///  * for a graph: its last launch, and the events that its nodes wait for;
///  * of a device: its last synchronous copy of another device's memory too.
///
/// Waiting for a task runs those, the newest first, each after its own, then
/// the task; nothing else. Waiting for a device runs its newest task in this
/// way, then the newest that is left. Streams that do not wait for each other
/// thus run in the order that is opposite to that of the calls.
///
/// The thread that waits runs the task, with the mutex held except in host
/// functions. Without Settings::deferred there are no tasks, and nothing here
/// does anything. The runtime's mutex guards all of it.
///
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_DEFERRED_H
#define GPULTO_EMULATOR_RUNTIME_DEFERRED_H

#include "emulator/runtime/Operation.h"

namespace gpulto::emu {

struct Context;
struct Stream;

/// Identifies a task, in the order of submission; 0 is none.
using TaskId = uint64_t;

/// True if a task has not ended.
bool isPending(TaskId task);

/// Tasks that have not ended.
size_t countPending();

/// Makes a task of \p operation, and waits for as much of it as CUDA has \p
/// call wait for. Returns errors of the arguments, and of what ran.
cudaError_t defer(Runtime &runtime, const Stream &stream, Operation operation,
                  Call call);

/// Run what is necessary, and return the first error of what ran.
cudaError_t waitForTask(Runtime &runtime, TaskId task);
cudaError_t waitForStream(Runtime &runtime, const Stream &stream);
cudaError_t waitForContext(Runtime &runtime, const Context *context);
cudaError_t waitForDevice(Runtime &runtime, unsigned device);
cudaError_t waitForDevices(Runtime &runtime);

/// A query that finds a pending task for the first time is told
/// cudaErrorNotReady and runs nothing; the second runs it, as the program may
/// be polling. A query does not wait for host functions: from the second query
/// on another thread runs them, and what is behind them.
cudaError_t queryTask(Runtime &runtime, TaskId task);
cudaError_t queryStream(Runtime &runtime, const Stream &stream);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_DEFERRED_H
