#include <cstdio>
void unit1(int *), unit2(int *);
int main() {
  int *p, r[6];
  cudaMalloc(&p, 24);
  unit1(p);
  unit2(p + 3);
  cudaMemcpy(r, p, 24, cudaMemcpyDeviceToHost);
  printf("1: %d %d %d; 2: %d %d %d\n", r[0], r[1], r[2], r[3], r[4], r[5]);
}
