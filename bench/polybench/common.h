// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the programs share: sizes, error checks, reproducible input, and the
// comparison of results.
//
// They compute what the programs of PolyBench/GPU do (Grauer-Gray, Xu, Searles,
// Ayalasomayajula, Cavazos: "Auto-tuning a high-level language targeted to GPU
// codes", 2012), and copy as one does who looks at one parallel loop nest at a
// time: before it, all that it touches goes to the device, and behind it, all
// that it may have written comes back. So the nests and copies are those of the
// original programs in Figure 14 of Mendonca, Guimaraes, Alves, Pereira,
// Araujo, Pereira: "DawnCC: Automatic Annotation for Data Parallelism and
// Offloading", 2017.
//
// At the end the host reads the results, those arrays that PolyBench prints,
// and compares them with its own, which it computes from inputs of its own.
#ifndef BENCH_POLYBENCH_COMMON_H
#define BENCH_POLYBENCH_COMMON_H

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// Rows and columns are about as many, of vectors twice as many.
#ifndef SIZE
#define SIZE 128
#endif

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t status = (call);                                               \
    if (status != cudaSuccess) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                       \
              cudaGetErrorString(status));                                     \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

constexpr int kThreads = 128;
constexpr int kBlockWidth = 32, kBlockHeight = 8;

/// Returns how many blocks of kThreads threads hold one for each element.
constexpr int blocksFor(int count) { return (count + kThreads - 1) / kThreads; }

/// Returns how many blocks of kBlockWidth * kBlockHeight threads do.
inline dim3 blocksFor(int rows, int columns) {
  return dim3((columns + kBlockWidth - 1) / kBlockWidth,
              (rows + kBlockHeight - 1) / kBlockHeight);
}

constexpr size_t bytesOf(int count) { return count * sizeof(float); }

/// Returns an array on the host with numbers in [0, 1), always the same for a
/// \p seed.
inline float *newArray(int count, unsigned seed) {
  auto *array = static_cast<float *>(malloc(bytesOf(count)));
  unsigned state = seed * 2654435761u + 1;
  for (int i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    array[i] = static_cast<float>(state >> 8) / (1 << 24);
  }
  return array;
}

/// Prints a checksum of \p result and whether it is as \p expected, apart from
/// rounding. Returns 1 if it is not, and frees \p expected.
inline int report(const char *name, const float *result, float *expected,
                  int count) {
  constexpr double kTolerance = 1e-4;
  double sum = 0, difference = 0;
  bool isSame = true;
  for (int i = 0; i < count; ++i) {
    double value = result[i], wanted = expected[i];
    double relative = fabs(value - wanted) / (1 + fabs(wanted));
    sum += value * (1 + i % 17);
    difference = fmax(difference, relative);
    if (!(relative <= kTolerance)) // or not a number
      isSame = false;
  }
  free(expected);
  if (isSame)
    printf("%s %.5e ok\n", name, sum);
  else
    printf("%s %.5e differs by %g\n", name, sum, difference);
  return isSame ? 0 : 1;
}

#endif
