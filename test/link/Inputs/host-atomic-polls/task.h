#include <atomic>
struct Task {
  std::atomic<int> state{0};
  int result = 0;
};
extern std::atomic<int> current;
bool isRelaxed(const Task &task, int state);
bool isAcquired(const Task &task, int state);
bool isSequential(const Task &task, int state);
bool isReady(const Task &task, int state);
void waitFor(const Task &task, int state);
bool isCurrent(int state);
