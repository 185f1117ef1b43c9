#include "shared.h"
__managed__ float total[4] = {1, 2, 3, 4};
__device__ __noinline__ float scaled(const Shape *shape, float x) { return x * shape->scale + shape->bias[1]; }
__global__ void finish(float *out, const __grid_constant__ Shape shape) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < shape.rows * shape.columns)
    out[i] = scaled(&shape, out[i]);
  if (i == 0)
    total[3] += shape.rows;
}
