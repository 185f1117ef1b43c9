#include <cstdio>
void transform(int *, int, int), again(int *, int, int), down(int *, unsigned);
int main() {
  int *out, host[12];
  cudaMalloc(&out, sizeof(host));
  transform(out, 1, 15);
  again(out + 4, 2, 3);
  down(out + 8, 1200);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 12; ++i)
    printf("%d %s", host[i], i % 4 == 3 ? "\n" : "");
}
