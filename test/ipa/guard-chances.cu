// What LGEN thinks that facts would pay: words in divisions of 64 bits, multiples
// in loops, alignment of what is next to each other, strides, parts of structs. And
// where nothing pays: divisions of 32 bits or by constants, accesses that are
// aligned, far from each other, volatile, or across a barrier.
// REQUIRES: cuda
// RUN: %gpulto-clang++ -flto=gpu -O2 --offload-arch=sm_90 %light --cuda-path=%cuda_path -c %s -o %t.o
// RUN: %gpulto dump %t.o | FileCheck %s

// CHECK-LABEL: device(sm_90) function divide:
// CHECK: guard gain {{[0-9]+}} facts fits_word arg1 i64, fits_word arg2 i64
// CHECK-LABEL: device(sm_90) function divideThread:
// CHECK: guard gain {{[0-9]+}} facts fits_word arg1 i64, small_grid
// CHECK-LABEL: device(sm_90) function sum:
// CHECK-DAG: guard gain {{[0-9]+}} facts multiple arg2 i32 align 4
// CHECK-DAG: guard gain {{[0-9]+}} facts multiple arg1 align 16, multiple arg2 i32 align 4
// CHECK-LABEL: device(sm_90) function sumStrided:
// CHECK-DAG: guard gain {{[0-9]+}} facts multiple arg1 align 16, multiple arg2 i32 align 4, one arg3 i32
// CHECK-LABEL: device(sm_90) function pair:
// CHECK: guard gain {{[0-9]+}} facts multiple arg1[8] align 16
// CHECK-LABEL: device(sm_90) function copy:
// CHECK: guard gain {{[0-9]+}} facts multiple arg1 align 16, apart arg0 from arg1
// CHECK-LABEL: device(sm_90) function nothing:
// CHECK-NOT: guard
extern "C" {
__global__ void divide(size_t *out, size_t a, size_t b) { *out = a / b; }
__global__ void divideThread(size_t *out, size_t b) {
  *out = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) % b;
}
__global__ void sum(float *out, const float *in, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += in[i];
  *out = sum;
}
__global__ void sumStrided(float *out, const float *in, int n, int stride) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += in[i * stride];
  *out = sum;
}
struct Pair {
  int unused;
  const float *data;
};
__global__ void pair(float *out, Pair pair) {
  int i = 4 * threadIdx.x;
  *out = pair.data[i] + pair.data[i + 1] + pair.data[i + 2] + pair.data[i + 3];
}
__global__ void copy(float *out, const float *in) {
  int i = 4 * threadIdx.x;
  out[0] = in[i];
  out[7] = in[i + 1];
  out[14] = in[i + 2];
  out[21] = in[i + 3];
}
__global__ void nothing(float *out, const float *in, const float4 *aligned,
                        const volatile float *seen, unsigned a, unsigned b,
                        size_t c) {
  float sum = a / b + float(c / 12345);
  sum += in[0] + in[2] + in[4];
  sum += aligned->x + aligned->y + aligned->z + aligned->w;
  sum += seen[0] + seen[1] + seen[2] + seen[3];
  *out = sum;
  __syncthreads();
  out[1] = sum;
}
}
