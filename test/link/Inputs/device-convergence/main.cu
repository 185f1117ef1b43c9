#include "helpers.h"
constexpr int kThreads = 64;
// The same call before and inside a branch has two answers.
__global__ void masks(int *out, int n) {
  unsigned all = active(), some = 0;
  if (threadIdx.x % 32 < n)
    some = active();
  out[threadIdx.x] = __popc(all) * 100 + __popc(some);
}
// Calls of both sides of a branch are not one behind it.
__global__ void sides(int *out, int n) {
  unsigned mask;
  if (threadIdx.x & 1)
    mask = active() + n * 0;
  else
    mask = active();
  out[threadIdx.x] = __popc(mask);
}
// All threads vote, whoever uses what comes out.
__global__ void votes(int *out, int n) {
  unsigned yes = vote(threadIdx.x % 32 < n);
  int other = shuffled(threadIdx.x * 3, n);
  out[threadIdx.x] = threadIdx.x & 1 ? __popc(yes) : other;
}
__global__ void turns(int *out, int n) {
  __shared__ int tile[kThreads];
  for (int i = 0; i < n; ++i) {
    tile[threadIdx.x] = threadIdx.x + i;
    meet();
    out[threadIdx.x] += tile[kThreads - 1 - threadIdx.x];
    meet();
  }
}
__global__ void times(int *out, int n) {
  long long start = now();
  for (int i = 0; i < n; ++i)
    out[threadIdx.x] = out[threadIdx.x] * 3 + i;
  out[threadIdx.x] = now() > start;
}
__global__ void leaves(int *out, int n) {
  out[threadIdx.x] = 1;
  leaveIf(threadIdx.x > n);
  out[threadIdx.x] = 2;
}
__global__ void peeks(int *out, int n) {
  int first = peek(out + threadIdx.x);
  *const_cast<volatile int *>(out + threadIdx.x) = first + n;
  out[threadIdx.x] = first * 1000 + peek(out + threadIdx.x);
}
static int *data;
static void show(const char *name) {
  int result[kThreads];
  cudaMemcpy(result, data, sizeof(result), cudaMemcpyDeviceToHost);
  std::printf("%s %d %d %d %d\n", name, result[0], result[1], result[12], result[63]);
  cudaMemset(data, 0, sizeof(result));
}
int main() {
  cudaMalloc(&data, kThreads * sizeof(int));
  cudaMemset(data, 0, kThreads * sizeof(int));
  masks<<<1, kThreads>>>(data, 7);
  show("masks");
  sides<<<1, kThreads>>>(data, 7);
  show("sides");
  votes<<<1, kThreads>>>(data, 5);
  show("votes");
  turns<<<1, kThreads>>>(data, 3);
  show("turns");
  times<<<1, kThreads>>>(data, 9);
  show("times");
  leaves<<<1, kThreads>>>(data, 11);
  show("leaves");
  peeks<<<1, kThreads>>>(data, 4);
  show("peeks");
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
