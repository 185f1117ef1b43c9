// What a function got by value and passes on by value: all of it, or what is
// unchanged when the call happens. Not what a callee may have changed that got
// the address before.
// REQUIRES: cuda
// RUN: %gpulto-clang++ -flto=gpu -O2 --offload-arch=sm_90 %light --cuda-path=%cuda_path -c %s -o %t.o
// RUN: %gpulto dump --summary %t.o | FileCheck %s
struct Parameters {
  int width, height, depth, step;
  int *out;
};
__device__ int use(Parameters parameters);
__device__ int look(const Parameters &parameters);

// CHECK: device(sm_90) function _Z3all10Parameters:
// CHECK: call _Z3use10Parameters {{.*}} args=(arg0)
__global__ void all(Parameters parameters) { use(parameters); }

// CHECK: device(sm_90) function _Z7changed10Parametersi:
// CHECK: call _Z3use10Parameters {{.*}} args=({0: arg0[0..4 at entry], 4: arg1:i32, 8: arg0[8..24 at entry]})
__global__ void changed(Parameters parameters, int n) {
  parameters.height = n;
  use(parameters);
}

// CHECK: device(sm_90) function _Z5later10Parameters:
// CHECK: call _Z3use10Parameters {{.*}} args=(arg0)
// CHECK: call _Z4lookRK10Parameters
__global__ void later(Parameters parameters) {
  use(parameters);
  look(parameters);
}

// CHECK: device(sm_90) function _Z6before10Parameters:
// CHECK: call _Z4lookRK10Parameters
// CHECK: call _Z3use10Parameters {{.*}} args=(){{( |$)}}
__global__ void before(Parameters parameters) {
  look(parameters);
  use(parameters);
}

// CHECK: device(sm_90) function _Z5loops10Parametersi:
// CHECK: call _Z3use10Parameters {{.*}} args=({0: arg0[0..4 at entry], {{(4: .*)?}}8: arg0[8..24 at entry]})
__global__ void loops(Parameters parameters, int n) {
  for (int i = 0; i < n; ++i) {
    use(parameters);
    ++parameters.height;
  }
}

// CHECK: device(sm_90) function _Z5often10Parametersi:
// CHECK: call _Z3use10Parameters {{.*}} args=(){{( |$)}}
__global__ void often(Parameters parameters, int n) {
  for (int i = 0; i < n; ++i) {
    use(parameters);
    look(parameters);
  }
}
