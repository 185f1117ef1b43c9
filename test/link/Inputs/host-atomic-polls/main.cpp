#include "task.h"
#include <chrono>
#include <cstdio>
#include <thread>
static Task task;
static void next(int state) {
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  task.result = state == 4 ? 7 : 0;
  task.state = state;
  current = state;
}
int main() {
  {
    std::thread other(next, 1);
    while (!isRelaxed(task, 1)) {
    }
    std::printf("relaxed %d\n", task.state.load());
    other.join();
  }
  {
    std::thread other(next, 2);
    while (!isAcquired(task, 2)) {
    }
    std::printf("acquire %d\n", task.state.load());
    other.join();
  }
  {
    std::thread other(next, 3);
    while (!isSequential(task, 3)) {
    }
    std::printf("sequential %d\n", task.state.load());
    other.join();
  }
  {
    std::thread other(next, 4);
    while (!isReady(task, 4)) {
    }
    std::printf("field %d %d\n", task.state.load(), task.result);
    other.join();
  }
  {
    std::thread other(next, 5);
    waitFor(task, 5);
    std::printf("waited %d\n", task.state.load());
    other.join();
  }
  {
    std::thread other(next, 6);
    while (!isCurrent(6)) {
    }
    std::printf("variable %d\n", current.load());
    other.join();
  }
}
