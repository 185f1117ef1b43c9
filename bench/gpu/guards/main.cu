// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of which gpulto makes a second version for likely arguments, launched
// at the limits of what the host tests: one below, at, and one above. With the
// argument `large` also grids at theirs, which take an emulator long.
#include "../expect.h"
#include "kernels.h"

#include <cstring>

namespace {
constexpr int kThreads = 64;
constexpr size_t kWord = 4294967295u, kSigned = 2147483647, kSide = 46340,
                 kGrid = 2097151;

void testDivide(Expectations &expect, size_t a, size_t b) {
  DeviceArray<size_t> out(kThreads);
  divide<<<1, kThreads>>>(out.get(), a, b);
  CHECK(cudaGetLastError());
  std::vector<size_t> expected;
  for (size_t t = 0; t < kThreads; ++t)
    expected.push_back(a / b + a % b + t);
  expect.equal("divide", out.read(), expected);
}

void testCount(Expectations &expect, size_t n, size_t step) {
  DeviceArray<size_t> out(kThreads);
  count<<<1, kThreads>>>(out.get(), n, step);
  CHECK(cudaGetLastError());
  std::vector<size_t> expected(kThreads);
  for (size_t t = 0; t < kThreads; ++t)
    for (size_t i = t; i < n; i += step)
      expected[t] += 256 + (i & 255);
  expect.equal("count", out.read(), expected);
}

/// The first rows of an array that is said to have ny of them.
void testBorder(Expectations &expect, size_t nx, size_t ny) {
  constexpr int kRows = 4, kBlockRows = 2;
  std::vector<float> in((kRows + 1) * nx), expected(in.size());
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i % 1021);
  for (size_t y = 1; y < kRows && y + 1 < ny; ++y)
    for (size_t x = 1; x + 1 < nx; ++x)
      expected[y * nx + x] = in[(y - 1) * nx + x] + in[(y + 1) * nx + x];
  DeviceArray<float> from(in), to(in.size());
  border<<<dim3(divideUp(nx, kThreads), kRows / kBlockRows),
           dim3(kThreads, kBlockRows)>>>(to.get(), from.get(), nx, ny);
  CHECK(cudaGetLastError());
  expect.equal("border", to.read(), expected);
}

std::vector<float> smallNumbers(int count) {
  std::vector<float> result(count);
  for (int i = 0; i < count; ++i)
    result[i] = static_cast<float>(i * 7 % 64); // sums are exact
  return result;
}

void testSum(Expectations &expect, int n, int offset) {
  constexpr int kSums = 8;
  std::vector<float> numbers = smallNumbers(kSums * n + offset), expected;
  for (int t = 0; t < kSums; ++t) {
    float total = 0;
    for (int i = 0; i < n; ++i)
      total += numbers[offset + t * n + i];
    expected.push_back(total);
  }
  DeviceArray<float> in(numbers), out(kSums);
  sum<<<1, kSums>>>(out.get(), in.get() + offset, n);
  CHECK(cudaGetLastError());
  expect.equal("sum", out.read(), expected);
}

void testStrided(Expectations &expect, int n, int stride, int offset) {
  std::vector<float> numbers = smallNumbers(256);
  float expected = 0;
  for (int i = 0; i < n; ++i)
    expected += numbers[offset + i * stride];
  DeviceArray<float> in(numbers), out(1);
  strided<<<1, 1>>>(out.get(), in.get() + offset, n, stride);
  CHECK(cudaGetLastError());
  expect.equal("strided", out.read()[0], expected);
}

/// Writes from `to` on what is read from `from` on, in one array.
void testSmooth(Expectations &expect, int to, int from, int n) {
  std::vector<float> numbers = smallNumbers(512);
  DeviceArray<float> data(numbers);
  smooth<<<1, 1>>>(data.get() + to, data.get() + from, n);
  CHECK(cudaGetLastError());
  for (int i = 0; i < n; ++i)
    numbers[to + i] = numbers[from + i] + numbers[from + i + 1];
  expect.equal("smooth", data.read(), numbers);
}

void testLast(Expectations &expect, size_t grid, int block, size_t columns) {
  constexpr int kStored = 32;
  DeviceArray<size_t> out(2 * kStored);
  last<<<unsigned(grid), block>>>(out.get(), columns, kStored);
  CHECK(cudaGetLastError());
  std::vector<size_t> expected;
  for (size_t i = grid * block - kStored; i < grid * block; ++i) {
    expected.push_back(i / columns);
    expected.push_back(i % columns);
  }
  expect.equal("last", out.read(), expected);
}
} // namespace

int main(int argc, char **argv) {
  Expectations expect;
  for (size_t a : {size_t(10), kWord - 1, kWord, kWord + 1})
    for (size_t b : {size_t(3), kWord - 1, kWord, kWord + 1})
      testDivide(expect, a, b);
  for (size_t step : {size_t(64) << 20, (size_t(64) << 20) + 1})
    for (size_t n : {kSigned - 1, kSigned, kSigned + 1, kWord, kWord + 1})
      testCount(expect, n, step);
  for (size_t nx : {kSide - 1, kSide, kSide + 1})
    for (size_t ny : {size_t(3), kSide - 1, kSide, kSide + 1})
      testBorder(expect, nx, ny);
  for (int n : {0, 1, 3, 4, 5, 7, 8, 9, 63, 64, 65})
    for (int offset = 0; offset < 5; ++offset)
      testSum(expect, n, offset);
  for (int stride : {-1, 0, 1, 2})
    for (int n : {7, 8, 9, 64})
      testStrided(expect, n, stride, stride < 0 ? 100 : 4);
  // Ends before, at, and behind the first that is read, and so at the other
  // end.
  for (int from : {199, 200})
    for (int n : {7, 8, 64})
      for (int to : {from - n - 1, from - n, from - n + 1, from - 1, from,
                     from + 1, from + n, from + n + 1, from + n + 2})
        testSmooth(expect, to, from, n);
  testLast(expect, 3, 64, 7);
  testLast(expect, 3, 64, kWord + 1);
  if (argc > 1 && !strcmp(argv[1], "large"))
    for (size_t grid : {kGrid - 1, kGrid, kGrid + 1, 2 * kGrid + 3})
      for (int block : {32, 1024})
        testLast(expect, grid, block, 1000003);
  return expect.finish();
}
