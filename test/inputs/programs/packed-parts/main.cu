#include "program.h"
int main(int argc, char **) {
  int *out, host[2];
  cudaMalloc(&out, sizeof host);
  auto show = [&](const char *name) {
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s %d %d\n", name, host[0], host[1]);
  };
  launchHigh(make_int2(argc, 7), out);
  show("high");
  launchHigh(make_int2(argc + 1, 7), out);
  show("high");
  launchLow(make_int2(9, argc), out);
  show("low");
  launchLow(make_int2(9, argc + 1), out);
  show("low");
  int block = parse(argc).block;
  launchMixed(make_int2(3, 5), block, out); // all of it is known here
  show("mixed");
  launchMixed(make_int2(argc, 5), block, out);
  show("mixed");
  launchDiffers(make_int2(argc, 2), out);
  show("differs");
  launchDiffers(make_int2(argc + 1, 3), out);
  show("differs");
  Pair pairOf = makePair(argc);
  pair<<<1, pairOf.block>>>(make_int2(pairOf.n, pairOf.block), out);
  show("pair");
  wide<<<1, 1>>>(Size{size_t(unsigned(argc))}, out);
  show("wide");
  launchBytes(make_uchar4(argc, 2, 3, 4), out);
  show("bytes");
  launchBytes(make_uchar4(argc + 1, 2, 3, 4), out);
  show("bytes");
  cudaFree(out);
}
