#include <cooperative_groups.h>
#include <cstdio>
template <int N>
__global__ void __cluster_dims__(N) __launch_bounds__(64) template_(int *p) { *p = N; }
__global__ void two(int *p);
__global__ void __cluster_dims__(1, 2) two(int *p) { *p = 2; }
__global__ void __attribute__((annotate("a user's"))) none(int *p) { *p = 2; }
__global__ void __cluster_dims__(2, 1, 1) groups(int *out) {
  __shared__ int mine;
  auto cluster = cooperative_groups::this_cluster();
  mine = cluster.block_rank();
  cluster.sync();
  *out = *cluster.map_shared_rank(&mine, mine ^ 1);
  cluster.sync();
}
struct Data {
  float4 in, through, streamed;
  int number;
  unsigned short swapped[2];
};
__device__ int *kept;
__global__ void __maxnreg__(40) limited(Data *data) {
  float4 value = __ldcs(&data->in);
  value.x += __ldcg(&data->number);
  __stwt(&data->through, value);
  __stcs(&data->streamed, value);
  data->swapped[1] = atomicCAS(data->swapped, (unsigned short)5, (unsigned short)7);
  kept = new int[4];
  kept[1] = 2;
  data->number = kept[1];
  delete[] kept;
}
int main(int argc, char **) {
  Data host = {{1, 1.5, 0, 0}, {}, {}, 2, {5, 0}}, *data;
  cudaMalloc(&data, sizeof(host));
  cudaMemcpy(data, &host, sizeof(host), cudaMemcpyHostToDevice);
  limited<<<1, 1>>>(data);
  if (argc > 1) { // not on the emulator
    int *p = (int *)data;
    template_<4><<<4, 64>>>(p);
    two<<<dim3(1, 2), 1>>>(p);
    none<<<1, 1>>>(p);
    groups<<<2, 1>>>(p);
  }
  cudaMemcpy(&host, data, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g %g %g %d %d %d\n", host.through.x, host.streamed.y,
         host.through.x + host.streamed.x, host.swapped[1], host.swapped[0], host.number);
}
