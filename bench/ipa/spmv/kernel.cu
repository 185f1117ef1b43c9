// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv.h"

__global__ void multiplyRows(CsrMatrix a, const float *x, float alpha,
                             float beta, float *y, int lanes) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int row = thread / lanes, lane = thread % lanes;
  float sum = 0;
  if (row < a.rows)
    for (int i = a.rowStarts[row] + lane; i < a.rowStarts[row + 1]; i += lanes)
      sum += a.values[i] * x[a.columns[i]];
  for (int offset = lanes / 2; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset, lanes);
  if (lane == 0 && row < a.rows)
    y[row] = alpha * sum + (beta != 0.0f ? beta * y[row] : 0.0f);
}
