// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstdint>

enum class Payoff { Call, Put, AsianCall };

struct Option {
  Payoff payoff;
  float spot;
  float strike;
  float rate;
  float volatility;
  float years;
};

/// Prices an option by Monte Carlo; \p steps time steps per path.
float price(const Option &option, int paths, int steps, uint32_t seed);

#ifdef __CUDACC__
__global__ void simulate(Option option, int paths, int steps, uint32_t seed,
                         bool antithetic, float *sums);
#endif
