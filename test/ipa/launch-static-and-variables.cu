// Static kernels and variables have unique names on both sides;
// template kernels are in COMDATs; variables keep their flags.
// REQUIRES: cuda
// RUN: rm -rf %t && mkdir -p %t/a && cp %s %t/a/x.cu
// RUN: cd %t/a && %gpulto-clang++ -flto=gpu -O2 --offload-arch=sm_90 %light -c x.cu -o x.o
// RUN: %gpulto dump --symbols %t/a/x.o | FileCheck %s
static __device__ int counter = 3;
__device__ int visible;
__constant__ float table[8];
extern __device__ int elsewhere;
static __global__ void hidden(int *p) { *p = counter + visible + elsewhere; }
template <typename T> __global__ void general(T *p) { *p = table[1]; }

// CHECK-DAG: host offload kernel _ZL6hiddenPi__{{[a-z]+}}__[[ID:[0-9a-f]+]] host _ZL{{.*}}hiddenPi{{$}}
// CHECK-DAG: host offload kernel _Z7generalIfEvPT_ host _Z{{.*}}generalIfEvPT_{{$}}
// CHECK-DAG: host offload variable visible host visible size 4
// CHECK-DAG: host offload variable table host table size 32 constant
// CHECK-DAG: host symbol {{.*}}generalIfEvPT_: function linkonce_odr {{.*}}kernel_stub{{.*}} comdat
// CHECK-DAG: host symbol _ZL{{.*}}hiddenPi: function internal {{.*}} kernel_stub
// CHECK-DAG: device(sm_90) symbol _ZL6hiddenPi__{{[a-z]+}}__[[ID]]: function {{.*}} kernel
// CHECK-DAG: device(sm_90) symbol visible: variable external default addrspace 1 {{.*}} externally_initialized
// CHECK-DAG: device(sm_90) symbol table: variable external default addrspace 4 {{.*}} externally_initialized
// CHECK-DAG: device(sm_90) symbol elsewhere: variable external default addrspace 1 declaration
void launches(int *p, float *q) {
  hidden<<<1, 1>>>(p);
  general<<<1, 1>>>(q);
  cudaMemcpyToSymbol(table, q, 32);
}
