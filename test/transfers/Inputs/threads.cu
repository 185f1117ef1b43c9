// Other threads of the host store to what was copied, and read it.
#include "cases.h"
#include <atomic>
#include <future>
#include <pthread.h>
#include <thread>

std::atomic<int> turn;
void waitFor(int value) {
  while (turn.load(std::memory_order_acquire) != value) std::this_thread::yield();
}
void pass(int value) { turn.store(value, std::memory_order_release); }

CASE(joined, 4, 3) { // a thread that has ended
  FIRST;
  HAZARD(std::thread([=] { h[1] = 9; }).join();)
  AGAIN;
}
// CHECK: joined: 2 11 34 128
// MAYGO: joined: 2 4 34 128

CASE(detached, 4, 3) { // a thread that nobody joins
  FIRST;
  HAZARD(std::thread([=] { h[1] = 9; pass(1); }).detach(); waitFor(1);)
  AGAIN;
}
// CHECK: detached: 2 11 34 128
// MAYGO: detached: 2 4 34 128

CASE(startedBefore, 5, 4) { // a thread older than the copies: nothing is called in between
  HOST(h, 1); DEVICE(d); ZEROS(e);
  HAZARD(std::thread other([=] {
    waitFor(2);
    h[1] = 9;
    pass(3);
    waitFor(4);
    h[1] = 14;
    pass(5);
  });)
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  HAZARD(pass(2); waitFor(3);)
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  HAZARD(pass(4); waitFor(5);)
  AGAIN;
  HAZARD(other.join();)
}
// CHECK: startedBefore: 3 25 51 192
// MAYGO: startedBefore: 3 6 51 192

__constant__ int value = 5;
__global__ void useValue(int *to) { to[threadIdx.x] = 10 * to[threadIdx.x] + value; }
const int seven = 7;
CASE(threadUses, 3, 2) { // a thread launches a kernel that reads a variable before it is set
  ZEROS(e);
  HAZARD(std::thread([=] { useValue<<<1, n>>>(e); }).join();)
  cudaMemcpyToSymbol(value, &seven, 4);
  useValue<<<1, n>>>(e);
  show(__func__, e);
}
// CHECK: threadUses: 57 57 57 57
// MAYGO: threadUses: 7 7 7 7

CASE(async, 4, 3) { // a task
  FIRST;
  HAZARD(std::async(std::launch::async, [=] { h[1] = 9; }).wait();)
  AGAIN;
}
// CHECK: async: 2 11 34 128
// MAYGO: async: 2 4 34 128

void *storeToArgument(void *to) {
  *(int *)to = 9;
  return nullptr;
}
CASE(posix, 4, 3) { // a thread of the system, which gets the pointer as an argument
  FIRST;
  HAZARD(pthread_t thread; pthread_create(&thread, nullptr, storeToArgument, h + 1);
         pthread_join(thread, nullptr);)
  AGAIN;
}
// CHECK: posix: 2 11 34 128
// MAYGO: posix: 2 4 34 128

CASE(copiesBack, 5, 3) { // another thread copies to the source
  FIRST;
  HAZARD(std::thread([=] {
    set<<<1, 1>>>(e, 20);
    cudaMemcpy(h + 1, e, 4, cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
  }).join();)
  AGAIN;
}
// CHECK: copiesBack: 21 22 34 128
// MAYGO: copiesBack: 2 4 34 128

CASE(launches, 4, 3) { // another thread launches what stores to the target
  FIRST;
  HAZARD(std::thread([=] { set<<<1, n>>>(d, 5); cudaDeviceSynchronize(); }).join();
         add<<<1, n>>>(e, d);)
  OTHERWISE(add<<<1, n>>>(e, d);)
  AGAIN;
}
// CHECK: launches: 7 9 39 133
// MAYGO: launches: 3 6 51 192

CASE(onlyOtherReads, 2, 1) { // another thread reads the target, after the one that copied
  ZEROS(d);
  increase<<<1, n>>>(d);
  int *h = (int *)malloc(size);
  HAZARD(std::thread other([=] {
    waitFor(6);
    print("onlyOtherReads", h);
  });)
  COPY_OUT(h, d);
  HAZARD(pass(6); other.join();)
  free(h);
}
// CHECK: onlyOtherReads: 1 1 1 1

thread_local int mine[n];
NOINLINE void copyMine(int *e, int *d, int first) {
  fill(mine, first);
  COPY_IN(d, mine);
  add<<<1, n>>>(e, d);
  cudaDeviceSynchronize();
}
CASE(ofEachThread, 4) { // one name, but each thread has its own variable
  DEVICE(d); ZEROS(e);
  copyMine(e, d, 1);
  HAZARD(std::thread([=] { copyMine(e, d, 11); pass(0); }).join();)
  OTHERWISE(COPY_IN(d, mine); add<<<1, n>>>(e, d);)
  show(__func__, e);
}
// CHECK: ofEachThread: 12 14 44 138
// MAYGO: ofEachThread: 2 4 34 128

int main(int argc, char **) {
  one = argc;
  joined();
  detached();
  startedBefore();
  threadUses();
  async();
  posix();
  copiesBack();
  launches();
  onlyOtherReads();
  ofEachThread();
}
