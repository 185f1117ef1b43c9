__global__ void on(float *p, float x) {
  float product = x * x;
  *p = product - 1;
}
__global__ void onFast(float *p, float x) {
#pragma clang fp contract(fast)
  float product = x * x;
  *p = product - 1;
}
