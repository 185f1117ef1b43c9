#include "kernels.h"
#include <thread>
#include <vector>
static __attribute__((noinline)) void run(float *out, const float *in, cudaStream_t stream) { smoothed<<<1, 4, 0, stream>>>(out, in, 4); }
static void work() {
  float *a, *b;
  CHECK(cudaMalloc(&a, 64));
  CHECK(cudaMalloc(&b, 64));
  CHECK(cudaMemset(a, 0, 64));
  run(b, a, 0);
  show("none", b, 4);
}
int main(int argc, char **argv) {
  std::vector<float> four{1, 2, 3, 4};
  float *a, *b, *c;
  cudaEvent_t done;
  CHECK(cudaSetDevice(0));
  CHECK(cudaMalloc(&a, 64));
  CHECK(cudaMalloc(&b, 64));
  CHECK(cudaMalloc(&c, 64));
  CHECK(cudaEventCreate(&done));
  CHECK(cudaMemcpyAsync(a, four.data(), 16, cudaMemcpyHostToDevice, 0));
  CHECK(cudaMemsetAsync(b, 0, 64, nullptr));
  smoothed<<<1, 4>>>(b, a, 4);
  std::thread other(work);
  other.join();
  show("smoothed", b + 1, 3);
  both<<<1, 2>>>(a, a, b);
  CHECK(cudaEventRecord(done));
  CHECK(cudaEventSynchronize(done));
  show("both", b, 2 + argc - 1);
  optional<<<1, 1>>>(a, b);
  optional<<<1, 1>>>(nullptr, b);
  show("optional", b, 1);
  total<<<1, 1>>>(b, Matrix{3 + argc, a});
  show("total", b, 1);
  CHECK(cudaMemcpy(c, four.data(), 16, cudaMemcpyHostToDevice));
  total<<<1, 1>>>(b, Matrix{1 + argc, c});
  show("total", b, 1);
  float three = 3;
  CHECK(cudaMemcpy(a, &three, 4, cudaMemcpyHostToDevice));
  promised<<<1, 1>>>(b, a);
  show("promised", b, 1);
  smoothed<<<1, 4>>>(b, a, 4);
  both<<<1, 2>>>(b, a, c);
}
