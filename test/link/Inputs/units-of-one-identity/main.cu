#include <cstdio>
void runOne(int *, int *), runTwo(int *, int *);
int main() {
  int *p, r[4];
  cudaMalloc(&p, 4);
  runOne(p, r);
  runTwo(p, r + 2);
  printf("%d %d %d %d\n", r[0], r[1], r[2], r[3]);
}
