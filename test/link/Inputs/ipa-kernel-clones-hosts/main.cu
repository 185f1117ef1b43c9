#include "run.h"
#include "worse.h"
__global__ void worse(float *out, const float *in, int n) { out[threadIdx.x] = shuffle(in, n); }
int main(int argc, char **argv) {
  float *data, *in, power[2], sum[2];
  static float host[48 * 32];
  cudaMalloc(&data, 256 * sizeof(float));
  cudaMalloc(&in, sizeof(host));
  for (int i = 0; i < 48 * 32; ++i)
    host[i] = i % 5 * 0.125f;
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  float six = 6, four = 4;
  cudaMemcpy(data, &six, sizeof(six), cudaMemcpyHostToDevice);
  run(data, 31 + argc, 4);
  power[0] = first(data);
  cudaMemcpy(data, &four, sizeof(four), cudaMemcpyHostToDevice);
  run(data, 31 + argc, 6);
  power[1] = first(data);
  printf("power %g %g\n", power[0], power[1]);
  scale<float><<<1, 32>>>(data, 2 + argc, 5);
  sum[0] = first(data);
  other(data, 2 + argc);
  sum[1] = first(data);
  printf("scale %g %g\n", sum[0], sum[1]);
  worse<<<1, 256>>>(data, in, 48);
  printf("worse %.6g", first(data));
  worse<<<1, 256>>>(data, in, 46 + argc);
  printf(" %.6g\n", first(data));
}
