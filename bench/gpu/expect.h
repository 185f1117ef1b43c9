// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the programs check themselves with.
#ifndef BENCH_GPU_EXPECT_H
#define BENCH_GPU_EXPECT_H

#include "../ipa/common.h"

#include <vector>

/// Counts what is not as expected; a program returns finish() from main.
class Expectations {
public:
  /// Says so on standard output if \p found is not \p expected.
  template <class T> void equal(const char *what, T found, T expected) {
    ++checks;
    if (found == expected)
      return;
    ++wrong;
    printf("WRONG %s: %lld, expected %lld\n", what,
           static_cast<long long>(found), static_cast<long long>(expected));
  }
  /// Compares two arrays, and says where they differ first.
  template <class T>
  void equal(const char *what, const std::vector<T> &found,
             const std::vector<T> &expected) {
    ++checks;
    for (size_t i = 0; i < expected.size(); ++i)
      if (i >= found.size() || found[i] != expected[i]) {
        ++wrong;
        printf("WRONG %s, element %zu\n", what, i);
        return;
      }
  }
  /// Prints the result and returns the exit status.
  int finish() const {
    printf("%d checks, %d wrong\n", checks, wrong);
    return wrong ? 1 : 0;
  }

private:
  int checks = 0, wrong = 0;
};

#endif
