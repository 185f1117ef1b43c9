// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices, tiled in block-shared memory, as a library would
// instantiate them: by element type, tile, and transposition of the operands.
#ifndef GPULTO_BENCH_ICF_GEMM_H
#define GPULTO_BENCH_ICF_GEMM_H

#include "../common.h"

template <class T> struct Matrix {
  T *data;
  int rows, columns, stride;
  __device__ T &at(int row, int column) const {
    return data[row * stride + column];
  }
};

template <class T> struct Accumulate {
  T alpha;
  __device__ T operator()(T old, T sum) const { return old + alpha * sum; }
};

template <class T, int Tile, bool TransposeA, bool TransposeB, class Epilogue>
__global__ void gemm(Matrix<T> a, Matrix<T> b, Matrix<T> c, Epilogue epilogue) {
  __shared__ T tileA[Tile][Tile + 1];
  __shared__ T tileB[Tile][Tile + 1];
  int row = blockIdx.y * Tile + threadIdx.y;
  int column = blockIdx.x * Tile + threadIdx.x;
  int depth = TransposeA ? a.rows : a.columns;
  T sum = T(0);
  for (int start = 0; start < depth; start += Tile) {
    int k = start + threadIdx.x;
    bool inA = row < c.rows && k < depth;
    tileA[threadIdx.y][threadIdx.x] =
        inA ? (TransposeA ? a.at(k, row) : a.at(row, k)) : T(0);
    k = start + threadIdx.y;
    bool inB = column < c.columns && k < depth;
    tileB[threadIdx.y][threadIdx.x] =
        inB ? (TransposeB ? b.at(column, k) : b.at(k, column)) : T(0);
    __syncthreads();
    for (int i = 0; i < Tile; ++i)
      sum += tileA[threadIdx.y][i] * tileB[i][threadIdx.x];
    __syncthreads();
  }
  if (row < c.rows && column < c.columns)
    c.at(row, column) = epilogue(c.at(row, column), sum);
}

template <class T, int Tile, bool TransposeA, bool TransposeB>
void multiply(const char *name, int size) {
  size_t count = size_t(size) * size;
  Array<T> a(someValues<T>(count)), b(someValues<T>(count));
  Array<T> c(std::vector<T>(count, T(1)));
  dim3 grid((size + Tile - 1) / Tile, (size + Tile - 1) / Tile);
  gemm<T, Tile, TransposeA, TransposeB><<<grid, dim3(Tile, Tile)>>>(
      Matrix<T>{a.data(), size, size, size},
      Matrix<T>{b.data(), size, size, size},
      Matrix<T>{c.data(), size, size, size}, Accumulate<T>{T(2)});
  print(name, c.read());
}

template <class T> void gemmAll(int size) {
  multiply<T, 8, false, false>("product", size);
  multiply<T, 8, true, false>("product with A transposed", size);
  multiply<T, 8, false, true>("product with B transposed", size);
  multiply<T, 16, false, false>("product in large tiles", size);
  multiply<T, 16, true, true>("product of transposed", size);
}

#endif
