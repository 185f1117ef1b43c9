//===- reduce.cu - Template kernels: sums and maxima of several types -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device.h"

#include <type_traits>

namespace {

struct Sum {
  template <typename T> static __device__ T join(T left, T right) {
    return left + right;
  }
};

struct Maximum {
  template <typename T> static __device__ T join(T left, T right) {
    return left < right ? right : left;
  }
};

} // namespace

// One value per block: a tree in shared memory, then shuffles in one warp.
// Every value is exactly representable in T, so the order does not matter.
template <typename T, typename Op, int Shift>
__global__ void reduceKernel(Grid grid, T *partial) {
  extern __shared__ __align__(16) unsigned char raw[];
  T *shared = reinterpret_cast<T *>(raw);
  T value = T();
  int count = grid.width * grid.height;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    int cell = grid.cells[(i / grid.width) * grid.pitch + i % grid.width];
    value = Op::join(value, static_cast<T>(cell) / static_cast<T>(1 << Shift));
  }
  shared[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half >= 32; half /= 2) {
    if (threadIdx.x < half)
      shared[threadIdx.x] =
          Op::join(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x >= 32)
    return;
  value = shared[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    value = Op::join(value, __shfl_down_sync(0xffffffffU, value, offset));
  if (threadIdx.x == 0)
    partial[blockIdx.x] = value;
}

namespace {

// The block's size follows the grid's, so only the host knows it.
template <typename T, typename Op, int Shift> T reduceAs(const Grid &grid) {
  constexpr int kBlocks = 6;
  int threads = grid.width * grid.height >= 4096 ? 128 : 64;
  T *partial = nullptr;
  checkCuda(cudaMalloc(&partial, kBlocks * sizeof(T)), "cudaMalloc");
  reduceKernel<T, Op, Shift>
      <<<kBlocks, threads, threads * sizeof(T)>>>(grid, partial);
  checkCuda(cudaGetLastError(), "reduceKernel");
  T host[kBlocks];
  checkCuda(cudaMemcpy(host, partial, sizeof(host), cudaMemcpyDeviceToHost),
            "read of the partial results");
  checkCuda(cudaFree(partial), "cudaFree");
  T result = host[0];
  for (int i = 1; i < kBlocks; ++i) {
    if (std::is_same<Op, Sum>::value)
      result = result + host[i];
    else if (result < host[i])
      result = host[i];
  }
  return result;
}

} // namespace

void reduceGrid(const Grid &grid, Summary &summary) {
  summary.total = reduceAs<long long, Sum, 0>(grid);
  summary.mean = reduceAs<double, Sum, 8>(grid) / (grid.width * grid.height);
  summary.maximum = reduceAs<int, Maximum, 0>(grid);
  summary.maximumDegrees = reduceAs<float, Maximum, 8>(grid);
}
