// --deferred --pageable-sync: asynchronous copies read pageable memory in the
// call, and have written it when they return; those of pinned memory wait.
// RUN-OPTIONS: --deferred --pageable-sync
// ONLY: nvcc clang
// EXPECT: from pageable 0, then 2
// EXPECT: to pageable 4
// EXPECT: rows 1 2 4 5
// EXPECT: from pinned 3
#include <cstdio>
#include <cuda_runtime.h>

__global__ void set(int *p, int value) { *p = value; }

int main() {
  cudaStream_t stream, aside;
  int *device, *pinned, word = 2, seen = -1;
  cudaStreamCreate(&stream);
  cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking);
  cudaMalloc(&device, 8 * sizeof(int));
  cudaMallocHost(&pinned, sizeof(int));
  cudaMemcpyAsync(device, &word, sizeof(int), cudaMemcpyHostToDevice, stream);
  word = 3;
  cudaMemcpyAsync(&seen, device, sizeof(int), cudaMemcpyDeviceToHost, aside);
  int before = seen;
  cudaMemcpyAsync(&seen, device, sizeof(int), cudaMemcpyDeviceToHost, stream);
  printf("from pageable %d, then %d\n", before, seen);
  set<<<1, 1, 0, stream>>>(device, 4);
  cudaMemcpyAsync(&seen, device, sizeof(int), cudaMemcpyDeviceToHost, stream);
  printf("to pageable %d\n", seen);

  int in[2][3] = {{1, 2, 3}, {4, 5, 6}}, out[2][2] = {};
  cudaMemcpy2DAsync(device, 16, in, 12, 8, 2, cudaMemcpyHostToDevice, stream);
  in[0][0] = in[1][1] = 9;
  cudaMemcpy2DAsync(out, 8, device, 16, 8, 2, cudaMemcpyDeviceToHost, stream);
  printf("rows %d %d %d %d\n", out[0][0], out[0][1], out[1][0], out[1][1]);

  *pinned = 2;
  cudaMemcpyAsync(device, pinned, sizeof(int), cudaMemcpyHostToDevice, stream);
  *pinned = 3;
  cudaMemcpyAsync(&seen, device, sizeof(int), cudaMemcpyDeviceToHost, stream);
  printf("from pinned %d\n", seen);
}
