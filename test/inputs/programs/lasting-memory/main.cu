#include <cuda_runtime.h>
#include <cstdio>
#define KERNEL(name, index)                                                    \
  __global__ void name(const float *p, float *out, int n) {                    \
    out[threadIdx.x] = int(threadIdx.x) < n ? p[index] : 1.0f;                 \
  }
KERNEL(both, 3)
KERNEL(beyond, 1024)
KERNEL(unchecked, 3)
KERNEL(again, 4)
KERNEL(unknown, 5)
KERNEL(shifted, 6)
KERNEL(freed, 7)
KERNEL(given, 8)
KERNEL(taken, 9)
KERNEL(other, 11)

static float *out;
static void show(const char *name) {
  float host[2];
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%s %g %g\n", name, host[0], host[1]);
}
__attribute__((noinline)) static void release(float *p) { cudaFree(p); }

constexpr size_t kBytes = 4096;

static int lasting(int argc) {
  float ones[16], threes[16];
  for (int i = 0; i < 16; ++i)
    ones[i] = 1, threes[i] = 3;
  float *large, *small;
  if (cudaMalloc(&large, kBytes) != cudaSuccess ||
      cudaMalloc(&small, 64) != cudaSuccess)
    return 1;
  cudaMemcpy(large, threes, sizeof threes, cudaMemcpyHostToDevice);
  cudaMemcpy(small, ones, sizeof ones, cudaMemcpyHostToDevice);
  both<<<1, 2>>>(small, out, argc);
  both<<<1, 2>>>(large, out, argc);
  show("both");
  cudaMemset2DAsync(large + 512, 8, 0, 4, 2, nullptr);
  beyond<<<1, 2>>>(large, out, argc - 1);
  show("beyond");
  shifted<<<1, 2>>>(large + 4, out, argc);
  show("shifted");

  // A kernel that gets null and does not look behind it.
  float *nothing = nullptr;
  cudaMalloc(&nothing, ~size_t(0) >> 8);
  unchecked<<<1, 2>>>(nothing, out, argc - 1);
  show("null");
  return 0;
}

static int passing(int argc) {
  // Freed, and allocated again before it is used.
  float *p;
  for (int i = 0; i < 2; ++i) {
    if (cudaMalloc(&p, kBytes) != cudaSuccess)
      return 1;
    again<<<1, 2>>>(p, out, argc - 1);
    cudaFree(p);
  }
  show("again");

  float *sized;
  if (cudaMalloc(&sized, argc * 256) != cudaSuccess)
    return 1;
  unknown<<<1, 2>>>(sized, out, argc - 1);
  show("unknown");

  float *gone;
  if (cudaMalloc(&gone, kBytes) != cudaSuccess)
    return 1;
  if (argc == 1)
    cudaFree(gone);
  freed<<<1, 2>>>(gone, out, argc - 1);
  show("freed");

  return 0;
}

static int passedOn(int argc) {
  // Somebody else frees it.
  float *theirs;
  if (cudaMalloc(&theirs, kBytes) != cudaSuccess)
    return 1;
  release(theirs);
  given<<<1, 2>>>(theirs, out, argc - 1);
  show("given");

  float *first, *second;
  if (cudaMalloc(&first, kBytes) != cudaSuccess)
    return 1;
  second = first;
  cudaFree(second);
  taken<<<1, 2>>>(first, out, argc - 1);
  show("taken");

  // The pointer is not the one that was allocated.
  float *choice;
  if (cudaMalloc(&choice, kBytes) != cudaSuccess)
    return 1;
  if (argc > 1)
    choice = out;
  other<<<1, 2>>>(choice, out, argc - 1);
  show("other");
  return 0;
}

int main(int argc, char **argv) {
  cudaMalloc(&out, kBytes);
  cudaMemset(out, 0, kBytes);
  return lasting(argc) || passing(argc) || passedOn(argc);
}
