// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstddef>

/// out[t] = a / b + a % b + t for each thread.
__global__ void divide(size_t *out, size_t a, size_t b);
/// Counts in out[t] the numbers t, t + step, ... below n, and adds up the last
/// byte of each.
__global__ void count(size_t *out, size_t n, size_t step);
/// out[y, x] = in[y - 1, x] + in[y + 1, x] inside of an array of nx * ny.
__global__ void border(float *out, const float *in, size_t nx, size_t ny);
/// out[t] = the sum of in[t * n] to in[t * n + n - 1].
__global__ void sum(float *out, const float *in, int n);
/// *out = in[0] + in[stride] + ...; n numbers.
__global__ void strided(float *out, const float *in, int n, int stride);
/// out[i] = in[i] + in[i + 1] for i below n, one after the other; one thread.
__global__ void smooth(float *out, const float *in, int n);
/// The last `threads` of all threads of the grid store their number divided by
/// `columns`, and what remains.
__global__ void last(size_t *out, size_t columns, int threads);
