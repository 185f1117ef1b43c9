// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// data[i] += by for i below count.
__global__ void increase(int *data, int count, int by);
/// Splits the array in halves until pieces have at most `leaf` elements, and
/// adds to each the depth at which it is a leaf.
__global__ void split(int *data, int count, int leaf, int depth);
/// Each block increases its own part by its number, in a grid of its own.
__global__ void parts(int *data, int size);
/// Doubles what it finds when all grids that it launched have ended.
__global__ void tail(int *data, int count);
