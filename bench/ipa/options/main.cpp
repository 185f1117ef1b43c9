// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common.h"
#include "options.h"

int main() {
  constexpr int kPaths = 2048, kSteps = 12;
  float strikes[] = {90, 100, 110};
  for (float strike : strikes) {
    Option option = {Payoff::AsianCall, 100, strike, 0.03f, 0.2f, 1.0f};
    printf("strike %g price %.4f\n", strike,
           price(option, kPaths, kSteps, 12345));
  }
}
