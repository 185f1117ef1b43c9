#include <cstdio>
__global__ void fast(float *, float);
__global__ void fastOff(float *, float);
__global__ void fastHalf(_Float16 *, _Float16);
__global__ void honoring(float *, float);
__global__ void honoringOff(float *, float);
__global__ void on(float *, float);
__global__ void onFast(float *, float);
__global__ void off(float *, float);
__global__ void offHalf(_Float16 *, _Float16);
float hostFast(float), hostFastPragma(float), hostOff(float);
static void *device;
static volatile float x = 1 + 0x1p-20f;
static volatile float half = 1 + 3 * 0x1p-10f;
static bool isFused(void (*kernel)(float *, float)) {
  float result;
  kernel<<<1, 1>>>(static_cast<float *>(device), x);
  cudaMemcpy(&result, device, sizeof result, cudaMemcpyDeviceToHost);
  return result != 0x1p-19f;
}
static bool isFused(void (*kernel)(_Float16 *, _Float16)) {
  _Float16 result;
  kernel<<<1, 1>>>(static_cast<_Float16 *>(device), (_Float16)half);
  cudaMemcpy(&result, device, sizeof result, cudaMemcpyDeviceToHost);
  return (float)result != 0x1.8p-8f;
}
int main() {
  if (cudaMalloc(&device, sizeof(float)))
    return 1;
  printf("fast %d fastOff %d\n", isFused(fast), isFused(fastOff));
  printf("honoring %d honoringOff %d\n", isFused(honoring),
         isFused(honoringOff));
  printf("on %d onFast %d\n", isFused(on), isFused(onFast));
  printf("off %d offHalf %d fastHalf %d\n", isFused(off), isFused(offHalf),
         isFused(fastHalf));
  printf("host fast %d fastOff %d off %d\n", hostFast(x) != 0x1p-19f,
         hostFastPragma(x) != 0x1p-19f, hostOff(x) != 0x1p-19f);
}
