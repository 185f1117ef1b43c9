#include "plan.h"
int width(const Config &config) { return config.block + config.blocks - 4; }
volatile unsigned long seenNumber;
int touch(Plan &plan) {
  seenNumber = reinterpret_cast<unsigned long>(plan.kernel);
  return seenNumber ? 7 : 0;
}
static Plan *last;
int keep(Plan &plan) {
  last = &plan;
  return 1;
}
Plan *kept() { return last; }
void launch(Kernel kernel, int block, int *out, int value) {
  kernel<<<1, block>>>(out, value);
}
