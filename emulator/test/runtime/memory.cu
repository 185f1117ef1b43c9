// Memory of every kind: boxes in three dimensions, mapped and registered host
// memory, pools, symbols, the heap of device code.
// EXPECT: box 24 of 24
// EXPECT: outside 0 of 0
// EXPECT: mapped 15
// EXPECT: registered 105, same address
// EXPECT: not registered any more: invalid argument
// EXPECT: memset 7f7f7f7f 0
// EXPECT: symbol 12 bytes 9
// EXPECT: pool used 4096 then 0, high 4096
// EXPECT: heap no error 64
// EXPECT: heap limit 16777216
// EXPECT: no memory 0
// EXPECT: offset copy 3
// EXPECT: unified default copy 15
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

__device__ int table[3];

__global__ void addTen(int *p, int n) {
  for (int i = 0; i < n; ++i)
    p[i] += 10;
}

__global__ void useHeap(int *ok) {
  int *p = static_cast<int *>(malloc(16 * sizeof(int)));
  for (int i = 0; i < 16; ++i)
    p[i] = threadIdx.x;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += p[i];
  atomicAdd(ok, sum == 16 * int(threadIdx.x));
  free(p);
}

__global__ void tooMuch(int *p) {
  void *volatile memory = malloc(1 << 30); // Not to be optimized away.
  *p = memory != nullptr;
}

static void boxes() {
  constexpr int kX = 5, kY = 4, kZ = 3;
  static int host[kZ][kY][kX], back[kZ][kY][kX];
  for (int i = 0; i < kX * kY * kZ; ++i)
    host[0][0][i] = i + 1;
  cudaPitchedPtr device;
  cudaMalloc3D(&device, make_cudaExtent(kX * sizeof(int), kY, kZ));
  cudaMemset3D(device, 0, make_cudaExtent(kX * sizeof(int), kY, kZ));
  cudaMemcpy3DParms in = {};
  in.srcPtr = make_cudaPitchedPtr(host, kX * sizeof(int), kX, kY);
  in.dstPtr = device;
  in.dstPos = make_cudaPos(sizeof(int), 1, 0);
  in.extent = make_cudaExtent(4 * sizeof(int), 3, 2);
  in.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&in);
  cudaMemcpy3DParms out = {};
  out.srcPtr = device;
  out.dstPtr = make_cudaPitchedPtr(back, kX * sizeof(int), kX, kY);
  out.extent = make_cudaExtent(kX * sizeof(int), kY, kZ);
  out.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3DAsync(&out);
  cudaDeviceSynchronize();
  int right = 0, wrong = 0;
  for (int z = 0; z < kZ; ++z)
    for (int y = 0; y < kY; ++y)
      for (int x = 0; x < kX; ++x) {
        bool inside = x >= 1 && y >= 1 && z < 2;
        if (inside)
          right += back[z][y][x] == host[z][y - 1][x - 1];
        else
          wrong += back[z][y][x] != 0;
      }
  printf("box %d of 24\noutside %d of 0\n", right, wrong);
  cudaFree(device.ptr);
}

static void hostMemory() {
  int *mapped, *onDevice;
  cudaHostAlloc(&mapped, sizeof(int), cudaHostAllocMapped);
  *mapped = 5;
  cudaHostGetDevicePointer(&onDevice, mapped, 0);
  addTen<<<1, 1>>>(onDevice, 1);
  cudaDeviceSynchronize();
  printf("mapped %d\n", *mapped);
  cudaFreeHost(mapped);
  static int own[4] = {95, 95, 95, 95};
  cudaHostRegister(own, sizeof(own), cudaHostRegisterDefault);
  cudaHostGetDevicePointer(&onDevice, own, 0);
  addTen<<<1, 1>>>(onDevice, 4);
  cudaDeviceSynchronize();
  printf("registered %d, %s address\n", own[3],
         onDevice == own ? "same" : "other");
  cudaHostUnregister(own);
  printf("not registered any more: %s\n",
         cudaGetErrorString(cudaHostGetDevicePointer(&onDevice, own, 0)));
  cudaGetLastError();
}

static void fillsAndSymbols() {
  unsigned *p, host[2] = {1, 1};
  cudaMalloc(&p, 8);
  cudaMemsetAsync(p, 0x7f, 4);
  cudaMemcpy(host, p, 8, cudaMemcpyDeviceToHost);
  printf("memset %x %u\n", host[0], host[1]);
  void *address;
  size_t bytes;
  int values[3] = {7, 8, 9}, last = 0;
  cudaGetSymbolAddress(&address, table);
  cudaGetSymbolSize(&bytes, table);
  cudaMemcpy(address, values, sizeof(values), cudaMemcpyHostToDevice);
  cudaMemcpyFromSymbol(&last, table, sizeof(int), 2 * sizeof(int));
  printf("symbol %zu bytes %d\n", bytes, last);
}

static void pools() {
  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  void *p;
  uint64_t used = 0, after = 0, high = 0;
  cudaMallocFromPoolAsync(&p, 4096, pool, 0);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  cudaFreeAsync(p, 0);
  cudaStreamSynchronize(0);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &after);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high);
  printf("pool used %llu then %llu, high %llu\n", (unsigned long long)used,
         (unsigned long long)after, (unsigned long long)high);
}

static void heap() {
  int *ok, count = 0;
  cudaMalloc(&ok, sizeof(int));
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20);
  useHeap<<<2, 32>>>(ok);
  cudaError_t error =
      cudaMemcpy(&count, ok, sizeof(int), cudaMemcpyDeviceToHost);
  printf("heap %s %d\n", cudaGetErrorString(error), count);
  size_t limit;
  cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
  printf("heap limit %zu\n", limit);
  tooMuch<<<1, 1>>>(ok);
  cudaMemcpy(&count, ok, sizeof(int), cudaMemcpyDeviceToHost);
  printf("no memory %d\n", count);
}

int main() {
  boxes();
  hostMemory();
  fillsAndSymbols();
  pools();
  heap();
  int host[4] = {1, 2, 3, 4}, back = 0, *p, *q;
  cudaMalloc(&p, 16);
  cudaMalloc(&q, 16);
  cudaMemcpy(p, host, 16, cudaMemcpyDefault);
  cudaMemcpy(q + 1, p + 2, 8, cudaMemcpyDeviceToDevice);
  cudaMemcpy(&back, q + 1, 4, cudaMemcpyDeviceToHost);
  printf("offset copy %d\n", back);
  addTen<<<1, 1>>>(q, 2);
  cudaMemcpy(&back, p, 4, cudaMemcpyDefault);
  cudaMemcpy(p, q + 2, 4, cudaMemcpyDefault);
  addTen<<<1, 1>>>(p, 1);
  int more = 0;
  cudaMemcpy(&more, p, 4, cudaMemcpyDefault);
  printf("unified default copy %d\n", back + more);
}
