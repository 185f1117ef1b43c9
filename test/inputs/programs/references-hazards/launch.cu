#include "kernels.h"
static int read(int *out) {
  int value;
  cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost);
  return value;
}
static Params *keeper;
__attribute__((noinline)) void changeKept() { keeper->a += 1; }
int kept(int *out, const Params &params) {
  keeper = const_cast<Params *>(&params);
  changeKept();
  keptKernel<<<1, 1>>>(out, params.a);
  return read(out);
}
int unseen(int *out, const Params &params) {
  native(&params);
  unseenKernel<<<1, 1>>>(out, params.a);
  return read(out);
}
int twice(int *out, const Params &params, Params &same) {
  same.a += 1;
  twiceKernel<<<1, 1>>>(out, params.a);
  return read(out);
}
int differs(int *out, const Params &params) {
  differsKernel<<<1, 1>>>(out, params.a);
  return read(out);
}
