// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Low bits of floating-point numbers, which ptxas must not take for their
// values.
#include "../expect.h"
#include "kernels.h"

#include <cstring>

template <class Bits, class Number> Bits bitsOf(Number number) {
  Bits bits;
  std::memcpy(&bits, &number, sizeof bits); // the low ones
  return bits;
}

int main() {
  constexpr int kThreads = 64;
  Expectations expect;
  std::vector<double> x;
  std::vector<float> y;
  for (int i = 0; i <= kThreads; ++i) {
    x.push_back(1.0 / (i + 3));
    y.push_back(float(i + 1) / 7);
  }
  DeviceArray<double> xs(x.size());
  DeviceArray<float> ys(y.size());
  DeviceArray<Parts> out(kThreads);
  CHECK(cudaMemcpy(xs.get(), x.data(), x.size() * sizeof x[0],
                   cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(ys.get(), y.data(), y.size() * sizeof y[0],
                   cudaMemcpyHostToDevice));
  lowBits<<<1, kThreads>>>(out.get(), xs.get(), ys.get());
  CHECK(cudaGetLastError());
  std::vector<Parts> parts = out.read();
  std::vector<unsigned> found, expected;
  for (int i = 0; i < kThreads; ++i) {
    double a = x[i], b = x[i + 1];
    float c = y[i], d = y[i + 1];
    for (unsigned part :
         {parts[i].words, parts[i].called, unsigned(parts[i].halves),
          unsigned(parts[i].ofFloat), unsigned(parts[i].bytes),
          unsigned(parts[i].byteOfFloat)})
      found.push_back(part);
    for (unsigned part : {bitsOf<unsigned>(a + b), 2 * bitsOf<unsigned>(a - b),
                          unsigned(bitsOf<unsigned short>(a * b)),
                          unsigned(bitsOf<unsigned short>(c * d)),
                          unsigned(bitsOf<unsigned char>(a / b)),
                          unsigned(bitsOf<unsigned char>(c + d))})
      expected.push_back(part);
  }
  expect.equal("bits", found, expected);
  return expect.finish();
}
