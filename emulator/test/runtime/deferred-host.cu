// --deferred: host functions that the program must let go on. A wait in another
// thread is not the only way to run them: polling does not wait for them.
// RUN-OPTIONS: --deferred
// ONLY: nvcc clang
// EXPECT: polled 600 600, value 1
// EXPECT: then 123
// EXPECT: two threads 12 123
// EXPECT: in a host function 600
// EXPECT: long queue 0
#include <atomic>
#include <cstdio>
#include <cuda_runtime.h>
#include <thread>

__global__ void append(int *p, int digit) { *p = *p * 10 + digit; }

static int *word;
static cudaStream_t a, b; // They do not block.
static cudaEvent_t event;
static std::atomic<bool> isEntered, mayLeave;

static void CUDART_CB wait(void *) {
  isEntered = true;
  while (!mayLeave)
    std::this_thread::yield();
}

/// 1, a function that waits, 2; then 3 in the other stream.
static void submit() {
  *word = 0;
  isEntered = mayLeave = false;
  append<<<1, 1, 0, a>>>(word, 1);
  cudaLaunchHostFunc(a, wait, nullptr);
  append<<<1, 1, 0, a>>>(word, 2);
  cudaEventRecord(event, a);
  cudaStreamWaitEvent(b, event);
  append<<<1, 1, 0, b>>>(word, 3);
}

static void awaitEntry() {
  while (!isEntered)
    std::this_thread::yield();
}

static void poll() {
  submit();
  int first = cudaStreamQuery(b), second = cudaStreamQuery(b);
  awaitEntry();
  printf("polled %d %d, value %d\n", first, second, *word);
  mayLeave = true;
  while (cudaStreamQuery(b) == cudaErrorNotReady)
    std::this_thread::yield();
  printf("then %d\n", *word);
}

static void threads() {
  submit();
  int ofA = 0, ofB = 0;
  std::thread first([&] {
    cudaStreamSynchronize(a);
    ofA = *word % 1000 / (*word > 99 ? 10 : 1); // The other may be as far.
  });
  awaitEntry();
  std::thread second([&] {
    cudaStreamSynchronize(b);
    ofB = *word;
  });
  mayLeave = true;
  first.join();
  second.join();
  printf("two threads %d %d\n", ofA, ofB);
}

int main() {
  cudaMallocHost(&word, sizeof(int));
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEventCreate(&event);
  poll();
  threads();
  static int queried = -1;
  append<<<1, 1, 0, b>>>(word, 1);
  cudaLaunchHostFunc(a, [](void *) { queried = cudaStreamQuery(b); }, nullptr);
  cudaStreamSynchronize(a);
  printf("in a host function %d\n", queried);
  *word = 1;
  for (int i = 0; i < 20000; ++i)
    append<<<1, 1, 0, b>>>(word, 0);
  cudaStreamSynchronize(b);
  printf("long queue %d\n", *word);
}
