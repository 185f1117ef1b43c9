// What LGEN thinks that small sizes would pay: indices of two sizes, strides of loops
// over all threads. And where nothing pays: loops of which pointers are made anyway,
// divisions beside which all else is small, comparisons alone, sizes of 32 bits.
// REQUIRES: cuda
// RUN: %gpulto-clang++ -flto=gpu -O2 --offload-arch=sm_90 %light --cuda-path=%cuda_path -c %s -o %t.o
// RUN: %gpulto dump %t.o | FileCheck --implicit-check-not='at most' %s

// CHECK-LABEL: device(sm_90) function border:
// CHECK: guard gain {{[0-9]+}} facts fits_word arg2 i64 size_class 3, fits_word arg3 i64 size_class 3, small_grid
// CHECK-LABEL: device(sm_90) function stride:
// CHECK: guard gain {{[0-9]+}} facts fits_word arg2 i64 size_class 1, small_grid
// CHECK-LABEL: device(sm_90) function mask:
// CHECK: guard gain {{[0-9]+}} facts fits_word arg1 i64 size_class 1, fits_word arg2 i64 size_class 1
// CHECK-LABEL: device(sm_90) function planes:
// CHECK-LABEL: device(sm_90) function column:
// CHECK-LABEL: device(sm_90) function view:
// CHECK-LABEL: device(sm_90) function compare:
// CHECK-LABEL: device(sm_90) function words:
using size = unsigned long long;
struct View {
  size sizes[4], strides[4];
};
extern "C" {
__global__ void border(float *out, const float *in, size nx, size ny) {
  size x = size(blockIdx.x) * blockDim.x + threadIdx.x;
  size y = size(blockIdx.y) * blockDim.y + threadIdx.y;
  if (x == 0 || x + 1 >= nx || y == 0 || y + 1 >= ny)
    return;
  out[y * nx + x] = in[(y - 1) * nx + x] + in[(y + 1) * nx + x];
}
__global__ void stride(float *out, const float *in, size n) {
  for (size i = size(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += size(gridDim.x) * blockDim.x)
    out[i] = in[i] * 2;
}
__global__ void mask(float *out, size n, size step) {
  for (size i = threadIdx.x; i < n; i += step)
    out[i & 255] += 1;
}
__global__ void planes(float *out, const float *in, size plane, size nz) {
  float sum = 0;
  for (size z = 1; z + 1 < nz; ++z)
    sum += in[(z - 1) * plane + threadIdx.x] - in[(z + 1) * plane + threadIdx.x];
  out[threadIdx.x] = sum;
}
__global__ void column(float *out, const float *in, size nx, size ny, size nz) {
  size x = size(blockIdx.x) * blockDim.x + threadIdx.x;
  if (x == 0 || x + 1 >= nx)
    return;
  for (size z = 1; z + 1 < nz; ++z) {
    size i = (z * ny + blockIdx.y) * nx + x;
    out[i] = in[i - nx * ny] + in[i - 1] + in[i + 1] + in[i + nx * ny];
  }
}
__global__ void view(float *out, const float *in, View view, int rank,
                     size count) {
  for (size i = size(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += size(gridDim.x) * blockDim.x) {
    size rest = i, from = 0;
    for (int d = rank - 1; d >= 0; --d) {
      from += rest % view.sizes[d] * view.strides[d];
      rest /= view.sizes[d];
    }
    out[i] = in[from];
  }
}
__global__ void compare(float *out, size n) {
  size i = size(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 1;
}
__global__ void words(float *out, const float *in, unsigned nx, unsigned ny) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned y = 0; y < ny; ++y)
    out[y * nx + x] = in[y * nx + x + 1] + in[y * nx + x];
}
}
