// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// data[i] = data[i] * factor + offset for i below count.
__global__ void step(int *data, int count, int factor, int offset);
/// *sum += the sum of data[0] to data[count - 1]; one block.
__global__ void add(int *sum, const int *data, int count);
