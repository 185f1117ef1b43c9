//===- Deferred.cpp - Work that waits in streams --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Deferred.h"

#include "emulator/runtime/Graph.h"
#include "emulator/runtime/Runtime.h"
#include "emulator/runtime/Stream.h"

#include <algorithm>
#include <condition_variable>
#include <set>
#include <thread>

namespace gpulto::emu {
namespace {

struct Task {
  Operation operation;
  /// The tasks that come first; those that have ended do not matter.
  std::vector<TaskId> after;
  /// As whose work it runs.
  unsigned device = 0;
  const Context *context = nullptr;
  /// The thread that is running it; 0: none.
  uint64_t runner = 0;
  /// It runs functions of the program.
  bool callsHost = false;
  /// A query has found it.
  bool wasQueried = false;
  /// A thread that a query started waits for it.
  bool isAwaited = false;
};

/// The tasks of a stream in a context. It outlives a stream that is destroyed
/// while it has work.
struct Lane {
  unsigned long long stream = 0;
  unsigned device = 0;
  const Context *context = nullptr;
  bool isLegacy = false, isBlocking = true;
  TaskId last = 0;
};

struct Queues {
  std::map<TaskId, Task> tasks;
  std::vector<Lane> lanes;
  /// The last synchronous copy of the memory of several devices, by device.
  std::array<TaskId, kMaxDevices> barriers{};
  TaskId nextTask = 1;
  std::condition_variable_any ended;
};

Queues &queues() {
  static Queues *all = new Queues; // never destroyed, as the Runtime
  return *all;
}

/// How much of an operation a call waits for.
enum class HostWait : uint8_t {
  None,
  Staged,        ///< Until its source has been read.
  StagedInOrder, ///< The same, after what is in the stream.
  Done,
};

bool isHost(Place place) {
  return place == Place::PageLocked || place == Place::Pageable;
}

/// What CUDA's "API synchronization behavior" says of copies. It says nothing
/// of managed memory: synchronous copies from and to it are done.
HostWait hostWait(const Settings &settings, const CopyPlaces &places,
                  Call call) {
  if (isHost(places.to) && isHost(places.from))
    return HostWait::Done;
  if (call == Call::Synchronous) {
    if (places.to != Place::Device)
      return HostWait::Done;
    return places.from == Place::Device     ? HostWait::None
           : places.from == Place::Pageable ? HostWait::StagedInOrder
                                            : HostWait::Done;
  }
  if (!settings.pageableSync)
    return HostWait::None;
  return places.from == Place::Pageable ? HostWait::Staged
         : places.to == Place::Pageable ? HostWait::Done
                                        : HostWait::None;
}

Lane laneOf(const Stream &stream) {
  Lane lane;
  lane.stream = stream.id;
  lane.device = stream.device;
  lane.context = stream.context ? stream.context : currentContext();
  lane.isLegacy = stream.isLegacy;
  lane.isBlocking = !stream.isLegacy && !(stream.flags & cudaStreamNonBlocking);
  return lane;
}

constexpr DeviceSet setOf(unsigned device) { return DeviceSet(1) << device; }

/// The tasks that the next one of \p lane follows; all work of \p devices is
/// among them.
std::vector<TaskId> tasksBefore(const Lane &lane, DeviceSet devices = 0) {
  std::vector<TaskId> tasks;
  auto add = [&](TaskId task) {
    if (isPending(task))
      tasks.push_back(task);
  };
  for (const Lane &other : queues().lanes) {
    bool isOrdered = other.stream == lane.stream ||
                     (lane.isLegacy && other.isBlocking) ||
                     (lane.isBlocking && other.isLegacy);
    if ((isOrdered && other.context == lane.context) ||
        (devices & setOf(other.device)))
      add(other.last);
  }
  for (unsigned device = 0; device < kMaxDevices; ++device)
    if ((devices | setOf(lane.device)) & setOf(device))
      add(queues().barriers[device]);
  return tasks;
}

void setLast(Lane lane, TaskId task) {
  std::vector<Lane> &lanes = queues().lanes;
  std::erase_if(lanes, [&](const Lane &other) {
    bool isSame = other.stream == lane.stream && other.context == lane.context;
    return isSame || !isPending(other.last);
  });
  lane.last = task;
  lanes.push_back(lane);
}

/// During its lifetime the thread is in the context of a task.
class TaskScope {
public:
  explicit TaskScope(const Task &task)
      : thread(threadState()), device(thread.device),
        usesOwnStream(thread.usesOwnStream), contexts(thread.contexts) {
    thread.device = task.device;
    thread.usesOwnStream = false;
    thread.contexts = {const_cast<Context *>(task.context)};
  }
  ~TaskScope() {
    thread.device = device;
    thread.usesOwnStream = usesOwnStream;
    thread.contexts = std::move(contexts);
  }
  TaskScope(const TaskScope &) = delete;
  TaskScope &operator=(const TaskScope &) = delete;

private:
  ThreadState &thread;
  unsigned device;
  bool usesOwnStream;
  std::vector<Context *> contexts;
};

/// After a fault nothing runs, but callbacks are told, and events happen.
bool runsAfterFault(const Operation &operation) {
  const auto *host = std::get_if<HostOp>(&operation);
  return (host && host->callback) ||
         std::holds_alternative<EventRecordOp>(operation);
}

/// Runs a task whose time has come.
cudaError_t runTask(Runtime &runtime, TaskId id) {
  Queues &all = queues();
  Task &task = all.tasks.at(id);
  task.runner = threadState().id;
  Operation operation = std::move(task.operation);
  const DeviceState &state = runtime.devices[task.device];
  cudaError_t error = state.sticky;
  if (error == cudaSuccess || runsAfterFault(operation)) {
    TaskScope scope(task);
    error = execute(runtime, operation);
  }
  all.tasks.erase(id);
  all.ended.notify_all();
  return error == cudaSuccess ? state.sticky : error;
}

/// A host function that calls the API does not wait for itself.
bool isRunByThisThread(const Task &task) {
  return task.runner == threadState().id;
}

/// The newest of the tasks that \p task still has to wait for; 0: none.
TaskId newestBefore(const Task &task) {
  TaskId newest = 0;
  for (TaskId id : task.after) {
    auto found = queues().tasks.find(id);
    if (found != queues().tasks.end() && !isRunByThisThread(found->second))
      newest = std::max(newest, id);
  }
  return newest;
}

cudaError_t first(cudaError_t error, cudaError_t next) {
  return error == cudaSuccess ? next : error;
}

/// Runs tasks for which \p isMeant is true, the newest first.
template <typename Predicate>
cudaError_t waitWhere(Runtime &runtime, Predicate isMeant) {
  Queues &all = queues();
  cudaError_t error = cudaSuccess;
  // What other threads submit meanwhile is not waited for.
  for (TaskId end = all.nextTask;;) {
    auto found = std::find_if(
        std::make_reverse_iterator(all.tasks.lower_bound(end)),
        all.tasks.rend(), [&](const auto &item) {
          return isMeant(item.second) && !isRunByThisThread(item.second);
        });
    if (found == all.tasks.rend())
      return error;
    end = found->first;
    error = first(error, waitForTask(runtime, end));
  }
}

cudaError_t waitForTasks(Runtime &runtime, std::vector<TaskId> tasks) {
  std::sort(tasks.rbegin(), tasks.rend());
  cudaError_t error = cudaSuccess;
  for (TaskId task : tasks)
    error = first(error, waitForTask(runtime, task));
  return error;
}

/// The tasks that a wait for \p stream waits for: to wait is an action of the
/// legacy stream.
std::vector<TaskId> tasksOf(const Stream &stream) {
  Lane lane = laneOf(stream);
  if (lane.isLegacy)
    return tasksBefore(lane);
  for (const Lane &other : queues().lanes)
    if (other.stream == lane.stream && other.context == lane.context)
      return {other.last};
  return {};
}

/// True if a thread that waits for \p root might have to wait for another
/// thread, or for a function of the program.
bool mayBlock(TaskId root) {
  std::vector<TaskId> work{root};
  std::set<TaskId> seen;
  while (!work.empty()) {
    TaskId id = work.back();
    work.pop_back();
    auto found = queues().tasks.find(id);
    if (found == queues().tasks.end() || isRunByThisThread(found->second) ||
        !seen.insert(id).second)
      continue;
    const Task &task = found->second;
    if (task.runner || task.callsHost)
      return true;
    work.insert(work.end(), task.after.begin(), task.after.end());
  }
  return false;
}

/// Has another thread wait for a task.
void waitAside(TaskId id) {
  Task &task = queues().tasks.at(id);
  if (task.isAwaited)
    return;
  task.isAwaited = true;
  std::thread([id] {
    Runtime &runtime = Runtime::get();
    std::lock_guard<std::mutex> lock(runtime.mutex);
    (void)waitForTask(runtime, id); // A fault stays and is told later.
  }).detach();
}

cudaError_t query(Runtime &runtime, std::vector<TaskId> tasks) {
  std::erase_if(tasks, [](TaskId id) {
    auto found = queues().tasks.find(id);
    return found == queues().tasks.end() || isRunByThisThread(found->second);
  });
  bool isNews = false, isBlocked = false;
  for (TaskId id : tasks) {
    Task &task = queues().tasks.at(id);
    isNews |= !task.wasQueried;
    task.wasQueried = true;
  }
  if (isNews)
    return cudaErrorNotReady;
  // The program may have to go on before these can end.
  for (TaskId id : tasks)
    if (mayBlock(id)) {
      isBlocked = true;
      waitAside(id);
    }
  return isBlocked ? cudaErrorNotReady : waitForTasks(runtime, tasks);
}

/// Calls \p body with the operations of all nodes, those of children too.
template <typename Body> void forOperations(const Graph &graph, Body body) {
  for (const auto &node : graph.nodes) {
    if (const auto *child = std::get_if<ChildOp>(&node->operation))
      forOperations(*child->graph, body);
    else if (node->isEnabled)
      body(node->operation);
  }
}

bool callsHost(const Operation &operation) {
  const auto *launch = std::get_if<ChildOp>(&operation);
  if (!launch)
    return std::holds_alternative<HostOp>(operation);
  bool calls = false;
  forOperations(*launch->graph, [&](const Operation &node) {
    calls |= std::holds_alternative<HostOp>(node);
  });
  return calls;
}

void followEvent(const Event *event, std::vector<TaskId> &after) {
  if (findEvent(reinterpret_cast<cudaEvent_t>(const_cast<Event *>(event))))
    after.push_back(event->task);
}

/// Adds what \p operation waits for besides its stream's order.
void addDependencies(const Operation &operation, std::vector<TaskId> &after) {
  if (const auto *wait = std::get_if<EventWaitOp>(&operation))
    followEvent(wait->event, after);
  const auto *launch = std::get_if<ChildOp>(&operation);
  if (!launch)
    return;
  after.push_back(launch->graph->lastLaunch);
  forOperations(*launch->graph, [&](const Operation &node) {
    if (const auto *wait = std::get_if<EventWaitOp>(&node))
      followEvent(wait->event, after);
  });
}

void recordAt(const EventRecordOp &op, TaskId task) {
  if (!findEvent(reinterpret_cast<cudaEvent_t>(op.event)))
    return;
  op.event->isRecorded = true;
  op.event->record = op.record;
  op.event->task = task;
  op.event->capture.reset();
}

/// Tells events and graphs which task is theirs. A graph is copied: it may be
/// changed or destroyed before it runs.
void announce(Operation &operation, TaskId task) {
  if (const auto *record = std::get_if<EventRecordOp>(&operation))
    recordAt(*record, task);
  auto *launch = std::get_if<ChildOp>(&operation);
  if (!launch)
    return;
  forOperations(*launch->graph, [&](const Operation &node) {
    if (const auto *record = std::get_if<EventRecordOp>(&node))
      recordAt(*record, task);
  });
  launch->graph->lastLaunch = task;
  launch->graph = cloneGraph(*launch->graph);
}

/// Makes a task that follows all work of \p devices and comes before what
/// follows on them.
TaskId addTask(const Lane &lane, Operation operation, DeviceSet devices) {
  Queues &all = queues();
  TaskId id = all.nextTask++;
  Task task;
  task.after = tasksBefore(lane, devices);
  addDependencies(operation, task.after);
  announce(operation, id);
  task.callsHost = callsHost(operation);
  task.operation = std::move(operation);
  task.device = lane.device;
  task.context = lane.context;
  all.tasks[id] = std::move(task);
  setLast(lane, id);
  for (unsigned device = 0; device < kMaxDevices; ++device)
    if (devices & setOf(device))
      all.barriers[device] = id;
  return id;
}

/// The devices that a synchronous copy orders, if it is of the memory of
/// another device than its stream's. CUDA says so of cudaMemcpyPeer, and of
/// cudaMemcpy nothing else.
DeviceSet devicesOf(const CopyPlaces &places, const Lane &lane) {
  DeviceSet devices = setOf(lane.device);
  if (places.to == Place::Device)
    devices |= setOf(places.toDevice);
  if (places.from == Place::Device)
    devices |= setOf(places.fromDevice);
  return devices == setOf(lane.device) ? 0 : devices;
}

} // namespace

bool isPending(TaskId task) { return queues().tasks.count(task) != 0; }

size_t countPending() { return queues().tasks.size(); }

cudaError_t defer(Runtime &runtime, const Stream &stream, Operation operation,
                  Call call) {
  if (cudaError_t error = check(runtime, operation))
    return error;
  // The stream may be gone when a host function has run.
  Lane lane = laneOf(stream);
  CopyPlaces places; // Of other operations: on the stream's device.
  places.toDevice = places.fromDevice = lane.device;
  HostWait wait = HostWait::None;
  auto *copy = std::get_if<CopyOp>(&operation);
  if (copy) {
    places = placesOf(*runtime.device(), *copy);
    if (places.isEmpty)
      return cudaSuccess;
    wait = hostWait(runtime.settings, places, call);
  } else if (const auto *fill = std::get_if<FillOp>(&operation)) {
    places = placesOf(*runtime.device(), *fill);
    if (call == Call::Synchronous && places.to != Place::Device)
      wait = HostWait::Done;
  }
  DeviceSet devices =
      call == Call::Synchronous ? devicesOf(places, lane) : DeviceSet(0);
  if (wait == HostWait::StagedInOrder)
    if (cudaError_t error = waitForTasks(runtime, tasksBefore(lane, devices)))
      return error;
  if (wait == HostWait::Staged || wait == HostWait::StagedInOrder)
    if (cudaError_t error = stage(*copy))
      return error;
  TaskId id = addTask(lane, std::move(operation), devices);
  return wait == HostWait::Done ? waitForTask(runtime, id) : cudaSuccess;
}

cudaError_t waitForTask(Runtime &runtime, TaskId root) {
  Queues &all = queues();
  auto start = all.tasks.find(root);
  if (start == all.tasks.end())
    return cudaSuccess;
  const DeviceState &state = runtime.devices[start->second.device];
  cudaError_t error = cudaSuccess;
  // From the root to what runs next. A list, since a stream can be long.
  std::vector<TaskId> path{root};
  while (!path.empty()) {
    auto found = all.tasks.find(path.back());
    if (found == all.tasks.end() || isRunByThisThread(found->second)) {
      path.pop_back();
    } else if (found->second.runner) {
      all.ended.wait(runtime.mutex);
    } else if (TaskId next = newestBefore(found->second)) {
      path.push_back(next);
    } else {
      error = first(error, runTask(runtime, path.back()));
      path.pop_back();
    }
  }
  return first(error, state.sticky);
}

cudaError_t waitForStream(Runtime &runtime, const Stream &stream) {
  return waitForTasks(runtime, tasksOf(stream));
}

cudaError_t waitForContext(Runtime &runtime, const Context *context) {
  return waitWhere(runtime,
                   [&](const Task &task) { return task.context == context; });
}

cudaError_t waitForDevice(Runtime &runtime, unsigned device) {
  return waitWhere(runtime,
                   [&](const Task &task) { return task.device == device; });
}

cudaError_t waitForDevices(Runtime &runtime) {
  return waitWhere(runtime, [](const Task &) { return true; });
}

cudaError_t queryTask(Runtime &runtime, TaskId task) {
  return query(runtime, {task});
}

cudaError_t queryStream(Runtime &runtime, const Stream &stream) {
  return query(runtime, tasksOf(stream));
}

} // namespace gpulto::emu
