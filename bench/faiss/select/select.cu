// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs kernels of faiss that need neither cuBLAS nor the rest of the library, with
// small inputs, and prints what they compute: the smallest of the distances of some
// queries, by binary codes or numbers, norms of rows, and sums along columns.

#include <faiss/gpu/impl/BinaryDistance.cuh>
#include <faiss/gpu/impl/BroadcastSum.cuh>
#include <faiss/gpu/impl/IVFUtils.cuh>
#include <faiss/gpu/impl/L2Norm.cuh>
#include <faiss/gpu/impl/L2Select.cuh>
#include <faiss/gpu/utils/blockselect/BlockSelectImpl.cuh>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <vector>

using faiss::idx_t;
using faiss::gpu::Tensor;

namespace faiss::gpu {

// What the library asks a device for.
static int attribute(cudaDeviceAttr which) {
  int value = 0;
  cudaDeviceGetAttribute(&value, which, 0);
  return value;
}
int getWarpSizeCurrentDevice() { return attribute(cudaDevAttrWarpSize); }
int getMaxThreadsCurrentDevice() {
  return attribute(cudaDevAttrMaxThreadsPerBlock);
}
dim3 getMaxGridCurrentDevice() {
  return dim3(attribute(cudaDevAttrMaxGridDimX),
              attribute(cudaDevAttrMaxGridDimY),
              attribute(cudaDevAttrMaxGridDimZ));
}

BLOCK_SELECT_DECL(float, true, 64);
BLOCK_SELECT_DECL(float, false, 64);

} // namespace faiss::gpu

static void check(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  std::printf("error: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

static uint32_t nextRandom() {
  static uint32_t state = 12345;
  state = state * 1664525 + 1013904223;
  return state >> 8;
}

/// Memory of the device, of which the last index runs fastest.
template <typename T> class Array {
public:
  explicit Array(size_t count) : count(count) {
    check(cudaMalloc(&data, count * sizeof(T)));
    check(cudaMemset(data, 0, count * sizeof(T)));
  }
  explicit Array(const std::vector<T> &values) : Array(values.size()) {
    check(cudaMemcpy(data, values.data(), count * sizeof(T),
                     cudaMemcpyHostToDevice));
  }
  Array(const Array &) = delete;
  ~Array() { cudaFree(data); }

  template <int Dim> Tensor<T, Dim, true> as(std::initializer_list<idx_t> n) {
    return Tensor<T, Dim, true>(data, n);
  }
  T *begin() { return data; }
  std::vector<T> values() const {
    std::vector<T> result(count);
    check(cudaMemcpy(result.data(), data, count * sizeof(T),
                     cudaMemcpyDeviceToHost));
    return result;
  }

private:
  size_t count;
  T *data = nullptr;
};

static std::vector<float> someNumbers(size_t count) {
  std::vector<float> values(count);
  for (float &value : values)
    value = static_cast<float>(nextRandom() % 100003) / 64;
  return values;
}

template <typename T>
static void print(const char *what, int k, const Array<T> &array) {
  double sum = 0;
  size_t i = 0;
  for (T value : array.values())
    sum += static_cast<double>(value) * static_cast<double>(++i % 17 + 1);
  std::printf("%s %d: %.9g\n", what, k, sum);
}

constexpr idx_t kQueries = 3;
constexpr idx_t kOthers = 1500;

static void selectDistances(int k) {
  Array<float> products(someNumbers(kQueries * kOthers));
  Array<float> centroids(someNumbers(kOthers));
  Array<float> distances(kQueries * k);
  Array<idx_t> indices(kQueries * k);
  auto in = products.as<2>({kQueries, kOthers});
  auto norms = centroids.as<1>({kOthers});
  auto out = distances.as<2>({kQueries, k});
  auto where = indices.as<2>({kQueries, k});
  faiss::gpu::runL2SelectMin(in, norms, out, where, k, nullptr);
  print("distances", k, distances);
  print("their indices", k, indices);
}

static void selectCodes(int k, idx_t bytes) {
  std::vector<unsigned char> codes((kOthers + kQueries) * bytes);
  for (unsigned char &code : codes)
    code = static_cast<unsigned char>(nextRandom());
  Array<unsigned char> all(codes);
  Array<int> distances(kQueries * k);
  Array<idx_t> indices(kQueries * k);
  Tensor<unsigned char, 2, true> queries(all.begin(), {kQueries, bytes});
  Tensor<unsigned char, 2, true> others(all.begin() + kQueries * bytes,
                                        {kOthers, bytes});
  auto out = distances.as<2>({kQueries, k});
  auto where = indices.as<2>({kQueries, k});
  faiss::gpu::runBinaryDistance(others, queries, out, where, k, nullptr);
  print("differing bits", k, distances);
}

static void selectOfLists(int k, bool largest) {
  constexpr idx_t kLists = 8, kSlices = 2;
  // The number before the first is 0.
  std::vector<idx_t> ends(1 + kQueries * kLists);
  for (size_t i = 1; i < ends.size(); ++i)
    ends[i] = ends[i - 1] + 100 + nextRandom() % 200;
  Array<float> distances(someNumbers(ends.back()));
  Array<idx_t> offsets(ends);
  Array<float> best(kQueries * kSlices * k);
  Array<idx_t> indices(kQueries * kSlices * k);
  Tensor<idx_t, 2, true> prefixes(offsets.begin() + 1, {kQueries, kLists});
  auto in = distances.as<1>({ends.back()});
  auto out = best.as<3>({kQueries, kSlices, k});
  auto where = indices.as<3>({kQueries, kSlices, k});
  faiss::gpu::runPass1SelectLists(prefixes, in, kLists, k, false, largest, out,
                                  where, nullptr);
  print(largest ? "largest of lists" : "smallest of lists", k, best);
}

static void selectBlock(int k, bool largest) {
  Array<float> numbers(someNumbers(kQueries * kOthers));
  Array<float> best(kQueries * k);
  Array<idx_t> indices(kQueries * k);
  auto in = numbers.as<2>({kQueries, kOthers});
  auto out = best.as<2>({kQueries, k});
  auto where = indices.as<2>({kQueries, k});
  if (largest)
    faiss::gpu::runBlockSelect_float_true_64_(in, out, where, true, k, nullptr);
  else
    faiss::gpu::runBlockSelect_float_false_64_(in, out, where, false, k,
                                               nullptr);
  print(largest ? "largest" : "smallest", k, best);
}

static void normsAndSums(idx_t dimensions) {
  Array<float> rows(someNumbers(kOthers * dimensions));
  Array<float> norms(kOthers), columns(someNumbers(dimensions));
  auto in = rows.as<2>({kOthers, dimensions});
  auto out = norms.as<1>({kOthers});
  auto add = columns.as<1>({dimensions});
  faiss::gpu::runSumAlongColumns(add, in, nullptr);
  faiss::gpu::runL2Norm(in, true, out, true, nullptr);
  print("norms", static_cast<int>(dimensions), norms);
}

int main() {
  for (int k : {1, 32, 60, 100, 250, 500, 1000})
    selectDistances(k);
  for (int k : {32, 100, 1000})
    selectCodes(k, 32);
  for (int k : {60, 250})
    selectCodes(k, 30);
  for (int k : {32, 100, 500})
    for (bool largest : {false, true})
      selectOfLists(k, largest);
  for (bool largest : {false, true})
    selectBlock(50, largest);
  for (idx_t dimensions : {64, 96, 127})
    normsAndSums(dimensions);
  check(cudaDeviceSynchronize());
  return 0;
}
