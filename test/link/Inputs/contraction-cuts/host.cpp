#define CONCAT(a, b) a##b
#define JOIN(a, b) CONCAT(a, b)
__attribute__((noinline)) float NAME(float x) {
  float product = x * x;
  return product - 1;
}
__attribute__((noinline)) float JOIN(NAME, Pragma)(float x) {
#pragma clang fp contract(off)
  float product = x * x;
  return product - 1;
}
