// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

constexpr int kWords = 64;
extern __constant__ int squares[kWords];
extern __constant__ int offsets[kWords];
extern __constant__ int cubes[kWords];

/// out[i] = squares[i] + offsets[i], in the file that defines both.
__global__ void sumOfFirst(int *out);
/// out[i] = cubes[i] - squares[i]: its own table, and one of the other file.
__global__ void difference(int *out);
