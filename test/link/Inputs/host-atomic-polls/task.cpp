#include "task.h"
std::atomic<int> current;
[[gnu::noinline]] bool isRelaxed(const Task &task, int state) {
  return task.state.load(std::memory_order_relaxed) == state;
}
[[gnu::noinline]] bool isAcquired(const Task &task, int state) {
  return task.state.load(std::memory_order_acquire) == state;
}
[[gnu::noinline]] bool isSequential(const Task &task, int state) {
  return task.state == state;
}
[[gnu::noinline]] bool isReady(const Task &task, int state) {
  int found = task.state.load(std::memory_order_acquire);
  return found == state && task.result == 7;
}
[[gnu::noinline]] void waitFor(const Task &task, int state) {
  while (task.state.load(std::memory_order_relaxed) != state)
    ;
  std::atomic_thread_fence(std::memory_order_acquire);
}
[[gnu::noinline]] bool isCurrent(int state) { return current == state; }
