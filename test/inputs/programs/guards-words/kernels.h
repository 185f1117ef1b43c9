#pragma once
struct Sizes {
  size_t count, columns;
};
__global__ void turn(float *out, const float *in, size_t count, size_t columns,
                     size_t stride);
__global__ void view(float *out, const float *in, Sizes sizes);
