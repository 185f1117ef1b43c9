#include "kernels.h"
#include "model.h"
#include <cmath>
#include <cstdio>
#define NOINLINE static __attribute__((noinline))
static float *out;
static void print(const char *what) {
  float value;
  cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost);
  if (value != value)
    printf("%s none\n", what);
  else
    printf("%s %a\n", what, value);
}
NOINLINE void run(const Model &m) {
  rate<<<1, 1>>>(out, m.rate);
  print("rate");
  depth<<<1, 1>>>(out, static_cast<float>(m.depth + 1));
  print("depth");
  twice<<<1, 1>>>(out, static_cast<float>(m.step));
  print("twice");
  grid<<<static_cast<int>(std::ceil(m.n * 10 / 256.0f)), 256>>>(out, 1);
  print("grid");
}
NOINLINE float quotient(float a, float b) { return a / b; }
int main(int argc, char **argv) {
  cudaMalloc(&out, sizeof(float));
  Model m;
  fill(&m, 100);
  run(m);
  float c[2];
  coefficients(1, c);
  first<<<1, 1>>>(out, c[1]);
  print("first");
  negated<<<1, 1>>>(out, -c[0]);
  print("negated");
  NoSum<<<1, 1>>>(out, c[0] + c[1] * 3);
  print("NoSum");
  NoDenormal<<<1, 1>>>(out, slow(10));
  print("NoDenormal");
  NoNumber<<<1, 1>>>(out, quotient(0, 0));
  print("NoNumber");
  NoFast<<<1, 1>>>(out, fastRate(3));
  print("NoFast");
  NoNative<<<1, 1>>>(out, ofNative);
  print("NoNative");
}
