#include "config.h"
#define NOINLINE __attribute__((noinline))
NOINLINE Config makeConfig(int width) {
  Config config = {width, 7, {}};
  for (int i = 0; i < 8; ++i)
    config.weights[i] = static_cast<float>(i * width);
  return config;
}
NOINLINE Config makeAnywhere(int width, int i) {
  Config config = {width, 7, {}};
  int *all = &config.width;
  all[i] = 38;
  return config;
}
static Config *address;
NOINLINE Config makeKept(int width) {
  Config config = {width, 7, {}};
  address = &config;
  return config;
}
NOINLINE void changeKept() { address->width = 34; }
