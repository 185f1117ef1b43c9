// Calls after the emulator's part of a thread or of the process should be gone:
// destructors of thread_local and static objects, atexit handlers, keys of
// threads. Kernels run until their code is unregistered; nothing crashes.
// EXPECT: thread_local in a thread: launch 0, value 1
// EXPECT: key of the thread: launch 0, value 2
// EXPECT: later key: launch 0, value 3
// EXPECT: thread_local in main: launch 0, value 4
// EXPECT: static in main: launch 0, value 5
// EXPECT: atexit: launch 0, value 6
// EXPECT: event 0, stream 0, graph 0
// EXPECT: before the code: launch 1, copy 0, allocation 0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <pthread.h>
#include <thread>

__global__ void add(int *p) { *p += 1; }

static int *counter;

static void launch(const char *where) {
  add<<<1, 1>>>(counter);
  int launched = cudaDeviceSynchronize();
  int value = 0;
  cudaMemcpy(&value, counter, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%s: launch %d, value %d\n", where, launched, value);
  fflush(stdout);
}

struct AtEnd {
  const char *where;
  explicit AtEnd(const char *where) : where(where) {}
  ~AtEnd() { launch(where); }
};

/// Is there before code is registered and goes after it, save where compilers
/// register as early: the launch fails, or runs.
struct Earliest {
  ~Earliest() {
    add<<<1, 1>>>(counter);
    cudaError_t launched = cudaGetLastError();
    int value = 0;
    int *memory = nullptr;
    int copied =
        cudaMemcpy(&value, counter, sizeof(int), cudaMemcpyDeviceToHost);
    int allocated = cudaMalloc(&memory, 4096);
    printf("before the code: launch %d, copy %d, allocation %d\n",
           launched == cudaSuccess ||
               launched == cudaErrorInvalidDeviceFunction,
           copied, allocated);
    fflush(stdout);
  }
};
__attribute__((init_priority(101))) static Earliest earliest;

static void objects() {
  cudaEvent_t event;
  cudaStream_t stream;
  cudaGraph_t graph;
  int made = cudaEventCreate(&event) | cudaEventRecord(event) |
             cudaEventSynchronize(event) | cudaEventDestroy(event);
  int streamed = cudaStreamCreate(&stream) | cudaStreamSynchronize(stream) |
                 cudaStreamDestroy(stream);
  int graphed = cudaGraphCreate(&graph, 0) | cudaGraphDestroy(graph);
  printf("event %d, stream %d, graph %d\n", made, streamed, graphed);
}

/// Sets keys that were made before and after the first call of the API.
static void inThread(pthread_key_t before, pthread_key_t after) {
  thread_local AtEnd atEnd("thread_local in a thread");
  (void)atEnd;
  pthread_setspecific(before, counter);
  pthread_setspecific(after, counter);
}

int main() {
  pthread_key_t before, after;
  pthread_key_create(&before, [](void *) { launch("key of the thread"); });
  cudaMalloc(&counter, sizeof(int));
  pthread_key_create(&after, [](void *) { launch("later key"); });
  cudaMemset(counter, 0, sizeof(int));
  std::thread(inThread, before, after).join();
  thread_local AtEnd inMain("thread_local in main");
  (void)inMain;
  atexit(objects);
  atexit([] { launch("atexit"); });
  static AtEnd atEnd("static in main");
  // A thread that goes on while the process ends.
  std::thread([] {
    int *own = nullptr;
    cudaMalloc(&own, sizeof(int));
    for (;;) {
      add<<<1, 32>>>(own);
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }).detach();
  return 0;
}
