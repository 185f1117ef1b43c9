// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

constexpr int kCount = 64;

struct Node {
  int value;
  Node *next;
};

extern __managed__ int table[kCount];
extern __managed__ Node *list;

/// table[i] += by.
__global__ void increase(int by);
/// Adds up the values of the list that `list` begins.
__global__ void sum(int *out);
