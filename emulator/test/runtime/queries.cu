// What the device and its functions say of themselves.
// RUN-OPTIONS: --sm-count=4 --memory=1024
// EXPECT: devices 1
// EXPECT: sm_90 warp 32 multiprocessors 4
// EXPECT: memory 1024 MiB, shared 48 KiB, optin 227 KiB
// EXPECT: attributes agree
// EXPECT: threads 256 static shared 1024
// EXPECT: occupancy 8
// EXPECT: potential ok
// EXPECT: pointers 0 1 2 3
// EXPECT: free shrinks
// EXPECT: runtime of these headers 1
// EXPECT: no memory out of memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ __launch_bounds__(256) void limited(int *p) {
  __shared__ int buffer[256];
  buffer[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = buffer[255 - threadIdx.x];
}

static int typeOf(const void *p) {
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, p);
  return attributes.type;
}

int main() {
  int count = 0, value = 0;
  cudaGetDeviceCount(&count);
  printf("devices %d\n", count);
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  printf("sm_%d%d warp %d multiprocessors %d\n", p.major, p.minor, p.warpSize,
         p.multiProcessorCount);
  printf("memory %zu MiB, shared %zu KiB, optin %zu KiB\n",
         p.totalGlobalMem >> 20, p.sharedMemPerBlock >> 10,
         p.sharedMemPerBlockOptin >> 10);
  cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
  printf("attributes %s\n",
         value == p.maxThreadsPerMultiProcessor ? "agree" : "differ");
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, limited);
  printf("threads %d static shared %zu\n", attributes.maxThreadsPerBlock,
         attributes.sharedSizeBytes);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, limited, 256, 0);
  printf("occupancy %d\n", value);
  int grid = 0, block = 0;
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, limited);
  printf("potential %s\n", block == 256 && grid == 32 ? "ok" : "wrong");
  int *device, *pinned, *managed;
  size_t before, after;
  cudaMemGetInfo(&before, nullptr);
  cudaMalloc(&device, 1 << 20);
  cudaMemGetInfo(&after, nullptr);
  cudaMallocHost(&pinned, 64);
  cudaMallocManaged(&managed, 64);
  printf("pointers %d %d %d %d\n", typeOf(&value), typeOf(pinned + 3),
         typeOf(device + 5), typeOf(managed));
  printf("free %s\n", before - after >= 1 << 20 ? "shrinks" : "stays");
  cudaRuntimeGetVersion(&value);
  printf("runtime of these headers %d\n",
         value / 1000 == CUDART_VERSION / 1000);
  printf("no memory %s\n",
         cudaGetErrorString(cudaMalloc(&device, size_t(2) << 30)));
}
