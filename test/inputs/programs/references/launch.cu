#include "kernels.h"
static int read(int *out) {
  int value;
  cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost);
  return value;
}
static __attribute__((noinline)) void launchKnown(int *out, const Params &params) {
  knownKernel<<<1, 1>>>(out, params);
}
int known(int *out, const Params &params) {
  launchKnown(out, params);
  return read(out);
}
int scalar(int *out, const Params &params) {
  scalarKernel<<<1, 1>>>(out, params.c);
  return read(out);
}
int member(int *out, const Outer &outer) {
  memberKernel<<<1, 1>>>(out, outer.inner);
  return read(out);
}
int written(int *out, const Params &params) {
  const_cast<Params &>(params).a += 1;
  writtenKernel<<<1, 1>>>(out, params.a);
  return read(out);
}
__attribute__((noinline)) void change(Params &params) { params.a += 1; }
static __attribute__((noinline)) void passOn(Params *params) { change(*params); }
int deep(int *out, const Params &params) {
  passOn(const_cast<Params *>(&params));
  deepKernel<<<1, 1>>>(out, params.a);
  return read(out);
}
