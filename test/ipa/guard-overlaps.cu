// What LGEN knows of the bytes that kernels touch behind pointers that should not
// overlap: conditions on thread numbers, loops over the grid, two dimensions,
// counters that go up and down, fields of structs. And where there is no extent:
// pointers that go elsewhere, indices that were loaded, remainders of nothing.
// REQUIRES: cuda
// RUN: %gpulto-clang++ -flto=gpu -O2 --offload-arch=sm_90 %light --cuda-path=%cuda_path -c %s -o %t.o
// RUN: %gpulto dump %t.o | FileCheck %s
extern "C" {
// Arguments that are not negative, and a grid whose threads have numbers, are
// premises; so is that the loop has rounds.
// CHECK-LABEL: device(sm_90) function rows:
// CHECK: guard gain {{[0-9]+}} facts apart arg0 from arg1, apart arg0 from arg2
// CHECK-DAG: touches arg0 from 0 to 4*arg3 unless negative:{{.*}}-gridx*blockx + 2147483648, arg3
// CHECK-DAG: touches arg1 from 0 to 4*arg3*arg4 unless negative:{{.*}}arg4 - 1{{.*}}, arg3, arg4
// CHECK-DAG: touches arg2 from 0 to 4*arg4 unless negative: arg4 - 1, arg4
__global__ void rows(float *out, const float *a, const float *x, int rows,
                     int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  for (int k = 0; k < columns; ++k)
    out[row] += a[row * columns + k] * x[k];
}
// A step of all threads must not wrap.
// CHECK-LABEL: device(sm_90) function stride:
// CHECK-DAG: touches arg0 from 0 to 4*arg2 unless negative: {{.*}}-arg2 - gridx*blockx + 2147483648{{.*}}, arg2
// CHECK-DAG: touches arg1 from 0 to 4{{$}}
__global__ void stride(float *out, const float *in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    out[i] = in[0] + i;
}
// The edge is not touched.
// CHECK-LABEL: device(sm_90) function stencil:
// CHECK-DAG: touches arg0 from 4*arg2 + 4 to -4*arg2 + 4*arg2*arg3 - 4 unless
// CHECK-DAG: touches arg1 from 4*arg2, 4 to -4*arg2 + 4*arg2*arg3, 4*arg2*arg3 - 4 unless
__global__ void stencil(float *out, const float *in, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
    const float *row = in + y * w;
    out[y * w + x] = row[x - 1] + row[x + 1];
    out[y * w + x] += in[(y - 1) * w + x] + in[(y + 1) * w + x] + row[x - 1];
  }
}
// Sizes of 64 bits, a counter that goes down, and one of bytes.
// CHECK-LABEL: device(sm_90) function down:
// CHECK-DAG: touches arg0 from 0 to 8*blockx{{$}}
// CHECK-DAG: touches arg1 from 0 to 8*arg2 unless negative: arg2 - 1, arg2{{$}}
__global__ void down(double *out, const double *in, long n) {
  for (long k = n - 1; k >= 0; --k)
    out[threadIdx.x] += in[k];
}
// CHECK-LABEL: device(sm_90) function table:
// CHECK-DAG: touches arg0 from 0 to 4*blockx
// CHECK-DAG: touches arg1 from 0 to 1024
__global__ void table(int *out, const int *in, unsigned char index) {
  for (int i = 0; i < 8; ++i)
    out[threadIdx.x] += in[index];
}
// CHECK-LABEL: device(sm_90) function parts:
// CHECK: guard gain {{[0-9]+}} facts apart arg0[0] from arg0[8]
// CHECK-DAG: touches arg0[0] from 0 to 4*blockx
// CHECK-DAG: touches arg0[8] from 0 to 4*arg0[16]
struct Params {
  float *out;
  const float *in;
  int n;
};
__global__ void parts(Params p) {
  for (int i = 0; i < p.n; ++i)
    p.out[threadIdx.x] += p.in[i];
}
}
