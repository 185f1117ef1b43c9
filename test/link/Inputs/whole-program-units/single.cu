#include <cstdio>
void unit1(int *), use(int *);
int main() {
  int *p, r[2];
  cudaMalloc(&p, 12);
  unit1(p);
  use(p + 1);
  cudaMemcpy(r, p, 8, cudaMemcpyDeviceToHost);
  printf("%d %d\n", r[0], r[1]);
}
