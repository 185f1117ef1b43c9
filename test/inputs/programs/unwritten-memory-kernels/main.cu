#include "kernels.h"
static void start(float *p) {
  const float one = 1;
  CHECK(cudaMemcpy(p, &one, 4, cudaMemcpyHostToDevice));
}
static void show(const char *what, const float *out) {
  float host[2];
  CHECK(cudaMemcpy(host, out, 8, cudaMemcpyDeviceToHost));
  printf("%s %g %g\n", what, host[0], host[1]);
}
int main(int argc, char **argv) {
  float *in, *out;
  float **table;
  CHECK(cudaMalloc(&in, 64));
  CHECK(cudaMalloc(&out, 64));
  CHECK(cudaMalloc(&table, 64));
  CHECK(cudaMemcpy(table, &in, sizeof(in), cudaMemcpyHostToDevice));
#define RUN(kernel, ...)                                                       \
  start(in);                                                                   \
  kernel<<<1, 1>>>(out, in, ##__VA_ARGS__);                                    \
  show(#kernel, out);
  RUN(fine)
  RUN(byStruct, Wrapped{in})
  RUN(byInteger, (size_t)in)
  RUN(byTable, table)
  RUN(bySelect, in, argc)
  RUN(byHelper, in)
  RUN(byAssembly, in)
  RUN(byAtomic, in)
  RUN(byPointer, argc - 1, in)
  RUN(byKept)
  RUN(byBase, Wrapped{in})
  float *other;
  CHECK(cudaMalloc(&other, 64));
  RUN(changed, Two{other, other}, argc - 1)
}
