// Which allocation a pointer comes from: through a variable that only the
// allocation writes, at an offset, into a struct; not where another value may be.
// REQUIRES: cuda
// RUN: %gpulto-clang++ -flto=gpu -O2 --offload-arch=sm_90 --cuda-path=%cuda_path -c %s -o %t.o
// RUN: %gpulto dump %t.o | FileCheck %s
#include <cuda_runtime.h>
struct Pair { float *first, *second; };
void use(float *, float *);
void usePair(Pair);
// CHECK-LABEL: function _Z5plaini:
// CHECK: call _Z3usePfS_ {{.*}}args=(allocated by call 0(align 256), allocated by call 1(align 4))
void plain(int n) {
  float *a, *b;
  cudaMalloc(&a, n);
  cudaMallocManaged((void **)&b, n);
  use(a, b + n);
}
// CHECK-LABEL: function _Z4pairi:
// CHECK: call _Z7usePair4Pair {{.*}}args=(allocated by call 0(align 256), allocated by call 1(align 256))
void pair(int n) {
  Pair p;
  cudaMalloc(&p.first, n);
  cudaMalloc(&p.second, n);
  usePair(p);
}
// The host's pinned memory, by the functions of C and by wrappers of C++.
// CHECK-LABEL: function _Z6pinnedi:
// CHECK: call _Z3usePfS_ {{.*}}args=(allocated by call 0(align 256), allocated by call 1(align 4))
void pinned(int n) {
  float *a, *b;
  cudaMallocHost((void **)&a, n);
  cudaHostAlloc(&b, n, cudaHostAllocMapped);
  use(a, b + n);
}
// CHECK-LABEL: function _Z7wrappedim:
// CHECK: call _Z3usePfS_ {{.*}}args=(allocated by call 0(align 256), allocated by call 1(align 256))
void wrapped(int n, size_t pitch) {
  float *a, *b;
  cudaMallocHost(&a, n);
  cudaMallocPitch(&b, &pitch, n, n);
  use(a, b);
}
// CHECK-LABEL: function _Z7orderediP11CUstream_stP18CUmemPoolHandle_st:
// CHECK: call _Z3usePfS_ {{.*}}args=(allocated by call 0(align 256), allocated by call 1(align 256))
void ordered(int n, cudaStream_t stream, cudaMemPool_t pool) {
  float *a, *b;
  cudaMallocAsync(&a, n, stream);
  cudaMallocAsync(&b, n, pool, stream);
  use(a, b);
}
// If the allocation fails, the variable keeps the parameter.
// CHECK-LABEL: function _Z5otheriPf:
// CHECK: call _Z3usePfS_ {{.*}}args=({{.*}} one of{{.}}0: allocated by call 0(align 256), 0: arg1}
void other(int n, float *q) {
  float *a = q;
  cudaMalloc(&a, n);
  use(a, a);
}
// Each is one of the two, which nobody tells apart.
// CHECK-LABEL: function _Z4swapi:
// CHECK: call _Z3usePfS_ freq {{[0-9]+}} loop args=(?(align 256), ?(align 256))
void swap(int n) {
  float *a, *b;
  cudaMalloc(&a, n);
  cudaMalloc(&b, n);
  for (int i = 0; i < n; ++i) {
    use(a, b);
    float *c = a;
    a = b;
    b = c;
  }
}
// CHECK-LABEL: function _Z5movedi:
// CHECK: call _Z3usePfS_ freq {{[0-9]+}} loop args=()
void moved(int n) {
  float *a, *b;
  cudaMalloc(&a, n);
  cudaMalloc(&b, n);
  for (int i = 0; i < n; ++i) {
    use(a, b);
    float *c = a;
    a = b + 1;
    b = c;
  }
}
// CHECK-LABEL: function _Z7unknownPfi:
// CHECK: call _Z3usePfS_ freq {{[0-9]+}} loop args=()
void unknown(float *q, int n) {
  float *a, *b;
  cudaMalloc(&a, n);
  cudaMalloc(&b, n);
  for (int i = 0; i < n; ++i) {
    use(a, b);
    float *c = a;
    a = b;
    b = i % 3 == 1 ? q : c;
  }
}
// What the caller has left in its copy, nobody knows here.
// CHECK-LABEL: function _Z8replacedi6Triple:
// CHECK: call _Z3usePfS_ freq {{[0-9]+}} loop args=(?, {{.*}})
struct Triple { float *p[3]; };
void replaced(int n, Triple t) {
  for (int i = 0; i < n; ++i) {
    use(t.p[0], t.p[1]);
    cudaMalloc(&t.p[0], n);
  }
}
// CHECK-LABEL: function _Z5laterPfi:
// CHECK: call _Z3usePfS_ {{.*}}args=(allocated by call 0(align 256), allocated by call 0(align 256))
void later(float *q, int n) {
  float *a;
  cudaMalloc(&a, n);
  use(a, a);
  a = q;
  use(a, a);
}
