__device__ void say(int *out, int log2n, int rounds) {
  if (threadIdx.x || blockIdx.x)
    return;
  out[0] = gridDim.x, out[1] = blockDim.x, out[2] = log2n, out[3] = rounds;
}
__global__ void step(int *out, int n) { out[threadIdx.x] = n; }
__global__ void small(int *out, int log2n, int rounds) { say(out, log2n, rounds); }
__global__ void large(int *out, int log2n, int rounds) { say(out, log2n, rounds + blockIdx.y); }
__global__ void stepped(int *out, int log2n, int rounds) { say(out, log2n, rounds + threadIdx.y); }
__attribute__((noinline)) void transform(int *out, int blocks, int log2n) {
  int n = 1 << log2n;
  for (; log2n > 9; log2n -= 2, n >>= 2, blocks <<= 2)
    step<<<1, 4>>>(out, n);
  small<<<blocks, n / 16>>>(out, log2n, log2n - 9);
}
__attribute__((noinline)) void again(int *out, int blocks, int log2n) {
  int n = 1024, rounds = 1;
  for (; log2n > 3; log2n -= 2, n >>= 2, blocks <<= 2, ++rounds)
    step<<<1, 4>>>(out, n);
  large<<<blocks, n>>>(out, log2n, rounds);
}
__attribute__((noinline)) void down(int *out, unsigned limit) {
  unsigned blocks = limit, i = 0;
  while (i != 7)
    ++i, blocks >>= 1;
  stepped<<<blocks, 4>>>(out, -int(i), -7);
}
