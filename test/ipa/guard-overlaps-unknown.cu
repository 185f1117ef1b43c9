// No extent, so no test at the launch, where a pointer goes elsewhere or nobody can
// tell what is touched: it is stored, passed on, converted, compared with another,
// one of two; the index was loaded, grows by itself or is what bits make of a size;
// the struct that the pointer is in is written.
// REQUIRES: cuda
// RUN: %gpulto-clang++ -flto=gpu -O2 --offload-arch=sm_90 %light --cuda-path=%cuda_path -c %s -o %t.o
// RUN: %gpulto dump %t.o | FileCheck %s --implicit-check-not='touches arg1 ' --implicit-check-not='touches arg0[8]'
extern "C" {
#define SUM(expression)                                                        \
  for (int k = 0; k < 99; ++k)                                                 \
  out[threadIdx.x] += expression
__device__ const float *kept;
__device__ __noinline__ float get(const float *in, int k) { return in[k] + k; }

// CHECK-LABEL: function stored:
// CHECK: guard gain {{.*}} facts apart arg0 from arg1
// CHECK: touches arg0 from 0 to 4*blockx
__global__ void stored(float *out, const float *in) {
  kept = in;
  SUM(in[k]);
}
// CHECK-LABEL: function passed:
__global__ void passed(float *out, const float *in) {
  SUM(in[k]);
  out[0] = get(in, 3);
}
// CHECK-LABEL: function converted:
// CHECK: guard gain {{.*}} facts apart arg0 from arg1
__global__ void converted(float *out, const float *in, size_t *where) {
  *where = (size_t)in;
  SUM(in[k]);
}
// CHECK-LABEL: function compared:
// CHECK: guard gain {{.*}} facts apart arg0 from arg1
__global__ void compared(float *out, const float *in, int *same) {
  *same = out == in;
  SUM(in[k]);
}
// CHECK-LABEL: function either:
__global__ void either(float *out, const float *in, const float *other) {
  const float *from = threadIdx.x & 1 ? in : other;
  SUM(from[k]);
  SUM(in[k]);
}
// CHECK-LABEL: function loaded:
// CHECK: guard gain {{.*}} facts apart arg0 from arg1
// CHECK: touches arg0 from 0 to 4*blockx
__global__ void loaded(float *out, const float *in, const int *index) {
  SUM(in[k] + in[index[threadIdx.x]]);
}
// CHECK-LABEL: function grows:
// CHECK: guard gain {{.*}} facts apart arg0 from arg1
__global__ void grows(float *out, const float *in, int n) {
  for (long i = 1; out[threadIdx.x] < 7; i = 3 * i + n)
    out[threadIdx.x] += in[i];
}
// The bits of a size that may be negative are no size.
// CHECK-LABEL: function masked:
// CHECK: guard gain {{.*}} facts apart arg0 from arg1
__global__ void masked(float *out, const float *in, int n) {
  SUM(in[k] + in[(n ^ k) & ~3]);
}
struct Params {
  float *out;
  const float *in;
  int counts[8];
};
// CHECK-LABEL: function written:
// CHECK: guard gain {{.*}} facts apart arg0[0] from arg0[8]
// CHECK-NOT: touches
__global__ void written(Params p, int n) {
  p.counts[n] = 3;
  float *out = p.out;
  SUM(p.in[k] + p.counts[1]);
}
}
