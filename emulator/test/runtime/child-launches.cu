// ONLY: nvcc-rdc
// Launches from device code: quicksort by its halves, streams, tail launches,
// queries and errors of the device runtime.
// EXPECT: sorted 1
// EXPECT: order 0 1 2 9
// EXPECT: device 0 of 1, warp 32, attributes 1024 threads, occupancy 16
// EXPECT: errors: invalid configuration argument cudaErrorInvalidValue no error
// EXPECT: copied from a child 42
// EXPECT: nodes of a tree 31
// EXPECT: shared memory of a child 102400
// EXPECT: no error
#include <cstdio>
#include <cuda_runtime.h>

/// Sorts the elements from left to right by Hoare's partition.
__global__ void quicksort(int *data, int left, int right, int depth) {
  if (right - left < 8 || depth == 20) {
    for (int i = left + 1; i <= right; ++i)
      for (int j = i; j > left && data[j] < data[j - 1]; --j) {
        int t = data[j];
        data[j] = data[j - 1];
        data[j - 1] = t;
      }
    return;
  }
  int i = left - 1, j = right + 1, pivot = data[(left + right) / 2];
  while (true) {
    while (data[++i] < pivot)
      ;
    while (data[--j] > pivot)
      ;
    if (i >= j)
      break;
    int t = data[i];
    data[i] = data[j];
    data[j] = t;
  }
  cudaStream_t streams[2];
  for (int k = 0; k < 2; ++k)
    cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking);
  quicksort<<<1, 1, 0, streams[0]>>>(data, left, j, depth + 1);
  quicksort<<<1, 1, 0, streams[1]>>>(data, j + 1, right, depth + 1);
  for (int k = 0; k < 2; ++k)
    cudaStreamDestroy(streams[k]);
}

__device__ int count;
__global__ void note(int *list, int value) {
  list[atomicAdd(&count, 1)] = value;
}

__global__ void order(int *list) {
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(list, 9);
  note<<<1, 1, 0, cudaStreamPerThread>>>(list, 1);
  cudaEventRecord(event, cudaStreamPerThread);
  cudaStreamWaitEvent(0, event, 0);
  note<<<1, 1>>>(list, 2);
  cudaEventDestroy(event);
  list[atomicAdd(&count, 1)] = 0;
}

__global__ void queries() {
  int device = -1, devices = 0, warp = 0, blocks = 0;
  cudaFuncAttributes attributes;
  cudaGetDevice(&device);
  cudaGetDeviceCount(&devices);
  cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  cudaFuncGetAttributes(&attributes, (const void *)note);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, note, 128, 0);
  printf("device %d of %d, warp %d, attributes %d threads, occupancy %d\n",
         device, devices, warp, attributes.maxThreadsPerBlock, blocks);
  note<<<1, 5000>>>(nullptr, 0);
  cudaError_t first = cudaPeekAtLastError();
  cudaStream_t stream;
  cudaError_t second = cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
  cudaGetLastError();
  printf("errors: %s %s %s\n", cudaGetErrorString(first),
         cudaGetErrorName(second), cudaGetErrorString(cudaGetLastError()));
}

__global__ void store(int *p) { *p = 42; }
__global__ void copies(int *p) {
  int *q = nullptr;
  cudaMalloc(&q, sizeof(int));
  store<<<1, 1>>>(q);
  cudaMemcpyAsync(p, q, sizeof(int), cudaMemcpyDeviceToDevice, 0);
}

/// A tree of launches of depth five.
__global__ void tree(int *nodes, int depth) {
  if (threadIdx.x == 0)
    atomicAdd(nodes, 1);
  if (depth < 4 && threadIdx.x < 2)
    tree<<<1, 32, 0, cudaStreamFireAndForget>>>(nodes, depth + 1);
}

__global__ void useShared(int *p) {
  extern __shared__ int own[];
  own[100 * 256 - 1] = 4;
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  *p = bytes + own[100 * 256 - 1] - 4;
}
__global__ void startShared(int *p) { useShared<<<1, 1, 100 * 1024>>>(p); }

int main() {
  static int v[2000];
  int *p, zero = 0;
  for (int i = 0; i < 2000; ++i)
    v[i] = i * 7919 % 2003;
  cudaMalloc(&p, sizeof(v));
  cudaMemcpy(p, v, sizeof(v), cudaMemcpyHostToDevice);
  quicksort<<<1, 1>>>(p, 0, 1999, 0);
  cudaMemcpy(v, p, sizeof(v), cudaMemcpyDeviceToHost);
  bool sorted = true;
  for (int i = 1; i < 2000; ++i)
    sorted &= v[i - 1] <= v[i];
  printf("sorted %d\n", sorted);
  cudaMemcpyToSymbol(count, &zero, sizeof(zero));
  order<<<1, 1>>>(p);
  cudaMemcpy(v, p, 16, cudaMemcpyDeviceToHost);
  printf("order %d %d %d %d\n", v[0], v[1], v[2], v[3]);
  queries<<<1, 1>>>();
  cudaDeviceSynchronize();
  copies<<<1, 1>>>(p);
  cudaMemcpy(v, p, 4, cudaMemcpyDeviceToHost);
  printf("copied from a child %d\n", v[0]);
  cudaMemset(p, 0, 4);
  tree<<<1, 32>>>(p, 0);
  cudaMemcpy(v, p, 4, cudaMemcpyDeviceToHost);
  printf("nodes of a tree %d\n", v[0]);
  startShared<<<1, 1>>>(p);
  cudaMemcpy(v, p, 4, cudaMemcpyDeviceToHost);
  printf("shared memory of a child %d\n", v[0]);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
