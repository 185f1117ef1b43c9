#include "counted.h"
__shared__ Constant atFileScope[3];
extern __shared__ Counted dynamic[];
__global__ void waits(int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ cuda::barrier<cuda::thread_scope_block> rows[2];
  __shared__ cuda::std::atomic<int> total;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> all;
  __shared__ Holder holder;
  __shared__ Counted alone, matrix[2][3];
  __shared__ Constant constant;
  int i = threadIdx.x;
  if (i == 0) {
    init(&ready, blockDim.x);
    init(&rows[0], 32);
    init(&rows[1], 32);
    init(&holder.ready, blockDim.x);
    total.store(0);
    all.store(100);
    alone.value = 1;
    matrix[1][2].value = 2;
    constant.value = 3;
    holder.parts[1].value = 4;
    atFileScope[2].value = 5;
    dynamic[1].value = 6;
    kept<Counted>().value = 10;
    kept<Constant>().value = 20;
  }
  __syncthreads();
  total += i;
  all.fetch_add(1);
  rows[i / 32].arrive_and_wait();
  auto token = ready.arrive();
  ready.wait(std::move(token));
  if (i < 32)
    holder.sums[i] = total.load() + i;
  holder.ready.arrive_and_wait();
  out[i] = holder.sums[31 - i % 32] + all + alone.value + matrix[1][2].value + constant.value + holder.parts[1].value +
           atFileScope[2].value + dynamic[1].value + kept<Counted>().value + kept<Constant>().value;
}
int main() {
  int *out, *in;
  cudaMallocManaged(&out, 64 * sizeof(int));
  cudaMallocManaged(&in, 256 * sizeof(int));
  for (int i = 0; i < 256; ++i)
    in[i] = i * i % 17;
  waits<<<2, 64, 4 * sizeof(Counted)>>>(out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i)
    printf("%d%c", out[i], i % 16 == 15 ? '\n' : ' ');
  pipes<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i)
    printf("%d%c", out[i], i % 16 == 15 ? '\n' : ' ');
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
