#include "config.h"
#define NOINLINE __attribute__((noinline))
NOINLINE Config makeConfig(int width) {
  Config config = {width, 7, {}};
  for (int i = 0; i < 8; ++i)
    config.weights[i] = static_cast<float>(i * width);
  return config;
}
// A counter that starts at 0 writes behind the radius only.
NOINLINE Config makeCentred(int radius) {
  Config config = {radius, 7, {}};
  for (int k = -radius; k <= radius; ++k)
    config.weights[k + radius] = static_cast<float>(k * k);
  return config;
}
