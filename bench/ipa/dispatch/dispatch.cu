// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common.h"
#include "activations.h"

static const ActivationKernel kKernels[] = {relu, leakyRelu, sigmoid};
static_assert(sizeof(kKernels) / sizeof(kKernels[0]) ==
              static_cast<unsigned>(Activation::Count));

void activate(Activation activation, float *values, int count, float slope) {
  ActivationKernel kernel = kKernels[static_cast<int>(activation)];
  kernel<<<32, 256>>>(values, count, slope);
  CHECK(cudaGetLastError());
}
