// Tensor cores: a product by wmma of each type, and one by ldmatrix and mma.
// EXPECT: f16 0 differ
// EXPECT: bf16 0 differ
// EXPECT: tf32 0 differ
// EXPECT: f64 0 differ
// EXPECT: s8 0 differ
// EXPECT: ldmatrix and mma 0 differ
// EXPECT: no error
#include <cstdint>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

constexpr int kSize = 64;

/// One warp a tile of C; A by rows, B by columns, C by rows.
template <class Fragment, class T, class C, int M, int N, int K>
__global__ void product(const T *a, const T *b, C *c) {
  __shared__ T tile[M * K];
  int row = blockIdx.y * M, column = blockIdx.x * N;
  wmma::fragment<wmma::matrix_a, M, N, K, Fragment, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, Fragment, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, M, N, K, C> fc;
  wmma::fill_fragment(fc, C(1));
  for (int k = 0; k < kSize; k += K) {
    for (int i = threadIdx.x; i < M * K; i += 32)
      tile[i] = a[(row + i / K) * kSize + k + i % K];
    __syncwarp();
    wmma::load_matrix_sync(fa, tile, K);
    wmma::load_matrix_sync(fb, b + column * kSize + k, kSize);
    wmma::mma_sync(fc, fa, fb, fc);
    __syncwarp();
  }
  for (int i = 0; i < fc.num_elements; ++i)
    fc.x[i] = fc.x[i] - C(1);
  wmma::store_matrix_sync(c + row * kSize + column, fc, kSize,
                          wmma::mem_row_major);
}

/// 16 x 8 of C by one warp: mma.m16n8k16 on what ldmatrix brings.
__global__ void byHand(const __half *a, const __half *b, float *c) {
  __shared__ alignas(16) __half ta[16][16], tb[8][16];
  int row = blockIdx.y * 16, column = blockIdx.x * 8, lane = threadIdx.x;
  float d[4] = {};
  for (int k = 0; k < kSize; k += 16) {
    for (int i = lane; i < 256; i += 32)
      ta[i / 16][i % 16] = a[(row + i / 16) * kSize + k + i % 16];
    for (int i = lane; i < 128; i += 32)
      tb[i / 16][i % 16] = b[(column + i / 16) * kSize + k + i % 16];
    __syncwarp();
    unsigned fa[4], fb[2];
    unsigned pa = __cvta_generic_to_shared(&ta[lane % 16][lane / 16 * 8]);
    unsigned pb = __cvta_generic_to_shared(&tb[lane % 8][lane / 8 % 2 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"(pa));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(fb[0]), "=r"(fb[1])
                 : "r"(pb));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
        "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]),
          "r"(fb[1]));
    __syncwarp();
  }
  for (int i = 0; i < 4; ++i)
    c[(row + lane / 4 + i / 2 * 8) * kSize + column + lane % 4 * 2 + i % 2] =
        d[i];
}

int valueA(int row, int k) { return (row * 7 + k * 3) % 11 - 5; }
int valueB(int k, int column) { return (k * 5 + column * 13) % 7 - 3; }

template <class T, class C, class Launch>
void check(const char *name, Launch launch) {
  static T a[kSize * kSize], b[kSize * kSize];
  static C c[kSize * kSize];
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) {
      a[i * kSize + j] = T(float(valueA(i, j)));
      b[j * kSize + i] = T(float(valueB(i, j)));
    }
  T *pa, *pb;
  C *pc;
  cudaMalloc(&pa, sizeof(a));
  cudaMalloc(&pb, sizeof(b));
  cudaMalloc(&pc, sizeof(c));
  cudaMemcpy(pa, a, sizeof(a), cudaMemcpyHostToDevice);
  cudaMemcpy(pb, b, sizeof(b), cudaMemcpyHostToDevice);
  launch(pa, pb, pc);
  cudaMemcpy(c, pc, sizeof(c), cudaMemcpyDeviceToHost);
  int differ = 0;
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) {
      int sum = 0;
      for (int k = 0; k < kSize; ++k)
        sum += valueA(i, k) * valueB(k, j);
      differ += double(float(c[i * kSize + j])) != sum;
    }
  printf("%s %d differ\n", name, differ);
}

template <class Fragment, class T, class C, int M, int N, int K>
void checkWmma(const char *name) {
  check<T, C>(name, [](T *a, T *b, C *c) {
    product<Fragment, T, C, M, N, K>
        <<<dim3(kSize / N, kSize / M), 32>>>(a, b, c);
  });
}

int main() {
  checkWmma<__half, __half, __half, 16, 16, 16>("f16");
  checkWmma<__nv_bfloat16, __nv_bfloat16, float, 32, 8, 16>("bf16");
  checkWmma<wmma::precision::tf32, float, float, 16, 16, 8>("tf32");
  checkWmma<double, double, double, 8, 8, 4>("f64");
  checkWmma<signed char, signed char, int, 8, 32, 16>("s8");
  check<__half, float>("ldmatrix and mma", [](__half *a, __half *b, float *c) {
    byHand<<<dim3(kSize / 8, kSize / 16), 32>>>(a, b, c);
  });
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
