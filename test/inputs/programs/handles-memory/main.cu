#include "all.h"
static float show(float *data) {
  float host;
  cudaMemcpy(&host, data, 4, cudaMemcpyDeviceToHost);
  return host;
}
int main() {
  float *p;
  cudaMalloc(&p, 256);
  Op op = makeSmall();
  launch(op, p, 5);
  printf("small %g\n", show(p));
  launchValue(makeValue(), p, 6);
  printf("value %g\n", show(p));
  Big b = makeBig();
  launchBig(b, p, 7);
  printf("%s %g\n", b.name, show(p));
  Big d{256, "d", bigValue, 0};
  launchBigValue(d, p, 8);
  printf("%s %g\n", d.name, show(p));
  launchPair(makePair(), p, 9);
  printf("pair %g\n", show(p));
  launchTuple(makeTuple(), p, 9);
  printf("tuple %g\n", show(p));
}
