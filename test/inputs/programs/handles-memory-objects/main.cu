#include "all.h"
static float show(float *data) {
  float host;
  cudaMemcpy(&host, data, 4, cudaMemcpyDeviceToHost);
  return host;
}
int main() {
  float *p;
  cudaMalloc(&p, 256);
  Runner runner(member, 32);
  runner.run(p, 1);
  printf("member %g\n", show(p));
  Runner *other = new Runner(newed, 64);
  other->run(p, 2);
  printf("new %g\n", show(p));
  delete other;
  Two two{};
  fill(&two, nested);
  launchSecond(two, p, 3);
  printf("nested %g\n", show(p));
  Two both{};
  fillBoth(&both, filled);
  launchBig(both.first, p, 4);
  printf("filled %g\n", show(p));
  Big same{1, "same", nullptr, 0};
  fillSame(same, same);
  launchBig(same, p, 5);
  printf("same %g\n", show(p));
}
