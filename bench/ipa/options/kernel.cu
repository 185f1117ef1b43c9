// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.h"

namespace {
class Generator {
public:
  __device__ Generator(uint32_t seed, uint32_t path)
      : state(seed ^ (path * 0x9e3779b9u + 1)) {}
  __device__ float uniform() {
    state = state * 1664525u + 1013904223u;
    uint32_t mixed = (state ^ (state >> 15)) * 0x2c1b3c6du;
    return ((mixed >> 8) + 0.5f) / (1 << 24);
  }
  /// Normal numbers by the method of Box and Muller.
  __device__ float normal() {
    float radius = sqrtf(-2.0f * logf(uniform()));
    return radius * cosf(6.2831853f * uniform());
  }

private:
  uint32_t state;
};
} // namespace

__device__ float payoffOf(const Option &option, float last, float mean) {
  switch (option.payoff) {
  case Payoff::Call:
    return fmaxf(last - option.strike, 0.0f);
  case Payoff::Put:
    return fmaxf(option.strike - last, 0.0f);
  case Payoff::AsianCall:
    return fmaxf(mean - option.strike, 0.0f);
  }
  return 0;
}

__global__ void simulate(Option option, int paths, int steps, uint32_t seed,
                         bool antithetic, float *sums) {
  int path = blockIdx.x * blockDim.x + threadIdx.x;
  if (path >= paths)
    return;
  Generator generator(seed, path);
  float dt = option.years / steps;
  float drift =
      (option.rate - 0.5f * option.volatility * option.volatility) * dt;
  float spread = option.volatility * sqrtf(dt);
  float value = option.spot, mirror = option.spot;
  float sum = 0, mirrorSum = 0;
  for (int i = 0; i < steps; ++i) {
    float z = generator.normal();
    value *= expf(drift + spread * z);
    sum += value;
    if (antithetic) {
      mirror *= expf(drift - spread * z);
      mirrorSum += mirror;
    }
  }
  float payoff = payoffOf(option, value, sum / steps);
  if (antithetic)
    payoff = 0.5f * (payoff + payoffOf(option, mirror, mirrorSum / steps));
  sums[path] = payoff * expf(-option.rate * option.years);
}
