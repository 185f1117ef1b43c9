#include "kernels.h"
__global__ void turn(float *out, const float *in, size_t count, size_t columns,
                     size_t stride) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count * stride)
    out[i] = in[i / columns + i % columns * stride];
}
__global__ void view(float *out, const float *in, Sizes sizes) {
  size_t step = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
       i < sizes.count; i += step)
    out[i] = in[i / sizes.columns] + i % sizes.columns;
}
