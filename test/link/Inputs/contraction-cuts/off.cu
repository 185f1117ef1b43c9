__global__ void off(float *p, float x) {
  float product = x * x;
  *p = product - 1;
}
__global__ void offHalf(_Float16 *p, _Float16 x) {
  _Float16 product = x * x;
  *p = product - (_Float16)1;
}
