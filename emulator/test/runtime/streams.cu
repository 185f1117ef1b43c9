// Streams, events, host functions, stream-ordered memory, peers of copies.
// EXPECT: callback 1
// EXPECT: host function 2
// EXPECT: stream 41 42 43 44
// EXPECT: elapsed ok
// EXPECT: query no error no error
// EXPECT: rows 1 2 4 5
// EXPECT: box 7 7 0 7 7 0
// EXPECT: priority -1
// EXPECT: array 3 4
#include <cstdio>
#include <cuda_runtime.h>

__global__ void increment(int *p) { p[threadIdx.x] += 1; }

static void CUDART_CB callback(cudaStream_t, cudaError_t, void *data) {
  printf("callback %d\n", *static_cast<int *>(data));
}

static void CUDART_CB hostFunction(void *data) {
  printf("host function %d\n", *static_cast<int *>(data));
}

int main() {
  cudaStream_t a, b;
  cudaEvent_t begin, end;
  cudaStreamCreate(&a);
  cudaStreamCreateWithPriority(&b, cudaStreamNonBlocking, -1);
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  int *p, *pinned, one = 1, two = 2;
  cudaMallocHost(&pinned, 4 * sizeof(int));
  for (int i = 0; i < 4; ++i)
    pinned[i] = 40 + i;
  cudaMallocAsync(&p, 4 * sizeof(int), a);
  cudaEventRecord(begin, a);
  cudaMemcpyAsync(p, pinned, 4 * sizeof(int), cudaMemcpyHostToDevice, a);
  increment<<<1, 4, 0, a>>>(p);
  cudaStreamAddCallback(a, callback, &one, 0);
  cudaLaunchHostFunc(a, hostFunction, &two);
  cudaEventRecord(end, a);
  cudaStreamWaitEvent(b, end, 0);
  cudaMemcpyAsync(pinned, p, 4 * sizeof(int), cudaMemcpyDeviceToHost, b);
  cudaStreamSynchronize(b);
  cudaFreeAsync(p, a);
  printf("stream %d %d %d %d\n", pinned[0], pinned[1], pinned[2], pinned[3]);
  float ms = -1;
  cudaEventElapsedTime(&ms, begin, end);
  printf("elapsed %s\n", ms >= 0 && ms < 60000 ? "ok" : "wrong");
  printf("query %s %s\n", cudaGetErrorString(cudaStreamQuery(a)),
         cudaGetErrorString(cudaEventQuery(end)));

  int in[2][3] = {{1, 2, 3}, {4, 5, 6}}, out[2][2] = {};
  size_t pitch;
  cudaMallocPitch(&p, &pitch, 3 * sizeof(int), 2);
  cudaMemcpy2D(p, pitch, in, sizeof(in[0]), sizeof(in[0]), 2,
               cudaMemcpyHostToDevice);
  cudaMemcpy2D(out, sizeof(out[0]), p, pitch, sizeof(out[0]), 2,
               cudaMemcpyDeviceToHost);
  printf("rows %d %d %d %d\n", out[0][0], out[0][1], out[1][0], out[1][1]);

  unsigned char bytes[6];
  cudaMemset2D(p, 3, 0, 3, 2);
  cudaMemset2D(p, 3, 7, 2, 2);
  cudaMemcpy(bytes, p, 6, cudaMemcpyDefault);
  printf("box %d %d %d %d %d %d\n", bytes[0], bytes[1], bytes[2], bytes[3],
         bytes[4], bytes[5]);
  int priority;
  cudaStreamGetPriority(b, &priority);
  printf("priority %d\n", priority);

  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  int grid[4] = {1, 2, 3, 4}, row[2];
  cudaMallocArray(&array, &format, 2, 2);
  cudaMemcpy2DToArray(array, 0, 0, grid, 8, 8, 2, cudaMemcpyHostToDevice);
  cudaMemcpy2DFromArray(row, 8, array, 0, 1, 8, 1, cudaMemcpyDeviceToHost);
  printf("array %d %d\n", row[0], row[1]);
  cudaFreeArray(array);
  cudaFreeHost(pinned);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
}
