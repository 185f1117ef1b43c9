#include <cuda_runtime.h>
__global__ void use(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x]; }
#define IN cudaMemcpyHostToDevice
#define OUT cudaMemcpyDeviceToHost
void again(float *h, int n) {
  float *d, *e; cudaMalloc(&d, n * 4); cudaMalloc(&e, n * 4);
  h[0] = 1;
  cudaMemcpy(d, h, n * 4, IN);
  use<<<1, n>>>(d, e);
  cudaMemcpy(d, h, n * 4, IN);
  use<<<1, n>>>(d, e);
}
float rounds(float *h, int n) {
  float *d, *e, sum = 0; cudaMalloc(&d, n * 4); cudaMalloc(&e, n * 4);
  float *out = new float[n];
  for (int i = 0; i < n; ++i) {
    // The host does not write between.
    cudaMemcpy(d, h, n * 4, IN);
    use<<<1, n>>>(d, e);
    cudaMemcpy(out, e, n * 4, OUT);
    sum += out[0];
  }
  delete[] out;
  return sum; }
void parts(float *h, int n) {
  float *d, *e; cudaMalloc(&d, n * 4); cudaMalloc(&e, n * 4);
  for (int i = 0; i < n; ++i) {
    cudaMemcpy(d, h + i / 4, 16, IN);
    use<<<1, 4>>>(d, e);
  } }
void unread(float *h, int n) {
  float *d;
  cudaMalloc(&d, n * 4);
  cudaMemset(d, 0, n * 4);
  use<<<1, 1>>>(d, d);
  cudaMemcpy(h, d, n * 4, OUT);
}
extern float *elsewhere;
void unknown(float *h, int n) {
  cudaMemcpy(elsewhere, h, n * 4, IN);
  cudaMemcpy(elsewhere, h + 1, n * 4, IN);
  cudaMemcpy(elsewhere, h + 2, n * 4, IN);
  cudaMemcpy(elsewhere, h + 3, n * 4, IN);
  use<<<1, 1>>>(elsewhere, elsewhere);
}
