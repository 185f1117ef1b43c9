// --hmm: kernels read and write all memory of the program: the heap, the
// stack, variables; what the program cannot write faults.
// RUN-OPTIONS: --hmm
// EXPECT: attribute 1 property 1
// EXPECT: heap 11 12 13
// EXPECT: stack 25
// EXPECT: global 36 constant read 7
// EXPECT: copied 11 filled 0x5a5a5a5a
// EXPECT: scattered 1 2 3 4
// EXPECT: prefetch 0 advise 0 kind 0
// EXPECT: read-only 700
// EXPECT-ERR: write of 4 bytes at 0x[0-9a-f]+.*only read
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

static int global = 6;
static const int readOnly[] = {7};

__global__ void add(int *p, int n, int by) {
  if (threadIdx.x < n)
    p[threadIdx.x] += by;
}
__global__ void readAndAdd(const int *from, int *to, int *copy) {
  *to += 30;
  *copy = *from;
}
__global__ void scatter(int **p) { *p[threadIdx.x] = threadIdx.x + 1; }

int main() {
  int attribute = 0;
  cudaDeviceProp properties;
  cudaDeviceGetAttribute(&attribute, cudaDevAttrPageableMemoryAccess, 0);
  cudaGetDeviceProperties(&properties, 0);
  printf("attribute %d property %d\n", attribute,
         properties.pageableMemoryAccess);

  int *heap = static_cast<int *>(malloc(12));
  for (int i = 0; i < 3; ++i)
    heap[i] = i + 1;
  add<<<1, 32>>>(heap, 3, 10);
  cudaDeviceSynchronize();
  printf("heap %d %d %d\n", heap[0], heap[1], heap[2]);

  int local = 5, copy = 0;
  add<<<1, 1>>>(&local, 1, 20);
  cudaDeviceSynchronize();
  printf("stack %d\n", local);

  readAndAdd<<<1, 1>>>(readOnly, &global, &copy);
  cudaDeviceSynchronize();
  printf("global %d constant read %d\n", global, copy);

  int *memory = nullptr;
  cudaMalloc(&memory, 4);
  cudaMemcpy(memory, heap, 4, cudaMemcpyDeviceToDevice);
  cudaMemcpy(&copy, memory, 4, cudaMemcpyDefault);
  cudaMemset(&local, 0x5a, 4);
  printf("copied %d filled 0x%x\n", copy, local);

  // Device memory, managed memory and the heap by one instruction.
  int **table, *managed, values[4];
  cudaMallocManaged(&table, 4 * sizeof(int *));
  cudaMallocManaged(&managed, 4);
  table[0] = memory, table[1] = managed, table[2] = &local, table[3] = heap;
  scatter<<<1, 4>>>(table);
  cudaDeviceSynchronize();
  cudaMemcpy(values, memory, 4, cudaMemcpyDefault);
  printf("scattered %d %d %d %d\n", values[0], *managed, local, *heap);

  cudaMemLocation device{cudaMemLocationTypeDevice, 0};
  cudaError_t fetched = cudaMemPrefetchAsync(heap, 12, device, 0, nullptr);
  cudaError_t advised =
      cudaMemAdvise(heap, 12, cudaMemAdviseSetReadMostly, device);
  cudaPointerAttributes kind;
  cudaPointerGetAttributes(&kind, heap);
  printf("prefetch %d advise %d kind %d\n", fetched, advised, kind.type);

  void *page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                    0);
  add<<<1, 1>>>(static_cast<int *>(page), 1, 1);
  printf("read-only %d\n", cudaDeviceSynchronize());
}
