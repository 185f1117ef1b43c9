// Memory of another device may be used once that is a peer, memory from pools
// once the pool says so; managed and pinned memory always. A fault breaks the
// device that it happens on, no other.
// RUN-OPTIONS: --devices=3
// EXPECT: can 1 0, enabled 0, again 704, disabled of another 705
// EXPECT: peer 41
// EXPECT: managed 2 pinned 3 registered 4
// EXPECT: pool 0 3, read 7
// EXPECT: graph 11 22
// EXPECT: fault 700, other device 0, back 700
// EXPECT: without a peer 700
// EXPECT: after reset 0
// EXPECT-ERR: device memory of device 0, to which device 2 has no access
#include <cstdio>
#include <cuda_runtime.h>

__global__ void set(int *p, int value) { *p = value; }
__global__ void add(int *p, int by) { *p += by; }
__global__ void copy(int *to, const int *from) { *to = *from; }

static int value(const int *p) {
  int result = 0;
  cudaMemcpy(&result, p, sizeof(int), cudaMemcpyDefault);
  return result;
}

static void pools(int *on1) {
  cudaMemPool_t pool;
  cudaMemLocation one{cudaMemLocationTypeDevice, 1};
  cudaMemAccessFlags before, after;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  cudaMemPoolGetAccess(&before, pool, &one);
  int *p;
  cudaSetDevice(0);
  cudaMallocAsync(&p, sizeof(int), nullptr);
  set<<<1, 1>>>(p, 7);
  cudaMemAccessDesc access{one, cudaMemAccessFlagsProtReadWrite};
  cudaMemPoolSetAccess(pool, &access, 1);
  cudaMemPoolGetAccess(&after, pool, &one);
  cudaSetDevice(1);
  copy<<<1, 1>>>(on1, p);
  printf("pool %d %d, read %d\n", before, after, value(on1));
}

/// Nodes of two devices in one graph, each run where it was made.
static void graph(int *on0, int *on1) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t node;
  cudaGraphCreate(&graph, 0);
  int *pointers[2] = {on0, on1}, values[2] = {11, 22};
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    void *args[] = {&pointers[d], &values[d]};
    cudaKernelNodeParams params{};
    params.func = reinterpret_cast<void *>(set);
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = args;
    cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params);
  }
  cudaGraphInstantiate(&executable, graph, 0);
  cudaSetDevice(0);
  cudaGraphLaunch(executable, nullptr);
  cudaDeviceSynchronize();
  printf("graph %d %d\n", value(on0), value(on1));
}

int main() {
  int *on0, *on1, *managed, *pinned, registered = 1, yes, no;
  cudaDeviceCanAccessPeer(&yes, 1, 0);
  cudaDeviceCanAccessPeer(&no, 1, 1);
  cudaMalloc(&on0, sizeof(int));
  set<<<1, 1>>>(on0, 40);
  cudaMallocManaged(&managed, sizeof(int));
  cudaMallocHost(&pinned, sizeof(int));
  cudaHostRegister(&registered, sizeof(int), cudaHostRegisterDefault);
  cudaSetDevice(1);
  cudaMalloc(&on1, sizeof(int));
  int enabled = cudaDeviceEnablePeerAccess(0, 0);
  int again = cudaDeviceEnablePeerAccess(0, 0);
  int disabled = cudaDeviceDisablePeerAccess(2);
  printf("can %d %d, enabled %d, again %d, disabled of another %d\n", yes, no,
         enabled, again, disabled);
  cudaGetLastError();
  add<<<1, 1>>>(on0, 1);
  printf("peer %d\n", value(on0));
  *managed = 1;
  *pinned = 1;
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    add<<<1, 1>>>(managed, d);
    add<<<1, 1>>>(pinned, 1);
    add<<<1, 1>>>(&registered, 1 + d);
  }
  cudaDeviceSynchronize();
  printf("managed %d pinned %d registered %d\n", *managed, *pinned, registered);
  pools(on1);
  graph(on0, on1);

  cudaSetDevice(1);
  set<<<1, 1>>>(nullptr, 1);
  int fault = cudaDeviceSynchronize();
  cudaSetDevice(0);
  set<<<1, 1>>>(on0, 1);
  int other = cudaDeviceSynchronize();
  printf("fault %d, other device %d, back %d\n", fault, other,
         cudaSetDevice(1));
  cudaSetDevice(2);
  cudaGetLastError();
  set<<<1, 1>>>(on0, 1);
  printf("without a peer %d\n", cudaDeviceSynchronize());
  cudaDeviceReset();
  printf("after reset %d\n", cudaDeviceSynchronize());
}
