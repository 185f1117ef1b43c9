// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Row-wise softmax and layer normalization, one block per row.
void softmax(float *out, const float *in, int rows, int columns, float scale);
void layerNorm(float *out, const float *in, const float *gain,
               const float *bias, int rows, int columns);

#ifdef __CUDACC__
__device__ float blockSum(float value, float *scratch);
__device__ float blockMax(float value, float *scratch);
__global__ void softmaxRows(float *out, const float *in, int columns,
                            float scale);
__global__ void normRows(float *out, const float *in, const float *gain,
                         const float *bias, int columns, float epsilon);
#endif
