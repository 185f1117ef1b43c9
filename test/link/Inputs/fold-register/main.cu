#include "kernels.h"
#include <cstdio>
void addUnsigned();
Any volatile handles[3];
template <class T> void launch(const char *name, int which, T by, int count) {
  T *data, host[4];
  cudaMalloc(&data, sizeof(host));
  void *arguments[] = {&data, &by};
  cudaLaunchKernel(handles[which], 1, count, arguments, 0, 0);
  cudaMemcpy(host, data, count * sizeof(T), cudaMemcpyDeviceToHost);
  printf("%s:", name);
  for (int i = 0; i < count; ++i)
    printf(" %d", int(host[i]));
  printf("\n");
}
int main() {
  handles[0] = (Any)scale<int>;
  handles[2] = (Any)scale<long>;
  addUnsigned();
  launch<int>("int", 0, 3, 4);
  launch<unsigned>("unsigned", 1, 4, 4);
  launch<long>("long", 2, 5, 1);
  cudaFuncAttributes one, other;
  Any first = handles[0], second = handles[1];
  printf("handles differ: %d\n", first != second);
  cudaFuncGetAttributes(&one, first);
  cudaFuncGetAttributes(&other, second);
  printf("same answer: %d\n", one.numRegs == other.numRegs);
}
