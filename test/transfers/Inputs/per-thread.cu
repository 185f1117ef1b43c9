// A default stream for each thread: copies are in a stream of the thread that makes them.
#include "cases.h"
#include <thread>

CASE(otherThreadStores, 4) { // a kernel of another thread stores to the target
  FIRST;
  cudaStreamSynchronize(cudaStreamPerThread);
  HAZARD(std::thread([=] {
    set<<<1, 2>>>(d, 9);
    cudaStreamSynchronize(cudaStreamPerThread);
  }).join();)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: otherThreadStores: 11 13 51 192
// MAYGO: otherThreadStores: 3 6 51 192

CASE(legacyStores, 4) { // so does a kernel in the legacy stream
  FIRST;
  HAZARD(set<<<1, 2, 0, cudaStreamLegacy>>>(d, 9);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: legacyStores: 11 13 51 192
// MAYGO: legacyStores: 3 6 51 192

CASE(otherThreadReads, 3) { // only a kernel of another thread reads what was copied
  HOST(h, 1); DEVICE(d); ZEROS(e);
  COPY_IN(d, h);
  cudaStreamSynchronize(cudaStreamPerThread);
  HAZARD(std::thread([=] {
    add<<<1, n>>>(e, d);
    cudaStreamSynchronize(cudaStreamPerThread);
  }).join();)
  show(__func__, e);
  cudaFree(d);
}
// CHECK: otherThreadReads: 1 2 17 64
// MAYGO: otherThreadReads: 0 0 0 0

__global__ void add5(int *to) { to[threadIdx.x] += 5; }
CASE(legacyCopyOrders, 4-5) { // a copy of the legacy stream orders those of two threads
  HOST(h, 1); DEVICE(d); ZEROS(e); ZEROS(f);
  COPY_IN(d, h);
  add<<<1, n>>>(f, d);
  add5<<<1, n>>>(e);
  HAZARD(cudaMemcpyAsync(d, h, size, cudaMemcpyHostToDevice, cudaStreamLegacy);)
  OTHERWISE(COPY_IN(d, h);)
  auto use = [=] {
    add<<<1, n>>>(f, e);
    cudaStreamSynchronize(cudaStreamPerThread);
  };
  HAZARD(std::thread(use).join();)
  OTHERWISE(use();)
  add<<<1, n>>>(f, d);
  show(__func__, f);
}
// CHECK: legacyCopyOrders: 7 9 39 133
// MAYGO: legacyCopyOrders: 7 9 39 133

int main(int argc, char **) {
  one = argc;
  otherThreadStores();
  legacyStores();
  otherThreadReads();
  legacyCopyOrders();
}
