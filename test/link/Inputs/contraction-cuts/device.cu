#define CONCAT(a, b) a##b
#define JOIN(a, b) CONCAT(a, b)
__global__ void NAME(float *p, float x) {
  float product = x * x;
  *p = product - 1;
}
__global__ void JOIN(NAME, Off)(float *p, float x) {
#pragma clang fp contract(off)
  float product = x * x;
  *p = product - 1;
}
__global__ void JOIN(NAME, Half)(_Float16 *p, _Float16 x) {
  _Float16 product = x * x;
  *p = product - (_Float16)1;
}
