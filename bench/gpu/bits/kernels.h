// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

struct Parts {
  unsigned words, called;
  unsigned short halves, ofFloat;
  unsigned char bytes, byteOfFloat;
};

/// Stores the low bits of x[i] + x[i + 1] and y[i] * y[i + 1], where i is the
/// thread.
__global__ void lowBits(Parts *out, const double *x, const float *y);
