// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

using ActivationKernel = void (*)(float *values, int count, float slope);

enum class Activation { Relu, LeakyRelu, Sigmoid, Count };

__global__ void relu(float *values, int count, float slope);
__global__ void leakyRelu(float *values, int count, float slope);
__global__ void sigmoid(float *values, int count, float slope);
__global__ void addBias(float *values, const float *bias, int rows,
                        int columns);

/// Applies \p activation to \p count values.
void activate(Activation activation, float *values, int count, float slope);
