#include "kernels.h"
#include <vector>
int main(int argc, char **argv) {
  std::vector<float> four{1, 2, 3, 4};
  float *a, *b, *c;
  cudaEvent_t done;
  CHECK(cudaSetDevice(0));
  CHECK(cudaMalloc(&a, 64));
  CHECK(cudaMalloc(&b, 64));
  CHECK(cudaMalloc(&c, 64));
  float three = 3;
  CHECK(cudaMemcpy(a, &three, 4, cudaMemcpyHostToDevice));
  inPlace<<<1, 1>>>(a, a);
  show("in place", a, 3);
  CHECK(cudaMemcpy(b, four.data() + 1, 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(hiddenPointer, &b, sizeof(b)));
  elsewhere<<<1, 1>>>(c, b);
  show("elsewhere", c, 2);
  void *address;
  float seven = 7;
  CHECK(cudaGetSymbolAddress(&address, table));
  CHECK(cudaMemcpyToSymbol(table, &seven, 4));
  named<<<1, 1>>>(b, (const float *)address);
  show("named", b, 1);
}
