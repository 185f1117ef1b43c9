// The driver API on the memory of the runtime.
#include "cases.h"
#include <cuda.h>

CASE(fillOfDriver, 5, 3) { // a fill
  FIRST;
  HAZARD(cuMemsetD32((CUdeviceptr)d, 9, 2);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: fillOfDriver: 11 13 51 192
// MAYGO: fillOfDriver: 3 6 51 192

CASE(copyOfDriver, 5, 3) { // a copy to the target
  FIRST;
  HOST(g, 101);
  HAZARD(cuMemcpyHtoD((CUdeviceptr)d, g, 8);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: copyOfDriver: 103 106 51 192
// MAYGO: copyOfDriver: 3 6 51 192

CASE(copyBackOfDriver, 5, 3) { // a copy to the source
  FIRST;
  HAZARD(cuMemcpyDtoH(h + 1, (CUdeviceptr)e, 4);)
  AGAIN;
}
// CHECK: copyBackOfDriver: 2 3 34 128
// MAYGO: copyBackOfDriver: 2 4 34 128

CASE(readByDriver, 2, 0) { // only a copy of the driver reads what was copied
  HOST(h, 1); HOST(g, 101); DEVICE(d);
  COPY_IN(d, h);
  HAZARD(cuMemcpyDtoH(g, (CUdeviceptr)d, size); print(__func__, g);)
  cudaFree(d);
}
// CHECK: readByDriver: 1 2 17 64

CASE(launchOfDriver, 4, 3) { // a launch
  FIRST;
  cudaFunction_t function;
  int value = 9;
  void *arguments[] = {&d, &value};
  HAZARD(cudaGetFuncBySymbol(&function, (const void *)set);
         cuLaunchKernel((CUfunction)function, 1, 1, 1, 2, 1, 1, 0, 0, arguments, nullptr);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: launchOfDriver: 11 13 51 192
// MAYGO: launchOfDriver: 3 6 51 192

CASE(freedByDriver, 4, 3) { // freed and allocated again
  FIRST;
  HAZARD(cuMemFree((CUdeviceptr)d); cuMemAlloc((CUdeviceptr *)&d, size);)
  AGAIN;
}
// CHECK: freedByDriver: 2 4 34 128
// MAYGO: freedByDriver: 2 4 34 128

CASE(streamOfDriver, 5-6, 5) { // a stream, which a copy of the legacy stream orders
  HOST(h, 1); DEVICE(d); ZEROS(e); ZEROS(f);
  COPY_IN(d, h);
  add<<<1, n>>>(f, d);
  CUstream s = nullptr, t = nullptr;
  HAZARD(cuStreamCreate(&s, 0); cuStreamCreate(&t, 0);)
  increase<<<1, n, 0, s>>>(e);
  COPY_IN(d, h);
  add<<<1, n, 0, t>>>(f, e);
  cudaStreamSynchronize(t);
  add<<<1, n>>>(f, d);
  show(__func__, f);
  COPY_OUT(h, e);
  print(__func__, h);
}
// CHECK: streamOfDriver: 3 5 35 129
// CHECK: streamOfDriver: 1 1 1 1
// MAYGO: streamOfDriver: 3 5 35 129
// MAYGO: streamOfDriver: 1 1 1 1

int main(int argc, char **) {
  one = argc;
  fillOfDriver();
  copyOfDriver();
  copyBackOfDriver();
  readByDriver();
  launchOfDriver();
  freedByDriver();
  streamOfDriver();
}
