// ONLY: nvcc nvcc-rdc
// Clusters: a histogram in distributed shared memory, sizes at compile time and
// at launch, attributes, occupancy, and the errors of wrong sizes.
// EXPECT: clusterLaunch 1
// EXPECT: histogram of clusters of 1: 0 differ
// EXPECT: histogram of clusters of 2: 0 differ
// EXPECT: histogram of clusters of 8: 0 differ
// EXPECT: ring 1 2 3 0 5 6 7 4
// EXPECT: exchanged 12
// EXPECT: grid not a multiple: cudaErrorInvalidClusterSize
// EXPECT: other than compiled: cudaErrorInvalidClusterSize
// EXPECT: sixteen: cudaErrorInvalidClusterSize
// EXPECT: sixteen allowed: cudaSuccess
// EXPECT: zero: cudaErrorInvalidValue
// EXPECT: compiled with 4x1x1, must be set 1
// EXPECT: set at run time: cudaErrorNotPermitted
// EXPECT: set for another 2x1x1
// EXPECT: launched with the attributes: 2
// EXPECT: most 8, non-portable 16, required 4
// EXPECT: active 4 times 8, none: cudaErrorInvalidClusterSize
// EXPECT: graph node 2
// EXPECT: cudaSuccess
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int kBins = 256, kInputs = 1 << 14, kThreads = 128;

/// Every block holds a part of the bins of its cluster.
__global__ void histogram(const unsigned char *in, int n, int *bins) {
  extern __shared__ int own[];
  cg::cluster_group cluster = cg::this_cluster();
  int blocks = cluster.num_blocks(), part = kBins / blocks;
  for (int i = threadIdx.x; i < part; i += blockDim.x)
    own[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    int bin = in[i];
    atomicAdd(cluster.map_shared_rank(own, bin / part) + bin % part, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < part; i += blockDim.x)
    atomicAdd(&bins[cluster.block_rank() * part + i], own[i]);
}

__global__ void __cluster_dims__(4, 1, 1) ring(int *out) {
  __shared__ int value;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0)
    value = blockIdx.x;
  cluster.sync();
  int next = (cluster.block_rank() + 1) % cluster.num_blocks();
  int *there = cluster.map_shared_rank(&value, next);
  if (threadIdx.x == 0)
    out[blockIdx.x] = cluster.query_shared_rank(there) == next ? *there : -1;
  cluster.sync();
}

__global__ void sizes(int *out) {
  if (threadIdx.x == 0)
    atomicAdd(out, cg::this_cluster().num_blocks() == 2 ? 1 : 100);
}

/// Arrives, works, and waits.
__global__ void __cluster_dims__(2, 2, 1) exchange(int *out) {
  __shared__ int slots[4];
  cg::cluster_group cluster = cg::this_cluster();
  for (int k = 0; k < 4; ++k)
    if (threadIdx.x == 0)
      *cluster.map_shared_rank(&slots[cluster.block_rank()], k) =
          cluster.block_index().x + 1;
  auto token = cluster.barrier_arrive();
  cluster.barrier_wait(std::move(token));
  if (threadIdx.x == 0 && cluster.block_rank() == 3)
    atomicAdd(out, slots[0] + slots[1] + slots[2] + slots[3]);
}

static const char *text(cudaError_t error) {
  cudaGetLastError();
  return cudaGetErrorName(error);
}

template <class... Args>
static cudaError_t launch(void (*kernel)(Args...), dim3 grid, int threads,
                          int shared, dim3 cluster, Args... args) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster.x, cluster.y, cluster.z};
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, args...);
}

static int read(const int *p) {
  int v = 0;
  cudaMemcpy(&v, p, sizeof(v), cudaMemcpyDeviceToHost);
  return v;
}

static void histograms() {
  static unsigned char in[kInputs];
  static int want[kBins], got[kBins];
  for (int i = 0; i < kInputs; ++i)
    ++want[in[i] = (i * 2654435761u >> 13) & (i % 3 ? 255 : 15)];
  unsigned char *p;
  int *bins;
  cudaMalloc(&p, sizeof(in));
  cudaMalloc(&bins, sizeof(got));
  cudaMemcpy(p, in, sizeof(in), cudaMemcpyHostToDevice);
  for (int size : {1, 2, 8}) {
    cudaMemset(bins, 0, sizeof(got));
    launch(histogram, dim3(16), kThreads, int(kBins / size * sizeof(int)),
           dim3(size), (const unsigned char *)p, kInputs, bins);
    cudaMemcpy(got, bins, sizeof(got), cudaMemcpyDeviceToHost);
    int differ = 0;
    for (int i = 0; i < kBins; ++i)
      differ += got[i] != want[i];
    printf("histogram of clusters of %d: %d differ\n", size, differ);
  }
}

static void errors(int *p) {
  printf("grid not a multiple: %s\n",
         text(launch(sizes, dim3(5), 32, 0, dim3(2), p)));
  printf("other than compiled: %s\n",
         text(launch(ring, dim3(8), 32, 0, dim3(2), p)));
  printf("sixteen: %s\n", text(launch(sizes, dim3(16), 32, 0, dim3(16), p)));
  cudaFuncSetAttribute(sizes, cudaFuncAttributeNonPortableClusterSizeAllowed,
                       1);
  printf("sixteen allowed: %s\n",
         text(launch(sizes, dim3(16), 32, 0, dim3(16), p)));
  printf("zero: %s\n", text(launch(sizes, dim3(4), 32, 0, dim3(2, 0, 1), p)));
}

static void attributes(int *p) {
  cudaFuncAttributes a;
  cudaFuncGetAttributes(&a, ring);
  printf("compiled with %dx%dx%d, must be set %d\n", a.requiredClusterWidth,
         a.requiredClusterHeight, a.requiredClusterDepth,
         a.clusterDimMustBeSet);
  printf("set at run time: %s\n",
         text(cudaFuncSetAttribute(ring, cudaFuncAttributeRequiredClusterWidth,
                                   2)));
  cudaFuncSetAttribute(sizes, cudaFuncAttributeRequiredClusterWidth, 2);
  cudaFuncSetAttribute(sizes, cudaFuncAttributeRequiredClusterHeight, 1);
  cudaFuncSetAttribute(sizes, cudaFuncAttributeRequiredClusterDepth, 1);
  cudaFuncGetAttributes(&a, sizes);
  printf("set for another %dx%dx%d\n", a.requiredClusterWidth,
         a.requiredClusterHeight, a.requiredClusterDepth);
  cudaMemset(p, 0, sizeof(int));
  sizes<<<2, 32>>>(p);
  printf("launched with the attributes: %d\n", read(p));
}

static void occupancy() {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(16);
  config.blockDim = dim3(1024);
  int portable = 0, most = 0, required = 0, active = 0;
  cudaOccupancyMaxPotentialClusterSize(&portable, histogram, &config);
  cudaFuncSetAttribute(histogram,
                       cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  cudaOccupancyMaxPotentialClusterSize(&most, histogram, &config);
  cudaOccupancyMaxPotentialClusterSize(&required, ring, &config);
  printf("most %d, non-portable %d, required %d\n", portable, most, required);
  cudaError_t none =
      cudaOccupancyMaxActiveClusters(&active, histogram, &config);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {8, 1, 1};
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaOccupancyMaxActiveClusters(&active, histogram, &config);
  printf("active %d times 8, none: %s\n", active, text(none));
}

static void graphNode(int *p) {
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t executable;
  cudaFuncSetAttribute(sizes, cudaFuncAttributeRequiredClusterWidth, 0);
  cudaFuncSetAttribute(sizes, cudaFuncAttributeRequiredClusterHeight, 0);
  cudaFuncSetAttribute(sizes, cudaFuncAttributeRequiredClusterDepth, 0);
  void *args[] = {&p};
  cudaKernelNodeParams params = {};
  params.func = (void *)sizes;
  params.gridDim = dim3(2);
  params.blockDim = dim3(32);
  params.kernelParams = args;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params);
  cudaLaunchAttributeValue value = {};
  value.clusterDim = {2, 1, 1};
  cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension,
                                  &value);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaMemset(p, 0, sizeof(int));
  cudaGraphLaunch(executable, 0);
  printf("graph node %d\n", read(p));
}

int main() {
  int *p, supported = 0;
  cudaDeviceGetAttribute(&supported, cudaDevAttrClusterLaunch, 0);
  printf("clusterLaunch %d\n", supported);
  histograms();
  cudaMalloc(&p, 8 * sizeof(int));
  ring<<<8, 32>>>(p);
  int v[8];
  cudaMemcpy(v, p, sizeof(v), cudaMemcpyDeviceToHost);
  printf("ring %d %d %d %d %d %d %d %d\n", v[0], v[1], v[2], v[3], v[4], v[5],
         v[6], v[7]);
  cudaMemset(p, 0, sizeof(int));
  exchange<<<dim3(4, 2), 64>>>(p);
  printf("exchanged %d\n", read(p));
  errors(p);
  attributes(p);
  occupancy();
  graphNode(p);
  printf("%s\n", text(cudaDeviceSynchronize()));
}
