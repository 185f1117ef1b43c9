#include "kernels.h"
__global__ void cycle(float *out, const float *in, size_t count, size_t step) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i < count && out[i & 255] < 40; i += step)
    out[i & 255] = in[i & 63] + out[(i + (count >> 32)) & 255] + 1;
}
__global__ void border(float *out, const float *in, size_t nx, size_t ny) {
  size_t x = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  size_t y = size_t(blockIdx.y) * blockDim.y + threadIdx.y;
  if (x == 0 || x + 1 >= nx || y == 0 || y + 1 >= ny || x > 30)
    return;
  size_t wrap = (y * nx + x) % 1021;
  out[wrap + 1] = in[(y - 1) * nx % 512 + x] + in[y * nx % 256 + x - 1];
  if (nx < 64)
    out[y * nx + x] += in[y * nx + x + 1] + in[(y + 1) * nx + x];
}
