// Clusters by the instructions alone, for compilers without cooperative groups.
// EXPECT: 3 0 1 2 7 4 5 6
// EXPECT: explicit 1, then 0
#include <cstdio>
#include <cuda_runtime.h>

__device__ unsigned clusterRank() {
  unsigned r;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}

__device__ void clusterSync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
               "barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}

/// Every block sends its number to the next one.
__global__ void send(int *out) {
  __shared__ int value;
  unsigned size, next;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  next = (clusterRank() + 1) % size;
  clusterSync();
  if (threadIdx.x == 0) {
    unsigned here = __cvta_generic_to_shared(&value), there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(there)
        : "r"(here), "r"(next));
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there),
                 "r"(blockIdx.x)
                 : "memory");
  }
  clusterSync();
  if (threadIdx.x == 0)
    out[blockIdx.x] = value;
}

__global__ void isExplicit(int *out) {
  asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster;"
      " selp.s32 %0, 1, 0, p; }"
      : "=r"(*out));
}

int main() {
  int *p, v[8] = {};
  cudaMalloc(&p, sizeof(v));
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {4, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(8);
  config.blockDim = dim3(64);
  config.attrs = &attribute;
  config.numAttrs = 1;
  void *args[] = {&p};
  cudaLaunchKernelExC(&config, (const void *)send, args);
  cudaMemcpy(v, p, sizeof(v), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 8; ++i)
    printf(i < 7 ? "%d " : "%d\n", v[i]);
  cudaLaunchKernelExC(&config, (const void *)isExplicit, args);
  cudaMemcpy(v, p, sizeof(int), cudaMemcpyDeviceToHost);
  isExplicit<<<8, 64>>>(p);
  cudaMemcpy(v + 1, p, sizeof(int), cudaMemcpyDeviceToHost);
  printf("explicit %d, then %d\n", v[0], v[1]);
}
