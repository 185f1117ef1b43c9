#pragma once
__global__ void cycle(float *out, const float *in, size_t count, size_t step);
__global__ void border(float *out, const float *in, size_t nx, size_t ny);
