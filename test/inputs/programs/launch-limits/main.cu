#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
__global__ void quotient(int *out, int n) {
  if (n > 0 && threadIdx.x == 0 && blockIdx.x == 0)
    *out = n;
}
__global__ void whole(int *out, unsigned n) { *out = n / 64; }
__global__ void block(int *out, int n) { *out = n; }
__global__ void rows(int *out, int n) { *out = n; }
// The number has nothing to do with the grid.
__global__ void beside(int *out, int n) { *out = n; }
// It is changed before it is passed.
__global__ void copied(int *out, int n) { *out = n; }
// The sum may wrap.
__global__ void wrapped(int *out, unsigned n) { *out = n; }
// One launch says one thing, the other nothing.
__global__ void chosen(int *out, int n) { *out = n; }

static int *out;
static int result() {
  int host = 0;
  cudaGetLastError();
  cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
  return host;
}
#define HIDDEN __attribute__((noinline)) static
HIDDEN void runQuotient(int *p, int n) {
  quotient<<<(n + 255) / 256, 256>>>(p, n);
}
HIDDEN void runWhole(int *p, unsigned n) { whole<<<n / 64, 1>>>(p, n); }
HIDDEN void runBlock(int *p, int n) { block<<<1, n>>>(p, n); }
HIDDEN void runRows(int *p, int n) { rows<<<dim3(1, n), 1>>>(p, n); }
HIDDEN void runBeside(int *p, int n, int m) { beside<<<(n + 255) / 256, 1>>>(p, m); }
HIDDEN void runCopied(int *p, int n) { copied<<<n & 7, 1>>>(p, n ^ 0x55); }
HIDDEN void runWrapped(int *p, unsigned n) { wrapped<<<n + 7, 1>>>(p, n); }
HIDDEN void runChosen(int *p, int n) {
  chosen<<<n, 1>>>(p, n);
  chosen<<<1, 1>>>(p, n);
}
HIDDEN int hostOnly(int n) { // the host knows nothing of n
  runQuotient(out, n);
  return n > 0 ? 1 : n;
}
int main(int argc, char **argv) {
  int numbers[] = {7 * argc, 0 * argc, -300 * argc, 3 * argc, -5 * argc};
  cudaMalloc(&out, 64);
  runQuotient(out, numbers[0]);
  printf("positive %d\n", result());
  runQuotient(out, numbers[1]);
  printf("refused %d\n", result());
  runQuotient(out, numbers[2]);
  printf("negative %d\n", result());
  runRows(out, numbers[3]);
  printf("rows %d\n", result());
  printf("host %d\n", hostOnly(numbers[4]));
  runWhole(out, 100 * argc);
  printf("whole %d\n", result());
  runBlock(out, numbers[3]);
  printf("block %d\n", result());
  runBeside(out, numbers[0], numbers[4]);
  printf("beside %d\n", result());
  runCopied(out, numbers[0]);
  printf("copied %d\n", result());
  runWrapped(out, -3 * argc);
  printf("wrapped %d\n", result());
  runChosen(out, numbers[4]);
  printf("chosen %d\n", result());
}
