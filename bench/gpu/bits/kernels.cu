// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

__device__ __noinline__ unsigned twice(unsigned value) { return 2 * value; }

__global__ void lowBits(Parts *out, const double *x, const float *y) {
  int i = threadIdx.x;
  long long sum = __double_as_longlong(x[i] + x[i + 1]);
  int product = __float_as_int(y[i] * y[i + 1]);
  out[i].words = unsigned(sum);
  out[i].called = twice(unsigned(__double_as_longlong(x[i] - x[i + 1])));
  out[i].halves = (unsigned short)__double_as_longlong(x[i] * x[i + 1]);
  out[i].ofFloat = (unsigned short)product;
  out[i].bytes = (unsigned char)__double_as_longlong(x[i] / x[i + 1]);
  out[i].byteOfFloat = (unsigned char)__float_as_int(y[i] + y[i + 1]);
}
